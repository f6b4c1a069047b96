"""A learner's folder: where the pages lie, what was touched, starting and starting again."""

from __future__ import annotations

import datetime
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.course.catalog import select
from grader.course.course import POINTER, Course, is_own
from grader.course.imports import own_modules
from grader.course.release import generated_files, untouched
from grader.errors import CatalogError, LearnerError
from grader.learner import words
from grader.learner.progress import FILE_NAME, Progress, ProgressFile, digest_of
from grader.model import Exercise, ExerciseReport


@dataclass(frozen=True)
class Workspace:
    """One learner's pages and progress."""

    course: Course
    catalog: Mapping[str, Exercise]
    folder: Path

    @cached_property
    def progress(self) -> ProgressFile:
        return ProgressFile(self.folder)

    @property
    def keeps_progress(self) -> bool:
        """Other folders, such as somebody's submission, are left without a trace."""
        return self.progress.exists or self.folder == self.course.exercises

    def page(self, name: str) -> Path:
        return self.folder / f"{name}.py"

    def text(self, name: str) -> str:
        """What stands on the page, as well as it can be read; nothing if it is not there."""
        try:
            return self.page(name).read_bytes().decode("utf-8-sig", errors="replace")
        except OSError:
            return ""

    def texts(self, names: Iterable[str]) -> dict[str, str]:
        """What stands on those of these pages that are there."""
        return {name: self.text(name) for name in names if self.page(name).is_file()}

    def where(self, name: str, place: str = "") -> str:
        """What to open, in the form that terminals make clickable.

        It is ``place``, a page and a line of this folder, if that is known, otherwise the first
        line still to be written.
        """
        page, here = self.page(name), Path.cwd()
        folder = "" if here == self.folder else f"{self.folder}{os.sep}"
        if not page.is_file():
            return f"{folder}{page.name}"
        if place:
            return folder + place
        lines = self.text(name).splitlines()
        todo = (n for n, line in enumerate(lines, 1) if "raise NotImplementedError(" in line)
        return f"{folder}{page.name}:{next(todo, 1)}"

    def unwritten(self, name: str) -> str:
        """The first function or class of a page that is not written yet; empty if all are."""
        begins, of = re.compile(r"(?:def|class) (\w+)"), ""
        for line in self.text(name).splitlines():
            found = begins.match(line)
            of = found[1] if found else of
            if "raise NotImplementedError(" in line and of:
                return of
        return ""

    def beginning(self, name: str, of: str) -> str:
        """Where a function or class begins on a page, as ``softmax.py:29``, if it does."""
        begins = re.compile(rf"(?:def|class) {re.escape(of)}\b") if of else None
        for number, line in enumerate(self.text(name).splitlines(), start=1):
            if begins is not None and begins.match(line):
                return f"{name}.py:{number}"
        return ""

    def is_touched(self, name: str) -> bool:
        """Whether the page is there and says something else than its stub."""
        if not self.page(name).is_file():
            return False
        return self.differs(name, self.text(name))

    def differs(self, name: str, text: str) -> bool:
        """Whether a page's text says something else than its stub."""
        return text.split() != untouched(self.course, name).split()

    @property
    def touched(self) -> list[Exercise]:
        return [e for e in self.catalog.values() if self.is_touched(e.name)]

    def exercise(self, name: str) -> Exercise:
        """Raises ``LearnerError`` for an unknown name."""
        try:
            return select(self.catalog, [name.removesuffix(".py")])[0]
        except CatalogError as error:
            raise LearnerError(str(error)) from error

    def after(
        self, progress: Progress, reports: Iterable[ExerciseReport], texts: Mapping[str, str]
    ) -> Progress:
        """With what checks of ``texts`` have found; an untouched stub is no attempt."""
        for report in reports:
            text = texts.get(report.name, "")
            if text and self.differs(report.name, text):
                progress = progress.checked(report, text, now())
            elif progress.of(report.name).done:
                progress = progress.reset(report.name)
        return progress

    def right(self, progress: Progress, texts: Mapping[str, str]) -> frozenset[str]:
        """Those of these modules that have passed all their checks, and are as they were then, with
        all that they import of one another.
        """
        standings = {name: progress.of(name) for name in texts}
        same = {n for n, s in standings.items() if s.done and s.digest == digest_of(texts[n])}
        return frozenset(name for name in same if own_modules(texts, name) <= same)

    def reset(self, name: str) -> Path | None:
        """Put a fresh stub in place; returns where the old page, if it was touched, is kept."""
        page, kept = self.page(name), None
        try:
            if self.is_touched(name):
                kept = _free_name(page)
                shutil.copy2(page, kept)
            write_whole(page, untouched(self.course, name))
        except OSError as error:
            said = words.NOT_REPLACED.format(page=page.name, said=error.strerror)
            raise LearnerError(said) from error
        if self.keeps_progress:
            self.progress.change(lambda progress: progress.reset(name))
        return kept

    def next_open(self, progress: Progress, after: str = "") -> str:
        """The next exercise whose core is not right, in teaching order and round; when all are, the
        next that is not done; '' when these are, too.
        """
        names = list(self.catalog)
        first = names.index(after) + 1 if after in names else 0
        order = names[first:] + names[:first]
        core = [name for name in order if not progress.of(name).core]
        rest = [name for name in order if not progress.of(name).done]
        return next(iter(core + rest), "")

    def current(self, progress: Progress) -> str:
        """The exercise at hand."""
        known = progress.current in self.catalog
        return progress.current if known else self.next_open(progress) or next(iter(self.catalog))


