"""What instructors do whose course lives in Jupyter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from grader.bridges.notebook import build_course
from grader.course.course import find_course


def build(folder: Path, assignment: str, names: Sequence[str]) -> None:
    """Write a course folder that nbgrader's own commands work on."""
    for path in build_course(find_course(), folder, assignment, names):
        typer.echo(f"written: {path}")
    typer.echo(f"Next: cd {folder} && nbgrader generate_assignment {assignment}")
