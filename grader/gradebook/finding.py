"""What is meant by what somebody typed, and all that stands in the gradebook together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.errors import GradebookError
from grader.gradebook.counting import Standing, in_force, standing
from grader.gradebook.models import Assignment, Attempt, Entry, Group, Student
from grader.report.plain import one_line
from grader.spelling import folded


def standings_in(
    session: Session, student: Student | None = None, assignment: Assignment | None = None
) -> list[Standing]:
    """Every student in every assignment, or one, or in one: students by name, assignments as they
    came.
    """
    attempts = _by_place(session.scalars(_of(Attempt, student, assignment)))
    entries = _by_place(session.scalars(_of(Entry, student, assignment)))
    assignments = [assignment] if assignment else _in_order(session, Assignment)
    students = [student] if student else _in_order(session, Student)
    worth = {one.id: _worth(session, one) for one in assignments}
    return [
        standing(who, one, attempts.get((who.id, one.id), []), entries.get((who.id, one.id), []),
                 worth[one.id])
        for who in sorted(students, key=lambda who: (folded(who.name), who.id))
        for one in assignments
    ]  # fmt: skip


T = TypeVar("T", Attempt, Entry)
N = TypeVar("N", Assignment, Student)


def _of(kind: type[T], student: Student | None, assignment: Assignment | None) -> Select[T]:
    asked = select(kind).order_by(kind.id)
    if student:
        asked = asked.where(kind.student_key == student.id)
    return asked.where(kind.assignment_key == assignment.id) if assignment else asked


def _in_order(session: Session, kind: type[N]) -> Sequence[N]:
    return session.scalars(select(kind).order_by(kind.id)).all()


def _by_place(rows: Iterable[T]) -> dict[tuple[int, int], list[T]]:
    found: dict[tuple[int, int], list[T]] = {}
    for row in rows:
        found.setdefault((row.student_key, row.assignment_key), []).append(row)
    return found


def _worth(session: Session, assignment: Assignment) -> float:
    """Of the newest report, for whoever handed in nothing: weights may have changed."""
    asked = select(Attempt.max_score).where(Attempt.assignment_key == assignment.id)
    return session.scalars(asked.order_by(Attempt.id.desc()).limit(1)).first() or 0.0


def known_assignment(session: Session, name: str) -> Assignment | None:
    """The assignment of this name, however it is spelled; None without."""
    every = session.scalars(select(Assignment))
    return next((one for one in every if folded(one.name) == folded(name)), None)


def the_assignment(session: Session, name: str) -> Assignment:
    """The assignment of this name; raises ``GradebookError`` without."""
    known = known_assignment(session, name)
    if known is None:
        names = session.scalars(select(Assignment.name).order_by(Assignment.id))
        raise GradebookError(f"There is no assignment {name!r}. There are: {', '.join(names)}.")
    return known


def the_group(session: Session, name: str, may_be_new: bool) -> Group:
    """The group of this name, however it is spelled; raises ``GradebookError`` without."""
    groups = session.scalars(select(Group).order_by(Group.id)).all()
    known = next((one for one in groups if folded(one.name) == folded(name)), None)
    if known is not None:
        return known
    if not may_be_new:
        names = ", ".join(one.name for one in groups) or "none"
        raise GradebookError(
            f"There is no group {name!r}. There are: {names}. Name the assignments of a new one."
        )
    new = Group(name=" ".join(one_line(name).split()), drop_worst=0)
    session.add(new)
    return new


def the_exercise(session: Session, assignment: Assignment, name: str) -> str:
    """``name``, if it is an exercise of the assignment or empty; raises ``GradebookError``."""
    if not name:
        return ""
    attempts = session.scalars(select(Attempt).where(Attempt.assignment_key == assignment.id))
    names = list(dict.fromkeys(one.name for attempt in attempts for one in attempt.exercises))
    if name not in names:
        raise GradebookError(
            f"{assignment.name} has no exercise {name!r}. There are: {', '.join(names)}."
        )
    return name


def numbered(session: Session, number: str) -> Attempt | Entry:
    """Attempt ``a12`` or entry ``e12``; raises ``GradebookError`` without."""
    letter, digits = number[:1].lower(), number[1:]
    found: Attempt | Entry | None = None
    if digits.isascii() and digits.isdecimal() and len(digits) < 10:  # PostgreSQL takes 32 bits
        if letter == "a":
            found = session.get(Attempt, int(digits))
        elif letter == "e":
            found = session.get(Entry, int(digits))
    if found is None:
        raise GradebookError(
            f"There is no {number!r}: `grader gradebook history STUDENT` shows the numbers, e12 "
            "for what a person said, and a12 for an attempt."
        )
    return found


def require_in_force(session: Session, gone: Attempt | Entry, number: str) -> None:
    """Raises ``GradebookError`` for what was withdrawn before."""
    asked = select(Entry).where(Entry.student_key == gone.student_key).order_by(Entry.id)
    holding = in_force(session.scalars(asked).all())
    if isinstance(gone, Attempt):
        there = gone.id not in {entry.withdraws_attempt for entry in holding}
    else:
        there = gone.id in {entry.id for entry in holding}
    if not there:
        raise GradebookError(f"{number} was withdrawn before.")
