"""What instructors give away: `grader release`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.cli import screen
from grader.course.assignment import read_assignment
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.release import words
from grader.release.folder import LetOut, Wanted, archive_of, with_needs
from grader.release.folder import release as released


def release(
    folder: Path,
    names: Sequence[str],
    assignment: Path | None,
    *,
    examples_only: bool = False,
    jobs: int | None = None,
) -> None:
    """Write the folder and its archive; says of every check that stays at home why."""
    course = find_course()
    catalog = load_catalog(course)
    title, wanted, due = course.about.title or course.about.name or course.root.name, names, ""
    if assignment is not None:
        read = read_assignment(assignment)
        title, wanted = read.title, names or read.exercises
        due = read.due.isoformat() if read.due else ""
    asked = select(catalog, wanted)
    chosen = with_needs(catalog, asked)
    order = Wanted(chosen, title, examples_only, tuple(e.name for e in asked), due)
    for one in released(course, order, folder, jobs or 1):
        _tell(one)
    size = archive_of(folder).stat().st_size / (1 << 20)
    screen.say(
        words.WRITTEN.format(
            folder=folder,
            archive=archive_of(folder).name,
            mib=size,
            names=", ".join(e.name for e in chosen),
        )
    )


def _tell(one: LetOut) -> None:
    if not one.practice:
        screen.say(words.KEPT.format(name=one.name))
        return
    kib = (len(one.practice) + len(one.scene)) >> 10
    all_checks = one.checks + len(one.at_home)
    screen.say(words.DONE.format(name=one.name, out=one.checks, all=all_checks, kib=kib))
    for check, why in one.at_home.items():
        screen.say(words.STAYS.format(name=check, why=why))
