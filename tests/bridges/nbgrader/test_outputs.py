"""What nbgrader reads marks from: a number for every verdict, an error where there is none."""

from __future__ import annotations

import pytest

from grader.model import Cause, Check, Outcome, Verdict
from grader.report.words import said

CHECK = Check("softmax", "test_it", "It is.", 2.0)


@pytest.fixture
def filled():
    """``filled(verdict)``: what a notebook's only grade cell shows, and what has no mark."""
    outputs, nbformat = map(pytest.importorskip, ("grader.bridges.outputs", "nbformat"))

    def filled(verdict):
        cell = nbformat.v4.new_code_cell("pass")
        cell.metadata["nbgrader"] = {"grade_id": "test_it", "grade": True, "points": 2.0}
        notebook = nbformat.v4.new_notebook(cells=[cell])
        told = outputs.Told("softmax", None, {})
        return cell, outputs.fill(notebook, {"test_it": verdict}, told)

    return filled


class TestAGradeCell:
    @pytest.mark.parametrize(
        ("verdict", "points"),
        [
            (Verdict(CHECK, Outcome.CARRIED, carried=1.0, cause=said("No.")), "2.0"),
            (Verdict(CHECK, Outcome.CARRIED, carried=0.25, cause=said("No.")), "0.5"),
            (Verdict(CHECK, Outcome.FAILED, carried=0.5, strict=True, cause=said("No.")), "0.0"),
        ],
    )
    def test_shows_what_is_carried(self, filled, verdict, points):
        """All of it or a part, unless marks are strict."""
        cell, _ = filled(verdict)

        assert cell.outputs[-1].data["text/plain"] == points

    def test_shows_the_points_of_a_verdict(self, filled):
        """As its result, which is the mark that nbgrader takes."""
        cell, without = filled(Verdict(CHECK, Outcome.PASSED))

        assert cell.outputs[-1].data["text/plain"] == "2.0"
        assert without == []

    @pytest.mark.parametrize(("outcome", "shown"), [("passed", "2.0"), ("failed", "0.0")])
    def test_is_worth_what_it_says(self, filled, outcome, shown):
        """Where somebody changed the cell's points, or the suite's, nothing is lost."""
        check = Check("softmax", "test_it", "It is.", 5.0)
        cell, without = filled(Verdict(check, Outcome(outcome), cause=said("It differs.")))

        assert (cell.outputs[-1].data["text/plain"], without) == (shown, [])

    def test_says_it_as_html_that_wraps(self, filled):
        """With the same as plain text, for whatever shows none."""
        cell, _ = filled(Verdict(CHECK, Outcome.FAILED, cause=said("It <differs>.")))
        data = cell.outputs[0].data

        assert data["text/plain"] == "✗ It is.\n    It <differs>."
        assert "It &lt;differs&gt;." in data["text/html"]

    def test_shows_an_error_without_a_verdict(self, filled):
        """No number at all: it is named, so that it waits for a person."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        cell, without = filled(Verdict(CHECK, Outcome.INTERNAL, cause=cause))

        assert [output.output_type for output in cell.outputs] == ["display_data", "error"]
        assert "No mark yet, a person must look at this: No verdict" in cell.outputs[1].evalue
        assert without == ["test_it"]


class TestTheCheckOfEverything:
    def test_shows_how_core_and_robust_stand(self, of_the_core):
        """By the points of the instructor's cells, whatever the suite's are."""
        outputs, nbformat = map(pytest.importorskip, ("grader.bridges.outputs", "nbformat"))
        cells = [nbformat.v4.new_code_cell("pass") for _ in range(3)]
        for cell, name in zip(cells, ("check-all", "test_a", "test_b"), strict=True):
            cell.metadata["nbgrader"] = {"grade_id": name, "grade": name != "check-all"}
            cell.metadata["nbgrader"] |= {"points": 5.0}
        verdicts = {
            "test_a": of_the_core(Verdict(CHECK, Outcome.PASSED)),
            "test_b": Verdict(CHECK, Outcome.FAILED, cause=said("It differs.")),
        }
        notebook = nbformat.v4.new_notebook(cells=cells)
        outputs.fill(notebook, verdicts, outputs.Told("softmax", None, {}))

        assert cells[0].outputs[0].data["text/plain"] == (
            "softmax  5 / 10\n  Core: 1 of 1 right, 5 of 5 points\n"
            "  Robust: 0 of 1 right, 0 of 5 points"
        )
