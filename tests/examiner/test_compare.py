"""The fixture ``compare`` puts one question to a submission and to the reference."""

from __future__ import annotations

import pytest

from grader.errors import SubmissionRaised
from grader.programs.client import Client
from grader.programs.failure import CheckFailed


def double(x):
    return x * 2


class TestImplementations:
    def test_that_raise_are_described(self, x, cause_of):
        """An exception in the answer is the answer's, not the check's."""
        with pytest.raises(SubmissionRaised, match="ZeroDivisionError"):
            cause_of(double, lambda x: 1 / 0, x)

    def test_in_workers_are_compared_alike(self, load, x, compare_with):
        """It makes no difference where an answer comes from."""
        right = load("def f(x): return x + x")
        wrong = load("def f(x): return x * x")
        compare_with(double, Client(right.perform, "m", ["f"]))(lambda impl: impl.f(x), wrt=[x])
        with pytest.raises(CheckFailed, match="returned other values: all 24 values differ"):
            compare_with(double, Client(wrong.perform, "m", ["f"]))(lambda impl: impl.f(x))
