"""Reports -> files. Everything is made from the Report alone, but for pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.model import Report
from grader.report.feedback_page import feedback_page
from grader.report.files import write_whole
from grader.report.picture import Picture
from grader.report.words import suspicion, unjudged


def write_feedback(report: Report, pictures: Mapping[str, Picture], folder: Path) -> Path:
    """``folder/feedback/<submission>.html``, the page for the student."""
    path = folder / "feedback" / f"{report.submission}.html"
    write_whole(path, feedback_page(report, pictures))
    return path


def write_grades(reports: Sequence[Report], folder: Path) -> Path:
    """``folder/grades.csv``: a row per submission, a column per exercise, and at the end what a
    person should look at before the marks are given out.

    Where a check has no verdict, the cells of its exercise and of the total are empty.
    """
    names = list(dict.fromkeys(e.name for report in reports for e in report.exercises))
    head = ["submission", "student", "score", "max_score", *names, "seed", "isolation"]
    head += ["no_verdict", "refused", "suspicious"]
    rows: list[list[object]] = [[*head], *(_row(report, names) for report in reports)]
    path, text = folder / "grades.csv", io.StringIO()
    csv.writer(text).writerows(rows)
    write_whole(path, text.getvalue())
    return path


def _row(report: Report, names: Sequence[str]) -> list[object]:
    scores = {exercise.name: _mark(exercise.score) for exercise in report.exercises}
    who = [_as_text(report.submission), _as_text(report.student)]
    marks = [_mark(report.score), f"{report.max_score:g}"]
    each = [scores.get(name, "") for name in names]
    fast = list(map(suspicion, report.suspicious))
    look = [_as_text("; ".join(notes)) for notes in (unjudged(report), report.refused, fast)]
    return [*who, *marks, *each, report.conditions.seed, report.conditions.isolation, *look]


def _mark(score: float | None) -> str:
    return "" if score is None else f"{score:g}"


def _as_text(cell: str) -> str:
    """A spreadsheet must not take a student's name for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell
