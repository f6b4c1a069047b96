"""What there is to see in an exercise, as a picture beside the words."""

from __future__ import annotations

import contextlib
from pathlib import Path

import typer

from grader.cli.student import warm_sandbox
from grader.collect import collect_one
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.errors import GraderError
from grader.learner import words
from grader.learner.workspace import find_workspace


def show(name: str, folder: Path | None, out: Path | None, isolation: str | None) -> None:
    """Draw ``name``, write the picture, and say panel by panel what is to be seen in it."""
    course = find_course()
    catalog = load_catalog(course)
    select(catalog, [name])
    place = find_workspace(course, catalog, folder).folder
    from grader.pictures import picture, require_matplotlib, scene_of

    scene_of(course, name)
    require_matplotlib()
    path = out or Path(f"{name}.png")
    with contextlib.closing(warm_sandbox(isolation)) as sandbox:
        submission = collect_one(place, catalog)
        seen = picture(course, name, submission, sandbox)
    _write(path, seen.png)
    for line in seen.lines:
        typer.echo(line)
    typer.echo(words.PICTURE_WRITTEN.format(path=path, name=name))


def _write(path: Path, image: bytes) -> None:
    try:
        path.write_bytes(image)
    except OSError as error:
        said = words.CANNOT_BE_WRITTEN.format(path=path, said=error.strerror)
        raise GraderError(said) from error
