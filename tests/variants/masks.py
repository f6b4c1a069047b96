"""Right answers to ``masks`` that are written differently."""

from __future__ import annotations

import logging
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.check import variant

log = logging.getLogger(__name__)


@variant(of="causal_mask")
def causal_by_comparing_positions(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    queries = torch.arange(k_len - q_len, k_len, device=device)
    return torch.arange(k_len, device=device) <= queries[:, None]


@variant(of="causal_mask")
def causal_by_upper_triangle(q_len, k_len=None, *, device=None):
    if k_len is None:
        k_len = q_len
    future = torch.triu(torch.ones(q_len, k_len, device=device), diagonal=1 + k_len - q_len)
    return ~future.bool()


@variant(of="causal_mask")
def causal_as_the_last_rows(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.tril(torch.ones((k_len, k_len), device=device)).bool()[-q_len:]


@variant(of="causal_mask")
def causal_from_nested_lists(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    rows = [[j <= i + k_len - q_len for j in range(k_len)] for i in range(q_len)]
    return torch.tensor(rows, device=device)


@variant(of="causal_mask")
def causal_from_torchs_own(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    if q_len == 1:
        return torch.ones(1, k_len, device=device, dtype=torch.bool)
    square = nn.Transformer.generate_square_subsequent_mask(k_len, device=device)
    return square[k_len - q_len :] == 0


@variant(of="causal_mask")
def causal_by_cumsum(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    own = torch.eye(k_len, device=device)[k_len - q_len :]
    return own.flip(-1).cumsum(-1).flip(-1) > 0


@variant(of="causal_mask")
def causal_through_numpy(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    return torch.tensor(np.tri(q_len, k_len, k_len - q_len, dtype=bool), device=device)


@variant(of="padding_mask")
def padding_by_unsqueeze(ids, pad_id):
    return ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


@variant(of="padding_mask")
def padding_by_not_equal(ids, pad_id):
    return torch.logical_not(torch.eq(ids, pad_id)).view(ids.shape[0], 1, 1, ids.size(1))


@variant(of="padding_mask")
def padding_by_where(ids, pad_id):
    batch, length = ids.shape
    mask = torch.where(ids == pad_id, 0, 1).to(torch.bool)
    return mask.reshape(batch, 1, 1, length)


@variant(of="padding_mask")
def padding_filled(ids, pad_id):
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[ids == pad_id] = False
    return mask[:, None, None]


@variant(of="padding_mask")
def padding_from_both_sides(ids, pad_id):
    return ((ids < pad_id) | (ids > pad_id))[:, None, None, :]


@variant(of="combine_masks")
def combined_in_a_loop(*masks):
    combined = masks[0].clone()
    for mask in masks[1:]:
        combined = torch.logical_and(combined, mask)
    return combined


@variant(of="combine_masks")
def combined_by_product(*masks):
    combined = torch.ones((), dtype=torch.bool, device=masks[0].device)
    for mask in masks:
        combined = combined * mask
    return combined


@variant(of="combine_masks")
def combined_by_stacking(*masks):
    return torch.stack(torch.broadcast_tensors(*masks)).all(dim=0)


@variant(of="combine_masks")
def combined_by_counting(*masks):
    return sum(mask.int() for mask in masks) == len(masks)


@variant(of="combine_masks")
def combined_by_what_is_forbidden(*masks):
    first, *others = masks
    forbidden = ~first
    for mask in others:
        forbidden = forbidden | ~mask
    return ~forbidden


@variant(of="combine_masks")
def combined_recursively(*masks):
    return masks[0] if len(masks) == 1 else masks[0] & combined_recursively(*masks[1:])


@variant(of="to_additive")
def additive_by_where(mask, dtype):
    return torch.where(mask, 0.0, -math.inf).to(dtype)


@variant(of="to_additive")
def additive_with_the_lowest_number(mask, dtype):
    lowest = torch.finfo(dtype).min
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(~mask, lowest)


@variant(of="to_additive")
def additive_by_product(mask, dtype):
    return (~mask).to(dtype) * torch.finfo(dtype).min


@variant(of="to_additive")
def additive_from_one_minus_mask(mask, dtype):
    return (1.0 - mask.to(dtype)) * -10000.0


@variant(of="to_additive")
def additive_by_logarithm(mask, dtype):
    return mask.to(dtype).log()


@variant(of="to_additive")
def additive_by_indexing(mask, dtype):
    bias = torch.zeros(mask.size(), dtype=dtype, device=mask.device)
    bias[mask.logical_not()] = float("-inf")
    return bias


@variant(of="to_additive")
def additive_in_float32_first(mask, dtype):
    return torch.zeros(mask.shape, device=mask.device).masked_fill(mask == 0, -1e9).to(dtype)


@variant(of="to_mha_mask")
def mha_mask_by_logical_not(mask):
    return mask.logical_not()


@variant(of="to_mha_mask")
def mha_mask_by_comparing(mask):
    return mask == False  # noqa: E712


@variant(of="to_mha_mask")
def mha_mask_by_xor(mask):
    return mask ^ True


@variant(of="to_mha_mask")
def mha_mask_through_integers(mask):
    return (1 - mask.int()).bool()


@variant(of="masked_softmax")
def minus_infinity_and_nan_to_num(scores, mask, dim=-1):
    filled = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(F.softmax(filled, dim=dim), nan=0.0)


@variant(of="masked_softmax")
def minus_infinity_and_masked_fill(scores, mask, dim=-1):
    weights = torch.softmax(scores.masked_fill(mask.logical_not(), -torch.inf), dim=dim)
    return weights.masked_fill(~mask, 0)


@variant(of="masked_softmax")
def minus_infinity_except_in_empty_rows(scores, mask, dim=-1):
    mask = mask.expand_as(scores)
    empty = ~mask.any(dim, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~(mask | empty), -torch.inf), dim)
    return weights.masked_fill(empty, 0.0)


@variant(of="masked_softmax")
def empty_rows_by_where(scores, mask, dim=-1):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = filled.softmax(dim)
    alive = mask.broadcast_to(scores.shape).any(dim=dim, keepdim=True)
    return torch.where(alive, weights, torch.zeros_like(weights))


@variant(of="masked_softmax")
def lowest_number_added(scores, mask, dim=-1):
    bias = torch.zeros_like(mask, dtype=scores.dtype)
    bias = bias.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(scores + bias, dim=dim) * mask


@variant(of="masked_softmax")
def ten_thousand_subtracted(scores, mask, dim=-1):
    return torch.softmax(scores - 1e4 * (~mask).to(scores.dtype), dim) * mask


@variant(of="masked_softmax")
def ten_thousand_filled_in(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, -1e4), dim).masked_fill(~mask, 0.0)


@variant(of="masked_softmax")
def a_billion_in_float32(scores, mask, dim=-1):
    filled = scores.float().masked_fill(~mask, -1e9)
    return (torch.softmax(filled, dim) * mask).type_as(scores)


@variant(of="masked_softmax")
def by_hand(scores, mask, dim=-1):
    filled = scores.masked_fill(~mask, -torch.inf)
    top = filled.amax(dim, keepdim=True).detach()
    e = torch.exp(filled - top.masked_fill(top.isinf(), 0.0))
    total = e.sum(dim, keepdim=True)
    return e / torch.where(total == 0, 1, total)


@variant(of="masked_softmax")
def by_logsumexp(scores, mask, dim=-1):
    mask = mask.expand(scores.shape)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = (filled - filled.logsumexp(dim, keepdim=True)).exp()
    return torch.where(mask, weights, 0.0)


@variant(of="masked_softmax")
def filled_by_indexing(scores, mask, dim=-1):
    forbidden = (~mask).broadcast_to(scores.shape)
    filled = scores.clone()
    filled[forbidden] = -torch.inf
    weights = torch.softmax(filled, dim)
    return weights.masked_fill(forbidden.all(dim, keepdim=True), 0.0)


@variant(of="masked_softmax")
def on_the_last_axis(scores, mask, dim=-1):
    moved, allowed = scores.movedim(dim, -1), mask.expand(scores.shape).movedim(dim, -1)
    weights = torch.softmax(moved.masked_fill(~allowed, -torch.inf), -1)
    if not allowed.any(-1).all():
        weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
    return weights.movedim(-1, dim)


@variant(of="masked_softmax")
def by_torchs_masked_softmax(scores, mask, dim=-1):
    return torch.masked.softmax(scores, dim, mask=mask.expand(scores.shape)).nan_to_num(0.0)


@variant(of="masked_softmax")
def masked_twice(scores, mask, dim=-1):
    filled = scores.masked_fill(~mask, -1e4)
    weights = torch.softmax(filled, dim) * mask
    return weights / weights.sum(dim, keepdim=True).clamp_min(1e-6)


@variant(of="causal_mask")
def causal_as_in_the_annotated_transformer(q_len, k_len=None, *, device=None):
    """``subsequent_mask``: ones above the diagonal, then compared with 0."""
    size = k_len if k_len is not None else q_len
    later = torch.triu(torch.ones((1, size, size), device=device), diagonal=1).type(torch.uint8)
    return (later == 0).squeeze(0)[size - q_len :]


@variant(of="causal_mask")
def causal_with_looks_at_its_arguments(q_len, k_len=None, *, device=None):
    if k_len is None:
        k_len = q_len
    if not isinstance(q_len, int) or not 0 < q_len <= k_len:
        raise ValueError(f"{q_len} queries over {k_len} keys")
    log.debug("a mask for %d queries", q_len)
    mask = torch.full((q_len, k_len), True, device=device).tril(diagonal=k_len - q_len)
    assert bool(mask[-1].all()), "the last query sees every key"
    return mask


@variant(of="padding_mask")
def padding_that_looks_at_its_values(ids, pad_id):
    assert ids.ndim == 2, f"(B, S) is wanted, not {tuple(ids.shape)}"
    assert not torch.is_floating_point(ids)
    mask = (ids != pad_id).unsqueeze(1).unsqueeze(1)
    if not mask.any():
        print("nothing but padding")
    return mask


@variant(of="combine_masks")
def combined_by_einsum(*masks):
    shape = torch.broadcast_shapes(*(mask.shape for mask in masks))
    allowed = torch.ones(shape, device=masks[0].device)
    for mask in masks:
        assert mask.dtype == torch.bool
        allowed = torch.einsum("...,...->...", allowed, mask.expand(shape).float())
    return allowed.bool()


@variant(of="masked_softmax")
def in_chunks_under_a_checkpoint(scores, mask, dim=-1):
    def weights_of(part, allowed):
        filled = torch.where(allowed, part, torch.finfo(part.dtype).min)
        return filled.softmax(dim).where(allowed, 0.0)

    allowed = mask.expand_as(scores)
    return checkpoint(weights_of, scores, allowed, use_reentrant=False)


@variant(of="masked_softmax")
def with_assertions(scores, mask, dim=-1):
    assert mask.dtype == torch.bool
    assert scores.isfinite().all(), "scores are finite"
    filled = scores.masked_fill(mask == 0, float("-inf"))
    empty = (~mask).expand_as(scores).all(dim=dim, keepdim=True)
    if empty.any():
        filled = filled.masked_fill(empty, 0.0)
    weights = F.softmax(filled, dim=dim).masked_fill(empty, 0.0)
    assert weights.ge(0).all() and weights.le(1).all()
    assert not weights.isnan().any()
    return weights
