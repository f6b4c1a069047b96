"""Self-attention: queries, keys and values of one sequence, made with weights that are learned.

Idea
----

In self-attention the tokens of one sequence attend to each other. Three matrices turn each token
into its query, its key and its value; the numbers in these matrices are what the model learns. Each
token's result is the average of all values, weighted by how well the keys fit its query.

In "The animal did not cross the street because it was too tired", the word "it" stands for the
animal. So what a model says of "it" must depend on another word, some places away. Self-attention
is the part of a model in which "it" can take something from "animal".

Formula
-------

    q = x W_query,  k = x W_key,  v = x W_value,  out = softmax(q k^T / sqrt(d_out)) v

x has one row for each of the T tokens, d_in numbers wide. The matrices have the shape (d_in,
d_out), so queries, keys, values and results are d_out numbers wide:

    x (T, d_in)  |-- W_query -->  q (T, d_out) --|
                 |-- W_key ---->  k (T, d_out) --|-->  weights (T, T) --|
                 |-- W_value -->  v (T, d_out) -------------------------|-->  out (T, d_out)

[Figure roles: x goes three ways, through W_query, W_key and W_value, and becomes q, k and v.
Queries and keys make the weights (T, T); weights and values make the result (T, d_out).]

Worked example
--------------

Three tokens, d_in = 2 and d_out = 1:

>>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
>>> q = x @ torch.tensor([[1.0], [2.0]])
>>> k = x @ torch.tensor([[0.0], [1.0]])
>>> v = x @ torch.tensor([[10.0], [30.0]])
>>> q.T, k.T, v.T
(tensor([[1., 2., 3.]]), tensor([[0., 1., 1.]]), tensor([[10., 30., 40.]]))
>>> q @ k.T  # the scores; sqrt(d_out) is 1, so the division changes nothing
tensor([[0., 1., 1.],
        [0., 2., 2.],
        [0., 3., 3.]])
>>> weights = torch.softmax(q @ k.T, dim=-1)
>>> weights
tensor([[0.1554, 0.4223, 0.4223],
        [0.0634, 0.4683, 0.4683],
        [0.0243, 0.4879, 0.4879]])
>>> weights @ v  # token 0: 0.1554 * 10 + 0.4223 * 30 + 0.4223 * 40
tensor([[31.1159],
        [33.4155],
        [34.3928]])

In causal attention no token sees a later one. Its score is replaced by -inf before the softmax:

>>> future = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
>>> torch.softmax((q @ k.T).masked_fill(future, -torch.inf), dim=-1)
tensor([[1.0000, 0.0000, 0.0000],
        [0.1192, 0.8808, 0.0000],
        [0.0243, 0.4879, 0.4879]])

[Figure causal: both tables of weights, the larger the darker. Without a mask every query gives
something to every key; with it, nothing above the diagonal, and the rest of each row still sums to
one.]

What is graded
--------------

Three classes, which are the three steps to the attention of a language model: bare matrices, then
linear layers, then a mask that hides the future, with dropout on the weights.

Their inputs stay as they were, their outputs have the inputs' dtype and device once the layer was
moved there with ``.to``, and scores of several hundred must not overflow. Everything that learns
is a parameter of the documented name and shape; there is no other parameter. Parameters start out
random, each drawn on its own from torch's global generator, which no layer seeds. A layer computes
with the parameters it has now: nothing is kept from one call to the next.

No Python loop runs over tokens: the number of torch operations of a call does not depend on T.

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax``, ``nn.Linear`` and ``nn.Dropout`` are welcome
here.

Why it is like this
-------------------

Why are queries and keys made with two matrices? With one matrix for both, the scores would be
symmetric: token i would score token j as token j scores token i. But a noun may need its adjective
more than the adjective needs the noun. In the example token 0 gives token 1 the score 1, and token
1 gives token 0 the score 0.

Why a matrix for the values? What a token is found by need not be what it gives to others.

Why is the future hidden? A language model is trained to predict, at every position at once, the
token that comes next. Without the mask it would see that token, and learn to copy it.

Why is the result d_out wide and not d_in? The layers of this page are single heads. A model has
several of them side by side, and each is narrow (see ``multi_head_attention``).

Look further
------------

Raschka, Build a Large Language Model (From Scratch), 2024, sections 3.4 and 3.5, which build these
three classes with numbers for a sentence of six words.
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
    (d_in, d_out). ``torch.rand`` makes numbers that they can start with.

    Source: Raschka 2024, section 3.4.2.

    Where W_query is 0, all scores are 0 and all weights are equal. So each result is the mean of
    the values, which here are the first two columns of x:

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
        # BEGIN SOLUTION
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        # END SOLUTION

    def forward(self, x: Float[Tensor, "... T d_in"]) -> Float[Tensor, "... T d_out"]:
        """One answer for every token. Any number of leading axes, none included."""
        # BEGIN SOLUTION
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
        return scores.softmax(dim=-1) @ values
        # END SOLUTION


class SelfAttention_v2(nn.Module):
    """The same with ``nn.Linear``, which brings a better start and, if wanted, biases.

    ``nn.Linear`` computes x W^T + b: its weights are those of ``SelfAttention_v1`` transposed.

    Why a better start? ``torch.rand`` draws numbers from 0 to 1. Their mean is not 0, so scores
    become large where d_in is large, and then one token gets nearly all of the weight.
    ``nn.Linear`` draws its numbers between -1 / sqrt(d_in) and 1 / sqrt(d_in), which keeps the
    scores small.

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
        # BEGIN SOLUTION
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        # END SOLUTION

    def forward(self, x: Float[Tensor, "... T d_in"]) -> Float[Tensor, "... T d_out"]:
        """One answer for every token. Any number of leading axes, none included."""
        # BEGIN SOLUTION
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
        return scores.softmax(dim=-1) @ values
        # END SOLUTION


class CausalAttention(nn.Module):
    """Self-attention in which no token sees the ones after it, with dropout on the weights.

    out = dropout(softmax(mask(q k^T / sqrt(d_out)))) v

    Token i attends to the tokens 0..i. A later token gets no weight however large its score:
    hide it before the softmax.

    Parameters: those of ``SelfAttention_v2``. The mask is no parameter, for it is not learned. Keep
    it as a buffer (``self.register_buffer("mask", mask)``: then ``self.mask`` is a tensor that goes
    with the layer to another device) or make it in ``forward`` on the device of x. A new layer
    keeps no tensor as a plain attribute: that would stay behind when the layer moves.

    Args:
        context_length: the longest sequence there may be; shorter ones work as well, in any order.
        dropout: 0 <= dropout < 1. In training each attention weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout, afresh in every call, after the
            softmax and before the values are averaged. After ``eval()`` nothing is dropped.
        qkv_bias: whether the three linear layers have biases.

    Source: Raschka 2024, sections 3.5.1 to 3.5.3.

    With equal weights, each token's result is the mean of the values of itself and those before it:

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
        # BEGIN SOLUTION
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        past = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("mask", past, persistent=False)
        # END SOLUTION

    def forward(self, x: Float[Tensor, "B T d_in"]) -> Float[Tensor, "B T d_out"]:
        """One answer for every token of every sequence.

        Raises:
            ValueError: the sequences are longer than ``context_length``.
        """
        # BEGIN SOLUTION
        length, context_length = x.shape[-2], self.mask.shape[-1]
        if length > context_length:
            raise ValueError(f"{length} tokens do not fit into a context of {context_length}")
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
        scores = scores.masked_fill(~self.mask[:length, :length], -torch.inf)
        return self.dropout(scores.softmax(dim=-1)) @ values
        # END SOLUTION
