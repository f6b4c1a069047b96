"""Practice inputs are the same for everybody, and need no room in a file."""

from __future__ import annotations

import numpy as np
import torch

from grader.examiner.sealed.drawn import COTANGENTS, Law, numbers_of, together
from grader.release.practice_draw import PracticeDraw


class TestPracticeInputs:
    def test_are_those_of_a_stream(self):
        """One draw after the other, whatever the seed."""
        draw = PracticeDraw(3)
        found = torch.cat([draw.normal(4).flatten(), draw.normal(2, 3).flatten()])

        assert np.array_equal(found.numpy(), numbers_of(Law("normal"), 10))
        assert PracticeDraw(4).normal(4).equal(found[:4])
        assert draw.drawn == {Law("normal"): 10}

    def test_are_normal(self):
        """With the mean, the spread and the share of outliers of normal numbers."""
        drawn = PracticeDraw(3).normal(200, 500, scale=3.0, offset=1.0)

        assert abs(drawn.mean() - 1.0) < 0.05
        assert abs(drawn.std() - 3.0) < 0.05
        assert 0.001 < ((drawn - 1.0).abs() > 9.0).double().mean() < 0.003  # normal: 0.0027

    def test_differ(self):
        """Few are equal to another one, and none is zero."""
        drawn = PracticeDraw(3).normal(1000)

        assert len(drawn.unique()) > 900
        assert (drawn != 0).all()

    def test_stay_within_their_bounds(self):
        """They are cut towards zero, and a bound is a short number."""
        drawn = PracticeDraw(3).uniform(1000, low=0.5, high=2.0)

        assert drawn.min() >= 0.5
        assert drawn.max() < 2.0

    def test_come_in_every_dtype(self):
        """And with gradients where these are asked for."""
        wide = PracticeDraw(3).normal(5, dtype=torch.float64, grad=True)

        assert (wide.dtype, wide.requires_grad) == (torch.float64, True)
        assert wide.detach().equal(PracticeDraw(3).normal(5).double())

    def test_have_nothing_in_common_with_cotangents(self):
        """A gradient under its own input would hide slips."""
        one, other = (PracticeDraw(3, stream=s).normal(500) for s in (0, COTANGENTS))

        assert abs((one * other).mean()) < 0.2


class TestTheStream:
    def test_is_that_of_philox(self):
        """These very numbers, on every machine and in every version of numpy and torch: what was
        released is read with them.
        """
        first = numbers_of(Law("normal"), 3).tolist()

        assert first == [-1.52197265625, 0.76025390625, 1.7138671875]
        assert numbers_of(Law("uniform", 2.0, -1.0), 2).tolist() == [
            0.692138671875,
            0.4129638671875,
        ]

    def test_is_the_same_from_any_place(self):
        """What comes first does not depend on how much is asked for."""
        law = Law("normal", 0.5)

        assert np.array_equal(numbers_of(law, 9_000, 8_990), numbers_of(law, 9_000)[8_990:])

    def test_of_several_is_as_long_as_the_longest(self):
        """By law."""
        one, other = Law("normal"), Law("normal", 2.0)

        assert together({one: 3}, {one: 2, other: 5}) == {one: 3, other: 5}
