"""Right answers to ``spread`` that are written differently."""

from __future__ import annotations

import torch

from grader.check import variant


@variant(of="variance")
def by_a_dot_product(x):
    rest = x - x.sum() / x.shape[0]
    return torch.dot(rest, rest) / (x.shape[0] - 1)


@variant(of="standardized")
def in_two_steps(x):
    rest = x - x.mean()
    square = rest.pow(2).sum() / (x.numel() - 1)
    assert square > 0
    return rest * square.rsqrt()
