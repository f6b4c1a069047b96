"""Self-attention: every token of a sequence asks all the others, through weights that are learned.

One sequence plays all three parts. Three matrices turn its tokens into queries, keys and values,
and each token is answered with the average of the values, weighted by how well the keys fit.

    q = x W_query,  k = x W_key,  v = x W_value,  out = softmax(q k^T / sqrt(d_out)) v

The three classes are the three steps in which a language model gets there: bare matrices, then
linear layers, then a mask that hides the future, with dropout on the weights.

Their inputs stay as they were, their outputs have the inputs' dtype and device once the layer was
moved there with ``.to``, and scores of several hundred must not overflow. Everything that learns
is a parameter of the documented name and shape; there is no other parameter. Parameters start out
random, each drawn on its own from torch's global generator, which no layer seeds. A layer answers
with the parameters it has now: nothing is kept from one call to the next.

No Python loop runs over tokens: the number of torch operations of a call does not depend on T.

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax``, ``nn.Linear`` and ``nn.Dropout`` are welcome
here.

Source: Raschka, Build a Large Language Model (From Scratch), 2024, chapter 3.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SelfAttention_v1(nn.Module):
    """Self-attention with three bare matrices.

    q = x W_query,  k = x W_key,  v = x W_value,  out = softmax(q k^T / sqrt(d_out)) v

    Parameters: ``W_query``, ``W_key`` and ``W_value``, each an ``nn.Parameter`` of shape
    (d_in, d_out).

    Source: Raschka 2024, section 3.4.2.

    A token that asks for nothing hears all others equally, so each answer is the values' mean:

    >>> layer = SelfAttention_v1(d_in=3, d_out=2)
    >>> [(name, tuple(weight.shape)) for name, weight in layer.named_parameters()]
    [('W_query', (3, 2)), ('W_key', (3, 2)), ('W_value', (3, 2))]
    >>> _ = nn.init.zeros_(layer.W_query)
    >>> _ = layer.W_value.data.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    >>> layer(torch.tensor([[1.0, 4.0, 5.0], [3.0, 8.0, 6.0]])).detach()
    tensor([[2., 6.],
            [2., 6.]])
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        # TODO: step 1 of 3
        raise NotImplementedError("self_attention: replace this line")

    def forward(self, x: Float[Tensor, "... T d_in"]) -> Float[Tensor, "... T d_out"]:
        """One answer for every token. Any number of leading axes, none included."""
        # TODO: step 1 of 3
        raise NotImplementedError("self_attention: replace this line")


class SelfAttention_v2(nn.Module):
    """The same with ``nn.Linear``, which brings a better start and, if wanted, biases.

    ``nn.Linear`` computes x W^T + b: its weights are those of ``SelfAttention_v1`` transposed.

    Parameters: ``W_query``, ``W_key`` and ``W_value`` are ``nn.Linear`` from d_in to d_out, so
    there are ``W_query.weight`` of shape (d_out, d_in) and so on; with ``qkv_bias`` also
    ``W_query.bias`` of shape (d_out,) and so on, without it no bias at all.

    Source: Raschka 2024, section 3.4.2.

    >>> layer = SelfAttention_v2(d_in=3, d_out=2)
    >>> [(name, tuple(weight.shape)) for name, weight in layer.named_parameters()]
    [('W_query.weight', (2, 3)), ('W_key.weight', (2, 3)), ('W_value.weight', (2, 3))]
    >>> _ = nn.init.zeros_(layer.W_query.weight)
    >>> _ = layer.W_value.weight.data.copy_(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    >>> layer(torch.tensor([[1.0, 4.0, 5.0], [3.0, 8.0, 6.0]])).detach()
    tensor([[2., 6.],
            [2., 6.]])
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        # TODO: step 2 of 3
        raise NotImplementedError("self_attention: replace this line")

    def forward(self, x: Float[Tensor, "... T d_in"]) -> Float[Tensor, "... T d_out"]:
        """One answer for every token. Any number of leading axes, none included."""
        # TODO: step 2 of 3
        raise NotImplementedError("self_attention: replace this line")


class CausalAttention(nn.Module):
    """Self-attention in which no token sees the ones after it, with dropout on the weights.

    out = dropout(softmax(mask(q k^T / sqrt(d_out)))) v

    Token i attends to the tokens 0..i. A later token gets no weight however large its score:
    hide it before the softmax.

    Parameters: those of ``SelfAttention_v2``. The mask is no parameter. Keep it as a buffer
    (``register_buffer``) or make it in ``forward`` on the device of x. A new layer keeps no tensor
    as a plain attribute: that would stay behind when the layer moves to another device.

    Args:
        context_length: the longest sequence there may be; shorter ones work as well, in any order.
        dropout: 0 <= dropout < 1. In training each attention weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout, afresh in every call, after the
            softmax and before the values are averaged. After ``eval()`` nothing is dropped.
        qkv_bias: whether the three linear layers have biases.

    Source: Raschka 2024, sections 3.5.1 to 3.5.3.

    With equal weights each token hears the mean of itself and those before it:

    >>> layer = CausalAttention(d_in=1, d_out=1, context_length=4, dropout=0.0)
    >>> _ = nn.init.zeros_(layer.W_query.weight), nn.init.ones_(layer.W_value.weight)
    >>> layer(torch.tensor([[[2.0], [4.0], [9.0]]])).detach().round(decimals=4)
    tensor([[[2.],
             [3.],
             [5.]]])
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        # TODO: step 3 of 3
        raise NotImplementedError("self_attention: replace this line")

    def forward(self, x: Float[Tensor, "B T d_in"]) -> Float[Tensor, "B T d_out"]:
        """One answer for every token of every sequence.

        Raises:
            ValueError: the sequences are longer than ``context_length``.
        """
        # TODO: step 3 of 3
        raise NotImplementedError("self_attention: replace this line")
