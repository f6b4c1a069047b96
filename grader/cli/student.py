"""What students do: check their own work."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Sequence
from pathlib import Path

from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.house import House, find_house
from grader.errors import CollectError
from grader.model import Exercise, Outcome


def check(names: Sequence[str], folder: Path | None, isolation: str | None) -> int:
    """Check one's own files; returns the exit status.

    The zygote is forked from this process, which knows no suite or solution yet, so that torch is
    imported once. Garbage collection would copy the pages the two share, for nothing.
    """
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    house = find_house()
    catalog = load_catalog(house)
    chosen = select(catalog, names)
    place = folder or own_folder(house, catalog)
    from grader.pipeline import grade_all
    from grader.sandbox.launch import start

    with contextlib.closing(start(isolation, fork=True)) as sandbox:
        from grader.cli import page

        (submission,) = collect(place, catalog)[:1]
        handed_in = [e for e in chosen if names or e.name in submission.files]
        if not handed_in:
            raise CollectError(f"{place} holds none of the exercises.")
        (report,) = grade_all(house, handed_in, [submission], sandbox)
        page.own_report(report)
    done = (Outcome.PASSED, Outcome.SKIPPED)
    return 0 if all(verdict.outcome in done for verdict in report.verdicts) else 1


def own_folder(house: House, catalog: dict[str, Exercise]) -> Path:
    """The folder one stands in if it holds exercises, otherwise the checkout's own."""
    here = Path.cwd()
    if any((here / f"{name}.py").exists() for name in catalog) and here != house.solutions:
        return here
    return house.exercises


def list_exercises() -> None:
    """The table of contents."""
    from grader.cli import screen
    from grader.course.suite_text import suite_points

    house = find_house()
    catalog = load_catalog(house)
    screen.contents(catalog.values(), {name: suite_points(house, name) for name in catalog})
