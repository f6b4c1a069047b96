"""A report -> what its student may see, and nothing else.

This is a whitelist: sentences, points, outcomes, and what is said to a failure, a misconception's
sentence among it. It holds no name of a hidden check, no seed, no path, no notes on what was
refused or suspected, and nothing that a submission printed, which may be a check's inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.model import ExerciseReport, Outcome, Report, Verdict
from grader.report.feedback import advice_on, words_of
from grader.report.lateness import deduction_words
from grader.report.lost import lost_words
from grader.report.parts import core_words, part_names, parts_of, robust_words
from grader.report.words import without_verdict


@dataclass(frozen=True)
class SeenCheck:
    """One check: ``number`` is its place, ``2.1`` for the first one of the second exercise, and
    ``part`` core or robust, where the course tells these apart.

    ``points`` is None where there is no verdict, and where the check was skipped, which then is
    worth nothing. ``public`` are those whose examples stand on the page.
    """

    number: str
    sentence: str
    outcome: Outcome
    points: float | None
    max_points: float
    rationale: str = ""
    expected: str = ""
    actual: str = ""
    help: str = ""
    core: bool = False
    public: bool = False
    part: str = ""


@dataclass(frozen=True)
class SeenExercise:
    """One exercise; without a score while a check has no verdict. ``core`` and ``robust`` say how
    these parts stand, where there is a core, and ``followed`` what was lost for what, and what was
    carried, line by line.
    """

    name: str
    score: float | None
    max_score: float
    checks: tuple[SeenCheck, ...]
    advice: tuple[str, ...] = ()
    core: str = ""
    robust: str = ""
    followed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """One submission; ``notice`` says whose fault it is not, where a check has no verdict, and
    ``late`` what is ``deducted`` from the sum of its exercises and why.
    """

    student: str
    graded_at: str
    score: float | None
    max_score: float
    notice: str
    exercises: tuple[SeenExercise, ...]
    late: str = ""
    deducted: float = 0.0


def for_students(report: Report) -> Seen:
    """All that formats for students are made of."""
    count = len(report.without_verdict)
    return Seen(
        report.student,
        report.graded_at,
        report.score,
        report.max_score,
        without_verdict(count) if count else "",
        tuple(_exercise(place, one) for place, one in enumerate(report.exercises, start=1)),
        deduction_words(report),
        report.deducted,
    )


def _exercise(place: int, exercise: ExerciseReport) -> SeenExercise:
    told = zip(exercise.verdicts, part_names(exercise.verdicts), strict=True)
    checks = tuple(_check(f"{place}.{n}", *one) for n, one in enumerate(told, start=1))
    advice, parts = tuple(advice_on(exercise)), parts_of(exercise.verdicts)
    followed = tuple(lost_words(exercise))
    seen = SeenExercise(
        exercise.name, exercise.score, exercise.max_score, checks, advice, followed=followed
    )
    if parts is None:
        return seen
    return replace(seen, core=core_words(parts), robust=robust_words(parts))


def _check(number: str, verdict: Verdict, part: str) -> SeenCheck:
    words = words_of(verdict)
    return SeenCheck(
        number,
        words.sentence,
        verdict.outcome,
        points_of(verdict),
        verdict.max_points,
        words.rationale,
        words.expected,
        words.actual,
        words.help,
        words.core,
        verdict.check.public,
        part,
    )


def points_of(verdict: Verdict) -> float | None:
    """The points of a check; None where nothing was found out, which is not a zero."""
    unknown = verdict.outcome in (Outcome.INTERNAL, Outcome.SKIPPED)
    return None if unknown else verdict.points
