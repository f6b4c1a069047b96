"""Reports -> attempts: every grading is kept, and one that is there already changes nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.gradebook.identity import People
from grader.gradebook.models import Assignment, Attempt, ExerciseScore, Student
from grader.model import Report
from grader.report.plain import one_line
from grader.report.record import to_json


@dataclass(frozen=True)
class Source:
    """Whence reports come: the run's folder, who takes them in, and when."""

    run: str
    author: str
    now: str


@dataclass(frozen=True)
class TakenIn:
    """How many attempts are new and how many were there; what a person should know of them; how
    many of a roster are new, who handed in nothing.
    """

    new: int
    known: int
    notes: tuple[str, ...]
    absent: int = 0


def take_in(
    session: Session, reports: Sequence[Report], assignment: Assignment, source: Source
) -> TakenIn:
    """Adds what is new of ``reports``; ``assignment`` must have been flushed."""
    people = People(session.scalars(select(Student).order_by(Student.id)), reports)
    asked = select(Attempt).where(Attempt.assignment_key == assignment.id).order_by(Attempt.id)
    there = session.scalars(asked).all()
    newest = {_grading(attempt): attempt for attempt in there}
    new = 0
    for report in reports:
        student = people.of(report)
        session.add(student)
        session.flush()
        attempt = _attempt(report, student, assignment, source)
        known = newest.get(_grading(attempt))
        if known is None or _marks(known) != _marks(attempt):
            session.add(attempt)
            newest[_grading(attempt)] = attempt
            new += 1
    notes = [*people.notes, *_other_exercises(there, reports)]
    return TakenIn(new, len(reports) - new, tuple(notes))


def _other_exercises(there: Sequence[Attempt], reports: Sequence[Report]) -> Iterator[str]:
    """Perhaps the run belongs to another assignment, or graded only a part of this one."""
    before = dict.fromkeys(one.name for attempt in there for one in attempt.exercises)
    now = dict.fromkeys(one.name for report in reports for one in report.exercises)
    gone, come = [n for n in before if n not in now], [n for n in now if n not in before]
    if before and gone:
        yield f"{', '.join(gone)}: in this assignment so far, but not in this run"
    if before and come:
        yield f"{', '.join(come)}: in this run, but not in this assignment so far"


def _attempt(report: Report, student: Student, assignment: Assignment, source: Source) -> Attempt:
    return Attempt(
        student_key=student.id,
        assignment_key=assignment.id,
        submission=one_line(report.submission),
        handed_in=one_line(report.handed_in),
        late=bool(report.late),
        graded_at=one_line(report.graded_at),
        seed=str(report.conditions.seed),
        digests=dict(report.digests),
        score=report.score,
        max_score=report.max_score,
        strict_score=report.strict_score,
        followed_score=report.followed_score,
        digest=_digest(report),
        run=one_line(source.run),
        taken_in_at=source.now,
        taken_in_by=source.author,
        exercises=[
            ExerciseScore(place=place, name=one.name, score=one.score, max_score=one.max_score)
            for place, one in enumerate(report.exercises)
        ],
    )


def _digest(report: Report) -> str:
    text = json.dumps(to_json(report), sort_keys=True, ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _grading(attempt: Attempt) -> tuple[object, ...]:
    """What one grading is known by. Its marks are no part of it: an assignment may be weighed
    anew, and be weighed back again.
    """
    return (attempt.student_key, attempt.submission, attempt.handed_in, attempt.graded_at,
            json.dumps(attempt.digests, sort_keys=True))  # fmt: skip


def _marks(attempt: Attempt) -> tuple[object, ...]:
    """What a weighing changes. Not the whole digest: words change with the grader's version."""
    each = [(one.name, one.score, one.max_score) for one in attempt.exercises]
    return (attempt.score, attempt.max_score, attempt.late, each)
