"""Cells -> notebooks, and a course folder as nbgrader expects it. Plain JSON: nothing of Jupyter
is needed to write it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.bridges.exercise_cells import Cell, CellKind, exercise_cells
from grader.bridges.run_folder import terms_path
from grader.course import suite_text
from grader.course.assignment import Assignment
from grader.course.catalog import load_catalog, select
from grader.course.course import Course
from grader.course.imports import own_modules
from grader.course.markers import GIVEN
from grader.course.marks import points_by_check
from grader.errors import GraderError
from grader.model import Exercise

_GIVES_BODIES = "grader.bridges.nbgrader.GiveBodies"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def build_course(
    course: Course,
    folder: Path,
    assignment: str,
    names: Sequence[str],
    terms: Assignment | None = None,
) -> list[Path]:
    """Write ``nbgrader_config.py``, unless there is one, and the source notebooks; with ``terms``,
    those of its exercises, whose checks have its points, and a copy of its file, for grading.
    """
    if not assignment or any(sign in assignment for sign in "/\\+*?[]"):
        raise GraderError(f"{assignment!r} cannot be an assignment's name: use letters and digits.")
    config = folder / "nbgrader_config.py"
    written: list[Path] = []
    if not config.exists():
        folder.mkdir(parents=True, exist_ok=True)
        config.write_text(_CONFIG, encoding="utf-8")
        written.append(config)
    elif "grader.bridges.nbgrader.GradeInWorker" not in config.read_text(encoding="utf-8"):
        raise GraderError(f"{config} is another course's: autograding would run in a kernel.")
    texts = {terms_path(folder, assignment): terms.text} if terms else {}
    for exercise in chosen(course, terms.exercises if terms else names):
        path = folder / "source" / assignment / f"{exercise.name}.ipynb"
        worth = _worth(course, exercise, terms) if terms else None
        texts[path] = notebook_text(exercise_cells(course, exercise, worth))
    if any(GIVEN in text for text in texts.values()):
        _require_bodies_given(config)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _require_bodies_given(config: Path) -> None:
    """A configuration from before would empty every body."""
    if _GIVES_BODIES not in config.read_text(encoding="utf-8"):
        raise GraderError(
            f"{config} does not know of bodies that are given to be mended. Move it away, build "
            "once more, and copy what is yours into the new one."
        )


def _worth(course: Course, exercise: Exercise, terms: Assignment) -> dict[str, float]:
    points = suite_text.points_by_check(course, exercise.name)
    core = suite_text.core_checks(course, exercise.name)
    return points_by_check(points, exercise.name, terms, core)


def chosen(course: Course, names: Sequence[str]) -> list[Exercise]:
    """The exercises called ``names`` and those they are assembled from, in teaching order."""
    catalog = load_catalog(course)
    wanted = {exercise.name for exercise in select(catalog, names)}
    texts = course.solution_texts
    for name in tuple(wanted):
        wanted |= own_modules(texts, name) & catalog.keys()
    return [exercise for exercise in catalog.values() if exercise.name in wanted]


def notebook_text(cells: Sequence[Cell]) -> str:
    """A notebook of format 4.5; the same bytes from the same cells."""
    notebook = {
        "cells": [_json(cell) for cell in cells],
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _json(cell: Cell) -> dict[str, Any]:
    identity = hashlib.sha256(cell.name.encode()).hexdigest()[:16]
    common = {"id": identity, "source": cell.text.splitlines(keepends=True)}
    if cell.kind is CellKind.PROSE:
        return common | {"cell_type": "markdown", "metadata": {}}
    graded = cell.kind is CellKind.CHECK
    marks: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": cell.name,
        "grade": graded,
        "locked": cell.kind is not CellKind.SOLUTION,
        "solution": cell.kind is CellKind.SOLUTION,
        "task": False,
    }
    if graded:
        marks["points"] = cell.points
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
    return common | code | {"metadata": {"nbgrader": marks}}


_CONFIG = '''\
"""This course is graded by its own checks, in workers, and never in a kernel.

Run `grader nbgrader build` to add an assignment, then nbgrader's own commands as usual.
"""

c = get_config()  # noqa: F821

c.ClearSolutions.code_stub = {
    "python": '# TODO: your code here\\nraise NotImplementedError("replace this line")'
}

# nbgrader's own list, but for GiveBodies: where a body is given, students get it, to be mended.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "grader.bridges.nbgrader.GiveBodies",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# What was handed in is read by us: whatever became of a notebook, the class goes on.
c.Autograde.exporter_class = "grader.bridges.nbgrader.HandedInExporter"

# A notebook under another name, `NAME (1).ipynb`, is not graded: autograde's log names it.
c.Autograde.pre_convert_hook = "grader.bridges.nbgrader.name_what_was_found"

# In nbgrader's own list, the first runs the notebook, and marks are read from what it printed.
# Metadata was checked before, as nbgrader restored the notebook.
c.Autograde.autograde_preprocessors = [
    "grader.bridges.nbgrader.GradeInWorker",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "grader.bridges.nbgrader.SaveGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]

# On a machine without full isolation, marks are given only if you take that upon yourself:
# c.GradeInWorker.isolation = "process"

# Draws what lost points into the feedback, as `show` does in a notebook; needs matplotlib:
# c.GradeInWorker.pictures = True
'''
