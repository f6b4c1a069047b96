"""What instructors do whose course lives in Jupyter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from grader.bridges.notebook import build_course
from grader.cli.assigning import planned
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError


def build(folder: Path, assignment: str, names: Sequence[str], file: Path | None = None) -> None:
    """Write a course folder that nbgrader's own commands work on, by an assignment's file if there
    is one; raises ``GraderError`` where it and ``names`` contradict each other.
    """
    course = find_course()
    plan = planned(course, load_catalog(course), file, names, None, None)
    if plan.devices != ("cpu",):
        raise GraderError("Notebooks are checked on the CPU alone: leave devices out of the file.")
    for path in build_course(course, folder, assignment, names, plan.assignment):
        typer.echo(f"written: {path}")
    typer.echo(f"Next: cd {folder} && nbgrader generate_assignment {assignment}")
