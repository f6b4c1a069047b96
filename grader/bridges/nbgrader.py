"""nbgrader's own commands with our judge in them: named in a course's ``nbgrader_config.py``.

``HandedInExporter`` reads what was handed in, ``GradeInWorker`` takes the place of nbgrader's
``Execute``, ``SaveGrades`` that of ``SaveAutoGrades``. No kernel is ever started.

What nbgrader reads marks from, the outputs of cells, is made in ``outputs.py``.
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode, read
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool, Unicode
from traitlets.log import get_logger

from grader.backends.cores import core_for
from grader.bridges.exercise_cells import exercise_cells
from grader.bridges.found_instead import found_instead
from grader.bridges.handed_in import (
    HandedIn,
    Module,
    changed_cells,
    read_notebook,
    submission_of,
)
from grader.bridges.outputs import SETTLED, Told, fill, hang
from grader.bridges.own_cells import told as told_of_own_cells
from grader.bridges.run_folder import kept_seed, run_folder
from grader.course.assignment import FILE_NAME, read_for
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.examiner.collection import Suites, collected
from grader.model import Report, Submission, Verdict
from grader.pictures import picture_of
from grader.pipeline import Run, conditions, grade_one, require_full, suites_digest
from grader.programs.budget import LIMITS, Limits, limits_of
from grader.report.record import write_report
from grader.report.words import suspicion
from grader.sandbox.launch import Sandbox, open_sandbox


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


class GradeInWorker(NbGraderPreprocessor):
    """Takes the place of ``Execute``: the checks run the student's code in our workers."""

    isolation = Unicode("", help="'process' gives marks also where there is no full isolation").tag(
        config=True
    )
    pictures = Bool(False, help="draw what lost points, into the feedback").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        converter, name = self.parent.parent, resources["nbgrader"]["notebook"]
        student = resources["nbgrader"]["student"]
        folder = _folder(converter, "submitted_directory", student, resources)
        source = _folder(converter, "source_directory", ".", resources)
        root = Path(converter.coursedir.root)
        run = run_folder(root, resources["nbgrader"]["assignment"])
        graded = _graded(folder, source, student, self.isolation, run)
        write_report(graded.report, run)
        told = graded.told(name)
        resources["no_verdict"] = fill(nb, graded.verdicts(name), told)
        self._log_what_a_person_should_see(student, name, graded)
        if self.pictures:
            self._draw(nb, graded, told)
        return nb, resources

    def _log_what_a_person_should_see(self, student: str, name: str, graded: Graded) -> None:
        for verdict in graded.verdicts(name).values():
            if verdict.outcome not in SETTLED:
                self.log.error("No verdict: %s, %s, %s", student, name, verdict.check.name)
            if verdict.measured is not None and verdict.measured.suspicious:
                self.log.warning("Suspiciously fast: %s, %s", student, suspicion(verdict))

    def _draw(self, nb: NotebookNode, graded: Graded, told: Told) -> None:
        def warn(exercise: str, why: str) -> None:
            self.log.warning("No picture: %s, %s: %s", graded.report.student, exercise, why)

        course, sandbox = find_course(), _sandbox(self.isolation)
        for exercise in graded.report.exercises:
            if exercise.name == told.exercise:
                submission = graded.submission
                picture = picture_of(course, exercise, submission, sandbox, warn, told.spot)
                if picture is not None:
                    hang(nb, picture)


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


@dataclass(frozen=True)
class Graded:
    """One student's report, and how the notebooks became modules."""

    report: Report
    submission: Submission
    handed_in: Mapping[str, HandedIn]
    modules: Mapping[str, Module]
    locked: Mapping[str, Mapping[str, str]]

    def verdicts(self, exercise: str) -> dict[str, Verdict]:
        """By check."""
        found = [v for e in self.report.exercises if e.name == exercise for v in e.verdicts]
        return {verdict.check.name: verdict for verdict in found}

    def told(self, exercise: str) -> Told:
        module = self.modules.get(exercise)
        handed_in = self.handed_in.get(exercise, HandedIn())
        if module is None or handed_in.problem is not None:
            return Told(exercise, module, {})
        notes = {name: list(told) for name, told in module.notes.items()}
        for name, said in changed_cells(self.locked[exercise], handed_in).items():
            notes.setdefault(name, []).append(said)
        own = frozenset().union(*(one.own_names for one in self.handed_in.values()))
        for name, verdict in self.verdicts(exercise).items():
            notes.setdefault(name, []).extend(told_of_own_cells(verdict, own))
        if module.starts:
            notes.setdefault(module.starts[0][1], []).extend(handed_in.oddities)
        return Told(exercise, module, notes)


# While a class is graded, what is the same for all is kept, and the last student's report ---------

_last: dict[str, tuple[object, Graded]] = {}


def _graded(folder: Path, source: Path, student: str, isolation: str, run: Path) -> Graded:
    """The student's report on all notebooks of the assignment, made once for all of them; in
    ``run`` lie its file, if it has one, and its seed. What checks are worth, their cells say.
    """
    course = find_course()
    catalog = load_catalog(course)
    names = [name for name in catalog if (source / f"{name}.ipynb").exists()]
    pages = {name: exercise_cells(course, catalog[name]) for name in names}
    submission, handed_in, modules = submission_of(pages, folder, student)
    terms = run / FILE_NAME
    asked = read_for(course, catalog, terms) if terms.exists() else None
    seed = kept_seed(run) if asked is None or asked.seed is None else asked.seed
    key = (submission, str(folder), tuple(names), suites_digest(course), isolation, asked, seed)
    if _last.get("student", (None,))[0] == key:
        return _last["student"][1]
    report = _report(
        course, names, submission, isolation, limits_of(asked) if asked else LIMITS, seed
    )
    locked = {name: _locked(source / f"{name}.ipynb") for name in names}
    _last["student"] = key, Graded(report, submission, handed_in, modules, locked)
    return _last["student"][1]


def _report(
    course: Course,
    names: Sequence[str],
    submission: Submission,
    isolation: str,
    limits: Limits,
    seed: int,
) -> Report:
    suites, sandbox = _suites(), _sandbox(isolation)
    exercises = [suites.catalog[name] for name in names]
    found = conditions(course, sandbox, seed, ("cpu",))
    run = Run(exercises, sandbox, found, core_for(), limits)
    return grade_one(suites, run, submission)


def _locked(source: Path) -> dict[str, str]:
    """The text of the cells that a student must leave alone."""
    marked = [(c, c.metadata.get("nbgrader", {})) for c in read(source, as_version=4).cells]
    return {
        marks["grade_id"]: cell.source
        for cell, marks in marked
        if marks.get("grade_id") and not marks.get("solution")
    }


@functools.cache
def _sandbox(isolation: str) -> Sandbox:
    sandbox = open_sandbox(isolation or None)
    atexit.register(sandbox.close)
    if isolation != "process":
        require_full(sandbox)
    return sandbox


@functools.cache
def _suites() -> Suites:
    return collected(find_course())


def _folder(converter: Any, kind: str, student: str, resources: Mapping[str, Any]) -> Path:
    course = converter.coursedir
    assignment = resources["nbgrader"]["assignment"]
    return Path(course.format_path(getattr(course, kind), student, assignment))
