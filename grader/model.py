"""The nouns of the house: frozen records, standard library only.

A Submission goes in, Verdicts come out, a Report holds them. A Report is complete: gradebook,
feedback and every export are made from it alone, so re-exporting never reruns code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from grader.spelling import drawn_for

_DECIMALS = 9  # of a sum: 0.1 + 0.2 are 0.3, and a perfect answer has all the points there are

Fact: TypeAlias = str | int | float | bool | tuple["Fact", ...] | Mapping[str, "Fact"] | None


class Outcome(StrEnum):
    """What became of one check. ``passed`` earns its points, ``carried`` has them given, because it
    fails only for a mistake that was paid for elsewhere; and ``internal`` is no verdict: something
    of ours failed, and the check must be repeated.
    """

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CARRIED = "carried"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Hint:
    """One step on the way to the functions or classes ``of``; without any, to the whole page.
    ``step`` is the step of the core that it helps with, where it helps with one alone, and
    ``unasked`` the one that is shown unasked, in place of the first.
    """

    says: str
    of: tuple[str, ...] = ()
    step: str = ""
    unasked: bool = False


@dataclass(frozen=True)
class Idea:
    """What points are for, in a teacher's words, and the checks that ask for it, by their bare
    names; none in a released course, where names of checks are not given away.
    """

    words: str
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """One entry of the catalog. ``names`` are the functions and classes a submission defines;
    ``forbids`` is what of torch does the exercise, ``welcomes`` what looks as if it did; ``dtypes``
    are those that its page promises to work in, beside float32. ``points`` is what the course says
    that checks are worth, whatever their suite says; ``steps`` lead through the core, in order.
    ``level`` runs from 1 to 5, ``minutes`` are those of all ``sittings`` together; 0 where the
    course does not say. ``before`` is what to know that no exercise teaches, ``afterwards`` ends
    the sentence "afterwards you can", and ``question`` is one to think about then. ``ideas`` are
    what its points are for.
    """

    name: str
    title: str
    source: str
    names: tuple[str, ...]
    needs: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    forbids: tuple[str, ...] = ()
    welcomes: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    points: tuple[tuple[str, float], ...] = ()
    steps: tuple[str, ...] = ()
    level: int = 0
    minutes: int = 0
    sittings: int = 1
    before: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()
    question: str = ""
    ideas: tuple[Idea, ...] = ()

    def hints_of(self, function: str) -> tuple[Hint, ...]:
        """All that belong to this function or class, those of the whole page among them."""
        return tuple(hint for hint in self.hints if function in hint.of or not hint.of)

    def hint_of(self, function: str, step: str = "") -> str:
        """The hint to be shown unasked, or the first, that belongs to this function or class, or if
        no hint does, to that of the step; empty if none does. Where that is written in several
        steps, the hint must be on the step: one on another would mislead.
        """
        if step and not any(function in hint.of for hint in self.hints):
            function = function_of(step)
        several = [function_of(step) for step in self.steps].count(function) > 1
        own = sorted((h for h in self.hints if function in h.of), key=lambda h: not h.unasked)
        return next((h.says for h in own if not several or (step and h.step == step)), "")


def function_of(step: str) -> str:
    """Of which function or class a step is: ``AdamW`` of "AdamW: weight decay"."""
    return step.partition(":")[0].partition(".")[0]


@dataclass(frozen=True)
class Check:
    """One hidden test: its docstring is the sentence a student reads. The ``core`` ones ask for the
    idea, in a ``step`` of the exercise's if it has any; all others for robustness. ``idea`` is what
    its points are for, in the catalog's words, where these say it.
    """

    exercise: str
    name: str
    sentence: str
    max_points: float = 1.0
    public: bool = False
    device: str = "cpu"
    core: bool = False
    step: str = ""
    idea: str = ""


@dataclass(frozen=True)
class Submission:
    """Untrusted text by module name; ``problems`` says why a module could not be read, ``path``
    where all of it lay. ``name`` is the submission's alone in its class, and safe for files; all
    else is the platform's: of time, ``handed_in`` (ISO 8601) where it tells one, and ``late``.
    """

    name: str
    student: str
    files: Mapping[str, str]
    problems: Mapping[str, Cause] = field(default_factory=dict)
    path: str = ""
    student_id: str = ""
    late: bool = False
    handed_in: str = ""

    @property
    def drawn_for(self) -> str:
        return drawn_for(self.student, self.student_id)


@dataclass(frozen=True)
class Place:
    """A line of a submission's own file; ``line`` counts from 1."""

    file: str
    line: int
    text: str = ""


