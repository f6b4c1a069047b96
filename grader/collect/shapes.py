"""What platforms call the files of a class -> whose they are.

Each shape is a function from one name, of a file or a folder at the top of a download, to what it
says, or to None where it is not of that shape. Zips, tars and folders share them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from grader.collect.near import EXACT, NOTEBOOK, SUFFIX, is_notebook, meant, stem_of


@dataclass(frozen=True)
class Whose:
    """``student`` as the platform spells it, and its ``id`` there. ``file`` is what the student
    called the file, empty for a folder; ``text`` says that it is an online text, and no file.
    ``handed_in`` is the platform's time, in ISO 8601.
    """

    student: str
    id: str = ""
    late: bool = False
    file: str = ""
    text: bool = False
    handed_in: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for all that one student handed in, however archivers composed the letters."""
        return unicodedata.normalize("NFC", self.student), self.id


Shape: TypeAlias = Callable[[str], Whose | None]

_CANVAS = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+)")
_CANVAS_TEXT = re.compile(r"(?P<who>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<file>(text|link)\.html)")
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<who>anon_(?P<id>[A-Za-z0-9]{5}))(?P<late>_LATE)?_(?P<upload>\d+)_(?P<file>.+)"
)
# Of a download's or an attempt's time: 2026_11_21, and no ids.
_DATE = re.compile(r"(19|20)\d\d_(0?[1-9]|1[0-2])_(0?[1-9]|[12]\d|3[01])(?!\d)")
_MOODLE = re.compile(
    r"(?P<who>.+?)_(?P<id>\d+)_assign(submission|feedback)_(?P<plugin>[a-z]+)(_(?P<file>.*))?"
)


def canvas(name: str) -> Whose | None:
    """``leeann_LATE_12345_67890_softmax-1.py``. Source: Canvas LMS, lib/content_zipper.rb."""
    text = _CANVAS_TEXT.fullmatch(name)
    found = text or _CANVAS_ANONYMOUS.fullmatch(name) or _CANVAS.fullmatch(name)
    if found is None or _DATE.match(name, found.start("id")):
        return None
    late, file = found["late"] is not None, found["file"]
    return Whose(found["who"], found["id"], late, file, text is not None)


def moodle(name: str) -> Whose | None:
    """``Ann Lee_12345_assignsubmission_file_``, and ``softmax.py`` behind it where the download
    has no folders. Source: Moodle, mod/assign/locallib.php.
    """
    found = _MOODLE.fullmatch(name)
    if found is None:
        return None
    return Whose(
        found["who"], found["id"], file=found["file"] or "", text=found["plugin"] != "file"
    )


_BETWEEN = ("_", "-", " ")  # a name and what it is of
PLATFORMS: tuple[Shape, ...] = (moodle, canvas)


def of_platform(name: str) -> Whose | None:
    """What the name of a file or folder says, if a platform made it."""
    return next((whose for shape in PLATFORMS if (whose := shape(name)) is not None), None)


def named_after_exercise(name: str, known: Collection[str]) -> Whose | None:
    """``ann_softmax.py`` is Ann's ``softmax.py``; of ``softmax_v2.py`` nobody knows whose it is."""
    stem = stem_of(name)
    for exercise in sorted(known, key=len, reverse=True):
        for between in _BETWEEN:
            ends = stem.casefold().endswith(between + exercise)
            who = stem[: -len(between + exercise)].strip(" _-") if ends else ""
            if who and not _is_exercise(who, known):
                return Whose(who, file=exercise + (NOTEBOOK if is_notebook(name) else SUFFIX))
    return None


def named_after(name: str, students: Collection[str]) -> Whose | None:
    """``ann_report.pdf`` is Ann's, if ``ann`` is one of the ``students``: of those that fit, the
    one with the longest name.
    """
    for who in sorted(students, key=len, reverse=True):
        if name.startswith(tuple(who + between for between in _BETWEEN)):
            return Whose(who, file=name[len(who) + 1 :])
    return None


def _is_exercise(word: str, known: Collection[str]) -> bool:
    found = meant(word + SUFFIX, known)
    return found is not None and found[1].kind >= EXACT
