"""What a watching learner sees, as lines of text with a style each: pure, for any size."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from grader.learner import words
from grader.learner.pairs import Pair
from grader.learner.progress import Progress, Standing, passed
from grader.model import Exercise, ExerciseReport, Outcome, Verdict
from grader.report.feedback import SIGNS, advice_on, same_stops, verdict_lines

DONE = (Outcome.PASSED, Outcome.SKIPPED)
_STYLE_OF_SIGN = {"✓": "good", "✗": "bad", "!": "warn", "→": "hint", "·": "dim"}
MAX_WIDTH = 100


class Line(NamedTuple):
    """``style`` is one of '', bold, dim, good, bad, warn, hint."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Size:
    """The terminal, in characters."""

    columns: int = 80
    rows: int = 24

    @property
    def width(self) -> int:
        return max(20, min(self.columns, MAX_WIDTH))


@dataclass(frozen=True)
class Sight:
    """Everything the main screen is made of."""

    exercise: Exercise
    place: str
    progress: Progress
    names: Sequence[str]
    report: ExerciseReport | None = None
    not_run: str = ""
    notice: str = ""
    busy: str = ""
    seconds: float = 0.0
    is_there: bool = True
    next_name: str = ""
    has_solution: bool = True
    question: str = ""


def main_lines(sight: Sight, size: Size) -> list[Line]:
    """Head, result, hints, keys; no taller than the terminal, keys always in sight."""
    head, foot = _head(sight, size), _foot(sight, size)
    room = max(3, size.rows - 1 - len(head) - len(foot))
    result = _body(sight, size.width) if sight.report else []
    extra = _hints(sight, size.width) + _wrapped(sight.notice, size.width, "warn")
    shown = fitted(result, max(3, room - len(extra))) + extra
    return [*head, *shown[:room], *foot]


def full_lines(report: ExerciseReport, hints: Sequence[str], width: int) -> list[Line]:
    """Every check of a report, nothing folded, and all hints shown so far."""
    lines = [Line(f"{report.name}  {_score(report)}", "bold")]
    for verdict in report.verdicts:
        lines += _told(verdict, width)
    for number, hint in enumerate(hints, start=1):
        lines += hung(words.HINT.format(number=number, hint=hint), width)
    return lines


def fitted(lines: list[Line], room: int) -> list[Line]:
    """Cut to ``room`` lines; the last one then says that there is more."""
    if len(lines) <= room:
        return lines
    more = words.MORE_LINES.format(count=len(lines) - room + 1)
    return [*lines[: room - 1], Line(more, "dim")]


def list_lines(
    exercises: Sequence[Exercise],
    progress: Progress,
    points: Mapping[str, float],
    width: int,
    chosen: str = "",
) -> list[Line]:
    """The exercises in teaching order: needs, points, attempts."""
    longest = max((len(e.name) for e in exercises), default=8)
    room = max(0, width - longest - 30)
    named = f"{words.EXERCISE:<{longest}}  {words.POINTS:>8} {words.TRIES:>6}  {words.NEEDS}"
    lines = [Line(f"     {named}", "bold")]
    for exercise in exercises:
        standing = progress.of(exercise.name)
        sign = "✓" if standing.done else "·" if standing.attempts else " "
        mark = ">" if exercise.name == chosen else " "
        earned = f"{standing.points:g}/{points[exercise.name]:g}"
        needs = shortened(", ".join(exercise.needs) or "-", room)
        text = f" {mark} {sign} {exercise.name:<{longest}}  {earned:>8} {standing.attempts:>6}  "
        style = "good" if standing.done else "bold" if exercise.name == chosen else ""
        lines.append(Line(text + needs, style))
    return lines


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
        sign = "✓" if passed(report) else "✗"
        text = f"{sign} {report.name:<24} {_score(report)}"
        if report.name in worse:
            text += f"  {words.PASSED_BEFORE}"
        lines.append(Line(shortened(text, width), _STYLE_OF_SIGN[sign]))
    done = sum(passed(report) for report in reports)
    said = words.EXERCISES_PASS.format(done=done, total=len(reports))
    return [*lines, Line(""), Line(said, "bold")]


def finale_lines(progress: Progress, names: Sequence[str], width: int) -> list[Line]:
    """Everything passes, and was checked again a moment ago."""
    art = ["█ " * (row + 1) + "· " * (8 - row - 1) for row in range(8)]
    lines = [Line(""), *[Line(f"      {row}", "good") for row in art], Line("")]
    lines += _wrapped(words.BUILT.format(total=len(names)), width, "bold")
    for text in _looking_back([progress.of(name) for name in names]):
        lines += _wrapped(text, width, "")
    return lines + _wrapped(words.FROM_HERE, width, "")


def _looking_back(standings: Sequence[Standing]) -> Iterator[str]:
    """What it took, and when it was, if it took several days."""
    yield words.EARNED.format(
        points=sum(s.points for s in standings),
        attempts=sum(s.attempts for s in standings),
        hints=sum(s.hints for s in standings),
    )
    days = sorted(s.passed_at[:10] for s in standings if s.passed_at)
    if len(set(days)) > 1:
        yield words.DAYS.format(first=days[0], last=days[-1])


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def tally(report: ExerciseReport) -> str:
    """How many checks pass, and what they are worth."""
    return words.SOME_PASS.format(
        right=sum(verdict.outcome in DONE for verdict in report.verdicts),
        total=len(report.verdicts),
        points=report.score,
        most=report.max_score,
    )


def _score(report: ExerciseReport) -> str:
    return words.SCORE.format(points=report.score, most=report.max_score)


# Parts of the main screen --------------------------------------------------------------------


