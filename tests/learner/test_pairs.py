"""A learner's own functions stand beside the solution's."""

from __future__ import annotations

from grader.learner.pairs import pairs


class TestPairs:
    def test_only_what_was_to_be_written_is_shown(self):
        """Functions and methods by name, without their docstrings; given code is left out."""
        solution = '''\
def given(x):
    return x


class Layer:
    def forward(self, x):
        """Twice."""
        # BEGIN SOLUTION
        return x + x
        # END SOLUTION
'''
        own = "class Layer:\n    def forward(self, x):\n        # mine\n        return 2 * x\n"
        (pair,) = pairs(own, solution)

        assert (pair.name, pair.own, pair.solution) == (
            "Layer.forward",
            "# mine\nreturn 2 * x",
            "return x + x",
        )

    def test_a_page_that_does_not_parse_leaves_its_side_empty(self):
        """It passed once; now it may be anything."""
        (pair,) = pairs("def f(", "def f():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n")

        assert pair.own == ""
