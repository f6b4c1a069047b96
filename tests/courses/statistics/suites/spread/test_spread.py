"""Hidden checks of ``spread``."""

from __future__ import annotations

import pytest
import torch

from grader.check import refuses


@pytest.mark.core
@pytest.mark.points(2)
@pytest.mark.rests_on("the sum is divided by n - 1")
def test_the_variance_is_corrected(compare, draw):
    """The squared differences are divided by one less than there are."""
    x = draw.normal(5)
    compare.variance(x, wrt=[x])


@pytest.mark.rests_on("the squared differences from the mean")
def test_differences_are_from_the_mean(compare, draw):
    """Adding a constant to all numbers changes nothing of the variance."""
    compare.variance(draw.normal(400) + 30)


@pytest.mark.core
@pytest.mark.points(2)
@pytest.mark.rests_on("divided by the square root of its variance")
def test_units_are_those_of_the_spread(compare, draw):
    """A standardized sample has the variance one."""
    x = 3 * draw.normal(6)
    compare.standardized(x, wrt=[x])


@pytest.mark.rests_on("has no spread and is refused with a ValueError")
def test_equal_numbers_are_refused(submission):
    """A sample without spread is refused with a ValueError."""
    refuses(lambda: submission.standardized(torch.full((4,), 2.0)), "a sample of equal numbers")
