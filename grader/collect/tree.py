"""What lies in a download, however it is packed: a folder, a zip and a tar look alike from here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from grader.collect.layout import Name, spelled
from grader.collect.modules import Modules
from grader.collect.reasons import reason_for_name

# The bytes of one file, one more than so many at most; raises ``NotRead``.
Read: TypeAlias = Callable[[int], bytes]

FOLDER, FILE = "a folder", "a file"


@dataclass(frozen=True)
class Child:
    """What lies in a folder; ``kind`` is ``a folder``, ``a file``, or what else it is."""

    name: str
    kind: str = FILE


class Tree(Protocol):
    """A folder or an archive. ``path`` is where it lies, as text."""

    @property
    def path(self) -> str: ...

    def children(self, at: Name) -> Sequence[Child]:
        """What lies in the folder ``at``, sorted; nothing where it cannot be listed."""

    def below(self, at: Name, modules: Modules) -> Mapping[Name, Read]:
        """The files below ``at`` that may hold modules; what else there is, is told."""

    def read(self, name: Name) -> Read:
        """How to read the file ``name``."""


class Archive:
    """An archive whose list of files was read. ``odd`` are entries that are no files, with the
    reason for which they are not graded; nothing is followed.
    """

    def __init__(
        self,
        path: str,
        files: Mapping[Name, Read],
        folders: Collection[Name] = (),
        odd: Mapping[Name, str] | None = None,
    ) -> None:
        self.path, self.files, self._odd = path, files, odd or {}
        self._within: dict[Name, dict[str, str]] = {}
        for names, kind in ((self._odd, "a link"), (files, FILE), (folders, FOLDER)):
            for name in names:
                self._put(name, kind)

    def _put(self, name: Name, kind: str) -> None:
        """Also the folders that it lies in; a folder goes before a file of the same name."""
        while name:
            there = self._within.setdefault(name[:-1], {})
            if there.get(name[-1]) == FOLDER:
                return
            there[name[-1]] = kind
            name, kind = name[:-1], FOLDER

    def children(self, at: Name) -> list[Child]:
        return [Child(*item) for item in sorted(self._within.get(at, {}).items())]

    def below(self, at: Name, modules: Modules, around: Name = ()) -> dict[Name, Read]:
        """As of a ``Tree``; ``around`` is where this archive lies in the submission."""
        found: dict[Name, Read] = {}
        for name in self._names_below(at):
            inner = name[len(at) :]
            reason = self._odd.get(name) or reason_for_name(inner[-1])
            if reason:
                modules.unread_or_ignore(spelled((*around, *inner)), reason)
            else:
                found[inner] = self.files[name]
        return found

    def _names_below(self, at: Name) -> Iterator[Name]:
        folders = [at]
        while folders:
            folder = folders.pop()
            for child in self.children(folder):
                if child.kind == FOLDER:
                    folders.append((*folder, child.name))
                else:
                    yield (*folder, child.name)

    def read(self, name: Name) -> Read:
        return self.files[name]
