"""Only regular files are opened: a pipe would hold up the class, a device do who knows what."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

# A link that was put there meanwhile is an error, and a pipe is not waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def kind_of(path: Path) -> str:
    """``a file``, ``a folder`` or what else lies there, not followed; may raise ``OSError``."""
    mode = path.lstat().st_mode
    return next((kind for is_one, kind in _KINDS if is_one(mode)), "a file")


def open_regular(path: Path) -> IO[bytes]:
    """Raises ``OSError`` for whatever is no regular file, and for one that may not be read."""
    kind = kind_of(path)
    if kind != "a file":
        raise OSError(errno.EINVAL, f"it is {kind}, not a file")
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file any more")
    return open(descriptor, "rb")


def read_at_most(path: Path, limit: int) -> bytes:
    """The file's bytes, one more than ``limit`` at most; raises ``OSError`` as above."""
    with open_regular(path) as file:
        return file.read(limit + 1)
