"""A folder that was handed in -> its modules. It is looked into no deeper than need be."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from grader.collect.layout import INNER, Name, is_python, layout_of, module_name, spelled
from grader.collect.modules import MAX_SOURCE_BYTES, Modules, NotRead
from grader.collect.regular import kind_of, read_at_most

MAX_ENTRIES = 10_000  # of all folders of one submission together
MAX_LEVELS = 5

A_LINK = "it is a link; links are not followed"
HIDDEN = "its name begins with . or _"
NOTEBOOK = "it is a notebook: `grader nbgrader` grades these"
ONLY_ZIP = "of archives only .zip is read"
NO_PYTHON = "it is no Python file"
NOT_DEEPER = "the modules lie further out"
TOO_DEEP = f"it lies deeper than {MAX_LEVELS} folders"
_ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")


def read_folder(folder: Path, modules: Modules) -> None:
    """Whatever cannot be read becomes a problem of its module, and the folder itself of all."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        modules.refuse_all("unreadable", folder.name, str(error.strerror))
        return
    files = _Walk(folder, modules).files()
    layout = layout_of(files, modules.known)
    modules.fill(layout, lambda name: _read(folder.joinpath(*name)))


def _read(path: Path) -> bytes:
    try:
        if kind_of(path) == "a link":
            raise NotRead("a_link")
        return read_at_most(path, MAX_SOURCE_BYTES)
    except OSError as error:
        raise NotRead("unreadable", said=str(error.strerror)) from None


class _Walk:
    """The Python files of a folder, level by level, until there is an exercise among them."""

    def __init__(self, folder: Path, modules: Modules) -> None:
        self._folder, self._modules, self._left = folder, modules, MAX_ENTRIES

    def files(self) -> list[Name]:
        found: list[Name] = []
        level: list[Name] = [()]
        for _ in range(MAX_LEVELS):
            here, deeper = self._level(level)
            found += here
            if self._has_exercise(here):
                inner = [name for name in deeper if name[-1] == INNER]
                self._ignore([name for name in deeper if name not in inner], NOT_DEEPER)
                more, deepest = self._level(inner)
                self._ignore(deepest, NOT_DEEPER)
                return found + more
            level = deeper
        self._ignore(level, TOO_DEEP)
        return found

    def _has_exercise(self, files: Iterable[Name]) -> bool:
        known = self._modules.known
        return any(module_name(name[-1], known) in known for name in files)

    def _level(self, folders: Iterable[Name]) -> tuple[list[Name], list[Name]]:
        """Python files, and the folders that lie beside them."""
        files: list[Name] = []
        deeper: list[Name] = []
        for folder in folders:
            for entry in self._entries(folder):
                name = (*folder, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    deeper.append(name)
                elif is_python(entry.name):
                    files.append(name)
                else:
                    self._modules.ignore(spelled(name), reason_for(Path(entry.path)))
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


def reason_for(path: Path) -> str:
    """Why what lies at ``path``, and is no Python file, is not graded."""
    try:
        kind = kind_of(path)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if kind != "a file":
        return A_LINK if kind == "a link" else f"it is {kind}"
    suffix = path.suffix.lower()
    if suffix == ".ipynb":
        return NOTEBOOK
    return ONLY_ZIP if suffix in _ARCHIVES else NO_PYTHON
