"""What an assignment asks of all students, read once for a class; and one student's work on it."""

from __future__ import annotations

import atexit
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat import read

from grader.bridges.exercise_cells import Cell, exercise_cells
from grader.bridges.handed_in import OTHER_NAME, HandedIn, Module, changed_cells, submission_of
from grader.bridges.outputs import Told
from grader.bridges.own_cells import names_defined_in, told_of_missed, told_of_solved
from grader.bridges.run_folder import kept_seed
from grader.course.assignment import FILE_NAME, STRICT, read_for
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.marks import strictly
from grader.examiner.collection import Suites, collected
from grader.model import Report, Submission, Verdict
from grader.pipeline import Run, conditions, grade_one, require_full
from grader.programs.budget import LIMITS, limits_of
from grader.report.words import told as told_of
from grader.sandbox.launch import Sandbox, open_sandbox


@dataclass(frozen=True)
class Assigned:
    """Pages as cells and the text of locked ones, by exercise; and what they are graded with."""

    pages: Mapping[str, Sequence[Cell]]
    locked: Mapping[str, Mapping[str, str]]
    suites: Suites
    run: Run
    strict: bool = False

    def grade(self, folder: Path, student: str) -> Graded:
        """A student's report on all notebooks in ``folder``."""
        submission, handed_in, modules = submission_of(self.pages, folder, student)
        report = grade_one(self.suites, self.run, submission)
        return Graded(report, submission, handed_in, modules, self.locked, self.strict)


def assigned(source: Path, kept: Path, isolation: str) -> Assigned:
    """The exercises whose notebooks lie in ``source``. In ``kept`` lie the assignment's file, if it
    has one, and its seed; what checks are worth, their cells say.
    """
    course = find_course()
    catalog = load_catalog(course)
    exercises = [one for one in catalog.values() if (source / f"{one.name}.ipynb").exists()]
    terms = kept / FILE_NAME
    asked = read_for(course, catalog, terms) if terms.exists() else None
    seed = kept_seed(kept) if asked is None or asked.seed is None else asked.seed
    limits = limits_of(asked)
    sandbox = sandbox_of(isolation, limits.memory_mib)
    found = conditions(course, sandbox, seed, ("cpu",), limits)
    return Assigned(
        {one.name: exercise_cells(course, one) for one in exercises},
        {one.name: _locked(source / f"{one.name}.ipynb") for one in exercises},
        collected(course, exercises),
        Run(exercises, sandbox, found),
        strict=asked is not None and asked.marks == STRICT,
    )


def _locked(source: Path) -> dict[str, str]:
    """The text of the cells that a student must leave alone."""
    marked = [(c, c.metadata.get("nbgrader", {})) for c in read(source, as_version=4).cells]
    return {
        marks["grade_id"]: cell.source
        for cell, marks in marked
        if marks.get("grade_id") and not marks.get("solution")
    }


@functools.cache
def sandbox_of(isolation: str, memory_mib: int = LIMITS.memory_mib) -> Sandbox:
    """The only one of this process whose workers may take so much."""
    sandbox = open_sandbox(isolation or None, memory_mib=memory_mib)
    atexit.register(sandbox.close)
    if isolation != "process":
        require_full(sandbox)
    return sandbox


@dataclass(frozen=True)
class Graded:
    """One student's report, and how the notebooks became modules."""

    report: Report
    submission: Submission
    handed_in: Mapping[str, HandedIn]
    modules: Mapping[str, Module]
    locked: Mapping[str, Mapping[str, str]]
    strict: bool = False

    def verdicts(self, exercise: str) -> dict[str, Verdict]:
        """By check, as the assignment counts."""
        found = [v for e in self.report.exercises if e.name == exercise for v in e.verdicts]
        counted = map(strictly, found) if self.strict else found
        return {verdict.check.name: verdict for verdict in counted}

    def told(self, exercise: str) -> Told:
        """What a notebook says beside its verdicts."""
        module = self.modules.get(exercise)
        handed_in = self.handed_in.get(exercise, HandedIn())
        if module is None or handed_in.problem is not None:
            return Told(exercise, module, {})
        notes = {name: list(told) for name, told in module.notes.items()}
        changed = changed_cells(self.locked[exercise], handed_in).items()
        more = [*self._of_own_cells(exercise, module, handed_in), *self._of_notebooks(handed_in)]
        for name, said in [*changed, *more]:
            notes.setdefault(name or module.starts[0][1], []).append(said)
        return Told(exercise, module, notes)

    def _of_own_cells(
        self, exercise: str, module: Module, handed_in: HandedIn
    ) -> Iterator[tuple[str, str]]:
        own = self._defined_elsewhere()
        for name, verdict in self.verdicts(exercise).items():
            yield from ((name, said) for said in told_of_missed(verdict, own))
        solutions = {name: handed_in.cells.get(name, "") for name in module.notes}
        yield from told_of_solved(solutions, own).items()

    def _of_notebooks(self, handed_in: HandedIn) -> Iterator[tuple[str, str]]:
        """Of this one and of those that are missing: it belongs to no cell."""
        yield from (("", said) for said in handed_in.oddities)
        for cause in self.submission.problems.values():
            if cause.kind == OTHER_NAME:
                found = told_of(cause)
                yield "", f"{found.rationale} {found.help}"

    def _defined_elsewhere(self) -> set[str]:
        """In cells that were added, and in those that were restored."""
        own = {name for one in self.handed_in.values() for name in one.own_names}
        restored = [
            one.cells[name]
            for exercise, one in self.handed_in.items()
            for name in self.locked[exercise].keys() & one.cells.keys()
        ]
        return own | names_defined_in(restored)
