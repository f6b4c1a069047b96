"""Embeddings and positions: from token numbers to vectors that say what stands where.

Idea
----

A model computes with vectors, so every token number is looked up in a table with one row per token:
its *embedding*. Attention does not see order: without a mask, tokens in another order give the same
outputs in that other order, and "dog bites man" is to it what "man bites dog" is. So each position
has a vector as well, and it is added to the token's.

Formula
-------

    x[b, t] = embedding of token (b, t) + encoding of position t

The encoding is either computed from sines and cosines, or learned like the embedding itself. The
computed table has a row for each position p, and a pair of columns for each frequency:

    PE[p, 2i]     = sin(p / 10000^(2i / d_model))
    PE[p, 2i + 1] = cos(p / 10000^(2i / d_model))

Worked example
--------------

d_model = 4, so there are two pairs. The first (i = 0) divides p by 10000^0 = 1, the second (i = 1)
by 10000^(2 / 4) = 100. These are the angles:

    position     first pair     second pair
    0            0              0
    1            1              0.01
    2            2              0.02

and row 2 of the table is sin 2, cos 2, sin 0.02, cos 0.02:

>>> [round(f(angle), 4) for angle in (2.0, 0.02) for f in (math.sin, math.cos)]
[0.9093, -0.4161, 0.02, 0.9998]

Row 0 is sin 0, cos 0, and again: 0, 1, 0, 1.

[Figure rows: the table for 12 positions and d_model = 8, one row for each position, positive
numbers in one colour and negative ones in another. The first pair of columns changes its sign every
few rows, the second more slowly, and the last two hardly change in 12 rows.]

What is graded
--------------

Five parts, each of which is small. Begin with ``TokenEmbedding``.

No Python loop runs over tokens or positions: the number of torch operations does not depend on T
or on ``max_len`` (a loop over the columns of the table is fine).

What is learned starts at random: no two rows of a table are alike, their mean is near 0 and their
standard deviation between 0.005 and 1.5 (``nn.Embedding`` takes 1, GPT-2 took 0.02). Two layers
that are made one after the other start differently, and making one resets nobody's random numbers
(no ``torch.manual_seed``). Inputs stay as they were, and no call remembers an earlier one.

Why it is like this
-------------------

Why many frequencies? A pair of columns is like the hand of a clock: its point (sin, cos) runs round
a circle as p grows. A fast hand tells neighbours apart, but soon comes round again. A slow hand
tells the beginning of a text from its end. Read together, all hands say which position it is.

Why 10000? The pairs come round after 2 pi = 6.3 positions, then after more and more, and the
slowest after nearly 2 pi * 10000 = 62,800 positions: longer than any text of the paper. The paper
does not say why it is this number; models for longer texts take larger ones.

Why a sine and a cosine of each? Together they can be turned: the row of position p + k is the row
of position p times a matrix that depends on k alone. ``pe_shift_matrix`` below is that matrix. So
"three places back" can be learned once, for all positions.

Why add, and not put the two side by side? The sum keeps the width d_model. Some programs put all
sines into the first half of the columns and all cosines into the second. That is the same table
with its columns in another order; here the paper's order is asked for.

Computed or learned? The paper tried both, and the results were nearly identical (table 3, row E). A
learned table cannot be used for longer texts than it was made for.

What about masks? A causal mask makes tokens differ in what they see, so some of the order shows
even without positions. Still, in a layer of attention the last token, which sees all the others,
gets the same output however these are ordered.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", sections 3.4 (embeddings) and 3.5 (positions).
Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section 3.1 (learned positions).
Su et al. 2021, "RoFormer": most recent models turn queries and keys instead of adding positions.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """One learned vector per token number, times sqrt(d_model) if ``scale`` is True.

    Token numbers (int64) run from 0 to vocab_size - 1, GPT-2's to 50256, in a tensor of any shape,
    and none of them is special. The weights themselves are not scaled, the output is.

    Why the factor? Where the table starts with standard deviation 1 / sqrt(d_model), as in the
    authors' program, the factor brings its numbers to size one, which is that of the positions; the
    paper itself gives no reason. (``nn.Embedding`` starts with standard deviation 1. There the
    factor makes the words sqrt(d_model) times larger, and the positions are small beside them.)

    Parameter: ``embedding.weight`` (vocab_size, d_model), so ``embedding`` is an ``nn.Embedding``.

    Source: Vaswani et al. 2017, section 3.4.

    All weights are 0.5, and sqrt(4) = 2:

    >>> layer = TokenEmbedding(10, 4)
    >>> _ = nn.init.constant_(layer.embedding.weight, 0.5)
    >>> layer(torch.tensor([[7, 0]])).detach()
    tensor([[[1., 1., 1., 1.],
             [1., 1., 1., 1.]]])
    """

    def __init__(self, vocab_size: int, d_model: int, scale: bool = True) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.factor = math.sqrt(d_model) if scale else 1.0

    def forward(self, ids: Int[Tensor, "..."]) -> Float[Tensor, "... d_model"]:
        return self.embedding(ids) * self.factor


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
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)
    exponent = (column // 2 * 2).double() / d_model
    angle = position / 10000.0**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).float()


class PositionalEncoding(nn.Module):
    """Adds row t of ``sinusoidal_encoding`` to the token at position t, then drops.

    y = dropout(x + PE[:T])  for x of shape (B, T, d_model)

    Dropout acts on the sum, in train mode only, and drops each number by itself, afresh in every
    call; rows are added in both modes.

    The table is not learned: it is made once and kept as a buffer (``register_buffer``), so that it
    moves with the model and no call computes a sine again. Its shape and name are your choice, and
    so is whether it is persistent, that is, part of the state_dict. A model turned into bfloat16
    answers bfloat16 with bfloat16. Its table may have been rounded to bfloat16 as well; but angles
    must not be computed in bfloat16, which knows no odd numbers above 256.

    Raises:
        ValueError: ``x`` has more than ``max_len`` positions, in train mode or in eval mode.

    Source: Vaswani et al. 2017, sections 3.5 and 5.4.

    >>> layer = PositionalEncoding(4, dropout=0.0, max_len=8)
    >>> layer(torch.zeros(1, 2, 4))
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 5000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x: Float[Tensor, "B T d_model"]) -> Float[Tensor, "B T d_model"]:
        tokens, max_len = x.shape[1], self.table.shape[0]
        if tokens > max_len:
            raise ValueError(f"{tokens} positions, but the table has {max_len}: raise max_len")
        return self.dropout(x + self.table[:tokens])


