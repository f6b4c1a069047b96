"""An archive that was handed in -> what lies in it. It is never unpacked anywhere.

A path in it is a name and no more.
"""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO

from grader.collect.bounded import BoundedFile, said_by
from grader.collect.layout import Name, spelled
from grader.collect.modules import Modules, NotRead
from grader.collect.reasons import is_archive
from grader.collect.tars import MAX_ARCHIVE_BYTES, in_tar
from grader.collect.tree import Archive, Read
from grader.collect.zips import in_zip

MAX_ARCHIVES = 20  # of one submission, also those in archives


@contextlib.contextmanager
def opened(file: IO[bytes], path: str) -> Iterator[Archive]:
    """What lies in the archive; raises ``NotRead`` where that cannot be told."""
    with contextlib.ExitStack() as stack:
        try:
            if path.lower().endswith(".zip"):
                found = in_zip(stack.enter_context(zipfile.ZipFile(BoundedFile(file))), path)
            else:
                found = in_tar(file, path)
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
