"""New courses and new exercises: small ones that are whole, to be filled with one's own.

The templates beside this module are Jinja2's. What they make passes ``grader dev check`` at once,
so that whatever it says afterwards is about what the author has changed.
"""

from __future__ import annotations

import keyword
import sys
from pathlib import Path
from typing import Any

import jinja2

from grader import DISTRIBUTION, __version__
from grader.course.catalog import listed
from grader.course.course import Course, course_to_extend
from grader.course.release import write_stubs
from grader.errors import GraderError

FIRST = "center_rows"  # the exercise of a new course
_PACKAGES = {"torch", "numpy", "grader", "pytest", "conftest"}  # a page of this name would hide it


def new_course(folder: Path, extends: str = "") -> Course:
    """A course with one exercise; raises ``GraderError`` rather than write into a folder that holds
    anything.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise GraderError(f"{folder} is there already and not empty. Choose a new folder.")
    course = Course(folder.resolve())
    if extends:
        course_to_extend(course.root, extends)
    name = course.root.name
    facts = {"name": name, "title": _title(name), "engine": _up_to_minor(__version__)}
    _write(course.catalog, "catalog.toml", extends=extends, **facts)
    _write(course.root / "README.md", "README.md", distribution=DISTRIBUTION, **facts)
    _write(course.root / "suites" / "conftest.py", "conftest.py")
    new_exercise(course, FIRST)
    return course


def new_exercise(course: Course, name: str) -> list[Path]:
    """Its files, an entry in the catalog, and what is generated; returns the paths in the order in
    which an author fills them. Raises ``GraderError`` for a name that cannot be one, or is taken.
    """
    written = {
        course.solutions / f"{name}.py": "solution.py",
        course.suites / name / f"test_{name}.py": "suite.py",
        course.suites / name / "misconceptions.py": "misconceptions.py",
        course.root / "tests" / "variants" / f"{name}.py": "variants.py",
    }
    _require_free(course, name, written)
    for path, template in written.items():
        _write(path, template, name=name, title=_title(name))
    entry = _rendered("entry.toml", name=name, title=_title(name))
    before = course.catalog.read_text(encoding="utf-8").rstrip("\n")
    course.catalog.write_text(f"{before}\n{entry}", encoding="utf-8")
    write_stubs(course)
    return [*written, course.catalog]


def _require_free(course: Course, name: str, written: Any) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower() or name[0] == "_":
        raise GraderError(
            f"{name!r} cannot be the name of a module. Take small letters, digits and underscores, "
            "as in moving_average."
        )
    if name in sys.stdlib_module_names or name in _PACKAGES:
        raise GraderError(
            f"{name!r} is the name of a Python package, which pages could not import any more. "
            f"Take another one, as in {name}_by_hand."
        )
    if name in listed(course):
        raise GraderError(f"{name!r} is an exercise of this course already. Choose another name.")
    for path in written:
        if path.exists():
            raise GraderError(
                f"{course.shown(path)} is there already, though the catalog knows no {name!r}. "
                "Move it away, or choose another name."
            )


def _write(path: Path, template: str, **facts: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_rendered(template, **facts), encoding="utf-8")


def _rendered(template: str, **facts: Any) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}  # TOML is UTF-8
    return environment.get_template(f"{template}.jinja").render(**facts)


def _title(name: str) -> str:
    """``center_rows`` -> Center rows"""
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def _up_to_minor(version: str) -> str:
    """1.4.2 -> 1.4"""
    return ".".join(version.split(".")[:2])
