"""Right answers to ``middle`` that are written differently."""

from __future__ import annotations

import torch

from grader.check import variant


@variant(of="arithmetic_mean")
def with_mean(x):
    return x.mean(-1)


@variant(of="middle_value")
def by_counting(x):
    below = (x[None, :] < x[:, None]).sum(dim=-1)
    n = len(x)
    lower, upper = x[below == (n - 1) // 2], x[below == n // 2]
    return torch.cat([lower[:1], upper[:1]]).sum() / 2
