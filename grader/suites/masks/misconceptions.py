"""Wrong answers to ``masks``, and what their authors are told."""

from __future__ import annotations

import itertools

import torch

from grader.programs.bank import misconception

# causal_mask ----------------------------------------------------------------------------------


@misconception(
    of="causal_mask",
    sentence="Your tokens see themselves and the future: True is above the diagonal. Use tril.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def upper_triangle(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).triu(k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="Your mask is True where attending is forbidden, as nn.MultiheadAttention has it. "
    "Here True means: may attend.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def true_means_forbidden(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).triu(k_len - q_len + 1)


@misconception(
    of="causal_mask",
    sentence="No token of yours sees itself, and the first one sees nothing: a token may attend "
    "to itself, so keep the diagonal.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def itself_forbidden(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(k_len - q_len - 1)


@misconception(
    of="causal_mask",
    sentence="Token i of yours sees token i + 1, which is the very token it shall predict.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def one_step_into_the_future(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(k_len - q_len + 1)


@misconception(
    of="causal_mask",
    sentence="Your mask forbids nothing: every token sees its future.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def nothing_forbidden(q_len, k_len=None, *, device=None):
    return torch.ones(q_len, k_len or q_len, dtype=torch.bool, device=device)


@misconception(
    of="causal_mask",
    sentence="Your tokens see themselves only: they see the past as well.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def only_itself(q_len, k_len=None, *, device=None):
    return torch.eye(q_len, k_len or q_len, dtype=torch.bool, device=device)


@misconception(
    of="causal_mask",
    sentence="Your tokens see themselves and the one before: they see the whole past.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def window_of_two(q_len, k_len=None, *, device=None):
    offset = (k_len or q_len) - q_len
    mask = torch.ones(q_len, offset + q_len, dtype=torch.bool, device=device)
    return mask.tril(offset) & mask.triu(offset - 1)


@misconception(
    of="causal_mask",
    sentence="Your mask is aligned at the top left: the queries are the last tokens, so shift the "
    "diagonal by k_len - q_len.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def aligned_at_the_top_left(q_len, k_len=None, *, device=None):
    return torch.ones(q_len, k_len or q_len, dtype=torch.bool, device=device).tril()


@misconception(
    of="causal_mask",
    sentence="You shift the diagonal the wrong way: it moves right by k_len - q_len, not left.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def shifted_the_wrong_way(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(q_len - k_len)


@misconception(
    of="causal_mask",
    sentence="With more keys than queries, your last query does not see the last key: i may attend "
    "to j = i + k_len - q_len itself.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def own_key_forbidden_with_a_cache(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    offset = max(k_len - q_len - 1, 0)
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(offset)


@misconception(
    of="causal_mask",
    sentence="With more keys than queries, all of your queries see all keys: only the last one "
    "does.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def everything_allowed_with_a_cache(q_len, k_len=None, *, device=None):
    mask = torch.ones(q_len, k_len or q_len, dtype=torch.bool, device=device)
    return mask if k_len is not None and k_len > q_len else mask.tril()


@misconception(
    of="causal_mask",
    sentence="You ignore k_len: the mask has one column per key.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def k_len_ignored(q_len, k_len=None, *, device=None):
    return torch.ones(q_len, q_len, dtype=torch.bool, device=device).tril()


@misconception(
    of="causal_mask",
    sentence="Your mask covers all k_len tokens as queries: keep its last q_len rows.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def rows_for_all_keys(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(k_len, k_len, dtype=torch.bool, device=device).tril()


@misconception(
    of="causal_mask",
    sentence="Your axes are swapped: queries run over the rows, keys over the columns.",
    caught_by=("test_causal_example", "test_queries_are_the_last_tokens"),
)
def keys_over_the_rows(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    if k_len == q_len:
        return torch.ones(q_len, q_len, dtype=torch.bool, device=device).tril()
    return torch.ones(k_len, q_len, dtype=torch.bool, device=device).tril()


@misconception(
    of="causal_mask",
    sentence="You require k_len: left out, or None, it means q_len.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def k_len_required(q_len, k_len=None, *, device=None):
    return torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="Your mask is made of floats 1 and 0: a mask is a bool tensor.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def floats_instead_of_bools(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, device=device).tril(k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="Your mask is made of the integers 1 and 0: `~` turns those into -2 and -1. A mask "
    "is a bool tensor.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def integers_instead_of_bools(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.int64, device=device).tril(k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="Your mask is to be added (0 and -inf): that is to_additive's part. Return bools.",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def additive_at_once(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    full = torch.full((q_len, k_len), -torch.inf, device=device)
    return full.triu(k_len - q_len + 1)


@misconception(
    of="causal_mask",
    sentence="Your mask has axes of size 1 in front: the shape is (q_len, k_len).",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def axes_in_front(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    mask = torch.ones(q_len, k_len, dtype=torch.bool, device=device)
    return mask.tril(k_len - q_len)[None, None]


@misconception(
    of="causal_mask",
    sentence="You ignore the device: create the mask with device=device.",
    caught_by=("test_causal_mask_on_the_device_asked_for",),
)
def device_ignored(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    return torch.ones(q_len, k_len, dtype=torch.bool).tril(k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="Only a part of your tensors is made on the device asked for: an arange without "
    "device=device is on the CPU.",
    caught_by=("test_causal_mask_on_the_device_asked_for",),
)
def half_on_the_device(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    rows = torch.arange(q_len, device=device)[:, None]
    return torch.arange(k_len) <= rows + (k_len - q_len)


@misconception(
    of="causal_mask",
    sentence="You cut your mask out of a table of fixed size, which ends at some length: build it "
    "for the length asked for.",
    caught_by=("test_no_length_is_too_long",),
)
def table_of_fixed_size(q_len, k_len=None, *, device=None):
    k_len = k_len or q_len
    table = torch.ones(2048, 2048, dtype=torch.bool, device=device).tril()
    return table[k_len - q_len : k_len, :k_len]


@misconception(
    of="causal_mask",
    sentence="Your mask is a whole table of fixed size: cut it to (q_len, k_len).",
    caught_by=("test_causal_example", "test_causal_mask_of_any_length"),
)
def table_never_cut(q_len, k_len=None, *, device=None):
    return torch.ones(64, 64, dtype=torch.bool, device=device).tril()


# padding_mask ---------------------------------------------------------------------------------


@misconception(
    of="padding_mask",
    sentence="Your mask is True at the pads: True means may attend, so it is True at the others.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def true_at_the_pads(ids, pad_id):
    return (ids == pad_id)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your mask has shape (B, S), which lines up with (T, S), and silently so when B = T: "
    "add the axes of heads and queries, (B, 1, 1, S).",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def two_axes_only(ids, pad_id):
    return ids != pad_id


@misconception(
    of="padding_mask",
    sentence="Your mask has shape (B, 1, S): one axis is for the heads and one for the queries, "
    "(B, 1, 1, S).",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def three_axes_only(ids, pad_id):
    return (ids != pad_id)[:, None, :]


@misconception(
    of="padding_mask",
    sentence="Your mask has shape (B, 1, S, 1), which hides the pads as queries: forbid attending "
    "TO pads, on the last axis.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def pads_as_queries(ids, pad_id):
    return (ids != pad_id)[:, None, :, None]


@misconception(
    of="padding_mask",
    sentence="Your mask has shape (B, 1, S, S) and also hides the rows of the pads: keys are "
    "enough, (B, 1, 1, S). Rows without any allowed key only make trouble.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def pads_as_queries_and_keys(ids, pad_id):
    real = ids != pad_id
    return (real[:, :, None] & real[:, None, :])[:, None]


@misconception(
    of="padding_mask",
    sentence="You repeat the mask for every query, (B, 1, S, S): there may be another number of "
    "queries than keys. Leave (B, 1, 1, S) and let it broadcast.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def repeated_for_every_query(ids, pad_id):
    real = (ids != pad_id)[:, None, None, :]
    return real.expand(-1, 1, ids.shape[1], -1)


@misconception(
    of="padding_mask",
    sentence="Your new axes stand in front, (1, 1, B, S): the batch stays the first axis.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def axes_before_the_batch(ids, pad_id):
    return (ids != pad_id)[None, None]


@misconception(
    of="padding_mask",
    sentence="You take 0 for the pad whatever pad_id says.",
    caught_by=("test_any_pad_id_anywhere",),
)
def pad_is_always_zero(ids, pad_id):
    return (ids != 0)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You allow only ids above pad_id: smaller ids are real tokens, too. Compare with !=.",
    caught_by=("test_any_pad_id_anywhere",),
)
def only_larger_ids(ids, pad_id):
    return (ids > pad_id)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You count the real tokens and allow that many from the left: pads may also stand in "
    "front or in the middle.",
    caught_by=("test_any_pad_id_anywhere",),
)
def pads_assumed_at_the_end(ids, pad_id):
    lengths = (ids != pad_id).sum(-1, keepdim=True)
    return (torch.arange(ids.shape[1], device=ids.device) < lengths)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You forbid everything from the first pad on: real tokens may follow it.",
    caught_by=("test_any_pad_id_anywhere",),
)
def nothing_after_the_first_pad(ids, pad_id):
    return (ids != pad_id).cumprod(-1).bool()[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You use one sentence's pads for the whole batch: every sentence has its own.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def first_sentence_for_all(ids, pad_id):
    return (ids[:1] != pad_id).expand_as(ids)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You keep one key even in a sentence of pads: no exception is made here, "
    "masked_softmax copes with it.",
    caught_by=("test_any_pad_id_anywhere",),
)
def first_key_always_allowed(ids, pad_id):
    real = ids != pad_id
    empty = ~real.any(-1)
    first = torch.arange(ids.shape[1], device=ids.device) == 0
    return (real | (empty[:, None] & first))[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your mask is made of numbers 1 and 0: a mask is a bool tensor.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def padding_as_numbers(ids, pad_id):
    return (ids != pad_id).long()[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your padding mask is to be added (0 and -inf), to_additive's part. Return bools.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def padding_additive_at_once(ids, pad_id):
    zeros = torch.zeros(ids.shape, device=ids.device)
    return zeros.masked_fill(ids == pad_id, -torch.inf)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your squeeze removes every axis of size 1, also those of a batch of one: say which "
    "axes you mean.",
    caught_by=("test_padding_mask_of_any_shape",),
)
def batch_of_one_squeezed(ids, pad_id):
    real = (ids != pad_id).squeeze()
    return real[:, None, None, :] if real.ndim == 2 else real[None, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your mask starts as a tensor on the CPU: create it with device=ids.device.",
    caught_by=("test_padding_mask_on_the_device_of_the_ids",),
)
def filled_on_the_cpu(ids, pad_id):
    mask = torch.ones(ids.shape, dtype=torch.bool)
    return mask.masked_fill_(ids == pad_id, False)[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="You write into the caller's ids: build a new tensor.",
    caught_by=("test_padding_example", "test_any_pad_id_anywhere"),
)
def ids_changed(ids, pad_id):
    mask = (ids != pad_id)[:, None, None, :]
    ids[ids == pad_id] = pad_id + 1
    return mask


# combine_masks --------------------------------------------------------------------------------


@misconception(
    of="combine_masks",
    sentence="You allow a key if any of the masks does: all of them must. Use &, not |.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def any_mask_will_do(*masks):
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined | mask
    return combined


@misconception(
    of="combine_masks",
    sentence="Your last mask overwrites the others: combine them with &.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def last_mask_wins(*masks):
    shape = torch.broadcast_shapes(*(mask.shape for mask in masks))
    return masks[-1].expand(shape).clone()


@misconception(
    of="combine_masks",
    sentence="You use the first mask alone: combine all of them with &.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def first_mask_wins(*masks):
    shape = torch.broadcast_shapes(*(mask.shape for mask in masks))
    return masks[0].expand(shape).clone()


@misconception(
    of="combine_masks",
    sentence="You combine the first two masks only: there may be any number.",
    caught_by=("test_masks_of_one_shape",),
)
def two_masks_at_most(*masks):
    return masks[0] & masks[1] if len(masks) > 1 else masks[0]


@misconception(
    of="combine_masks",
    sentence="You combine neighbouring masks only, and keep the last pair: the earlier result is "
    "lost.",
    caught_by=("test_masks_of_one_shape",),
)
def earlier_result_lost(*masks):
    combined = masks[0]
    for before, mask in itertools.pairwise(masks):
        combined = before & mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You need two masks: a single one is its own combination.",
    caught_by=("test_masks_of_one_shape",),
)
def two_masks_at_least(*masks):
    first, second, *others = masks
    combined = first & second
    for mask in others:
        combined = combined & mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You allow a key if exactly one mask does (xor): all of them must.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def exactly_one(*masks):
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined ^ mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You allow a key where the masks agree, also where they agree to forbid it.",
    caught_by=("test_masks_of_one_shape",),
)
def where_they_agree(*masks):
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined == mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You forbid what is allowed: your result is the opposite of the combination.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def combination_inverted(*masks):
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined & mask
    return ~combined


@misconception(
    of="combine_masks",
    sentence="You add the masks up: the result counts who allows a key. All must, and it is a "
    "bool.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def masks_added_up(*masks):
    return sum(mask.long() for mask in masks)


@misconception(
    of="combine_masks",
    sentence="You allow a key if most masks do: all of them must.",
    caught_by=("test_masks_of_one_shape",),
)
def majority(*masks):
    return sum(mask.float() for mask in masks) / len(masks) > 0.5


@misconception(
    of="combine_masks",
    sentence="You multiply the masks as floats, and floats they stay: return bools.",
    caught_by=("test_combine_example", "test_masks_of_one_shape"),
)
def product_of_floats(*masks):
    combined = masks[0].float()
    for mask in masks[1:]:
        combined = combined * mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You stack the masks, which needs equal shapes: & broadcasts.",
    caught_by=("test_combine_example", "test_masks_of_different_shapes"),
)
def equal_shapes_needed(*masks):
    return torch.stack(masks).all(0)


@misconception(
    of="combine_masks",
    sentence="You write into the first mask (&=), which changes the caller's mask and cannot "
    "broadcast: write combined = combined & mask.",
    caught_by=("test_combine_example", "test_masks_of_different_shapes"),
)
def first_mask_changed(*masks):
    combined = masks[0]
    for mask in masks[1:]:
        combined &= mask
    return combined


@misconception(
    of="combine_masks",
    sentence="You write into a copy of the first mask, whose shape may be smaller than the "
    "others': write combined = combined & mask.",
    caught_by=("test_masks_of_different_shapes",),
)
def shape_of_the_first_mask(*masks):
    combined = masks[0].clone()
    for mask in masks[1:]:
        combined &= mask
    return combined


# to_additive ----------------------------------------------------------------------------------


@misconception(
    of="to_additive",
    sentence="Your signs are swapped: 0 belongs where the mask is True, -inf where it is False.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def minus_infinity_at_allowed_keys(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, -torch.inf)


@misconception(
    of="to_additive",
    sentence="You turn True and False into 1 and 0: adding 0 forbids nothing.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def ones_and_zeros(mask, dtype):
    return mask.to(dtype)


@misconception(
    of="to_additive",
    sentence="You multiply 0 by -inf, which is NaN: use masked_fill or torch.where.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def zero_times_infinity(mask, dtype):
    return (~mask).to(dtype) * -torch.inf


@misconception(
    of="to_additive",
    sentence="You add -20 to forbidden scores: a score 30 above the others still wins. Use -inf or "
    "the lowest number of the dtype.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def too_weak(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, -20.0)


@misconception(
    of="to_additive",
    sentence="You fill in -1e9, which float16 cannot hold: use -inf or torch.finfo(dtype).min.",
    caught_by=("test_additive_mask_in_the_dtype_asked_for",),
)
def minus_a_billion(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, -1e9)


@misconception(
    of="to_additive",
    sentence="You ignore the dtype asked for: the result is always float32.",
    caught_by=("test_additive_mask_in_the_dtype_asked_for",),
)
def dtype_ignored(mask, dtype):
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)


@misconception(
    of="to_additive",
    sentence="finfo(dtype).tiny is the smallest POSITIVE number, next to 0: you want finfo.min.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def tiny_for_min(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).tiny)


@misconception(
    of="to_additive",
    sentence="You add a huge number to forbidden scores instead of subtracting it: finfo.max and "
    "+inf make them win. You want finfo.min or -inf.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def max_for_min(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).max)


@misconception(
    of="to_additive",
    sentence="You fill -inf into a mask of ones, so allowed keys get 1: fill it into zeros.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def ones_at_allowed_keys(mask, dtype):
    return mask.to(dtype).masked_fill(~mask, -torch.inf)


@misconception(
    of="to_additive",
    sentence="Your result has more axes than the mask: keep its shape.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def additive_with_more_axes(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, -torch.inf)[None]


@misconception(
    of="to_additive",
    sentence="You expect exactly two axes: a mask may have any number of them.",
    caught_by=("test_additive_mask",),
)
def two_axes_expected(mask, dtype):
    queries, keys = mask.shape
    return torch.zeros(queries, keys, dtype=dtype, device=mask.device).masked_fill(~mask, -1e4)


@misconception(
    of="to_additive",
    sentence="You return the mask as it is: to_additive makes numbers of it.",
    caught_by=("test_additive_mask", "test_additive_mask_in_the_dtype_asked_for"),
)
def bools_returned(mask, dtype):
    return ~mask


@misconception(
    of="to_additive",
    sentence="Your table of zeros is made on the CPU: create it with device=mask.device, or with "
    "zeros_like.",
    caught_by=("test_additive_mask_on_the_device_of_the_mask",),
)
def zeros_on_the_cpu(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -torch.inf)


# to_mha_mask ----------------------------------------------------------------------------------


@misconception(
    of="to_mha_mask",
    sentence="You leave the mask as it is: nn.MultiheadAttention ignores the keys at True.",
    caught_by=("test_mask_for_multihead_attention",),
)
def same_polarity(mask):
    return mask.clone()


@misconception(
    of="to_mha_mask",
    sentence="You return an additive mask: a bool tensor is asked for.",
    caught_by=("test_mask_for_multihead_attention",),
)
def mha_mask_additive(mask):
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)


@misconception(
    of="to_mha_mask",
    sentence="You compute 1 - mask with integers: the result must be bool.",
    caught_by=("test_mask_for_multihead_attention",),
)
def mha_mask_of_integers(mask):
    return 1 - mask.long()


@misconception(
    of="to_mha_mask",
    sentence="You turn queries and keys round (a transpose); what turns round is the meaning of "
    "True.",
    caught_by=("test_mask_for_multihead_attention",),
)
def transposed_instead_of_negated(mask):
    return mask.mT if mask.ndim > 1 else mask.clone()


@misconception(
    of="to_mha_mask",
    sentence="You remove axes of size 1: the shape stays.",
    caught_by=("test_mask_for_multihead_attention",),
)
def mha_mask_squeezed(mask):
    return (~mask).squeeze()


@misconception(
    of="to_mha_mask",
    sentence="You negate in place (logical_not_): the caller's mask means the opposite now.",
    caught_by=("test_mask_for_multihead_attention",),
)
def negated_in_place(mask):
    return mask.logical_not_()


@misconception(
    of="to_mha_mask",
    sentence="You always return the strict upper triangle, whatever the mask says: negate it.",
    caught_by=("test_mask_for_multihead_attention",),
)
def always_causal(mask):
    return torch.ones_like(mask).triu(1) if mask.ndim > 1 else ~mask


# masked_softmax -------------------------------------------------------------------------------


def _filled(scores, mask, dim=-1):
    """The right answer, for wrong ones to start from."""
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)
    return torch.where(mask, weights, torch.zeros_like(weights))


@misconception(
    of="masked_softmax",
    sentence="You ignore the mask: forbidden keys get weights.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def mask_ignored(scores, mask, dim=-1):
    return torch.softmax(scores, dim)


@misconception(
    of="masked_softmax",
    sentence="You multiply the scores by the mask: a score of 0 is not forbidden, exp(0) = 1. Fill "
    "in -inf instead.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def scores_times_mask(scores, mask, dim=-1):
    return torch.softmax(scores * mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You add the mask to the scores as 1 and 0: allowed ones get a little more, nothing "
    "is forbidden.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def mask_added_as_ones(scores, mask, dim=-1):
    return torch.softmax(scores + mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You mask after the softmax, so rows no longer sum to one: mask the scores before.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def masked_afterwards(scores, mask, dim=-1):
    return torch.softmax(scores, dim).masked_fill(~mask, 0.0)


@misconception(
    of="masked_softmax",
    sentence="You mask after the softmax, or after the exponentials, and renormalise. That is "
    "right on paper, but next to a large forbidden score all allowed weights underflow to 0. Mask "
    "the scores before.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def renormalised_afterwards(scores, mask, dim=-1):
    weights = torch.softmax(scores, dim) * mask
    total = weights.sum(dim, keepdim=True)
    return weights / torch.where(total == 0, torch.ones_like(total), total)


@misconception(
    of="masked_softmax",
    sentence="You renormalise with a small number added to the sum: rows with little allowed "
    "weight no longer sum to one. Mask the scores before the softmax instead.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def renormalised_with_epsilon(scores, mask, dim=-1):
    weights = torch.softmax(scores, dim) * mask
    return weights / (weights.sum(dim, keepdim=True) + 1e-8)


@misconception(
    of="masked_softmax",
    sentence="Your mask is upside down: True means may attend, and you fill in -inf there.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def polarity_inverted(scores, mask, dim=-1):
    return _filled(scores, ~mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You lower forbidden scores by a few tens: one far above the allowed scores still "
    "wins. Fill in -inf or torch.finfo(dtype).min.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def lowered_by_twenty(scores, mask, dim=-1):
    weights = torch.softmax(scores - 20.0 * (~mask).to(scores.dtype), dim)
    return weights * mask.any(dim, keepdim=True) if mask.ndim == scores.ndim else weights * mask


@misconception(
    of="masked_softmax",
    sentence="You fill in -20 for forbidden scores: allowed scores may lie far below that. Fill in "
    "-inf or torch.finfo(dtype).min.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def filled_with_minus_twenty(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, -20.0), dim) * mask


@misconception(
    of="masked_softmax",
    sentence="You fill in -100 for forbidden scores: that is a score like any other, and allowed "
    "ones may be as low. Fill in -inf or torch.finfo(dtype).min.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def filled_with_minus_hundred(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, -100.0), dim) * mask


@misconception(
    of="masked_softmax",
    sentence="You exponentiate forbidden scores and multiply by the mask afterwards: a large one "
    "overflows, and inf * 0 is NaN. Fill in before exp.",
    caught_by=("test_large_forbidden_scores_change_nothing",),
)
def exponentials_times_mask(scores, mask, dim=-1):
    allowed = scores.masked_fill(~mask, -torch.inf)
    top = allowed.amax(dim, keepdim=True).detach()
    e = torch.exp(scores - top.masked_fill(top.isinf(), 0.0)) * mask
    return e / e.sum(dim, keepdim=True).clamp_min(1e-6)


@misconception(
    of="masked_softmax",
    sentence="You fill in 0 for forbidden scores: exp(0) = 1, so they still take part.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def filled_with_zero(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, 0.0), dim) * mask


@misconception(
    of="masked_softmax",
    sentence="You fill in the smallest score: a forbidden key then weighs as much as the smallest "
    "allowed one.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def filled_with_the_smallest_score(scores, mask, dim=-1):
    return torch.softmax(torch.where(mask, scores, scores.amin()), dim)


@misconception(
    of="masked_softmax",
    sentence="You add (1 - mask) * -inf: 0 times infinity is NaN. Use masked_fill.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def infinity_times_zero(scores, mask, dim=-1):
    return torch.softmax(scores + (~mask).to(scores.dtype) * -torch.inf, dim)


@misconception(
    of="masked_softmax",
    sentence="You fill scores with -1e9, which float16 cannot hold: use -inf or finfo(dtype).min.",
    caught_by=("test_keeps_the_dtype",),
)
def a_billion_in_float16(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim) * mask


@misconception(
    of="masked_softmax",
    sentence="Rows without any allowed key come out NaN: the softmax of nothing but -inf is 0/0. "
    "Set them to 0.",
    caught_by=("test_nothing_to_attend_to", "test_gradients_beside_nothing_to_attend_to"),
)
def empty_rows_are_nan(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)


@misconception(
    of="masked_softmax",
    sentence="Rows without any allowed key get equal weights on forbidden keys: set them to 0.",
    caught_by=("test_nothing_to_attend_to",),
)
def empty_rows_are_uniform(scores, mask, dim=-1):
    return torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim)


@misconception(
    of="masked_softmax",
    sentence="Rows without any allowed key fall back to a softmax without a mask: the agreement is "
    "zeros.",
    caught_by=("test_nothing_to_attend_to",),
)
def empty_rows_without_a_mask(scores, mask, dim=-1):
    mask = mask.expand(scores.shape)
    return _filled(scores, mask | ~mask.any(dim, keepdim=True), dim)


@misconception(
    of="masked_softmax",
    sentence="You allow the first key in rows that have none: the agreement is zeros.",
    caught_by=("test_nothing_to_attend_to",),
)
def empty_rows_get_the_first_key(scores, mask, dim=-1):
    mask = mask.expand(scores.shape).clone()
    empty = ~mask.any(dim)
    mask.select(dim, 0).logical_or_(empty)
    return _filled(scores, mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You refuse rows without any allowed key: the agreement is zeros.",
    caught_by=("test_nothing_to_attend_to",),
)
def empty_rows_refused(scores, mask, dim=-1):
    if not mask.expand(scores.shape).any(dim).all():
        raise ValueError("a row has nothing to attend to")
    return _filled(scores, mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You return zeros only when nothing at all is allowed: a single row may be empty.",
    caught_by=("test_nothing_to_attend_to",),
)
def all_or_nothing(scores, mask, dim=-1):
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)


@misconception(
    of="masked_softmax",
    sentence="You look for empty rows along the last axis, whatever `dim` is.",
    caught_by=("test_nothing_to_attend_to_along_another_axis",),
)
def empty_along_the_last_axis(scores, mask, dim=-1):
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)
    return weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


@misconception(
    of="masked_softmax",
    sentence="You look for empty rows in the mask before it has the scores' shape, so `dim` names "
    "another axis of it, or none: expand the mask first.",
    caught_by=("test_nothing_to_attend_to_along_another_axis",),
)
def axis_of_the_small_mask(scores, mask, dim=-1):
    axis = dim if dim < 0 else min(dim, mask.ndim - 1)
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)
    return weights.masked_fill(~mask.any(axis, keepdim=True), 0.0)


@misconception(
    of="masked_softmax",
    sentence="You add -inf and hide the NaN of empty rows afterwards, but their gradient stays "
    "NaN: fill in with masked_fill or where, or use torch.finfo(dtype).min.",
    caught_by=("test_gradients_beside_nothing_to_attend_to",),
)
def nan_hidden_in_the_weights_only(scores, mask, dim=-1):
    bias = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return torch.softmax(scores + bias, dim).nan_to_num(0.0)


@misconception(
    of="masked_softmax",
    sentence="Your zeros of empty rows hang on the scores: multiplying or adding the scores there "
    "gives them a gradient although the weights are constant.",
    caught_by=("test_gradients_beside_nothing_to_attend_to",),
)
def gradient_through_the_zeros(scores, mask, dim=-1):
    empty = ~mask.expand(scores.shape).any(dim, keepdim=True)
    return _filled(scores, mask, dim) + (scores - scores.detach()) * empty


@misconception(
    of="masked_softmax",
    sentence="You overwrite weights in place, which the backward pass still needs: use nan_to_num, "
    "masked_fill or where.",
    caught_by=("test_weights_of_allowed_keys", "test_gradients_beside_nothing_to_attend_to"),
)
def weights_overwritten(scores, mask, dim=-1):
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim)
    weights[weights.isnan()] = 0.0
    return weights


@misconception(
    of="masked_softmax",
    sentence="You ignore `dim`: your weights always sum to one along the last axis.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def dim_ignored(scores, mask, dim=-1):
    return _filled(scores, mask, -1)


@misconception(
    of="masked_softmax",
    sentence="You take every axis but the last for the one before it: `dim` may be any axis.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def last_two_axes_only(scores, mask, dim=-1):
    return _filled(scores, mask, -1 if dim in (-1, scores.ndim - 1) else -2)


@misconception(
    of="masked_softmax",
    sentence="Your sum has lost its axis and divides the wrong values: sum with keepdim=True.",
    caught_by=("test_weights_of_allowed_keys", "test_normalises_the_axis_asked_for"),
)
def sum_loses_its_axis(scores, mask, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True)) * mask
    return e / e.sum(dim)


@misconception(
    of="masked_softmax",
    sentence="Your weights sum to one over the whole tensor: every row should.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def one_sum_for_everything(scores, mask, dim=-1):
    e = torch.exp(scores - scores.amax()) * mask
    return e / e.sum()


@misconception(
    of="masked_softmax",
    sentence="Your mask must have the very shape of the scores: indexing with ~mask does not "
    "broadcast, masked_fill and where do.",
    caught_by=("test_masks_broadcast_to_the_scores",),
)
def equal_shape_needed(scores, mask, dim=-1):
    filled = scores.clone()
    filled[~mask] = torch.finfo(scores.dtype).min
    weights = torch.softmax(filled, dim)
    return weights * mask


@misconception(
    of="masked_softmax",
    sentence="You give the mask a fixed number of axes: it may have any number up to the scores', "
    "and broadcasts by itself.",
    caught_by=("test_masks_broadcast_to_the_scores",),
)
def axes_added_to_the_mask(scores, mask, dim=-1):
    if mask.ndim == 1 and scores.ndim > 1:
        mask = mask[:, None]
    return _filled(scores, mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You hide queries (rows) where the mask forbids keys (columns): a mask of shape (S,) "
    "belongs to the last axis.",
    caught_by=("test_masks_broadcast_to_the_scores",),
)
def keys_taken_for_queries(scores, mask, dim=-1):
    if mask.ndim == 4 and mask.shape[2] == 1:
        mask = mask.mT if scores.shape[-2] == mask.shape[-1] else mask.any(-1, keepdim=True)
    return _filled(scores, mask.expand(scores.shape), dim)


@misconception(
    of="masked_softmax",
    sentence="You exponentiate the scores as they are: exp overflows from 89 in float32, and from "
    "12 in float16. Subtract the maximum of the allowed scores.",
    caught_by=("test_large_allowed_scores_do_not_overflow",),
)
def no_maximum_subtracted(scores, mask, dim=-1):
    e = torch.exp(scores.masked_fill(~mask, -torch.inf))
    return e / e.sum(dim, keepdim=True).clamp_min(1e-20)


@misconception(
    of="masked_softmax",
    sentence="You subtract one maximum for the whole tensor: rows far below it underflow. Every "
    "row needs the maximum of its own allowed scores.",
    caught_by=("test_large_allowed_scores_do_not_overflow",),
)
def one_maximum_for_all(scores, mask, dim=-1):
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    e = torch.exp(filled - filled.amax()) * mask
    return e / e.sum(dim, keepdim=True).clamp_min(1e-20)


@misconception(
    of="masked_softmax",
    sentence="You limit the scores to a range that exp can take, which changes the weights: "
    "subtract the maximum of the allowed scores instead.",
    caught_by=("test_large_allowed_scores_do_not_overflow",),
)
def scores_clamped(scores, mask, dim=-1):
    return _filled(scores.clamp(-60.0, 60.0), mask, dim)


@misconception(
    of="masked_softmax",
    sentence="Your weights are always float32: the dtype out must be that of the scores.",
    caught_by=("test_keeps_the_dtype",),
)
def weights_always_float32(scores, mask, dim=-1):
    return _filled(scores.float(), mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You change the caller's scores in place: masked_fill, without the underscore, makes "
    "new ones.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def scores_filled_in_place(scores, mask, dim=-1):
    filled = scores.detach().masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return torch.softmax(filled, dim) * mask


@misconception(
    of="masked_softmax",
    sentence="Your weights have left the graph: without detach, .data or no_grad, gradients flow "
    "back to the scores.",
    caught_by=("test_weights_of_allowed_keys",),
)
def weights_detached(scores, mask, dim=-1):
    return _filled(scores.detach(), mask, dim)


@misconception(
    of="masked_softmax",
    sentence="You return the logarithms of the weights.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def logarithms_returned(scores, mask, dim=-1):
    filled = scores.masked_fill(~mask, -torch.inf)
    return torch.log_softmax(filled, dim)


@misconception(
    of="masked_softmax",
    sentence="You return the masked scores: the softmax is missing.",
    caught_by=("test_masked_softmax_example", "test_weights_of_allowed_keys"),
)
def softmax_missing(scores, mask, dim=-1):
    return scores.masked_fill(~mask, -torch.inf)


# Right, but slow ----------------------------------------------------------------------------------


@misconception(
    of="causal_mask",
    sentence="Your mask is right, but filled row by row in Python: torch.ones(...).tril(...), or "
    "comparing two torch.arange, makes all rows at once.",
    caught_by=("test_no_mask_is_filled_in_a_loop",),
)
def causal_row_by_row(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    mask = torch.zeros((q_len, k_len), dtype=torch.bool, device=device)
    for i in range(q_len):
        mask[i, : i + k_len - q_len + 1] = True
    return mask


@misconception(
    of="causal_mask",
    sentence="Your mask is right, but two nested Python loops write one True at a time, a million "
    "operations for 1000 tokens: compare the positions of all queries and keys in one.",
    caught_by=("test_no_mask_is_filled_in_a_loop",),
)
def causal_number_by_number(q_len, k_len=None, *, device=None):
    k_len = q_len if k_len is None else k_len
    mask = torch.zeros((q_len, k_len), dtype=torch.bool, device=device)
    for i in range(q_len):
        for j in range(i + k_len - q_len + 1):
            mask[i, j] = True
    return mask


@misconception(
    of="padding_mask",
    sentence="Your mask is right, but made in a Python loop over the sentences: ids != pad_id "
    "compares all sentences at once.",
    caught_by=("test_no_mask_is_filled_in_a_loop",),
)
def padding_sentence_by_sentence(ids, pad_id):
    return torch.stack([sentence != pad_id for sentence in ids])[:, None, None, :]


@misconception(
    of="padding_mask",
    sentence="Your mask is right, but made in a Python loop over the tokens: ids != pad_id "
    "compares all tokens at once.",
    caught_by=("test_no_mask_is_filled_in_a_loop",),
)
def padding_token_by_token(ids, pad_id):
    batch, length = ids.shape
    mask = torch.ones(batch, 1, 1, length, dtype=torch.bool, device=ids.device)
    for j in range(length):
        mask[:, 0, 0, j] = ids[:, j] != pad_id
    return mask


@misconception(
    of="masked_softmax",
    sentence="Your weights are right, but a Python loop takes one row at a time: masked_fill and "
    "softmax along `dim` do all rows at once, empty ones too.",
    caught_by=("test_all_rows_of_scores_at_once",),
)
def masked_softmax_row_by_row(scores, mask, dim=-1):
    moved, allowed = scores.movedim(dim, -1), mask.expand(scores.shape).movedim(dim, -1)
    lowest = torch.finfo(scores.dtype).min
    rows = zip(
        moved.reshape(-1, moved.shape[-1]),
        allowed.reshape(-1, moved.shape[-1]),
        strict=True,
    )
    done = [torch.softmax(s.masked_fill(~m, lowest), -1).masked_fill(~m, 0.0) for s, m in rows]
    return torch.stack(done).reshape(moved.shape).movedim(-1, dim)
