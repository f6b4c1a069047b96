"""A grade cell earns what its check does, of what the instructor says that it is worth."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.bridges.outputs import Told, fill
from grader.model import Check, Outcome, Verdict
from grader.report.words import said


def earned(verdict, worth):
    """What nbgrader reads out of a cell."""
    marks = {"grade_id": "test_it", "grade": True, "solution": False, "points": worth}
    nb = new_notebook(cells=[new_code_cell(metadata={"nbgrader": marks})])

    assert fill(nb, {"test_it": verdict}, Told("softmax", None, {})) == []

    return nb.cells[0].outputs[-1].data["text/plain"]


def of(outcome, points=2.0, **fields):
    cause = None if outcome is Outcome.PASSED else said("No.")
    return Verdict(Check("softmax", "test_it", "It is.", points), outcome, cause=cause, **fields)


@pytest.mark.parametrize(
    ("verdict", "points"),
    [
        (of(Outcome.PASSED), "4.0"),
        (of(Outcome.PASSED, points=0.0), "4.0"),
        (of(Outcome.FAILED), "0.0"),
        (of(Outcome.CARRIED, carried=1.0), "4.0"),
        (of(Outcome.CARRIED, carried=0.5), "2.0"),
        (of(Outcome.FAILED, carried=0.5, strict=True), "0.0"),
    ],
)
def test_earns_its_part(verdict, points):
    """All, nothing, or what is carried, unless marks are strict."""
    assert earned(verdict, 4) == points
