"""A zip -> what lies in it. What its directory says of sizes is not believed."""

from __future__ import annotations

import zipfile
from functools import partial

from grader.collect.bounded import name_of, said_by
from grader.collect.layout import Name
from grader.collect.modules import NotRead
from grader.collect.tree import Archive, Read

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack a bomb in one go
_IS_UTF8 = 0x800


def in_zip(archive: zipfile.ZipFile, path: str) -> Archive:
    """Its files are read when they are asked for."""
    files: dict[Name, Read] = {}
    folders = set()
    for entry in archive.infolist():
        name = name_of(_spelled_out(entry))
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
