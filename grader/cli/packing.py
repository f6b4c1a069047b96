"""What students hand in: `grader pack`."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.cli.collecting import pages_of
from grader.cli.learn import show, tell, width
from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.course.released import Facts, read_facts
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.pack_lines import due_words, is_missed, pack_lines
from grader.learner.packing import file_name, packed, require_free
from grader.learner.workspace import Workspace, find_workspace
from grader.model import Exercise
from grader.report.files import write_whole


def pack(names: Sequence[str], folder: Path | None, out: Path | None) -> int:
    """Write the archive and say what is found in it; returns the exit status, 1 where anything is
    missed.
    """
    course = find_course()
    catalog = load_catalog(course)
    facts = read_facts(course.root) if course.is_released else Facts("", "", "")
    asked = select(catalog, [name.removesuffix(".py") for name in names] or facts.asked)
    made = packed(_workspace(course, catalog, folder), asked, pages_of(catalog))
    path = _path(out, facts.title or course.about.title or course.about.name or course.root.name)
    require_free(path)
    _write(path, made.archive)
    found = collect(path, catalog, pages=pages_of(catalog))
    lines = pack_lines(made, found, catalog, width())
    tell(words.PACKED.format(path=path, kib=-(-len(made.archive) >> 10)))
    show(lines)
    tell(words.SOME_MISSED if is_missed(lines) else words.NOTHING_MISSED)
    tell(words.HAND_IN)
    if due := due_words(facts.due, datetime.datetime.now(datetime.UTC)):
        tell(due)
    return 1 if is_missed(lines) else 0


def _workspace(course: Course, catalog: Mapping[str, Exercise], folder: Path | None) -> Workspace:
    """Also where there are notebooks alone."""
    here = Path.cwd()
    if folder is None and any((here / f"{name}.ipynb").exists() for name in catalog):
        folder = here
    return find_workspace(course, catalog, folder)


def _path(out: Path | None, title: str) -> Path:
    if out is None or out.is_dir():
        return (out or Path()) / file_name(title)
    return out


def _write(path: Path, raw: bytes) -> None:
    try:
        write_whole(path, raw)
    except OSError as error:
        raise LearnerError(
            words.CANNOT_BE_WRITTEN.format(path=path, said=error.strerror)
        ) from error
