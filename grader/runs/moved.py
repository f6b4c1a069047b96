"""Whose marks move between two reports on the same work, and because of which checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.model import Outcome, Report, Verdict


@dataclass(frozen=True)
class MovedCheck:
    """A check that says something else than before, or is worth something else; None where there
    is no such check.
    """

    exercise: str
    name: str
    device: str
    before: Verdict | None
    after: Verdict | None


@dataclass(frozen=True)
class Moved:
    """A mark that moves."""

    before: Report
    after: Report
    checks: tuple[MovedCheck, ...]


def moved(before: Report, after: Report) -> Moved | None:
    """None where the mark stays: the score, and what could be reached."""
    if (before.score, before.max_score) == (after.score, after.max_score):
        return None
    return Moved(before, after, tuple(_checks(before, after)))


def _checks(before: Report, after: Report) -> Iterator[MovedCheck]:
    old, new = _by_check(before), _by_check(after)
    for key in dict.fromkeys([*new, *old]):
        one, other = old.get(key), new.get(key)
        if one is None or other is None or _counts(one) != _counts(other):
            yield MovedCheck(*key, one, other)


def _by_check(report: Report) -> dict[tuple[str, str, str], Verdict]:
    return {(v.check.exercise, v.check.name, v.check.device): v for v in report.verdicts}


def _counts(verdict: Verdict) -> tuple[float, float, bool]:
    """What of a verdict counts for marks; how an answer is wrong does not."""
    return verdict.points, verdict.max_points, verdict.outcome is Outcome.INTERNAL
