"""The folder that a run writes into: tried before anything is graded, and held by one run alone."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grader.course.assignment import FILE_NAME
from grader.errors import GraderError
from grader.report.files import write_whole

LOCK = ".grader.lock"
EARLIER = "earlier"
FOLDERS = ("reports", "feedback")
TABLES = ("grades.csv", "not_graded.csv", FILE_NAME)
_TRIED_BYTES = 1 << 16  # less fits on many a disk that is full


@contextlib.contextmanager
def held(folder: Path) -> Iterator[Path | None]:
    """``folder``, held by this run: it can be written to, and holds nothing of an earlier run.

    Gives where the files of the earlier run are now, if there were any. Raises ``GraderError``
    where nothing can be written, and while another run writes there.
    """
    with contextlib.ExitStack() as stack:
        try:
            _try_to_write(folder)
            _lock(folder, stack)
            moved = _moved_aside(folder)
        except OSError as error:
            raise GraderError(
                f"{folder} cannot be written to ({error.strerror}). Nothing was graded: choose "
                "another folder for --out, or make room."
            ) from error
        yield moved


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
    except (OSError, NotImplementedError):
        pass


def _moved_aside(folder: Path) -> Path | None:
    """What an earlier run left must not be taken for this one's, and is nobody's to delete."""
    old = [folder / name for name in (*TABLES, *FOLDERS) if _is_something(folder / name)]
    if not old:
        return None
    aside = _free_place(folder / EARLIER)
    aside.mkdir(parents=True)
    for path in old:
        os.replace(path, aside / path.name)
    return aside


def _is_something(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.exists() or path.is_symlink()


def _free_place(folder: Path) -> Path:
    name = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H-%M-%SZ}"
    number, place = 1, folder / name
    while place.exists():
        number += 1
        place = folder / f"{name} {number}"
    return place
