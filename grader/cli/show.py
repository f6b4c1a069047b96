"""What there is to see in an exercise, as a picture beside the words."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import typer

from grader.cli.student import own_folder
from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.house import find_house
from grader.errors import GraderError


def show(name: str, folder: Path | None, out: Path | None, isolation: str | None) -> None:
    """Draw ``name``, write the picture, and say panel by panel what is to be seen in it."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a zygote is forked from one thread
    house = find_house()
    catalog = load_catalog(house)
    (exercise,) = select(catalog, [name])
    place = folder or own_folder(house, catalog)
    from grader.examiner.subject import SubmissionSubject
    from grader.pictures import drawn, look, require_matplotlib, scene_of
    from grader.sandbox.launch import start

    scene = scene_of(name)
    require_matplotlib()
    path = out or Path(f"{name}.png")
    with contextlib.closing(start(isolation, fork=True)) as sandbox:
        (submission,) = collect(place, catalog)[:1]
        seen = look(house, exercise, scene, SubmissionSubject(submission, sandbox))
    _write(path, drawn(exercise, scene, seen))
    for one in seen:
        typer.echo(f"{one.sign} {one.panel.title}\n    {one.verdict}")
    typer.echo(f"Written: {path}. It shows some cases; `grader check {name}` decides.")


def _write(path: Path, image: bytes) -> None:
    try:
        path.write_bytes(image)
    except OSError as error:
        raise GraderError(f"{path} cannot be written: {error.strerror}.") from error
