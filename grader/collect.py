"""A folder, an archive or a file of untrusted bytes -> Submissions.

Nothing here runs or parses what was handed in. Links are never followed (one could point at a
solution), and what cannot be read is written down as a problem of that module alone.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import CollectError
from grader.model import Cause, Fact, Submission

MAX_SOURCE_BYTES = 1 << 20
MAX_MODULES = 200
_SUFFIX = ".py"


@dataclass
class _Modules:
    """What was found of one submission so far."""

    files: dict[str, str] = field(default_factory=dict)
    problems: dict[str, Cause] = field(default_factory=dict)

    def add(self, name: str, raw: bytes) -> None:
        if len(raw) > MAX_SOURCE_BYTES:
            self.refuse("too_large", name, mib=MAX_SOURCE_BYTES >> 20)
            return
        try:
            self.files[name] = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.refuse("not_utf8", name, byte=error.start)

    def refuse(self, kind: str, module: str, name: str = "", **facts: Fact) -> None:
        """``module`` cannot be read; ``name`` is the file's, if that is not the module's."""
        told = {"module": module, "name": name or f"{module}.py", **facts}
        self.problems.setdefault(module, Cause(kind, told))


def collect(place: Path, known: Collection[str]) -> list[Submission]:
    """All submissions in ``place``, sorted by name; raises ``CollectError`` if there are none.

    ``known`` are the names of the exercises. A submission is a folder, a zip archive or a single
    file that holds any of their modules; ``place`` may be one itself or hold many.
    """
    if not place.exists():
        raise CollectError(f"{place} does not exist.")
    if place.is_file() or _holds_modules(place, known):
        return [_submission(place, known)]
    found = [_submission(path, known) for path in sorted(place.iterdir()) if _may_be_one(path)]
    if not found:
        raise CollectError(
            f"{place} holds no submissions: expected folders, .zip archives or .py files."
        )
    return list(_told_apart(found))


def _told_apart(submissions: Iterable[Submission]) -> Iterator[Submission]:
    """``alice`` and ``alice.zip`` must not share one report, however a file system spells them."""
    taken: set[str] = set()
    for submission in submissions:
        name, number = submission.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{submission.name} {number}"
        taken.add(name.casefold())
        yield replace(submission, name=name)


def _may_be_one(path: Path) -> bool:
    if path.name.startswith((".", "_")) or path.is_symlink():
        return False
    return path.is_dir() or path.suffix in (_SUFFIX, ".zip")


def _holds_modules(folder: Path, known: Collection[str]) -> bool:
    names = {path.stem for path in folder.glob("*.py")}
    return bool(names & set(known)) or (folder / "exercises").is_dir()


def _submission(path: Path, known: Collection[str]) -> Submission:
    modules = _Modules()
    name = path.name if path.is_dir() else path.stem
    if path.is_dir():
        inner = path / "exercises"
        _read_folder(inner if inner.is_dir() and not inner.is_symlink() else path, modules)
    elif path.suffix == ".zip":
        _read_archive(path, modules, known)
    else:
        _read_single_file(path, modules, known)
    clean = re.sub(r"[^\w.@+ -]", "_", name)
    return Submission(clean, clean, modules.files, modules.problems, str(path))


def _read_folder(folder: Path, modules: _Modules) -> None:
    for path in sorted(folder.glob("*.py"))[:MAX_MODULES]:
        if path.is_symlink():
            modules.refuse("a_link", path.stem)
        elif path.is_file():
            try:
                modules.add(path.stem, _read_at_most(path))
            except OSError as error:
                modules.refuse("unreadable", path.stem, said=error.strerror)


def _read_at_most(path: Path) -> bytes:
    """The file's bytes, one more than allowed at most; a link put there meanwhile is an error."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with open(descriptor, "rb") as file:
        return file.read(MAX_SOURCE_BYTES + 1)


def _read_archive(path: Path, modules: _Modules, known: Collection[str]) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in _entries(archive):
                with archive.open(entry) as file:
                    modules.add(Path(entry.filename).stem, file.read(MAX_SOURCE_BYTES + 1))
    except Exception as error:  # zipfile and its decompressors raise a dozen kinds for bad bytes
        for name in known:
            said = str(error) or type(error).__name__
            modules.refuse("not_unpacked", name, path.name, said=said)


def _entries(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """Python files in the archive's outermost folder that has any."""
    entries = [e for e in archive.infolist() if e.filename.endswith(_SUFFIX) and not e.is_dir()]
    entries = [e for e in entries if "__MACOSX" not in e.filename][: MAX_MODULES * 10]
    depth = min((e.filename.count("/") for e in entries), default=0)
    yield from [e for e in entries if e.filename.count("/") == depth][:MAX_MODULES]


def _read_single_file(path: Path, modules: _Modules, known: Collection[str]) -> None:
    """``softmax.py`` is that module; a file of any other name stands for every exercise."""
    if path.is_symlink():
        raise CollectError(f"{path} is a link; links are not followed.")
    if path.suffix != _SUFFIX:
        raise CollectError(f"{path} is neither a folder nor a .py file nor a .zip archive.")
    raw = _read_at_most(path)
    for name in [path.stem] if path.stem in known else known:
        modules.add(name, raw)
