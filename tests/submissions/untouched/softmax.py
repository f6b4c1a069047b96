"""Softmax and friends: turning scores into weights.

Idea
----

A score is any real number that says how well something fits. Softmax turns a row of scores into
weights: positive numbers that sum to one. The larger a score is, the larger is its weight.

Attention uses softmax to decide how much each token of a text counts. (A token is a word, or a part
of one.) A language model uses it to turn the scores of all words into the probability of each word.

[Figure bars: three groups of bars. Scores 1, 2 and 3 become exp(x - 3): 0.14, 0.37 and 1. Divided
by their sum, 1.50, these become the weights 0.09, 0.24 and 0.67, whose sum is 1.]

Formula
-------

    softmax(x)_i = exp(x_i) / sum_j exp(x_j)

x is one row of scores, and x_i is its score number i. The sum runs over all scores of the row.

Worked example
--------------

Three scores: 1, 2 and 3. The largest is 3. Subtract it, take exponentials, divide by their sum.

>>> x = torch.tensor([1.0, 2.0, 3.0])
>>> exponentials = torch.exp(x - 3)
>>> exponentials, exponentials.sum()
(tensor([0.1353, 0.3679, 1.0000]), tensor(1.5032))
>>> exponentials / 1.5032
tensor([0.0900, 0.2447, 0.6652])

Each score is 1 larger than the one before it, so each weight is e = 2.718... times as large as
the one before it.

What is graded
--------------

Write the four functions from exp, log, max and sum, in the order of this file. Every function
keeps the dtype and the device of its input, works along any axis ``dim``, and leaves its input as
it was. Inputs may have any number of axes, and may be transposed. Use no Python loop over rows:
the number of torch operations does not depend on how many there are.

Write it yourself: ``torch.softmax``, ``torch.log_softmax`` and ``torch.logsumexp`` are not
available here, under any name.

Why it is like this
-------------------

Why exponentials? They are positive for every score, also for a negative one. They turn a fixed
difference of scores into a fixed ratio of weights. And they are smooth, so softmax has a gradient
everywhere. "Take the largest" (arg max) has none. Softmax is its soft form: multiply all scores by
a large number, and the largest one gets nearly all of the weight. (Models that write text divide
the scores by a number before the softmax, and call it the temperature.)

Why subtract the maximum? Adding the same number c to all scores of a row changes no weight: exp(x +
c) = exp(c) * exp(x), and the factor exp(c) cancels in the fraction. So subtract the row's maximum
first, and no exponential ever overflows: the largest exponent is then 0.

Why logarithms? A model learns by making the probability of the right word larger. Its loss (the
number that training makes small) is minus the logarithm of that probability. ``log_softmax``
computes this logarithm directly. A small weight rounds to 0, and log(0) would be -inf.

Look further
------------

Goodfellow, Bengio, Courville, Deep Learning (2016): section 4.1 on overflow, section 6.2.2.3 on
softmax as the output of a network. The name is from Bridle 1990.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Weights that sum to one along ``dim``.

    softmax(x)_i = exp(x_i - m) / sum_j exp(x_j - m),  m = max_j x_j

    Scores of any size must come out finite: float32's exp overflows from 89 on. Every row along
    ``dim`` has its own maximum. A score of -inf gets the weight 0, as long as one score along
    ``dim`` is finite.

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

    The maximum m is taken out of the sum and added again at the end, so nothing overflows.
    ``keepdim`` keeps the reduced axis with size 1, otherwise it is removed. A score of -inf adds
    nothing to the sum, as long as one score along ``dim`` is finite.

    Source: Blanchard, Higham, Higham 2021, "Accurately computing the log-sum-exp and softmax
    functions".

    Two scores of 0 give log(1 + 1) = 0.6931. Two scores of 1000 give 1000.6931:

    >>> logsumexp(torch.tensor([[0.0, 0.0], [1000.0, 1000.0]]))
    tensor([6.9315e-01, 1.0007e+03])
    """
    # TODO: step 2 of 4
    raise NotImplementedError("softmax: replace this line")


def log_softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """The logarithm of ``softmax(x, dim)``, finite even where the weight itself rounds to 0.

    log_softmax(x)_i = x_i - logsumexp(x)

    This is the logarithm of the fraction: log(a / b) = log a - log b. A score of -inf stays -inf,
    as long as one score along ``dim`` is finite.

    Source: Blanchard, Higham, Higham 2021.

    >>> log_softmax(torch.tensor([0.0, 1000.0]))
    tensor([-1000.,     0.])
    """
    # TODO: step 3 of 4
    raise NotImplementedError("softmax: replace this line")


def softmax_backward(
    grad_out: Float[Tensor, "..."], y: Float[Tensor, "..."], dim: int = -1
) -> Float[Tensor, "..."]:
    """The gradient for ``x``, given ``y = softmax(x, dim)`` and the gradient for ``y``.

    ``grad_out_i`` says how much the loss grows when y_i grows a little. Wanted is the same for x_i.

    Two scores first. Let y = (w, 1 - w). When x_1 grows by a small h, y_1 grows by w * (1 - w) * h,
    and y_2 becomes smaller by the same amount, for the sum stays 1. With more scores:

    - x_i moves its own weight: d y_i / d x_i = y_i * (1 - y_i)
    - x_i moves every other weight: d y_j / d x_i = -y_i * y_j

    By the chain rule, multiply each of these by the ``grad_out`` of the y that it is of, and add
    them up. All terms share the factor y_i, and what remains is

    grad_x_i = y_i * (grad_out_i - sum_j grad_out_j * y_j)

    Never build the matrix of all derivatives: this formula needs no more memory than ``y``.

    Source: Goodfellow et al. 2016, section 6.5.2 (the chain rule, with vectors).

    Here w = 0.25, and the loss grows with y_1 alone: 0.25 * 0.75 = 0.1875.

    >>> softmax_backward(torch.tensor([1.0, 0.0]), torch.tensor([0.25, 0.75]))
    tensor([ 0.1875, -0.1875])
    """
    # TODO: step 4 of 4
    raise NotImplementedError("softmax: replace this line")
