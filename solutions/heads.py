"""Heads: one wide row of features, read as several narrow ones.

Idea
----

Multi-head attention runs several attentions, called heads, side by side. It multiplies every token
by one matrix, which makes it H * d numbers wide, and head h then works on columns of its own, d of
them. This page cuts the wide rows into heads, multiplies the matrices of all heads at once, and
puts the heads together again.

Formula
-------

    split_heads:  out[..., h, t, c] = x[..., t, h * d + c]
    merge_heads:  out[..., t, h * d + c] = x[..., h, t, c]

t counts the tokens, h the heads, and c the d columns of a head. ``...`` stands for any number of
leading axes, none included (often there is one, for the sentences of a batch).

Worked example
--------------

Three tokens, two heads of width 2:

    token 0:   1  2 |  3  4            head 0:   1  2        head 1:   3  4
    token 1:   5  6 |  7  8      ->              5  6                  7  8
    token 2:   9 10 | 11 12                      9 10                 11 12

``reshape`` reads the numbers row after row, and fills the new shape with them in the same order. So
it can cut each token into its heads:

>>> x = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
>>> x.reshape(3, 2, 2)  # tokens, heads, columns
tensor([[[ 1,  2],
         [ 3,  4]],
<BLANKLINE>
        [[ 5,  6],
         [ 7,  8]],
<BLANKLINE>
        [[ 9, 10],
         [11, 12]]])

But it cannot put the heads' axis first. The shape is right then, and the numbers are not: this head
0 holds token 0 twice, once with the columns of head 1, and never token 2.

>>> x.reshape(2, 3, 2)[0]
tensor([[1, 2],
        [3, 4],
        [5, 6]])

Exchanging two axes, after the cut, is what is missing:

>>> split_heads(x, num_heads=2)
tensor([[[ 1,  2],
         [ 5,  6],
         [ 9, 10]],
<BLANKLINE>
        [[ 3,  4],
         [ 7,  8],
         [11, 12]]])

[Figure split: the matrix of three tokens with the columns of head 0 and head 1 in two colours. On
the left, after reshape and transpose, each head has its own two columns of all tokens. On the
right, after reshape(2, 3, 2) alone, both heads hold columns of both colours.]

What is graded
--------------

Every function takes any number of leading axes, none included: count axes from the end. The first
two functions are the move and its reverse. The other four are puzzles: their loops say
what is meant, and a line or two of matrix products or indexing says the same. Loops give right
values too, but slowly. So no Python loop over tokens: the number of torch operations does not
depend on T, slices and other views included. (A loop over heads is fine, and so is one over blocks,
though a longer text has more of them.)

Every function keeps the dtype and the device of its inputs, lets gradients through and leaves the
inputs as they were. Inputs may be laid out in memory in any way: transposed, sliced or expanded.
Sizes may coincide, and there may be hundreds of tokens.

Why it is like this
-------------------

Why does the heads' axis come before the tokens' axis? ``@`` multiplies the matrices in the last two
axes, and does so for all axes before them. With the shape (..., H, T, d) the last two axes are one
matrix for each head, so a single ``@`` serves all heads of all sentences.

Why does ``view`` fail after ``transpose``? ``transpose`` moves no numbers in memory, it only counts
the axes in another order. ``view`` never copies, so it refuses where the new shape does not fit the
order in memory: then ``contiguous()`` must copy first. ``reshape`` and ``flatten`` copy where they
have to.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2; Raschka, Build a Large Language
Model (From Scratch), 2024, section 3.6.2, which splits and merges the heads in this way.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor


def split_heads(x: Float[Tensor, "... T H*d"], num_heads: int) -> Float[Tensor, "... H T d"]:
    """The columns of every token divided among ``num_heads`` heads.

    Head h holds the columns h*d to (h+1)*d - 1 of all tokens, and the heads' axis comes before
    the tokens':

        for h in range(num_heads):
            out[..., h, :, :] = x[..., :, h * d : (h + 1) * d]

    Raises:
        ValueError: the width of ``x`` is not a multiple of ``num_heads``.

    Source: Vaswani et al. 2017, section 3.2.2 (h parallel heads of width d_model / h).

    >>> split_heads(torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), num_heads=2)
    tensor([[[1., 2.],
             [5., 6.]],
    <BLANKLINE>
            [[3., 4.],
             [7., 8.]]])
    """
    # BEGIN SOLUTION
    *leading, length, width = x.shape
    if width % num_heads:
        raise ValueError(f"a width of {width} cannot be split into {num_heads} heads")
    return x.reshape(*leading, length, num_heads, width // num_heads).transpose(-3, -2)
    # END SOLUTION


def merge_heads(x: Float[Tensor, "... H T d"]) -> Float[Tensor, "... T H*d"]:
    """The heads of every token side by side again: the reverse of ``split_heads``.

        for h in range(H):
            out[..., :, h * d : (h + 1) * d] = x[..., h, :, :]

    Source: Vaswani et al. 2017, section 3.2.2, Concat(head_1, ..., head_h).

    >>> merge_heads(torch.tensor([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]))
    tensor([[1., 2., 3., 4.],
            [5., 6., 7., 8.]])
    """
    # BEGIN SOLUTION
    return x.transpose(-3, -2).flatten(start_dim=-2)
    # END SOLUTION


def head_scores(a: Float[Tensor, "... H T d"]) -> Float[Tensor, "... H T T"]:
    """All dot products between the tokens of each head, unscaled.

        for h in range(H):
            for i in range(T):
                for j in range(T):
                    out[..., h, i, j] = (a[..., h, i, :] * a[..., h, j, :]).sum(-1)

    Source: Raschka, Build a Large Language Model (From Scratch), 2024, section 3.6.2, whose example
    this is. It has one sentence, two heads, three tokens and four columns:

    >>> a = torch.tensor([[[[0.2745, 0.6584, 0.2775, 0.8573],
    ...                     [0.8993, 0.0390, 0.9268, 0.7388],
    ...                     [0.7179, 0.7058, 0.9156, 0.4340]],
    ...                    [[0.0772, 0.3565, 0.1479, 0.5331],
    ...                     [0.4066, 0.2318, 0.4545, 0.9737],
    ...                     [0.4606, 0.5159, 0.4220, 0.5786]]]])
    >>> head_scores(a)
    tensor([[[[1.3208, 1.1631, 1.2879],
              [1.1631, 2.2150, 1.8424],
              [1.2879, 1.8424, 2.0402]],
    <BLANKLINE>
             [[0.4391, 0.7003, 0.5903],
              [0.7003, 1.3737, 1.0620],
              [0.5903, 1.0620, 0.9912]]]])
    """
    # BEGIN SOLUTION
    return a @ a.mT
    # END SOLUTION


def head_values(
    weights: Float[Tensor, "... H Tq Tk"], v: Float[Tensor, "... H Tk d"]
) -> Float[Tensor, "... H Tq d"]:
    """In each head, for each query, the sum of the values times that query's weights.

    The weights are used as they are, whatever they sum to.

        for h in range(H):
            for i in range(Tq):
                for j in range(Tk):
                    out[..., h, i, :] += weights[..., h, i, j, None] * v[..., h, j, :]

    (with ``out`` full of zeros at first)

    Source: Vaswani et al. 2017, section 3.2.1, the last product of eq. (1).

    Head 0 takes half of 2 and half of 4, head 1 takes the second value, 8:

    >>> weights = torch.tensor([[[0.5, 0.5]], [[0.0, 1.0]]])
    >>> head_values(weights, torch.tensor([[[2.0], [4.0]], [[6.0], [8.0]]]))
    tensor([[[3.]],
    <BLANKLINE>
            [[8.]]])
    """
    # BEGIN SOLUTION
    return weights @ v
    # END SOLUTION


def relative_shift(x: Float[Tensor, "... T 2*T-1"]) -> Float[Tensor, "... T T"]:
    """From scores by distance to scores by position.

    Some models score a key by how far it is from the query, so that the same weights serve at every
    position of a text. Column c of ``x`` belongs to the distance c - (T - 1): the keys that far
    ahead of the query (behind it, if negative). The result has a column per key instead:

        for i in range(T):
            for j in range(T):
                out[..., i, j] = x[..., i, j - i + T - 1]

    A tensor can be indexed with tensors of row and column numbers. These are broadcast to one
    shape, and the result has that shape: here row 0 is read at the columns 2 and 0, row 1 at 1 and
    1.

    >>> table = torch.tensor([[10, 11, 12], [20, 21, 22]])
    >>> table[torch.tensor([[0], [1]]), torch.tensor([[2, 0], [1, 1]])]
    tensor([[12, 10],
            [21, 21]])

    Source: Huang et al. 2018, "Music Transformer" (there called skewing); Dai et al. 2019,
    "Transformer-XL", appendix B.

    For T = 3, row 0 (the first token) has keys at the distances 0, 1, 2, row 1 at -1, 0, 1:

    >>> x = torch.arange(15.0).reshape(3, 5)
    >>> x
    tensor([[ 0.,  1.,  2.,  3.,  4.],
            [ 5.,  6.,  7.,  8.,  9.],
            [10., 11., 12., 13., 14.]])
    >>> relative_shift(x)
    tensor([[ 2.,  3.,  4.],
            [ 6.,  7.,  8.],
            [10., 11., 12.]])
    """
    # BEGIN SOLUTION
    length = x.shape[-2]
    position = torch.arange(length, device=x.device)
    distance = position - position[:, None]
    return x[..., position[:, None], distance + length - 1]
    # END SOLUTION


def block_diag_attention(
    q: Float[Tensor, "... T d"],
    k: Float[Tensor, "... T d"],
    v: Float[Tensor, "... T d_v"],
    block: int,
) -> Float[Tensor, "... T d_v"]:
    """Attention inside blocks of ``block`` neighbouring positions; T is a multiple of ``block``.

    Attention between all T positions needs T * T scores. Inside blocks it needs T * block, so long
    texts cost less. For T = 6 and block = 2, an x marks the scores that are computed:

        x x . . . .
        x x . . . .
        . . x x . .
        . . x x . .
        . . . . x x
        . . . . x x

    The first ``block`` positions are one block, the next ``block`` positions another. A position
    attends to all of its own block and to nothing else, however large its score with a position
    outside. Scores are scaled by 1 / sqrt(d), and those of several hundred must not overflow. Who
    computes all T * T scores and forbids those outside pays more and is right, too.

        for start in range(0, T, block):
            own = slice(start, start + block)
            scores = q[..., own, :] @ k[..., own, :].mT / math.sqrt(d)
            out[..., own, :] = scores.softmax(-1) @ v[..., own, :]

    Source: Liu et al. 2018, "Generating Wikipedia by Summarizing Long Sequences" (there called
    local attention).

    Equal scores, so every position gets the mean of its block:

    >>> q = k = torch.zeros(4, 3)
    >>> block_diag_attention(q, k, torch.tensor([[1.0], [3.0], [10.0], [20.0]]), block=2)
    tensor([[ 2.],
            [ 2.],
            [15.],
            [15.]])
    """
    # BEGIN SOLUTION
    q, k, v = (x.unflatten(-2, (-1, block)) for x in (q, k, v))
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return (weights @ v).flatten(-3, -2)
    # END SOLUTION
