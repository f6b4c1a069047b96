"""The feed-forward network: what a block does to each token by itself.

Idea
----

In attention, tokens exchange information. Between two attentions stands a small network of two
linear layers, which is applied to every token by itself, with the same weights at all positions. It
makes the token wider, from d_model to d_ff numbers (usually four times as many), applies an
*activation*, a function that is no straight line, and makes the token narrow again.

[Figure widths: one token of d_model numbers is widened by w_1 to d_ff numbers, often four times as
many; there the activation is applied; w_2 makes it narrow again.]

Formula
-------

    FFN(x) = w_2(activation(w_1(x)))

w_1 and w_2 are linear layers, from d_model to d_ff numbers and back.

Worked example
--------------

d_model = 2, d_ff = 3, ReLU as activation, and all weights and biases are 0.5:

    token                     (1, 3)                       (-5, 1)
    w_1: 0.5 x1 + 0.5 x2      0.5 + 1.5 + 0.5 = 2.5        -2.5 + 0.5 + 0.5 = -1.5
         + 0.5, three times   (2.5, 2.5, 2.5)              (-1.5, -1.5, -1.5)
    ReLU                      (2.5, 2.5, 2.5)              (0, 0, 0)
    w_2                       0.5 * 7.5 + 0.5 = 4.25       0.5 * 0 + 0.5 = 0.5
                              (4.25, 4.25)                 (0.5, 0.5)

What is graded
--------------

Two activations and two networks.

Each product with a matrix costs time, and these matrices are the largest of a block, so each
product with one is done once: two in the network, three in the gated one. And no Python loop runs
over tokens: the number of torch operations does not depend on how many there are.

A layer follows its own options, and its weights as they are now. Matrices start at random, every
number drawn on its own, around 0, with a standard deviation between 0.05 / sqrt(n) and 2 / sqrt(n)
in a matrix with n inputs (``nn.Linear``'s own start is right); biases start at 0 or near it. No
seed is set: two new layers differ.

Write it yourself: ``F.gelu`` and ``F.silu`` are not available here, under any name. ``torch.erf``,
``torch.sigmoid``, ``nn.Linear`` and ``nn.Dropout`` are welcome here.

Why it is like this
-------------------

Why an activation? Without it, two linear layers are one: w_2 (w_1 x) = (w_2 w_1) x.

Why so wide? Each of the d_ff numbers can be read as a rule: a row of w_1 says for which tokens it
is large, and a column of w_2 says what is then added to the token. More numbers, more rules. Where
d_ff = 4 d_model, two thirds of the weights of a block with one attention are in this network.

Why GELU instead of ReLU? ReLU has the slope 0 for all negative numbers: where a token has only
these, nothing is learned. GELU and SiLU are smooth, and fall to 0 slowly.

[Figure activations: the curves of ReLU, GELU and SiLU from -4 to 3. ReLU is 0 for all negative
numbers and has a corner at 0. GELU and SiLU are smooth, a little below 0 for negative numbers, and
near x for large ones.]

Why no biases? They are few: 2,560 of the 2.1 million parameters for 512 and 2,048 numbers. Many
recent models leave them out.

Where to drop? Dropped activations make the network do without single rules; a dropped output keeps
a block from relying on single numbers of what the network adds to the token. Blocks often drop
the output themselves, as in the paper (section 5.4): then do not ask for it here as well.

Why a gate? ``SwiGLU`` multiplies two products with x, so that one can open or close what the other
carries. Shazeer found lower losses with it at the same number of weights, and gives no reason. To
have the same number with three matrices, one takes two thirds of d_ff.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.3.
Geva et al. 2021, "Transformer Feed-Forward Layers Are Key-Value Memories": the rules, found.
Shazeer 2020, "GLU Variants Improve Transformer": several gates, compared.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


def gelu(x: Float[Tensor, "..."], approximate: str = "none") -> Float[Tensor, "..."]:
    """The Gaussian error linear unit: ``x`` times the chance that a normal number is below it.

    "none":  gelu(x) = x * P(N < x) = x / 2 * (1 + erf(x / sqrt(2)))
    "tanh":  gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))

    N is a normal random number with mean 0 and variance 1. For x = 1 it is below x with the
    probability 0.8413, so gelu(1) = 1 * 0.8413.

    ``approximate`` is "none" or "tanh". The two differ by up to 0.0005. Values are right for ``x``
    of any size, gradients as far as the dtype holds the cube of ``x``; the result keeps the dtype
    of ``x``, and ``x`` stays as it was.

    Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units", section 2.

    >>> gelu(torch.tensor([-1.0, 0.0, 1.0, 3.0]))
    tensor([-0.1587,  0.0000,  0.8413,  2.9960])
    >>> gelu(torch.tensor([-1.0, 0.0, 1.0, 3.0]), approximate="tanh")
    tensor([-0.1588,  0.0000,  0.8412,  2.9964])
    """
    # TODO: step 1 of 4
    raise NotImplementedError("feed_forward: replace this line")


def silu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The sigmoid linear unit, also called swish: ``x`` times its own sigmoid.

    silu(x) = x * sigmoid(x) = x / (1 + exp(-x))

    Values and gradients are right for ``x`` of any size: float32's exp overflows from 89 on, and a
    gradient through it is NaN. The result keeps the dtype of ``x``, and ``x`` stays as it was.

    Source: Hendrycks and Gimpel 2016 (the name SiLU); Ramachandran, Zoph, Le 2017, "Searching for
    Activation Functions" (swish).

    >>> silu(torch.tensor([-1.0, 0.0, 1.0, 3.0]))
    tensor([-0.2689,  0.0000,  0.7311,  2.8577])
    """
    # TODO: step 2 of 4
    raise NotImplementedError("feed_forward: replace this line")


