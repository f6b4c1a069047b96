"""Cores of this machine, lent one at a time to whoever clocks something; and its GPU.

What is clocked is pinned to its core. Two that are clocked on one core would wait for one another,
so every core has a lock, a file that all graders of this user see, whichever run they belong to. It
is held only while something is clocked; the system gives it back when its holder ends, however it
ends. Other work may run there meanwhile: what is compared are ratios of processor time within one
run, which that hardly moves.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from grader.backends.devices import device_leased

_LOOK_AGAIN_SECONDS = 0.02  # a race takes 0.1 s and more


class Cores:
    """``with Cores().leased() as core:``, the number of a core on which nobody else clocks anything
    until the end of the block; None where this system cannot pin.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @contextlib.contextmanager
    def leased(self) -> Iterator[int | None]:
        """Waits until a core is free. The last one is lent first: the others are where everything
        else begins to run.
        """
        cores = _usable()
        if not cores:
            yield None
            return
        folder = self._folder or _runtime_folder()
        if folder is None:
            yield cores[0]
            return
        core, lock = _first_free(cores, folder)
        try:
            yield core
        finally:
            lock.release()

    @contextlib.contextmanager
    def device(self, name: str, *, alone: bool) -> Iterator[None]:
        """The GPU of this name, ``alone`` for who measures; of the CPU, cores are lent."""
        folder = None if name == "cpu" else self._folder or _runtime_folder()
        with (
            contextlib.nullcontext() if folder is None else device_leased(folder, name, alone=alone)
        ):
            yield


def _usable() -> list[int]:
    """Those this process may run on, the last one first."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    return sorted(os.sched_getaffinity(0), reverse=True)


def _first_free(cores: list[int], folder: Path) -> tuple[int, FileLock]:
    locks = {core: FileLock(folder / f"core-{core}.lock") for core in cores}
    while True:
        for core, lock in locks.items():
            with contextlib.suppress(Timeout):
                lock.acquire(blocking=False)
                return core, lock
        time.sleep(_LOOK_AGAIN_SECONDS)


def _runtime_folder() -> Path | None:
    """A folder of this user's alone; None where there is none to be had, or another user has taken
    its name: then cores are lent without a lock.
    """
    uid = os.getuid()
    folder = Path(tempfile.gettempdir()) / f"grader-cores-{uid}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not found.st_mode & 0o022
    return folder if own else None
