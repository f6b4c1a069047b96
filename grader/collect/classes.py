"""A download of a class -> its parts, each with whose it is. Only names are looked at here."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.collect.layout import INNER, Name, spelled
from grader.collect.looks import (
    METADATA,
    Looks,
    by_platform,
    is_hidden,
    is_project,
    is_set_aside,
)
from grader.collect.modules import Ignored, Note
from grader.collect.names import shown
from grader.collect.near import COPY, LOOSE, is_source, meant, stem_of
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
    is_pack,
    is_work,
    reason_for_name,
    stem_of_file,
)
from grader.collect.shapes import (
    Whose,
    named_after,
    named_after_exercise,
    of_platform,
)
from grader.collect.tree import FILE, FOLDER, Child, Tree

SOLUTIONS = "solutions"  # of a course, as ``exercises``
SUBMITTED = "submitted"  # nbgrader's folder of a class: submitted/STUDENT/ASSIGNMENT
_CATALOG = "catalog.toml"  # in ``exercises``: the whole is a course, and not a class
_AROUND = 5  # folders around a class
_MANY = 3  # folders with the same exercises, or copies of one file: students, no tries


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
        self._looks = Looks(tree, known)
        self.ignored: list[Ignored] = []
        self.notes: list[Note] = []
        self.root = self._root(())
        self._children = tree.children(self.root)
        self._owners = self._looks.named(self._children)

    @property
    def is_of_nbgrader(self) -> bool:
        """Whether it is the folder that nbgrader collects into."""
        return (self.root or Path(os.path.abspath(self._tree.path)).parts)[-1] == SUBMITTED

    # Where the class lies --------------------------------------------------------------------

    def _root(self, at: Name) -> Name:
        """Through folders that only lie around the class."""
        for _ in range(_AROUND):
            children = [child for child in self._tree.children(at) if not is_hidden(child)]
            inner = self._inner(children, at)
            if inner is None:
                break
            for child in children:
                if child != inner:
                    nbgrader = inner.name == SUBMITTED
                    reason = NOT_SUBMITTED if nbgrader else _reason(child)
                    self._leave_out([child], at, reason)
            at = (*at, inner.name)
        return at

    def _inner(self, children: Sequence[Child], at: Name) -> Child | None:
        """The folder that holds the class, if there is one."""
        if Child(SUBMITTED, FOLDER) in children:
            return Child(SUBMITTED, FOLDER)
        work = [child for child in children if _may_hold_work(child)]
        only = work[0] if len(work) == 1 else None
        if only is None or only.kind != FOLDER or of_platform(only.name):
            return None
        inner = (*at, only.name)
        if self._is_archive or self._is_class(inner):
            return only
        if not self._looks_like_a_class(inner, children):
            return None
        self.notes.append(Note(self._path(inner), STUDENTS_BELOW))
        return only

    def _is_class(self, at: Name) -> bool:
        """Whether a platform says so."""
        inner = self._tree.children(at)
        return by_platform(inner) or Child(SUBMITTED, FOLDER) in inner

    def _looks_like_a_class(self, at: Name, around: Sequence[Child]) -> bool:
        """Whether students lie in the folder ``at``, and neither one student's modules nor tries;
        ``around`` is what lies beside it.
        """
        inner = self._tree.children(at)
        if self._looks.hold_modules(inner):
            return False
        if self._looks.owners(inner) > 1:
            return True
        shared = Counter(m for folder in self._looks.students(at, inner) for m in folder)
        most = max(shared.values(), default=0)
        people = self._looks.are_people(at, inner)
        return most >= _MANY or (people and (most > 1 or not is_project([*around, *inner])))

    def _leave_out(self, children: Sequence[Child], at: Name, reason: str) -> None:
        self.ignored += [Ignored(self._path((*at, c.name)), reason) for c in children]

    def _path(self, name: Name) -> str:
        return f"{self._tree.path}/{shown(spelled(name))}" if name else self._tree.path

    # One submission, or many ---------------------------------------------------------------------

    def is_one(self) -> bool:
        """Whether all of it is one submission: modules at the top, and no students beside them."""
        if by_platform(self._children):
            return False
        students = self._looks.students(self.root, self._children)
        if self._looks.hold_modules(self._children):
            if self._looks.copies(self._children) >= _MANY:
                return False
            return len(students) < 2 or self._is_course()
        if not self._is_archive:
            return False
        if is_project(self._children) and students:
            return len(students) == 1 or not self._looks.are_people(self.root, self._children)
        return len(students) < 2 and not self._are_many()

    def _are_many(self) -> bool:
        """Whether there is more than one part that may be somebody's."""
        parts = [c for c in self._children if not is_hidden(c) and not is_set_aside(c)]
        work = [c for c in parts if c.kind == FOLDER or is_source(c.name) or is_work(c.name)]
        return len(work) > 1

    def _is_course(self) -> bool:
        return Child(_CATALOG) in self._tree.children((*self.root, INNER))

    # Whose the parts are -------------------------------------------------------------------------

    def students(self) -> Iterator[tuple[Whose, list[Part]]]:
        """Each student with all parts of theirs; what is nobody's is ignored with a reason."""
        found: dict[tuple[str, ...], list[Part]] = {}
        for child in self._children:
            if child.name == METADATA:  # read on its own
                continue
            whose, alone = self._whose(child)
            if whose is None:
                self._leave_out([child], self.root, _reason(child))
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
        if child.kind not in (FILE, FOLDER) or is_hidden(child):
            return None, True
        whose = of_platform(child.name)
        if whose is not None:
            return whose, False
        if child.kind == FOLDER:
            return (None if self._is_nobodys(child.name) else Whose(child.name)), True
        return self._whose_file(child.name)

    def _is_nobodys(self, folder: str) -> bool:
        """``_`` before a name may be part of it, but then there is work in the folder."""
        if folder.startswith("_"):
            return not self._looks.exercises((*self.root, folder), LOOSE)
        return folder in (INNER, SOLUTIONS)

    def _whose_file(self, name: str) -> tuple[Whose | None, bool]:
        if not (is_source(name) or is_archive(name) or is_work(name)):
            return None, True
        found = meant(name, self._known)
        if found is not None and found[1].kind >= COPY:
            return None, True
        exercise = named_after_exercise(name, self._known) if is_source(name) else None
        named = exercise or named_after(name, self._owners)
        if named is not None:
            return named, False
        stem = stem_of(name) if is_source(name) else stem_of_file(name)
        return Whose(stem, file=name), True

    def _tell_if_undecided(self) -> None:
        if by_platform(self._children):
            return
        students = self._looks.students(self.root, self._children, LOOSE)
        shared: Mapping[str, int] = Counter(m for exercises in students for m in exercises)
        archives = any(is_archive(name) for name in shared)
        if len(students) > 1 and max(shared.values()) == 1 and not archives:
            self.notes.append(Note(self._path(self.root), ONE_OR_MANY))
        elif self._is_archive and not students and self._looks.nameless(self._children) > 1:
            self.notes.append(Note(self._path(self.root), EACH_FILE))


def _reason(child: Child) -> str:
    """Why what is nobody's is not graded."""
    if child.name.startswith((".", "_")):
        return HIDDEN
    if child.kind == FOLDER:
        return NOBODYS
    if child.kind != FILE:
        return A_LINK if child.kind == "a link" else f"it is {child.kind}"
    return reason_for_name(child.name) or NOBODYS


def _may_hold_work(child: Child) -> bool:
    if child.kind == FOLDER:
        return True
    may = not reason_for_name(child.name) and not is_pack(child.name)
    return child.kind == FILE and (may or child.name == METADATA)
