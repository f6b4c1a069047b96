"""A download of a class -> its parts, each with whose it is. Only names are looked at here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.collect.layout import INNER, NOT_HANDED_IN, Name, holds_exercise, spelled
from grader.collect.modules import Ignored, Note
from grader.collect.names import shown
from grader.collect.near import COPY, LOOSE, is_python, meant, stem_of
from grader.collect.reasons import (
    A_LINK,
    EACH_FILE,
    HIDDEN,
    NOBODYS,
    NOT_SUBMITTED,
    ONE_OR_MANY,
    ONLINE_TEXT,
    STUDENTS_BELOW,
    is_archive,
    is_work,
    reason_for_name,
)
from grader.collect.shapes import Whose, named_after_exercise, of_platform
from grader.collect.tree import FILE, FOLDER, Child, Tree

METADATA = "submission_metadata.yml"
SOLUTIONS = "solutions"  # of a course, as ``exercises``
SUBMITTED = "submitted"  # nbgrader's folder of a class: submitted/STUDENT/ASSIGNMENT
_CATALOG = "catalog.toml"  # in ``exercises``: the whole is a course, and not a class
_OF_PROJECTS = frozenset(
    "setup.py setup.cfg pyproject.toml requirements.txt README.md README.rst README.txt README "
    "LICENSE LICENSE.md Makefile Dockerfile .gitignore .gitattributes environment.yml".split()
)
_AROUND = 5  # folders around a class
_LEVELS = 3  # a student's modules lie no deeper, as far as telling a class from one student goes
_MANY = 3  # folders with the same exercises in a folder that is alone: students, no tries


@dataclass(frozen=True)
class Part:
    """One folder or file at the top of a download."""

    child: Child
    whose: Whose


class Download:
    """The parts of a download, at the folder of it in which they lie.

    ``is_archive`` says that it was not opened yet: then a folder around everything is none of its
    students, and what holds the modules of one student only is one submission.
    """

    def __init__(self, tree: Tree, known: Collection[str], is_archive: bool) -> None:
        self._tree, self._known, self._is_archive = tree, known, is_archive
        self.ignored: list[Ignored] = []
        self.notes: list[Note] = []
        self.root = self._root(())
        self._children = tree.children(self.root)

    def _root(self, at: Name) -> Name:
        """Through folders that only lie around the class."""
        for _ in range(_AROUND):
            children = [child for child in self._tree.children(at) if not _is_hidden(child)]
            inner = self._inner(children, at)
            if inner is None:
                break
            for child in children:
                if child != inner:
                    nbgrader = inner.name == SUBMITTED
                    reason = NOT_SUBMITTED if nbgrader else self._reason(child)
                    self._leave_out([child], at, reason)
            at = (*at, inner.name)
        return at

    def _inner(self, children: Sequence[Child], at: Name) -> Child | None:
        """The folder that holds the class, if there is one."""
        if Child(SUBMITTED, FOLDER) in children:
            return Child(SUBMITTED, FOLDER)
        work = [child for child in children if _may_hold_work(child)]
        only = work[0] if len(work) == 1 else None
        return only if only and self._is_around((*at, only.name), only) else None

    def _is_around(self, at: Name, child: Child) -> bool:
        if child.kind != FOLDER or of_platform(child.name):
            return False
        if self._is_archive:
            return True
        inner = self._tree.children(at)
        if _of_platform(inner) or Child(SUBMITTED, FOLDER) in inner:
            return True
        shared = Counter(m for folder in self._students(at, inner) for m in folder)
        few = max(shared.values(), default=0) < _MANY and self._owners(inner) < 2
        if few or self._holds_modules(inner):
            return False
        self.notes.append(Note(self._path(at), STUDENTS_BELOW))
        return True

    def _owners(self, children: Sequence[Child]) -> int:
        """How many students the names of files tell of: by an archive each, or ``ann_softmax``."""
        names = [child.name for child in children if child.kind == FILE]
        archives = sum(map(is_archive, names))
        named = (named_after_exercise(name, self._known) for name in names if is_python(name))
        return archives + len({whose.key for whose in named if whose})

    def _leave_out(self, children: Sequence[Child], at: Name, reason: str) -> None:
        self.ignored += [Ignored(self._path((*at, c.name)), reason) for c in children]

    def _path(self, name: Name) -> str:
        return f"{self._tree.path}/{shown(spelled(name))}" if name else self._tree.path

    def is_one(self) -> bool:
        """Whether all of it is one submission: modules at the top, and no students beside them."""
        if _of_platform(self._children):
            return False
        students = self._students(self.root, self._children)
        if self._holds_modules(self._children):
            if self._copies() >= _MANY:
                return False
            return len(students) < 2 or self._is_course()
        if not self._is_archive or len(students) > 1:
            return False
        return not self._are_many() or (bool(students) and self._is_project())

    def _are_many(self) -> bool:
        """Whether there is more than one part that may be somebody's."""
        parts = [c for c in self._children if not _is_hidden(c) and not _is_set_aside(c)]
        work = [c for c in parts if c.kind == FOLDER or is_python(c.name) or is_work(c.name)]
        return len(work) > 1

    def _is_project(self) -> bool:
        """Whether files lie there that belong to no student of a class, as in a clone."""
        files = [c.name for c in self._children if c.kind == FILE]
        return any(name in _OF_PROJECTS for name in files)

    def _holds_modules(self, children: Sequence[Child]) -> bool:
        return Child(INNER, FOLDER) in children or _holds(children, self._known)

    def _copies(self) -> int:
        """How many files at the top stand for the same exercise: ``softmax_1.py`` to
        ``softmax_30.py`` are no attempts of one student.
        """
        found = (meant(c.name, self._known) for c in self._children if c.kind == FILE)
        modules = Counter(one[0] for one in found if one is not None and one[1].kind >= COPY)
        return max(modules.values(), default=0)

    def _nameless(self) -> int:
        """How many Python files have names that say nothing of an exercise."""
        names = [c.name for c in self._children if c.kind == FILE and is_python(c.name)]
        known = self._known
        return sum(not (meant(name, known) or named_after_exercise(name, known)) for name in names)

    def _is_course(self) -> bool:
        return Child(_CATALOG) in self._tree.children((*self.root, INNER))

    def _students(self, at: Name, children: Sequence[Child], least: int = COPY) -> list[set[str]]:
        """What may be students' beside one another: the exercises in each."""
        found = []
        for child in children:
            if child.kind == FILE and is_archive(child.name):
                found.append({child.name})
            elif child.kind == FOLDER and not _is_hidden(child) and not _is_set_aside(child):
                found.append(self._exercises((*at, child.name), _LEVELS, least))
        return [exercises for exercises in found if exercises]

    def _exercises(self, at: Name, levels: int, least: int) -> set[str]:
        children = [child for child in self._tree.children(at) if not _is_hidden(child)]
        names = [child.name for child in children if child.kind == FILE]
        found = {m[0] for name in names if (m := meant(name, self._known)) and m[1].kind >= least}
        for child in children:
            if levels > 1 and not found and child.kind == FOLDER:
                found |= self._exercises((*at, child.name), levels - 1, least)
            elif child.kind == FILE and is_archive(child.name):
                found.add(child.name)
        return found

    def students(self) -> Iterator[tuple[Whose, list[Part]]]:
        """Each student with all parts of theirs; what is nobody's is ignored with a reason."""
        found: dict[tuple[str, ...], list[Part]] = {}
        for child in self._children:
            if child.name == METADATA:  # read on its own
                continue
            whose, alone = self._whose(child)
            reason = "" if whose else self._reason(child)
            if whose is None:
                self._leave_out([child], self.root, reason)
            else:
                key = (child.name,) if alone else whose.key
                found.setdefault(key, []).append(Part(child, whose))
        self._tell_if_undecided()
        for parts in found.values():
            yield from self._handed_in(parts)

    def _handed_in(self, parts: list[Part]) -> Iterator[tuple[Whose, list[Part]]]:
        """Without the online texts, unless these are all there is."""
        files = [part for part in parts if not part.whose.text]
        texts = [part.child for part in parts if part.whose.text]
        self._leave_out(texts, self.root, ONLINE_TEXT)
        first = (files or parts)[0].whose
        late = any(part.whose.late for part in parts)
        yield Whose(first.student, first.id, late, first.file), files

    def _whose(self, child: Child) -> tuple[Whose | None, bool]:
        """Whose it is, and whether it is a submission by itself."""
        if child.kind not in (FILE, FOLDER) or _is_hidden(child):
            return None, True
        whose = of_platform(child.name)
        if whose is not None:
            return whose, False
        if child.kind == FOLDER:
            return (None if child.name in (INNER, SOLUTIONS) else Whose(child.name)), True
        return self._whose_file(child.name)

    def _whose_file(self, name: str) -> tuple[Whose | None, bool]:
        if not is_python(name):
            ours = is_archive(name) or is_work(name)
            return (Whose(stem_of_file(name), file=name) if ours else None), True
        found = meant(name, self._known)
        if found is not None and found[1].kind >= COPY:
            return None, True
        named = named_after_exercise(name, self._known)
        return (named, False) if named else (Whose(stem_of(name), file=name), True)

    def _reason(self, child: Child) -> str:
        if _is_hidden(child):
            return HIDDEN
        if child.kind == FOLDER:
            return NOBODYS
        if child.kind != FILE:
            return A_LINK if child.kind == "a link" else f"it is {child.kind}"
        return reason_for_name(child.name) or NOBODYS

    def _tell_if_undecided(self) -> None:
        if _of_platform(self._children):
            return
        students = self._students(self.root, self._children, LOOSE)
        shared: Mapping[str, int] = Counter(m for exercises in students for m in exercises)
        archives = any(is_archive(name) for name in shared)
        if len(students) > 1 and max(shared.values()) == 1 and not archives:
            self.notes.append(Note(self._path(self.root), ONE_OR_MANY))
        elif self._is_archive and not students and self._nameless() > 1:
            self.notes.append(Note(self._path(self.root), EACH_FILE))


def _is_hidden(child: Child) -> bool:
    return child.name.startswith((".", "_")) and of_platform(child.name) is None


def _may_hold_work(child: Child) -> bool:
    if child.kind == FOLDER:
        return True
    return child.kind == FILE and (not reason_for_name(child.name) or child.name == METADATA)


def _is_set_aside(child: Child) -> bool:
    return child.name == INNER or child.name.casefold() in NOT_HANDED_IN


def _holds(children: Sequence[Child], known: Collection[str]) -> bool:
    return holds_exercise((child.name for child in children if child.kind != FOLDER), known)


def _of_platform(children: Sequence[Child]) -> bool:
    """Whether a platform made any of these names."""
    return any(child.name == METADATA or of_platform(child.name) for child in children)


def stem_of_file(name: str) -> str:
    """``ann.tar.gz`` is ``ann``."""
    lower = name.lower()
    cut = next((s for s in (".tar.gz", ".tar.bz2", ".tar.xz") if lower.endswith(s)), "")
    return name[: -len(cut)] if cut else name.rpartition(".")[0] or name
