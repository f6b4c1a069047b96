"""Where an assignment's reports, its file and its seed lie in a course of nbgrader's: a run of its
own, ``COURSE/runs/ps1``. Nothing of it is released, or handed back.
"""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock

from grader.course.assignment import FILE_NAME
from grader.errors import GraderError
from grader.programs.draw import new_seed
from grader.report.files import write_whole

LOCK_SECONDS = 60.0  # for a file of one line: longer, and the file system does not lock


def run_folder(course: Path, assignment: str) -> Path:
    """What ``grader export`` and ``grader report`` take as a run."""
    return course / "runs" / assignment


def terms_path(course: Path, assignment: str) -> Path:
    """The assignment's file, if it has one."""
    return run_folder(course, assignment) / FILE_NAME


def kept_seed(run: Path) -> int:
    """Drawn once for an assignment: who is graded again, alone, is asked the same.

    Raises ``GraderError`` where the file holds something else.
    """
    path = run / "seed"
    run.mkdir(parents=True, exist_ok=True)
    with FileLock(run / ".seed.lock", timeout=LOCK_SECONDS):
        if not path.exists():
            write_whole(path, f"{new_seed()}\n")
        text = path.read_text(encoding="utf-8", errors="replace").strip()
    if not (text.isascii() and text.isdigit()):
        raise GraderError(
            f"{path} holds no seed: write the number of an earlier report into it, or remove it."
        )
    return int(text)
