"""The examples of a page, compared with what its solution gives."""

from __future__ import annotations

import pytest

from grader.programs.examples import prove_examples

PAGE = '''"""A page."""


def double(x):
    """Twice ``x``.

    >>> double(2)
    {wanted}
    >>> double(3)
    6
    """
    # BEGIN SOLUTION
    return x + x
    # END SOLUTION
'''


@pytest.fixture
def proved(toy):
    """``proved(wanted)``: the findings on a page whose example prints this."""

    def proved(wanted):
        toy.solution("toy").write_text(PAGE.format(wanted=wanted))
        return prove_examples(toy, "toy")

    return proved


class TestExamples:
    def test_that_come_out_are_no_finding(self, proved):
        """All of them are run."""
        assert proved("4") == []

    def test_need_not_be_there(self, toy):
        """A page without any is proved by its suite."""
        assert prove_examples(toy, "toy") == []

    def test_that_differ_are_found(self, proved):
        """By their line, with both results, and what to do about it."""
        (fault,) = proved("5")

        assert fault == "solutions/toy.py, line 7: double(2) gives 4, and the page prints 5"
        assert "by hand" in fault.to_do

    def test_that_raise_are_found(self, proved):
        """As any other that gives something else."""
        (fault,) = proved("4\n    >>> double()\n    0")

        assert fault.startswith("solutions/toy.py, line 9: double() raises TypeError: double()")