def _head(sight: Sight, size: Size) -> list[Line]:
    names, exercise = list(sight.names), sight.exercise
    number = names.index(exercise.name) + 1
    right = words.PLACE_IN_COURSE.format(number=number, total=len(names))
    left = shortened(f"{exercise.name} · {exercise.title}", size.width - len(right) - 1)
    title = Line(f"{left:<{size.width - len(right)}}{right}", "bold")
    room = size.width - len(words.OPEN.format(place=""))
    place = sight.place if len(sight.place) <= room else "…" + sight.place[1 - room :]
    return [title, Line(words.OPEN.format(place=place), "dim")]


def _body(sight: Sight, width: int) -> list[Line]:
    report = sight.report
    assert report is not None
    if not sight.is_there:
        return hung(words.NOT_IN_FOLDER.format(name=sight.exercise.name), width)
    if all(verdict.outcome in DONE for verdict in report.verdicts):
        return _passed(sight, report, width)
    return _failed(sight, report, width)


def _passed(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    said = words.ALL_PASS.format(count=len(report.verdicts), points=report.score)
    lines = [Line(said + _took(sight), "good")]
    lines += [line for a in advice_on(report) for line in hung(f"  → {a}", width)]
    return [*lines, Line(""), *_onward(sight, width)]


def _failed(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    """How many pass, the first failure in full, and whatever it does not explain."""
    lines = [Line(tally(report) + _took(sight), "bold"), *_right(report), *_wrong(report, width)]
    refused = dict.fromkeys(text for v in report.verdicts for text in v.refused)
    lines += [line for t in refused for line in hung(words.REFUSED.format(attempt=t), width)]
    return lines + _wrapped(sight.not_run, width, "dim")


def _right(report: ExerciseReport) -> list[Line]:
    count = sum(verdict.outcome in DONE for verdict in report.verdicts)
    said = words.ONE_PASSES if count == 1 else words.MORE_PASS.format(count=count)
    return [Line(said, "good")] if count else []


def _wrong(report: ExerciseReport, width: int) -> list[Line]:
    first, *others = [v for v in report.verdicts if v.outcome not in DONE]
    different = [v for v in others if v.cause != first.cause]
    lines = _told(first, width)
    if same := len(others) - len(different):
        lines.append(Line(f"    {same_stops(same)}", "dim"))
    return lines + [_folded(verdict, width) for verdict in different]


def _took(sight: Sight) -> str:
    return f" {words.TOOK.format(seconds=sight.seconds)}" if sight.seconds else ""


def _onward(sight: Sight, width: int) -> list[Line]:
    said = [words.SOLUTION_BESIDE] if sight.has_solution else []
    said.append(
        words.ON_TO.format(name=sight.next_name) if sight.next_name else words.ALL_ONCE_MORE
    )
    return _wrapped(" ".join(said), width, "hint")


def _told(verdict: Verdict, width: int) -> list[Line]:
    return [line for text in verdict_lines(verdict) for line in hung(text, width)]


def _folded(verdict: Verdict, width: int) -> Line:
    sign = SIGNS[verdict.outcome]
    text = shortened(f"{sign} {verdict.check.sentence}", width)
    return Line(text, _STYLE_OF_SIGN.get(sign, ""))


def _hints(sight: Sight, width: int) -> list[Line]:
    shown, hints = sight.progress.of(sight.exercise.name).hints, sight.exercise.hints
    if not shown or sight.progress.of(sight.exercise.name).done:
        return []
    shown = min(shown, len(hints))
    said = words.HINT_OF.format(number=shown, total=len(hints), hint=hints[shown - 1])
    return hung(said, width)


def _foot(sight: Sight, size: Size) -> list[Line]:
    if sight.question:
        return [Line(""), *_wrapped(sight.question, size.width, "warn")]
    done = sum(sight.progress.of(name).done for name in sight.names)
    cells = round(20 * done / len(sight.names))
    bar = "█" * cells + "░" * (20 - cells)
    progress = words.PROGRESS.format(bar=bar, done=done, total=len(sight.names))
    state = sight.busy or progress
    style = "hint" if sight.busy else "dim"
    return [Line(""), Line(shortened(state, size.width), style), *_keys(sight, size.width)]


def _keys(sight: Sight, width: int) -> list[Line]:
    standing = sight.progress.of(sight.exercise.name)
    keys = [words.NEXT_KEY] if standing.done else []
    if not standing.done and standing.hints < len(sight.exercise.hints):
        keys.append(words.NEXT_HINT_KEY if standing.hints else words.HINT_KEY)
    keys += [words.LIST_KEY, words.CHECK_ALL_KEY, words.RESET_KEY]
    if standing.passed_at and sight.has_solution:
        keys.append(words.SOLUTION_KEY)
    keys += [words.MORE_KEY, words.QUIT_KEY]
    unbroken = "  ".join(key.replace(" ", "\0") for key in keys)
    lines = textwrap.wrap(unbroken, width, break_on_hyphens=False)
    return [Line(line.replace("\0", " "), "bold") for line in lines]


def hung(text: str, width: int) -> list[Line]:
    """A line that, when it must be broken, goes on under its own beginning."""
    inner = text.lstrip()
    style = _STYLE_OF_SIGN.get(inner[:1], "")
    hang = " " * (len(text) - len(inner) + 2 * bool(style))
    broken = textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)
    return [Line(part, style) for part in broken]


def _wrapped(text: str, width: int, style: str) -> list[Line]:
    return [Line(part, style) for part in textwrap.wrap(text, width)]


def _column(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in text.expandtabs(4).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines += textwrap.wrap(line, width, subsequent_indent=indent) or [""]
    return lines
