"""Which attempt counts, which mark, and what all assignments make together.

What has no verdict is no number, wherever it goes. What was not handed in earns nothing.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.gradebook.models import (
    BEST,
    COMMENT,
    MARK,
    Assignment,
    Attempt,
    Entry,
    ExerciseScore,
    Student,
)
from grader.model import total


@dataclass(frozen=True)
class ExerciseMark:
    """One exercise: what was found automatically, and the entry that stands beside it, if any."""

    name: str
    automatic: float | None
    max_score: float
    manual: Entry | None = None

    @property
    def mark(self) -> float | None:
        return self.automatic if self.manual is None else self.manual.mark


@dataclass(frozen=True)
class Standing:
    """One student in one assignment. ``attempt`` is the one that counts, ``attempts`` how many
    there are; ``manual`` is a mark for the whole; ``worth`` what the assignment is worth.
    """

    student: Student
    assignment: Assignment
    attempt: Attempt | None
    attempts: int
    exercises: tuple[ExerciseMark, ...]
    manual: Entry | None
    comments: tuple[Entry, ...]
    worth: float

    @property
    def automatic(self) -> float | None:
        return self.attempt.score if self.attempt else None

    @property
    def mark(self) -> float | None:
        """None where something has no verdict; 0 where nothing was handed in."""
        if self.is_missing:
            return 0.0
        return self.manual.mark if self.manual else self._of_exercises

    @property
    def earned(self) -> float | None:
        """The points of all exercises, before anything is taken off for being late; None where one
        has no verdict, and where there is nothing but a mark for the whole.
        """
        if self.attempt is None:
            return 0.0 if self.is_missing else None
        return _sum(one.mark for one in self.exercises)

    @property
    def deducted(self) -> float | None:
        """What being late cost; None where that is not known."""
        automatic, found = _sum(one.automatic for one in self.exercises), self.automatic
        if self.attempt is None:
            return 0.0
        return None if automatic is None or found is None else total((automatic, -found))

    @property
    def is_missing(self) -> bool:
        """Nothing was handed in, and nobody gave a mark."""
        return self.attempt is None and self.manual is None

    @property
    def has_no_verdict(self) -> bool:
        return self.mark is None

    @property
    def manuals(self) -> tuple[Entry, ...]:
        """The entries that make the mark."""
        if self.manual:
            return (self.manual,)
        return tuple(one.manual for one in self.exercises if one.manual)

    @property
    def _of_exercises(self) -> float | None:
        """The automatic score, moved by as much as the exercises are; so a deduction stays."""
        if not any(one.manual for one in self.exercises):
            return self.automatic
        marks, deducted = self.earned, self.deducted
        if marks is None or self.attempt is None:
            return None
        if deducted is None:  # what it would have been is not known
            return None if self.attempt.late else marks
        return max(total((marks, -deducted)), 0.0)


@dataclass(frozen=True)
class Total:
    """One student over all assignments; None for both where an assignment has no verdict."""

    student: Student
    standings: tuple[Standing, ...]

    @property
    def worth(self) -> float:
        return math.fsum(standing.worth for standing in self._counted)

    @property
    def points(self) -> float | None:
        known = all(one.mark is not None for one in self.standings)
        return _sum(one.mark for one in self._counted) if known else None

    @property
    def dropped(self) -> tuple[Standing, ...]:
        """The worst of every group, as many as its rule says; one of a group always counts."""
        groups: dict[int, list[Standing]] = {}
        for one in self.standings:
            if one.assignment.group and one.worth:
                groups.setdefault(one.assignment.group.id, []).append(one)
        return tuple(one for several in groups.values() for one in _worst(several))

    @property
    def _counted(self) -> list[Standing]:
        dropped = self.dropped
        return [one for one in self.standings if one not in dropped]

    @property
    def percent(self) -> float | None:
        points = self.points
        return None if points is None or not self.worth else 100 * points / self.worth


def _worst(several: Sequence[Standing]) -> list[Standing]:
    """Those with the lowest share of their points; of equal ones those worth more, for these cost
    more. While one has no verdict, nobody knows which.
    """
    group = several[0].assignment.group
    if group is None or any(one.mark is None for one in several):
        return []
    ranked = sorted(several, key=lambda one: ((one.mark or 0.0) / one.worth, -one.worth))
    return ranked[: min(group.drop_worst, len(several) - 1)]


def _sum(numbers: Iterable[float | None]) -> float | None:
    """The sum, exact but for its last rounding; None if one is unknown."""
    several = list(numbers)
    known = [number for number in several if number is not None]
    return math.fsum(known) if len(known) == len(several) else None


def in_force(entries: Sequence[Entry]) -> list[Entry]:
    """Those that nothing in force withdraws: a withdrawal can be withdrawn in turn."""
    gone: set[int] = set()
    for entry in reversed(entries):  # only what is earlier can be withdrawn
        if entry.id not in gone and entry.withdraws_entry is not None:
            gone.add(entry.withdraws_entry)
    return [entry for entry in entries if entry.id not in gone]


def standing(
    student: Student,
    assignment: Assignment,
    attempts: Sequence[Attempt],
    entries: Sequence[Entry],
    worth: float,
) -> Standing:
    """``attempts`` and ``entries`` are the student's in this assignment, the earlier ones first."""
    holding = in_force(entries)
    withdrawn = {entry.withdraws_attempt for entry in holding}
    left = tried([attempt for attempt in attempts if attempt.id not in withdrawn])
    counts = _counting(left, assignment)
    marks = {entry.exercise: entry for entry in holding if entry.kind == MARK}  # the newest stays
    exercises = tuple(_marked(one, marks) for one in counts.exercises) if counts else ()
    comments = tuple(entry for entry in holding if entry.kind == COMMENT)
    whole = marks.get("")
    return Standing(student, assignment, counts, len(left), exercises, whole, comments,
                    counts.max_score if counts else worth)  # fmt: skip


