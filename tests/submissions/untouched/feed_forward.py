"""The feed-forward network: what a block does to each token by itself.

Attention lets tokens exchange; between two exchanges every token is thought over alone, by a
network of two layers that is the same for all positions:

    FFN(x) = w_2(activation(w_1(x)))

It widens the token from d_model to d_ff (usually four times as wide), bends it, and narrows it
again. Without the bend, two linear layers would be one.

Two thirds of a block's weights are in these matrices, so each product with one is done once: two
in the network, three in its gated sister. And no Python loop runs over tokens: the number of torch
operations does not depend on how many there are.

A layer follows its own options, and its weights as they are now. Matrices start at random, every
number drawn on its own, around 0, with a standard deviation between 0.05 / sqrt(n) and 2 / sqrt(n)
in a matrix with n inputs (``nn.Linear``'s own start is right); biases start at 0 or near it. No
seed is set: two new layers differ.

Write it yourself: ``F.gelu`` and ``F.silu`` are not available here, under any name. ``torch.erf``,
``torch.sigmoid``, ``nn.Linear`` and ``nn.Dropout`` are welcome here.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.3.
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

    ``approximate`` is "none" or "tanh". The two differ by up to 0.0005. Values and gradients are
    right for ``x`` of any size, the result keeps the dtype of ``x``, and ``x`` stays as it was.

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

    Values and gradients are right for ``x`` of any size: float32's exp overflows from 89 on. The
    result keeps the dtype of ``x``, and ``x`` stays as it was.

    Source: Ramachandran, Zoph, Le 2017, "Searching for Activation Functions", section 3.

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
    otherwise divided by 1 - dropout. In eval mode nothing is dropped. ``activation`` is "relu" or
    "gelu" (the exact one); without it, the network uses ReLU. ``x`` may have any number of axes
    before the last.

    Parameters: ``w_1.weight`` (d_ff, d_model), ``w_1.bias`` (d_ff), ``w_2.weight``
    (d_model, d_ff), ``w_2.bias`` (d_model).

    Raises:
        ValueError: ``activation`` is another word (when the layer is made, or at the latest when
            it is first called).

    Source: Vaswani et al. 2017, section 3.3, eq. (2).

    >>> layer = PositionwiseFeedForward(2, 3, dropout=0.0)
    >>> for weights in layer.parameters():
    ...     _ = nn.init.constant_(weights, 0.5)
    >>> layer(torch.tensor([[1.0, 3.0], [-5.0, 1.0]])).detach()
    tensor([[4.2500, 4.2500],
            [0.5000, 0.5000]])
    """

    def __init__(
        self, d_model: int, d_ff: int, dropout: float = 0.1, activation: str = "relu"
    ) -> None:
        # TODO: step 3 of 4
        raise NotImplementedError("feed_forward: replace this line")

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # TODO: step 3 of 4
        raise NotImplementedError("feed_forward: replace this line")


class SwiGLU(nn.Module):
    """A feed-forward network whose inner layer is opened and closed by a gate.

    SwiGLU(x) = w2(silu(w1(x)) * w3(x))

    ``w1`` is the gate, ``w3`` carries the values, ``w2`` leads back; none has a bias, and there is
    no dropout. ``x`` may have any number of axes before the last.

    Parameters: ``w1.weight`` (d_ff, d_model), ``w3.weight`` (d_ff, d_model), ``w2.weight``
    (d_model, d_ff).

    Source: Shazeer 2020, "GLU Variants Improve Transformer", eq. (6).

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
