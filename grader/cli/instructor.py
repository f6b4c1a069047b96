"""What instructors do: grade a folder of submissions."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from grader.cli import screen
from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.house import find_house
from grader.errors import GraderError
from grader.model import Report
from grader.pipeline import grade_all, require_full
from grader.report.export import write_grades, write_report
from grader.sandbox.launch import describe_layers, start


def grade(
    folder: Path,
    out: Path | None,
    names: Sequence[str],
    seed: int | None,
    isolation: str | None,
    device: str,
) -> None:
    """Grade ``folder``; reports are written one by one, so an interrupted run loses nothing."""
    devices = _devices(device)
    house = find_house()
    catalog = load_catalog(house)
    exercises, submissions = select(catalog, names), collect(folder, catalog)

    def keep(report: Report) -> None:
        if out is not None:
            write_report(report, out)

    with contextlib.closing(start(isolation, gpu="cuda" in devices)) as sandbox:
        if isolation != "process":
            require_full(sandbox)
        with screen.Progress(submissions, describe_layers(sandbox)) as progress:
            reports = grade_all(
                house,
                exercises,
                submissions,
                sandbox,
                seed=seed,
                devices=devices,
                on_progress=progress.step,
                on_report=keep,
            )
    screen.class_table(reports)
    if out is not None:
        screen.say(f"Written: {write_grades(reports, out)} and {out / 'reports'}")


def _devices(name: str) -> tuple[str, ...]:
    known = {"cpu": ("cpu",), "cuda": ("cuda",), "all": ("cpu", "cuda")}
    if name not in known:
        raise GraderError(f"--device must be cpu, cuda or all, not {name!r}.")
    return known[name]
