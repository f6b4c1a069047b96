"""The platforms: which shape the download of a class has, and what must be found of each student in
it.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.collect import packed
from tests.collect.packed import Files, Rows, by, handed_in
from tests.collect.students import NOTHING, UNREAD, Student


@dataclass(frozen=True)
class Platform:
    """One shape of a download. ``who`` is a student's name and id on its ``roster``. It tells of
    lateness by a ``flag``, by a ``time`` or not at all, may hold ``earlier`` attempts, and may have
    ``everybody``, also who handed in nothing.
    """

    name: str
    packing: str
    files: Callable[[Sequence[Student]], Files]
    roster: Callable[[Sequence[Student]], Rows]
    who: Callable[[Student], tuple[str, str]]
    tells: str = ""
    everybody: bool = False
    export: str = ""

    def expected(self, students: Sequence[Student]) -> dict[str, Expected]:
        """By id."""
        there = [s for s in students if self.everybody or s.handed_in != NOTHING]
        return {one.id: one for one in map(self._expected, there)}

    def absent(self, students: Sequence[Student]) -> set[str]:
        """Who of the roster handed in nothing, beside the one whom every roster has."""
        without = [s for s in students if s.handed_in == NOTHING and not self.everybody]
        return {"{} ({})".format(*self.who(student)) for student in without}

    def _expected(self, student: Student) -> Expected:
        time = iso(handed_in(student)) if self.tells == "time" else ""
        late = self.tells == "flag" and student.late
        is_text = self.export == "canvas" and student.number % 2
        is_unread = student.handed_in == UNREAD and not is_text
        return Expected(*self.who(student), late, time, is_unread, student)


@dataclass(frozen=True)
class Expected:
    """What must be found: the name and id of the roster, and what the platform says of the time;
    whether something was handed in that cannot be read.
    """

    name: str
    id: str
    late: bool
    handed_in: str
    is_unread: bool
    student: Student


def iso(time: datetime.datetime) -> str:
    return f"{time.astimezone(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"


def table(rows: Rows) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def _named(key: str) -> Callable[[Student], tuple[str, str]]:
    return lambda student: (student.name, getattr(student, key))


def _in_canvas(student: Student) -> tuple[str, str]:
    return student.sortable, student.canvas


PLATFORMS: Mapping[str, Platform] = {
    one.name: one
    for one in (
        Platform(
            "Canvas", "zip", packed.canvas, packed.of_canvas, _in_canvas, "flag", export="canvas"
        ),
        Platform(
            "Canvas, a zip each", "folder", packed.canvas_zips, packed.of_canvas, _in_canvas, "flag"
        ),
        Platform(
            "Canvas, notebooks",
            "zip",
            packed.canvas_notebooks,
            packed.of_canvas,
            _in_canvas,
            "flag",
        ),
        Platform(
            "Moodle", "zip", packed.moodle, packed.of_moodle, _named("moodle"), export="moodle"
        ),
        Platform(
            "Moodle, no folders", "zip", packed.moodle_flat, packed.of_moodle, _named("moodle")
        ),
        Platform(
            "Moodle, a zip each", "folder", packed.moodle_zips, packed.of_moodle, _named("moodle")
        ),
        Platform(
            "Gradescope", "zip", packed.gradescope, packed.of_gradescope, _named("sis"), "time"
        ),
        Platform(
            "GitHub Classroom",
            "folder",
            packed.clones,
            packed.of_github,
            _named("sis"),
            everybody=True,
        ),
        Platform(
            "Classroom 50",
            "folder",
            packed.classroom50,
            packed.of_classroom50,
            _named("github"),
            everybody=True,
        ),
        Platform(
            "nbgrader", "folder", packed.nbgrader, packed.of_nbgrader, _named("login"), "time"
        ),
        Platform(
            "nbgrader, notebooks",
            "folder",
            packed.nbgrader_notebooks,
            packed.of_nbgrader,
            _named("login"),
            "time",
        ),
        Platform("a flat folder", "folder", packed.flat, by("login"), _named("login")),
        Platform("folders in folders", "folder", packed.folders, by("sis"), _named("sis")),
        Platform("the same as tar.gz", "tar.gz", packed.folders, by("sis"), _named("sis")),
        Platform("zips in a zip", "zip", packed.archives, by("login"), _named("login")),
        Platform("other spellings", "tar.xz", packed.spelled_otherwise, by("sis"), _named("sis")),
    )
}
