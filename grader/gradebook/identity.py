"""Whose report it is: a student is known by the platform's id, else by name and submission.

Two are never made one, nor one two, without a word: whatever had to be guessed is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.errors import GradebookError
from grader.gradebook.drawn import drawn_id
from grader.gradebook.models import Student
from grader.model import Report
from grader.report.plain import one_line
from grader.spelling import folded

TAKEN_FOR = "{submission}: taken for {known}, who alone has this name, here and in the run"
NAMESAKE = "{submission}: a student of their own; the gradebook has the same name for {known}"
SEVERAL = "{student}: several of the roster may be meant, and none of them has a row: {names}"
OTHER_NAME = "{submission}: id {id} is {known} in the gradebook, and {name} in the run"


class People:
    """The students of the gradebook, and those whom the reports of a run add."""

    def __init__(self, students: Iterable[Student], reports: Sequence[Report]) -> None:
        self._students = list(students)
        self._drawn = {student.drawn for student in self._students}
        self._named: dict[str, set[tuple[str, str]]] = {}
        for report in reports:
            who = ("id", _same(report.student_id)) if report.student_id else ("", report.submission)
            self._named.setdefault(_same(_name(report)), set()).add(who)
        self.notes: list[str] = []

    def of(self, report: Report) -> Student:
        """The student, perhaps a new one."""
        known = self._by_id(report) if report.student_id else self._by_submission(report)
        return known or self._by_name_alone(report) or self._new(report)

    def _by_id(self, report: Report) -> Student | None:
        number = _same(report.student_id)
        found = next((s for s in self._students if _same(s.platform_id) == number), None)
        if found and _same(found.name) != _same(_name(report)):
            self._note(OTHER_NAME, report, [found])
        return found

    def _by_submission(self, report: Report) -> Student | None:
        those = [s for s in self._namesakes(report) if not s.platform_id]
        name = _same(report.submission)
        return next((s for s in those if _same(s.submission) == name), None)

    def _by_name_alone(self, report: Report) -> Student | None:
        """The one student of this name, if one of the two has no id and the run has no namesake."""
        those = self._namesakes(report)
        alone = len(those) == 1 and len(self._named[_same(_name(report))]) == 1
        if not alone or (report.student_id and those[0].platform_id):
            return None
        self._note(TAKEN_FOR, report, those)
        those[0].platform_id = those[0].platform_id or one_line(report.student_id)
        return those[0]

    def _new(self, report: Report) -> Student:
        those = self._namesakes(report)
        if those:
            self._note(NAMESAKE, report, those)
        drawn = drawn_id(self._drawn)
        student = Student(
            name=one_line(_name(report)),
            platform_id=one_line(report.student_id),
            submission=one_line(report.submission),
            drawn=drawn,
        )
        self._students.append(student)
        self._drawn.add(drawn)
        return student

    def _namesakes(self, report: Report) -> list[Student]:
        name = _same(_name(report))
        return [student for student in self._students if _same(student.name) == name]

    def _note(self, text: str, report: Report, those: Sequence[Student]) -> None:
        known = ", ".join(map(described, those))
        fields = {"submission": report.submission, "name": _name(report), "id": report.student_id}
        self.notes.append(text.format(known=known, **fields))


def _name(report: Report) -> str:
    return report.student or report.submission


def _same(text: str) -> str:
    """What names and ids are compared by: as the gradebook keeps them, composed and folded."""
    return folded(one_line(text))


def described(student: Student) -> str:
    """So that namesakes are told apart."""
    if student.platform_id:
        return f"{student.name} (id {student.platform_id})"
    if student.submission != student.name:
        return f"{student.name} (submission {student.submission})"
    return student.name


def the_student(students: Iterable[Student], called: str) -> Student:
    """Who has this id, drawn id, name or submission; raises ``GradebookError`` unless it is one."""
    sought = folded(called)
    fitting = [s for s in students if sought in map(folded, (s.drawn, s.platform_id))]
    fitting = fitting or [s for s in students if sought == folded(s.name)]
    fitting = fitting or [s for s in students if sought == folded(s.submission)]
    if len(fitting) == 1 and sought:
        return fitting[0]
    if not fitting or not sought:
        raise GradebookError(
            f"Nobody in the gradebook is called {called!r}: name a student, or give an id."
        )
    those = "; ".join(map(described, fitting))
    raise GradebookError(
        f"{called!r} fits several: {those}. Give an id, the submission's name, or the drawn id, "
        "which `grader gradebook show --pairing` shows."
    )
