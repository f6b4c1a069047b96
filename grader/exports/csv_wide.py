"""CSV, wide: a row per submission, a column per exercise."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import Report
from grader.report.export import deducted, mark, table_text
from grader.report.plain import cell


def csv_wide(reports: Sequence[Report]) -> str:
    """``submission, student``, the exercises, what is ``deducted`` from their sum, ``total, max``;
    empty where there is no mark.
    """
    names = list(dict.fromkeys(e.name for report in reports for e in report.exercises))
    head = ["submission", "student", *map(cell, names), "deducted", "total", "max"]
    return table_text([head, *(_row(report, names) for report in reports)])


def _row(report: Report, names: Sequence[str]) -> list[str]:
    scores = {exercise.name: mark(exercise.score) for exercise in report.exercises}
    each = [scores.get(name, "") for name in names]
    who = [cell(report.submission), cell(report.student)]
    return [*who, *each, deducted(report), mark(report.score), mark(report.max_score)]
