"""What a download holds: before anything is graded, and for grading."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from grader.cli import screen
from grader.collect import Collected, collect, read_roster, tied
from grader.collect.notebook import Page, Pages
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.model import Exercise


def found_in(
    download: Path,
    known: Mapping[str, Exercise],
    out: Path | None = None,
    roster: Path | None = None,
) -> Collected:
    """The submissions, with the names and ids of the roster if there is one; raises
    ``CollectError``.
    """
    enrolled = () if roster is None else read_roster(roster)
    found = collect(download, known, out, pages_of(known))
    return tied(found, enrolled) if enrolled else found


def pages_of(known: Mapping[str, Exercise]) -> Pages:
    """The cells of every exercise; what makes them is loaded when there is a notebook."""
    return functools.cache(partial(_page, known))


def _page(known: Mapping[str, Exercise], name: str) -> Page:
    from grader.bridges.exercise_cells import page_of

    return page_of(find_course(), known[name])


def show(download: Path, names: Sequence[str], roster: Path | None) -> None:
    """Print who handed in what, and what is not graded; nothing is run, nothing is written."""
    catalog = load_catalog(find_course())
    exercises = [exercise.name for exercise in select(catalog, names)]
    screen.collected(found_in(download, catalog, roster=roster), exercises)
