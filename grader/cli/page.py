"""A page to read in the browser: with its figures, its formulas set, and no hints."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

import typer

from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.errors import GraderError
from grader.learner import words as learner_words
from grader.pages import page_html, words

_WINDOWS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # one of them, or there is no window for one


def page(name: str, out: Path | None) -> None:
    """Write the page of ``name``, and open it where a person sits before a browser."""
    course = find_course()
    (exercise,) = select(load_catalog(course), [name])
    path = out or Path(f"{name}.html")
    try:
        path.write_text(page_html(course, exercise), encoding="utf-8")
    except OSError as error:
        said = learner_words.CANNOT_BE_WRITTEN.format(path=path, said=error.strerror)
        raise GraderError(said) from error
    opened = _has_windows() and webbrowser.open(path.resolve().as_uri())
    typer.echo((words.OPENED if opened else words.WRITTEN).format(path=path))


def _has_windows() -> bool:
    """A browser of the terminal would take it away, and nobody reads what a pipe gets."""
    if not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, _WINDOWS))
