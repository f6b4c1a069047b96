"""What the folders and files beside one another look like: students, or the modules of one?

Only names are looked at here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from grader.collect.layout import INNER, NOT_HANDED_IN, Name, holds_exercise
from grader.collect.near import COPY, is_source, meant, says_nothing
from grader.collect.reasons import is_archive
from grader.collect.shapes import named_after_exercise, of_platform
from grader.collect.tree import FILE, FOLDER, Child, Tree

METADATA = "submission_metadata.yml"
_LEVELS = 3  # a student's modules lie no deeper, as far as telling a class from one student goes
_OF_PROJECTS = frozenset(
    "setup.py setup.cfg pyproject.toml requirements.txt README.md README.rst README.txt README "
    "LICENSE LICENSE.md Makefile Dockerfile .gitignore .gitattributes environment.yml".split()
)


class Looks:
    """How what lies in a download looks to who knows the names of the exercises."""

    def __init__(self, tree: Tree, known: Collection[str]) -> None:
        self._tree, self._known = tree, known

    def students(self, at: Name, children: Sequence[Child], least: int = COPY) -> list[set[str]]:
        """What may be students' beside one another in the folder ``at``: the exercises in each."""
        return [those for those in self._by_student(at, children, least).values() if those]

    def _by_student(
        self, at: Name, children: Sequence[Child], least: int = COPY
    ) -> dict[str, set[str]]:
        found = {}
        for child in children:
            if child.kind == FILE and is_archive(child.name):
                found[child.name] = {child.name}
            elif child.kind == FOLDER and not is_hidden(child) and not is_set_aside(child):
                found[child.name] = self.exercises((*at, child.name), least)
        return found

    def exercises(self, at: Name, least: int, levels: int = _LEVELS) -> set[str]:
        """Those that the folder ``at`` holds, where they lie nearest to it; archives by their
        names.
        """
        children = [child for child in self._tree.children(at) if not is_hidden(child)]
        names = [child.name for child in children if child.kind == FILE]
        found = {m[0] for name in names if (m := meant(name, self._known)) and m[1].kind >= least}
        for child in children:
            if levels > 1 and not found and child.kind == FOLDER:
                found |= self.exercises((*at, child.name), least, levels - 1)
            elif child.kind == FILE and is_archive(child.name):
                found.add(child.name)
        return found

    def are_people(self, at: Name, children: Sequence[Child]) -> bool:
        """Whether two folders or more hold exercises under names that may be students': neither
        ``week 1`` nor ``old`` nor ``softmax``.
        """
        found = self._by_student(at, children).items()
        return sum(bool(those) and not says_nothing(name, self._known) for name, those in found) > 1

    def owners(self, children: Sequence[Child]) -> int:
        """How many students the names of files tell of: by an archive each, or ``ann_softmax``."""
        archives = sum(child.kind == FILE and is_archive(child.name) for child in children)
        return archives + len(self.named(children))

    def named(self, children: Sequence[Child]) -> set[str]:
        """Who they are that files are named after, as ``ann_softmax.py``."""
        names = [child.name for child in children if child.kind == FILE and is_source(child.name)]
        others = [name for name in names if not holds_exercise([name], self._known)]
        found = (named_after_exercise(name, self._known) for name in others)
        return {whose.student for whose in found if whose is not None}

    def copies(self, children: Sequence[Child]) -> int:
        """How many files stand for the same exercise: ``softmax_1.py`` to ``softmax_30.py`` are no
        attempts of one student.
        """
        found = (meant(c.name, self._known) for c in children if c.kind == FILE)
        modules = Counter(one[0] for one in found if one is not None and one[1].kind >= COPY)
        return max(modules.values(), default=0)

    def nameless(self, children: Sequence[Child]) -> int:
        """How many Python files have names that say nothing of an exercise."""
        names = [c.name for c in children if c.kind == FILE and is_source(c.name)]
        known = self._known
        return sum(not (meant(name, known) or named_after_exercise(name, known)) for name in names)

    def hold_modules(self, children: Sequence[Child]) -> bool:
        names = (child.name for child in children if child.kind != FOLDER)
        return Child(INNER, FOLDER) in children or holds_exercise(names, self._known)


def is_hidden(child: Child) -> bool:
    """``.git``, ``__pycache__``, ``_drafts``; but ``_under 1030`` is what somebody is called."""
    name = child.name
    if of_platform(name) is not None:
        return False
    return name.startswith((".", "__")) or (name[:1] == "_" and says_nothing(name))


def is_set_aside(child: Child) -> bool:
    """Whether its name says that nobody handed it in."""
    return child.name == INNER or child.name.casefold() in NOT_HANDED_IN


def is_project(children: Sequence[Child]) -> bool:
    """Whether files lie there that belong to no student of a class, as in a clone."""
    return any(child.kind == FILE and child.name in _OF_PROJECTS for child in children)


def by_platform(children: Sequence[Child]) -> bool:
    """Whether a platform made any of these names."""
    return any(child.name == METADATA or of_platform(child.name) for child in children)
