"""Reports -> nbgrader's gradebook: students, a notebook for each exercise, a grade cell for each
check.

It is filled through nbgrader's own API. What a person entered there (marks, extra credit, comments)
is never touched; where the automatic score beneath a person's mark moves, it asks for another look,
as nbgrader's own autograding does.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from grader import DISTRIBUTION
from grader.course.marks import time_of
from grader.errors import GraderError
from grader.exports.students import points_of
from grader.model import Outcome, Report, Verdict
from grader.runs.reading import Run

_COURSE = "default_course"  # nbgrader's own name for a course that has none

Cells = Mapping[str, Mapping[str, float]]
"""What every check is worth, by exercise and by the name of its grade cell."""


def fill_gradebook(path: Path, assignment: str, run: Run) -> list[str]:
    """Write the reports of ``run`` into the gradebook at ``path``, a new one or an existing one.

    Returns who is not in it and why. A check without a verdict gets no automatic score, and waits
    for a person. Raises ``GraderError`` where nbgrader is missing, or the file is something else.
    """
    late = run.assignment is not None and run.assignment.late is not None
    with _opened(path) as book:
        _declare(book, assignment, cells_of(run.reports))
        known = {student.id for student in book.students}
        names = {report.submission: student_of(report, known) for report in run.reports}
        twice = {name for name, count in Counter(names.values()).items() if count > 1}
        for report in run.reports:
            if names[report.submission] not in twice:
                _submit(book, assignment, names[report.submission], report, late=late)
    return [
        f"{one.submission}: not written, for {names[one.submission]} has several submissions"
        for one in run.reports
        if names[one.submission] in twice
    ]


def student_of(report: Report, known: Collection[str]) -> str:
    """As the gradebook calls the student already, or else by id, or by name."""
    names = [name for name in (report.student_id, report.student, report.submission) if name]
    return next((name for name in names if name in known), names[0])


def cells_of(reports: Sequence[Report]) -> dict[str, dict[str, float]]:
    """Whatever is skipped in all reports does not exist."""
    found: dict[str, dict[str, float]] = {}
    for report in reports:
        for exercise in report.exercises:
            cells = found.setdefault(exercise.name, {})
            for verdict in exercise.verdicts:
                if verdict.outcome is not Outcome.SKIPPED:
                    name = cell_of(report, verdict)
                    cells[name] = max(verdict.max_points, cells.get(name, 0.0))
    return found


def cell_of(report: Report, verdict: Verdict) -> str:
    """The check's name, as in our notebooks; on a second device with that."""
    check, first = verdict.check, report.conditions.devices[:1]
    return check.name if check.device in first else f"{check.name}-{check.device}"


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        from nbgrader.api import Gradebook, InvalidEntry
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise GraderError(
            "This gradebook is nbgrader's, which is not installed: `pip install "
            f"'{DISTRIBUTION}[nbgrader]'`."
        ) from error
    course = _course_in(path)
    try:
        # With newer versions of SQLAlchemy, nbgrader's own queries warn at every student. It asks a
        # program beside Python for the version of a new gradebook.
        with (
            warnings.catch_warnings(action="ignore"),
            _python_in_path(),
            Gradebook(f"sqlite:///{path.resolve()}", course) as book,
        ):
            yield book
    except (InvalidEntry, SQLAlchemyError, OSError, SubprocessError) as error:
        said = str(error).partition("\n")[0]
        raise GraderError(
            f"{path} cannot be written ({said}). If it is of an older nbgrader, back it up and run "
            "`nbgrader db upgrade`."
        ) from error


@contextmanager
def _python_in_path() -> Iterator[None]:
    """Programs that are installed beside Python are found, and PATH is put back (by nbgrader's own
    ``setenv`` it is not: it is gone afterwards).
    """
    before = os.environ.get("PATH")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before or os.defpath}"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def _course_in(path: Path) -> str:
    """The course of an existing gradebook; raises ``GraderError`` for what is none of nbgrader's,
    before anything is added to it.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return _COURSE
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            file.execute("SELECT 1 FROM submitted_notebook")
            courses = [str(row[0]) for row in file.execute("SELECT id FROM course")]
    except sqlite3.Error as error:
        raise GraderError(f"{path} is no gradebook of nbgrader's ({error}).") from error
    return courses[0] if len(courses) == 1 else _COURSE


def _declare(book: Any, assignment: str, cells: Cells) -> None:
    """What is there already keeps all else."""
    book.update_or_create_assignment(assignment)
    for exercise, worth in cells.items():
        notebook = book.update_or_create_notebook(exercise, assignment)
        there = {cell.name: cell for cell in notebook.grade_cells}
        for name, points in worth.items():
            if name in there:
                there[name].max_score = points
            else:
                book.add_grade_cell(name, exercise, assignment, max_score=points, cell_type="code")
    book.db.commit()


def _submit(book: Any, assignment: str, student: str, report: Report, *, late: bool) -> None:
    book.update_or_create_student(student)
    handed_in = time_of(report.handed_in)
    when = {} if handed_in is None else {"timestamp": handed_in}
    submission = book.update_or_create_submission(assignment, student, **when)
    notebooks = {one.name: one for one in _complete(book, submission)}
    left = report.deducted
    for exercise in report.exercises:
        notebook = notebooks[exercise.name]
        grades = {grade.cell.name: grade for grade in notebook.grades}
        for verdict in exercise.verdicts:
            if grade := grades.get(cell_of(report, verdict)):
                _score(grade, points_of(verdict))
        if late:  # nbgrader knows penalties of notebooks alone
            notebook.late_submission_penalty = min(left, exercise.earned)
            left -= notebook.late_submission_penalty
    book.db.commit()


def _complete(book: Any, submission: Any) -> list[Any]:
    """Its notebooks, with a grade for every cell: nbgrader makes these for new submissions only."""
    from nbgrader.api import Grade, SubmittedNotebook

    there = {one.notebook.id: one for one in submission.notebooks}
    for notebook in submission.assignment.notebooks:
        if notebook.id not in there:
            there[notebook.id] = SubmittedNotebook(notebook=notebook, assignment=submission)
        graded = {grade.cell_id for grade in there[notebook.id].grades}
        for cell in notebook.grade_cells:
            if cell.id not in graded:
                book.db.add(Grade(cell_id=cell.id, notebook=there[notebook.id]))
    book.db.commit()
    return list(there.values())


def _score(grade: Any, points: float | None) -> None:
    if grade.manual_score is None:
        grade.needs_manual_grade = points is None
    elif grade.auto_score != points:
        grade.needs_manual_grade = True
    grade.auto_score = points