def find_workspace(
    course: Course, catalog: Mapping[str, Exercise], folder: Path | None = None
) -> Workspace:
    """The folder named, or the current one; inside a clone, its own exercises."""
    here = Path.cwd()
    if folder is not None:
        return Workspace(course, catalog, folder)
    if here != course.solutions and is_workspace(here, catalog):
        return Workspace(course, catalog, here)
    if here == course.root or course.root in here.parents:
        return Workspace(course, catalog, course.exercises)
    raise LearnerError(words.NO_EXERCISES)


def is_workspace(folder: Path, catalog: Mapping[str, Exercise]) -> bool:
    """Whether exercises were started in ``folder``, or lie there."""
    return (folder / FILE_NAME).exists() or any((folder / f"{n}.py").exists() for n in catalog)


def start(course: Course, catalog: Mapping[str, Exercise], folder: Path) -> Workspace:
    """Copy stubs and map into ``folder``; raises ``LearnerError`` rather than overwrite a file."""
    texts = {p.name: t for p, t in generated_files(course).items() if p.parent == course.exercises}
    _refuse_if_taken(folder, [name for name in texts if os.path.lexists(folder / name)])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_whole(folder / name, text)
        if not is_own(course):
            write_whole(folder / POINTER, f"{course.root}\n")
    except OSError as error:
        said = words.CANNOT_BE_MADE.format(folder=folder, said=error.strerror or error)
        raise LearnerError(said) from error
    workspace = Workspace(course, catalog, folder)
    workspace.progress.save(Progress(current=next(iter(catalog))))
    return workspace


def _refuse_if_taken(folder: Path, there: Sequence[str]) -> None:
    """Raises ``LearnerError`` if the files called ``there`` would be overwritten."""
    files, more = ", ".join(there[:2]), len(there) - 2
    if there and (folder / FILE_NAME).exists():
        raise LearnerError(words.STARTED_BEFORE.format(folder=folder, quoted=quoted(folder)))
    if more > 0:
        raise LearnerError(words.ALREADY_HOLDS_MORE.format(folder=folder, files=files, more=more))
    if there:
        raise LearnerError(words.ALREADY_HOLDS.format(folder=folder, files=files))


def write_whole(path: Path, text: str) -> None:
    """All of ``text`` or, after an accident, what was there before."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text.encode())
    os.replace(beside, path)


def now() -> str:
    """This moment, as progress keeps it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _free_name(page: Path) -> Path:
    number = 1
    while (kept := page.with_name(f"{page.name}.old-{number}")).exists():
        number += 1
    return kept


def quoted(folder: Path) -> str:
    """A path as a shell takes it."""
    text = str(folder)
    return f'"{text}"' if " " in text else text
