"""Masks: who may attend to whom.

Here and everywhere in this course a mask is a bool tensor, and **True means: may attend**. Its
last axis runs over the keys, the axis before it over the queries, and it broadcasts to the shape
of the scores (B, H, T, S): batch, heads, queries, keys.

Masks are built with tensor operations alone, on the device asked for or on the device of the
input: on a GPU, or on torch's ``meta`` device, where tensors have a shape but no values. No Python
loop fills a mask or runs over tokens, sentences or rows: the number of torch operations does not
depend on how many there are. Masks, scores and token numbers may have any layout (transposed or
expanded views), and none of them is changed. No call remembers what an earlier one was given.

``torch.softmax`` is welcome here.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3.
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

    The queries are the last ``q_len`` of the ``k_len`` tokens, as they are when the keys of
    earlier tokens come from a cache: the last query sees every key. ``k_len`` is at least
    ``q_len``; None means ``q_len``. The shape is exactly (q_len, k_len), of any size: nothing ends
    at 1024 tokens. The mask is made on ``device``; None means torch's default, which
    ``torch.set_default_device`` may have changed.

    Source: Vaswani et al. 2017, section 3.2.3, third item.

    >>> causal_mask(3)
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    >>> causal_mask(2, 5)
    tensor([[ True,  True,  True,  True, False],
            [ True,  True,  True,  True,  True]])
    """
    # TODO: step 1 of 6
    raise NotImplementedError("masks: replace this line")


def padding_mask(ids: Int[Tensor, "B S"], pad_id: int) -> Bool[Tensor, "B 1 1 S"]:
    """Nobody attends to padding: False at the keys whose id is ``pad_id``, wherever they stand.

    ``ids`` are of any integer dtype, and ``pad_id`` is any whole number that fits into it: a GPT-2
    pad is 50256. The two axes of size 1 stand for the heads and the queries, so that the mask
    broadcasts to scores of shape (B, H, T, S). The rows of pads are not masked: what a pad attends
    to does not matter, its answer is thrown away later.

    Source: Rush et al. 2018, "The Annotated Transformer", section "Batches and Masking".

    >>> padding_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]), pad_id=0)
    tensor([[[[ True,  True, False]]],
    <BLANKLINE>
    <BLANKLINE>
            [[[ True, False, False]]]])
    """
    # TODO: step 2 of 6
    raise NotImplementedError("masks: replace this line")


def combine_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """One mask out of one or more: a query may attend to a key only if every mask allows it.

    The masks need not have the same shape; they broadcast as in any other tensor operation: the
    last axes are the same, and axes of size 1 stay, also in front.

    Source: Rush et al. 2018, "The Annotated Transformer", section "Batches and Masking".

    >>> combine_masks(causal_mask(3), torch.tensor([False, True, True]))
    tensor([[False, False, False],
            [False,  True, False],
            [False,  True,  True]])
    """
    # TODO: step 3 of 6
    raise NotImplementedError("masks: replace this line")


def to_additive(mask: Bool[Tensor, "*shape"], dtype: torch.dtype) -> Float[Tensor, "*shape"]:
    """A mask to be added to scores: 0 where ``mask`` is True, minus infinity where it is False.

    Instead of -inf any number will do that is finite in ``dtype`` and at most -1e4: no score of
    ordinary size makes up for it. ``torch.finfo(dtype).min`` is the lowest; -1e9 does not exist in
    float16. The result has ``dtype``, the mask's shape and the mask's device, and no NaN: beware
    of 0 * inf.

    Source: Vaswani et al. 2017, section 3.2.3: "masking out (setting to -inf)".

    >>> to_additive(torch.tensor([True, False]), torch.float32)
    tensor([0., -inf])
    """
    # TODO: step 4 of 6
    raise NotImplementedError("masks: replace this line")


def to_mha_mask(mask: Bool[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
    """The same mask for ``torch.nn.MultiheadAttention``, where True means: ignore this key.

    A new bool tensor of the same shape, with the opposite meaning.

    Source: PyTorch documentation, torch.nn.MultiheadAttention.forward, ``attn_mask``.

    >>> to_mha_mask(causal_mask(2))
    tensor([[False,  True],
            [False, False]])
    """
    # TODO: step 5 of 6
    raise NotImplementedError("masks: replace this line")


def masked_softmax(
    scores: Float[Tensor, "..."], mask: Bool[Tensor, "..."], dim: int = -1
) -> Float[Tensor, "..."]:
    """Softmax along ``dim`` over the allowed scores; forbidden ones get the weight 0.

    weights_j = exp(scores_j) / sum of exp(scores_k) over the k with mask_k = True

    ``mask`` (True = may attend) broadcasts to the shape of ``scores``, which is the shape of the
    result and may have any number of axes; ``dim`` is any of them. The dtype is that of ``scores``,
    and so is the dtype of their gradient. The mask acts before the softmax: a forbidden score, be
    it 800 above the allowed ones, must not disturb their weights. Scores between -400 and 400 come
    out finite in every dtype, float16 and bfloat16 included.

    Where nothing at all is allowed along ``dim``, there is no distribution. The agreement here is:
    all weights are exactly 0, and so are the gradients of these scores.

    Source: Vaswani et al. 2017, section 3.2.3; the rule for empty rows is that of PyTorch's
    scaled_dot_product_attention.

    >>> scores = torch.tensor([[0.0, 1.0, 400.0], [1.0, 2.0, 3.0]])
    >>> masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
    tensor([[0.2689, 0.7311, 0.0000],
            [0.0000, 0.0000, 0.0000]])
    """
    # TODO: step 6 of 6
    raise NotImplementedError("masks: replace this line")
