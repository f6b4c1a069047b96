"""The residual connection: a layer adds to what it got, instead of replacing it.

Idea
----

A deep network is hard to train when every layer has to pass on all that came before it. A residual
connection (or *skip connection*) does the passing on: the input runs straight past the sub-layer,
and what the sub-layer computes is added to it. So a layer only has to learn what to change.

    pre-norm:    x --+-----------------------------------> + -->
                     |                                     ^
                     +--> norm --> sub-layer --> dropout --+

    post-norm:   x --+--------------------------> + --> norm -->
                     |                            ^
                     +--> sub-layer --> dropout --+

[Figure ways: both forms. In each, x goes straight down to a plus sign, beside it a branch with
sub-layer and dropout. In pre-norm the norm is the first part of the branch, and nothing stands on
the straight way. In post-norm it stands behind the plus, where the straight way passes through it.]

Formula
-------

    pre-norm:   x + dropout(sublayer(norm(x)))
    post-norm:  norm(x + dropout(sublayer(x)))

Worked example
--------------

One token, x = (-1, 0, 2, 3). The sub-layer is ReLU, which sets negative numbers to 0, and nothing
is dropped. The mean of x is 1, the variance 2.5, so the norm divides x - 1 by 1.58:

    pre-norm:    norm(x)        -1.26  -0.63   0.63   1.26
                 sub-layer       0      0      0.63   1.26
                 x + that       -1      0      2.63   4.26

    post-norm:   sub-layer(x)    0      0      2      3
                 x + that       -1      0      4      6        mean 2.25, variance 8.19
                 norm(that)     -1.14  -0.79   0.61   1.31

What is graded
--------------

One class, which serves both forms; torch's own dropout is welcome in it. Begin without dropout.
What comes in a later step raises NotImplementedError until then: its checks wait.

Why it is like this
-------------------

Why add? Take 50 layers, each of which multiplies by 0.1. Behind all of them nothing of the input is
left, and nothing of the gradient on its way back. With the sum, each of them multiplies by 1 + 0.1:

>>> print(f"{0.1**50:.0e}", f"{1.1**50:.0f}")
1e-50 117

And a sub-layer that has found nothing yet does no harm: what it adds is small, and x goes on.

Why does it matter where the norm stands? The first Transformer put it after the sum (post-norm).
Then every layer normalises what came straight from below, and gradients pass through all of these
norms: such models need a *warm-up*, a beginning of training with very small steps. In pre-norm
nothing stands on the straight way, so gradients reach the first layer unweakened, and models can be
trained without warm-up (Xiong et al. 2020). That is why most models since have used pre-norm. Its
price is one more norm, after the last layer, where nothing has normalised the sum.

Why dropout on the branch? Dropped numbers of the branch are still there in x. If x itself were
dropped, they would be lost to all later layers.

Look further
------------

He et al. 2016, "Deep Residual Learning for Image Recognition": where the idea comes from.
Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 and 5.4 (post-norm).
Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture": both forms, figure 1.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SublayerConnection(nn.Module):
    """One sub-layer with its residual connection, its layer norm and its dropout.

    ``norm_first`` says where the norm stands: True for pre-norm, False for post-norm (above).

    The sub-layer is handed to each call. It may be anything that can be called with a tensor and
    returns one of the same shape, and it is called once: with norm(x) in pre-norm, with x itself
    in post-norm. Neither x nor what the sub-layer returned is changed in place.

    Dropout, with probability ``dropout``, falls on what the sub-layer returned, each number on its
    own, anew at every call, and on nothing else. What is kept is divided by 1 - ``dropout``.
    Dropout acts in training mode only, and ``dropout=1.0`` drops the whole branch. The result has
    the shape and the dtype of x, which may have any number of axes.

    The norm is a ``torch.nn.LayerNorm`` over the last axis, of width ``d_model`` and with eps =
    1e-5, or your own that gives the same. Every connection has one norm of its own.

    Parameters:
        norm.weight: (d_model,), starts at ones.
        norm.bias: (d_model,), starts at zeros.
        There are no others.

    Source: Vaswani et al. 2017, sections 3.1 and 5.4; Xiong et al. 2020, figure 1.

    >>> x = torch.tensor([[-1.0, 0.0, 2.0, 3.0]])
    >>> SublayerConnection(4, dropout=0.0)(x, torch.relu).detach()
    tensor([[-1.0000,  0.0000,  2.6325,  4.2649]])
    >>> SublayerConnection(4, dropout=0.0, norm_first=False)(x, torch.relu).detach()
    tensor([[-1.1358, -0.7863,  0.6116,  1.3106]])
    """

    def __init__(self, d_model: int, dropout: float, norm_first: bool = True) -> None:
        # TODO: step 1 of 3
        raise NotImplementedError("residual: replace this line")

    def forward(
        self, x: Float[Tensor, "... d"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "... d"]:
        # TODO: step 1 of 3, pre-norm
        #       step 2 of 3, post-norm
        #       step 3 of 3, dropout
        raise NotImplementedError("residual: replace this line")
