"""The marks of a run in the one column of a roster, for platforms of every kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.exports.roster import Filled, Roster, matched, points_in, with_marks, written
from grader.model import Report

Worth = Callable[[int], float | None]  # the points that a row's column is worth, if it says so


def filled(
    roster: Roster,
    column: int,
    places: Sequence[int],
    reports: Sequence[Report],
    worth: Worth,
    handed_in: re.Pattern[str],
    *,
    scale: bool,
) -> Filled:
    """The table, with marks in the rows at ``places`` that match.

    A cell without a mark stays as the platform gave it, for an empty one could delete what is
    there; whom that concerns is said beside it.
    """
    found, problems, remarks = matched(roster, places, reports, handed_in)
    marks = {place: points_in(report, worth(place), scale) for place, report in found.items()}
    problems += [f"{one.submission}: no mark, a check has no verdict" for one in _unjudged(reports)]
    remarks += [] if scale else _unequal(found, worth)
    rows = [roster.head, *with_marks(roster, column, marks)]
    return Filled(written(rows, roster.separator), tuple(problems), tuple(remarks))


def _unjudged(reports: Sequence[Report]) -> list[Report]:
    return [report for report in reports if report.score is None]


def _unequal(found: dict[int, Report], worth: Worth) -> list[str]:
    """Said once: 40 of 50 points are no 40 of 100."""
    pairs = ((worth(place), report.max_score) for place, report in found.items())
    unequal = {(there, here) for there, here in pairs if there is not None and there != here}
    return [
        f"the column is worth {there:g} points and the run {here:g}: marks are written as they "
        "are; --scale makes one of the other"
        for there, here in sorted(unequal)
    ]
