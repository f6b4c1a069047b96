"""A GPU of this machine, lent to several who compute on it, or to one who measures on it alone.

What somebody else takes of its memory meanwhile would be on the account of whoever is measured. So
all graders of this user hold a lock of it, a file, that is shared but for what is measured; the
system gives it back when its holder ends, however it ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def device_leased(folder: Path, device: str, *, alone: bool) -> Iterator[None]:
    """``device`` until the end of the block, ``alone`` or with others who do not measure. Waits
    for it; where files cannot be locked it is lent all the same.
    """
    if fcntl is None:
        yield
        return
    with contextlib.ExitStack() as stack:
        turn = stack.enter_context((folder / f"{device}.turn").open("a"))
        lock = stack.enter_context((folder / f"{device}.lock").open("a"))
        # Whoever waits keeps the turn: nobody who comes later goes before who will be alone.
        with _locked(turn, fcntl.LOCK_EX):
            stack.enter_context(_locked(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH))
        yield


@contextlib.contextmanager
def _locked(file: IO[str], how: int) -> Iterator[None]:
    with contextlib.suppress(OSError):  # a file system without locks
        fcntl.flock(file, how)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
