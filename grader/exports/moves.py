"""Two runs on the same class -> whose marks moved, and because of which checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model import Outcome, Report, Verdict
from grader.report.feedback import NO_VERDICT
from grader.runs.moved import Moved, MovedCheck, moved

NOT_THERE = "not there"


@dataclass(frozen=True)
class CheckMove:
    """What a check said before and says now, in words of outcomes, and what it is worth."""

    exercise: str
    name: str
    device: str
    before: str
    after: str
    worth: tuple[float | None, float | None]


@dataclass(frozen=True)
class MarkMove:
    """A mark that moved; None where there is none."""

    submission: str
    before: float | None
    before_max: float
    after: float | None
    after_max: float
    checks: tuple[CheckMove, ...]


@dataclass(frozen=True)
class Moves:
    """``compared`` is how many are in both runs; ``checks`` counts in how many submissions a check
    moved, the most frequent first.
    """

    compared: int
    marks: tuple[MarkMove, ...]
    checks: tuple[tuple[CheckMove, int], ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def moves(before: Sequence[Report], after: Sequence[Report]) -> Moves:
    """Whoever has the platform's id of an earlier report is its student; then, who has its name."""
    pairs = list(_pairs(before, after))
    found = [one for one in (moved(old, new) for old, new in pairs) if one is not None]
    marks = tuple(_mark(one) for one in found)
    counts = Counter(check for mark in marks for check in mark.checks)
    return Moves(
        len(pairs),
        marks,
        tuple(counts.most_common()),
        _others(before, [old for old, _ in pairs]),
        _others(after, [new for _, new in pairs]),
    )


def _pairs(before: Sequence[Report], after: Sequence[Report]) -> Iterator[tuple[Report, Report]]:
    by_id = {report.student_id: report for report in before if report.student_id}
    by_name = {report.submission: report for report in before}
    for report in after:
        named = by_name.get(report.submission)
        if named is not None and _differ(named.student_id, report.student_id):
            named = None
        earlier = by_id.get(report.student_id) or named
        if earlier is not None:
            yield earlier, report


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _others(reports: Sequence[Report], known: Sequence[Report]) -> tuple[str, ...]:
    names = {report.submission for report in known}
    return tuple(report.submission for report in reports if report.submission not in names)


def _mark(one: Moved) -> MarkMove:
    before, after = one.before, one.after
    checks = tuple(map(_check, one.checks))
    return MarkMove(
        after.submission, before.score, before.max_score, after.score, after.max_score, checks
    )


def _check(check: MovedCheck) -> CheckMove:
    said = [_said(verdict) for verdict in (check.before, check.after)]
    worth = [None if v is None else v.check.max_points for v in (check.before, check.after)]
    return CheckMove(
        check.exercise, check.name, check.device, said[0], said[1], (worth[0], worth[1])
    )


def _said(verdict: Verdict | None) -> str:
    if verdict is None:
        return NOT_THERE
    return NO_VERDICT if verdict.outcome is Outcome.INTERNAL else verdict.outcome.value
