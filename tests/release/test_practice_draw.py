"""Practice inputs take half the room."""

from __future__ import annotations

import torch

from grader.programs.draw import Draw
from grader.release.practice_draw import PracticeDraw, cut


class TestPracticeInputs:
    def test_are_nearly_those_of_a_draw(self):
        """Of every kind, and with gradients where these are asked for."""
        exact, practice = Draw(3).normal(50, 40), PracticeDraw(3).normal(50, 40, grad=True)

        assert practice.requires_grad
        assert 0 < (practice - exact).abs().max() < 2**-9
        assert (practice != 0).all()

    def test_stay_within_their_bounds(self):
        """They are cut towards zero, and a bound is a short number."""
        drawn = PracticeDraw(3).uniform(1000, low=0.5, high=2.0)

        assert drawn.min() >= 0.5
        assert drawn.max() < 2.0

    def test_of_other_dtypes_are_as_they_are(self):
        """bfloat16 has fewer bits anyway."""
        wide = torch.randn(5, dtype=torch.float64)

        assert cut(wide) is wide
