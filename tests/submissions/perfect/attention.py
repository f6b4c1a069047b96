"""Scaled dot-product attention: averages of values, weighted by how well keys fit queries.

Idea
----

Every token has three vectors. Its query says what it looks for, its key says what it can be found
by, and its value is what it gives to others. A query is compared with all keys, and its answer is
an average of the values, in which the value behind a better matching key counts more.

Where the three vectors come from does not matter here. The page ``self_attention`` makes them from
the tokens, with weights that are learned.

Formula
-------

    Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

Q holds one query per row, K one key per row, V one value per row. There are Tq queries, and Tk keys
with as many values. Queries and keys are d_k numbers wide, values d_v numbers. For Tq = 2, Tk = 3:

    Q K^T            | how well each query fits each key   | (Tq, Tk) | [ . . . ]
                     |                                     |          | [ . . . ]
    softmax(...)     | the weights: each row sums to one   | (Tq, Tk) | [ . . . ]
                     |                                     |          | [ . . . ]
    softmax(...) V   | an average of values for each query | (Tq, d_v)

[Figure flow: Q (Tq, d_k) times K transposed (d_k, Tk) gives the scores (Tq, Tk). Divided by
sqrt(d_k), and after a softmax, they are the weights (Tq, Tk), each row of which sums to one. The
weights times V (Tk, d_v) give the result (Tq, d_v).]

Worked example
--------------

One query and three tokens to look at. The width d_k is 4, so the scores are divided by 2.

>>> q = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
>>> k = torch.tensor([[0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0], [2.0, 1.0, 0.0, 0.0]])
>>> v = torch.tensor([[10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
>>> q @ k.T  # the scores: 2 * 0, 2 * 1, 2 * 2
tensor([[0., 2., 4.]])
>>> torch.softmax(torch.tensor([[0.0, 1.0, 2.0]]), dim=-1)  # scaled: each score divided by 2
tensor([[0.0900, 0.2447, 0.6652]])
>>> torch.tensor([[0.0900, 0.2447, 0.6652]]) @ v  # 0.0900 * 10 + 0.6652 * 10 = 7.552
tensor([[7.5520, 9.0990]])

[Figure weights: the same numbers in three columns, one for each key: scores 0, 2, 4; divided by 2,
they are 0, 1, 2; weights 0.09, 0.24, 0.67, the larger the darker; each times its value (10, 0), (0,
10), (10, 10); the sum is (7.55, 9.10).]

Now the third key is forbidden by a mask. Its score becomes -inf, and exp(-inf) is 0:

>>> torch.softmax(torch.tensor([[0.0, 1.0, -torch.inf]]), dim=-1)
tensor([[0.2689, 0.7311, 0.0000]])

What is graded
--------------

One function, which is best written in five steps, with a look at the checks after each of them.
What comes in a later step may raise NotImplementedError until then, or be ignored.

1. the formula, for q, k and v with any number of axes before the last two; ``scale`` belongs to it
2. ``mask`` as a boolean one
3. ``mask`` as one that is added to the scores
4. ``is_causal``
5. ``dropout_p`` with ``training``: the dropout of the page ``dropout``, on the weights

Write it yourself: ``F.scaled_dot_product_attention`` and ``nn.MultiheadAttention`` are not
available here, under any name. ``torch.softmax`` and ``F.dropout`` are welcome here. (F is
``torch.nn.functional``, which you then import.)

Why it is like this
-------------------

Why divide by sqrt(d_k)? Take a query and a key whose components are independent, with mean 0 and
variance 1. Their dot product is a sum of d_k products, and has the variance d_k. So scores grow
with the width: for d_k = 64 their standard deviation is 8. Softmax then gives nearly all weight to
one key, and where a weight w is nearly 0 or 1, its gradient w * (1 - w) is nearly 0. The division
brings the standard deviation back to 1.

>>> torch.softmax(torch.tensor([0.0, 8.0, 16.0]), dim=-1)  # 8 times the scaled scores
tensor([1.1250e-07, 3.3535e-04, 9.9966e-01])

Why forbid before the softmax? What is forbidden must not share in the sum of one. If a weight were
set to 0 afterwards, the other weights of its row would sum to less than one.

Why dropout on the weights? It hides some tokens at random while the model is trained, so that no
answer depends on one token alone.

What does it cost? There is one score for each query and each key: twice as many tokens mean four
times as many scores, in time and in memory.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1; its footnote 4 has the argument
about the variance.
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

    Softmax runs over the keys, so every row of ``weights`` sums to one. Any number of leading axes,
    none included (sentences, for example); q, k and v share them. Any number of queries and keys,
    in any layout.

    Both results have the dtype (float32, float64 or bfloat16) and the device of the inputs, and
    gradients flow back through both, to q, k, v and an additive mask. The inputs, the mask too,
    stay as they were, and no call remembers an earlier one. Every option means the same whatever
    the others are.

    Scores of several hundred must not overflow, and a key that may not be attended to gets no
    weight however large its score: forbid it before the softmax. Every query may attend to one key
    at least, also where a mask and ``is_causal`` meet. A row without any allowed key is not graded
    here: a plain softmax gives NaN for it, and ``masked_softmax`` gives zeros.

    No Python loop over queries or keys: the number of torch operations does not depend on Tq or
    Tk. And no tensor on the way is larger than a few times ``weights`` and the inputs: none of
    shape (..., Tq, Tk, d), which a matrix product sums up without ever storing it. Measured on some
    hundred tokens, time and memory are at most three times what the plain formula needs on whole
    matrices.

    Args:
        mask: broadcastable to (..., Tq, Tk). Boolean: True = may attend. Floating point, of the
            inputs' dtype (an additive mask): added to the scaled scores, so any finite number
            shifts a score and -inf forbids. None: every query may attend to every key.
        dropout_p: 0 <= dropout_p < 1. While ``training``, each weight on its own is set to 0 with
            this probability and otherwise divided by 1 - dropout_p, afresh in every call, before
            the values are averaged. Each on its own: queries, keys, heads and batches share no
            random number. The weights returned are the ones before dropout.
        is_causal: position i may attend to the keys 0..i only, for Tq = Tk. Given together with a
            mask, both must allow, and an additive mask still shifts what is allowed. (With more
            keys than queries there are two conventions, and mixing them up is a well-known bug:
            torch's own ``is_causal`` puts the first query at the first key, while ``causal_mask``
            puts the last query at the last key. This is not graded here.)
        scale: the factor on the scores in place of 1 / sqrt(d_k); 0.0 is a factor like any other.
            None: 1 / sqrt(d_k).
        training: no dropout unless True, whatever ``dropout_p`` says.

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1).

    Width 4, so the scores are divided by 2. They are then log 3 and log 1: weights of 3 to 1.

    >>> q, k = torch.tensor([[2.0, 0.0, 0.0, 0.0]]), torch.tensor([[3.0, 1, 1, 1], [1, 1, 1, 1]])
    >>> v = torch.tensor([[0.0, 8.0], [4.0, 0.0]])
    >>> out, weights = scaled_dot_product_attention(q, k.log(), v)
    >>> out.round(decimals=4), weights.round(decimals=4)
    (tensor([[1., 6.]]), tensor([[0.7500, 0.2500]]))
    >>> scaled_dot_product_attention(q, k.log(), v, mask=torch.tensor([[False, True]]))
    (tensor([[4., 0.]]), tensor([[0., 1.]]))
    """
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    scores = q @ k.mT * scale
    if is_causal:
        past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    if mask is not None:
        boolean = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -torch.inf) if boolean else scores + mask
    weights = scores.softmax(dim=-1)
    dropped = torch.dropout(weights, dropout_p, train=training)
    return dropped @ v, weights