class PositionwiseFeedForward(nn.Module):
    """Two linear layers with an activation between them, the same for every token.

    FFN(x) = w_2(dropout(activation(w_1(x))))

    Dropout falls on the activations, and not on the output: in train mode each of them on its own,
    anew in every call, is set to 0 with the probability ``dropout``, 0.1 unless given, and
    otherwise divided by 1 - dropout. In eval mode nothing is dropped. (The paper does not name this
    place; the authors' program and torch drop there.) With ``drop_output=True`` it is the other way
    round, as in Karpathy's nanoGPT: the numbers of the output are dropped in the same way, and no
    activation is.

    FFN(x) = dropout(w_2(activation(w_1(x))))

    ``activation`` is "relu" or "gelu" (the exact one); without it, the network uses ReLU. ``x`` may
    have any number of axes before the last.

    Parameters: ``w_1.weight`` (d_ff, d_model), ``w_1.bias`` (d_ff), ``w_2.weight``
    (d_model, d_ff), ``w_2.bias`` (d_model). With ``bias=False`` neither layer has a bias.

    Raises:
        ValueError: ``activation`` is another word (when the layer is made, or at the latest when
            it is first called).

    Source: Vaswani et al. 2017, section 3.3, eq. (2).

    The worked example:

    >>> layer = PositionwiseFeedForward(2, 3, dropout=0.0)
    >>> for weights in layer.parameters():
    ...     _ = nn.init.constant_(weights, 0.5)
    >>> layer(torch.tensor([[1.0, 3.0], [-5.0, 1.0]])).detach()
    tensor([[4.2500, 4.2500],
            [0.5000, 0.5000]])
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: str = "relu",
        *,
        bias: bool = True,
        drop_output: bool = False,
    ) -> None:
        # TODO: step 3 of 4
        raise NotImplementedError("feed_forward: replace this line")

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # TODO: step 3 of 4
        raise NotImplementedError("feed_forward: replace this line")


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: one product with x decides how much of another goes on.

    SwiGLU(x) = w2(silu(w1(x)) * w3(x))

    ``w1`` is the gate, ``w3`` carries the values, ``w2`` leads back; none has a bias, and there is
    no dropout. ``x`` may have any number of axes before the last.

    Parameters: ``w1.weight`` (d_ff, d_model), ``w3.weight`` (d_ff, d_model), ``w2.weight``
    (d_model, d_ff).

    Source: Shazeer 2020, "GLU Variants Improve Transformer", eq. (6).

    All weights are 0.5, so for (1, 3) every number of w1(x) and of w3(x) is 2. The gate is silu(2)
    = 1.7616, times 2 is 3.5232, and w2 adds up three of these and takes half: 5.2848.

    >>> layer = SwiGLU(2, 3)
    >>> for weights in layer.parameters():
    ...     _ = nn.init.constant_(weights, 0.5)
    >>> layer(torch.tensor([1.0, 3.0])).detach()
    tensor([5.2848, 5.2848])
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        # TODO: step 4 of 4
        raise NotImplementedError("feed_forward: replace this line")

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # TODO: step 4 of 4
        raise NotImplementedError("feed_forward: replace this line")
