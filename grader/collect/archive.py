"""A zip archive that was handed in -> its modules. It is never unpacked anywhere.

A path in it is a name and no more; what its directory says of sizes is not believed.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from grader.collect.layout import Name, is_python, layout_of, spelled
from grader.collect.modules import MAX_SOURCE_BYTES, Modules, NotRead
from grader.collect.regular import open_regular

MAX_ENTRY_LIST_BYTES = 16 << 20  # about 200,000 entries, 150 MB while they are read
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack a bomb in one go
_OF_MACOS = "__MACOSX"  # what macOS adds to every archive is nobody's work


def read_archive(path: Path, modules: Modules) -> None:
    """Whatever cannot be read becomes a problem of its module, and the archive itself of all."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(_Bounded(file)) as archive:
            _read_all(archive, modules)
    except OSError as error:
        modules.refuse_all("unreadable", path.name, str(error.strerror or error))
    except Exception as error:  # zipfile raises a dozen kinds for bad bytes
        modules.refuse_all("not_unpacked", path.name, _said(error))


def _read_all(archive: zipfile.ZipFile, modules: Modules) -> None:
    entries = dict(_entries(archive))
    layout = layout_of(entries, modules.known)

    def read(name: Name) -> bytes:
        return _unpacked(archive, entries[name])

    for name in entries:
        if not is_python(name[-1]):
            modules.ignore(spelled(name), "it is no Python file")
    modules.fill(layout, read)


def _entries(archive: zipfile.ZipFile) -> Iterator[tuple[Name, zipfile.ZipInfo]]:
    """Files by their names; Windows writes backslashes between folders."""
    for entry in archive.infolist():
        parts = entry.filename.replace("\\", "/").split("/")
        name = tuple(part for part in parts if part not in ("", ".", ".."))
        if name and parts[-1] and _OF_MACOS not in name:
            yield name, entry


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of one file, counted while they come: one more than allowed at most."""
    if entry.compress_type not in _METHODS:
        raise NotRead("not_unpacked", said="its compression is not that of an ordinary .zip")
    try:
        with archive.open(entry) as file:
            return file.read(MAX_SOURCE_BYTES + 1)
    except Exception as error:  # as above, and its decompressors raise more
        raise NotRead("not_unpacked", said=_said(error)) from None


def _said(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]


class _Bounded:
    """A file of which nobody reads more at once than the longest list of entries allowed here:
    ``zipfile`` reads that list whole, as long as the archive says it is.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, count: int = -1) -> bytes:
        wanted = count if 0 <= count <= MAX_ENTRY_LIST_BYTES else MAX_ENTRY_LIST_BYTES + 1
        raw = self._file.read(wanted)
        if len(raw) > MAX_ENTRY_LIST_BYTES:
            raise zipfile.BadZipFile("it lists too many files")
        return raw
