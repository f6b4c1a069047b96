"""A place that an instructor or a student names -> the submissions in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.collect.archive import opened
from grader.collect.classes import Download
from grader.collect.folder import Folder
from grader.collect.found import Collected, only
from grader.collect.layout import Name
from grader.collect.modules import MAX_SOURCE_BYTES, Modules, NotRead
from grader.collect.names import shown
from grader.collect.near import is_python, is_source, meant
from grader.collect.notebook import Pages
from grader.collect.reasons import is_archive, stem_of_file
from grader.collect.regular import kind_of, open_regular, read_at_most
from grader.collect.shapes import Whose
from grader.collect.students import Students
from grader.collect.taking import Taking
from grader.collect.tree import Read, Tree
from grader.errors import CollectError
from grader.model import Submission


def collect(
    place: Path, known: Collection[str], out: Path | None = None, pages: Pages | None = None
) -> Collected:
    """All submissions in ``place``; raises ``CollectError`` if there are none.

    ``known`` are the names of the exercises. A submission is a folder, an archive or a single
    file that holds any of their modules; ``place`` may be one itself or hold many, as a platform
    packed them. It may also be a submission's path within an archive. Of the class, ``out``, where
    results are written, is no submission. Notebooks are read with the exercises' ``pages``.
    """
    try:
        if not place.exists() and not place.is_symlink():
            return _within(place, known, pages)
        if place.is_dir():
            name = Path(os.path.abspath(place)).name
            return _collected(Folder(place), known, name, out, pages, is_archive=False)
        return _of_file(place, known, pages)
    except OSError as error:
        raise CollectError(f"{shown(place)} cannot be read ({error.strerror}).") from error


def collect_one(place: Path, known: Collection[str]) -> Submission:
    """``place`` as one submission, whatever lies in it: what somebody works in, and never a class.

    Raises ``CollectError``.
    """
    if not place.is_dir():
        return collect(place, known)[0]
    return own_work(place, known).submission(Whose(Path(os.path.abspath(place)).name))


def own_work(
    place: Path,
    known: Collection[str],
    pages: Pages | None = None,
    is_given: Callable[[str, bytes], bool] | None = None,
) -> Modules:
    """What lies in the folder ``place``, in which somebody works; what they packed there is none of
    it. With the exercises' ``pages``, notebooks as well; nor is an exercise's file with these bytes
    if it ``is_given``: then a notebook of the same exercise counts.
    """
    modules = Modules(shown(place), known, own=True)
    files = Folder(place).below((), modules)
    if is_given is not None:
        files = {n: read for n, read in files.items() if not _is_given(n, read, known, is_given)}
    Taking(modules, pages).take_all(files)
    return modules


def _is_given(
    name: Name, read: Read, known: Collection[str], is_given: Callable[[str, bytes], bool]
) -> bool:
    found = meant(name[-1], known) if is_python(name[-1]) else None
    try:
        return found is not None and is_given(found[0], read(MAX_SOURCE_BYTES))
    except NotRead:
        return False


def _within(place: Path, known: Collection[str], pages: Pages | None) -> Collected:
    """One submission out of a download, by the path that its report names."""
    around = next((parent for parent in place.parents if parent.exists()), None)
    if around is not None and place.name and around != Path():
        try:
            whole = collect(around, known, pages=pages)
        except CollectError:
            whole = Collected(())
        found = tuple(one for one in whole if one.path == shown(place))
        if found:
            return replace(whole, submissions=found, ignored=(), notes=(), absent=())
    raise CollectError(f"{shown(place)} does not exist.")


def _of_file(place: Path, known: Collection[str], pages: Pages | None) -> Collected:
    """A file that was named by itself; raises ``CollectError`` unless it can be a submission."""
    if kind_of(place) == "a link":
        raise CollectError(f"{shown(place)} is a link; links are not followed.")
    if kind_of(place) == "a file" and is_archive(place.name):
        return _of_archive(place, known, pages)
    if kind_of(place) != "a file" or not is_source(place.name):
        raise CollectError(
            f"{shown(place)} is neither a folder nor a .py file nor a .zip or .tar archive, nor a "
            "notebook."
        )
    modules = Modules(shown(place), known)
    try:
        Taking(modules, pages).take_file(place.name, partial(read_at_most, place))
    except OSError as error:
        modules.refuse_all("unreadable", place.name, str(error.strerror))
    return only(modules, Whose(stem_of_file(place.name)))


def _of_archive(place: Path, known: Collection[str], pages: Pages | None) -> Collected:
    whose = Whose(stem_of_file(place.name))
    try:
        with open_regular(place) as file, opened(file, shown(place)) as archive:
            return _collected(archive, known, whose.student, None, pages, is_archive=True)
    except (NotRead, OSError) as error:
        modules = Modules(shown(place), known)
        if isinstance(error, OSError):
            modules.refuse_all("unreadable", place.name, str(error.strerror))
        else:
            modules.refuse_all(error.kind, place.name, str(error.facts["said"]))
        return only(modules, whose)


def _collected(
    tree: Tree,
    known: Collection[str],
    name: str,
    out: Path | None,
    pages: Pages | None,
    *,
    is_archive: bool,
) -> Collected:
    download = Download(tree, known, is_archive)
    if download.is_one():
        modules = Modules(tree.path, known)
        Taking(modules, pages).take_all(tree.below(download.root, modules))
        return only(modules, Whose(name))
    return Students(tree, known, download, pages).collected(out)
