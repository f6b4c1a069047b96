"""The cells a student has run so far, as a submission; notebooks beside count as last saved."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.bridges.exercise_cells import module_cells
from grader.bridges.handed_in import HandedIn, Module, module_of, submission_of
from grader.bridges.own_cells import names_defined_in
from grader.course.catalog import load_catalog, select
from grader.course.course import Course
from grader.course.markers import MEND, REPLACE, given_instead
from grader.model import Exercise, Submission
from grader.programs.given import statements_apart
from grader.report.words import Spot


@dataclass(frozen=True)
class SoFar:
    """The submission, how its module of ``exercise`` is made of cells, and what other names were
    ever defined in one.
    """

    exercise: Exercise
    submission: Submission
    module: Module
    own_names: frozenset[str]

    @property
    def spot(self) -> Spot:
        """How a line of the module is spoken of: as a line of the cell it was typed in."""
        return self.module.spot(self.exercise.name)


def so_far(course: Course, name: str) -> SoFar:
    """What there is of the exercise ``name``; raises ``CatalogError`` for an unknown one."""
    catalog, here = load_catalog(course), Path.cwd()
    (exercise,) = select(catalog, [name])
    others = {
        n: module_cells(course, e) for n, e in catalog.items() if (here / f"{n}.ipynb").exists()
    }
    others.pop(name, None)
    saved, _, _ = submission_of(others, here, "notebook")
    typed = _typed()
    cells = _cells_run(exercise.names, typed)
    module = module_of(module_cells(course, exercise), HandedIn(cells))
    files = {**saved.files, name: module.text}
    submission = Submission("notebook", "notebook", files, saved.problems)
    return SoFar(exercise, submission, module, names_defined_in(typed))


def unfinished(course: Course, exercise: Exercise) -> str:
    """The first function or class of the page that no cell of this session defines, or that still
    is as it was given; empty where all are written.
    """
    cells = _cells_run(exercise.names, _typed())
    to_mend = _to_mend(course, exercise)
    for name in exercise.names:
        text, given = cells.get(name, REPLACE), to_mend.get(name)
        if REPLACE in text or (given is not None and statements_apart(given, text) == 0):
            return name
    return ""


def _to_mend(course: Course, exercise: Exercise) -> dict[str, str]:
    """The cells whose bodies are given, as they are given."""
    cells = {cell.name: given_instead(cell.text) for cell in module_cells(course, exercise)}
    return {name: text for name, text in cells.items() if MEND in text}


def _cells_run(names: Sequence[str], typed: Sequence[str]) -> dict[str, str]:
    """The latest cell of this session that defines each name, as it was typed."""
    found = {}
    for name in names:
        defines = re.compile(rf"^(def|class) {name}\b", re.M)
        for text in typed:
            if defines.search(text):
                found[name] = text
    return found


def _typed() -> list[str]:
    names = vars(sys.modules["__main__"])
    if "get_ipython" in names:
        return [str(text) for text in names["get_ipython"]().history_manager.input_hist_raw]
    return []
