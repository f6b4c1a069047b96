"""What is a wrong program told that nobody has described?

Leave one out: every misconception is examined with its own entry taken out of the bank. Whatever
name it is given then is another's, and false unless that one gives the same answers in every check.

Two at once: a page with two of them, in different places, may be told either or both, and nothing
else, whether both stand in the bank, one or none.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from types import CodeType
from typing import Any

from grader.course.course import Course
from grader.errors import SuiteError
from grader.examiner.collection import collected
from grader.examiner.finding import Finding, find
from grader.examiner.suite import Suite
from grader.examiner.telling import taught
from grader.model import Exercise, Outcome, Verdict
from grader.programs.bank import Entry, Slip
from grader.programs.page import TEXT, Page
from grader.programs.program import StandIn

SEED = 20_170_612


@dataclass
class Tally:
    """Of wrong programs, by name ``exercise: misconception``: which are told a misconception that
    is in them; which are told another, and which; and which a pattern, a hint, or what to do.
    """

    rejected: int = 0
    own: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    nothing: list[str] = field(default_factory=list)

    def add(self, name: str, verdicts: Sequence[Verdict], own: Collection[str] = ()) -> None:
        """Take down what one program is told, with its ``own`` misconceptions in the bank; of
        several things what is false, or else the most telling.
        """
        failed = [v for v in verdicts if v.outcome not in (Outcome.PASSED, Outcome.SKIPPED)]
        if not failed:
            return
        self.rejected += 1
        names = {v.misconception for v in failed if v.misconception}
        if names - set(own):
            self.named[name] = " and ".join(sorted(names - set(own)))
        elif names:
            self.own.append(name)
        elif any(v.cause is not None and v.cause.facts.get("pattern") for v in failed):
            self.patterns.append(name)
        elif any(v.lesson for v in failed):
            self.hints.append(name)
        else:
            self.nothing.append(name)

    def __str__(self) -> str:
        counts = {
            "named by an entry of their own": len(self.own),
            "named by another entry": len(self.named),
            "told a pattern": len(self.patterns),
            "told a hint of the function": len(self.hints),
            "told what the check found, and no more": len(self.nothing),
        }
        lines = [f"{self.rejected} rejected"]
        return "\n".join([*lines, *(f"  {count:5} {what}" for what, count in counts.items())])


def leave_one_out(course: Course, exercise: Exercise, into: Tally, seed: int = SEED) -> None:
    """Examine every misconception of an exercise without its own entry."""
    suite = collected(course, [exercise]).of(exercise)
    only, bank = unclocked(suite), suite.misconceptions

    def shown(entry: Entry) -> list[Finding]:
        program = StandIn(partial(entry.applied_to, suite.reference))
        return find(suite, program, seed, only=only, entry=entry)

    found = {entry.name: shown(entry) for entry in bank}  # all of them, then nothing runs twice
    for entry in bank:
        others = [other for other in bank if other is not entry]
        into.add(f"{exercise.name}: {entry.name}", taught(suite, found[entry.name], others))


def two_at_once(
    course: Course, exercise: Exercise, count: int, into: Tally, seed: int = SEED
) -> None:
    """Examine ``count`` pages with two misconceptions, chosen by chance: with both of their entries
    in the bank, with either and with none.
    """
    suite = collected(course, [exercise]).of(exercise)
    only, bank = unclocked(suite), suite.misconceptions
    for (one, other), program in pairs_of(bank, count, seed):
        found = find(suite, program, seed, only=only)
        for left in ((), (one,), (other,), (one, other)):
            entries = [entry for entry in bank if entry not in left]
            own = {one.name, other.name} - {entry.name for entry in left}
            without = f", without {' and '.join(e.name for e in left)}" if left else ""
            who = f"{exercise.name}: {one.name} and {other.name}{without}"
            into.add(who, taught(suite, found, entries), own)


def pairs_of(
    bank: Sequence[Entry], count: int, seed: int
) -> Iterator[tuple[tuple[Slip, Slip], StandIn]]:
    """Slips that are in different places of the page, and the page with both as a program."""
    pairs = list(combinations([entry for entry in bank if isinstance(entry, Slip)], 2))
    random.Random(seed).shuffle(pairs)
    for one, other in pairs:
        if count:
            try:
                text = one.together_with(other)
            except SuiteError:
                continue
            count -= 1
            made = partial(_made, one.page, one.page.compiled(text), text)
            yield (one, other), StandIn(made)


def _made(page: Page, code: CodeType, text: str) -> dict[str, Any]:
    return page.program(code) | {TEXT: text}


def unclocked(suite: Suite) -> list[str]:
    """The checks that need no quiet core, by name."""
    return [collected.check.name for collected in suite.checks if not collected.clocked]
