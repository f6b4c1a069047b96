"""What stands in the gradebook -> rows for people and for programs; a table has names, or drawn
ids, and only if that is asked for, both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

from grader.gradebook.counting import Standing, Total
from grader.gradebook.models import Entry, Student
from grader.report.export import mark, table_text
from grader.report.plain import cell

Form = dict[str, Any]


class Shown(Enum):
    """As what students are shown."""

    NAMES = "names"
    DRAWN = "drawn"
    BOTH = "both"


def who(student: Student, shown: Shown) -> dict[str, str]:
    """The student's cells; without a name nothing that tells it."""
    named = {
        "student": student.name,
        "student_id": student.platform_id,
        "submission": student.submission,  # tells namesakes without an id apart
    }
    drawn = {"drawn_id": student.drawn}
    return {Shown.NAMES: named, Shown.DRAWN: drawn, Shown.BOTH: drawn | named}[shown]


def in_order(found: Iterable[Any], shown: Shown) -> list[Any]:
    """Standings or totals; under drawn ids, the order of names would give them away."""
    several = list(found)
    return sorted(several, key=lambda one: one.student.drawn) if shown is Shown.DRAWN else several


def standing_form(one: Standing, shown: Shown) -> Form:
    """One student in one assignment, as plain values; a mark without a verdict is None. ``earned``
    less what was ``deducted`` for being late is the mark, unless a person gave another.

    The time of handing in is no part of it under drawn ids: the platform shows it beside the name.
    """
    attempt = one.attempt
    times = {"handed_in": attempt.handed_in if attempt else ""} if shown is not Shown.DRAWN else {}
    return {
        **who(one.student, shown),
        "assignment": one.assignment.name,
        "earned": one.earned,
        "deducted": one.deducted,
        "mark": one.mark,
        "max": one.worth,
        "automatic": one.automatic,
        "no_verdict": one.has_no_verdict,
        "missing": one.is_missing,
        "late": bool(attempt and attempt.late),
        **times,
        "attempts": one.attempts,
        "counts": one.assignment.counts,
        "exercises": [
            {"name": e.name, "mark": e.mark, "max": e.max_score, "automatic": e.automatic}
            for e in one.exercises
        ],
        "manual": [_entry_form(entry) for entry in one.manuals],
        "comments": [_entry_form(entry) for entry in one.comments],
    }


def _entry_form(entry: Entry) -> Form:
    return {
        "number": f"e{entry.id}",
        "exercise": entry.exercise,
        "mark": entry.mark,
        "text": entry.text,
        "author": entry.author,
        "made_at": entry.made_at,
    }


def standings_csv(standings: Sequence[Standing], shown: Shown) -> str:
    """A row for each student and assignment; a column for each exercise with its mark."""
    forms = [standing_form(one, shown) for one in standings]
    names = list(dict.fromkeys(e["name"] for form in forms for e in form["exercises"]))
    plain = [key for key in (forms[0] if forms else {}) if key not in ("exercises", *_SAID)]
    head = [*plain, *map(cell, names), *_SAID]
    return table_text([head, *(_row(form, plain, names) for form in forms)])


_SAID = ("manual", "comments")


def _row(form: Form, plain: Sequence[str], names: Sequence[str]) -> list[str]:
    marks = {exercise["name"]: exercise["mark"] for exercise in form["exercises"]}
    said = [cell("; ".join(map(_said, form[key]))) for key in _SAID]
    each = [mark(marks.get(name)) for name in names]
    return [*(_written(form[key]) for key in plain), *each, *said]


def _said(entry: Form) -> str:
    about = f"{entry['exercise']}: " if entry["exercise"] else ""
    number = "" if entry["mark"] is None else f"{entry['mark']:g}: "
    return f"{about}{number}{entry['text']} ({entry['author']})"


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if value is None or isinstance(value, float):
        return mark(value)
    return cell(str(value))


def total_form(one: Total, shown: Shown) -> Form:
    """One student over all assignments; which have no verdict, to which nothing came, and which do
    not count as the worst of their group.
    """
    return {
        **who(one.student, shown),
        "assignments": {s.assignment.name: s.mark for s in one.standings},
        "points": one.points,
        "max": one.worth,
        "percent": one.percent,
        "no_verdict": _names(one, lambda standing: standing.has_no_verdict),
        "missing": _names(one, lambda standing: standing.is_missing),
        "dropped": [standing.assignment.name for standing in one.dropped],
    }


def _names(one: Total, fits: Callable[[Standing], bool]) -> list[str]:
    return [standing.assignment.name for standing in one.standings if fits(standing)]


def totals_csv(totals: Sequence[Total], shown: Shown) -> str:
    """A row for each student, a column for each assignment; empty where there is no number."""
    forms = [total_form(one, shown) for one in totals]
    people = list(who(totals[0].student, shown)) if totals else []
    names = list(forms[0]["assignments"]) if forms else []
    sums, why = ("points", "max", "percent"), ("no_verdict", "missing", "dropped")
    head = [*people, *map(cell, names), *sums, *why]
    rows = [
        [
            *(cell(form[key]) for key in people),
            *(mark(form["assignments"][name]) for name in names),
            *(_rounded(form[key]) for key in sums),
            *(cell(", ".join(form[key])) for key in why),
        ]
        for form in forms
    ]
    return table_text([head, *rows])


def _rounded(number: float | None) -> str:
    """Two decimals are what platforms keep."""
    return "" if number is None else mark(round(number, 2))
