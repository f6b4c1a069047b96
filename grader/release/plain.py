"""What a released folder holds as it stands in the course: pages, figures, scenes, the finale, and
questions without their answers.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from grader.course.course import Course
from grader.course.figures import drawn_figures
from grader.course.release import untouched
from grader.programs.predictions import drawings


def write_plain(course: Course, names: Sequence[str], folder: Path) -> None:
    """All that is written as it stands in the course."""
    _write_figures(course, names, folder)
    for name in names:
        _write_page(course, name, folder)
        _write_scene(course, name, folder)
        _write_predictions(course, name, folder)
    _write_finale(course, folder)


def _write_page(course: Course, name: str, folder: Path) -> None:
    """A page that somebody has worked on stays."""
    text = untouched(course, name).encode()
    given, page = folder / "practice" / "pages" / f"{name}.py", folder / "exercises" / f"{name}.py"
    if not page.exists() or (given.exists() and page.read_bytes() == given.read_bytes()):
        write(page, text)
    write(given, text)


def _write_scene(course: Course, name: str, folder: Path) -> None:
    """How its picture is drawn, or why there is none."""
    given, path = Course(folder).practice / "scenes" / f"{name}.py", course.scene(name)
    if path.exists():
        write(given, path.read_bytes())
    else:
        given.unlink(missing_ok=True)


def _write_predictions(course: Course, name: str, folder: Path) -> None:
    """What is asked before the code is written, some drawings of it, without the answers."""
    given, raw = Course(folder).practice / "predictions" / f"{name}.json", drawings(course, name)
    write(given, raw)
    if not raw:
        given.unlink(missing_ok=True)


def _write_finale(course: Course, folder: Path) -> None:
    """What is trained at the end, of parts that may be the student's own or torch's."""
    place = Course(folder).finale
    shutil.rmtree(place, ignore_errors=True)
    for path in sorted(course.finale.glob("*.*")):
        write(place / path.name, path.read_bytes())


def _write_figures(course: Course, names: Sequence[str], folder: Path) -> None:
    """Those of the pages, and no others."""
    place = folder / "exercises" / "figures"
    texts = {p.name: t for name in names for p, t in drawn_figures(course, name).items()}
    for path in place.glob("*.svg"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        write(place / name, text.encode())


def write(path: Path, raw: bytes) -> None:
    """All of it or, after an accident, what was there before; nothing where there is nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not raw:
        return
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(raw)
    beside.replace(path)
