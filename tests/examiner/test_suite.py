"""What an exercise is judged with is read once, and remembered for one run."""

from __future__ import annotations

import torch

from grader.programs.proxy import Implementation

BANK = """
from grader.check import Bank, variant

wrong = Bank()
wrong("double", "squares", "doubles", "You square.", "x + x", "x * x")


@variant(of="double")
def in_steps(x):
    return 2 * x
"""


class TestMisconceptions:
    def test_are_the_wrong_ones_of_the_bank(self, suite_of):
        """A right variant among them is nobody's diagnosis."""
        suite = suite_of(None, bank=BANK)

        assert [entry.name for entry in suite.misconceptions] == ["squares"]
        assert suite.misconceptions is suite.misconceptions


class TestTheReference:
    def test_is_the_solution_s_names(self, suite_of):
        """Read once, whatever becomes of the file."""
        suite = suite_of(None)
        before = suite.reference["double"]
        suite.course.solution("toy").write_text("def double(x):\n    return 7\n")

        assert suite.reference["double"] is before

    def test_is_read_in_several_ways(self, suite_of):
        """In float64, as it comes, and in float64 on inputs nudged each in another way."""
        readings, x = suite_of(None).references_on("cpu"), torch.ones(50)
        answers = readings.mapped(lambda client: Implementation(client).double(x))
        nudged = torch.stack(answers.nudged)

        assert (answers.exact.dtype, answers.native.dtype) == (torch.float64, torch.float32)
        assert answers.exact.equal(2 * x.double())
        assert len({tuple(row.tolist()) for row in nudged}) == len(nudged) == 3
        assert 0 < (nudged - answers.exact).abs().max() < 1e-6

    def test_is_opened_once_for_each_device(self, suite_of):
        """Not for every check."""
        suite = suite_of(None)

        assert suite.references_on("cpu") is suite.references_on("cpu")
        assert suite.references_on("cpu") is not suite.references_on("meta")


class TestMemory:
    def test_is_of_a_check_on_a_device(self, suite_of):
        """The same inputs are the same record."""
        suite = suite_of(None)
        found = [suite.shared("a", "cpu", 1), suite.shared("a", "cpu", 1)]
        others = [suite.shared("b", "cpu", 1), suite.shared("a", "cuda", 1)]

        assert found[0] is found[1]
        assert all(other is not found[0] for other in others)

    def test_is_of_one_seed(self, suite_of):
        """A run with another begins anew, and nothing piles up."""
        suite = suite_of(None)
        first = suite.shared("a", "cpu", 1)
        suite.shared("a", "cpu", 2)

        assert suite.shared("a", "cpu", 1) is not first
