"""The main screen of a watching learner, as lines: pure, for any size."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from grader.course.steps import step_of, step_words
from grader.learner import words
from grader.learner.lines import (
    STYLE_OF_SIGN,
    Line,
    Size,
    hint_lines,
    hints_shown,
    hung,
    next_hint,
    shortened,
    told,
    wrapped,
)
from grader.learner.progress import Progress, Standing
from grader.model import Check, Exercise, ExerciseReport, Outcome, Verdict
from grader.report.closing import closing_lines
from grader.report.feedback import SIGNS, advice_on, attempts, same_line, same_stops
from grader.report.follow_through import follow_words
from grader.report.lost import lost_line
from grader.report.parts import DONE, has_the_core, is_core, is_right, led, next_step, wrong_besides
from grader.report.words import score_words


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
    has_predictions: bool = False
    question: str = ""
    can_be_seen: bool = False
    function: str = ""  # that the first failure is about


def main_lines(sight: Sight, size: Size) -> list[Line]:
    """Head, result, hints, keys; no taller than the terminal, keys always in sight."""
    head, foot = _head(sight, size), _foot(sight, size)
    room = max(3, size.rows - 1 - len(head) - len(foot))
    result = _body(sight, size.width) if sight.report else []
    offer = [Line(words.SEE_IT, "hint")] if sight.can_be_seen else []
    extra = offer + _hints(sight, size.width) + wrapped(sight.notice, size.width, "warn")
    shown = fitted(result, max(3, room - len(extra))) + extra
    return [*head, *shown[:room], *foot]


def fitted(lines: list[Line], room: int) -> list[Line]:
    """Cut to ``room`` lines; the last one then says that there is more."""
    if len(lines) <= room:
        return lines
    more = words.MORE_LINES.format(count=len(lines) - room + 1)
    return [*lines[: room - 1], Line(more, "dim")]


def tally(report: ExerciseReport, left_out: Sequence[Check] = ()) -> str:
    """How many checks pass, of the core and of the others if there is one, and what they are
    worth; those that were ``left_out`` count too.
    """
    checks = [*(verdict.check for verdict in report.verdicts), *left_out]
    cores = sum(check.core for check in checks)
    core = sum(is_right(verdict) for verdict in report.verdicts if verdict.check.core)
    robust = sum(v.outcome in DONE for v in report.verdicts if not v.check.core)
    points = {
        "points": score_words(report.score),
        "most": report.max_score + sum(check.max_points for check in left_out),
    }
    others = len(checks) - cores
    if not (cores and others):
        return words.SOME_PASS.format(right=core + robust, total=len(checks), **points)
    return words.PARTS.format(core=core, cores=cores, robust=robust, robusts=others, **points)


# Parts of the main screen --------------------------------------------------------------------


def _head(sight: Sight, size: Size) -> list[Line]:
    names, exercise = list(sight.names), sight.exercise
    number = names.index(exercise.name) + 1
    right = words.PLACE_IN_COURSE.format(number=number, total=len(names))
    left = shortened(f"{exercise.name} · {exercise.title}", size.width - len(right) - 1)
    title = Line(f"{left:<{size.width - len(right)}}{right}", "bold")
    room = size.width - len(words.OPEN.format(place=""))
    place = sight.place if len(sight.place) <= room else "…" + sight.place[1 - room :]
    return [title, Line(words.OPEN.format(place=place), "dim"), *_step(sight, size)]


def _step(sight: Sight, size: Size) -> list[Line]:
    """The step of the core that is at hand, while there is one."""
    steps, report = sight.exercise.steps, sight.report
    step = next_step(report.verdicts, steps) if report is not None else ""
    if not step:
        return []
    of, named = step_of(step), step_words(step)
    template = words.STEP if of == named else words.STEP_OF
    said = template.format(number=steps.index(step) + 1, total=len(steps), step=named, of=of)
    return [Line(shortened(said, size.width), "hint")]


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
    closing = [part for text in closing_lines(sight.exercise, report) for part in hung(text, width)]
    return [*lines, Line(""), *_onward(sight, width), Line(""), *closing]


def _failed(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    """How many pass, the first failure in full, and whatever it does not explain."""
    lines = [
        Line(tally(report, sight.left_out) + _took(sight), "bold"),
        *_right(report),
        *_lost(sight, report, width),
        *_carried(report, width),
        *_wrong(sight, report, width),
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


def _lost(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    """What the missing points are for; not before every check was taken."""
    return [] if sight.left_out else wrapped(lost_line(report), width, "dim")


def _carried(report: ExerciseReport, width: int) -> list[Line]:
    """How much fails only because of what is told below, or of another module."""
    said = follow_words(report)
    told_below = any(verdict.outcome not in (*DONE, Outcome.CARRIED) for verdict in report.verdicts)
    lines = [] if told_below or not said else hung(f"  {said[0]}", width)
    return lines + [line for text in said[1:] for line in wrapped(text, width, "dim")]


def _wrong(sight: Sight, report: ExerciseReport, width: int) -> list[Line]:
    """While the core is not right, what its first step lacks, and if that is not written yet, what
    is wrong before it; then all else that fails.
    """
    steps = sight.exercise.steps
    wrong = led([v for v in report.verdicts if v.outcome not in (*DONE, Outcome.CARRIED)], steps)
    at_hand = [v for v in wrong if is_core(v)]
    if steps:
        step = next_step(at_hand, steps)
        at_hand = [v for v in at_hand if v.check.step == step]
    if at_hand:
        besides = wrong_besides(report.verdicts, step)[:1] if steps else []
        shown = _first_in_full(at_hand, width) + [line for v in besides for line in told(v, width)]
        return shown + _later([v for v in wrong if v not in (*at_hand, *besides)], width)
    has_core = any(verdict.check.core for verdict in report.verdicts)
    done = has_core and has_the_core(report) and not sight.left_out
    lines = [Line(words.CORE_PASSES, "good")] if done else []
    return lines + _first_in_full(wrong, width)


def _first_in_full(wrong: Sequence[Verdict], width: int) -> list[Line]:
    first, *others = wrong
    different = [v for v in others if v.cause != first.cause and not same_line(first, v)]
    lines = told(first, width)
    if same := len(others) - len(different):
        lines.append(Line(f"    {same_stops(same)}", "dim"))
    return lines + [_folded(verdict, width) for verdict in different]


def _later(wrong: Sequence[Verdict], width: int) -> list[Line]:
    """How much more is to be mended, of which nothing is said yet."""
    core = sum(is_core(verdict) for verdict in wrong)
    robust = len(wrong) - core
    of_core = words.LATER_CORE_ONE if core == 1 else words.LATER_CORE.format(count=core)
    others = words.LATER_ROBUST_ONE if robust == 1 else words.LATER_ROBUST.format(count=robust)
    parts = [said for said, count in ((of_core, core), (others, robust)) if count]
    return wrapped(words.LATER.format(parts=", ".join(parts)), width, "dim") if parts else []


def _took(sight: Sight) -> str:
    return f" {words.TOOK.format(seconds=sight.seconds)}" if sight.seconds else ""


def _onward(sight: Sight, width: int) -> list[Line]:
    said = [words.SOLUTION_BESIDE] if sight.has_solution else []
    name = sight.next_name
    template = words.BACK_TO if sight.progress.of(name).core else words.ON_TO
    said.append(template.format(name=name) if name else words.ALL_ONCE_MORE)
    return wrapped(" ".join(said), width, "hint")


def _folded(verdict: Verdict, width: int) -> Line:
    sign = SIGNS[verdict.outcome]
    text = shortened(f"{sign} {verdict.check.sentence}", width)
    return Line(text, STYLE_OF_SIGN.get(sign, ""))


def _hints(sight: Sight, width: int) -> list[Line]:
    """The last one that was shown of the function at hand."""
    standing = sight.progress.of(sight.exercise.name)
    shown = hints_shown(sight.exercise, standing.hints, sight.function)
    if not shown or standing.done:
        return []
    return hint_lines(sight.exercise, shown[-1], width, sight.function)


def _foot(sight: Sight, size: Size) -> list[Line]:
    if sight.question:
        return [Line(""), *wrapped(sight.question, size.width, "warn")]
    progress = _progress([sight.progress.of(name) for name in sight.names])
    state = sight.busy or progress
    style = "hint" if sight.busy else "dim"
    return [Line(""), Line(shortened(state, size.width), style), *_keys(sight, size.width)]


def _progress(standings: Sequence[Standing]) -> str:
    """Whole exercises, and behind them cores."""
    total = len(standings)
    done, core = sum(one.done for one in standings), sum(one.core for one in standings)
    cells, of_cores = round(20 * done / total), round(20 * core / total)
    bar = "█" * cells + "▒" * (of_cores - cells) + "░" * (20 - max(of_cores, cells))
    return words.PROGRESS.format(bar=bar, core=core, done=done, total=total)


def _keys(sight: Sight, width: int) -> list[Line]:
    standing = sight.progress.of(sight.exercise.name)
    keys = [words.NEXT_KEY] if standing.core else []
    if not standing.done and next_hint(sight.exercise, standing.hints, sight.function):
        shown = hints_shown(sight.exercise, standing.hints, sight.function)
        keys.append(words.NEXT_HINT_KEY if shown else words.HINT_KEY)
    if sight.has_predictions and not standing.core:
        keys.append(words.ASK_KEY)
    keys += [words.LIST_KEY, words.CHECK_ALL_KEY, words.RESET_KEY]
    if standing.passed_at and sight.has_solution:
        keys.append(words.SOLUTION_KEY)
    keys += [words.PICTURE_KEY] if sight.can_be_seen else []
    keys += [words.MORE_KEY, words.QUIT_KEY]
    unbroken = "  ".join(key.replace(" ", "\0") for key in keys)
    lines = textwrap.wrap(unbroken, width, break_on_hyphens=False)
    return [Line(line.replace("\0", " "), "bold") for line in lines]
