"""The marks of a run in the one column of a roster, for platforms of every kind.

A mark is written where one row alone fits one submission alone, or all members of a group have a
row each. Whatever fits twice or not at all is named and left as it was, because a mark in a wrong
row is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.collect.matching import Matcher
from grader.collect.roster import Enrolled, enrolled
from grader.collect.shapes import of_platform
from grader.collect.table import Table, written
from grader.model import Report

Worth = Callable[[int], float | None]  # the points that a row's column is worth, if it says so


@dataclass(frozen=True)
class Filled:
    """The table with its marks; whose mark is not in it, and why; and what is worth knowing, as who
    handed in nothing.
    """

    text: str
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def filled(
    roster: Table,
    column: int,
    places: Sequence[int],
    reports: Sequence[Report],
    worth: Worth,
    *,
    scale: bool,
) -> Filled:
    """The table, with marks in the rows at ``places`` that match.

    A cell without a mark stays as the platform gave it, for an empty one could delete what is
    there; whom that concerns is said beside it.
    """
    found, problems, remarks = _matched(roster, places, reports)
    marks = {place: points_in(report, worth(place), scale) for place, report in found.items()}
    problems += [f"{one.submission}: no mark, a check has no verdict" for one in _unjudged(reports)]
    remarks += [] if scale else _unequal(found, worth)
    rows = [roster.head, *_with_marks(roster, column, marks)]
    return Filled(written(rows, roster.separator), tuple(problems), tuple(remarks))


def _matched(
    roster: Table, places: Iterable[int], reports: Sequence[Report]
) -> tuple[dict[int, Report], list[str], list[str]]:
    """The report of each row, of the rows at ``places``; who has no row, or none alone; and whose
    row has no report.
    """
    people = {place: _person(roster, place) for place in places}
    fitting, problems = _fitting(people, reports)
    alone = {place: those[0] for place, those in fitting.items() if len(those) == 1}
    for place, those in fitting.items():
        if len(those) > 1:
            names = ", ".join(report.submission for report in those)
            problems.append(f"{names}: all of them fit {people[place].name}, so none was written")
    without = [who.name for place, who in people.items() if place not in fitting]
    return alone, problems, [f"{who}: in the roster, but not in the run" for who in without]


def _person(roster: Table, place: int) -> Enrolled:
    return enrolled(roster, roster.rows[place]) or Enrolled(f"row {place + 2}")


def _fitting(
    people: Mapping[int, Enrolled], reports: Sequence[Report]
) -> tuple[dict[int, list[Report]], list[str]]:
    """The reports that fit each row; and those that fit none, or no one alone."""
    matcher, rows = Matcher(list(people.values())), list(people)
    fitting: dict[int, list[Report]] = {}
    problems = []
    for report in reports:
        match = matcher.whose([report.student, report.submission], _ids(report))
        for owner in match.owners:
            fitting.setdefault(rows[owner], []).append(report)
        if not match.owners:
            what = "fits several rows of the roster" if match.rivals else "is not in the roster"
            problems.append(f"{report.submission}: {what}")
    return fitting, problems


def _ids(report: Report) -> list[str]:
    """The platform's id, also that in the names of its files: a report may be older than the field
    for it, and a roster of another platform may have given its own id meanwhile.
    """
    named = map(of_platform, (Path(report.path).name, report.submission))
    return [report.student_id, *(whose.id for whose in named if whose is not None)]


def _unjudged(reports: Sequence[Report]) -> list[Report]:
    return [report for report in reports if report.score is None]


def _unequal(found: Mapping[int, Report], worth: Worth) -> list[str]:
    """Said once: 40 of 50 points are no 40 of 100."""
    pairs = ((worth(place), report.max_score) for place, report in found.items())
    unequal = {(there, here) for there, here in pairs if there is not None and there != here}
    return [
        f"the column is worth {there:g} points and the run {here:g}: marks are written as they "
        "are; --scale makes one of the other"
        for there, here in sorted(unequal)
    ]


def number(text: str) -> float | None:
    """A cell as a number, written with a point or a comma; None if it is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


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


def _with_marks(
    roster: Table, column: int, marks: Mapping[int, str]
) -> tuple[tuple[str, ...], ...]:
    """The rows, with marks in one column; without a mark a cell is as it was."""
    return tuple(
        (*row[:column], marks.get(place) or row[column], *row[column + 1 :])
        for place, row in enumerate(roster.rows)
    )
