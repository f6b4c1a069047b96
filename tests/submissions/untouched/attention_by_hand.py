"""Attention by hand: scores, weights and context vectors of one sentence.

A sentence is a matrix ``x``: one row per token, ``d`` numbers each. Three steps turn every token
into a mixture of all of them:

    scores   = x x^T                how alike are tokens i and j? Any real number.
    weights  = softmax(scores)      the share of token i's attention that token j gets: each row
                                    is positive and sums to one. Scores are not weights.
    contexts = weights x            what token i takes away from the whole sentence

Every function here takes numpy arrays or torch tensors and returns the kind it was given. float64
arrays come back as float64 arrays; tensors keep dtype, device and graph, so gradients flow back.
No input is changed. numpy and torch share more than it seems: ``x.T``, ``@`` and
``x.sum(axis=-1, keepdims=True)`` work for both, and ``_library(x)`` below finds the right ``exp``.

Write it yourself: ``F.scaled_dot_product_attention`` is not available here, under any name.
``torch.softmax`` is welcome here.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2, without its projections.
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
    # TODO: step 1 of 5
    raise NotImplementedError("attention_by_hand: replace this line")


def normalize_by_sum(s: Float[Array, "... T"]) -> Float[Array, "... T"]:
    """The plainest way to make shares: divide every row by its sum, along the last axis.

    shares_j = s_j / sum_k s_k

    The scores are taken as they are, whatever their sign. So a negative score gets a negative
    share, and a row that sums to 0 has no shares at all: the reason why attention takes
    exponentials first.

    Source: Luce 1959, "Individual Choice Behavior", chapter 1: the choice rule for ratio scales.

    >>> normalize_by_sum(np.array([1.0, 2.0, 5.0]))
    array([0.125, 0.25 , 0.625])
    >>> normalize_by_sum(np.array([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])).round(4)
    array([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    """
    # TODO: step 2 of 5
    raise NotImplementedError("attention_by_hand: replace this line")


def attention_weights(x: Float[Array, "T d"], scale: float | None = None) -> Float[Array, "T T"]:
    """Whom each token attends to: row i holds the shares of token i, and sums to one.

    weights = softmax(scale * x x^T), along the last axis

    ``scale`` multiplies the scores before the softmax. None means the scores as they are; any
    number counts as a scale: a negative one, and also 0, which makes all weights equal. Rows of
    any size must come out finite: exp overflows from 89 in float32 and from 710 in float64.

    A token need not attend most to itself. In the last example only tokens 0 and 1 do.

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
    # TODO: step 3 of 5
    raise NotImplementedError("attention_by_hand: replace this line")


def context_vectors(x: Float[Array, "T d"]) -> Float[Array, "T d"]:
    """What each token takes away: all rows of ``x``, mixed by the token's weights.

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
    # TODO: step 4 of 5
    raise NotImplementedError("attention_by_hand: replace this line")


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
    # TODO: step 5 of 5
    raise NotImplementedError("attention_by_hand: replace this line")
