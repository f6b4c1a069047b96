"""Masks: which tokens may attend to which.

Idea
----

In attention every token has a score with every token. The one whose result is computed is called
the query, the ones that it looks at are called the keys. Some pairs must not count: a model that
learns to predict the next token must not see that token. A mask is a table that says for each query
and each key whether the query may attend to the key.

In this course a mask is a bool tensor, and **True means: may attend**. (Only a mask that is called
additive is something else: numbers to be added to the scores.) The last axis of a mask runs over
the keys, the axis before it over the queries.

Formula
-------

    weights_j = exp(scores_j) / sum of exp(scores_k) over the k with mask_k = True

This is softmax over the allowed keys alone. A forbidden key j has the weight 0.

Worked example
--------------

Three tokens with the numbers 5, 6 and 0, where 0 is padding (it fills up a short sentence so that
all sentences of a batch are equally long). An x stands for True:

                 causal mask    padding mask    both
    key:          5  6  0        5  6  0         5  6  0

    query 5       x  .  .        x  x  .         x  .  .
    query 6       x  x  .        x  x  .         x  x  .
    query 0       x  x  x        x  x  .         x  x  .

[Figure shares: the three masks, and under each the weights of the scores 1, 2, 3. Each row of
weights sums to one over the allowed keys: with the causal mask the first query gives 1 to itself,
with the padding mask no query gives anything to the pad.]

The same with the functions of this page, and the weights for the scores 1, 2, 3 in each row:

>>> padding = padding_mask(torch.tensor([[5, 6, 0]]), pad_id=0)
>>> both = combine_masks(causal_mask(3), padding)
>>> both.shape  # sentences, heads, queries, keys
torch.Size([1, 1, 3, 3])
>>> scores = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
>>> masked_softmax(scores, both[0, 0])
tensor([[1.0000, 0.0000, 0.0000],
        [0.2689, 0.7311, 0.0000],
        [0.2689, 0.7311, 0.0000]])

0.7311 is exp(2) / (exp(1) + exp(2)).

What is graded
--------------

Two parts. First ``causal_mask``, ``padding_mask``, ``combine_masks`` and ``masked_softmax``: these
are what attention needs. Then ``to_additive`` and ``to_mha_mask``, which write a mask in the two
other forms that you will meet, and the rows of ``masked_softmax`` in which nothing is allowed.

Masks are built with tensor operations alone, on the device asked for or on the device of the
input: on a GPU, or on torch's ``meta`` device. (Tensors there have a shape but no values. It serves
to see, without a GPU, whether everything is made on one device.) No Python loop fills a mask or
runs over tokens, sentences or rows: the number of torch operations does not depend on how many
there are. Masks, scores and token numbers may have any layout (transposed or expanded views), and
none of them is changed. No call remembers what an earlier one was given.

``torch.softmax`` is welcome here.

Why it is like this
-------------------

Why before the softmax? Suppose the weights of the scores 1, 2, 3 are computed first, and the third
is set to 0 afterwards:

>>> torch.softmax(torch.tensor([1.0, 2.0, 3.0]), dim=-1)
tensor([0.0900, 0.2447, 0.6652])

0.0900 and 0.2447 remain. Their sum is 0.3347 instead of 1. Dividing by that sum would mend it here.
But if the forbidden score were 800, the two allowed weights would be 0, and 0 / 0 is NaN.

Why minus infinity? The usual way to forbid a key is to replace its score by -inf, or by a number
such as -1e9: exp(-inf) = 0, so the key has no part in the sum. (A large number has its limits: a
score may be lower still, and float16 ends at -65504.)

Why zeros where nothing is allowed? A row of -inf alone gives NaN, "not a number". NaN spreads: one
NaN makes all numbers NaN that are computed from it, the gradients of all weights too.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3; Rush 2018, "The Annotated
Transformer", which builds both kinds of mask.
"""

from __future__ import annotations

import functools
import operator

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask(
    q_len: int, k_len: int | None = None, *, device: torch.device | str | None = None
) -> Bool[Tensor, "q_len k_len"]:
    """No token sees its future: query i may attend to key j if j <= i + k_len - q_len.

    Usually there are as many queries as keys: None for ``k_len`` means ``q_len``, and query i may
    attend to the keys 0 to i.

    A model that writes a text token by token may store the keys of the earlier tokens (the store is
    called a cache) and compute queries for the newest tokens only. So the queries are the last
    ``q_len`` of the ``k_len`` tokens: the last query sees every key. ``k_len`` is at least
    ``q_len``.

    The shape is exactly (q_len, k_len), of any size: nothing ends at 1024 tokens. The mask is made
    on ``device``; None means torch's default, which ``torch.set_default_device`` may have changed.

    Source: Vaswani et al. 2017, section 3.2.3, third item.

    >>> causal_mask(3)
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    >>> causal_mask(2, 5)  # two new tokens, after three whose keys are stored
    tensor([[ True,  True,  True,  True, False],
            [ True,  True,  True,  True,  True]])
    """
    # BEGIN SOLUTION
    k_len = q_len if k_len is None else k_len
    everything = torch.ones(q_len, k_len, dtype=torch.bool, device=device)
    return everything.tril(k_len - q_len)
    # END SOLUTION


