"""The main screen of a watching learner, as lines: pure, for any size."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from grader.learner import words
from grader.learner.lines import (
    STYLE_OF_SIGN,
    Line,
    Size,
    hint_lines,
    hung,
    shortened,
    told,
    wrapped,
)
from grader.learner.progress import Progress
from grader.model import Check, Exercise, ExerciseReport, Outcome, Verdict
from grader.report.feedback import SIGNS, advice_on, attempts, same_line, same_stops
from grader.report.words import score_words

DONE = (Outcome.PASSED, Outcome.SKIPPED)


@dataclass(frozen=True)
class Sight:
    """Everything the main screen is made of."""

    exercise: Exercise
    place: str
    progress: Progress
    names: Sequence[str]
    report: ExerciseReport | None = None
    left_out: Sequence[Check] = ()
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
    extra = _hints(sight, size.width) + wrapped(sight.notice, size.width, "warn")
    shown = fitted(result, max(3, room - len(extra))) + extra
    return [*head, *shown[:room], *foot]


def fitted(lines: list[Line], room: int) -> list[Line]:
    """Cut to ``room`` lines; the last one then says that there is more."""
    if len(lines) <= room:
        return lines
    more = words.MORE_LINES.format(count=len(lines) - room + 1)
    return [*lines[: room - 1], Line(more, "dim")]


def tally(report: ExerciseReport, left_out: Sequence[Check] = ()) -> str:
    """How many checks pass, and what they are worth; those that were ``left_out`` count too."""
    return words.SOME_PASS.format(
        right=sum(verdict.outcome in DONE for verdict in report.verdicts),
        total=len(report.verdicts) + len(left_out),
        points=score_words(report.score),
        most=report.max_score + sum(check.max_points for check in left_out),
    )


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
    count = len(report.verdicts)
    template = words.THE_ONLY_ONE_PASSES if count == 1 else words.ALL_PASS
    said = template.format(count=count, points=report.earned)
    lines = [Line(said + _took(sight), "good")]
    lines += [line for a in advice_on(report) for line in hung(f"  → {a}", width)]
    return [*lines, Line(""), *_onward(sight, width)]


def _failed(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    """How many pass, the first failure in full, and whatever it does not explain."""
    lines = [
        Line(tally(report, sight.left_out) + _took(sight), "bold"),
        *_right(report),
        *_wrong(report, width),
    ]
    lines += [
        line
        for t in attempts(report.verdicts)
        for line in hung(words.REFUSED.format(attempt=t), width)
    ]
    return lines + wrapped(_not_run(len(sight.left_out)), width, "dim")


def _not_run(count: int) -> str:
    if count == 0:
        return ""
    return words.ONE_LEFT_OUT if count == 1 else words.LEFT_OUT.format(count=count)


def _right(report: ExerciseReport) -> list[Line]:
    count = sum(verdict.outcome in DONE for verdict in report.verdicts)
    said = words.ONE_PASSES if count == 1 else words.MORE_PASS.format(count=count)
    return [Line(said, "good")] if count else []


def _wrong(report: ExerciseReport, width: int) -> list[Line]:
    first, *others = [v for v in report.verdicts if v.outcome not in DONE]
    different = [v for v in others if v.cause != first.cause and not same_line(first, v)]
    lines = told(first, width)
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
    return wrapped(" ".join(said), width, "hint")


def _folded(verdict: Verdict, width: int) -> Line:
    sign = SIGNS[verdict.outcome]
    text = shortened(f"{sign} {verdict.check.sentence}", width)
    return Line(text, STYLE_OF_SIGN.get(sign, ""))


def _hints(sight: Sight, width: int) -> list[Line]:
    shown = sight.progress.of(sight.exercise.name).hints
    if not shown or sight.progress.of(sight.exercise.name).done:
        return []
    return hint_lines(sight.exercise, min(shown, len(sight.exercise.hints)), width)


def _foot(sight: Sight, size: Size) -> list[Line]:
    if sight.question:
        return [Line(""), *wrapped(sight.question, size.width, "warn")]
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
