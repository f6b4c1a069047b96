"""A learner's own file, run by Python itself: outside the wall, with a keyboard, unchecked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from grader.cli.signals import not_interrupted
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.workspace import find_workspace


def run(name: str, expression: str | None, folder: Path | None) -> int:
    """With an ``expression`` that is computed and printed, without one somebody at a keyboard may
    go on; returns Python's own exit status.
    """
    course = find_course()
    workspace = find_workspace(course, load_catalog(course), folder)
    page = workspace.page(workspace.exercise(name).name)
    if not page.is_file():
        raise LearnerError(words.NO_SUCH_PAGE.format(page=page.name, name=page.stem))
    if expression is None:
        how = ["-i", page.name] if sys.stdin.isatty() else [page.name]
    else:
        lines = ["import torch", f"from {page.stem} import *", f"print({expression})"]
        how = ["-c", "\n".join(lines)]
    with not_interrupted():  # Ctrl-C is the debugger's
        return subprocess.run([sys.executable, *how], cwd=page.parent, check=False).returncode