def padding_mask(ids: Int[Tensor, "B S"], pad_id: int) -> Bool[Tensor, "B 1 1 S"]:
    """No token attends to padding: False at the keys whose id is ``pad_id``, wherever they stand.

    ``ids`` holds the numbers of the tokens, one sentence in each row. ``ids`` are of any integer
    dtype, and ``pad_id`` is any whole number that fits into it: a GPT-2 pad is 50256.

    The two axes of size 1 stand for the heads and the queries, so that the mask broadcasts to
    scores of shape (B, H, T, S): sentences, heads, queries, keys. (Heads are several attentions
    side by side; they have a page of their own.)

    Padding is masked as a key, not as a query. The result at a padding position is not used later,
    so it does not matter what a pad attends to.

    Source: Rush 2018, "The Annotated Transformer", section "Batches and Masking".

    >>> padding_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]), pad_id=0)
    tensor([[[[ True,  True, False]]],
    <BLANKLINE>
    <BLANKLINE>
            [[[ True, False, False]]]])
    """
    # BEGIN SOLUTION
    return (ids != pad_id)[:, None, None, :]
    # END SOLUTION


def combine_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """One mask out of one or more: a query may attend to a key only if every mask allows it.

    The masks need not have the same shape; they broadcast as in any other tensor operation, from
    the last axis on. The result has as many axes as the mask that has the most. Of one mask it may
    be that mask itself.

    ``&`` combines two masks. A loop over the masks is fine. So is ``functools.reduce``, of Python's
    standard library, which applies a function of two arguments to all masks one after another; the
    module ``operator`` has ``&`` as a function, ``and_``.

    Source: Rush 2018, "The Annotated Transformer", section "Batches and Masking".

    >>> combine_masks(causal_mask(3), torch.tensor([False, True, True]))
    tensor([[False, False, False],
            [False,  True, False],
            [False,  True,  True]])
    """
    # BEGIN SOLUTION
    return functools.reduce(operator.and_, masks)
    # END SOLUTION


def masked_softmax(
    scores: Float[Tensor, "..."], mask: Bool[Tensor, "..."], dim: int = -1
) -> Float[Tensor, "..."]:
    """Softmax along ``dim`` over the allowed scores; forbidden ones get the weight 0.

    weights_j = exp(scores_j) / sum of exp(scores_k) over the k with mask_k = True

    ``mask`` (True = may attend) broadcasts to the shape of ``scores``, which is the shape of the
    result and may have any number of axes; ``dim`` is any of them. The dtype is that of ``scores``,
    and so is the dtype of their gradient. The mask acts before the softmax: a forbidden score, be
    it 800 above the allowed ones, must not disturb their weights. Scores between -400 and 400 come
    out finite in every dtype, float16 and bfloat16 (two formats of 16 bits) included.

    Where nothing at all is allowed along ``dim``, there is no distribution. The rule here is: all
    weights are exactly 0, and so are the gradients of these scores. torch's own
    ``F.scaled_dot_product_attention`` has the same rule today.

    Source: Vaswani et al. 2017, section 3.2.3.

    The second row of this example allows nothing:

    >>> scores = torch.tensor([[0.0, 1.0, 400.0], [1.0, 2.0, 3.0]])
    >>> masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
    tensor([[0.2689, 0.7311, 0.0000],
            [0.0000, 0.0000, 0.0000]])
    """
    # BEGIN SOLUTION
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim)
    return weights.masked_fill(~mask, 0.0)
    # END SOLUTION


def to_additive(mask: Bool[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """A mask to be added to scores: 0 where ``mask`` is True, minus infinity where it is False.

    Adding 0 changes no score, and a score plus -inf is -inf, which softmax turns into the weight 0.

    Instead of -inf any number will do that is finite in ``dtype`` and at most -1e4: no score of
    ordinary size makes up for it. ``torch.finfo(dtype).min`` is the lowest. float16 is a format of
    16 bits whose numbers end at 65504, so -1e9 does not exist in float16.

    The result has ``dtype``, the mask's shape and the mask's device, and no NaN. Note that 0 * inf
    is NaN.

    Source: Vaswani et al. 2017, section 3.2.3: "masking out (setting to -inf)".

    >>> to_additive(torch.tensor([True, False]), torch.float32)
    tensor([0., -inf])
    """
    # BEGIN SOLUTION
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill(~mask, -torch.inf)
    # END SOLUTION


def to_mha_mask(mask: Bool[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
    """The same mask for ``torch.nn.MultiheadAttention``, where True means: ignore this key.

    A new bool tensor of the same shape, with the opposite meaning. Both meanings are in use, also
    within torch: in ``F.scaled_dot_product_attention``, True means "may attend" as it does here. So
    look it up wherever you give a mask to a function.

    Source: PyTorch documentation, torch.nn.MultiheadAttention.forward, ``attn_mask``.

    >>> to_mha_mask(causal_mask(2))
    tensor([[False,  True],
            [False, False]])
    """
    # BEGIN SOLUTION
    return ~mask
    # END SOLUTION
