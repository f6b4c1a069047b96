"""A zip or tar archive that was handed in -> what lies in it. It is never unpacked anywhere.

A path in it is a name and no more; what its directory says of sizes is not believed.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO, cast

from grader.collect.layout import Name, spelled
from grader.collect.looks import METADATA
from grader.collect.modules import MAX_SOURCE_BYTES, Modules, NotRead
from grader.collect.near import is_notebook
from grader.collect.notebook import MAX_NOTEBOOK_BYTES
from grader.collect.reasons import A_LINK, is_archive, reason_for_name
from grader.collect.times import TIMESTAMP
from grader.collect.tree import Archive, Read

MAX_ENTRY_LIST_BYTES = 16 << 20  # about 200,000 entries, 150 MB while they are read
MAX_ENTRIES = 200_000  # of a tar, which has no list of them
MAX_TAR_BYTES = 1 << 30  # unpacked; reading so much takes seconds
MAX_KEPT_BYTES = 256 << 20  # of a tar's files, which can be read only in their order
MAX_ARCHIVE_BYTES = 64 << 20  # of those of one submission together, held in memory
MAX_ARCHIVES = 20  # of one submission, also those in archives
MAX_LEVELS = 40  # of folders; each of them is remembered
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack a bomb in one go
_IS_UTF8 = 0x800
_OF_MACOS = "__MACOSX"  # what macOS adds to every archive is nobody's work
_TOLD = (METADATA, TIMESTAMP)  # what platforms say beside the files


@contextlib.contextmanager
def opened(file: IO[bytes], path: str) -> Iterator[Archive]:
    """What lies in the archive; raises ``NotRead`` where that cannot be told."""
    with contextlib.ExitStack() as stack:
        try:
            if path.lower().endswith(".zip"):
                found = _zip(stack.enter_context(zipfile.ZipFile(_Bounded(file))), path)
            else:
                found = _tar(file, path)
        except OSError as error:
            raise NotRead("not_unpacked", said=str(error.strerror or error)) from None
        except Exception as error:  # zipfile and tarfile raise a dozen kinds for bad bytes
            raise NotRead("not_unpacked", said=said_by(error)) from None
        yield found


def expanded(files: Mapping[Name, Read], modules: Modules, alone: bool) -> dict[Name, Read]:
    """``files`` with those of the archives among them, as if each archive were a folder; ``alone``
    says that one archive is the whole submission.
    """
    return _Unpacking(modules).all_of(files, alone)


class _Unpacking:
    """The archives of one submission, also those in archives, held in memory meanwhile."""

    def __init__(self, modules: Modules) -> None:
        self._modules, self._left = modules, MAX_ARCHIVES
        self._left_bytes = MAX_ARCHIVE_BYTES

    def all_of(self, files: Mapping[Name, Read], alone: bool = False) -> dict[Name, Read]:
        found: dict[Name, Read] = {}
        for name, read in files.items():
            if is_archive(name[-1]):
                found |= self._within(name, read, () if alone else name)
            else:
                found[name] = read
        return found

    def _within(self, name: Name, read: Read, at: Name) -> dict[Name, Read]:
        """What lies in the archive ``name``, as the folder ``at``."""
        try:
            return self.all_of(self._listed(name, read, at))
        except NotRead as refused:
            said = str(refused.facts.get("said", ""))
            refuse = self._modules.unread if at else self._modules.refuse_all
            refuse(refused.kind, spelled(name), said)
        return {}

    def _listed(self, name: Name, read: Read, at: Name) -> dict[Name, Read]:
        raw = self._held(read)
        with opened(io.BytesIO(raw), name[-1]) as archive:
            found = archive.below((), self._modules, at)
        return {(*at, *inner): partial(_again, raw, name[-1], inner) for inner in found}

    def _held(self, read: Read) -> bytes:
        """The bytes of an archive; raises ``NotRead`` beyond what one submission may have."""
        self._left -= 1
        if self._left < 0:
            raise NotRead("unreadable", said=f"it is one of more than {MAX_ARCHIVES} archives")
        raw = read(self._left_bytes)
        self._left_bytes -= len(raw)
        if self._left_bytes < 0:
            self._left_bytes = 0
            mib = MAX_ARCHIVE_BYTES >> 20
            raise NotRead("unreadable", said=f"the archives are larger than {mib} MiB")
        return raw


def _again(raw: bytes, name: str, inner: Name, limit: int) -> bytes:
    with opened(io.BytesIO(raw), name) as archive:
        return archive.files[inner](limit)


def _name(path: str) -> Name:
    """Windows writes backslashes between folders; nothing leads out of the archive. Of more folders
    than anybody has the first are kept.
    """
    parts = path.replace("\\", "/").split("/")
    name = tuple(part for part in parts if part not in ("", ".", ".."))
    if len(name) > MAX_LEVELS:
        name = (*name[:MAX_LEVELS], name[-1])
    return () if _OF_MACOS in name else name


def _zip(archive: zipfile.ZipFile, path: str) -> Archive:
    files: dict[Name, Read] = {}
    folders = set()
    for entry in archive.infolist():
        name = _name(_spelled_out(entry))
        if name and entry.filename.endswith(("/", "\\")):
            folders.add(name)
        elif name:
            files[name] = partial(_unpacked, archive, entry)
    return Archive(path, files, frozenset(folders))


def _spelled_out(entry: zipfile.ZipInfo) -> str:
    """Many archivers, macOS' among them, write UTF-8 without the flag that says so, and ``zipfile``
    then reads it as code page 437.
    """
    if entry.flag_bits & _IS_UTF8:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    """The bytes of one file, counted while they come: one more than allowed at most."""
    if entry.compress_type not in _METHODS:
        raise NotRead("not_unpacked", said="its compression is not that of an ordinary .zip")
    try:
        with archive.open(entry) as file:
            return file.read(limit + 1)
    except Exception as error:  # as above, and its decompressors raise more
        raise NotRead("not_unpacked", said=said_by(error)) from None


def _tar(file: IO[bytes], path: str) -> Archive:
    """Read once, from its beginning to its end: what may be graded is kept as it comes by."""
    plain = path.lower().endswith(".tar")
    stream = _Bounded(file if plain else gzip.GzipFile(fileobj=file), MAX_TAR_BYTES)
    files: dict[Name, Read] = {}
    folders, links, kept = set(), {}, 0
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as archive:
        for count, entry in enumerate(archive):
            archive.members = []  # type: ignore[attr-defined]  # tarfile would keep them all
            if count >= MAX_ENTRIES:
                raise NotRead("not_unpacked", said="it lists too many files")
            name = _name(entry.name)
            if name and entry.isdir():
                folders.add(name)
            elif name and entry.isreg():
                raw = _kept(archive, entry, name, MAX_KEPT_BYTES - kept)
                kept += len(raw)
                files[name] = partial(_cut, raw)
            elif name:
                links[name] = A_LINK
    return Archive(path, files, frozenset(folders), links)


def _kept(archive: tarfile.TarFile, entry: tarfile.TarInfo, name: Name, left: int) -> bytes:
    if reason_for_name(name[-1]) and name[-1] not in _TOLD:
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


def said_by(error: Exception) -> str:
    """What went wrong, in the words of the library, cut."""
    if isinstance(error, NotRead):
        return str(error.facts.get("said", error))
    return (str(error) or type(error).__name__)[:200]


class _Bounded:
    """A file of which nobody reads more at once than the longest list of entries allowed here, nor
    more than ``most`` together: ``zipfile`` reads that list whole, as long as the archive says it
    is, and ``tarfile`` whatever a header claims.
    """

    def __init__(self, file: IO[bytes] | gzip.GzipFile, most: int | None = None) -> None:
        self._file, self._left = file, most
        self.seek: Callable[..., int] = file.seek
        self.tell, self.seekable = file.tell, file.seekable

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
