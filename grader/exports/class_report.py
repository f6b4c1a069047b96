"""Reports -> what an instructor wants to know of a class, as data; for instructors alone."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grader.exports.example import Example, example_of
from grader.exports.item_analysis import FEWEST, POOR, Item, handed_in, items
from grader.exports.kept import Kept
from grader.exports.moves import Moves, moves
from grader.exports.similar import Similar, similar
from grader.model import Report, Verdict
from grader.report.feedback import attempts
from grader.report.lateness import undecided
from grader.report.parts import parts_of
from grader.report.words import suspicion, unjudged
from grader.runs.reading import Run

SCHEMA = "class-report/v1"
BINS = 10


@dataclass(frozen=True)
class Distribution:
    """Totals in percent of what could be had. ``bins`` counts tenths: 0 to below 10, ..., 90 to
    100. Quartiles are None with fewer than two marks, all others without any.
    """

    marks: int
    mean: float | None
    median: float | None
    quartiles: tuple[float, float] | None
    bins: tuple[int, ...]


@dataclass(frozen=True)
class ExerciseRow:
    """One exercise: how many handed it in, and the mean of their marks in percent, also of its core
    and of what makes it robust, if it has a core.
    """

    name: str
    handed_in: int
    mean: float | None
    core: float | None = None
    robust: float | None = None


@dataclass(frozen=True)
class Held:
    """A misconception, its sentence, whose submissions it was recognised in, and the lines of one
    of them, if the run kept its text.
    """

    exercise: str
    misconception: str
    sentence: str
    submissions: tuple[str, ...]
    example: Example | None = None


@dataclass(frozen=True)
class Look:
    """What a person should look at in one submission: ``kind`` is unread, assignment, no_verdict,
    late, refused or suspicious.
    """

    kind: str
    submission: str
    what: tuple[str, ...]


@dataclass(frozen=True)
class ClassReport:
    """All of it. ``title`` is the assignment's, if there is one; ``misconceptions`` begin with the
    one that most hold. ``similar`` is None where no texts are kept, and ``moves`` where it is
    compared with no earlier run.
    """

    submissions: int
    distribution: Distribution
    exercises: tuple[ExerciseRow, ...]
    checks: tuple[Item, ...]
    misconceptions: tuple[Held, ...]
    to_look_at: tuple[Look, ...]
    title: str = ""
    similar: Similar | None = None
    moves: Moves | None = None

    @property
    def nobody_passes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.checks if item.passed == 0)

    @property
    def everybody_passes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.checks if item.passed == item.asked)

    @property
    def poor(self) -> tuple[Item, ...]:
        """Checks that those who can do the rest pass hardly more often than others."""
        return tuple(item for item in self.checks if item.is_poor)


def class_report(run: Run, kept: Kept | None = None, earlier: Run | None = None) -> ClassReport:
    """The report on a run, of which ``kept`` holds the texts; what of it could not be read is the
    first to be looked at.
    """
    reports = run.reports
    first = [Look("unread", "", (problem,)) for problem in run.problems]
    first += [Look("assignment", "", (remark,)) for remark in run.remarks]
    return ClassReport(
        len(reports),
        _distribution(reports),
        tuple(_exercises(reports)),
        tuple(items(reports)),
        tuple(_held(reports, kept)),
        (*first, *_to_look_at(reports)),
        run.assignment.title if run.assignment else "",
        similar=None if kept is None else similar(reports, kept),
        moves=None if earlier is None else moves(earlier.reports, reports),
    )


def to_json(report: ClassReport) -> dict[str, Any]:
    """Plain values; a check with its ``difficulty``, and the limits that were used."""
    checks = [asdict(item) | {"difficulty": item.difficulty} for item in report.checks]
    limits = {"poor_discrimination": POOR, "fewest_for_discrimination": FEWEST}
    return {"schema": SCHEMA} | asdict(report) | {"checks": checks, "limits": limits}


def _percent(score: float | None, max_score: float) -> float | None:
    return None if score is None or not max_score else 100 * score / max_score


def _distribution(reports: Sequence[Report]) -> Distribution:
    maybe = [_percent(report.score, report.max_score) for report in reports]
    marks = [mark for mark in maybe if mark is not None]
    bins = [0] * BINS
    for mark in marks:
        bins[min(int(mark * BINS / 100), BINS - 1)] += 1
    quartiles = statistics.quantiles(marks, n=4, method="inclusive") if len(marks) > 1 else None
    return Distribution(
        len(marks),
        statistics.fmean(marks) if marks else None,
        statistics.median(marks) if marks else None,
        None if quartiles is None else (quartiles[0], quartiles[2]),
        tuple(bins),
    )


def _exercises(reports: Sequence[Report]) -> Iterator[ExerciseRow]:
    names = dict.fromkeys(exercise.name for report in reports for exercise in report.exercises)
    for name in names:
        every = [e for report in reports for e in report.exercises if e.name == name]
        those = [exercise for exercise in every if handed_in(exercise)]
        mean = _mean(_percent(exercise.score, exercise.max_score) for exercise in those)
        parts = [found for e in those if (found := parts_of(e.verdicts)) is not None]
        core = _mean(_percent(one.core.points, one.core.max_points) for one in parts)
        robust = _mean(_percent(one.robust.points, one.robust.max_points) for one in parts)
        yield ExerciseRow(name, len(those), mean, core, robust)


def _mean(marks: Iterable[float | None]) -> float | None:
    known = [mark for mark in marks if mark is not None]
    return statistics.fmean(known) if known else None


def _held(reports: Sequence[Report], kept: Kept | None) -> list[Held]:
    """The most frequent first; where as many hold two, in the order they were met."""
    found: dict[tuple[str, str], list[tuple[Report, Verdict]]] = {}
    for report in reports:
        for verdict in report.verdicts:
            if verdict.misconception is not None:
                key = (verdict.check.exercise, verdict.misconception)
                found.setdefault(key, []).append((report, verdict))
    held = [_one_held(key, where, kept) for key, where in found.items()]
    return sorted(held, key=lambda one: -len(one.submissions))


def _one_held(
    key: tuple[str, str], where: Sequence[tuple[Report, Verdict]], kept: Kept | None
) -> Held:
    """The first example that there is: not every cause knows which lines it is about."""
    names = tuple(dict.fromkeys(report.submission for report, _ in where))
    examples = (example_of(*one, kept) for one in where) if kept is not None else iter(())
    return Held(*key, where[0][1].lesson, names, next(filter(None, examples), None))


def _to_look_at(reports: Sequence[Report]) -> Iterator[Look]:
    kinds: dict[str, Callable[[Report], Iterable[str]]] = {
        "no_verdict": unjudged,
        "late": undecided,
        "refused": lambda report: attempts(report.verdicts),
        "suspicious": lambda report: map(suspicion, report.suspicious),
    }
    for kind, found_in in kinds.items():
        for report in reports:
            found = tuple(found_in(report))
            if found:
                yield Look(kind, report.submission, found)