@dataclass(frozen=True)
class Cause:
    """Why a check did not pass, or what is advised, as data; ``report.words`` words it. ``facts``
    are plain values by name, nested at most; what they are depends on ``kind``. ``because`` is the
    failure that this one stands for.
    """

    kind: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    place: Place | None = None
    because: Cause | None = None


@dataclass(frozen=True)
class Measured:
    """How a submission compares with the reference, in ``time`` or ``memory``: ``ratio``, half of
    the calls between ``low`` and ``high``, and the ``limit`` it had to keep. ``suspicious`` is what
    is faster than it can plausibly be.
    """

    what: str
    ratio: float
    low: float
    high: float
    limit: float
    suspicious: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one check found. ``output`` is what the submission printed meanwhile.

    ``lesson`` is what the course says to a failure: the sentence of the recognised
    ``misconception``, or without one a hint. ``settled`` says that the cause is known to lie in the
    exercise's own module, and not in another of the submission's that it uses. ``advice`` is for
    those who passed, and costs no marks. A core check that failed is ``right_at_first`` if it only
    did when it was asked again, in another dtype or mode: then the idea is there.

    ``carried`` is the part of its points that it is given with follow-through, and which counts
    unless the marks are ``strict``.
    """

    check: Check
    outcome: Outcome
    seconds: float = 0.0
    misconception: str | None = None
    lesson: str = ""
    cause: Cause | None = None
    output: str = ""
    refused: tuple[str, ...] = ()
    settled: bool = False
    measured: Measured | None = None
    advice: Cause | None = None
    right_at_first: bool = False
    carried: float = 0.0
    strict: bool = False

    @property
    def points(self) -> float:
        """Those that count."""
        return self.strict_points if self.strict else self.followed_points

    @property
    def strict_points(self) -> float:
        """For what is right by itself."""
        part = 1.0 if self.outcome is Outcome.PASSED else self._earned
        return self.check.max_points * part

    @property
    def followed_points(self) -> float:
        """And for what would be, but for a mistake that has been paid for."""
        return self.strict_points + self.check.max_points * self.carried

    @property
    def _earned(self) -> float:
        """The part of its points that a check says a wrong answer is worth all the same."""
        wrong = self.outcome in (Outcome.FAILED, Outcome.CARRIED)
        cause = self.cause if wrong else None
        part = cause.facts.get("earned") if cause is not None else None
        return part if isinstance(part, float) and 0 < part < 1 else 0.0

    @property
    def max_points(self) -> float:
        """A skipped check counts as if it did not exist."""
        return 0.0 if self.outcome is Outcome.SKIPPED else self.check.max_points


@dataclass(frozen=True)
class ExerciseReport:
    """The verdicts of one exercise, in the suite's order."""

    name: str
    verdicts: tuple[Verdict, ...]

    @property
    def without_verdict(self) -> tuple[Verdict, ...]:
        return tuple(v for v in self.verdicts if v.outcome is Outcome.INTERNAL)

    @property
    def score(self) -> float | None:
        """None while a check has no verdict: what is not known is never a number."""
        return None if self.without_verdict else self.earned

    @property
    def earned(self) -> float:
        """The points of those checks that have a verdict: a lower bound, and no mark."""
        return total(verdict.points for verdict in self.verdicts)

    @property
    def strict_points(self) -> float:
        """What was earned without follow-through."""
        return total(verdict.strict_points for verdict in self.verdicts)

    @property
    def followed_points(self) -> float:
        """And with it."""
        return total(verdict.followed_points for verdict in self.verdicts)

    @property
    def max_score(self) -> float:
        return total(verdict.max_points for verdict in self.verdicts)


