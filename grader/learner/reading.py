"""What a learner opens and reads in place of the main screen: lists, reports, solutions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from grader.learner import words
from grader.learner.lines import (
    STYLE_OF_SIGN,
    Line,
    hint_lines,
    shortened,
    told,
    wrapped,
)
from grader.learner.pairs import Pair
from grader.learner.progress import Progress, Standing, passed, total
from grader.model import Exercise, ExerciseReport
from grader.report.words import score_words


def full_lines(
    report: ExerciseReport, exercise: Exercise, hints: Sequence[int], width: int
) -> list[Line]:
    """Every check of a report, nothing folded, and the hints of these numbers."""
    lines = [Line(f"{report.name}  {_score(report)}", "bold")]
    for verdict in report.verdicts:
        lines += told(verdict, width)
    for number in hints:
        lines += hint_lines(exercise, number, width)
    return lines


def list_lines(
    exercises: Sequence[Exercise],
    progress: Progress,
    points: Mapping[str, float],
    width: int,
    chosen: str = "",
) -> list[Line]:
    """The exercises in teaching order: whether the core is right, points, attempts, level and
    minutes where the course says them and there is room, needs.
    """
    longest = max((len(e.name) for e in exercises), default=8)
    timed = width >= 72 and any(e.level or e.minutes for e in exercises)
    costs = {
        e.name: f"{e.level or '-':>5} {e.minutes or '-':>4}  " if timed else "" for e in exercises
    }
    room = max(0, width - longest - 35 - 12 * timed)
    named = f"{words.EXERCISE:<{longest}}  {words.CORE} {words.POINTS:>8} {words.TRIES:>6}  "
    named += f"{words.LEVEL:>5} {words.MINUTES:>4}  " if timed else ""
    lines = [Line(f"     {named}{words.NEEDS}", "bold")]
    for exercise in exercises:
        standing = progress.of(exercise.name)
        sign = "✓" if standing.done else "·" if standing.attempts else " "
        mark = ">" if exercise.name == chosen else " "
        earned = f"{score_words(standing.points)}/{points[exercise.name]:g}"
        core = f"{'✓' if standing.core else '·' if standing.attempts else ' ':^{len(words.CORE)}}"
        needs = shortened(", ".join(exercise.needs) or "-", room)
        text = f" {mark} {sign} {exercise.name:<{longest}}  {core} {earned:>8} "
        text += f"{standing.attempts:>6}  "
        style = "good" if standing.done else "bold" if exercise.name == chosen else ""
        lines.append(Line(text + costs[exercise.name] + needs, style))
    return lines


def prospect_lines(exercises: Sequence[Exercise], progress: Progress, width: int) -> list[Line]:
    """Of the first exercise that is not done: what it takes, and what one can do afterwards."""
    exercise = next((e for e in exercises if not progress.of(e.name).done), None)
    if exercise is None or not (exercise.minutes or exercise.afterwards):
        return []
    facts = [words.NEXT_IS.format(name=exercise.name, title=exercise.title)]
    if exercise.minutes:
        sittings = words.SITTINGS.format(count=exercise.sittings) if exercise.sittings > 1 else ""
        facts.append(words.TAKES.format(minutes=exercise.minutes, sittings=sittings))
    if exercise.before:
        facts.append(words.BEFORE.format(what="; ".join(exercise.before)))
    if exercise.afterwards:
        facts.append(words.AFTERWARDS.format(what="; ".join(exercise.afterwards)))
    return [Line(""), *wrapped(" ".join(facts), width, "")]


def pair_lines(found: Iterable[Pair], width: int) -> list[Line]:
    """Yours on the left, the solution on the right."""
    half = (width - 3) // 2
    lines = [Line(f"{words.YOURS:<{half}} │ {words.THE_SOLUTION}", "bold")]
    for pair in found:
        lines += [Line(""), Line(pair.name, "hint")]
        own, solution = _column(pair.own, half), _column(pair.solution, half)
        for left, right in zip_longest(own, solution, fillvalue=""):
            same = left.strip() == right.strip()
            lines.append(Line(f"{left:<{half}} │ {right}", "dim" if same and left else ""))
    return lines


def summary_lines(
    reports: Sequence[ExerciseReport], width: int, worse: Sequence[str] = ()
) -> list[Line]:
    """One line for every exercise checked."""
    lines: list[Line] = []
    for report in reports:
        sign = "✓" if passed(report) else "!" if report.without_verdict else "✗"
        text = f"{sign} {report.name:<24} {_score(report)}"
        if report.name in worse:
            text += f"  {words.PASSED_BEFORE}"
        lines.append(Line(shortened(text, width), STYLE_OF_SIGN[sign]))
    done = sum(passed(report) for report in reports)
    said = words.EXERCISES_PASS.format(done=done, total=len(reports))
    return [*lines, Line(""), Line(said, "bold")]


def finale_lines(progress: Progress, names: Sequence[str], ending: str, width: int) -> list[Line]:
    """Everything passes, and was checked again a moment ago; ``ending`` is the course's own."""
    art = ["█ " * (row + 1) + "· " * (8 - row - 1) for row in range(8)]
    lines = [Line(""), *[Line(f"      {row}", "good") for row in art], Line("")]
    lines += wrapped(words.BUILT.format(total=len(names)), width, "bold")
    for text in _looking_back([progress.of(name) for name in names]):
        lines += wrapped(text, width, "")
    return lines + (wrapped(ending, width, "") if ending else [])


def _looking_back(standings: Sequence[Standing]) -> Iterator[str]:
    """What it took, and when it was, if it took several days."""
    yield words.EARNED.format(
        points=score_words(total(standings)),
        attempts=sum(s.attempts for s in standings),
        hints=sum(len(s.hints) for s in standings),
    )
    days = sorted(s.passed_at[:10] for s in standings if s.passed_at)
    if len(set(days)) > 1:
        yield words.DAYS.format(first=days[0], last=days[-1])


def _score(report: ExerciseReport) -> str:
    return words.SCORE.format(points=score_words(report.score), most=report.max_score)


def _column(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines += textwrap.wrap(line, width, subsequent_indent=indent) or [""]
    return lines
