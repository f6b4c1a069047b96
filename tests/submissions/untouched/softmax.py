"""Softmax and friends: turning scores into weights.

A row of scores may be any real numbers. Softmax makes them positive and lets them sum to one,
keeping their order: the larger the score, the larger the share.

    softmax(x)_i = exp(x_i) / sum_j exp(x_j)

Adding the same number to all scores of a row changes nothing. That is what makes it safe:
subtract the row's maximum first, and no exponential ever overflows.

Write these from exp, log, max and sum. Every function keeps the dtype and the device of its
input, works along any axis ``dim``, and leaves its input as it was. Inputs may have any number of
axes, and may be transposed. No Python loop over rows: the number of torch operations does not
depend on how many there are.

Write it yourself: ``torch.softmax``, ``torch.log_softmax`` and ``torch.logsumexp`` are not
available here, under any name.

Source: Bridle 1990; Goodfellow, Bengio, Courville, Deep Learning (2016), section 4.1.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Weights that sum to one along ``dim``.

    softmax(x)_i = exp(x_i - m) / sum_j exp(x_j - m),  m = max_j x_j

    A score of -inf gets the weight 0, as long as one score along ``dim`` is finite. Scores of
    any size must come out finite: float32's exp overflows from 89 on.

    Source: Goodfellow et al. 2016, eq. (4.1) and the remark on stabilising it.

    >>> softmax(torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.0900, 0.2447, 0.6652])
    >>> softmax(torch.tensor([[0.0, 1000.0], [0.0, 0.0]]), dim=0)
    tensor([[0.5000, 1.0000],
            [0.5000, 0.0000]])
    """
    # TODO: step 1 of 4
    raise NotImplementedError("softmax: replace this line")


def logsumexp(x: Float[Tensor, "..."], dim: int = -1, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials along ``dim``, for scores of any size.

    logsumexp(x) = m + log sum_j exp(x_j - m),  m = max_j x_j

    ``keepdim`` keeps the reduced axis with size 1, otherwise it is removed. A score of -inf adds
    nothing to the sum, as long as one score along ``dim`` is finite.

    Source: Blanchard, Higham, Higham 2021, "Accurately computing the log-sum-exp", eq. (1.4).

    >>> logsumexp(torch.tensor([[0.0, 0.0], [1000.0, 1000.0]]))
    tensor([6.9315e-01, 1.0007e+03])
    """
    # TODO: step 2 of 4
    raise NotImplementedError("softmax: replace this line")


def log_softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """The logarithm of ``softmax(x, dim)``, finite even where the weight itself rounds to 0.

    log_softmax(x)_i = x_i - logsumexp(x)

    A score of -inf stays -inf, as long as one score along ``dim`` is finite.

    Source: Blanchard, Higham, Higham 2021, section 3.

    >>> log_softmax(torch.tensor([0.0, 1000.0]))
    tensor([-1000.,     0.])
    """
    # TODO: step 3 of 4
    raise NotImplementedError("softmax: replace this line")


def softmax_backward(
    grad_out: Float[Tensor, "..."], y: Float[Tensor, "..."], dim: int = -1
) -> Float[Tensor, "..."]:
    """The gradient for ``x``, given ``y = softmax(x, dim)`` and the gradient for ``y``.

    Every weight depends on every score along ``dim``, and the sum below is how:

    grad_x_i = y_i * (grad_out_i - sum_j grad_out_j * y_j)

    Never build the matrix of all derivatives: this formula needs no more memory than ``y``.

    Source: Goodfellow et al. 2016, section 6.5.2 (vector-Jacobian products).

    >>> softmax_backward(torch.tensor([1.0, 0.0]), torch.tensor([0.25, 0.75]))
    tensor([ 0.1875, -0.1875])
    """
    # TODO: step 4 of 4
    raise NotImplementedError("softmax: replace this line")
