"""How far apart the numbers of a sample are.

Write it yourself: ``torch.std`` and ``torch.var`` are not available here, under any name.

Differences from the mean sum to zero, so they are squared before they are averaged. The mean was
taken from the same numbers, so only n - 1 of the n differences are free: the sum is divided by
n - 1 (Bessel's correction).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def variance(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """The sum of the squared differences from the mean, divided by n - 1.

    >>> variance(torch.tensor([1.0, 2.0, 6.0]))
    tensor(7.)
    """
    # BEGIN SOLUTION
    return (x - x.mean()).square().sum() / (len(x) - 1)
    # END SOLUTION


def standardized(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The sample in units of its own spread: less its mean, divided by the square root of its
    variance. A sample of equal numbers has no spread and is refused with a ValueError.

    >>> standardized(torch.tensor([1.0, 2.0, 3.0]))
    tensor([-1.,  0.,  1.])
    """
    # BEGIN SOLUTION
    spread = variance(x).sqrt()
    if spread == 0:
        raise ValueError("all numbers of the sample are equal")
    return (x - x.mean()) / spread
    # END SOLUTION
