"""Files that are whole or not there, under names that every file system takes.

Who may read them is what the umask says, for reports and grades alike: that is how instructors
share a folder with their assistants, or do not.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

MAX_NAME_BYTES = 80  # file systems take 255, some encrypted ones 143; there is a suffix as well


def write_whole(path: Path, text: str | bytes) -> None:
    """All of ``text`` or, after an accident, what was there before; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())  # some file systems notice only now that they are full
        os.replace(beside, path)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def file_name(name: str, suffix: str) -> str:
    """The file of a submission; a long name is cut, and a digest keeps it apart from others."""
    name = name.replace("/", "_").replace("\0", "_")
    raw = name.encode("utf-8", "replace")
    if len(raw) <= MAX_NAME_BYTES:
        return f"{name}{suffix}"
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{raw[:MAX_NAME_BYTES].decode('utf-8', 'ignore')}~{digest}{suffix}"
