"""A roster -> students of the gradebook: who handed in nothing has a row as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.collect.matching import Matcher
from grader.collect.roster import Enrolled
from grader.gradebook.drawn import drawn_id
from grader.gradebook.identity import SEVERAL, described
from grader.gradebook.models import Student
from grader.report.plain import one_line


@dataclass(frozen=True)
class EnrolledNow:
    """How many students of the roster are new; what a person should know of the others."""

    new: int
    notes: tuple[str, ...]


def enrol(session: Session, roster: Sequence[Enrolled]) -> EnrolledNow:
    """Add who is on the roster and fits no student of the gradebook. Whoever might be one that is
    there is not added: a student must not be there twice, once with a mark and once with none.
    """
    students = session.scalars(select(Student).order_by(Student.id)).all()
    there, notes = _there(students, roster)
    drawn = {student.drawn for student in students}
    new = [_student(who, drawn) for place, who in enumerate(roster) if place not in there]
    session.add_all(new)
    return EnrolledNow(len(new), tuple(notes))


def _there(students: Sequence[Student], roster: Sequence[Enrolled]) -> tuple[set[int], list[str]]:
    matcher, there, notes = Matcher(roster), set[int](), list[str]()
    for student in students:
        match = matcher.whose([student.name, student.submission], [student.platform_id])
        there.update(match.owners, match.rivals)
        if match.rivals:
            names = ", ".join(one_line(roster[place].name) for place in match.rivals)
            notes.append(SEVERAL.format(student=described(student), names=names))
    return there, notes


def _student(who: Enrolled, drawn: set[str]) -> Student:
    name = one_line(who.name)
    found = Student(name=name, platform_id=one_line(who.id), submission=name, drawn=drawn_id(drawn))
    drawn.add(found.drawn)
    return found
