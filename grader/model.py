"""The nouns of the house: frozen records, standard library only.

A Submission goes in, Verdicts come out, a Report holds them. A Report is complete: gradebook,
feedback and every export are made from it alone, so re-exporting never reruns code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

SCHEMA = "report/v1"


class Outcome(StrEnum):
    """What became of one check. Only ``passed`` earns points."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    BLOCKED = "blocked"
    SKIPPED = "skipped"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Exercise:
    """One entry of the catalog. ``names`` are the functions and classes a submission defines."""

    name: str
    title: str
    source: str
    names: tuple[str, ...]
    needs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One hidden test: its docstring is the sentence a student reads."""

    exercise: str
    name: str
    sentence: str
    max_points: float = 1.0
    public: bool = False
    device: str = "cpu"


@dataclass(frozen=True)
class Submission:
    """Untrusted text by module name; ``problems`` says why a module could not be read."""

    name: str
    student: str
    files: Mapping[str, str]
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cause:
    """Why a check did not pass, in words for a student."""

    rationale: str
    expected: str = ""
    actual: str = ""
    help: str = ""


@dataclass(frozen=True)
class Measured:
    """How a submission compares with the reference, in ``time`` or ``memory``: ``ratio``, half of
    the calls between ``low`` and ``high``, and the ``limit`` it had to keep. ``suspicious`` asks a
    person to look: it is faster than it can plausibly be.
    """

    what: str
    ratio: float
    low: float
    high: float
    limit: float
    suspicious: bool = False

    @property
    def suspicion(self) -> str:
        """What a person is told who should look; mostly nothing."""
        return f"{self.ratio:.2f} times the reference's {self.what}" if self.suspicious else ""


def not_handed_in(module: str) -> str:
    """How an absent module is spoken of, wherever it is."""
    return f"{module}.py is not in the submission."


@dataclass(frozen=True)
class Verdict:
    """What one check found. ``output`` is what the submission printed meanwhile.

    ``settled`` says that the cause is known to lie in the exercise's own module, and not in
    another of the submission's that it uses. ``advice`` is for who passed, and costs no marks.
    """

    check: Check
    outcome: Outcome
    seconds: float = 0.0
    misconception: str | None = None
    cause: Cause | None = None
    output: str = ""
    refused: tuple[str, ...] = ()
    settled: bool = False
    measured: Measured | None = None
    advice: str = ""

    @property
    def points(self) -> float:
        return self.check.max_points if self.outcome is Outcome.PASSED else 0.0

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
    def score(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def max_score(self) -> float:
        return sum(verdict.max_points for verdict in self.verdicts)


@dataclass(frozen=True)
class Conditions:
    """Under what a run was made: kept in every report, so that a mark can be defended."""

    seed: int
    isolation: str
    layers: tuple[str, ...]
    devices: tuple[str, ...]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """All there is to know about one graded submission."""

    submission: str
    student: str
    graded_at: str
    conditions: Conditions
    exercises: tuple[ExerciseReport, ...]

    @property
    def score(self) -> float:
        return sum(exercise.score for exercise in self.exercises)

    @property
    def max_score(self) -> float:
        return sum(exercise.max_score for exercise in self.exercises)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(verdict for exercise in self.exercises for verdict in exercise.verdicts)

    @property
    def refused(self) -> tuple[str, ...]:
        """What the submission tried and was not allowed to do, each attempt once."""
        return tuple(dict.fromkeys(text for v in self.verdicts for text in v.refused))

    @property
    def suspicious(self) -> tuple[str, ...]:
        """Where it is faster than it can plausibly be: for a person to look at, never for marks
        and never for the student.
        """
        return tuple(
            f"{verdict.check.exercise}: {verdict.measured.suspicion}"
            for verdict in self.verdicts
            if verdict.measured is not None and verdict.measured.suspicion
        )

    def as_json(self) -> dict[str, Any]:
        """The report as plain values, in the layout of schema ``report/v1``."""
        return {
            "schema": SCHEMA,
            "submission": self.submission,
            "student": self.student,
            "graded_at": self.graded_at,
            "seed": self.conditions.seed,
            "isolation": self.conditions.isolation,
            "layers": list(self.conditions.layers),
            "devices": list(self.conditions.devices),
            "versions": dict(self.conditions.versions),
            "score": self.score,
            "max_score": self.max_score,
            "refused": list(self.refused),
            "exercises": [_exercise_json(exercise) for exercise in self.exercises],
        }


@dataclass(frozen=True)
class Picture:
    """What there is to see in one exercise: a PNG, and for who cannot see it the same in words, a
    title with its sign and a verdict for each panel.
    """

    png: bytes
    panels: tuple[tuple[str, str], ...]
    width: int = 490  # pixels to be shown in: half of the PNG's own, so that it is always sharp

    @property
    def lines(self) -> list[str]:
        return [line for title, verdict in self.panels for line in (title, f"    {verdict}")]

    @property
    def alt(self) -> str:
        words = " ".join(f"{title}: {verdict}" for title, verdict in self.panels)
        return f"Yours, expected and the difference. {words}"


def _exercise_json(exercise: ExerciseReport) -> dict[str, Any]:
    return {
        "name": exercise.name,
        "score": exercise.score,
        "max_score": exercise.max_score,
        "checks": [_verdict_json(verdict) for verdict in exercise.verdicts],
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    cause = verdict.cause
    return {
        "name": verdict.check.name,
        "sentence": verdict.check.sentence,
        "outcome": verdict.outcome.value,
        "points": verdict.points,
        "max_points": verdict.max_points,
        "device": verdict.check.device,
        "seconds": round(verdict.seconds, 4),
        "public": verdict.check.public,
        "misconception": verdict.misconception,
        "cause": None
        if cause is None
        else {
            "rationale": cause.rationale,
            "expected": cause.expected,
            "actual": cause.actual,
            "help": cause.help,
        },
        "measured": None if verdict.measured is None else asdict(verdict.measured),
        "advice": verdict.advice,
        "output": verdict.output,
        "refused": list(verdict.refused),
    }
