"""Wrong answers to ``masks``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from masks import masked_softmax

from grader.check import Bank

wrong = Bank()

CAUSAL = "causal_example causal_mask_of_any_length"
CACHE = "causal_example queries_are_the_last_tokens"
PADDING, PADS = "padding_example any_pad_id_anywhere", "any_pad_id_anywhere"
COMBINED, ONE_SHAPE = "combine_example masks_of_one_shape", "masks_of_one_shape"
DTYPES = "additive_mask_in_the_dtype_asked_for"
ADDITIVE, MHA = f"additive_mask {DTYPES}", "mask_for_multihead_attention"
WEIGHTS = "masked_softmax_example weights_of_allowed_keys"
EMPTY, GRADIENTS = "nothing_to_attend_to", "gradients_beside_nothing_to_attend_to"
FORBIDDEN, ALLOWED = "large_forbidden_scores_change_nothing", "large_allowed_scores_do_not_overflow"
NUMBERS, DEVICE = "token_numbers_of_any_size_and_dtype", "causal_mask_on_the_device_asked_for"
LOOP, AXIS = "no_mask_is_filled_in_a_loop", "normalises_the_axis_asked_for"

ONES, TRIL = "torch.ones(q_len, k_len", "tril(k_len - q_len)"
REAL, AXES = "(ids != pad_id)", "[:, None, None, :]"
REDUCE, AND = "functools.reduce(operator.and_, masks)", "operator.and_"
FILLED = "zeros.masked_fill(~mask, -torch.inf)"
LOWEST, START = "torch.finfo(scores.dtype).min", "lowest ="
FILL, ZERO = ".masked_fill(~mask, lowest)", ".masked_fill(~mask, 0.0)"
DIVIDED = " / weights.sum(dim, keepdim=True).clamp_min(1e-20)"
SOFTMAX = f"torch.softmax(scores{FILL}, dim)"
SHAPES, BROADCASTS = "masks_of_different_shapes", "masks_broadcast_to_the_scores"

# Who begins with as many keys as queries has not come to k_len yet, nor to the device.
wrong.up_to("causal_mask", "causal_mask", " if k_len is None else k_len", "", ", device=device", "")

# causal_mask --------------------------------------------------------------------------------------

wrong("causal_mask", "upper_triangle", CAUSAL,
    """Your tokens see themselves and the future: True is on the diagonal and above it. Use tril, or
    turn the comparison of the positions round.""",
    "tril", "triu")

wrong("causal_mask", "upper_triangle_and_no_shift", CAUSAL,
    """Your mask is upside down: your tokens see themselves and the future, and must see themselves
    and the past, so use tril, or turn the comparison round. And shift the diagonal by k_len -
    q_len, for the queries are the last tokens.""",
    TRIL, "triu()")

wrong("causal_mask", "true_means_forbidden", CAUSAL,
    """Your mask is True where attending is forbidden, as nn.MultiheadAttention has it. Here True
    means: may attend.""",
    TRIL, "triu(k_len - q_len + 1)")

wrong("causal_mask", "true_means_forbidden_and_no_shift", CAUSAL,
    """Your mask is True where attending is forbidden: here True means may attend, so turn it round.
    And shift the diagonal by k_len - q_len, for the queries are the last tokens.""",
    TRIL, "triu(1)")

wrong("causal_mask", "itself_forbidden_and_no_shift", CAUSAL,
    """No token of yours sees itself, so the very first one sees nothing: the diagonal is allowed
    (compare with <=, not <). And with more keys than queries it is shifted by k_len - q_len.""",
    TRIL, "tril(-1)")

wrong("causal_mask", "rows_and_columns_exchanged", CAUSAL,
    """Your rows and columns are exchanged: query i has row i, with a column for each key, and sees
    the keys up to its own.""",
    f"{ONES}, dtype=torch.bool, device=device)",
    "torch.ones(q_len, k_len, dtype=torch.bool, device=device).tril(k_len - q_len).mT",
    f"everything.{TRIL}", "everything")

wrong("causal_mask", "itself_forbidden", CAUSAL,
    """No token of yours sees itself, so the very first one sees nothing: a token may attend to
    itself, so keep the diagonal (compare with <=, not <).""",
    TRIL, "tril(k_len - q_len - 1)")

wrong("causal_mask", "one_step_into_the_future", CAUSAL,
    "Token i of yours sees token i + 1, which is the very token it shall predict.",
    TRIL, "tril(k_len - q_len + 1)")

wrong("causal_mask", "nothing_forbidden", CAUSAL,
    "Your mask forbids nothing: every token sees its future.",
    f".{TRIL}", "")

wrong("causal_mask", "only_itself", CAUSAL,
    "Your tokens see themselves only: they see the past as well.",
    "torch.ones", "torch.eye")

wrong("causal_mask", "window_of_two", CAUSAL,
    "Your tokens see themselves and the one before: they see the whole past.",
    TRIL, f"{TRIL}.triu(k_len - q_len - 1)")

wrong("causal_mask", "aligned_at_the_top_left", CACHE,
    """Your mask is aligned at the top left, as if the queries were the first tokens: they are the
    last ones, so shift the diagonal by k_len - q_len, or keep the last rows of a square mask.""",
    TRIL, "tril()")

wrong("causal_mask", "one_query_sees_everything", CACHE,
    """One query alone you handle rightly: it sees all keys. Several are aligned at the top left, as
    if nothing were before them: they are the last tokens too, so shift their diagonal by k_len -
    q_len.""",
    TRIL, "tril(k_len - q_len if q_len == 1 else 0)")

wrong("causal_mask", "k_len_counts_the_stored_keys", CAUSAL,
    """You take k_len for the number of keys that were stored before, and add q_len to it: k_len
    counts all keys, those of the queries' own tokens too. So the mask has k_len columns, and k_len
    - q_len keys were stored.""",
    "k_len = q_len if k_len is None else k_len", "k_len = q_len + (k_len or 0)")

wrong("causal_mask", "shifted_the_wrong_way", CACHE,
    "You shift the diagonal the wrong way: it moves right by k_len - q_len, not left.",
    TRIL, "tril(q_len - k_len)")

wrong("causal_mask", "own_key_forbidden_with_a_cache", CACHE,
    """With more keys than queries, your last query does not see the last key: i may attend to j = i
    + k_len - q_len itself.""",
    TRIL, "tril(max(k_len - q_len - 1, 0))")

wrong("causal_mask", "everything_allowed_with_a_cache", CACHE,
    "With more keys than queries, all of your queries see all keys: only the last one does.",
    f"everything.{TRIL}", "everything if k_len > q_len else everything.tril()")

wrong("causal_mask", "k_len_ignored", CACHE,
    "You ignore k_len: the mask has one column per key.",
    " if k_len is None else k_len", "")

wrong("causal_mask", "rows_for_all_keys", CACHE,
    "Your mask covers all k_len tokens as queries: keep its last q_len rows.",
    ONES, "torch.ones(k_len, k_len", TRIL, "tril()")

wrong("causal_mask", "keys_over_the_rows", CACHE,
    "Your axes are swapped: queries run over the rows, keys over the columns.",
    ONES, "torch.ones(k_len, q_len", TRIL, "tril()")

wrong("causal_mask", "k_len_required", CAUSAL,
    "You require k_len: left out, or None, it means q_len.",
    "    k_len = q_len if k_len is None else k_len\n", "")

wrong("causal_mask", "floats_instead_of_bools", CAUSAL,
    "Your mask is made of floats 1 and 0: a mask is a bool tensor.",
    "dtype=torch.bool, ", "")

wrong("causal_mask", "integers_instead_of_bools", CAUSAL,
    """Your mask is made of the integers 1 and 0: `~` turns those into -2 and -1. A mask is a bool
    tensor.""",
    "torch.bool", "torch.int64")

wrong("causal_mask", "additive_at_once", CAUSAL,
    "Your mask is to be added (0 and -inf): that is to_additive's part. Return bools.",
    f"{ONES}, dtype=torch.bool", "torch.full((q_len, k_len), -torch.inf",
    TRIL, "triu(k_len - q_len + 1)")

wrong("causal_mask", "axes_in_front", CAUSAL,
    "Your mask has axes of size 1 in front: the shape is (q_len, k_len).",
    TRIL, f"{TRIL}[None, None]")

wrong("causal_mask", "device_ignored", "causal_mask_on_the_device_asked_for",
    "You ignore the device: create the mask with device=device.",
    ", device=device", "")

wrong("causal_mask", "half_on_the_device", "causal_mask_on_the_device_asked_for",
    """Only a part of your tensors is made on the device asked for: what is made without
    device=device, such as an arange, is on the CPU.""",
    f"everything.{TRIL}",
    "torch.arange(k_len) <= torch.arange(q_len, device=device)[:, None] + k_len - q_len")

wrong("causal_mask", "positions_without_an_axis", CAUSAL,
    """You return one number for each token and no table of (q_len, k_len). Compare each query with
    each key: their positions make a table if those of the queries have an axis of size 1 at the
    end, [:, None].""",
    f"everything.{TRIL}",
    "torch.arange(k_len, device=device) <= torch.arange(q_len, device=device) + k_len - q_len")

wrong("causal_mask", "table_of_fixed_size", "no_length_is_too_long",
    """You cut your mask out of a table of fixed size, which ends at some length: build it for the
    length asked for.""",
    ONES, "torch.ones(2048, 2048", TRIL, "tril()[k_len - q_len : k_len, :k_len]")

for size in (512, 1024, 4096):
    wrong("causal_mask", f"table_of_{size}", "no_length_is_too_long",
        f"""Your mask ends at {size} tokens, as if it were cut out of a table of that size: build it
        for the length asked for.""",
        ONES, f"torch.ones({size}, {size}", TRIL, "tril()[k_len - q_len : k_len, :k_len]")

for size in (512, 1024, 2048, 4096):
    wrong("causal_mask", f"table_of_{size}_on_the_cpu", f"no_length_is_too_long {DEVICE}",
        f"""Your mask ends at {size} tokens, as if it were cut out of a table of that size, and
        without a device it is on the CPU, whatever torch's default is. Make it anew in each call,
        of (q_len, k_len), with device=device.""",
        ONES, f"torch.ones({size}, {size}", "device=device", "device=device or 'cpu'",
        TRIL, "tril()[k_len - q_len : k_len, :k_len]")

wrong("causal_mask", "table_never_cut", CAUSAL,
    "Your mask is a whole table of fixed size: cut it to (q_len, k_len).",
    ONES, "torch.ones(64, 64", TRIL, "tril()")

wrong("causal_mask", "device_or_the_cpu", DEVICE,
    """Without a device your mask is made on the CPU: leave None as it is, then torch takes its
    default device.""",
    "device=device", "device=device or 'cpu'")

wrong("causal_mask", "remembered_whatever_the_device", DEVICE,
    """You keep masks for later calls by their size alone: the next one may ask for the same size on
    another device.""",
    "def causal_mask", "MADE = {}\n\n\ndef causal_mask",
    "everything = ", "everything = MADE.setdefault((q_len, k_len), ",
    "device=device)", "device=device))")

wrong("causal_mask", "remembered_by_the_queries", "queries_are_the_last_tokens",
    """You keep masks for later calls by q_len alone: the next one may have another k_len.""",
    "def causal_mask", "MADE = {}\n\n\ndef causal_mask",
    f"return everything.{TRIL}", f"return MADE.setdefault(q_len, everything.{TRIL})")

wrong("causal_mask", "positions_in_eight_bits", "causal_mask_of_any_length no_length_is_too_long",
    """You count positions in int8, which ends at 127: leave them int64.""",
    f"return everything.{TRIL}", """keys = torch.arange(k_len, device=device).to(torch.int8)
    return keys <= keys[k_len - q_len :, None]""")

wrong("causal_mask", "positions_in_half_precision", "no_length_is_too_long",
    """You count positions in float16, which knows no odd numbers above 2048: leave them int64.""",
    f"return everything.{TRIL}", """keys = torch.arange(k_len, device=device).half()
    return keys <= keys[k_len - q_len :, None]""")

# padding_mask -------------------------------------------------------------------------------------

wrong("padding_mask", "true_at_the_pads", PADDING,
    "Your mask is True at the pads: True means may attend, so it is True at the others.",
    "!=", "==")

wrong("padding_mask", "two_axes_only", PADDING,
    """Your mask has shape (B, S), which lines up with (T, S), and silently so when B = T: add the
    axes of heads and queries, (B, 1, 1, S).""",
    AXES, "")

wrong("padding_mask", "three_axes_only", PADDING,
    """Your mask has shape (B, 1, S): one axis is for the heads and one for the queries, (B, 1, 1,
    S).""",
    AXES, "[:, None, :]")

wrong("padding_mask", "keys_on_the_second_axis", PADDING,
    """Your new axes stand behind, (B, S, 1, 1): the axis of the keys is the last one of the scores,
    so the new ones come between the batch and it.""",
    AXES, "[:, :, None, None]")

wrong("padding_mask", "pads_as_queries", PADDING,
    """Your mask has shape (B, 1, S, 1), which hides the pads as queries: forbid attending TO pads,
    on the last axis.""",
    AXES, "[:, None, :, None]")

wrong("padding_mask", "pads_as_queries_and_keys", PADDING,
    """Your mask has shape (B, 1, S, S) and also hides the rows of the pads: keys are enough, (B, 1,
    1, S). Rows without any allowed key only make trouble.""",
    AXES, f"{AXES} & {REAL}[:, None, :, None]")

wrong("padding_mask", "repeated_for_every_query", PADDING,
    """You repeat the mask for every query, (B, 1, S, S): there may be another number of queries
    than keys. Leave (B, 1, 1, S) and let it broadcast.""",
    AXES, f"{AXES}.expand(-1, 1, ids.shape[1], -1)")

wrong("padding_mask", "axes_before_the_batch", PADDING,
    "Your new axes stand in front, (1, 1, B, S): the batch stays the first axis.",
    AXES, "[None, None]")

wrong("padding_mask", "pad_is_always_zero", PADS,
    "You take 0 for the pad whatever pad_id says: compare the ids with pad_id.",
    "!= pad_id", "!= 0")

wrong("padding_mask", "only_larger_ids", PADS,
    "You allow only ids above pad_id: smaller ids are real tokens, too. Compare with !=.",
    "!=", ">")

wrong("padding_mask", "pads_assumed_at_the_end", PADS,
    """You count the real tokens and allow that many from the left: pads may also stand in front or
    in the middle.""",
    REAL, f"(torch.arange(ids.shape[1], device=ids.device) < {REAL}.sum(-1, keepdim=True))")

wrong("padding_mask", "nothing_after_the_first_pad", PADS,
    "You forbid everything from the first pad on: real tokens may follow it.",
    REAL, f"{REAL}.cumprod(-1).bool()")

wrong("padding_mask", "first_sentence_for_all", PADDING,
    "You use one sentence's pads for the whole batch: every sentence has its own.",
    REAL, "(ids[:1] != pad_id).expand_as(ids)")

wrong("padding_mask", "first_key_always_allowed", PADS,
    """You keep one key even in a sentence of pads: no exception is made here, masked_softmax copes
    with it.""",
    f"return {REAL}", f"real = {REAL}\n    real[:, 0] |= ~real.any(-1)\n    return real")

wrong("padding_mask", "padding_as_numbers", PADDING,
    "Your mask is made of numbers 1 and 0: a mask is a bool tensor.",
    REAL, f"{REAL}.long()")

wrong("padding_mask", "padding_additive_at_once", PADDING,
    "Your padding mask is to be added (0 and -inf), to_additive's part. Return bools.",
    REAL, "torch.zeros(ids.shape, device=ids.device).masked_fill(ids == pad_id, -torch.inf)")

wrong("padding_mask", "batch_of_one_squeezed", "padding_mask_of_any_shape",
    """Of a batch of one your mask loses the first axis, as by a squeeze: the shape is always (B, 1,
    1, S).""",
    AXES, ".squeeze()[..., None, None, :]")

wrong("padding_mask", "filled_on_the_cpu", "padding_mask_on_the_device_of_the_ids",
    "A tensor that you make for the mask is on the CPU: create it with device=ids.device.",
    REAL, "torch.ones(ids.shape, dtype=torch.bool).masked_fill(ids == pad_id, False)")

wrong("padding_mask", "ids_changed", PADDING,
    "You write into the caller's ids: build a new tensor.",
    REAL, "ids.ne_(pad_id).bool()")

wrong("padding_mask", "ids_in_eight_bits", NUMBERS,
    """You turn the ids into numbers of 8 bits (int8 ends at 127, uint8 at 255), so that other
    tokens become pads: compare them as they are.""",
    "(ids ", "(ids.to(torch.int8) ")

wrong("padding_mask", "ids_as_floats", NUMBERS,
    """You compare the ids as floats: float32 knows no odd numbers above 16777216, float16 none
    above 2048. Compare whole numbers.""",
    "(ids ", "(ids.float() ")

wrong("padding_mask", "ids_must_be_long", NUMBERS,
    """You refuse ids that are not int64: any integer dtype will do, for a comparison takes all.""",
    "return (ids", "if ids.dtype != torch.int64:\n        raise TypeError\n    return (ids")

wrong("padding_mask", "pads_of_an_earlier_batch", PADDING,
    """Your mask is that of an earlier batch of the same shape: keep nothing between calls.""",
    "def padding_mask", "MADE = {}\n\n\ndef padding_mask",
    f"return {REAL}{AXES}", f"return MADE.setdefault(tuple(ids.shape), {REAL}{AXES})")

# combine_masks ------------------------------------------------------------------------------------

wrong("combine_masks", "any_mask_will_do", COMBINED,
    "You allow a key if any of the masks does: all of them must. Use &, not |.",
    AND, "operator.or_")

wrong("combine_masks", "last_mask_wins", COMBINED,
    "Your last mask overwrites the others: combine them with &.",
    REDUCE, "torch.broadcast_tensors(*masks)[-1]")

wrong("combine_masks", "first_mask_wins", COMBINED,
    """Of your masks some are left out: where there are two, the result is the first one alone.
    Combine all of them with &.""",
    REDUCE, "torch.broadcast_tensors(*masks)[0]")

wrong("combine_masks", "two_masks_at_most", ONE_SHAPE,
    "You combine the first two masks only: there may be any number.",
    f"{AND}, masks", f"{AND}, masks[:2]")

wrong("combine_masks", "first_and_last_mask", ONE_SHAPE,
    """You combine the first mask and the last, and none that stands between them: all take part,
    however many they are.""",
    "functools.reduce(operator.and_, masks)", "masks[0] & masks[-1]")

wrong("combine_masks", "earlier_result_lost", ONE_SHAPE,
    "You combine neighbouring masks only, and keep the last pair: the earlier result is lost.",
    f"{AND}, masks", f"{AND}, masks[-2:]")

wrong("combine_masks", "two_masks_at_least", ONE_SHAPE,
    "You need two masks: a single one is its own combination.",
    f"{AND}, masks", f"{AND}, masks[2:], masks[0] & masks[1]")

for function, name in (
    ("torch.logical_and", "logical_and_of_two"),
    ("torch.bitwise_and", "bitwise_and_of_two"),
    ("operator.and_", "and_of_two"),
    ("torch.mul", "product_of_two"),
):
    wrong("combine_masks", name, ONE_SHAPE,
        f"""{function} takes exactly two masks, and there may be one of them, or seven. Apply it one
        after another, each time to the result so far and the next mask: in a loop, or with
        functools.reduce.""",
        REDUCE, f"{function}(*masks)")

wrong("combine_masks", "exactly_one", COMBINED,
    "You allow a key if exactly one mask does (xor): all of them must.",
    AND, "operator.xor")

wrong("combine_masks", "where_they_agree", ONE_SHAPE,
    "You allow a key where the masks agree, also where they agree to forbid it.",
    AND, "operator.eq")

wrong("combine_masks", "combination_inverted", COMBINED,
    "You forbid what is allowed: your result is the opposite of the combination.",
    "return ", "return ~")

wrong("combine_masks", "masks_added_up", COMBINED,
    "You add the masks up: the result counts who allows a key. All must, and it is a bool.",
    REDUCE, "sum(mask.long() for mask in masks)")

wrong("combine_masks", "majority", ONE_SHAPE,
    "You allow a key if most masks do: all of them must.",
    REDUCE, "sum(mask.float() for mask in masks) / len(masks) > 0.5")

wrong("combine_masks", "product_of_floats", COMBINED,
    "Your result is made of the floats 1 and 0, as a product of floats is: return bools.",
    f"{AND}, masks", "operator.mul, masks, 1.0")

wrong("combine_masks", "equal_shapes_needed", "combine_example masks_of_different_shapes",
    "You stack the masks, which needs equal shapes: & broadcasts.",
    REDUCE, "torch.stack(masks).all(0)")

wrong("combine_masks", "first_mask_changed", "combine_example masks_of_different_shapes",
    """You write into a mask of the caller, as &= does: it is changed, and has no room for the
    result where another mask has more axes. Write combined = combined & mask.""",
    AND, "operator.iand")

wrong("combine_masks", "shape_of_the_first_mask", "masks_of_different_shapes",
    """You write into a tensor of the first mask's shape, which may be smaller than the others':
    write combined = combined & mask.""",
    f"{AND}, masks", "operator.iand, masks[1:], masks[0].clone()")

wrong("combine_masks", "taken_for_padding", SHAPES,
    """You give a mask of two axes more of them when its first size is that of the batch, as though
    it were (B, S): a mask has its axes already, and (T, S) may have T = B.""",
    "return ", """largest = max(masks, key=lambda mask: mask.ndim)
    if largest.ndim == 4:
        masks = [
            mask[:, None, None] if mask.ndim == 2 and len(mask) == len(largest) else mask
            for mask in masks
        ]
    return """)

wrong("combine_masks", "axes_of_one_lost", SHAPES,
    """Your result loses its axes of size 1, as by a squeeze: a batch of one is a batch.""",
    "return ", "combined = ", "masks)", "masks)\n    return combined.squeeze()")

wrong("combine_masks", "an_earlier_combination", COMBINED.replace(ONE_SHAPE, SHAPES),
    """Your combination is that of earlier masks of the same shapes: keep nothing between calls.""",
    "def combine_masks", "MADE = {}\n\n\ndef combine_masks",
    REDUCE, f"MADE.setdefault(tuple(mask.shape for mask in masks), {REDUCE})")

# to_additive --------------------------------------------------------------------------------------

wrong("to_additive", "minus_infinity_at_allowed_keys", ADDITIVE,
    "Your two numbers are swapped: 0 belongs where the mask is True, -inf where it is False.",
    "~mask", "mask")

wrong("to_additive", "ones_and_zeros", ADDITIVE,
    "You turn True and False into 1 and 0: adding 0 forbids nothing.",
    FILLED, "mask.to(dtype)")

wrong("to_additive", "zero_times_infinity", ADDITIVE,
    "You get NaN, as 0 times -inf is, and 0 / 0: use masked_fill or torch.where.",
    FILLED, "(~mask).to(dtype) * -torch.inf")

wrong("to_additive", "too_weak", ADDITIVE,
    """Your forbidden keys get a number that is not low enough: a score that lies further above the
    others still wins. Use -inf or the lowest number of the dtype.""",
    "-torch.inf", "-20.0")

wrong("to_additive", "minus_a_billion", DTYPES,
    """You fill in a number that float16 cannot hold, as -1e9 is one, for it ends at -65504: use
    -inf or torch.finfo(dtype).min.""",
    "-torch.inf", "-1e9")

wrong("to_additive", "zero_times_a_billion", DTYPES,
    """You get NaN in a dtype of 16 bits, though not in float32: a number such as -1e9 is -inf in
    float16, and 0 times -inf is NaN. Do not multiply: fill it in, with masked_fill or
    torch.where.""",
    FILLED, "(~mask).to(dtype) * torch.tensor(-1e9, device=mask.device).to(dtype)")

wrong("to_additive", "dtype_ignored", DTYPES,
    """Your result is right in float32, and has another dtype where another one is asked for: make
    it with dtype=dtype.""",
    "dtype=dtype, ", "")

wrong("to_additive", "tiny_for_min", ADDITIVE,
    """Your forbidden keys get a number that is not below 0. finfo(dtype).tiny is the smallest
    POSITIVE number: finfo.min is the lowest. And a tensor of bools holds no numbers: -inf written
    into one becomes True, and True as a number is 1. So make the tensor in `dtype` first.""",
    "-torch.inf", "torch.finfo(dtype).tiny")

wrong("to_additive", "filled_while_bool", ADDITIVE,
    """Your forbidden keys get 1, as ~mask has it there. -inf that is filled into a tensor of bools,
    as zeros_like(mask) is one, becomes True, and so 1 as well. Make the tensor in `dtype` first,
    then fill in -inf.""",
    FILLED, "torch.zeros_like(mask).masked_fill(~mask, -torch.inf).to(dtype)")

wrong("to_additive", "max_for_min", ADDITIVE,
    """Your forbidden keys get a number above 0, as finfo.max and +inf are: added to the scores, it
    makes them win. You want finfo.min or -inf.""",
    "-torch.inf", "torch.finfo(dtype).max")

wrong("to_additive", "ones_at_allowed_keys", ADDITIVE,
    "Your allowed keys do not get 0, as where -inf is filled into ones: fill it into zeros.",
    "torch.zeros", "torch.ones")

wrong("to_additive", "additive_with_more_axes", ADDITIVE,
    "Your result has more axes than the mask: keep its shape.",
    "-torch.inf)", "-torch.inf)[None]")

wrong("to_additive", "two_axes_expected", "additive_mask",
    "You expect exactly two axes: a mask may have any number of them.",
    "zeros = torch.zeros(mask.shape", """queries, keys = mask.shape
    zeros = torch.zeros((queries, keys)""")

wrong("to_additive", "bools_returned", ADDITIVE,
    """You return truth values or whole numbers: to_additive makes numbers of `dtype`, which is one
    of floating point.""",
    FILLED, "~mask")

wrong("to_additive", "zeros_on_the_cpu", "additive_mask_on_the_device_of_the_mask",
    """A tensor that you make for the result is on the CPU: create it with device=mask.device, or
    with zeros_like.""",
    ", device=mask.device", "")

wrong("to_additive", "square_masks_transposed", "additive_mask",
    """In float32, forbidden keys get 0 in some of your masks, and not in all: rows are queries and
    columns are keys also where there are as many of both, and what forbids everything is -inf
    throughout.""",
    "~mask", "~(mask.mT if mask.shape[-1] == mask.shape[-2:][0] and mask.ndim > 1 else mask)")

wrong("to_additive", "contiguous_masks_only", "additive_mask",
    """You call view, which a transposed mask, and what is made like it, does not allow: use
    reshape, or leave the shape as it is.""",
    FILLED, "zeros.view(-1).masked_fill(~mask.view(-1), -torch.inf).view(mask.shape)")

# to_mha_mask --------------------------------------------------------------------------------------

wrong("to_mha_mask", "same_polarity", MHA,
    """A causal mask comes back from you as it is: nn.MultiheadAttention ignores the keys at True,
    so turn every value round.""",
    "~mask", "mask")

wrong("to_mha_mask", "mha_mask_additive", MHA,
    "You return an additive mask: a bool tensor is asked for.",
    "~mask", "to_additive(mask, torch.float32)")

wrong("to_mha_mask", "mha_mask_of_integers", MHA,
    "Your result is made of integers, as 1 - mask with integers is: it must be bool.",
    "~mask", "1 - mask.long()")

wrong("to_mha_mask", "transposed_instead_of_negated", MHA,
    """What you return for a causal mask is True on the diagonal and above, as its transpose is:
    what turns round is the meaning of True, not the place of queries and keys. Negate each
    value.""",
    "~mask", "mask.mT")

wrong("to_mha_mask", "mha_mask_squeezed", MHA,
    "You remove axes of size 1: the shape stays.",
    "~mask", "(~mask).squeeze()")

wrong("to_mha_mask", "negated_in_place", MHA,
    """You write into the caller's mask, as logical_not_ does: afterwards it means something else.
    Make a new one, ~mask.""",
    "~mask", "mask.logical_not_()")

wrong("to_mha_mask", "always_causal", MHA,
    "You always return the strict upper triangle, whatever the mask says: negate it.",
    "~mask", "torch.ones_like(mask).triu(1)")

# masked_softmax -----------------------------------------------------------------------------------

wrong("masked_softmax", "mask_ignored", WEIGHTS,
    "You ignore the mask: forbidden keys get weights.",
    FILL, "", ZERO, "")

wrong("masked_softmax", "scores_times_mask", WEIGHTS,
    """Your forbidden scores are 0, or nearly (a product with the mask, or a tiny number filled in):
    exp(0) = 1, so they still take part. Fill in -inf, or the lowest number of the dtype.""",
    FILL, " * mask", ZERO, "")

wrong("masked_softmax", "filled_with_minus_one", WEIGHTS,
    """You fill in -1 for forbidden scores: that is a score like any other, with exp(-1) = 0.37.
    Fill in -inf, or the lowest number of the dtype.""",
    LOWEST, "-1.0", ZERO, "")

wrong("masked_softmax", "mask_added_as_ones", WEIGHTS,
    """You add the mask to the scores as 1 and 0: allowed ones get a little more, nothing is
    forbidden.""",
    FILL, " + mask", ZERO, "")

wrong("masked_softmax", "masked_afterwards", WEIGHTS,
    "You mask after the softmax, so rows no longer sum to one: mask the scores before.",
    FILL, "")

wrong("masked_softmax", "renormalised_afterwards", FORBIDDEN,
    """You mask after the softmax, or after the exponentials, and renormalise. That is right on
    paper, but next to a large forbidden score all allowed weights underflow to 0. Mask the scores
    before.""",
    FILL, "", "return weights", "weights = weights",
    ZERO, f"""{ZERO}
    total = weights.sum(dim, keepdim=True)
    return weights / torch.where(total == 0, 1.0, total)""")

wrong("masked_softmax", "renormalised_without_the_rule", FORBIDDEN,
    """You mask after the softmax, or after the exponentials, and divide by what is left: next to a
    large forbidden score that is 0, and so it is in a row without any allowed key, and 0 / 0 is
    NaN. Mask the scores before.""",
    FILL, "", "return weights", "weights = weights",
    ZERO, f"{ZERO}\n    return weights / weights.sum(dim, keepdim=True)")

wrong("masked_softmax", "renormalised_along_the_last_axis", AXIS,
    """You mask after the softmax, and divide by the sum along the last axis, whatever `dim` is.
    Mask the scores before the softmax: then nothing is left to divide by.""",
    FILL, "", "return weights", "weights = weights",
    ZERO, f"{ZERO}\n    return weights / weights.sum(-1, keepdim=True)")

wrong("masked_softmax", "zero_over_zero_in_the_gradient", f"{ALLOWED} {GRADIENTS}",
    """You take exp of the scores as they are, which overflows from 89 on: subtract the maximum of
    the allowed ones first. And you divide by a sum that is 0 where nothing is allowed: to choose 0
    afterwards, as torch.where and nan_to_num do, mends the value, and the gradient stays NaN.
    torch.softmax of scores filled with torch.finfo(dtype).min has neither trouble.""",
    f"weights = {SOFTMAX}", "weights = scores.exp() * mask",
    f"return weights{ZERO}", """total = weights.sum(dim, keepdim=True)
    return torch.where(total > 0, weights / total, 0.0)""")

wrong("masked_softmax", "plain_exponentials_times_mask", ALLOWED,
    """You take exp of the scores as they are: it overflows from 89 on, and a row without any
    allowed key is 0 / 0. Fill forbidden scores first, and leave the rest to torch.softmax.""",
    f"weights = {SOFTMAX}", "weights = scores.exp() * mask",
    f"return weights{ZERO}", "return weights / weights.sum(dim, keepdim=True)")

for digits in (6, 8, 9, 10, 12):
    wrong("masked_softmax", f"renormalised_with_ten_to_minus_{digits}", FORBIDDEN,
        f"""Next to a large forbidden score your allowed weights become too small, and their rows no
        longer sum to one: you mask after the softmax and divide by the sum plus 1e-{digits}, or you
        add log(mask + 1e-{digits}) to the scores. Fill in -inf, or torch.finfo(dtype).min, before
        the softmax: then nothing needs a small number.""",
        FILL, "", "return weights", "weights = weights",
        ZERO, f"{ZERO}\n    return weights / (weights.sum(dim, keepdim=True) + 1e-{digits})")

for digits in (6, 8, 9, 12):
    wrong("masked_softmax", f"sum_at_least_ten_to_minus_{digits}", FORBIDDEN,
        f"""You mask after the softmax and divide by the sum, but by 1e-{digits} at least: next to a
        large forbidden score the allowed weights are below that, and their rows no longer sum to
        one. Mask the scores before the softmax.""",
        FILL, "", "return weights", "weights = weights",
        ZERO, f"{ZERO}\n    return weights / weights.sum(dim, keepdim=True).clamp_min(1e-{digits})")

for digits in (8, 9, 12):
    wrong("masked_softmax", f"exponentials_with_ten_to_minus_{digits}", FORBIDDEN,
        f"""You subtract a maximum that may be a forbidden score, mask the exponentials, and divide
        by their sum plus 1e-{digits}: what is allowed underflows, and rows no longer sum to one.
        Mask the scores before the maximum is taken.""",
        f"weights = {SOFTMAX}",
        "weights = (scores - scores.amax(dim, keepdim=True)).exp() * mask",
        f"return weights{ZERO}", f"return weights / (weights.sum(dim, keepdim=True) + 1e-{digits})")

for digits in (6, 8, 9, 12):
    wrong("masked_softmax", f"exponentials_by_at_least_ten_to_minus_{digits}", FORBIDDEN,
        f"""You subtract a maximum that may be a forbidden score, mask the exponentials, and divide
        by their sum, but by 1e-{digits} at least: what is allowed underflows, and rows no longer
        sum to one. Mask the scores before the maximum is taken.""",
        f"weights = {SOFTMAX}",
        "weights = (scores - scores.amax(dim, keepdim=True)).exp() * mask",
        f"return weights{ZERO}",
        f"return weights / weights.sum(dim, keepdim=True).clamp_min(1e-{digits})")

wrong("masked_softmax", "renormalised_and_nan_replaced", f"{FORBIDDEN} {GRADIENTS}",
    """You mask after the softmax, or after the exponentials, divide by what is left, and replace
    the NaN of 0 / 0: next to a large forbidden score the allowed weights become 0 as well, and the
    gradient stays NaN. Mask the scores before.""",
    f"weights = {SOFTMAX}", "weights = torch.softmax(scores, dim) * mask",
    f"return weights{ZERO}", "return (weights / weights.sum(dim, keepdim=True)).nan_to_num()")

wrong("masked_softmax", "renormalised_and_empty_rows_filled", f"{FORBIDDEN} {GRADIENTS}",
    """You mask after the softmax, or after the exponentials, and divide by what is left: next to a
    large forbidden score that is 0, and 0 / 0 is NaN. In rows without any allowed key you put 0 in
    its place, but the gradient stays NaN. Mask the scores before.""",
    f"weights = {SOFTMAX}", "weights = torch.softmax(scores, dim) * mask",
    f"return weights{ZERO}", "weights = weights / weights.sum(dim, keepdim=True)\n"
    "    nothing = ~mask.expand(scores.shape).any(dim, keepdim=True)\n"
    "    return weights.masked_fill(nothing, 0.0)")

wrong("masked_softmax", "polarity_inverted", WEIGHTS,
    """Your mask is upside down: True means may attend, and you forbid the keys there. Fill in at
    ~mask.""",
    "~mask", "mask", "~mask", "mask")

wrong("masked_softmax", "polarity_inverted_and_nan", WEIGHTS,
    """Your mask is upside down: True means may attend, and you fill in -inf there. Fill it in at
    ~mask. (The NaN comes of rows in which nothing is left.)""",
    "~mask", "mask", LOWEST, "-torch.inf", ZERO, "")

wrong("masked_softmax", "polarity_inverted_and_uniform", WEIGHTS,
    """Your mask is upside down: True means may attend, and there you fill in the low number. Fill
    it in at ~mask. Rows in which nothing is allowed are set to 0 afterwards.""",
    "~mask", "mask", ZERO, "")

wrong("masked_softmax", "polarity_inverted_before_only", WEIGHTS,
    """Before the softmax your mask is upside down: True means may attend, so the low number belongs
    where ~mask is True. Afterwards you use it the right way round.""",
    "~mask", "mask")

wrong("masked_softmax", "a_billion_and_no_rule", EMPTY,
    """You fill in a number such as -1e9 and leave it at that: float16 cannot hold it
    (torch.finfo(dtype).min is what each dtype can), and rows in which nothing is allowed get equal
    weights: set them to 0.""",
    LOWEST, "-1e9", ZERO, "")

wrong("masked_softmax", "lowered_by_twenty", FORBIDDEN,
    """You lower forbidden scores by a few tens: one far above the allowed scores still wins. Fill
    in -inf or torch.finfo(dtype).min.""",
    f"scores{FILL}", "torch.where(mask, scores, scores - 20.0)")

wrong("masked_softmax", "filled_with_minus_twenty", FORBIDDEN,
    """You fill in -20 for forbidden scores: allowed scores may lie far below that. Fill in -inf or
    torch.finfo(dtype).min.""",
    LOWEST, "-20.0")

wrong("masked_softmax", "filled_with_minus_hundred", FORBIDDEN,
    """You fill in -100 for forbidden scores: that is a score like any other, and allowed ones may
    be as low. Fill in -inf or torch.finfo(dtype).min.""",
    LOWEST, "-100.0")

wrong("masked_softmax", "exponentials_times_mask", FORBIDDEN,
    """You exponentiate forbidden scores and multiply by the mask afterwards: a large one overflows,
    and inf * 0 is NaN. Fill in before exp.""",
    f"weights = {SOFTMAX}", f"""top = scores{FILL}.amax(dim, keepdim=True)
    weights = torch.exp(scores - top.masked_fill(top == lowest, 0.0)) * mask""",
    ZERO, DIVIDED)

wrong("masked_softmax", "filled_with_zero", WEIGHTS,
    """Your forbidden scores are 0 before the softmax (filled in, or by a product with the mask):
    exp(0) = 1, so they still take part in the sum. Fill in -inf, or the lowest number of the
    dtype.""",
    LOWEST, "0.0")

wrong("masked_softmax", "filled_with_the_smallest_score", WEIGHTS,
    """You fill in the smallest score: a forbidden key then weighs as much as the smallest allowed
    one.""",
    LOWEST, "scores.amin()", ZERO, "")

wrong("masked_softmax", "infinity_times_zero", WEIGHTS,
    """All weights are NaN, as where (1 - mask) * -inf is added: 0 times -inf is NaN. Use
    masked_fill.""",
    FILL, " + (~mask).to(scores.dtype) * -torch.inf")

wrong("masked_softmax", "a_billion_in_float16", "keeps_the_dtype",
    """You fill scores with a number that float16 cannot hold, as -1e9 is one: use -inf or
    finfo(dtype).min.""",
    LOWEST, "-1e9")

wrong("masked_softmax", "empty_rows_are_nan", f"{EMPTY} {GRADIENTS}",
    """Rows without any allowed key come out NaN, as the softmax of nothing but -inf does, and 0 /
    0. Set them to 0.""",
    LOWEST, "-torch.inf", ZERO, "")

wrong("masked_softmax", "empty_rows_are_uniform", EMPTY,
    "Rows without any allowed key get equal weights on forbidden keys: set them to 0.",
    ZERO, "")

wrong("masked_softmax", "empty_rows_without_a_mask", EMPTY,
    "Rows without any allowed key fall back to a softmax without a mask: the agreement is zeros.",
    START, """mask = mask.expand(scores.shape)
    mask = mask | ~mask.any(dim, keepdim=True)
    lowest =""")

wrong("masked_softmax", "empty_rows_get_the_first_key", EMPTY,
    "In rows without any allowed key the first key gets all the weight: the agreement is zeros.",
    START, """mask = mask.expand(scores.shape).clone()
    mask.select(dim, 0).logical_or_(~mask.any(dim))
    lowest =""")

wrong("masked_softmax", "empty_rows_refused", EMPTY,
    "You refuse rows without any allowed key: the agreement is zeros.",
    START, """if not mask.expand(scores.shape).any(dim).all():
        raise ValueError("a row has nothing to attend to")
    lowest =""")

wrong("masked_softmax", "all_or_nothing", EMPTY,
    """Your rows without any allowed key are zeros in one mask and NaN in another: a single row may
    be empty, beside others that are not, and a mask may broadcast.""",
    LOWEST, "-torch.inf", f"weights{ZERO}", "weights if mask.any() else torch.zeros_like(scores)")

wrong("masked_softmax", "all_or_nothing_and_uniform", EMPTY,
    """Your rows without any allowed key are zeros in one mask, and get equal weights in another: a
    single row may be empty, beside others that are not, and a mask may broadcast.""",
    START, "if not mask.any():\n        return torch.zeros_like(scores)\n    lowest =", ZERO, "")

wrong("masked_softmax", "empty_along_the_last_axis", "nothing_to_attend_to_along_another_axis",
    "You look for empty rows along the last axis, whatever `dim` is.",
    LOWEST, "-torch.inf", ZERO, ".masked_fill(~mask.any(-1, keepdim=True), 0.0)")

wrong("masked_softmax", "filled_along_the_last_axis", "nothing_to_attend_to_along_another_axis",
    """You fill in what is empty along the last axis, before the softmax and after it, whatever
    `dim` is: look for it along `dim`, the axis on which the softmax runs.""",
    LOWEST, "-torch.inf\n    empty = ~mask.expand(scores.shape).any(-1, keepdim=True)",
    FILL, f"{FILL}.masked_fill(empty, 0.0)", ZERO, ".masked_fill(empty, 0.0)")

wrong("masked_softmax", "last_axis_with_a_large_number", AXIS,
    """You look for empty rows along the last axis (any(-1)), whatever `dim` is: what is empty along
    `dim` must be looked for along `dim`. And set every forbidden weight to 0, not those of empty
    rows alone.""",
    ZERO, ".masked_fill(~mask.any(-1, keepdim=True), 0.0)")

wrong("masked_softmax", "axis_of_the_small_mask", "nothing_to_attend_to_along_another_axis",
    """You use `dim` on the mask before it has the scores' shape, where it names another axis, or
    none: expand the mask first.""",
    LOWEST, "-torch.inf", ZERO, ".masked_fill(~mask.any(dim, keepdim=True), 0.0)")

wrong("masked_softmax", "nan_hidden_in_the_weights_only", GRADIENTS,
    """You add -inf and hide the NaN of empty rows afterwards, but their gradient stays NaN: fill in
    with masked_fill or where, and set the weights of empty rows to 0.""",
    FILL, " + to_additive(mask, scores.dtype)", ZERO, ".nan_to_num(0.0)")

wrong("masked_softmax", "gradient_through_the_zeros", GRADIENTS,
    """Your zeros of empty rows hang on the scores: multiplying or adding the scores there gives
    them a gradient although the weights are constant.""",
    "return", "empty = ~mask.expand(scores.shape).any(dim, keepdim=True)\n    return",
    ZERO, f"{ZERO} + (scores - scores.detach()) * empty")

wrong("masked_softmax", "weights_overwritten", f"weights_of_allowed_keys {GRADIENTS}",
    """You overwrite weights in place, which the backward pass still needs: make new ones, with
    masked_fill, torch.where, nan_to_num, or weights * mask.""",
    LOWEST, "-torch.inf", "return", "weights[weights.isnan()] = 0.0\n    return")

wrong("masked_softmax", "dim_ignored", AXIS,
    "You ignore `dim`: your weights always sum to one along the last axis.",
    "lowest), dim", "lowest), -1")

wrong("masked_softmax", "last_two_axes_only", AXIS,
    "You take every axis but the last for the one before it: `dim` may be any axis.",
    "lowest), dim", "lowest), -1 if dim in (-1, scores.ndim - 1) else -2")

wrong("masked_softmax", "sum_loses_its_axis", f"weights_of_allowed_keys {AXIS}",
    "A sum or maximum has lost its axis and meets the wrong values: take it with keepdim=True.",
    SOFTMAX, "torch.exp(scores - scores.amax(dim, keepdim=True)) * mask",
    ZERO, " / weights.sum(dim)")

wrong("masked_softmax", "one_sum_for_everything", WEIGHTS,
    "Your weights sum to one over the whole tensor: every row should.",
    SOFTMAX, "torch.exp(scores - scores.amax()) * mask", ZERO, " / weights.sum()")

wrong("masked_softmax", "equal_shape_needed", "masks_broadcast_to_the_scores",
    """Your mask must have the very shape of the scores: indexing with ~mask does not broadcast,
    masked_fill and where do.""",
    "weights = ", "filled = scores.clone()\n    filled[~mask] = lowest\n    weights = ",
    f"scores{FILL}", "filled", ZERO, " * mask")

wrong("masked_softmax", "axes_added_to_the_mask", "masks_broadcast_to_the_scores",
    """You give a mask more axes before you use it: it may have any number up to the scores', and
    broadcasts by itself.""",
    START, "mask = mask[:, None] if mask.ndim == 1 and scores.ndim > 1 else mask\n    lowest =")

wrong("masked_softmax", "keys_taken_for_queries", "masks_broadcast_to_the_scores",
    """You hide queries (rows) where the mask forbids keys (columns): a mask of shape (S,) belongs
    to the last axis.""",
    START, """if mask.ndim == 4 and mask.shape[2] == 1:
        mask = mask.mT[..., : scores.shape[-2], :]
    lowest =""")

wrong("masked_softmax", "no_maximum_subtracted", ALLOWED,
    """You exponentiate the scores as they are: exp overflows from 89 in float32, and from 12 in
    float16. Subtract the maximum of the allowed scores.""",
    SOFTMAX, f"torch.exp(scores{FILL})", ZERO, DIVIDED)

wrong("masked_softmax", "exponentials_as_they_are", f"{ALLOWED} {FORBIDDEN}",
    """You take exp of the scores as they are: from 89 on it overflows, and where all allowed scores
    lie below -87 little is left of any. Subtract the maximum of the allowed scores first.""",
    SOFTMAX, """torch.exp(scores.masked_fill(~mask, -torch.inf))
    total = weights.sum(dim, keepdim=True)""",
    f"return weights{ZERO}", "return weights / (total + (total == 0))")

wrong("masked_softmax", "one_maximum_for_all", ALLOWED,
    """You subtract one maximum for the whole tensor: rows far below it underflow. Every row needs
    the maximum of its own allowed scores.""",
    SOFTMAX, f"torch.exp(scores{FILL} - scores{FILL}.amax()) * mask",
    ZERO, DIVIDED)

wrong("masked_softmax", "scores_clamped", ALLOWED,
    """You limit the scores to a range that exp can take, which changes the weights: subtract the
    maximum of the allowed scores instead.""",
    f"scores{FILL}", f"scores.clamp(-60.0, 60.0){FILL}")

wrong("masked_softmax", "weights_always_float32", "keeps_the_dtype",
    "Your weights are always float32: the dtype out must be that of the scores.",
    START, "scores = scores.float()\n    lowest =")

wrong("masked_softmax", "scores_filled_in_place", WEIGHTS,
    "You change the caller's scores in place: masked_fill, without the underscore, makes new ones.",
    "masked_fill", "masked_fill_")

wrong("masked_softmax", "weights_detached", "weights_of_allowed_keys",
    """Your weights have left the graph: without detach, .data or no_grad, gradients flow back to
    the scores.""",
    f"scores{FILL}", f"scores.detach(){FILL}")

wrong("masked_softmax", "logarithms_returned", WEIGHTS,
    "You return the logarithms of the weights.",
    ZERO, f"{ZERO}.log()")

wrong("masked_softmax", "softmax_missing", WEIGHTS,
    "You return the masked scores: the softmax is missing.",
    f"weights{ZERO}", "scores.masked_fill(~mask, -torch.inf)")

wrong("masked_softmax", "an_earlier_mask", WEIGHTS.split()[0],
    """You use the mask of an earlier call with the same shape: keep nothing between calls.""",
    "def masked_softmax", "MADE = {}\n\n\ndef masked_softmax",
    START, "mask = MADE.setdefault(tuple(mask.shape), mask)\n    lowest =")

wrong("masked_softmax", "last_axis_without_a_mask", AXIS,
    """Where nothing is forbidden you take a short way, and it ignores `dim`.""",
    START, "if mask.all():\n        return torch.softmax(scores, -1)\n    lowest =")

wrong("masked_softmax", "rows_taken_for_sentences", BROADCASTS,
    """You take a mask of two axes for (B, S) when its first size is the batch: it is (T, S), and T
    may equal B. Broadcasting counts from the last axis.""",
    START, """if mask.ndim == 2 and scores.ndim == 4 and len(mask) == len(scores):
        mask = mask[:, None, None]
    lowest =""")

wrong("masked_softmax", "square_mask_transposed", BROADCASTS,
    """You transpose a mask with as many queries as keys: rows are queries, columns are keys.""",
    START, """if mask.ndim == 2 and mask.shape[0] == mask.shape[1]:
        mask = mask.mT
    lowest =""")

wrong("masked_softmax", "four_axes_at_most", AXIS,
    """You refuse what is allowed: scores may have any number of axes, and dim is any of them.""",
    START, "assert scores.ndim <= 4\n    lowest =")

wrong("masked_softmax", "no_gradient_in_float16", "keeps_the_dtype",
    """In float16 your weights have left the graph (detach, .data): gradients flow back in every
    dtype.""",
    START, "scores = scores.detach() if scores.dtype == torch.float16 else scores\n    lowest =")

wrong("masked_softmax", "forbids_less_in_training", FORBIDDEN,
    """What you fill in for forbidden scores is not low enough, at least where gradients are
    wanted: allowed ones may lie below it. Fill in -inf or torch.finfo(dtype).min.""",
    LOWEST, "-50.0 if scores.requires_grad else torch.finfo(scores.dtype).min")

wrong("masked_softmax", "a_thousand_keys_at_most", "weights_of_allowed_keys",
    """You never look at keys after the first 1024: the number of keys is not limited.""",
    START, """mask = mask & (torch.arange(mask.shape[-1], device=mask.device) < 1024)
    lowest =""")

# Right, but slow ----------------------------------------------------------------------------------

wrong("causal_mask", "causal_row_by_row", LOOP,
    """Your mask is right, but a Python loop fills it, an operation or more for every row or column:
    torch.ones(...).tril(...), or comparing two torch.arange, makes all of it at once.""",
    "torch.ones", "torch.zeros",
    f"return everything.{TRIL}", """for i in range(q_len):
        everything[i, : i + k_len - q_len + 1] = True
    return everything""")

wrong("causal_mask", "causal_number_by_number", LOOP,
    """Your mask is right, but takes an operation for every pair of tokens, as two nested Python
    loops do, a million for 1000 tokens: compare the positions of all queries and keys in one.""",
    "torch.ones", "torch.zeros",
    f"return everything.{TRIL}", """for i in range(q_len):
        for j in range(i + k_len - q_len + 1):
            everything[i, j] = True
    return everything""")

wrong("padding_mask", "padding_sentence_by_sentence", LOOP,
    """Your mask is right, but made in a Python loop over the sentences: ids != pad_id compares all
    sentences at once.""",
    REAL, "torch.stack([sentence != pad_id for sentence in ids])")

wrong("padding_mask", "padding_token_by_token", LOOP,
    """Your mask is right, but made in a Python loop over the tokens: ids != pad_id compares all
    tokens at once.""",
    REAL, "torch.stack([tokens != pad_id for tokens in ids.T], dim=-1)")


@wrong.instead_of("masked_softmax", "all_rows_of_scores_at_once")
def masked_softmax_row_by_row(scores, mask, dim=-1):
    """Your weights are right, but a Python loop takes one row at a time: masked_fill and softmax
    along `dim` do all rows at once, empty ones too."""
    moved, allowed = (one.movedim(dim, -1) for one in torch.broadcast_tensors(scores, mask))
    rows = (one.reshape(-1, scores.shape[dim]) for one in (moved, allowed))
    done = [masked_softmax(row, seen) for row, seen in zip(*rows, strict=True)]
    return torch.stack(done).view(moved.shape).movedim(-1, dim)
