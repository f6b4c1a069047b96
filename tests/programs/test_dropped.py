"""What is found out about dropout within a layer, on numbers that were dropped by hand."""

from __future__ import annotations

import pytest
import torch

from grader.check import alike_along, demand_others_dropped, levels, spread_faults


def dropped(*shape, seed=0):
    """Numbers that are 0 or 2, each by a coin of its own."""
    return 2.0 * torch.empty(shape).bernoulli_(generator=torch.Generator().manual_seed(seed))


def left_inside(seed=0):
    """Of each half of the features of 4 x 16 tokens, of eight numbers, grown twice in the mean."""
    return 1 + sum(dropped(4, 16, 2, seed=10 * seed + i) for i in range(8)) / 8


def a_branch(inside, outside):
    """What a branch of ones adds: each half of the features by what is left of it ``inside``."""
    return inside.repeat_interleave(8, -1) / 2 * outside


class TestLevels:
    def test_are_what_is_left_inside(self):
        """Of each half by itself."""
        inside = left_inside()

        assert torch.equal(
            levels(a_branch(inside, dropped(4, 16, 16, seed=99)), "attention", "weights"),
            inside,
        )

    @pytest.mark.parametrize(
        ("outside", "message"),
        [
            (torch.full((4, 16, 16), 2.0), "nothing of what the attention branch adds is dropped"),
            (dropped(4, 16, 1, seed=99).expand(4, 16, 16), "is dropped by whole tokens"),
            (
                dropped(4, 16, 16, seed=98) * dropped(4, 16, 16, seed=99),
                "loses far more than it should",
            ),
        ],
    )
    def test_demand_that_each_number_is_dropped_alone(self, outside, message):
        """Half of them, and not token by token."""
        with pytest.raises(AssertionError, match=message):
            levels(a_branch(left_inside(), outside), "attention", "weights")

    def test_demand_that_something_is_dropped_inside(self):
        """Where all is left, the branch is dropped outside alone."""
        with pytest.raises(AssertionError, match="none of the weights are dropped"):
            levels(
                a_branch(torch.full((4, 16, 2), 2.0), dropped(4, 16, 16)), "attention", "weights"
            )

    def test_must_differ_between_calls(self):
        """Of two calls that dropped the same, one was not drawn."""
        first, second = (left_inside(seed) for seed in (1, 2))

        demand_others_dropped(first, second, "weights")
        with pytest.raises(AssertionError, match="a second call drops the very same weights"):
            demand_others_dropped(first, first, "weights")


class TestSpread:
    def test_of_right_numbers_is_right(self):
        """Whatever is drawn."""
        assert not list(spread_faults(dropped(1024, 4, 16), dropped(1024, 4, 16, seed=1)))

    @pytest.mark.parametrize(
        ("y", "fault"),
        [
            (1.1 * dropped(1024, 4, 16) - 0.1, "spread too far"),
            (0.9 * dropped(1024, 4, 16) + 0.1, "spread too little"),
            (dropped(1024, 4, 16) + 0.5, "have another mean"),
        ],
    )
    def test_of_wrong_ones_is_told(self, y, fault):
        """One fault at a time."""
        assert list(spread_faults(y, dropped(1024, 4, 16, seed=1))) == [fault]


class TestAlike:
    def test_along_no_axis(self):
        """Every number has its own coin."""
        assert not alike_along(dropped(32, 4, 16) > 0, "sentences", "positions", "columns")

    def test_along_the_axis_that_is_shared(self):
        """All positions by one coin."""
        mask = (dropped(32, 1, 16) > 0).expand(32, 4, 16)

        assert alike_along(mask, "sentences", "positions", "columns") == ["positions"]
