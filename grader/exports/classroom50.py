"""Classroom 50: ``result.json`` of one submission, schema ``classroom50/result/v1``.

Source: its collector, which refuses any score that is no whole number, below 0 or above its
``max-score``, and does not compare the score above with those of the tests. So what being late
costs is taken off above, and a test that is worth nothing says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from grader.errors import GraderError
from grader.exports.students import SeenCheck, for_students
from grader.exports.words import where
from grader.model import Outcome, Report

SCHEMA = "classroom50/result/v1"
_FINEST = 1000  # of a point: 0.333 is meant as 333/1000, and 0.1 as a tenth


def classroom50(report: Report, context: Mapping[str, str]) -> dict[str, Any] | None:
    """The values to be written as JSON; None without a verdict, because a score is required there.

    ``context`` are the variables that its runner sets: ``CLASSROOM`` and ``ASSIGNMENT`` are needed
    (raises ``GraderError``); without the others it is told as marked by hand, in Classroom 50's own
    form for that.
    """
    seen = for_students(report)
    if seen.score is None:
        return None
    checks = [(e.name, c) for e in seen.exercises for c in e.checks if c.points is not None]
    points = [points for _, c in checks for points in (c.points, c.max_points)]
    factor = _factor([*points, seen.deducted])
    tests = [_test(exercise, check, factor) for exercise, check in checks]
    score = sum(test["score"] for test in tests) - round(seen.deducted * factor)
    late = {"test-name": seen.late, "passed": False, "score": 0, "max-score": 0}
    return _heading(report, context) | {
        "score": score,
        "max-score": sum(test["max-score"] for test in tests),
        "tests": [*tests, late] if seen.late else tests,
    }


def _heading(report: Report, context: Mapping[str, str]) -> dict[str, str]:
    by_hand = f"submit/manual-{report.graded_at.replace(':', '-')}"
    submission = context.get("SUBMISSION_TAG") or by_hand
    commit = context.get("COMMIT_URL") or submission
    return {
        "schema": SCHEMA,
        "classroom": _needed(context, "CLASSROOM"),
        "assignment": _needed(context, "ASSIGNMENT"),
        "assignment_type": context.get("ASSIGNMENT_TYPE") or "individual",
        "owner": context.get("OWNER") or report.student,
        "submission": submission,
        "commit": commit,
        "release": context.get("RELEASE_URL") or submission,
        "review": context.get("REVIEW_URL") or commit,
        "datetime": report.graded_at,
        "graded_at": report.graded_at,
    }


def _needed(context: Mapping[str, str], name: str) -> str:
    if not context.get(name):
        raise GraderError(
            f"Classroom 50 needs {name}: its runner sets it in the environment, and so can you."
        )
    return context[name]


def _factor(points: list[float | None]) -> int:
    """What all points are multiplied with: scores are integers there, and half points are kept."""
    exact = [Fraction(p).limit_denominator(_FINEST) for p in points if p is not None]
    return math.lcm(*(fraction.denominator for fraction in exact))


def _test(exercise: str, check: SeenCheck, factor: int) -> dict[str, Any]:
    return {
        "test-name": f"{check.number} {where(exercise, check)}: {check.sentence}",
        "passed": check.outcome is Outcome.PASSED,
        "score": round((check.points or 0) * factor),
        "max-score": round(check.max_points * factor),
    }
