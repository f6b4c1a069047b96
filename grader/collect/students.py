"""The parts of a class -> a submission for each student."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from grader.collect.classes import Download, Part
from grader.collect.found import Collected
from grader.collect.gradescope import submitters
from grader.collect.layout import Name, spelled
from grader.collect.looks import METADATA
from grader.collect.modules import Ignored, Modules, Note, NotRead
from grader.collect.names import clean_name, shown, told_apart
from grader.collect.near import is_source, meant
from grader.collect.notebook import Pages
from grader.collect.reasons import (
    NO_TIME,
    RESULTS,
    SAME_FILE_AGAIN,
    is_archive,
    is_work,
    reason_for_name,
)
from grader.collect.shapes import Whose
from grader.collect.taking import Taking
from grader.collect.times import MAX_BYTES, TIMESTAMP, iso
from grader.collect.tree import FOLDER, Child, Read, Tree
from grader.errors import CollectError
from grader.model import Submission

OF_A_RUN = {"settings.json", "journal.jsonl"}
EXPECTED = "expected folders, .zip or .tar archives or .py files, or notebooks"


class Students:
    """The submissions of a download."""

    def __init__(
        self, tree: Tree, known: Collection[str], download: Download, pages: Pages | None
    ) -> None:
        self._tree, self._known, self._download, self._pages = tree, known, download, pages
        self._ignored, self._notes = download.ignored, download.notes
        self._claims: dict[str, str] = {}

    def collected(self, out: Path | None) -> Collected:
        """All of them but ``out``; raises ``CollectError`` if there are none."""
        listed, found = self._listed(), []
        for whose, parts in self._download.students():
            if self._is_a_run(parts) or (out is not None and self._is_out(parts, out)):
                self._ignored.append(Ignored(self._path(parts, whose), RESULTS))
            else:
                who = listed.get(parts[0].child.name, whose) if parts else whose
                found.append(self._submission(who, whose, parts))
        self._require(found)
        ordered = sorted(found, key=lambda one: (one.name, one.student_id, one.path))
        ignored = sorted(self._ignored, key=lambda one: one.path)
        those, notes = tuple(told_apart(ordered)), tuple(self._notes)
        return Collected(those, tuple(ignored), notes, claims=self._claims)

    def _is_a_run(self, parts: Sequence[Part]) -> bool:
        """What an earlier ``grader grade`` left holds the text of everybody."""
        found: set[str] = set()
        for part in parts:
            if part.child.kind == FOLDER:
                at = (*self._download.root, part.child.name)
                found |= {child.name for child in self._tree.children(at)}
        return found >= OF_A_RUN

    def _submission(self, who: Whose, named: Whose, parts: Sequence[Part]) -> Submission:
        """``who`` handed in what is ``named`` so."""
        modules = self._modules(named, parts)
        who = replace(who, handed_in=who.handed_in or self._time(parts, modules))
        submission = modules.submission(who)
        self._ignored += [one for one in modules.ignored if not _is_read(one, who)]
        self._notes += modules.notes
        self._claims |= modules.claims_by_path
        return submission

    def _require(self, found: Sequence[Submission]) -> None:
        """Raises ``CollectError`` where nobody handed in anything that is read here."""
        if not all(map(_is_unread, found)):
            return
        reasons = [f" {clean_name(Path(i.path).name)}: {i.reason}." for i in self._ignored[:3]]
        said = f"{self._tree.path} holds no submissions: {EXPECTED}.{''.join(reasons)}"
        raise CollectError(said)

    # What the platform says beside the files ------------------------------------------------------

    def _listed(self) -> dict[str, Whose]:
        """Whose the folders are, where Gradescope's list says so."""
        at = (*self._download.root, METADATA)
        if Child(METADATA) not in self._tree.children(at[:-1]):
            return {}
        try:
            return submitters(self._tree.read(at))
        except NotRead as refused:
            said = str(refused.facts.get("said", refused.kind))
            self._ignored.append(Ignored(f"{self._tree.path}/{spelled(at)}", said))
            return {}

    def _time(self, parts: Sequence[Part], modules: Modules) -> str:
        """When it was handed in, if nbgrader says so: in a student's own folder a file of that name
        is what the student says.
        """
        if not self._download.is_of_nbgrader or not parts:
            return ""
        student = (*self._download.root, parts[0].child.name)
        folders = [(*student, c.name) for c in self._tree.children(student) if c.kind == FOLDER]
        told = [at for at in folders if Child(TIMESTAMP) in self._tree.children(at)]
        return self._told_time(told[0], modules) if len(told) == 1 else ""

    def _told_time(self, at: Name, modules: Modules) -> str:
        try:
            text = self._tree.read((*at, TIMESTAMP))(MAX_BYTES).decode("utf-8", "replace")
        except NotRead:
            text = ""
        if not iso(text):
            modules.notes.append(Note(modules.path, NO_TIME))
        return iso(text)

    # One student's parts --------------------------------------------------------------------------

    def _is_out(self, parts: Sequence[Part], out: Path) -> bool:
        paths = {os.path.abspath(self._path([part], part.whose)) for part in parts}
        return os.path.abspath(out) in paths

    def _path(self, parts: Sequence[Part], whose: Whose) -> str:
        name = parts[0].child.name if len(parts) == 1 else "_".join(filter(None, whose.key))
        return f"{self._tree.path}/{shown(spelled((*self._download.root, name)))}"

    def _modules(self, whose: Whose, parts: Sequence[Part]) -> Modules:
        """The modules in all parts; a single file whose name says nothing stands for every one."""
        alone = len(parts) == 1 and parts[0].child.kind != FOLDER
        is_file = alone and not is_archive(parts[0].child.name)
        modules = Modules(self._path(parts, whose), self._known, is_file)
        files = self._files(parts, modules)
        name = next(iter(files), ("",))[-1]
        if is_file and is_source(name) and meant(name, self._known) is None:
            Taking(modules, self._pages).take_file(name, files[(name,)])
        else:
            Taking(modules, self._pages).take_all(files, alone)
        return modules

    def _files(self, parts: Sequence[Part], modules: Modules) -> dict[Name, Read]:
        """What lies in the parts, under the names that the student gave; the last one counts."""
        files: dict[Name, Read] = {}
        for part in sorted(parts, key=lambda part: _counted(part.child.name)):
            at = (*self._download.root, part.child.name)
            name = part.whose.file or part.child.name
            if part.child.kind == FOLDER:
                files |= self._tree.below(at, modules)
            elif reason := reason_for_name(name):
                modules.unread_or_ignore(name, reason)
            else:
                if (name,) in files:
                    modules.ignore(name, SAME_FILE_AGAIN)
                files[(name,)] = self._tree.read(at)
        return files


def _is_read(one: Ignored, who: Whose) -> bool:
    """Whether it is where the time stands."""
    return bool(who.handed_in) and one.path.endswith(f"/{TIMESTAMP}")


def _is_unread(submission: Submission) -> bool:
    """Whether all that was handed in is of a kind that is never read here."""
    problems = submission.problems.values()
    unread = [p.kind == "unreadable" and is_work(str(p.facts.get("name", ""))) for p in problems]
    return not submission.files and bool(unread) and all(unread)


def _counted(name: str) -> tuple[tuple[int, str], ...]:
    """An order in which ``9`` comes before ``10``."""
    digits = "".join(c if c.isascii() and c.isdigit() else f"\0{c}\0" for c in name).split("\0")
    return tuple((int(part[:18]), "") if part.isdigit() else (-1, part) for part in digits if part)
