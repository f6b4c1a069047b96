"""Moodle: its offline grading worksheet with the marks, or any list of participants with a column.

Source: Moodle's own importer, github.com/moodle/moodle, mod/assign/feedback/offline: it reads
`Identifier`, `Grade` and `Last modified (grade)`, always parted by commas; a plain list goes
through Grades > Import > CSV file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.collect.table import Table
from grader.errors import GraderError
from grader.exports.filling import Filled, filled, number
from grader.model import Report

GRADE = "Grade"
_HIGHEST = ("Maximum grade", "Maximum Grade")
_KEYS = ("Identifier", "Email address", "Email", "ID number", "Username", "Full name")


def moodle(roster: Table, reports: Sequence[Report], column: str = GRADE, *, scale: bool) -> Filled:
    """The worksheet; a column is made in a list without one. Raises ``GraderError`` where nothing
    tells one student from another.
    """
    if not any(key in roster.head for key in _KEYS):
        raise GraderError(
            f"the roster is no list of Moodle's: it has none of the columns {', '.join(_KEYS)}."
        )
    place = roster.index(column)
    if place is None:
        rows = tuple((*row, "") for row in roster.rows)
        roster, place = replace(roster, head=(*roster.head, column), rows=rows), len(roster.head)
    highest = next((i for i, head in enumerate(roster.head) if head in _HIGHEST), None)

    def worth(row: int) -> float | None:
        return None if highest is None else number(roster.rows[row][highest])

    places = [place for place, row in enumerate(roster.rows) if any(cell.strip() for cell in row)]
    return filled(roster, place, places, reports, worth, scale=scale)
