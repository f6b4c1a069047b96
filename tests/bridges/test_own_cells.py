"""What a student defined in cells of their own, and where it is missed."""

from __future__ import annotations

import time

import pytest

from grader.bridges.own_cells import names_defined_in, told_of_missed, told_of_solved
from grader.model import Cause, Check, Outcome, Verdict

CHECK = Check("softmax", "test_it", "It is.")
UNDEFINED = Cause("undefined_name", {"name": "_stable"})


class TestNames:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("def f(x):\n    y = 1\n    def g(): pass", {"f"}),
            ("async def f(): pass", {"f"}),
            ("class A(B):\n    def f(self): pass", {"A"}),
            ("EPS = 1e-6", {"EPS"}),
            ("EPS: float = 1e-6", {"EPS"}),
            ("a, b = 1, 2", {"a", "b"}),
            ("import torch.nn as nn, math", {"nn", "math"}),
            ("import os.path", {"os"}),
            ("import torch; x = 3", {"torch"}),
            ("from math import (\n    exp,  # e\n    log as ln,\n)", {"exp", "ln"}),
            ("x = 1  # import y", {"x"}),
            ("from math import \\\n    exp", {"exp"}),
            ("try:\n    from math import exp\nexcept ImportError:\n    pass", {"exp"}),
            ("x == 1\nx += 1\nx[0] = 2\nf(y=3)\nx.z = 4\nif x:\n    pass", set()),
            ("", set()),
        ],
    )
    def test_are_those_that_other_cells_can_use(self, text, expected):
        """What is bound inside of a function is not among them."""
        assert names_defined_in([text]) == expected

    def test_are_found_in_hostile_text_as_fast(self):
        """The time grows with the text, and not with its square."""
        started = time.process_time()
        names_defined_in([part * 300_000 for part in ("( ", ", ", "a ", ",\n", "import ", "=:")])

        assert time.process_time() - started < 4.0  # seconds; it takes 0.2


class TestAMissedName:
    @pytest.mark.parametrize(
        "cause",
        [
            UNDEFINED,
            Cause("undefined_near", {"name": "_stable", "near": "stable"}),
            Cause("needs_unready", {}, because=UNDEFINED),
        ],
    )
    def test_is_told_with_what_to_do(self, cause):
        """Also where another module of theirs missed it."""
        (said,) = told_of_missed(Verdict(CHECK, Outcome.ERROR, cause=cause), {"_stable", "other"})

        assert said.startswith("_stable is defined in a cell that is not graded")
        assert "Move it into the cell of the function that uses it" in said

    @pytest.mark.parametrize("cause", [UNDEFINED, Cause("raised", {"said": "_other"}), None])
    def test_is_told_where_it_is_the_reason(self, cause):
        """What was never defined anywhere, or is not missed, is left to the check's own words."""
        assert told_of_missed(Verdict(CHECK, Outcome.ERROR, cause=cause), {"_other"}) == []


class TestASolution:
    @pytest.mark.parametrize(
        "text",
        ["", "x = 1", "def softmax(x):\n    raise NotImplementedError('replace this line')"],
    )
    def test_in_a_cell_of_ones_own_is_told(self, text):
        """Where its own cell is empty, or as it was."""
        (said,) = told_of_solved({"softmax": text, "given-1": ""}, {"softmax"}).values()

        assert "softmax is written in a cell that is not graded" in said
        assert "Move it into the cell that was given for it." in said

    def test_in_its_own_cell_is_what_counts(self):
        """A first attempt may stand elsewhere; what is written nowhere is told by the checks."""
        cells = {"softmax": "def softmax(x):\n    return x", "logsumexp": ""}

        assert told_of_solved(cells, {"softmax"}) == {}
