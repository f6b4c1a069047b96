"""What a download holds: before anything is graded, and for grading."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from grader.cli import screen
from grader.collect import Collected, collect, read_roster, tied
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course


def found_in(
    download: Path, known: Collection[str], out: Path | None = None, roster: Path | None = None
) -> Collected:
    """The submissions, with the names and ids of the roster if there is one; raises
    ``CollectError``.
    """
    enrolled = () if roster is None else read_roster(roster)
    found = collect(download, known, out)
    return tied(found, enrolled) if enrolled else found


def show(download: Path, names: Sequence[str], roster: Path | None) -> None:
    """Print who handed in what, and what is not graded; nothing is run, nothing is written."""
    catalog = load_catalog(find_course())
    exercises = [exercise.name for exercise in select(catalog, names)]
    screen.collected(found_in(download, catalog, roster=roster), exercises)
