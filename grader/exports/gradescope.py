"""Gradescope: ``results.json`` of one submission.

Source: gradescope-autograders.readthedocs.io, "Autograder Specifications", Output Format.
"""

from __future__ import annotations

from typing import Any

from grader.exports.students import Seen, SeenCheck, for_students
from grader.exports.words import lines_on, lines_on_parts, where
from grader.model import Outcome, Report

TELLS_THE_TOTAL = ("visible", "points")
HIDES_THE_TOTAL = ("after_due_date", "after_published")
HIDDEN = (*TELLS_THE_TOTAL, *HIDES_THE_TOTAL, "hidden")
"""How much students see of hidden checks: all that there is to say, points alone, or no line until
later or ever. Public checks are always seen.
"""


def gradescope(report: Report, hidden: str = "visible") -> dict[str, Any]:
    """The values to be written as JSON. All of it is for the student, and ``hidden`` checks as one
    of ``HIDDEN`` says.

    Without a verdict there is no ``score`` at all, neither above nor in any test: from the scores
    of some tests Gradescope would make a total by itself. It then says that the submission has no
    mark, and an instructor is asked. The ``score`` above overrides the sum of the tests': it is the
    mark after what being late costs, and ``output`` says so.
    """
    seen = for_students(report)
    whole = seen.score is not None
    late = "" if hidden == "after_published" else seen.late  # it tells the total
    form: dict[str, Any] = {"score": seen.score} if whole else {}
    # They count hidden checks, too.
    parts = lines_on_parts(seen) if whole and hidden in TELLS_THE_TOTAL else []
    return form | {
        "execution_time": round(sum(verdict.seconds for verdict in report.verdicts), 3),
        "output": "\n".join(filter(None, (seen.notice, late, *parts))),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": _tests(seen, whole, hidden),
    }


def _tests(seen: Seen, whole: bool, hidden: str) -> list[dict[str, Any]]:
    return [_test(e.name, check, whole, hidden) for e in seen.exercises for check in e.checks]


def _test(exercise: str, check: SeenCheck, whole: bool, hidden: str) -> dict[str, Any]:
    """Where one is not visible, Gradescope shows no total with it: that is never the default."""
    way = "visible" if check.public else hidden
    form: dict[str, Any] = {
        "name": f"{where(exercise, check)}: {check.sentence}",
        "name_format": "text",
        "number": check.number,
        "output": "" if way == "points" else "\n".join(lines_on(check)),
        "output_format": "text",
        "tags": [exercise, check.part] if check.part else [exercise],
        "visibility": "visible" if way == "points" else way,
    }
    if check.points is None:
        return form
    form["status"] = "passed" if check.outcome is Outcome.PASSED else "failed"
    return form | ({"score": check.points, "max_score": check.max_points} if whole else {})
