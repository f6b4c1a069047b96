"""What a person should know of how an assignment met a run: no mark is missing for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.course.assignment import Assignment
from grader.course.marks import time_of
from grader.model import Report
from grader.spelling import folded

_NO_TIME = (
    "the late rule says nothing about {count} of {all} submissions: when they were handed in is "
    "not known"
)
_NOBODYS = (
    "the extension of {name!r} is nobody's here: if a submission is theirs, write its id or name "
    "as the report has it"
)
_SEVERAL = "the extension of {name!r} is that of {who}: write an id to mean one of them"
OUTDATED = (
    "grades.csv and feedback/ in this run are older than its assignment.toml, and show other "
    "marks: `grader regrade RUN --write`, or `grader grade` as before, makes them anew"
)


def remarks_on(reports: Sequence[Report], assignment: Assignment) -> Iterator[str]:
    """How many have no known time, and extensions that fit nobody, or more than one."""
    if assignment.late is not None:
        without = [r for r in reports if not r.late and time_of(r.handed_in) is None]
        if without:
            yield _NO_TIME.format(count=len(without), all=len(reports))
    for name in assignment.extensions:
        yield from _whose(name, reports)


def _whose(name: str, reports: Sequence[Report]) -> Iterator[str]:
    called = [(r, {folded(r.student_id), folded(r.student), folded(r.submission)}) for r in reports]
    found = [report.submission for report, names in called if folded(name) in names]
    if not found:
        yield _NOBODYS.format(name=name)
    if len(found) > 1:
        yield _SEVERAL.format(name=name, who=" and ".join(found))
