"""The middle of a sample: one number that stands for many.

Write it yourself: ``torch.median`` is not available here, under any name.

The mean is where the sample would balance; the median has as many numbers below it as above. One
number far away moves the mean, and leaves the median where it is.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def arithmetic_mean(x: Float[Tensor, "*batch n"]) -> Float[Tensor, "*batch"]:
    """The sum of each sample divided by how many numbers it has; samples lie along the last axis.

    >>> arithmetic_mean(torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 3.0]]))
    tensor([3., 1.])
    """
    # TODO: step 1 of 2
    raise NotImplementedError("middle: replace this line")


def middle_value(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """The median: the number in the middle of the sorted sample. Of an even number of them it is
    the mean of the two in the middle.

    >>> middle_value(torch.tensor([7.0, 1.0, 2.0])), middle_value(torch.tensor([4.0, 1.0]))
    (tensor(2.), tensor(2.5000))
    """
    # TODO: step 2 of 2
    raise NotImplementedError("middle: replace this line")
