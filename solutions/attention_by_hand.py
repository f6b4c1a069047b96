"""Attention by hand: scores, weights and context vectors of one sentence.

Idea
----

A token (a word, or a part of one) is described by a row of numbers. Attention describes it anew, by
a mixture of the rows of all tokens in the sentence, in which tokens that are more alike to it have
a larger share. The new row is called the token's context vector.

Formula
-------

A sentence is a matrix x: one row for each of its T tokens, d numbers wide. Three steps:

    scores   = x x^T             | (T, T) | how alike are tokens i and j? Any real number.
    weights  = softmax(scores)   | (T, T) | the share of token j for token i; rows sum to one
    contexts = weights x         | (T, d) | row i is the mixture for token i

Scores and weights are two different things: weights are what softmax makes of scores.

Worked example
--------------

Three tokens with the rows (1, 0), (0.5, 0.5) and (0, 1), and the first one's context vector. First
its scores, the dot products of its row with each row:

>>> x = THREE_WORDS
>>> [float(x[0] @ x[j]) for j in range(3)]
[1.0, 0.5, 0.0]

Then its weights: exponentials, divided by their sum.

>>> exponentials = np.exp([1.0, 0.5, 0.0])
>>> exponentials.round(4), float(exponentials.sum().round(4))
(array([2.7183, 1.6487, 1.    ]), 5.367)
>>> weights = exponentials / exponentials.sum()
>>> weights.round(4)
array([0.5065, 0.3072, 0.1863])

Then its context vector, the sum of the three rows times their weights:

>>> sum(weights[j] * x[j] for j in range(3)).round(4)
array([0.6601, 0.3399])

[Figure mixture: three columns, one for each row of x. Each row is multiplied with row 0, which
gives the scores 1, 0.5 and 0; softmax makes the weights 0.51, 0.31 and 0.19 of them; and the three
rows times their weights sum to (0.66, 0.34), the context vector of token 0.]

Matrix products do this for all tokens at once: number (i, j) of x x^T is the dot product of the
rows i and j, and row i of weights x is the sum of all rows times the weights of token i.

>>> context_vectors(THREE_WORDS).round(4)
array([[0.6601, 0.3399],
       [0.5   , 0.5   ],
       [0.3399, 0.6601]])

What is graded
--------------

The first four functions follow the three steps. ``dictionary_lookup``, the last one, needs none of
them: its weights are given.

Every function here takes numpy arrays or torch tensors and returns the kind it was given. float64
arrays come back as float64 arrays; tensors keep dtype, device and graph, so gradients flow back.
(The graph is torch's record of how a tensor was computed.) No input is changed. Most of it is
written alike for both kinds: ``x.T``, ``@`` and ``x.sum(axis=-1, keepdims=True)`` work for arrays
and tensors. Where a function has to be taken from numpy or from torch, as ``exp`` has, ask
``_library(x)`` below: it returns torch for a tensor and numpy for an array.

Write it yourself: ``F.scaled_dot_product_attention`` is not available here, under any name.
``torch.softmax`` is welcome here.

Why it is like this
-------------------

Why dot products? They are large where two rows are large in the same columns, so they serve as a
measure of likeness; and one matrix product computes all of them.

Why softmax? Scores may be negative, and then they are no shares. Dividing them by their sum
(``normalize_by_sum``) gives negative shares, and none at all where the sum is 0. Exponentials are
always positive.

What is missing? Here the same row is used three times: it is compared with the other rows, the
other rows are compared with it, and it is mixed into the results. In a Transformer each of these
uses has a matrix of its own, which is learned (the page ``projections_by_hand``).

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, without its projections; Raschka,
Build a Large Language Model (From Scratch), 2024, section 3.3, where the sentence below is from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

Array = np.ndarray | Tensor

THREE_WORDS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])

JOURNEY = np.array(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)


def _library(x: Array) -> Any:
    """Torch for tensors, numpy for arrays: both have exp and amax with ``axis``, ``keepdims``."""
    return torch if isinstance(x, Tensor) else np


def attention_scores(x: Float[Array, "T d"]) -> Float[Array, "T T"]:
    """How alike any two tokens are: the dot products of all rows with all rows.

    scores_ij = sum_k x_ik * x_jk,  in one product: scores = x x^T

    Nothing is scaled or normalised here.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1): the product inside the softmax.

    >>> attention_scores(THREE_WORDS)
    array([[1. , 0.5, 0. ],
           [0.5, 0.5, 0.5],
           [0. , 0.5, 1. ]])
    >>> attention_scores(JOURNEY)[1].round(4)
    array([0.9544, 1.495 , 1.4754, 0.8434, 0.707 , 1.0865])
    """
    # BEGIN SOLUTION
    return x @ x.T
    # END SOLUTION


def normalize_by_sum(s: Float[Array, "... T"]) -> Float[Array, "... T"]:
    """The plainest way to make shares: divide every row by its sum, along the last axis.

    shares_j = s_j / sum_k s_k

    The scores are taken as they are, whatever their sign. So a negative score gets a negative
    share, and a row that sums to 0 has no shares at all. This is the reason why attention takes
    exponentials first.

    Source: Luce 1959, "Individual Choice Behavior", where this is the rule by which choices are
    made.

    >>> normalize_by_sum(np.array([[1.0, 2.0, 5.0], [3.0, 0.0, 1.0]]))
    array([[0.125, 0.25 , 0.625],
           [0.75 , 0.   , 0.25 ]])
    >>> normalize_by_sum(np.array([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])).round(4)
    array([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    """
    # BEGIN SOLUTION
    return s / s.sum(axis=-1, keepdims=True)
    # END SOLUTION


def attention_weights(x: Float[Array, "T d"], scale: float | None = None) -> Float[Array, "T T"]:
    """The weights of all tokens: row i holds the shares of token i, and sums to one.

    weights = softmax(scale * x x^T), along the last axis

    ``scale`` multiplies the scores before the softmax. None means the scores as they are; any
    number counts as a scale: a negative one, and also 0, which makes all weights equal. (Why
    attention has a scale is explained on the page ``attention``.) With a scale that is not
    negative, weights must come out finite for scores of any size: exp overflows from 89 in float32
    and from 710 in float64.

    A token need not attend most to itself. In the last example, which says for each token where its
    largest weight is, only tokens 0 and 1 do.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1), with q = k = x and scale = 1 / sqrt(d).

    >>> attention_weights(THREE_WORDS, scale=2**-0.5).round(4)
    array([[0.4555, 0.3199, 0.2246],
           [0.3333, 0.3333, 0.3333],
           [0.2246, 0.3199, 0.4555]])
    >>> attention_weights(JOURNEY)[1].round(4)
    array([0.1385, 0.2379, 0.2333, 0.124 , 0.1082, 0.1581])
    >>> attention_weights(JOURNEY).argmax(axis=-1)
    array([0, 1, 1, 1, 2, 1])
    """
    # BEGIN SOLUTION
    scores = attention_scores(x)
    if scale is not None:
        scores = scale * scores
    library = _library(x)
    exponentials = library.exp(scores - library.amax(scores, axis=-1, keepdims=True))
    return normalize_by_sum(exponentials)
    # END SOLUTION


def context_vectors(x: Float[Array, "T d"]) -> Float[Array, "T d"]:
    """The context vector of each token: all rows of ``x``, mixed by the token's weights.

    contexts_i = sum_j weights_ij * x_j,  weights = attention_weights(x), without a scale

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1), with q = k = v = x.

    >>> context_vectors(JOURNEY).round(4)
    array([[0.4421, 0.5931, 0.579 ],
           [0.4419, 0.6515, 0.5683],
           [0.4431, 0.6496, 0.5671],
           [0.4304, 0.6298, 0.551 ],
           [0.4671, 0.591 , 0.5266],
           [0.4177, 0.6503, 0.5645]])
    """
    # BEGIN SOLUTION
    return attention_weights(x) @ x
    # END SOLUTION


def dictionary_lookup(
    query_weights: Float[Array, "n"], values: Float[Array, "n *d"]
) -> Float[Array, "*d"]:
    """A dictionary that answers with a mixture of its values instead of with one of them.

    answer = sum_j query_weights_j * values_j

    A shop sells apples for 10, bananas for 5 and chairs for 2. Asked for "fruit", which is 0.6
    apple, 0.4 banana and no chair, it answers 0.6 * 10 + 0.4 * 5 + 0 * 2 = 8.

    The weights are used as they are, also when they do not sum to one. Values of shape (n,) give
    one number: a tensor without axes, or for arrays numpy's or Python's own float. Values of shape
    (n, d) give a vector of shape (d,). Both arguments are of the same kind.

    Source: Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by Jointly Learning to Align
    and Translate", section 3.1, eq. (5).

    >>> print(dictionary_lookup(np.array([0.6, 0.4, 0.0]), np.array([10.0, 5.0, 2.0])))
    8.0
    >>> for weights in attention_weights(THREE_WORDS, scale=2**-0.5):
    ...     print(dictionary_lookup(weights, THREE_WORDS).round(4))
    [0.6155 0.3845]
    [0.5 0.5]
    [0.3845 0.6155]
    """
    # BEGIN SOLUTION
    return query_weights @ values
    # END SOLUTION
