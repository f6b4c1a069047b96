"""Answers that are alike have fingerprints that are alike, and others have not."""

from __future__ import annotations

import pytest
import torch

from grader.programs.fingerprint import fingerprint, is_of
from grader.programs.sketch import sketched, tolerance

X = torch.linspace(-3, 3, 600).view(20, 30)


class TestAFingerprint:
    @pytest.mark.parametrize("size", [4, 600, 50_000])
    def test_is_that_of_what_is_alike(self, size):
        """Up to rounding, whatever the size, also of what evidence kept only a sketch of."""
        x = torch.linspace(-3, 3, size)

        assert is_of(fingerprint(sketched(x)), sketched(x * (1 + 1e-6)))

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
    @pytest.mark.parametrize("scale", [0.0, 1e-12, 1e-4, 1.0, 1e5, 1e30, 1e300])
    def test_leaves_room_for_rounding_whatever_the_scale(self, dtype, scale):
        """What is left out of its numbers takes a tenth of that room, and no more."""
        relative, absolute = tolerance(dtype)
        x = (X.double() * scale).to(dtype)
        near = (x.double() * (1 + 0.6 * relative) + 0.2 * absolute).to(dtype)

        assert is_of(fingerprint(x), x)
        assert is_of(fingerprint(x), near)

    def test_has_no_more_digits_than_are_looked_at(self):
        """They are most of what a released bank weighs."""
        assert fingerprint(torch.tensor([0.123456789, 12.3456789])).numbers == (0.123457, 12.3457)

    @pytest.mark.parametrize(
        "other",
        [X * 1.01, X.mT, X.double(), X.flatten(), X.flip(0), [X], (X, X), None, 3.0, "600"],
    )
    def test_is_not_that_of_another(self, other):
        """Other numbers, another order, shape, dtype or kind."""
        assert not is_of(fingerprint(X), other)

    def test_knows_one_wrong_row(self):
        """The sums of stretches see what lies between the elements that are kept."""
        other = X.clone()
        other[7] += 1

        assert not is_of(fingerprint(X), other)

    def test_knows_where_nan_is(self):
        """NaN equals NaN, at the same place."""
        one, other = X.clone(), X.clone()
        one[0, 0], other[3, 3] = float("nan"), float("nan")

        assert is_of(fingerprint(one), one.clone())
        assert not is_of(fingerprint(one), other)
        assert not is_of(fingerprint(one), X)

    def test_of_words_and_whole_numbers_is_exact(self):
        """A hash, from which nothing is read back."""
        taken = fingerprint(["said", 3, (True, None)])

        assert is_of(taken, ["said", 3, (True, None)])
        assert not is_of(taken, ["said", 4, (True, None)])
        assert len(taken.form) == 16
        assert taken.numbers == ()

    def test_holds_few_numbers(self):
        """Too few to compute anything back."""
        assert len(fingerprint(torch.randn(300, 300)).numbers) <= 96
