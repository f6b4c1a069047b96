"""A table that a platform gave, and its one column that gets marks: whose row is whose.

A mark is written where one row alone fits one submission alone. Whatever fits twice or not at all
is named and left as it was, because a mark in a wrong row is worse than none.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError
from grader.model import Report

# Headings, with letters and digits only, of what tells a student from others.
_IDS = frozenset("id sisuserid sislogin sisloginid identifier idnumber username email emailaddress "
                 "studentid login".split())  # fmt: skip
_NAMES = frozenset("student fullname name".split())
_FIRST, _LAST = frozenset(("firstname",)), frozenset(("lastname", "surname"))


@dataclass(frozen=True)
class Roster:
    """A table as it was read: its heading, its rows, and what separates its cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    separator: str = ","

    def index(self, name: str) -> int | None:
        """The place of a column; None without it. Raises ``GraderError`` if there are two."""
        found = [place for place, title in enumerate(self.head) if title.strip() == name]
        if len(found) > 1:
            raise GraderError(f"the roster has {len(found)} columns {name!r}: which one is meant?")
        return found[0] if found else None


@dataclass(frozen=True)
class Filled:
    """The table with its marks; whose mark is not in it, and why; and what is worth knowing, as who
    handed in nothing.
    """

    text: str
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def read_roster(path: Path) -> Roster:
    """The table in a CSV file, in UTF-8, with commas or semicolons; raises ``GraderError``."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        separator = max(",;\t", key=first.count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise GraderError(f"{path} cannot be read as a table (CSV in UTF-8): {error}") from error
    if not rows:
        raise GraderError(f"{path} is empty: export the roster once more.")
    width = max(map(len, rows))
    head, *others = (tuple(row + [""] * (width - len(row))) for row in rows)
    return Roster(head, tuple(others), separator)


def written(rows: Iterable[Sequence[str]], separator: str) -> str:
    """The table as text. Cells are as the platform wrote them: it must find its own names again."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()


def number(text: str) -> float | None:
    """A cell as a number, written with a point or a comma; None if it is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def matched(
    roster: Roster, places: Iterable[int], reports: Sequence[Report], handed_in: re.Pattern[str]
) -> tuple[dict[int, Report], list[str], list[str]]:
    """The report of each row, of the rows at ``places``; who has no row, or none alone; and whose
    row has no report. ``handed_in`` finds the student's id in the names of files that the platform
    gives.
    """
    people = [_Person.of(roster, place) for place in places]
    fitting: dict[int, list[Report]] = {}
    notes = []
    for report in reports:
        found = _rows_of(report, people, handed_in)
        if len(found) == 1:
            fitting.setdefault(found[0], []).append(report)
        else:
            what = "fits several rows of the roster" if found else "is not in the roster"
            notes.append(f"{report.submission}: {what}")
    alone = {place: those[0] for place, those in fitting.items() if len(those) == 1}
    for place, those in fitting.items():
        if len(those) > 1:
            names = ", ".join(report.submission for report in those)
            who = _shown(people, place)
            notes.append(f"{names}: all of them fit {who}, so none was written")
    without = [p.shown for p in people if p.place not in fitting]
    return alone, notes, [f"{who}: in the roster, but not in the run" for who in without]


@dataclass(frozen=True)
class _Person:
    place: int
    shown: str
    ids: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, roster: Roster, place: int) -> _Person:
        row = roster.rows[place]
        cells = [(_letters(title), text) for title, text in zip(roster.head, row, strict=True)]
        ids = {_id(text) for title, text in cells if title in _IDS and text.strip()}
        ids |= {one.partition("@")[0] for one in ids if "@" in one}
        ids |= {one.split()[-1] for one in ids if one.split()[-1].isdecimal()}  # Participant 12
        first, last = _joined(cells, _FIRST), _joined(cells, _LAST)
        said = [text for title, text in cells if title in _NAMES]
        names = {_letters(name) for text in said for name in (text, _turned(text))}
        names |= {_letters(first + last), _letters(last + first)}
        shown = next(filter(None, [*said, f"{first} {last}".strip()]), f"row {place + 2}")
        return cls(place, shown, frozenset(ids), frozenset(names - {""}))


def _shown(people: Sequence[_Person], place: int) -> str:
    return next(person.shown for person in people if person.place == place)


def _joined(cells: Sequence[tuple[str, str]], titles: frozenset[str]) -> str:
    return " ".join(text for title, text in cells if title in titles)


def _rows_of(report: Report, people: Sequence[_Person], handed_in: re.Pattern[str]) -> list[int]:
    """Rows that fit: by the platform's number, by an id, by a name, in this order; but a number and
    a name that are of two people fit both.
    """
    numbers = _numbers(report, handed_in)
    numbered = [person.place for person in people if not numbers.isdisjoint(person.ids)]
    called = _rows_called(report, people)
    if not numbered or not called:
        return numbered or called
    both = [place for place in numbered if place in called]
    return both or [*numbered, *called]


def _rows_called(report: Report, people: Sequence[_Person]) -> list[int]:
    for name in (report.student, report.submission):
        by_id = [person.place for person in people if _id(name) in person.ids]
        by_name = [person.place for person in people if _letters(name) in person.names]
        if by_id or by_name:
            return by_id or by_name
    return []


def _numbers(report: Report, handed_in: re.Pattern[str]) -> set[str]:
    found = map(handed_in.search, (Path(report.path).name, report.submission))
    return {match[1] for match in found if match}


def _id(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _letters(text: str) -> str:
    """A name as platforms may spell it in a file's name: no spaces, signs or capitals; marks that
    combine are part of a letter.
    """
    composed = unicodedata.normalize("NFC", text).casefold()
    return "".join(c for c in composed if c.isalnum() or unicodedata.category(c)[0] == "M")


def _turned(text: str) -> str:
    """``Lee, Ann`` is ``Ann Lee``."""
    last, comma, first = text.partition(",")
    return f"{first} {last}" if comma else text


def points_in(report: Report, worth: float | None, scale: bool) -> str:
    """The mark for a column that is ``worth`` so many points; rounded to what platforms keep, two
    decimals. Empty without a verdict.
    """
    score = report.score
    if score is None:
        return ""
    if scale and worth is not None and report.max_score:
        score *= worth / report.max_score
    return f"{round(score, 2):g}" if score < 1e5 else f"{score:.2f}"


def with_marks(
    roster: Roster, column: int, marks: Mapping[int, str]
) -> tuple[tuple[str, ...], ...]:
    """The rows, with marks in one column; without a mark a cell is as it was."""
    return tuple(
        (*row[:column], marks.get(place) or row[column], *row[column + 1 :])
        for place, row in enumerate(roster.rows)
    )
