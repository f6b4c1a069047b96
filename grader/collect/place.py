"""A place that an instructor or a student names -> the submissions in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, overload

from grader.collect.archive import read_archive
from grader.collect.folder import HIDDEN, read_folder, reason_for
from grader.collect.layout import INNER, is_python, module_name
from grader.collect.modules import MAX_SOURCE_BYTES, Ignored, Modules
from grader.collect.names import clean_name, shown, told_apart
from grader.collect.regular import kind_of, read_at_most
from grader.errors import CollectError
from grader.model import Submission

Reader: TypeAlias = Callable[[Path, Collection[str]], Modules]

RESULTS = "results are written there"
EXPECTED = "expected folders, .zip archives or .py files"


@dataclass(frozen=True)
class Collected(Sequence[Submission]):
    """The submissions, sorted by name, and beside them whatever is not graded."""

    submissions: tuple[Submission, ...]
    ignored: tuple[Ignored, ...] = ()

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

    ``known`` are the names of the exercises. A submission is a folder, a zip archive or a single
    file that holds any of their modules; ``place`` may be one itself or hold many. Of the class,
    ``out``, where results are written, is no submission.
    """
    try:
        if not place.exists():
            raise CollectError(f"{shown(place)} does not exist.")
        if not place.is_dir():
            return _of_one(_only_file(place, known), place.stem)
        if _holds_modules(place, known):
            return _of_one(_folder(place, known), Path(os.path.abspath(place)).name)
        return _class(place, known, out)
    except OSError as error:
        raise CollectError(f"{shown(place)} cannot be read ({error.strerror}).") from error


def _holds_modules(folder: Path, known: Collection[str]) -> bool:
    names = [path.name for path in folder.iterdir()]
    if any(is_python(name) and module_name(name, known) in known for name in names):
        return True
    return INNER in names and kind_of(folder / INNER) == "a folder"


def _of_one(modules: Modules, name: str) -> Collected:
    return Collected((modules.submission(name),), tuple(modules.ignored))


def _class(place: Path, known: Collection[str], out: Path | None) -> Collected:
    found: list[Submission] = []
    ignored: list[Ignored] = []
    for path in sorted(place.iterdir()):
        is_out = out is not None and os.path.abspath(path) == os.path.abspath(out)
        modules = Ignored(shown(path), RESULTS) if is_out else _may_be_one(path, known)
        if isinstance(modules, Ignored):
            ignored.append(modules)
        else:
            found.append(modules.submission(path.stem if path.is_file() else path.name))
            ignored += modules.ignored
    if not found:
        reasons = [f" {clean_name(Path(i.path).name)}: {i.reason}." for i in ignored[:3]]
        said = f"{shown(place)} holds no submissions: {EXPECTED}.{''.join(reasons)}"
        raise CollectError(said)
    return Collected(tuple(told_apart(found)), tuple(ignored))


def _may_be_one(path: Path, known: Collection[str]) -> Modules | Ignored:
    """What lies in the folder of a class."""
    if path.name.startswith((".", "_")):
        return Ignored(shown(path), HIDDEN)
    try:
        kind = kind_of(path)
    except OSError as error:
        return Ignored(shown(path), f"it cannot be read: {error.strerror}")
    if kind == "a folder":
        return _folder(path, known)
    read = _reader(path) if kind == "a file" else None
    return Ignored(shown(path), reason_for(path)) if read is None else read(path, known)


def _reader(path: Path) -> Reader | None:
    return {".py": _file, ".zip": _archive}.get(path.suffix.lower())


def _folder(path: Path, known: Collection[str]) -> Modules:
    modules = Modules(shown(path), known)
    read_folder(path, modules)
    return modules


def _archive(path: Path, known: Collection[str]) -> Modules:
    modules = Modules(shown(path), known)
    read_archive(path, modules)
    return modules


def _file(path: Path, known: Collection[str]) -> Modules:
    """``softmax.py`` is that module; a file of any other name stands for every exercise."""
    modules, module = Modules(shown(path), known), module_name(path.name, known)
    try:
        raw = read_at_most(path, MAX_SOURCE_BYTES)
    except OSError as error:
        modules.refuse_all("unreadable", path.name, str(error.strerror))
        return modules
    if module in known:
        modules.add(module, raw, path.name)
    else:
        modules.add_to_all(raw, path.name)
    return modules


def _only_file(place: Path, known: Collection[str]) -> Modules:
    """A file that was named by itself; raises ``CollectError`` unless it can be a submission."""
    if kind_of(place) == "a link":
        raise CollectError(f"{shown(place)} is a link; links are not followed.")
    read = _reader(place) if kind_of(place) == "a file" else None
    if read is None:
        raise CollectError(f"{shown(place)} is neither a folder nor a .py file nor a .zip archive.")
    return read(place, known)
