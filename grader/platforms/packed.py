"""All that grades elsewhere, as files by their path: the course, and by which assignment."""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2

from grader.course.about import about
from grader.course.assignment import FILE_NAME, Assignment
from grader.course.course import Course
from grader.course.released import FILE_NAME as RELEASED
from grader.errors import CatalogError, GraderError
from grader.report.files import write_whole

Files = Mapping[str, bytes]
_EXTENDS = re.compile(r"^extends\s*=.*$", re.M)


def course_files(course: Course) -> dict[str, bytes]:
    """What grading needs of a course, in ``course``, and of those that it extends, beside it.

    All lies as it lies there, so that a suite has the same digest as at home.
    """
    line = list(course.line)
    found: dict[str, bytes] = {}
    for number, one in enumerate(line):
        folder = _folder(number)
        found |= {f"{folder}/{_within(one, path)}": path.read_bytes() for path in _needed(one)}
        if number + 1 < len(line):
            catalog = f"{folder}/{_within(one, one.catalog)}"
            found[catalog] = _extending(found[catalog].decode(), f"../{_folder(number + 1)}")
    return found


def _folder(number: int) -> str:
    return f"course_{number + 1}" if number else "course"


def _within(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()


def _needed(course: Course) -> Iterator[Path]:
    """Catalog, pages and suites; of a course that was given away, the practice it has instead."""
    yield course.catalog
    if course.is_released:
        yield course.root / RELEASED
        yield from _all_in(course.practice)
        return
    yield from sorted(course.solutions.glob("*.py"))
    yield from _all_in(course.suites)


def _all_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden:
            yield path


def _extending(catalog: str, place: str) -> bytes:
    """The catalog of a course whose extended one lies at ``place``; raises ``GraderError``."""
    text = _EXTENDS.sub(f"extends = {json.dumps(place)}", catalog, count=1)
    with contextlib.suppress(CatalogError):
        if about(text).extends == place:
            return text.encode()
    raise GraderError(
        "catalog.toml: 'extends' stands on a line with something else, or on several. Write it on "
        'one of its own: extends = "FOLDER".'
    )


def assignment_file(
    title: str, exercises: Collection[str], assignment: Assignment | None
) -> dict[str, bytes]:
    """The assignment's own file, or one that names these exercises and no more."""
    own = f"title = {_toml(title)}\nexercises = {_toml(list(exercises))}\n"
    return {FILE_NAME: (assignment.text if assignment else own).encode()}


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def rendered(template: str, **facts: Any) -> bytes:
    """A script or a page from ``templates/``."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{template}.jinja").render(**facts).encode()


def zipped(files: Files, programs: Collection[str] = ()) -> bytes:
    """One archive; ``programs`` may be run. It holds no times: the same bytes of the same files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3  # Unix, whose modes these are
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return raw.getvalue()


def write_folder(folder: Path, files: Files) -> None:
    """All files, into a new folder or an empty one; raises ``GraderError`` for any other."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise GraderError(f"{folder} is there already and not empty. Choose a new folder.")
    for name, content in files.items():
        write_whole(folder / name, content)
