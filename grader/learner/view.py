"""What a watching learner sees, as lines of text with a style each: pure, for any size."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from grader.learner.pairs import Pair
from grader.learner.progress import Progress, passed
from grader.model import Exercise, ExerciseReport, Outcome, Verdict
from grader.report.feedback import SIGNS, advice_on, verdict_lines

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
    lines = [Line(f"{report.name}  {report.score:g} of {report.max_score:g} points", "bold")]
    for verdict in report.verdicts:
        lines += _told(verdict, width)
    for number, hint in enumerate(hints, start=1):
        lines += hung(f"→ Hint {number}: {hint}", width)
    return lines


def fitted(lines: list[Line], room: int) -> list[Line]:
    """Cut to ``room`` lines; the last one then says that there is more."""
    if len(lines) <= room:
        return lines
    left_out = len(lines) - room + 1
    return [*lines[: room - 1], Line(f"  … {left_out} more lines: m shows all", "dim")]


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
    lines = [Line(f"     {'exercise':<{longest}}  {'points':>8} {'tries':>6}  needs", "bold")]
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
    lines = [Line(f"{'yours':<{half}} │ the solution", "bold")]
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
        text = f"{sign} {report.name:<24} {report.score:g} of {report.max_score:g} points"
        back = "  (it passed before)" if report.name in worse else ""
        lines.append(Line(shortened(text + back, width), _STYLE_OF_SIGN[sign]))
    done = sum(passed(report) for report in reports)
    return [*lines, Line(""), Line(f"{done} of {len(reports)} exercises pass.", "bold")]


def finale_lines(progress: Progress, names: Sequence[str], width: int) -> list[Line]:
    """Everything passes, and was checked again a moment ago."""
    standings = [progress.of(name) for name in names]
    points = sum(s.points for s in standings)
    attempts, hints = sum(s.attempts for s in standings), sum(s.hints for s in standings)
    days = sorted(s.passed_at[:10] for s in standings if s.passed_at)
    art = ["█ " * (row + 1) + "· " * (8 - row - 1) for row in range(8)]
    lines = [Line(""), *[Line(f"      {row}", "good") for row in art], Line("")]
    said = [
        f"You built the Transformer: all {len(names)} exercises, checked again just now.",
        f"{points:g} points in {attempts} attempts, with {hints} hints.",
        f"The first on {days[0]}, the last on {days[-1]}." if len(set(days)) > 1 else "",
        "From a softmax to a GPT, every line of it is yours. Nothing in it may look into the "
        "future, but you may: take your gpt.py, give it a text you like, and train it.",
    ]
    for text in said:
        lines += _wrapped(text, width, "bold" if text is said[0] else "")
    return lines


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def tally(report: ExerciseReport) -> str:
    """How many checks pass, and what they are worth."""
    right = sum(verdict.outcome in DONE for verdict in report.verdicts)
    return (
        f"{right} of {len(report.verdicts)} checks pass, "
        f"{report.score:g} of {report.max_score:g} points"
    )


# Parts of the main screen --------------------------------------------------------------------


def _head(sight: Sight, size: Size) -> list[Line]:
    names, exercise = list(sight.names), sight.exercise
    right = f"exercise {names.index(exercise.name) + 1} of {len(names)}"
    left = shortened(f"{exercise.name} · {exercise.title}", size.width - len(right) - 1)
    lines = [Line(f"{left:<{size.width - len(right)}}{right}", "bold")]
    room = size.width - len("Open ")
    place = sight.place if len(sight.place) <= room else "…" + sight.place[1 - room :]
    lines.append(Line(f"Open {place}", "dim"))
    return lines


def _body(sight: Sight, width: int) -> list[Line]:
    report = sight.report
    assert report is not None
    right = [v for v in report.verdicts if v.outcome in DONE]
    wrong = [v for v in report.verdicts if v.outcome not in DONE]
    if not sight.is_there:
        page = f"{sight.exercise.name}.py"
        return hung(f"✗ {page} is not in this folder. x puts a fresh one there.", width)
    took = f" ({sight.seconds:.2f} s)" if sight.seconds else ""
    if not wrong:
        lines = [Line(f"✓ All {len(right)} checks pass: {report.score:g} points.{took}", "good")]
        lines += [line for a in advice_on(report) for line in hung(f"  → {a}", width)]
        return [*lines, Line(""), *_onward(sight, width)]
    lines = [Line(tally(report) + took, "bold")]
    if right:
        lines.append(Line(f"✓ {len(right)} {'check' if len(right) == 1 else 'checks'}", "good"))
    lines += _told(wrong[0], width)
    same = [v for v in wrong[1:] if v.cause == wrong[0].cause]
    if same:
        text = f"    The same stops {len(same)} more {'check' if len(same) == 1 else 'checks'}."
        lines.append(Line(text, "dim"))
    lines += [_folded(v, width) for v in wrong[1:] if v.cause != wrong[0].cause]
    refused = dict.fromkeys(text for v in report.verdicts for text in v.refused)
    lines += [line for t in refused for line in hung(f"! not allowed here: {t}", width)]
    return lines + _wrapped(sight.not_run, width, "dim")


def _onward(sight: Sight, width: int) -> list[Line]:
    solution = "s shows the solution beside yours. " if sight.has_solution else ""
    if sight.next_name:
        onward = f"n goes on to {sight.next_name}."
    else:
        onward = "That was the last one: n checks everything once more."
    return _wrapped(solution + onward, width, "hint")


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
    return hung(f"→ Hint {shown} of {len(hints)}: {hints[shown - 1]}", width)


def _foot(sight: Sight, size: Size) -> list[Line]:
    if sight.question:
        return [Line(""), *_wrapped(sight.question, size.width, "warn")]
    done = sum(sight.progress.of(name).done for name in sight.names)
    cells = round(20 * done / len(sight.names))
    bar = "█" * cells + "░" * (20 - cells)
    state = sight.busy or f"{bar} {done} of {len(sight.names)} exercises done"
    style = "hint" if sight.busy else "dim"
    return [Line(""), Line(shortened(state, size.width), style), *_keys(sight, size.width)]


def _keys(sight: Sight, width: int) -> list[Line]:
    standing = sight.progress.of(sight.exercise.name)
    keys = ["n next"] if standing.done else []
    if not standing.done and standing.hints < len(sight.exercise.hints):
        keys.append("h next hint" if standing.hints else "h hint")
    keys += ["l list", "c check all", "x reset"]
    if standing.passed_at and sight.has_solution:
        keys.append("s solution")
    unbroken = "  ".join(key.replace(" ", "\0") for key in [*keys, "m more", "q quit"])
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
