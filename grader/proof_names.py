"""Leave one out: what is a wrong program told that nobody has described?

Every misconception is examined with its own entry taken out of the bank. Whatever name it is given
then is another's, and false unless that one gives the same answers in every check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from grader.course.course import Course
from grader.examiner.collection import collected
from grader.examiner.examination import Finding, find, taught
from grader.model import Exercise, Outcome, Verdict
from grader.programs.bank import Entry
from grader.programs.program import LocalProgram

SEED = 20_170_612


@dataclass
class LeftOut:
    """Of the misconceptions of some exercises, by name ``exercise: misconception``: which are named
    by another entry, and by which; and which are told a pattern, a hint, or what to do.
    """

    rejected: int = 0
    named: dict[str, str] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    nothing: list[str] = field(default_factory=list)

    def add(self, name: str, verdicts: Sequence[Verdict]) -> None:
        """Take down what one misconception is told; of several things the most telling."""
        failed = [v for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)]
        if not failed:
            return
        self.rejected += 1
        names = {v.misconception for v in failed if v.misconception}
        if names:
            self.named[name] = " and ".join(sorted(names))
        elif any(v.cause is not None and v.cause.facts.get("pattern") for v in failed):
            self.patterns.append(name)
        elif any(v.lesson for v in failed):
            self.hints.append(name)
        else:
            self.nothing.append(name)

    def __str__(self) -> str:
        counts = {
            "named by another entry": len(self.named),
            "told a pattern": len(self.patterns),
            "told a hint of the function": len(self.hints),
            "told what the check found, and no more": len(self.nothing),
        }
        lines = [f"{self.rejected} rejected"]
        return "\n".join([*lines, *(f"  {count:5} {what}" for what, count in counts.items())])


def leave_one_out(course: Course, exercise: Exercise, into: LeftOut, seed: int = SEED) -> None:
    """Examine every misconception of an exercise without its own entry."""
    suite = collected(course, [exercise]).of(exercise)
    only = [c.check.name for c in suite.checks if not c.clocked]
    bank = suite.misconceptions

    def shown(entry: Entry) -> list[Finding]:
        program = LocalProgram(partial(entry.applied_to, suite.reference))
        return find(suite, program, seed, only=only, entry=entry)

    found = {entry.name: shown(entry) for entry in bank}  # all of them, then nothing runs twice
    for entry in bank:
        others = [other for other in bank if other is not entry]
        into.add(f"{exercise.name}: {entry.name}", taught(suite, found[entry.name], others))
