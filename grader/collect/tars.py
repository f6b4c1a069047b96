"""A tar, packed or not -> what lies in it. It has no list: what may be graded is kept in memory."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from functools import partial
from typing import IO, cast

from grader.collect.bounded import Bounded, Readable, name_of
from grader.collect.layout import Name
from grader.collect.looks import METADATA
from grader.collect.modules import MAX_SOURCE_BYTES, NotRead
from grader.collect.near import is_notebook
from grader.collect.notebook import MAX_NOTEBOOK_BYTES
from grader.collect.reasons import (
    A_LINK,
    BZIPPED,
    GZIPPED,
    XZIPPED,
    ends_as_pack,
    is_archive,
    reason_for_name,
)
from grader.collect.times import TIMESTAMP
from grader.collect.tree import Archive, Read

MAX_ENTRIES = 200_000
MAX_TAR_BYTES = 1 << 30  # unpacked; reading so much takes seconds
MAX_XZ_MEMORY = 128 << 20  # what `xz -9` needs, twice
MAX_KEPT_BYTES = 256 << 20  # of its files, which can be read only in their order
MAX_ARCHIVE_BYTES = 64 << 20  # of an archive in it
_CHUNK_BYTES = 1 << 16
_TOLD = (METADATA, TIMESTAMP)  # what platforms say beside the files


def in_tar(file: IO[bytes], path: str) -> Archive:
    """Read once, from its beginning to its end: what may be graded is kept as it comes by."""
    stream = Bounded(_unzipped(file, path.lower()), MAX_TAR_BYTES)
    files: dict[Name, Read] = {}
    folders, links, kept = set(), {}, 0
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as archive:
        for count, entry in enumerate(archive):
            archive.members = []  # type: ignore[attr-defined]  # tarfile would keep them all
            if count >= MAX_ENTRIES:
                raise NotRead("not_unpacked", said="it lists too many files")
            name = name_of(entry.name)
            if name and entry.isdir():
                folders.add(name)
            elif name and entry.isreg():
                raw = _kept(archive, entry, name, MAX_KEPT_BYTES - kept)
                kept += len(raw)
                files[name] = partial(_cut, raw)
            elif name:
                links[name] = A_LINK
    return Archive(path, files, frozenset(folders), links)


def _unzipped(file: IO[bytes], path: str) -> Readable:
    """The bytes of the tar, unpacked as they are asked for."""
    if path.endswith(GZIPPED):
        return gzip.GzipFile(fileobj=file)
    if path.endswith(BZIPPED):
        return bz2.BZ2File(file)
    return _Xz(file) if path.endswith(XZIPPED) else file


class _Xz:
    """An .xz file, unpacked in ``MAX_XZ_MEMORY``: an archive says itself how much it needs, and
    ``lzma.open`` gives it whatever it says.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._stream = file, self._begun()

    @staticmethod
    def _begun() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY)

    def read(self, count: int) -> bytes:
        found: list[bytes] = []
        while count > 0 and (raw := self._some(count)):
            found.append(raw)
            count -= len(raw)
        return b"".join(found)

    def _some(self, count: int) -> bytes:
        """Up to ``count`` bytes, none only at the end."""
        raw = b""
        while not raw:
            packed = b""
            if self._stream.eof:  # zeros may follow, and another stream
                packed = (self._stream.unused_data or self._file.read(_CHUNK_BYTES)).lstrip(b"\0")
                if not packed:
                    return b""
                self._stream = self._begun()
            elif self._stream.needs_input:
                packed = self._file.read(_CHUNK_BYTES)
                if not packed:
                    raise EOFError("it ends in the middle")
            raw = self._stream.decompress(packed, count)
        return raw


def _kept(archive: tarfile.TarFile, entry: tarfile.TarInfo, name: Name, left: int) -> bytes:
    told = name[-1] in _TOLD or ends_as_pack(name[-1])
    if reason_for_name(name[-1]) and not told:
        return b""
    file = archive.extractfile(entry)
    raw = file.read(min(_limit(name[-1]) + 1, left + 1)) if file else b""
    if len(raw) > left:
        raise NotRead("not_unpacked", said=f"it holds more than {MAX_KEPT_BYTES >> 20} MiB of work")
    return raw


def _limit(name: str) -> int:
    if is_archive(name):
        return MAX_ARCHIVE_BYTES
    return MAX_NOTEBOOK_BYTES if is_notebook(name) else 4 * MAX_SOURCE_BYTES


def _cut(raw: bytes, limit: int) -> bytes:
    return raw[: limit + 1]
