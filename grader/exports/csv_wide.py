"""CSV, wide: a row per submission, a column per exercise."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import Report
from grader.report.export import TWO_SCORES, deducted, mark, table_text, two_scores
from grader.report.parts import parts_of
from grader.report.plain import cell


def csv_wide(reports: Sequence[Report]) -> str:
    """``submission, student``, the exercises, what is ``deducted`` from their sum, ``total, max``;
    empty where there is no mark. ``total`` is the one of ``strict`` and ``follow_through`` that
    counts. Where a course tells them apart, ``core`` and ``robust`` are the
    two parts of the sum.
    """
    names = list(dict.fromkeys(e.name for report in reports for e in report.exercises))
    head = ["submission", "student", *map(cell, names), "deducted", "total", "max", *TWO_SCORES]
    if all(parts_of(report.verdicts) is None for report in reports):
        return table_text([head, *(_row(report, names) for report in reports)])
    rows = [[*_row(report, names), *map(mark, _parts(report))] for report in reports]
    return table_text([[*head, "core", "robust"], *rows])


def _parts(report: Report) -> tuple[float | None, float | None]:
    parts = parts_of(report.verdicts)
    return (parts.core.points, parts.robust.points) if parts else (None, None)


def _row(report: Report, names: Sequence[str]) -> list[str]:
    scores = {exercise.name: mark(exercise.score) for exercise in report.exercises}
    each = [scores.get(name, "") for name in names]
    who = [cell(report.submission), cell(report.student)]
    marks = [deducted(report), mark(report.score), mark(report.max_score)]
    return [*who, *each, *marks, *two_scores(report)]
