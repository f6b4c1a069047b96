"""Hidden checks of ``middle``."""

from __future__ import annotations

import pytest


@pytest.mark.core("arithmetic_mean")
@pytest.mark.rests_on("divided by how many numbers it has")
def test_the_mean_divides_by_the_count(compare, draw):
    """The mean is the sum divided by how many numbers there are in the sample."""
    x = draw.normal(7)
    compare.arithmetic_mean(x, wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on("samples lie along the last axis")
def test_every_sample_has_its_own_mean(compare, draw):
    """A table of samples has as many means as it has rows."""
    x = draw.normal(3, 4)
    compare.arithmetic_mean(x, wrt=[x])


@pytest.mark.core("middle_value")
@pytest.mark.points(2)
@pytest.mark.rests_on("the number in the middle of the sorted sample")
def test_the_sample_is_sorted_for_the_median(compare, draw):
    """The median does not depend on the order of the numbers."""
    compare.middle_value(draw.normal(9))


@pytest.mark.rests_on("the mean of the two in the middle")
def test_an_even_number_has_two_in_the_middle(compare, draw):
    """Of an even number of them, the median is the mean of the two in the middle."""
    compare.middle_value(draw.normal(8))
