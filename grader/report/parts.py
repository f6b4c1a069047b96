"""The core of an exercise and what makes it robust, told apart; and the way through the core.

The core is the idea. A core check that is right when it is asked first, and wrong when it is asked
again (in another dtype, in a deep copy), earns no points and leaves the core green: the idea is
there. A course that marks no check as core, and a report of before there were any, has one part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from grader.model import ExerciseReport, Outcome, Report, Verdict, function_of, total
from grader.report.words import score_words

DONE = (Outcome.PASSED, Outcome.SKIPPED)
SLIPS = (Outcome.FAILED, Outcome.ERROR)  # what a known mistake explains; a crash it does not
TOGETHER = 2  # misconceptions at most, beside which nothing else may be wrong
CORE = "Core: {right} of {count} right{carried}, {points} of {most:g} points"
AGAIN_ONE = " (one of them is right at first, but not in every way it is asked: below)"
AGAIN_MORE = " ({again} of them are right at first, but not in every way they are asked: below)"
ROBUST = "Robust: {right} of {count} right{carried}, {points} of {most:g} points"
CARRIED = ", {count} carried"  # right but for a mistake that is told elsewhere
CORE_PART, ROBUST_PART = "core", "robust"


@dataclass(frozen=True)
class Part:
    """So many of the checks of one part are ``right``; ``again`` of these only when they are asked
    first. Of the others so many are ``carried``. Without ``points`` where one has no verdict.
    """

    right: int
    count: int
    points: float | None
    max_points: float
    again: int = 0
    carried: int = 0

    @property
    def done(self) -> bool:
        return self.right == self.count

    def said(self, template: str) -> str:
        """In words."""
        return template.format(
            right=self.right,
            count=self.count,
            carried=CARRIED.format(count=self.carried) if self.carried else "",
            points=score_words(self.points),
            most=self.max_points,
        )


@dataclass(frozen=True)
class Parts:
    """Of an exercise that has a core, and more."""

    core: Part
    robust: Part


def core_words(parts: Parts) -> str:
    """How the core stands."""
    again = parts.core.again
    more = AGAIN_ONE if again == 1 else AGAIN_MORE.format(again=again)
    return parts.core.said(CORE) + (more if again else "")


def robust_words(parts: Parts) -> str:
    """How the rest stands."""
    return parts.robust.said(ROBUST)


def is_core(verdict: Verdict) -> bool:
    """Whether it is told with the core: not if the idea is there, and it fails all the same."""
    return verdict.check.core and not verdict.right_at_first


def is_unwritten(verdict: Verdict) -> bool:
    """Whether it came to a line that is not written yet, or to a function that is given wrong and
    still as it was; or fails just as a page does that is right as far as it is written.
    """
    cause = verdict.cause
    late = {"as_given", "written_up_to"}
    return cause is not None and (cause.kind == "unwritten" or not late.isdisjoint(cause.facts))


def unused(verdict: Verdict, among: Sequence[Verdict]) -> tuple[str, ...]:
    """The arguments that a failed check gave and that the function never uses, where the turn of
    its next step has not come: it is written in several, and of one of them the core is open.
    """
    ends: Any = verdict.cause.facts.get("loose_ends") if verdict.cause else ()
    ends = [end for end in ends or () if end["kind"] == "unused_argument"]
    stepwise = _written_stepwise(among) if ends else frozenset()
    return tuple(end["name"] for end in ends if function_of(end["of"]) in stepwise)


def waits(verdict: Verdict, among: Sequence[Verdict]) -> bool:
    """Whether its turn has not come, among all of its exercise."""
    late = is_unwritten(verdict) or bool(unused(verdict, among))
    return late or _comes_early(verdict, among)


def _comes_early(verdict: Verdict, among: Sequence[Verdict]) -> bool:
    """Whether a robust check says in its own words what fails, and nobody knows why, while its
    function is not written to the end: that may be why, unless it was found to be of no step.
    Where one call is compared, what it was given says whether it is.
    """
    cause = verdict.cause
    if verdict.check.core or verdict.misconception or verdict.outcome is not Outcome.FAILED:
        return False
    if cause is None or cause.kind != "said" or "of" not in cause.facts:
        return False
    if not cause.facts.keys().isdisjoint(("mend", "of_no_step")):
        return False
    begun = [v for v in among if v.check.core and (is_unwritten(v) or unused(v, among))]
    unfinished = {function_of(v.check.step) for v in begun} & _written_stepwise(among)
    return function_of(str(cause.facts["of"])) in unfinished


def _written_stepwise(verdicts: Sequence[Verdict]) -> frozenset[str]:
    """The functions with several steps, one of which is not right yet, and not known as wrong."""
    steps = {v.check.step for v in verdicts if v.check.core and v.check.step}
    known = {v.check.step for v in verdicts if v.check.core and v.misconception}
    still = {v.check.step for v in verdicts if v.check.core and not is_right(v)} - known
    several = Counter(map(function_of, steps))
    return frozenset(name for name in map(function_of, still & steps) if several[name] > 1)


def is_right(verdict: Verdict) -> bool:
    """Whether a check is content; of a core check, whether the idea is there."""
    return verdict.outcome in DONE or verdict.right_at_first


def parts_of(verdicts: Iterable[Verdict]) -> Parts | None:
    """Both parts; None where there is but one."""
    found = list(verdicts)
    core = [verdict for verdict in found if verdict.check.core]
    robust = [verdict for verdict in found if not verdict.check.core]
    return Parts(part_of(core), part_of(robust)) if core and robust else None


def part_of(verdicts: Sequence[Verdict]) -> Part:
    """These checks together."""
    unknown = any(verdict.outcome is Outcome.INTERNAL for verdict in verdicts)
    return Part(
        right=sum(map(is_right, verdicts)),
        count=len(verdicts),
        points=None if unknown else total(verdict.points for verdict in verdicts),
        max_points=total(verdict.max_points for verdict in verdicts),
        again=sum(verdict.right_at_first for verdict in verdicts),
        carried=sum(verdict.outcome is Outcome.CARRIED for verdict in verdicts),
    )


def has_the_core(report: ExerciseReport) -> bool:
    """Whether the idea is there. Where a check never ended, others may have been left out; and
    where none is marked as core, all must pass.
    """
    verdicts = report.verdicts
    if any(verdict.outcome is Outcome.TIMEOUT for verdict in verdicts):
        return False
    core = [verdict for verdict in verdicts if verdict.check.core] or verdicts
    return bool(core) and all(map(is_right, core))


def part_names(verdicts: Sequence[Verdict]) -> list[str]:
    """Of which part each check is, core or robust, whatever became of it; all empty where the
    course marks no core.
    """
    if parts_of(verdicts) is None:
        return [""] * len(verdicts)
    return [CORE_PART if verdict.check.core else ROBUST_PART for verdict in verdicts]


def part_in(report: Report, verdict: Verdict) -> str:
    """The same of one check of a report."""
    own = next(e.verdicts for e in report.exercises if e.name == verdict.check.exercise)
    return part_names(own)[own.index(verdict)]


def led(verdicts: Sequence[Verdict], steps: Sequence[str] = ()) -> list[Verdict]:
    """In the order in which they are best mended: the core step by step, then all else."""
    order = {step: place for place, step in enumerate(steps)}

    def place(verdict: Verdict) -> tuple[bool, int]:
        core = is_core(verdict)
        return not core, order.get(verdict.check.step, len(order)) if core else 0

    return sorted(verdicts, key=place)


def next_step(verdicts: Sequence[Verdict], steps: Sequence[str]) -> str:
    """The first step of which not all is right, but for what follows from a mistake that is told
    elsewhere; empty when there is none.
    """
    open_ones = [v for v in verdicts if not is_right(v) and v.outcome is not Outcome.CARRIED]
    wrong = {v.check.step for v in open_ones if v.check.core}
    return next((step for step in steps if step in wrong), "")


def in_the_way(verdicts: Sequence[Verdict], step: str) -> str:
    """The module that all that is not right of a step waits for; empty where there is none."""
    wrong = [v for v in verdicts if v.check.step == step and is_core(v) and not is_right(v)]
    others = {v.cause.facts.get("other") if v.cause else None for v in wrong}
    blocked = all(v.outcome is Outcome.BLOCKED for v in wrong)
    return str(others.pop() or "") if blocked and len(others) == 1 else ""


def is_to_be_written(verdicts: Sequence[Verdict], step: str) -> bool:
    """Whether something of a step's core is not written yet: otherwise what is wrong in it may be
    the doing of an earlier one.
    """
    return any(v.check.step == step and is_core(v) and waits(v, verdicts) for v in verdicts)


def wrong_besides(verdicts: Sequence[Verdict], step: str) -> list[Verdict]:
    """What makes it robust and fails in what is written already, while of the ``step`` at hand
    nothing is; if something is, that comes first.
    """
    at_hand = [v for v in verdicts if v.check.step == step and is_core(v) and not is_right(v)]
    if not all(waits(v, verdicts) for v in at_hand):
        return []
    told = (*DONE, Outcome.CARRIED, Outcome.INTERNAL)
    open_ones = [v for v in verdicts if not is_core(v) and v.outcome not in told]
    return [v for v in open_ones if not waits(v, verdicts)]
