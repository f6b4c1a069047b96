"""What an implementation is given: copies, cast, and for a reference perhaps nudged."""

from __future__ import annotations

import pytest
import torch

from grader.sandbox.inputs import received

WAYS = (1, 2, 3)
EPS = torch.finfo(torch.float32).eps


class TestNudges:
    @pytest.mark.parametrize("way", WAYS)
    def test_are_within_one_rounding_error(self, way):
        """Nothing is moved by more than rounding would."""
        x = torch.randn(1000)
        moved = received(x, torch.float64, nudge=way)

        assert ((moved / x.double() - 1).abs() <= EPS * 1.001).all()
        assert not moved.equal(x.double())

    def test_move_two_elements_apart(self):
        """Two that cancel exactly differ afterwards, in one way or another: their rounding errors
        would, and a tolerance that misses this rejects right answers.
        """
        ones = torch.ones(100)
        moved = torch.stack([received(ones, torch.float64, nudge=way) for way in WAYS])
        apart = (moved[:, :, None] - moved[:, None, :]).abs().amax(0) / EPS
        pairs = apart[~torch.eye(100, dtype=torch.bool)]

        assert (pairs > 0.1).double().mean() > 0.98

    def test_of_half_precision_are_larger(self):
        """Its own rounding error counts, not float32's."""
        x = torch.ones(9, dtype=torch.bfloat16)

        assert (received(x, torch.float64, nudge=1) - 1).abs().max() == 2**-7
