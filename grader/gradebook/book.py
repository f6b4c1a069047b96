"""The gradebook: what can be asked of it, and what can be added. Nothing in it is overwritten."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import select

from grader.collect.roster import Enrolled
from grader.errors import GradebookError
from grader.gradebook.counting import Standing, Total
from grader.gradebook.database import Database
from grader.gradebook.enrolling import enrol
from grader.gradebook.finding import (
    known_assignment,
    numbered,
    require_in_force,
    standings_in,
    the_assignment,
    the_exercise,
    the_group,
)
from grader.gradebook.groups import Grouped, grouped
from grader.gradebook.history import Life
from grader.gradebook.identity import the_student
from grader.gradebook.models import (
    BEST,
    COMMENT,
    LATEST,
    MARK,
    WITHDRAWAL,
    Assignment,
    Attempt,
    Entry,
    Student,
)
from grader.gradebook.taking_in import Source, TakenIn, take_in
from grader.gradebook.upgrading import brought_up_to_date
from grader.model import Report
from grader.report.plain import one_line


@dataclass(frozen=True)
class About:
    """What an entry is about: whose work, in which assignment, in which exercise of it (or all)."""

    student: str
    assignment: str
    exercise: str = ""


class Gradebook:
    """An open gradebook; ``copy`` is where an older form of it was kept when it was opened.

    Raises ``GradebookError`` where there is none, where it cannot be read, and for whatever is
    asked of it that cannot be.
    """

    def __init__(self, where: str, may_be_new: bool = False) -> None:
        self._database = Database(where)
        self.copy: Path | None = brought_up_to_date(self._database, may_be_new)

    @property
    def shown(self) -> str:
        """Where it lies."""
        return self._database.shown

    def add(
        self,
        reports: Sequence[Report],
        assignment: str,
        run: str,
        author: str,
        counts: str | None = None,
        roster: Sequence[Enrolled] = (),
    ) -> TakenIn:
        """Take in the reports of a run, all or none, and who else is on the ``roster``. ``counts``
        is ``latest`` or ``best``; without it what was said last holds, and for a new assignment
        ``latest``.
        """
        if counts not in (None, LATEST, BEST):
            raise GradebookError(f"What counts is {LATEST} or {BEST}, not {counts!r}.")
        if not assignment.strip():
            raise GradebookError("An assignment has a name: give one with --assignment.")
        with self._database.writing() as session:
            into = known_assignment(session, assignment) or _new(assignment)
            into.counts = counts or into.counts
            session.add(into)
            session.flush()
            taken = take_in(session, reports, into, Source(run, author, now()))
            session.flush()
            others = enrol(session, roster)
            return replace(taken, notes=(*taken.notes, *others.notes), absent=others.new)

    def group(self, name: str, assignments: Sequence[str], drop_worst: int | None) -> Grouped:
        """Put assignments into the group of this name, or, without a name, into none; each is in
        one at most. ``drop_worst`` says how many do not count, from now on.
        """
        if drop_worst is not None and drop_worst < 0:
            raise GradebookError(f"No less than 0 assignments can be dropped, not {drop_worst}.")
        with self._database.writing() as session:
            those = [the_assignment(session, one) for one in assignments]
            group = the_group(session, name, may_be_new=bool(those)) if name.strip() else None
            for one in those:
                one.group = group
            if group is not None and drop_worst is not None:
                group.drop_worst = drop_worst
            session.flush()
            return grouped(session, group)

    def set_mark(self, about: About, mark: float, reason: str, author: str) -> Entry:
        """A mark by hand, beside the automatic one; the newest one counts until withdrawn."""
        if not math.isfinite(mark) or mark < 0:
            raise GradebookError(f"A mark is a number, and not below 0: {mark:g} is none.")
        return self._say(about, MARK, _required(reason, "--reason"), author, mark)

    def comment(self, about: About, text: str, author: str) -> Entry:
        """A comment, beside all others."""
        return self._say(about, COMMENT, _required(text, "TEXT"), author)

    def withdraw(self, number: str, reason: str, author: str) -> Entry:
        """Entry ``e12`` or attempt ``a12`` no longer counts; both stay in the history."""
        reason = _required(reason, "--reason")
        with self._database.writing() as session:
            gone = numbered(session, number)
            entry = Entry(
                kind=WITHDRAWAL,
                student_key=gone.student_key,
                assignment_key=gone.assignment_key,
                exercise="",
                text=reason,
                author=author,
                made_at=now(),
                withdraws_entry=gone.id if isinstance(gone, Entry) else None,
                withdraws_attempt=gone.id if isinstance(gone, Attempt) else None,
            )
            require_in_force(session, gone, number)
            session.add(entry)
        return entry

    def standings(self, assignment: str | None = None) -> list[Standing]:
        """Every student in every assignment, or in one, in the order of names; without assignments
        of which nobody has anything.
        """
        with self._database.reading() as session:
            wanted = the_assignment(session, assignment) if assignment else None
            return _begun(standings_in(session, assignment=wanted))

    def standing(self, entry: Entry) -> Standing:
        """How the student stands in the assignment that an entry is about."""
        with self._database.reading() as session:
            student = session.get_one(Student, entry.student_key)
            assignment = session.get_one(Assignment, entry.assignment_key)
            return standings_in(session, student, assignment)[0]

    def totals(self) -> list[Total]:
        """Every student over all assignments, in the order of names. One that nobody has handed in
        counts for nobody.
        """
        with self._database.reading() as session:
            found = _begun(standings_in(session))
        those: dict[int, list[Standing]] = {}
        for one in found:
            those.setdefault(one.student.id, []).append(one)
        return [Total(several[0].student, tuple(several)) for several in those.values()]

    def history(self, student: str) -> Life:
        """All that there is on one student."""
        with self._database.reading() as session:
            who = the_student(session.scalars(select(Student)).all(), student)
            found = standings_in(session, who)
            assignments = {one.id: one for one in session.scalars(select(Assignment))}
            attempts = select(Attempt).where(Attempt.student_key == who.id).order_by(Attempt.id)
            entries = select(Entry).where(Entry.student_key == who.id).order_by(Entry.id)
            return Life(who, assignments, tuple(session.scalars(attempts)),
                        tuple(session.scalars(entries)), tuple(found))  # fmt: skip

    def _say(
        self, about: About, kind: str, text: str, author: str, mark: float | None = None
    ) -> Entry:
        with self._database.writing() as session:
            who = the_student(session.scalars(select(Student)).all(), about.student)
            assignment = the_assignment(session, about.assignment)
            entry = Entry(
                kind=kind,
                student_key=who.id,
                assignment_key=assignment.id,
                exercise=the_exercise(session, assignment, about.exercise),
                mark=mark,
                text=text,
                author=author,
                made_at=now(),
            )
            session.add(entry)
        return entry


def _begun(found: Sequence[Standing]) -> list[Standing]:
    """Those in assignments of which somebody has something."""
    begun = {one.assignment.id for one in found if one.attempts or one.manual or one.comments}
    return [one for one in found if one.assignment.id in begun]


def now() -> str:
    """UTC, to the second, as in reports."""
    return f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"


def _required(text: str, what: str) -> str:
    if not text.strip():
        raise GradebookError(f"{what} is empty: say it in words, for whoever asks later.")
    return "\n".join(map(one_line, text.strip().splitlines()))


def _new(assignment: str) -> Assignment:
    return Assignment(name=" ".join(one_line(assignment).split()), counts=LATEST)
