"""What a student reads on a terminal: plain lines, hung under their signs, quick to print."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence

import typer

from grader.learner import words
from grader.model import Exercise, ExerciseReport, Report
from grader.report.closing import closing_lines
from grader.report.feedback import attempts, exercise_lines
from grader.report.words import score_words, unjudged

_COLOURS = {"✓": "green", "✗": "red", "!": "magenta", "→": "cyan"}


def own_report(report: Report, catalog: Mapping[str, Exercise] | None = None) -> None:
    """A student's own result, exercise by exercise; of those in the ``catalog`` step by step."""
    for exercise in report.exercises:
        entry = (catalog or {}).get(exercise.name)
        told(exercise, entry.steps if entry else ())
        for line in closing_lines(entry, exercise) if entry else ():
            _indented(f"  {line}")
    for attempt in attempts(report.verdicts):
        _indented(words.NOT_ALLOWED.format(attempt=attempt))
    points = score_words(report.score)
    typer.echo(words.TOTAL.format(points=points, most=report.max_score))
    if report.without_verdict:
        typer.echo(words.NO_VERDICT.format(checks="; ".join(unjudged(report))))


def told(exercise: ExerciseReport, steps: Sequence[str] = ()) -> None:
    """What the checks of one exercise say, step by step where it has ``steps``."""
    for line in exercise_lines(exercise, steps=steps):
        _indented(line)


def _indented(line: str) -> None:
    """A line that, when it must be broken, goes on under its own beginning."""
    inner = line.lstrip()
    signed = inner[:1] in _COLOURS
    hang = " " * (len(line) - len(inner) + 2 * signed)
    width = min(shutil.get_terminal_size().columns, 100)
    text = textwrap.fill(line, width, subsequent_indent=hang, break_on_hyphens=False)
    typer.secho(text, fg=_COLOURS[inner[:1]] if signed else None)
