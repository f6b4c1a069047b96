"""What lies in a download, however it is packed: a folder, a zip and a tar look alike from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from grader.collect.layout import Name, spelled
from grader.collect.modules import Modules
from grader.collect.reasons import A_LINK, reason_for_name

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


@dataclass(frozen=True)
class Archive:
    """An archive whose list of files was read. ``links`` lead nowhere and are never followed."""

    path: str
    files: Mapping[Name, Read]
    folders: frozenset[Name] = frozenset()
    links: Mapping[Name, str] = field(default_factory=dict)

    def children(self, at: Name) -> list[Child]:
        found: dict[str, str] = {}
        depth = len(at)
        for name in (*self.files, *self.links, *self.folders):
            if name[:depth] == at and len(name) > depth:
                is_folder = len(name) > depth + 1 or name in self.folders
                kind = FOLDER if is_folder else FILE if name in self.files else "a link"
                found[name[depth]] = FOLDER if found.get(name[depth]) == FOLDER else kind
        return [Child(name, found[name]) for name in sorted(found)]

    def below(self, at: Name, modules: Modules) -> dict[Name, Read]:
        found = {}
        for name, read in self.files.items():
            if name[: len(at)] == at and len(name) > len(at):
                inner = name[len(at) :]
                reason = reason_for_name(inner[-1])
                if reason:
                    modules.unread_or_ignore(spelled(inner), reason)
                else:
                    found[inner] = read
        for name in self.links:
            if name[: len(at)] == at:
                modules.ignore(spelled(name[len(at) :]), A_LINK)
        return found

    def read(self, name: Name) -> Read:
        return self.files[name]
