"""What counts as a refusal is one rule, whichever suite asks."""

from __future__ import annotations

import pytest

from grader.errors import SubmissionRaised
from grader.programs.failure import CheckFailed
from grader.programs.refusal import refuses
from grader.report.words import told

PAGE = """\
import torch

def f(p):
    {body}
    return torch.zeros(2, 3)
"""


@pytest.fixture
def refused(impl_of):
    """``refused(body, *values)`` asks whether a function with this body refuses the values."""

    def refused(body, *values):
        impl = impl_of(PAGE.format(body=body))
        pairs = [part for p in values for part in (lambda p=p: impl.f(p), f"p = {p}")]
        refuses(*pairs)

    return refused


class TestADecision:
    @pytest.mark.parametrize(
        "body",
        [
            "raise ValueError('no')",
            "raise TypeError('no')",
            "if p > 1: raise ValueError('no')",
            "assert p < 1, 'no'",
            "assert (\n        p < 1\n    ), 'no'",
            "raise ValueError(\n        'no'\n    )",
            "x = 1; raise AssertionError('no')",
            "x = [0, 1].index(p)",
            "x = (0, 1).index(p)",
            "x = 'ab'.index(str(p))",
        ],
    )
    def test_is_a_refusal(self, refused, body):
        """A ValueError, an AssertionError or a TypeError, on one line or on several."""
        refused(body, 2)

    def test_may_be_made_in_a_function_of_its_own(self, impl_of):
        """What is asked calls another that looks."""
        impl = impl_of("def look(p):\n    assert p < 1\n\ndef f(p):\n    look(p)\n    return p")
        refuses(lambda: impl.f(2), "p = 2")


def test_a_return_in_the_place_of_raise_is_none(impl_of):
    """Python itself complains of what __init__ returns, whatever it is."""
    page = "class Layer:\n    def __init__(self, p):\n        return ValueError(p)\n"
    impl = impl_of(page)
    with pytest.raises(CheckFailed) as caught:
        refuses(lambda: impl.Layer(2), "p = 2")

    assert "Write `raise` in place of `return`" in told(caught.value.cause).help


class TestAnAccident:
    @pytest.mark.parametrize("body", ["torch.zeros(2)[5]", "torch.zeros(2) @ torch.zeros(3)"])
    def test_of_torchs_is_none(self, refused, body):
        """An IndexError or a RuntimeError is raised over what nobody looked at."""
        with pytest.raises(CheckFailed) as caught:
            refused(f"y = {body}", 2)

        assert caught.value.cause.kind == "refused_by_accident"
        assert "p = 2 must be refused by a decision" in told(caught.value.cause).rationale


class TestAnAnswer:
    def test_is_no_refusal(self, refused):
        """The words say which cases were answered, and with what."""
        with pytest.raises(CheckFailed) as caught:
            refused("pass", 2, 3)
        words = told(caught.value.cause)

        assert words.rationale == "p = 2 and p = 3 must be refused, not accepted."
        assert words.actual == "shape (2, 3)"

    def test_to_one_of_two_is_told_of_that_one(self, refused):
        """The other one was refused."""
        with pytest.raises(CheckFailed) as caught:
            refused("assert p < 1", 2, 0)

        assert told(caught.value.cause).rationale.startswith("p = 0 must be refused")


def test_a_stub_is_told_as_one(refused):
    """What is not written yet has refused nothing, and is no accident."""
    with pytest.raises(SubmissionRaised):
        refused("raise NotImplementedError('f: replace this line')", 2)


class TestInAWorker:
    @pytest.fixture
    def impl_of(self, toy, sandbox):
        """Where the line is known that raised."""
        from grader.course.catalog import load_catalog
        from grader.model import Submission
        from grader.programs.program import Opening, SubmissionProgram
        from grader.programs.proxy import Implementation

        programs = []

        def impl_of(source):
            submission = Submission("ada", "ada", {"toy": source})
            programs.append(SubmissionProgram(submission, sandbox))
            opening = Opening(load_catalog(toy)["toy"], 5.0, 1)
            return Implementation(programs[-1].open(opening))

        yield impl_of
        for program in programs:
            program.close()

    @pytest.mark.parametrize(
        "body",
        [
            "y = None + p",
            "a, b = (1,)",
            "return int('one')",
            "for x in 3: pass",
            "if p < '1': pass",
        ],
    )
    def test_an_exception_of_the_right_type_may_be_an_accident(self, refused, body):
        """Its line decides nothing, it only fails."""
        with pytest.raises(CheckFailed) as caught:
            refused(body, 2)

        assert caught.value.cause.kind == "refused_by_accident"
        assert "toy.py, line 4" in told(caught.value.cause).rationale

    def test_another_exception_that_is_raised_is_told_as_that(self, refused):
        """It is a decision; only its class is another one."""
        with pytest.raises(CheckFailed) as caught:
            refused("raise KeyError('no')", 2)
        words = told(caught.value.cause)

        assert words.rationale.startswith("p = 2 must be refused with a ValueError; you raise KeyE")
        assert words.help == "Raise a ValueError in its place."
