"""A folder that was handed in -> its modules. It is looked into no deeper than need be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from grader.collect.layout import INNER, NOT_HANDED_IN, Name, holds_exercise, spelled
from grader.collect.modules import Modules, NotRead
from grader.collect.names import shown
from grader.collect.near import is_python, is_source, meant
from grader.collect.reasons import HIDDEN, NOT_DEEPER, is_archive, is_pack, reason_for
from grader.collect.regular import kind_of, read_at_most
from grader.collect.tree import Child, Read

MAX_ENTRIES = 10_000  # of all folders of one submission together
MAX_IN_CLASS = 20_000  # beside one another
MAX_LEVELS = 5
TOO_DEEP = f"it lies deeper than {MAX_LEVELS} folders"


class Folder:
    """A folder on this machine, as a ``Tree``."""

    def __init__(self, path: Path) -> None:
        self._path, self.path = path, shown(path)

    def children(self, at: Name) -> list[Child]:
        folder = self._path.joinpath(*at)
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in islice(entries, MAX_IN_CLASS))
        except OSError:
            if not at:
                raise
            return []
        return [Child(name, _kind(folder / name)) for name in names]

    def below(self, at: Name, modules: Modules) -> Mapping[Name, Read]:
        """Whatever cannot be read becomes a problem of its module, the folder itself of all."""
        folder = self._path.joinpath(*at)
        try:
            os.scandir(folder).close()
        except OSError as error:
            modules.refuse_all("unreadable", folder.name, str(error.strerror))
            return {}
        return {name: self.read((*at, *name)) for name in _Walk(folder, modules).files()}

    def read(self, name: Name) -> Read:
        return partial(_read, self._path.joinpath(*name))


def _kind(path: Path) -> str:
    try:
        return kind_of(path)
    except OSError as error:
        return f"unreadable: {error.strerror}"


def _read(path: Path, limit: int) -> bytes:
    try:
        if kind_of(path) == "a link":
            raise NotRead("a_link")
        return read_at_most(path, limit)
    except OSError as error:
        raise NotRead("unreadable", said=str(error.strerror)) from None


class _Walk:
    """The Python files and archives of a folder, level by level, until there is an exercise."""

    def __init__(self, folder: Path, modules: Modules) -> None:
        self._folder, self._modules, self._left = folder, modules, MAX_ENTRIES

    def files(self) -> list[Name]:
        found: list[Name] = []
        level: list[Name] = [()]
        for _ in range(MAX_LEVELS):
            here, deeper = self._level(level)
            found += here
            python = [name[-1] for name in here if is_python(name[-1])]
            if holds_exercise(python, self._modules.known):
                return found + self._beside(here, deeper)
            level = deeper
        self._ignore(level, TOO_DEEP)
        return found

    def _beside(self, here: list[Name], deeper: list[Name]) -> list[Name]:
        """What the folder ``exercises`` holds, and what was put one folder too deep."""
        inner = [name for name in deeper if name[-1] == INNER]
        more: list[Name] = []
        if inner:
            self._ignore([name for name in deeper if name not in inner], NOT_DEEPER)
            more, deeper = self._level(inner)
        there = {self._meant(name) for name in more or here}
        for folder in deeper:
            last = folder[-1].casefold()
            missing = [] if last in NOT_HANDED_IN else self._missing(folder, there)
            more += missing
            if not missing:
                self._ignore([folder], NOT_DEEPER)
        return more

    def _missing(self, folder: Name, there: set[str]) -> list[Name]:
        """Files in ``folder`` that stand for an exercise which is not among those ``there``."""
        names = [(*folder, entry.name) for entry in self._entries(folder) if _is_file(entry)]
        return [name for name in names if self._meant(name) not in there | {""}]

    def _meant(self, name: Name) -> str:
        found = meant(name[-1], self._modules.known)
        return found[0] if found else ""

    def _level(self, folders: Iterable[Name]) -> tuple[list[Name], list[Name]]:
        """Python files and archives, and the folders that lie beside them."""
        files: list[Name] = []
        deeper: list[Name] = []
        for folder in folders:
            for entry in self._entries(folder):
                name = (*folder, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    deeper.append(name)
                elif is_source(entry.name) or (_is_opened(entry.name) and _is_file(entry)):
                    files.append(name)
                else:
                    self._modules.unread_or_ignore(spelled(name), reason_for(Path(entry.path)))
        hidden = [name for name in deeper if name[-1].startswith((".", "_"))]
        self._ignore(hidden, HIDDEN)
        return files, [name for name in deeper if name not in hidden]

    def _entries(self, folder: Name) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._folder.joinpath(*folder)) as entries:
                found = list(islice(entries, self._left))
                more = next(entries, None) is not None
        except OSError as error:
            self._modules.ignore(spelled(folder), f"it cannot be read: {error.strerror}")
            return []
        self._left -= len(found)
        if more:
            reason = f"of more than {MAX_ENTRIES} files and folders the rest was not looked at"
            self._modules.ignore(spelled(folder), reason)
        return sorted(found, key=lambda entry: entry.name)

    def _ignore(self, names: Iterable[Name], reason: str) -> None:
        for name in names:
            self._modules.ignore(spelled(name), reason)


def _is_opened(name: str) -> bool:
    return is_archive(name) or is_pack(name)


def _is_file(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False)
