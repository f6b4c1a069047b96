"""Embeddings and positions: from token numbers to vectors that know where they stand.

Attention treats its input as a set: without help, "dog bites man" and "man bites dog" look the
same. So each position gets a vector of its own, which is added to the token's:

    x[b, t] = embedding of token (b, t) + encoding of position t

The encoding is either computed from sines and cosines, or learned like the embedding itself.

No Python loop runs over tokens or positions: the number of torch operations does not depend on T
or on ``max_len`` (a loop over the columns of the table is fine).

What is learned starts at random: no two rows of a table are alike, their mean is near 0 and their
standard deviation between 0.005 and 1.5 (``nn.Embedding`` takes 1, GPT-2 took 0.02). Two layers
that are made one after the other start differently, and making one resets nobody's random numbers
(no ``torch.manual_seed``). Inputs stay as they were, and no call remembers an earlier one.

Source: Vaswani et al. 2017, "Attention Is All You Need", sections 3.4 and 3.5.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """One learned vector per token number, times sqrt(d_model) if ``scale`` is True.

    The factor makes the embedding as large as the positions that are added to it. Token numbers
    (int64) run from 0 to vocab_size - 1, GPT-2's to 50256, in a tensor of any shape, and none of
    them is special.
    The weights themselves are not scaled, the output is.

    Parameter: ``embedding.weight`` (vocab_size, d_model), so ``embedding`` is an ``nn.Embedding``.

    Source: Vaswani et al. 2017, section 3.4.

    >>> layer = TokenEmbedding(10, 4)
    >>> _ = nn.init.constant_(layer.embedding.weight, 0.5)
    >>> layer(torch.tensor([[7, 0]])).detach()
    tensor([[[1., 1., 1., 1.],
             [1., 1., 1., 1.]]])
    """

    def __init__(self, vocab_size: int, d_model: int, scale: bool = True) -> None:
        # TODO: step 1 of 5
        raise NotImplementedError("positional_encoding: replace this line")

    def forward(self, ids: Int[Tensor, "..."]) -> Float[Tensor, "... d_model"]:
        # TODO: step 1 of 5
        raise NotImplementedError("positional_encoding: replace this line")


def sinusoidal_encoding(max_len: int, d_model: int) -> Float[Tensor, "max_len d_model"]:
    """The table of positions: sines in the even columns, cosines in the odd ones.

    PE[p, 2i]     = sin(p / 10000^(2i / d_model))
    PE[p, 2i + 1] = cos(p / 10000^(2i / d_model))

    Columns 2i and 2i + 1 are a pair with one frequency. If d_model is odd, the last column is the
    sine of a pair without its cosine; the formula stays the same. The table is float32, and its
    angles are computed in float32 or better.

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal_encoding(3, 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    # TODO: step 2 of 5
    raise NotImplementedError("positional_encoding: replace this line")


class PositionalEncoding(nn.Module):
    """Adds row t of ``sinusoidal_encoding`` to the token at position t, then drops.

    y = dropout(x + PE[:T])  for x of shape (B, T, d_model)

    Dropout acts on the sum, in train mode only, and drops each number by itself, afresh in every
    call; rows are added in both modes. The table is not learned: it is made once and
    kept as a buffer, in a shape and under a name of your choice (persistent or not), so that it
    moves with the model and no call computes a sine again. A model turned into bfloat16 answers
    bfloat16 with bfloat16, and adds the float32 table, rounded or not. It must not compute angles
    in bfloat16, which knows no odd numbers above 256.

    Raises:
        ValueError: ``x`` has more than ``max_len`` positions, in train mode or in eval mode.

    Source: Vaswani et al. 2017, sections 3.5 and 5.4.

    >>> layer = PositionalEncoding(4, dropout=0.0, max_len=8)
    >>> layer(torch.zeros(1, 2, 4))
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 5000) -> None:
        # TODO: step 3 of 5
        raise NotImplementedError("positional_encoding: replace this line")

    def forward(self, x: Float[Tensor, "B T d_model"]) -> Float[Tensor, "B T d_model"]:
        # TODO: step 3 of 5
        raise NotImplementedError("positional_encoding: replace this line")


class LearnedPositionalEmbedding(nn.Module):
    """Adds row t of a learned table to the token at position t, without dropout.

    y = x + weight[:T]  for x of shape (B, T, d_model)

    Parameter: ``weight`` (max_len, d_model).

    Raises:
        ValueError: ``x`` has more than ``max_len`` positions, in train mode or in eval mode.

    Source: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section 3.1.

    >>> layer = LearnedPositionalEmbedding(3, 2)
    >>> _ = layer.load_state_dict({"weight": torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])})
    >>> layer(torch.zeros(1, 2, 2)).detach()
    tensor([[[1., 2.],
             [3., 4.]]])
    """

    def __init__(self, max_len: int, d_model: int) -> None:
        # TODO: step 4 of 5
        raise NotImplementedError("positional_encoding: replace this line")

    def forward(self, x: Float[Tensor, "B T d_model"]) -> Float[Tensor, "B T d_model"]:
        # TODO: step 4 of 5
        raise NotImplementedError("positional_encoding: replace this line")


def pe_shift_matrix(k: int, d_model: int) -> Float[Tensor, "d_model d_model"]:
    """The matrix that leads from any position to the one ``k`` further on.

    M @ PE[p] = PE[p + k]  for every position p

    There is such a matrix, and it does not depend on p: that is why the authors hoped the model
    would learn to attend by relative positions. d_model is even, ``k`` may be negative, and the
    matrix is float32.

    Source: Vaswani et al. 2017, section 3.5, the paragraph after the formula.

    >>> pe_shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    # TODO: step 5 of 5
    raise NotImplementedError("positional_encoding: replace this line")
