"""Layer normalisation: every token on the same scale.

Idea
----

A token is a row of ``d`` numbers. Layer normalisation shifts and scales each row until its mean is
0 and its variance is 1. Then it gives every column (feature) a scale and a shift that are learned.

[Figure axis: a matrix of three tokens with four features. A frame around one row shows what layer
normalisation takes mean and variance of: one token. A dashed frame around one column shows what
batch normalisation takes them of: one feature, over all tokens. Below, the result: each row has
mean 0 and variance 1, and a row ten times as large becomes the same.]

Formula
-------

    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias

x is one row, and mean and variance are those of its d numbers. ``weight`` (in the paper: gain) and
``bias`` hold one number for each feature. ``eps`` is a small number that prevents a division by 0.
Root mean square normalisation (RMSNorm) is a simpler form, which does not subtract the mean:

    y = x / sqrt(mean(x^2) + eps) * weight

Worked example
--------------

The row 0, 2, 4, 6 has the mean 3. To get round numbers, eps is 4 here; usually it is 1e-5.

    x                         |   0     2     4     6
    minus the mean, 3         |  -3    -1     1     3
    squared                   |   9     1     1     9      the mean of these, the variance, is 5
    divided by sqrt(5 + 4)    |  -1    -1/3   1/3   1

With a weight of 3, 3, 6, 6 this becomes -3, -1, 2, 6. Now three tokens with eps = 0, a weight of
ones and a bias of zeros. The second row is 10 times the first, and its result is the same:

>>> x = torch.tensor([[0.0, 2.0, 4.0, 6.0], [0.0, 20.0, 40.0, 60.0], [5.0, 5.0, 5.0, 9.0]])
>>> layer_norm(x, torch.ones(4), torch.zeros(4), eps=0.0)
tensor([[-1.3416, -0.4472,  0.4472,  1.3416],
        [-1.3416, -0.4472,  0.4472,  1.3416],
        [-0.5774, -0.5774, -0.5774,  1.7321]])
>>> rms_norm(x, torch.ones(4), eps=0.0)  # the first row is divided by sqrt(56 / 4) = 3.7417
tensor([[0.0000, 0.5345, 1.0690, 1.6036],
        [0.0000, 0.5345, 1.0690, 1.6036],
        [0.8006, 0.8006, 0.8006, 1.4412]])

What is graded
--------------

Three functions and two layers that use them. Begin with ``layer_norm`` and ``LayerNorm``, for
float32. Other dtypes and the gradient by hand can come later.

Statistics belong to one token: they are taken over the last axis alone, and what one token holds
changes not a bit of what the others become. There may be any number of axes before the last,
none included, and inputs may be views: transposed, sliced or expanded. ``eps`` is always what the
caller says, and may be 0, but not for a row of equal numbers.

Every result has the dtype and the device of ``x``, and no input is changed. ``weight`` and ``bias``
may have another dtype than ``x``: a model in bfloat16 may keep those of its norms in float32. For
bfloat16 and float16 the statistics are computed in float32: in float16 the square of 256 overflows,
and a mean rounded to bfloat16 is off by up to 0.4 percent, which may be more than the spread of the
row. float64 works as well, and is held to what float32 can do.

No Python loop runs over tokens: the number of torch operations does not depend on how many there
are. And nothing on the way has a matrix for every token, (..., d, d): that would be d times the
memory of x.

Write it yourself: ``F.layer_norm``, ``F.rms_norm``, ``F.group_norm``, ``F.instance_norm`` and
``F.batch_norm`` are not available here, under any name.

Why it is like this
-------------------

Why normalise? In a deep network the numbers pass through many layers. If each of them makes the
numbers a little larger, or smaller, they grow or shrink without limit, and the gradients on their
way back do the same. After a norm a row has the same size whatever came before it, and training is
stable at larger learning rates.

Why over one token? Batch normalisation takes the mean and variance of one feature over all examples
of a batch. Then a result depends on the other sentences and on their padding, and in evaluation
averages from training must stand in. Statistics of one token need none of this, and are the same in
training and evaluation.

Why weight and bias? Not every feature should be equally large. What the norm takes away can be
learned again, feature by feature.

Why no mean in RMSNorm? Its authors found that scaling the rows is what helps, and that subtracting
the mean can be left out, which saves time.

Look further
------------

Ba, Kiros, Hinton 2016, "Layer Normalization", section 3; Zhang, Sennrich 2019, "Root Mean Square
Layer Normalization", section 4; for batches Ioffe, Szegedy 2015, "Batch Normalization".
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


def layer_norm(
    x: Float[Tensor, "... d"],
    weight: Float[Tensor, " d"],
    bias: Float[Tensor, " d"] | None,
    eps: float,
) -> Float[Tensor, "... d"]:
    """Rows of mean 0 and variance 1, times ``weight``, plus ``bias``.

    y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias,  var(x) = mean((x - mean(x))^2)

    The variance is the mean of the ``d`` squared deviations: divided by d, not by d - 1. ``eps``
    stands inside the root, and keeps the quotient and its gradient finite where all numbers of a
    row are equal: such a row becomes ``bias``. Gradients flow through the mean and the variance
    too. Without a ``bias`` (None) nothing is added.

    Rows far from zero (mean 1000, variance 1) must come out as accurately as float32 can hold such
    rows: subtract the mean first, then square. Computed as mean(x^2) - mean(x)^2, the variance of
    such a row is the small difference of two large numbers, and most of its digits are lost.

    Source: Ba et al. 2016, eq. (3) and (4); eps as in Ioffe and Szegedy 2015, algorithm 1.

    >>> x = torch.tensor([[0.0, 2.0, 4.0, 6.0], [5.0, 5.0, 5.0, 5.0]])
    >>> weight, bias = torch.tensor([[3.0, 3.0, 6.0, 6.0], [10.0, 20.0, 30.0, 40.0]])
    >>> layer_norm(x, weight, None, eps=4.0)  # the first row has variance 5, and sqrt(5 + 4) = 3
    tensor([[-3., -1.,  2.,  6.],
            [ 0.,  0.,  0.,  0.]])
    >>> layer_norm(x, weight, bias, eps=4.0)
    tensor([[ 7., 19., 32., 46.],
            [10., 20., 30., 40.]])
    """
    # TODO: step 1 of 5
    raise NotImplementedError("layer_norm: replace this line")


def rms_norm(
    x: Float[Tensor, "... d"], weight: Float[Tensor, " d"], eps: float
) -> Float[Tensor, "... d"]:
    """Rows whose root mean square is 1, times ``weight``. No mean is taken away, nothing is added.

    y = x / sqrt(mean(x^2) + eps) * weight

    ``eps`` stands inside the root: a row of zeros stays zero, and its gradient finite. Gradients
    flow through the root mean square too.

    Source: Zhang and Sennrich 2019, eq. (4).

    >>> x, weight = torch.tensor([[1.0, 1.0, 3.0, 5.0], [4.0, 4.0, 4.0, 8.0]])
    >>> rms_norm(x, weight, eps=7.0)  # the mean square is 36 / 4 = 9, and sqrt(9 + 7) = 4
    tensor([ 1.,  1.,  3., 10.])
    """
    # TODO: step 3 of 5
    raise NotImplementedError("layer_norm: replace this line")


def layer_norm_backward(
    grad: Float[Tensor, "... d"],
    x: Float[Tensor, "... d"],
    weight: Float[Tensor, " d"],
    eps: float,
) -> tuple[Float[Tensor, "... d"], Float[Tensor, " d"], Float[Tensor, " d"]]:
    """The gradients for ``x``, ``weight`` and ``bias``, given the gradient ``grad`` for the output.

    Let s = sqrt(var(x) + eps), z = (x - mean(x)) / s (the normalised row) and h = grad * weight
    (the gradient for z). When x_i grows a little:

    - z_i itself grows, by 1 / s
    - the mean grows by 1 / d, so every z_j becomes smaller by 1 / (d s)
    - s grows by z_i / d, so every z_j becomes smaller by z_j z_i / (d s)

    By the chain rule, multiply what happens to each z_j by h_j and add it up. The sums over j,
    divided by d, are means, and so each of the three lines becomes one term of grad_x:

    grad_x      = (h - mean(h) - z * mean(h * z)) / sqrt(var(x) + eps)
    grad_weight = sum of grad * z  over all tokens
    grad_bias   = sum of grad      over all tokens

    The means run over the last axis, the sums over all axes before it, however many there are; for
    a single row of shape (d,) there is nothing to sum over. Statistics and sums of bfloat16 and
    float16 inputs are computed in float32. The gradients have the shapes of x, weight and bias, and
    the dtype of x; where weight has another dtype, grad_weight and grad_bias may have that one.
    Gradients of these gradients are not needed. (autograd gives the same numbers, and is not
    forbidden. The exercise is to do without it.)

    Source: the chain rule; Ioffe and Szegedy 2015, section 3, has the same sum for batches.

    >>> grad, x = torch.tensor([[[9.0, 0.0, 0.0, 0.0]], [[0.0, 2.0, 4.0, 6.0]]])
    >>> grad_x, grad_weight, grad_bias = layer_norm_backward(grad, x, torch.ones(4), eps=4.0)
    >>> grad_x  # z = -1, -1/3, 1/3, 1; mean(h) = 2.25 and mean(h * z) = -2.25
    tensor([[ 1.5000, -1.0000, -0.5000,  0.0000]])
    >>> grad_weight, grad_bias
    (tensor([-9.,  0.,  0.,  0.]), tensor([9., 0., 0., 0.]))
    """
    # TODO: step 5 of 5
    raise NotImplementedError("layer_norm: replace this line")


class LayerNorm(nn.Module):
    """``layer_norm`` as a layer over the last axis, of width ``d_model``.

    It does the same in training and in evaluation, and no call depends on an earlier one. Each
    layer has parameters and an ``eps`` of its own; unless told otherwise ``eps`` is 1e-5.

    Parameters:
        weight: (d_model,), starts at ones.
        bias: (d_model,), starts at zeros; with ``bias=False`` there is no such parameter, and
            nothing is added. All the rest stays as it is.

    >>> layer = LayerNorm(2, eps=3.0)  # mean 2, variance 1, and sqrt(1 + 3) = 2
    >>> layer(torch.tensor([1.0, 3.0])).tolist()
    [-0.5, 0.5]
    >>> [name for name, _ in LayerNorm(2, bias=False).named_parameters()]
    ['weight']
    """

    def __init__(self, d_model: int, eps: float = 1e-5, bias: bool = True) -> None:
        # TODO: step 2 of 5
        raise NotImplementedError("layer_norm: replace this line")

    def forward(self, x: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        # TODO: step 2 of 5
        raise NotImplementedError("layer_norm: replace this line")


class RMSNorm(nn.Module):
    """``rms_norm`` as a layer over the last axis, of width ``d_model``.

    It does the same in training and in evaluation, too, and has an ``eps`` of its own: 1e-6 unless
    told otherwise.

    Parameters:
        weight: (d_model,), starts at ones. There is no bias.

    >>> layer = RMSNorm(2, eps=7.0)  # mean square 9, and sqrt(9 + 7) = 4
    >>> layer(torch.tensor([3.0, -3.0])).tolist()
    [0.75, -0.75]
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        # TODO: step 4 of 5
        raise NotImplementedError("layer_norm: replace this line")

    def forward(self, x: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        # TODO: step 4 of 5
        raise NotImplementedError("layer_norm: replace this line")
