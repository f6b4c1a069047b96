"""What archives have in common: how much of one is read at once, and the names in it."""

from __future__ import annotations

import zipfile
from typing import IO, Protocol

from grader.collect.layout import Name
from grader.collect.modules import NotRead

MAX_ENTRY_LIST_BYTES = 16 << 20  # about 200,000 entries, 150 MB while they are read
MAX_LEVELS = 40  # of folders; each of them is remembered
_OF_MACOS = "__MACOSX"  # what macOS adds to every archive is nobody's work


class Readable(Protocol):
    """What gives its bytes in order."""

    def read(self, count: int, /) -> bytes: ...


class Bounded:
    """Something of which nobody reads more at once than the longest list of entries allowed here,
    nor more than ``most`` together: ``zipfile`` reads that list whole, as long as the archive says
    it is, and ``tarfile`` whatever a header claims.
    """

    def __init__(self, file: Readable, most: int | None = None) -> None:
        self._file, self._left = file, most

    def read(self, count: int = -1) -> bytes:
        wanted = count if 0 <= count <= MAX_ENTRY_LIST_BYTES else MAX_ENTRY_LIST_BYTES + 1
        raw = self._file.read(wanted)
        if len(raw) > MAX_ENTRY_LIST_BYTES:
            raise zipfile.BadZipFile("it lists too many files")
        if self._left is not None:
            self._left -= len(raw)
            if self._left < 0:
                raise NotRead("not_unpacked", said="it unpacks to far too much")
        return raw


class BoundedFile(Bounded):
    """The same of a file, in which ``zipfile`` looks about."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable


def name_of(path: str) -> Name:
    """Windows writes backslashes between folders; nothing leads out of the archive. Of more folders
    than anybody has the first are kept.
    """
    parts = path.replace("\\", "/").split("/")
    name = tuple(part for part in parts if part not in ("", ".", ".."))
    if len(name) > MAX_LEVELS:
        name = (*name[:MAX_LEVELS], name[-1])
    return () if _OF_MACOS in name else name


def said_by(error: Exception) -> str:
    """What went wrong, in the words of the library, cut."""
    if isinstance(error, NotRead):
        return str(error.facts.get("said", error))
    return (str(error) or type(error).__name__)[:200]
