"""Of all sources in a folder or an archive: which are the modules that were handed in?

Files are names, as tuples of the folders they lie in and their own name; nothing is opened here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeAlias

from grader.collect.near import (
    ATTEMPT,
    COPY,
    EXACT,
    NOTEBOOK,
    SPELLED,
    SUFFIX,
    Likeness,
    is_notebook,
    is_python,
    is_source,
    meant,
    stem_of,
)

Name: TypeAlias = tuple[str, ...]

INNER = "exercises"  # the folder that a checkout of a course keeps its pages in
ELSEWHERE = "it lies in another folder than what was graded"
ANOTHER_SPELLING = "the same module lies beside it in another spelling"
ANOTHER_COUNTS = "{name}, which lies beside it, counts"
EARLIER = "it is an earlier attempt: {name} counts"
NO_MODULE = "no module has such a name: Python could not import it"
GRADED_AS = "graded as {name}"
# Folders whose modules are not what somebody handed in, even where nothing else is there.
NOT_HANDED_IN = frozenset(
    "solution solutions test tests old older backup archive .ipynb_checkpoints".split()
)


@dataclass(frozen=True)
class Layout:
    """The file of each module; modules of which there are several, with all their files; why others
    are not graded; and what is said of those that were found under another name or place.
    """

    chosen: Mapping[str, Name]
    several: Mapping[str, Sequence[Name]]
    ignored: Mapping[Name, str]
    told: Mapping[Name, str] = field(default_factory=dict)


def layout_of(files: Iterable[Name], known: Collection[str], own: bool = False) -> Layout:
    """The modules lie in the outermost folders that hold any of ``known``, or, where none does, any
    source; of notebooks only those of ``known`` are given. Of such folders one that is called
    ``exercises`` goes before all others. What is in none of them may lie one folder deeper.

    In one's ``own`` folder a number behind a name marks no later attempt.
    """
    sources = sorted(name for name in files if is_source(name[-1]))
    search = _Search(known, own)
    folders = _folders(sources, known)
    search.within([name for name in sources if name[:-1] in folders])
    search.deeper([name for name in sources if name[:-1] not in folders], folders)
    return search.layout()


class _Search:
    """The modules found so far."""

    def __init__(self, known: Collection[str], own: bool) -> None:
        self._known, self._own = known, own
        self._found: dict[str, list[Name]] = {}
        self._ignored: dict[Name, str] = {}
        self._told: dict[Name, str] = {}

    def within(self, files: Sequence[Name]) -> None:
        """Modules in the folders that were handed in."""
        near, others = _sorted_out(files, self._known)
        for (module, _), names in near.items():
            self._take(module, names)
        for name in others:
            module = stem_of(name[-1])
            if not module.isidentifier():
                self._ignored[name] = NO_MODULE
            else:
                self._found.setdefault(module, []).append(name)

    def deeper(self, files: Sequence[Name], folders: Collection[Name]) -> None:
        """Exercises that nobody found so far, one folder further in."""
        near, _ = _sorted_out(files, self._known)
        before = set(self._found)
        self._ignored |= dict.fromkeys(files, ELSEWHERE)
        for (module, folder), names in near.items():
            if module not in before and is_near(folder, folders):
                for name in names:
                    del self._ignored[name]
                self._take(module, names)
                last = self._found[module][-1]
                self._told[last] = GRADED_AS.format(name=module + SUFFIX)

    def _take(self, module: str, names: dict[Name, Likeness]) -> None:
        """The nearest of the files of one module in one folder; equally near ones all."""
        if self._own:
            names = {name: _as_copy(likeness) for name, likeness in names.items()}
        most = max(names.values())
        nearest = [name for name in names if names[name] == most]
        if most.kind == SPELLED:
            del nearest[1:]
        self._found[module] = [*self._found.get(module, []), *nearest]
        for name in names:
            if name not in nearest:
                self._ignored[name] = _beaten(nearest[0], most, names[name])
            elif most.kind != EXACT and not _only_case(name[-1], module):
                self._told[name] = GRADED_AS.format(name=module + SUFFIX)
        for name in names:
            own = stem_of(name[-1])
            importable = own.isidentifier() and not is_notebook(name[-1])
            if names[name].kind <= COPY and importable:  # others may import it as that
                self._found.setdefault(own, []).append(name)
                self._ignored.pop(name, None)

    def layout(self) -> Layout:
        several = {module: names for module, names in self._found.items() if len(names) > 1}
        chosen = {m: names[0] for m, names in self._found.items() if m not in several}
        told = {name: says for name, says in self._told.items() if name in chosen.values()}
        return Layout(chosen, several, self._ignored, told)


def _as_copy(likeness: Likeness) -> Likeness:
    return Likeness(COPY, likeness.number) if likeness.kind == ATTEMPT else likeness


def _beaten(winner: Name, most: Likeness, likeness: Likeness) -> str:
    if most.kind == ATTEMPT:
        return EARLIER.format(name=winner[-1])
    return ANOTHER_SPELLING if likeness.kind == SPELLED else ANOTHER_COUNTS.format(name=winner[-1])


def _only_case(name: str, module: str) -> bool:
    return name == module + NOTEBOOK or (name.lower() == module + SUFFIX and name.isupper())


def is_near(folder: Name, folders: Collection[Name]) -> bool:
    """One folder further in than ``folders``, within these where they are ``exercises``, and under
    no name that says it was not handed in.
    """
    if any(part.casefold() in NOT_HANDED_IN for part in folder):
        return False
    if any(one[-1:] == (INNER,) for one in folders):
        return folder[:-1] in folders
    return len(folder) - 1 in {len(one) for one in folders}


Near = dict[tuple[str, Name], dict[Name, Likeness]]


def _sorted_out(files: Iterable[Name], known: Collection[str]) -> tuple[Near, list[Name]]:
    """Files by the exercise they stand for and their folder; and all others."""
    near: Near = {}
    others = []
    for name in files:
        found = meant(name[-1], known)
        if found is None:
            others.append(name)
        else:
            near.setdefault((found[0], name[:-1]), {})[name] = found[1]
    return near, others


def holds_exercise(names: Iterable[str], known: Collection[str]) -> bool:
    """Whether any of these files stands for an exercise, under its own name or one as good."""
    found = (meant(name, known) for name in names)
    return any(one is not None and one[1].kind >= COPY for one in found)


def _folders(sources: Sequence[Name], known: Collection[str]) -> set[Name]:
    python = [name for name in sources if is_python(name[-1])]  # goes before notebooks
    holding = {name[:-1] for name in python if holds_exercise([name[-1]], known)}
    holding = holding or {name[:-1] for name in sources if holds_exercise([name[-1]], known)}
    holding = holding or {name[:-1] for name in sources if meant(name[-1], known)}
    holding = holding or {name[:-1] for name in sources}
    outermost = min(map(len, holding), default=0)
    first = {folder for folder in holding if len(folder) == outermost}
    inner = {folder for folder in holding if folder[-1:] == (INNER,) and folder[:-1] in first}
    named = inner or {folder for folder in first if folder[-1:] == (INNER,)}
    return named if len(named) == 1 else first


def spelled(name: Name) -> str:
    """As a path."""
    return str(PurePosixPath(*name))
