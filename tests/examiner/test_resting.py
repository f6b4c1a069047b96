"""Of functions that call one another the lowest that is wrong is to be mended first."""

from __future__ import annotations

import pytest

from grader.examiner.assembled import Examination
from grader.examiner.collection import collected
from grader.model import Submission
from grader.programs.program import SubmissionProgram

SOLUTION = '''\
"""One is made from another."""


def lowest(x):
    """More."""
    # BEGIN SOLUTION
    return x + 3
    # END SOLUTION


def middle(x):
    """Twice that."""
    # BEGIN SOLUTION
    return lowest(x) * 2
    # END SOLUTION


def highest(x):
    """And a sum."""
    # BEGIN SOLUTION
    return middle(x).sum(-1)
    # END SOLUTION
'''
SUITE = '''\
import pytest


@pytest.mark.core
def test_lowest(compare, draw):
    """It adds."""
    compare.lowest(draw.normal(2, 3))


@pytest.mark.core
def test_middle(compare, draw):
    """It doubles."""
    compare.middle(draw.normal(2, 3))


@pytest.mark.core
def test_highest(compare, draw):
    """It sums."""
    compare.highest(draw.normal(2, 3))


def test_says_so(submission, draw):
    """It sums, in words."""
    x = draw.normal(2, 3)
    assert submission.highest(x).allclose((2 * x + 6).sum(-1), atol=1e-4), "sums otherwise"
'''
WRONG = {
    "lowest": ("return x + 3", "return (x * 0.7).sin()"),
    "middle": ("* 2", "* x.cos()"),
    "a row": ("return x + 3", "return x[:, :2] + 3"),
}


ROBUST_BELOW = SUITE.replace("@pytest.mark.core\ndef test_lowest", "def test_lowest")


@pytest.fixture
def first(toy, sandbox, request):
    """Of each check, what is to be mended first where a function is wrong."""
    toy.solution("toy").write_text(SOLUTION)
    toy.suite("toy").write_text(getattr(request, "param", SUITE))
    toy.misconceptions("toy").write_text("from grader.check import Bank\n\nwrong = Bank()\n")
    suites = collected(toy)
    (exercise,) = suites.catalog.values()

    def first(name, *more):
        text = SOLUTION.replace(*WRONG[name])
        text = text.replace(*more) if more else text
        program = SubmissionProgram(Submission("s", "s", {"toy": text}), sandbox)
        verdicts = Examination(suites, program, 7).report_on(exercise).verdicts
        told = [v.cause.facts.get("used_and_wrong", ()) if v.cause else None for v in verdicts]
        return dict(zip(("lowest", "middle", "highest", "in words"), told, strict=True))

    return first


@pytest.mark.parametrize("first", [SUITE, ROBUST_BELOW], indirect=True)
def test_is_the_one_below_all_others(first):
    """Whatever is made from it may be right, be it wrong in its core or elsewhere."""
    assert first("lowest") == {
        "lowest": (),
        "middle": ("lowest",),
        "highest": ("lowest",),
        "in words": ("lowest",),
    }


def test_is_nothing_of_what_is_right(first):
    """Only of what is wrong is something said."""
    assert first("middle") == {
        "lowest": None,
        "middle": (),
        "highest": ("middle",),
        "in words": ("middle",),
    }


@pytest.mark.parametrize(
    ("raises", "told"),
    [
        ("return lowest(x) + x", ("lowest",)),
        ("y = lowest(x)\n    return y + x", ()),
    ],
)
def test_is_told_of_an_exception_in_a_line_that_calls_it(first, raises, told):
    """Of another line nobody knows whether that function is to blame."""
    assert first("a row", "return lowest(x) * 2", raises)["middle"] == told