def _marked(found: ExerciseScore, marks: dict[str, Entry]) -> ExerciseMark:
    return ExerciseMark(found.name, found.score, found.max_score, marks.get(found.name))


def tried(gradings: Sequence[Attempt]) -> list[Attempt]:
    """The last grading of everything that was handed in, in the order of handing in.

    Where a platform's time is not known for all, they are in the order of first being graded.
    """
    groups: dict[tuple[str, str], list[Attempt]] = {}
    for one in gradings:
        groups.setdefault((one.handed_in, json.dumps(one.digests, sort_keys=True)), []).append(one)
    times = {key: _time(those[0].handed_in) for key, those in groups.items()}
    if None in times.values():
        times = {key: min(map(_graded, those))[0] for key, those in groups.items()}
    ordered = sorted(groups, key=lambda key: (times[key] or _EPOCH, groups[key][0].id))
    return [max(groups[key], key=_graded) for key in ordered]


_EPOCH = datetime.datetime.fromtimestamp(0, datetime.UTC)


def _graded(attempt: Attempt) -> tuple[datetime.datetime, int]:
    return _time(attempt.graded_at) or _EPOCH, attempt.id


def _time(text: str) -> datetime.datetime | None:
    """A time without a zone is taken for UTC."""
    try:
        time = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=datetime.UTC)


def _counting(attempts: Sequence[Attempt], assignment: Assignment) -> Attempt | None:
    """The last one, or the best one, of equals the later. The best one is not known while any of
    them has no verdict.
    """
    if assignment.counts == BEST:
        unknown = [attempt for attempt in attempts if attempt.score is None]
        ranked = sorted(attempts, key=lambda one: one.score or 0.0)  # stable: the later is last
        return next(iter(unknown or ranked[-1:]), None)
    return next(reversed(attempts), None)
