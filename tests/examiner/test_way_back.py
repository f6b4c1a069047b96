"""What is computed in another order than the reference's is no mistake by itself."""

from __future__ import annotations

import pytest
import torch

from grader.examiner.way_back import WayBack
from grader.programs.intermediates import Intermediate

X = torch.tensor([3.0, 1.0, 2.0, 5.0, 4.0])
SHARES = Intermediate(2, "x.softmax(0)", "", (0,))
KEPT = Intermediate(3, "shares > 0.2", "", (1,), is_returned=True)


def told(*noted):
    """Of a function that takes the shares of x as it came, and keeps the large ones."""
    shares = X.softmax(0)
    given = Intermediate(1, "x", "", ())
    return WayBack([given, SHARES, KEPT], [X, shares, shares > 0.2], [X, *noted]).told()


def test_the_same_numbers_in_other_places_are_another_way():
    """The reference sorts first, and has the shares of what is sorted."""
    ordered = X.sort(descending=True).values

    assert told(ordered, ordered.softmax(0)) == {}


@pytest.mark.parametrize("noted", [X.softmax(0) * 0.7 + 0.01, X.sigmoid()])
def test_other_numbers_are_told(noted):
    """There it leaves the way."""
    assert told(noted)["name"] == "x.softmax(0)"
