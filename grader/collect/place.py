"""A place that an instructor or a student names -> the submissions in it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from grader.collect.archive import expanded, opened
from grader.collect.classes import METADATA, Download, Part, stem_of_file
from grader.collect.folder import Folder
from grader.collect.gradescope import submitters
from grader.collect.layout import Name, layout_of, spelled
from grader.collect.modules import MAX_SOURCE_BYTES, Ignored, Modules, Note, NotRead
from grader.collect.names import clean_name, shown, told_apart
from grader.collect.near import LOOSE, is_python, meant
from grader.collect.reasons import RESULTS, SAME_FILE_AGAIN, is_archive, is_work, reason_for_name
from grader.collect.regular import kind_of, open_regular, read_at_most
from grader.collect.shapes import Whose
from grader.collect.tree import FOLDER, Child, Read, Tree
from grader.errors import CollectError
from grader.model import Submission

OF_A_RUN = {"settings.json", "journal.jsonl"}
EXPECTED = "expected folders, .zip or .tar archives or .py files"


@dataclass(frozen=True)
class Collected(Sequence[Submission]):
    """The submissions, sorted by name; beside them whatever is not graded, and what is graded
    although it was found under another name or place. ``absent`` are those of a roster who handed
    in nothing.
    """

    submissions: tuple[Submission, ...]
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[Note, ...] = ()
    absent: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.submissions)

    @overload
    def __getitem__(self, index: int) -> Submission: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Submission, ...]: ...
    def __getitem__(self, index: int | slice) -> Submission | tuple[Submission, ...]:
        return self.submissions[index]


def collect(place: Path, known: Collection[str], out: Path | None = None) -> Collected:
    """All submissions in ``place``; raises ``CollectError`` if there are none.

    ``known`` are the names of the exercises. A submission is a folder, an archive or a single
    file that holds any of their modules; ``place`` may be one itself or hold many, as a platform
    packed them. It may also be a submission's path within an archive. Of the class, ``out``, where
    results are written, is no submission.
    """
    try:
        if not place.exists() and not place.is_symlink():
            return _within(place, known)
        if place.is_dir():
            name = Path(os.path.abspath(place)).name
            return _collected(Folder(place), known, name, out, is_archive=False)
        return _of_file(place, known)
    except OSError as error:
        raise CollectError(f"{shown(place)} cannot be read ({error.strerror}).") from error


def collect_one(place: Path, known: Collection[str]) -> Submission:
    """``place`` as one submission, whatever lies in it: what somebody works in, and never a class.

    Raises ``CollectError``.
    """
    if not place.is_dir():
        return collect(place, known)[0]
    modules = Modules(shown(place), known, own=True)
    _take_all(Folder(place).below((), modules), modules)
    return modules.submission(Whose(Path(os.path.abspath(place)).name))


def _within(place: Path, known: Collection[str]) -> Collected:
    """One submission out of a download, by the path that its report names."""
    around = next((parent for parent in place.parents if parent.exists()), None)
    if around is not None and place.name and around != Path():
        try:
            whole = collect(around, known)
        except CollectError:
            whole = Collected(())
        found = tuple(one for one in whole if one.path == shown(place))
        if found:
            return Collected(found)
    raise CollectError(f"{shown(place)} does not exist.")


def _of_file(place: Path, known: Collection[str]) -> Collected:
    """A file that was named by itself; raises ``CollectError`` unless it can be a submission."""
    if kind_of(place) == "a link":
        raise CollectError(f"{shown(place)} is a link; links are not followed.")
    if kind_of(place) == "a file" and is_archive(place.name):
        return _of_archive(place, known)
    if kind_of(place) != "a file" or not is_python(place.name):
        raise CollectError(
            f"{shown(place)} is neither a folder nor a .py file nor a .zip or .tar archive."
        )
    modules = Modules(shown(place), known)
    try:
        _take_file(place.name, read_at_most(place, MAX_SOURCE_BYTES), modules)
    except OSError as error:
        modules.refuse_all("unreadable", place.name, str(error.strerror))
    return _one(modules, Whose(place.stem))


def _of_archive(place: Path, known: Collection[str]) -> Collected:
    whose = Whose(stem_of_file(place.name))
    try:
        with open_regular(place) as file, opened(file, shown(place)) as archive:
            return _collected(archive, known, whose.student, None, is_archive=True)
    except (NotRead, OSError) as error:
        modules = Modules(shown(place), known)
        if isinstance(error, OSError):
            modules.refuse_all("unreadable", place.name, str(error.strerror))
        else:
            modules.refuse_all(error.kind, place.name, str(error.facts["said"]))
        return _one(modules, whose)


def _collected(
    tree: Tree, known: Collection[str], name: str, out: Path | None, is_archive: bool
) -> Collected:
    download = Download(tree, known, is_archive)
    if download.is_one():
        modules = Modules(tree.path, known)
        _take_all(tree.below(download.root, modules), modules)
        return _one(modules, Whose(name))
    return _Class(tree, known, download).collected(out)


def _one(modules: Modules, whose: Whose) -> Collected:
    found = modules.submission(whose)
    return Collected((found,), tuple(modules.ignored), tuple(modules.notes))


def _take_file(name: str, raw: bytes, modules: Modules) -> None:
    """``softmax.py`` is that module; a file of any other name stands for every exercise."""
    found = meant(name, modules.known)
    if found is None:
        modules.add_to_all(raw, name)
    else:
        modules.add(found[0], raw, name)
        if found[1].kind == LOOSE:
            modules.notes.append(Note(modules.path, f"graded as {found[0]}.py"))


def _take_all(files: Mapping[Name, Read], modules: Modules, alone: bool = False) -> None:
    """The modules among ``files``, and in the archives among these."""
    found = expanded(files, modules, alone)
    layout = layout_of(found, modules.known, modules.own)
    modules.fill(layout, lambda name: found[name](MAX_SOURCE_BYTES))


def _is_unread(submission: Submission) -> bool:
    """Whether all that was handed in is of a kind that is never read here."""
    names = [str(problem.facts.get("name", "")) for problem in submission.problems.values()]
    return not submission.files and bool(names) and all(map(is_work, names))


class _Class:
    """The submissions of a download."""

    def __init__(self, tree: Tree, known: Collection[str], download: Download) -> None:
        self._tree, self._known, self._download = tree, known, download
        self._ignored, self._notes = download.ignored, download.notes

    def collected(self, out: Path | None) -> Collected:
        found = []
        names = self._names()
        for whose, parts in self._download.students():
            if self._is_a_run(parts) or (out is not None and self._is_out(parts, out)):
                self._ignored.append(Ignored(self._path(parts, whose), RESULTS))
                continue
            modules = self._modules(whose, parts)
            student = names.get(parts[0].child.name, whose) if parts else whose
            found.append(modules.submission(student))
            self._ignored += modules.ignored
            self._notes += modules.notes
        self._require(found)
        ordered = sorted(found, key=lambda one: (one.name, one.student_id, one.path))
        ignored = sorted(self._ignored, key=lambda one: one.path)
        return Collected(tuple(told_apart(ordered)), tuple(ignored), tuple(self._notes))

    def _require(self, found: Sequence[Submission]) -> None:
        """Raises ``CollectError`` where nobody handed in anything that is read here."""
        unread = all(map(_is_unread, found))
        if not found or unread:
            reasons = [f" {clean_name(Path(i.path).name)}: {i.reason}." for i in self._ignored[:3]]
            said = f"{self._tree.path} holds no submissions: {EXPECTED}.{''.join(reasons)}"
            raise CollectError(said)

    def _names(self) -> dict[str, Whose]:
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

    def _is_a_run(self, parts: Sequence[Part]) -> bool:
        """What an earlier ``grader grade`` left holds the text of everybody."""
        found: set[str] = set()
        for part in parts:
            if part.child.kind == FOLDER:
                at = (*self._download.root, part.child.name)
                found |= {child.name for child in self._tree.children(at)}
        return found >= OF_A_RUN

    def _is_out(self, parts: Sequence[Part], out: Path) -> bool:
        paths = {os.path.abspath(self._path([part], part.whose)) for part in parts}
        return os.path.abspath(out) in paths

    def _path(self, parts: Sequence[Part], whose: Whose) -> str:
        name = parts[0].child.name if len(parts) == 1 else "_".join(filter(None, whose.key))
        return f"{self._tree.path}/{shown(spelled((*self._download.root, name)))}"

    def _modules(self, whose: Whose, parts: Sequence[Part]) -> Modules:
        single = len(parts) == 1 and parts[0].child.kind != FOLDER
        is_file = single and not is_archive(parts[0].child.name)
        modules = Modules(self._path(parts, whose), self._known, is_file)
        files: dict[Name, Read] = {}
        for part in sorted(parts, key=lambda part: _counted(part.child.name)):
            at = (*self._download.root, part.child.name)
            if part.child.kind == FOLDER:
                files |= self._tree.below(at, modules)
                continue
            name = part.whose.file or part.child.name
            reason = reason_for_name(name)
            if reason:
                modules.unread_or_ignore(name, reason)
            elif (name,) in files:
                modules.ignore(name, SAME_FILE_AGAIN)
            if not reason:
                files[(name,)] = self._tree.read(at)
        self._fill(files, parts, modules)
        return modules

    def _fill(self, files: dict[Name, Read], parts: Sequence[Part], modules: Modules) -> None:
        """A single file whose name says nothing stands for every exercise."""
        single = len(parts) == 1 == len(files) and parts[0].child.kind != FOLDER
        name = next(iter(files), ("",))[-1]
        if not single or is_archive(name) or meant(name, self._known) is not None:
            _take_all(files, modules, alone=single)
            return
        try:
            modules.add_to_all(files[(name,)](MAX_SOURCE_BYTES), name)
        except NotRead as refused:
            modules.refuse_all(refused.kind, name, str(refused.facts.get("said", "")))


def _counted(name: str) -> tuple[tuple[int, str], ...]:
    """An order in which ``9`` comes before ``10``."""
    digits = "".join(c if c.isascii() and c.isdigit() else f"\0{c}\0" for c in name).split("\0")
    return tuple((int(part[:18]), "") if part.isdigit() else (-1, part) for part in digits if part)
