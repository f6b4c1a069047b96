"""Numbers are rounded for the file, and nobody is held to more than at home."""

from __future__ import annotations

import torch

from grader.examiner.sealed.right import rounded

X = torch.randn(10_000, generator=torch.Generator().manual_seed(3)) * torch.logspace(-6, 6, 10_000)


class TestRounding:
    def test_is_far_below_what_is_allowed(self):
        """A judge allows 1e-5 of max(1, |x|), and more; this is a fifth of it at most."""
        moved = (rounded(X) - X).abs() / X.abs().clamp_min(1.0)

        assert 0 < moved.max() < 1e-5 / 5

    def test_leaves_what_is_exact(self):
        """Whole numbers, zeros, halves and what is not finite."""
        exact = torch.tensor([0.0, -1.0, 0.5, 3.0, 4096.0, torch.inf, -torch.inf])

        assert torch.equal(rounded(exact), exact)

    def test_saves_room(self):
        """The last five bits and more are zeros."""
        assert not (rounded(X).view(torch.int32) & 0b11111).any()
