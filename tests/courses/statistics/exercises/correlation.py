"""Together or not: how well a line would tell one sample from another.

r is 1 where both rise together on a line, -1 where one falls as the other rises, and near 0 where
neither tells of the other:

    r = (mean(x y) - mean(x) mean(y)) / sqrt((mean(x x) - mean(x)^2) (mean(y y) - mean(y)^2))
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Correlation(nn.Module):
    """The correlation of two measurements, of which there are too many to keep.

    Each call is given one more part of both, and returns r of all that was given until then. What
    is kept are the buffers ``count`` and ``sums``: those of x, y, x x, y y and x y.

    >>> r = Correlation()
    >>> _ = r(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0]))
    >>> r(torch.tensor([3.0]), torch.tensor([6.0]))
    tensor(1.)
    """

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("sums", torch.zeros(5))

    def forward(self, x: Float[Tensor, " n"], y: Float[Tensor, " n"]) -> Float[Tensor, ""]:
        """r of these and all before."""
        # TODO: your code here
        raise NotImplementedError("correlation: replace this line")
