"""Gradescope: ``results.json`` of one submission.

Source: gradescope-autograders.readthedocs.io, "Autograder Specifications", Output Format.
"""

from __future__ import annotations

from typing import Any

from grader.exports.students import Seen, SeenCheck, for_students
from grader.exports.words import lines_on
from grader.model import Outcome, Report


def gradescope(report: Report) -> dict[str, Any]:
    """The values to be written as JSON. All of it is for the student.

    Without a verdict there is no ``score`` at all, neither above nor in any test: from the scores
    of some tests Gradescope would make a total by itself. It then says that the submission has no
    mark, and an instructor is asked. The ``score`` above overrides the sum of the tests': it is the
    mark after what being late costs, and ``output`` says so.
    """
    seen = for_students(report)
    whole = seen.score is not None
    form: dict[str, Any] = {"score": seen.score} if whole else {}
    return form | {
        "execution_time": round(sum(verdict.seconds for verdict in report.verdicts), 3),
        "output": "\n".join(filter(None, (seen.notice, seen.late))),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": _tests(seen, whole),
    }


def _tests(seen: Seen, whole: bool) -> list[dict[str, Any]]:
    return [_test(e.name, check, whole) for e in seen.exercises for check in e.checks]


def _test(exercise: str, check: SeenCheck, whole: bool) -> dict[str, Any]:
    """No test is hidden: Gradescope would hide the total with it."""
    form: dict[str, Any] = {
        "name": f"{exercise}: {check.sentence}",
        "name_format": "text",
        "number": check.number,
        "output": "\n".join(lines_on(check)),
        "output_format": "text",
        "tags": [exercise],
        "visibility": "visible",
    }
    if check.points is None:
        return form
    form["status"] = "passed" if check.outcome is Outcome.PASSED else "failed"
    return form | ({"score": check.points, "max_score": check.max_points} if whole else {})
