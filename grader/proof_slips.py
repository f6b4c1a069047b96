"""The proof by automatic slips: whatever one changes in one place of a solution, its suite rejects
it, or ``equivalent.toml`` says why it is right all the same.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from grader.course.course import Course
from grader.examiner.slip_trial import Trials
from grader.model import Exercise
from grader.programs.slips.automatic import AutomaticSlip, Key, slips_of
from grader.programs.slips.equivalent import Mark, as_table, load_marks

SEEDS = (20_170_612, 20_170_613)  # the second for what depends on chance


@dataclass(frozen=True)
class Slips:
    """What became of an exercise's slips: ``made`` of them were tried.

    ``unexplained`` are neither rejected nor marked; ``faults`` are those of the marks, a sentence
    each.
    """

    exercise: str
    made: int
    rejected: int
    equivalent: int
    unexplained: tuple[AutomaticSlip, ...]
    faults: tuple[str, ...]

    @property
    def findings(self) -> list[str]:
        """What is to be mended, one sentence each; none means proved."""
        survivors = [
            f"{self.exercise}: no check rejects {_named(slip)}" for slip in self.unexplained
        ]
        return survivors + [f"{self.exercise}: {fault}" for fault in self.faults]


def try_slips(course: Course, exercise: Exercise, trials: Trials, share: int = 1) -> Slips:
    """Try the slips of a solution; of ``share`` slips one, the same in every run."""
    name = exercise.name
    slips = slips_of(course.solution(name).read_text(encoding="utf-8"))
    marks = load_marks(course.equivalent(name))
    marked = {mark.key for mark in marks}
    tried = [slip for slip in slips if int(slip.digest, 16) % share == 0]
    # A clock may be disturbed by others: it is no evidence against what is marked.
    asked = [(slip, slip.key not in marked) for slip in tried]
    found = dict(zip(tried, trials.rejecting(name, asked, SEEDS), strict=True))
    accepted = [slip for slip, check in found.items() if not check]
    unexplained = tuple(slip for slip in accepted if slip.key not in marked)
    wrongly = {slip.key: check for slip, check in found.items() if check and slip.key in marked}
    return Slips(
        exercise=name,
        made=len(tried),
        rejected=len(tried) - len(accepted),
        equivalent=len(accepted) - len(unexplained),
        unexplained=unexplained,
        faults=tuple(_stale(marks, {slip.key for slip in slips}, wrongly)),
    )


def survivor(course: Course, name: str, slip: AutomaticSlip) -> str:
    """An unexplained slip as its author reads it: what changes, and what to add to the file."""
    diff = slip.diff(course.solution(name).read_text(encoding="utf-8"), name)
    return f"{diff}\n{as_table(slip)}\n"


def _stale(marks: list[Mark], made: Collection[Key], wrongly: dict[Key, str]) -> list[str]:
    findings = [f"marked as equivalent without a reason: {mark}" for mark in marks if not mark.why]
    findings += [f"marked but no longer made: {m}" for m in marks if m.key not in made]
    keys = [mark.key for mark in marks]
    findings += [f"marked twice: {m}" for n, m in enumerate(marks) if m.key in keys[:n]]
    return findings + [
        f"marked but rejected by {wrongly[mark.key]}: {mark}"
        for mark in marks
        if mark.key in wrongly
    ]


def _named(slip: AutomaticSlip) -> str:
    return f"{slip.digest}, in {slip.function}: {slip.before!r} -> {slip.after!r}"
