"""Scaled dot-product attention: every query asks all keys, and is answered in values.

A query and a key that point the same way have a large dot product. Softmax turns a query's
scores into weights that sum to one, and the answer is the average of the values under them.

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

Why the square root: the dot product of two random vectors of width d_k has the variance d_k. The
division brings the scores back to size one, where softmax still has gradients to give.

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax`` and ``F.dropout`` are welcome here.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, eq. (1).
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def scaled_dot_product_attention(
    q: Float[Tensor, "... Tq d_k"],
    k: Float[Tensor, "... Tk d_k"],
    v: Float[Tensor, "... Tk d_v"],
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    *,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    training: bool = False,
) -> tuple[Float[Tensor, "... Tq d_v"], Float[Tensor, "... Tq Tk"]]:
    """The values averaged under each query's weights, and the weights: ``(out, weights)``.

    scores = scale * q @ k^T,  weights = softmax(scores + mask),  out = weights @ v

    Softmax runs over the keys, so every row of ``weights`` sums to one. Any number of leading
    axes, none included; q, k and v share them. Any number of queries and keys, in any layout. Both
    results have the dtype (float32, float64 or bfloat16) and the device of the inputs, and
    gradients flow back through both, to q, k, v and an additive mask. The inputs, the mask too,
    stay as they were, and no call remembers an earlier one. Every option means the same whatever
    the others are.

    Scores of several hundred must not overflow, and a key that may not be attended to gets no
    weight however large its score: forbid it before the softmax. Every query may attend to one
    key at least: rows without any, for which ``masked_softmax`` has a rule, are not asked for here.

    No Python loop over queries or keys: the number of torch operations does not depend on Tq or
    Tk. And no tensor on the way is larger than a few times ``weights`` and the inputs: none of
    shape (..., Tq, Tk, d), which a matrix product sums up without ever storing it. Measured on some
    hundred tokens, time and memory are at most three times what the plain formula needs on whole
    matrices.

    Args:
        mask: broadcastable to (..., Tq, Tk). Boolean: True = may attend. Floating point, of the
            inputs' dtype: added to the scaled scores, so any finite number shifts a score and
            -inf forbids. None: every query may attend to every key.
        dropout_p: 0 <= dropout_p < 1. While ``training``, each weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout_p, afresh in every call, before
            the values are averaged. Each on its own: no two queries, keys, heads or batches share
            their luck. The weights returned are the ones before dropout.
        is_causal: position i may attend to the keys 0..i only (for Tq = Tk). Given together with
            a mask, both must allow, and an additive mask still shifts what is allowed.
        scale: the factor on the scores in place of 1 / sqrt(d_k); 0.0 is a factor like any other.
            None: 1 / sqrt(d_k).
        training: no dropout unless True, whatever ``dropout_p`` says.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1).

    Width 4, so the scores are divided by 2; they are then log 3 and log 1, shares of 3 to 1:

    >>> q, k = torch.tensor([[2.0, 0.0, 0.0, 0.0]]), torch.tensor([[3.0, 1, 1, 1], [1, 1, 1, 1]])
    >>> v = torch.tensor([[0.0, 8.0], [4.0, 0.0]])
    >>> out, weights = scaled_dot_product_attention(q, k.log(), v)
    >>> out.round(decimals=4), weights.round(decimals=4)
    (tensor([[1., 6.]]), tensor([[0.7500, 0.2500]]))
    >>> scaled_dot_product_attention(q, k.log(), v, mask=torch.tensor([[False, True]]))
    (tensor([[4., 0.]]), tensor([[0., 1.]]))
    """
    # TODO: step 1 of 3, the plain formula
    #       step 2 of 3, with a mask
    #       step 3 of 3, is_causal and dropout
    raise NotImplementedError("attention: replace this line")
