"""nbgrader's own commands with our judge in them: named in a course's ``nbgrader_config.py``.

``GiveBodies`` makes what students get. ``HandedInExporter`` reads what was handed in,
``GradeInWorker`` takes the place of nbgrader's ``Execute``, ``SaveGrades`` that of
``SaveAutoGrades``. No kernel is ever started.

What nbgrader reads marks from, the outputs of cells, is made in ``outputs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, read
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool, Unicode
from traitlets.log import get_logger

from grader.bridges.assigned import Assigned, Graded, assigned, sandbox_of
from grader.bridges.found_instead import found_instead
from grader.bridges.handed_in import HandedIn, read_notebook
from grader.bridges.outputs import SETTLED, Told, fill, hang
from grader.bridges.run_folder import run_folder
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import BEGIN, given_instead
from grader.pictures import picture_of
from grader.report.record import write_report
from grader.report.words import suspicion

Value = TypeVar("Value")


def name_what_was_found(notebooks: Sequence[str], **which: str) -> None:
    """nbgrader passes over a notebook under another name: its log says which it found instead."""
    course = find_course()
    for folder in {Path(notebook).parent for notebook in notebooks}:
        for name, found in found_instead(folder, load_catalog(course)).items():
            get_logger().warning("Not graded: %s. Was it to be %s.ipynb?", folder / found, name)


class HandedInExporter(NotebookExporter):
    """The instructor's notebook with the student's solutions in it, whatever was handed in."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **options: Any
    ) -> Any:
        converter = self.parent
        if not converter._sanitizing:
            return super().from_filename(filename, resources=resources, **options)
        assert resources is not None
        path = Path(filename)
        source = _folder(converter, "source_directory", ".", resources) / path.name
        notebook = restored(read(source, as_version=4), read_notebook(path))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return self.from_notebook_node(notebook, resources=resources, **options)


def restored(source: NotebookNode, handed_in: HandedIn) -> NotebookNode:
    """The notebook that nbgrader may see: ours, with the text of the solution cells."""
    for cell in source.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            cell.source = handed_in.cells.get(marks["grade_id"], "")
    return source


class GiveBodies(ClearSolutions):
    """Takes the place of ``ClearSolutions``, which empties every body: where one is given, to be
    mended, students get that.
    """

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        source, cell.source = cell.source, given_instead(cell.source)
        if cell.source != source and BEGIN not in cell.source:
            return cell, resources  # with no region left, all of it would be cleared
        emptied: tuple[NotebookNode, Any] = super().preprocess_cell(cell, resources, cell_index)
        return emptied


class GradeInWorker(NbGraderPreprocessor):
    """Takes the place of ``Execute``: the checks run the student's code in our workers."""

    isolation = Unicode("", help="'process' gives marks also where there is no full isolation").tag(
        config=True
    )
    pictures = Bool(False, help="draw what lost points, into the feedback").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        converter, name = self.parent.parent, resources["nbgrader"]["notebook"]
        student = resources["nbgrader"]["student"]
        run = run_folder(Path(converter.coursedir.root), resources["nbgrader"]["assignment"])
        graded = self._graded(run, student, resources)
        told = graded.told(name)
        resources["no_verdict"] = fill(nb, graded.verdicts(name), told)
        self._log_what_a_person_should_see(student, name, graded)
        if self.pictures:
            self._draw(nb, graded, told)
        return nb, resources

    def _graded(self, run: Path, student: str, resources: Any) -> Graded:
        """Made once for all notebooks of a student, of what is read once for a command's class."""
        converter = self.parent.parent
        folder = _folder(converter, "submitted_directory", student, resources)
        source = _folder(converter, "source_directory", ".", resources)
        command = converter, source, run, self.isolation
        task = _tasks.once(command, lambda: assigned(source, run, self.isolation))

        def graded() -> Graded:
            found = task.grade(folder, student)
            write_report(found.report, run)
            return found

        return _students.once((*command, folder), graded)

    def _log_what_a_person_should_see(self, student: str, name: str, graded: Graded) -> None:
        for verdict in graded.verdicts(name).values():
            if verdict.outcome not in SETTLED:
                self.log.error("No verdict: %s, %s, %s", student, name, verdict.check.name)
            if verdict.measured is not None and verdict.measured.suspicious:
                self.log.warning("Suspiciously fast: %s, %s", student, suspicion(verdict))

    def _draw(self, nb: NotebookNode, graded: Graded, told: Told) -> None:
        def warn(exercise: str, why: str) -> None:
            self.log.warning("No picture: %s, %s: %s", graded.report.student, exercise, why)

        course, sandbox = find_course(), sandbox_of(self.isolation)
        for exercise in graded.report.exercises:
            if exercise.name == told.exercise:
                submission = graded.submission
                picture = picture_of(course, exercise, submission, sandbox, warn, told.spot)
                if picture is not None:
                    hang(nb, picture)


class _Last(Generic[Value]):
    """The last value that was made, and what it was made for."""

    def __init__(self) -> None:
        self._kept: tuple[object, Value] | None = None

    def once(self, what: object, make: Callable[[], Value]) -> Value:
        """The value for ``what``, made if the last one was for something else."""
        if self._kept is None or self._kept[0] != what:
            self._kept = what, make()
        return self._kept[1]


_tasks: _Last[Assigned] = _Last()
_students: _Last[Graded] = _Last()


class SaveGrades(SaveAutoGrades):
    """As nbgrader's own, but what has no verdict has no mark: a person must look at it."""

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._add_score(cell, resources)
        name = cell.metadata["nbgrader"]["grade_id"]
        if name in resources["no_verdict"]:
            grade = self.gradebook.find_grade(
                name, self.notebook_id, self.assignment_id, self.student_id
            )
            grade.auto_score, grade.needs_manual_grade = None, True
            self.gradebook.db.commit()


def _folder(converter: Any, kind: str, student: str, resources: Mapping[str, Any]) -> Path:
    course = converter.coursedir
    assignment = resources["nbgrader"]["assignment"]
    return Path(course.format_path(getattr(course, kind), student, assignment))
