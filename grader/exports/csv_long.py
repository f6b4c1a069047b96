"""CSV, long: a row per submission and check, for those who count for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.exports.students import points_of
from grader.model import Report, Verdict
from grader.report.export import mark, table_text
from grader.report.parts import part_names
from grader.report.plain import cell

WHO = ("submission", "student", "exercise", "check", "device")
FOUND = ("outcome", "points", "max_points", "misconception", "part", "strict")
LATE = "late"  # in place of an outcome


def csv_long(reports: Sequence[Report]) -> str:
    """For instructors: it names checks and misconceptions. ``points`` is empty where nothing was
    found out, so that a mean leaves it out. What being late cost is a row of its own, below 0 and
    of no exercise, so that the points of a submission add up to its mark. ``part`` is core or
    robust where a course tells these apart; ``strict`` are the points without follow-through.
    """
    rows = [row for report in reports for row in _rows(report)]
    return table_text([[*WHO, *FOUND], *rows])


def _rows(report: Report) -> Iterator[list[str]]:
    for exercise in report.exercises:
        parts = part_names(exercise.verdicts)
        for verdict, part in zip(exercise.verdicts, parts, strict=True):
            yield [*_row(report, verdict), part, _strict(verdict)]
    if report.deducted and report.score is not None:
        who = [cell(report.submission), cell(report.student), "", "", ""]
        yield [*who, LATE, mark(-report.deducted), mark(0), "", "", mark(-report.deducted)]


def _strict(verdict: Verdict) -> str:
    return "" if points_of(verdict) is None else mark(verdict.strict_points)


def _row(report: Report, verdict: Verdict) -> list[str]:
    check = verdict.check
    texts = (report.submission, report.student, check.exercise, check.name, check.device)
    points = [mark(points_of(verdict)), mark(verdict.max_points)]
    last = cell(verdict.misconception or "")
    return [*map(cell, texts), verdict.outcome.value, *points, last]
