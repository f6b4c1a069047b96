"""Of all Python files in a folder or an archive: which are the modules that were handed in?

Files are names, as tuples of the folders they lie in and their own name; nothing is opened here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

Name: TypeAlias = tuple[str, ...]

SUFFIX = ".py"

INNER = "exercises"  # the folder that a checkout of a course keeps its pages in
ELSEWHERE = "it lies in another folder than what was graded"
ANOTHER_SPELLING = "the same module lies beside it in another spelling"
NO_MODULE = "no module has such a name: Python could not import it"


@dataclass(frozen=True)
class Layout:
    """The file of each module; modules of which there are several, with all their files; and why
    others are not graded.
    """

    chosen: Mapping[str, Name]
    several: Mapping[str, Sequence[Name]]
    ignored: Mapping[Name, str]


def is_python(name: str) -> bool:
    """Also as Windows and old archives spell it, ``SOFTMAX.PY``."""
    return name.lower().endswith(SUFFIX)


def module_name(name: str, known: Collection[str]) -> str:
    """``SOFTMAX.PY`` is ``softmax``; of other names the case stays."""
    stem = name[: -len(SUFFIX)]
    return stem.lower() if stem.lower() in known else stem


def layout_of(files: Iterable[Name], known: Collection[str]) -> Layout:
    """The modules lie in the outermost folders that hold any of ``known``, or, where none does, any
    Python file. Of such folders one that is called ``exercises`` goes before all others.
    """
    python = sorted(name for name in files if is_python(name[-1]))
    folders = _folders(python, known)
    found: dict[str, list[Name]] = {}
    ignored: dict[Name, str] = {}
    for module, name in _in_order(python, known):
        before = found.get(module, [])
        if name[:-1] not in folders:
            ignored[name] = ELSEWHERE
        elif not module.isidentifier():
            ignored[name] = NO_MODULE
        elif any(other[:-1] == name[:-1] for other in before):
            ignored[name] = ANOTHER_SPELLING
        else:
            found[module] = [*before, name]
    several = {module: names for module, names in found.items() if len(names) > 1}
    chosen = {module: names[0] for module, names in found.items() if module not in several}
    return Layout(chosen, several, ignored)


def _in_order(python: Iterable[Name], known: Collection[str]) -> list[tuple[str, Name]]:
    """Modules with their files; those that are spelled as Python wants them come first."""
    pairs = [(module_name(name[-1], known), name) for name in python]
    return sorted(pairs, key=lambda pair: (pair[1][-1] != f"{pair[0]}{SUFFIX}", pair))


def _folders(python: Sequence[Name], known: Collection[str]) -> set[Name]:
    holding = {name[:-1] for name in python if module_name(name[-1], known) in known}
    holding = holding or {name[:-1] for name in python}
    outermost = min(map(len, holding), default=0)
    first = {folder for folder in holding if len(folder) == outermost}
    inner = {folder for folder in holding if folder[-1:] == (INNER,) and folder[:-1] in first}
    named = inner or {folder for folder in first if folder[-1:] == (INNER,)}
    return named if len(named) == 1 else first


def spelled(name: Name) -> str:
    """As a path."""
    return str(PurePosixPath(*name))
