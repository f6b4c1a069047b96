"""The folder that a run writes into: tried before anything is graded, and held by one run alone."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grader.errors import GraderError
from grader.report.files import write_whole

LOCK = ".grader.lock"
FOLDERS = ("reports", "submissions", "feedback", "earlier")
# As ``write_whole`` and ``write_texts`` name what they write; in the folder itself lies more.
_LEFT = re.compile(r"\..+\.\d+\.part")
_LEFT_HERE = re.compile(
    r"\.(settings\.json|assignment\.toml|not_graded\.csv|grades\.csv)\.\d+\.part|\.?\.grader\.\d+\.try(\.\d+\.part)?"
)
_TRIED_BYTES = 1 << 16  # less fits on many a disk that is full


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """``folder``, held by this command alone, and it can be written to.

    Raises ``GraderError`` where nothing can be written, and while another grader writes there.
    """
    with contextlib.ExitStack() as stack:
        try:
            _try_to_write(folder)
            _lock(folder, stack)
            _tidy(folder)
        except OSError as error:
            raise GraderError(
                f"{folder} cannot be written to ({error.strerror}). Nothing was graded: choose "
                "another folder for --out, or make room."
            ) from error
        yield


def _try_to_write(folder: Path) -> None:
    for place in (folder, *(folder / name for name in FOLDERS)):
        if place == folder or place.exists():
            tried = place / f".grader.{os.getpid()}.try"
            try:
                write_whole(tried, "." * _TRIED_BYTES)
            finally:
                with contextlib.suppress(OSError):
                    tried.unlink(missing_ok=True)


def _lock(folder: Path, stack: contextlib.ExitStack) -> None:
    """A file system without locks is used without."""
    try:
        stack.enter_context(FileLock(folder / LOCK, timeout=0))
    except Timeout:
        raise GraderError(
            f"Another grader is writing to {folder}. Wait for it, or choose another folder for "
            "--out."
        ) from None
    except PermissionError:
        raise
    except (OSError, NotImplementedError):
        pass


def _tidy(folder: Path) -> None:
    """What a run that was killed was just writing: nobody else writes here now."""
    for path in folder.glob(".*"):
        if _LEFT_HERE.fullmatch(path.name):
            path.unlink()
    for path in (path for name in FOLDERS for path in (folder / name).glob(".*.part")):
        if _LEFT.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