@dataclass(frozen=True)
class Conditions:
    """Under what a run was made: kept in every report, so that a mark can be defended. ``suites``
    are digests by exercise, also of those that were not graded; none in a report of an older
    version, which had one for all. ``limits`` are what a submission may take, by name.
    """

    seed: int
    isolation: str
    layers: tuple[str, ...]
    devices: tuple[str, ...]
    versions: Mapping[str, str]
    suites: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Deduction:
    """What being late costs by the assignment's rule: ``points``, more perhaps than were earned.
    ``days`` had begun since ``due`` (ISO 8601); None where the platform says late and no time is
    known: a person decides then. If ``closed``, it came too late to count at all.
    """

    due: str
    days: int | None
    points: float = 0.0
    closed: bool = False


@dataclass(frozen=True)
class Report:
    """All there is to know about one graded submission: ``path`` is where it lay, and ``digests``
    tell, by module, which text was graded. ``student_id``, ``late`` and ``handed_in`` are the
    submission's. ``deduction`` is taken off the whole, never off an exercise; a report that is kept
    in a run has none.
    """

    submission: str
    student: str
    graded_at: str
    conditions: Conditions
    exercises: tuple[ExerciseReport, ...]
    path: str = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    student_id: str = ""
    late: bool = False
    handed_in: str = ""
    deduction: Deduction | None = None

    @property
    def drawn_for(self) -> str:
        return drawn_for(self.student, self.student_id)

    @property
    def without_verdict(self) -> tuple[Verdict, ...]:
        """What must be repeated before there is a mark."""
        return tuple(v for exercise in self.exercises for v in exercise.without_verdict)

    @property
    def score(self) -> float | None:
        """The mark, after a deduction; None while any check has no verdict."""
        return None if self.without_verdict else total((self.earned, -self.deducted))

    @property
    def earned(self) -> float:
        """The points of those checks that have a verdict: a lower bound, and no mark."""
        return total(exercise.earned for exercise in self.exercises)

    @property
    def strict_score(self) -> float | None:
        """The mark without follow-through, whichever of the two counts."""
        return self._mark(exercise.strict_points for exercise in self.exercises)

    @property
    def followed_score(self) -> float | None:
        """And with it."""
        return self._mark(exercise.followed_points for exercise in self.exercises)

    def _mark(self, earned: Iterable[float]) -> float | None:
        points, off = total(earned), self.deduction.points if self.deduction else 0.0
        return None if self.without_verdict else total((points, -min(off, points)))

    @property
    def deducted(self) -> float:
        """What the deduction takes: never more than was earned."""
        return min(self.deduction.points, self.earned) if self.deduction else 0.0

    @property
    def max_score(self) -> float:
        return total(exercise.max_score for exercise in self.exercises)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(verdict for exercise in self.exercises for verdict in exercise.verdicts)

    @property
    def refused(self) -> tuple[str, ...]:
        """What the submission tried and was not allowed to do, each attempt once."""
        return tuple(dict.fromkeys(text for v in self.verdicts for text in v.refused))

    @property
    def suspicious(self) -> tuple[Verdict, ...]:
        """Where it is faster than is plausible: for a person to look at, and nobody else."""
        measured = [(verdict, verdict.measured) for verdict in self.verdicts]
        return tuple(verdict for verdict, m in measured if m is not None and m.suspicious)


def total(points: Iterable[float]) -> float:
    """Their sum, as it is in decimals."""
    return round(math.fsum(points), _DECIMALS)
