"""What every known mistake of an exercise costs: strictly, and with follow-through.

Each misconception is examined alone, without what measures time or memory. One that costs more
than a quarter is printed: some check of it is not explained by it, or nothing passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from grader.course.charging import LEAST, MOST
from grader.course.course import Course
from grader.course.fault import Fault, too_dear
from grader.examiner.collection import collected
from grader.examiner.finding import Finding, find
from grader.examiner.follow_through import followed
from grader.examiner.suite import Suite
from grader.examiner.telling import taught
from grader.model import Exercise, ExerciseReport, Verdict
from grader.programs.bank import Entry
from grader.programs.program import StandIn
from grader.proof import Judged
from grader.proof_names import SEED, pairs_of, unclocked

_ROOM = 0.01  # costs come in tenths of a point
_BESIDE = 0.1  # of an exercise: what two mistakes may cost beside what each does
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Cost:
    """What a wrong program loses, as shares of the exercise's points, and what it was ``told``."""

    name: str
    strict: float
    followed: float
    told: frozenset[str] = frozenset()

    @property
    def is_fair(self) -> bool:
        """Whether it costs what one mistake may: less only if it loses less strictly."""
        least = min(LEAST, self.strict)
        return least - _ROOM < self.followed and not self.is_dear

    @property
    def is_dear(self) -> bool:
        """Whether it costs more."""
        return self.followed >= MOST + _ROOM


@dataclass(frozen=True)
class Pair:
    """What two mistakes cost ``together``, and each of them alone."""

    together: Cost
    one: Cost
    other: Cost

    @property
    def found(self) -> int:
        """How many of the two are told."""
        return len({self.one.name, self.other.name} & self.together.told)

    @property
    def is_enough(self) -> bool:
        """Whether they cost at least what the dearer one does."""
        return self.together.followed >= max(self.one.followed, self.other.followed) - _ROUNDING

    @property
    def is_fair(self) -> bool:
        """Whether they cost at most what both do, and a tenth of the exercise."""
        most = self.one.followed + self.other.followed + _BESIDE
        return self.together.followed <= most + _ROUNDING


def costs(course: Course, exercise: Exercise, *, known: bool = True) -> list[Cost]:
    """Of every misconception of an exercise; if it is not ``known``, without its own entry."""
    suite = collected(course, [exercise]).of(exercise)
    found = {entry.name: _shown(suite, entry) for entry in suite.misconceptions}
    return [
        _cost(
            suite, name, found[name], [e for e in suite.misconceptions if known or e.name != name]
        )
        for name in found
    ]


def costs_among(judged: Judged) -> list[Cost]:
    """Of the misconceptions of a bank, given what all checks said of each."""
    wrong = [entry for entry in judged.bank if entry.sentence]
    return [_costing(judged.suite, entry.name, judged.verdicts[entry.name]) for entry in wrong]


def cost_faults(judged: Judged) -> list[Fault]:
    """Misconceptions that cost more than a quarter although something passes: then a check that
    they fail is not explained by them. Where nothing passes, the idea is missing.
    """
    dear = [cost for cost in costs_among(judged) if cost.is_dear and cost.strict < 1]
    return [too_dear(cost.name, cost.followed).of(judged.suite.exercise.name) for cost in dear]


def costs_of_pairs(
    course: Course, exercise: Exercise, count: int, alone: Sequence[Cost]
) -> Iterator[Pair]:
    """Of ``count`` pages with two misconceptions, of which each is known to cost what it does
    ``alone``.
    """
    suite = collected(course, [exercise]).of(exercise)
    known = {cost.name: cost for cost in alone}
    for (one, other), program in pairs_of(suite.misconceptions, count, SEED):
        shown = find(suite, program, SEED, only=unclocked(suite))
        both = _cost(suite, f"{one.name} and {other.name}", shown, suite.misconceptions)
        yield Pair(both, known[one.name], known[other.name])


def said(found: Sequence[Cost]) -> str:
    """In a line: of both scores the median, the ninetieth percentile and the dearest; and how many
    cost less than a twentieth or more than a quarter, with the reason: all that they fail is worth
    less, or nothing passes.
    """
    strict, kind = ([getattr(one, name) for one in found] for name in ("strict", "followed"))
    return (
        f"{len(found)} known mistakes cost {_spread(strict)} strictly, and {_spread(kind)} with "
        f"follow-through (median, ninetieth percentile, dearest){_outside(found)}"
    )


def _outside(found: Sequence[Cost]) -> str:
    count = sum(cost.strict < LEAST for cost in found)
    few = f"; {count} cost less than {LEAST:.0%}, for all that they fail is worth less"
    bare = sum(cost.is_dear and cost.strict == 1 for cost in found)
    dear = f"; {bare} cost more than {MOST:.0%}, for nothing passes: the idea is missing"
    return (few if count else "") + (dear if bare else "")


def _spread(shares: Iterable[float]) -> str:
    ordered = sorted(shares)
    three = (median(ordered), ordered[int(0.9 * len(ordered))], ordered[-1])
    return ", ".join(f"{share:.0%}" for share in three)


def _shown(suite: Suite, entry: Entry) -> list[Finding]:
    program = StandIn(partial(entry.applied_to, suite.reference))
    return find(suite, program, SEED, only=unclocked(suite), entry=entry)


def _cost(suite: Suite, name: str, shown: Sequence[Finding], bank: Sequence[Entry]) -> Cost:
    return _costing(suite, name, taught(suite, shown, bank), bank)


def _costing(
    suite: Suite, name: str, found: Sequence[Verdict], bank: Sequence[Entry] | None = None
) -> Cost:
    verdicts = followed(found, suite.misconceptions if bank is None else bank)
    report = ExerciseReport(name, tuple(verdicts))
    whole = report.max_score
    told = frozenset(verdict.misconception for verdict in verdicts if verdict.misconception)
    strictly, kindly = 1 - report.strict_points / whole, 1 - report.followed_points / whole
    return Cost(name, round(strictly, 6), round(kindly, 6), told)
