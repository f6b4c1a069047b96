"""Canvas: the gradebook that it exported, with one assignment filled, to be imported again.

Source: Canvas' own importer, github.com/instructure/canvas-lms, lib/gradebook_importer.rb: rows
before the students' are `Manual Posting` and `Points Possible`; a heading is `TITLE (ID)`; a title
without a number makes a new assignment; an empty cell deletes the mark that is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.collect.table import Table
from grader.errors import GraderError
from grader.exports.filling import Filled, filled, number
from grader.model import Report

_POINTS = "    Points Possible"


def canvas(roster: Table, reports: Sequence[Report], assignment: str, *, scale: bool) -> Filled:
    """The gradebook; a column is made where there is none for ``assignment``.

    Raises ``GraderError`` when this is no gradebook of Canvas, or the column cannot be written.
    """
    if not _is_gradebook(roster.head):
        raise GraderError(
            "the roster is no gradebook of Canvas, whose heading begins with Student and ID. "
            "Export it in Grades > Export."
        )
    roster = _with_points(roster)
    column = _column(roster, assignment)
    if column is None:
        roster, column = _extended(roster, assignment, reports), len(roster.head)
    points = next(row for row in roster.rows if _is_points(row))[column]
    if "read only" in points.casefold():
        raise GraderError(f"Canvas takes no marks for {roster.head[column]!r}: it is read only.")
    places = [place for place, row in enumerate(roster.rows) if _is_student(row)]
    worth = number(points)
    return filled(roster, column, places, reports, lambda place: worth, scale=scale)


def _is_gradebook(head: Sequence[str]) -> bool:
    return any(
        head[: len(start)] == start
        for start in (("Student", "ID"), ("LastName", "FirstName", "ID"))
    )


def _is_points(row: Sequence[str]) -> bool:
    return "Points Possible" in row[0]


def _is_student(row: Sequence[str]) -> bool:
    """Neither the points nor the row that says what is posted by hand, whose names are empty."""
    return bool(row[0].strip()) and not _is_points(row)


def _column(roster: Table, assignment: str) -> int | None:
    """By the whole heading, or by the title before the number."""
    whole = roster.index(assignment)
    if whole is not None:
        return whole
    title = re.compile(re.escape(assignment) + r" \(\d+\)")
    found = [place for place, head in enumerate(roster.head) if title.fullmatch(head.strip())]
    if len(found) > 1:
        names = " and ".join(repr(roster.head[place]) for place in found)
        raise GraderError(f"the roster has {names}: give --assignment with its number.")
    return found[0] if found else None


def _with_points(roster: Table) -> Table:
    if any(map(_is_points, roster.rows)):
        return roster
    row = (_POINTS, *("" for _ in roster.head[1:]))
    return replace(roster, rows=(row, *roster.rows))


def _extended(roster: Table, assignment: str, reports: Sequence[Report]) -> Table:
    worth = max((report.max_score for report in reports), default=0.0)
    rows = tuple((*row, f"{worth:g}" if _is_points(row) else "") for row in roster.rows)
    return replace(roster, head=(*roster.head, assignment), rows=rows)