class LearnedPositionalEmbedding(nn.Module):
    """Adds row t of a learned table to the token at position t, without dropout.

    y = x + weight[:T]  for x of shape (B, T, d_model)

    Parameter: ``weight`` (max_len, d_model), random at the start, as at the top of this page.

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
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_len, d_model) * 0.02)

    def forward(self, x: Float[Tensor, "B T d_model"]) -> Float[Tensor, "B T d_model"]:
        tokens, max_len = x.shape[1], self.weight.shape[0]
        if tokens > max_len:
            raise ValueError(f"{tokens} positions, but the table has {max_len}: raise max_len")
        return x + self.weight[:tokens]


def pe_shift_matrix(k: int, d_model: int) -> Float[Tensor, "d_model d_model"]:
    """The matrix that leads from any position to the one ``k`` further on.

    M @ PE[p] = PE[p + k]  for every position p

    Each pair of columns is a point on a circle. One position further on, it has moved by the same
    angle, wherever it was before. With a the angle of position p in a pair and b the angle of k,

        sin(a + b) =  cos(b) * sin(a) + sin(b) * cos(a)
        cos(a + b) = -sin(b) * sin(a) + cos(b) * cos(a)

    which is a product of a 2 x 2 matrix, made of b alone, with the pair (sin(a), cos(a)). M has one
    such block for each pair, along its diagonal, and zeros elsewhere:

        [ block of pair 0    0                ]
        [ 0                  block of pair 1  ]

    That M does not depend on p is why the authors hoped that a model would learn to attend by
    relative positions. d_model is even, ``k`` may be negative, and the matrix is float32.

    Source: Vaswani et al. 2017, section 3.5, the paragraph after the formula.

    The only pair of d_model = 2 has the angle 1 for k = 1, and cos 1 = 0.5403, sin 1 = 0.8415:

    >>> pe_shift_matrix(1, 2)
    tensor([[ 0.5403,  0.8415],
            [-0.8415,  0.5403]])
    """
    exponent = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    angle = k / 10000.0**exponent
    sine, cosine = angle.sin(), angle.cos()
    rows = torch.stack([cosine, sine, -sine, cosine], dim=-1).view(-1, 2, 2)
    return torch.block_diag(*rows).float()
