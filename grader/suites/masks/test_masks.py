"""Hidden checks of ``masks``."""

from __future__ import annotations

import pytest
import torch

from grader.check import on_meta, pairs, work_of

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
ENOUGH = -9e3  # -1e4 is rounded to -9984 in bfloat16


def never_empty(mask, dim=-1):
    """The mask, with the first key along ``dim`` allowed everywhere."""
    mask.select(dim, 0).fill_(True)
    return mask


def split_scores(draw, allowed, forbidden):
    """A mask and scores near ``allowed`` where it is True, near ``forbidden`` elsewhere."""
    mask = never_empty(draw.booleans(4, 7))
    mask[:, 3], mask[:, 4] = True, False
    return mask, draw.normal(4, 7) + torch.where(mask, allowed, forbidden)


# causal_mask ----------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(">>> causal_mask(3) tensor([[ True, False, False],")
def test_causal_example(compare):
    """Three tokens see themselves and the past; two queries at the end of five keys as well."""
    compare.causal_mask(3)
    compare.causal_mask(2, 5)


@pytest.mark.core("causal_mask")
@pytest.mark.points(2)
@pytest.mark.kept("the ordinary case, at more lengths than the example's")
@pytest.mark.rests_on("The shape is exactly (q_len, k_len), of any size")
def test_causal_mask_of_any_length(compare):
    """Token i sees the tokens 0 to i, for 1, 2, 7, 70 and 300 tokens."""
    for length in (1, 2, 7, 70, 300):
        compare.causal_mask(length)
    compare.causal_mask(6, None)
    compare.causal_mask(5, 5)


@pytest.mark.points(2)
@pytest.mark.kept("the rule for a cache, at more lengths than the example's")
@pytest.mark.rests_on("the last query sees every key")
def test_queries_are_the_last_tokens(compare):
    """With more keys than queries, the last query sees all keys: the bottom right is aligned."""
    for q_len, k_len in ((3, 8), (1, 6), (4, 5), (2, 50)):
        compare.causal_mask(q_len, k_len)
    compare.causal_mask(3, k_len=7)


@pytest.mark.rests_on("The mask is made on device; None means torch's default")
def test_causal_mask_on_the_device_asked_for(compare):
    """The mask is made on `device`, and without it on torch's default one; `meta` shows both."""
    compare.causal_mask(4, device="meta")
    compare.causal_mask(3, 5, device="meta")
    compare.causal_mask(4, device="cpu")
    compare(lambda impl: on_meta(impl).causal_mask(6))


@pytest.mark.rests_on("of any size: nothing ends at 1024 tokens")
def test_no_length_is_too_long(compare):
    """One or three new queries over 5000 cached keys: no table of fixed size will do."""
    compare.causal_mask(1, 5000)
    compare.causal_mask(3, 5000)


# padding_mask ---------------------------------------------------------------------------------


@pytest.mark.core("padding_mask")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("False at the keys whose id is pad_id")
def test_padding_example(compare):
    """Two sentences, padded with id 0 at the end, give False at the pads; shape (2, 1, 1, 3)."""
    ids = torch.tensor([[5, 6, 0], [7, 0, 0]])
    compare.padding_mask(ids, 0)


@pytest.mark.rests_on("False at the keys whose id is pad_id, wherever they stand")
def test_any_pad_id_anywhere(compare, draw):
    """Any id may be the pad, also -100, and pads may stand in front or in the middle."""
    for pad_id, (low, high) in ((3, (0, 7)), (0, (-2, 4)), (-1, (-1, 3)), (-100, (-2, 2))):
        ids = draw.integers(low, high, (4, 9))
        ids[0, 4] = ids[1, 0] = ids[2, -1] = pad_id
        ids[3] = pad_id
        ids[0, 0] = ids[1, 4] = ids[2, 2] = 1
        compare.padding_mask(ids, pad_id)


@pytest.mark.rests_on("The two axes of size 1 stand for the heads and the queries")
def test_padding_mask_of_any_shape(compare, draw):
    """One sentence, one token, as many sentences as tokens: the shape is always (B, 1, 1, S)."""
    for shape in ((1, 6), (5, 1), (3, 3), (1, 1)):
        ids = draw.integers(1, 5, shape)
        ids[:, 2:] = 0
        compare.padding_mask(ids, pad_id=0)


@pytest.mark.rests_on(
    "ids are of any integer dtype, and pad_id is any whole number that fits into it",
)
def test_token_numbers_of_any_size_and_dtype(compare, draw):
    """Token numbers near 50256 and near 2**24 are told apart; ids may be int32, int16 or uint8."""
    for pad_id in (50256, 2**24):
        ids = draw.integers(pad_id - 2, pad_id + 2, (3, 7))
        ids[0, 2], ids[1, 3], ids[2, 4], ids[1, 0] = (
            pad_id,
            pad_id - 256,
            pad_id + 1,
            pad_id + 2**16,
        )
        compare.padding_mask(ids, pad_id)
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        compare.padding_mask(draw.integers(0, 4, (2, 5)).to(dtype), 3)


@pytest.mark.rests_on("on the device asked for or on the device of the input")
def test_padding_mask_on_the_device_of_the_ids(compare, draw):
    """The mask is where the ids are."""
    ids = draw.integers(0, 3, (2, 5)).to("meta")
    compare.padding_mask(ids, 0)


# combine_masks --------------------------------------------------------------------------------


@pytest.mark.core("combine_masks")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("a query may attend to a key only if every mask allows it")
def test_combine_example(compare):
    """Causal, and nobody attends to the first token: both masks must allow a key."""
    causal = torch.ones(3, 3, dtype=torch.bool).tril()
    first = torch.tensor([False, True, True])
    compare.combine_masks(causal, first)


@pytest.mark.points(2)
@pytest.mark.asked_once("masks of different shapes are asked again")
@pytest.mark.rests_on("One mask out of one or more")
def test_masks_of_one_shape(compare, draw):
    """One, two, three, four or seven masks of the same shape; all of them must allow a key."""
    masks = [draw.booleans(3, 8, true=0.8) for _ in range(7)]
    for some in (masks[:2], masks[-3:], masks[:4], masks, masks[:1]):
        compare.combine_masks(*some)


@pytest.mark.rests_on("they broadcast as in any other tensor operation")
def test_masks_of_different_shapes(compare, draw):
    """(T, S), (B, 1, 1, S), (B, H, T, S) and (S,) broadcast, in any order, also if all these sizes
    are 4, or some are 1."""
    causal = torch.ones(4, 5, dtype=torch.bool, device=draw.booleans(1).device).tril(1)
    padding, heads = draw.booleans(2, 1, 1, 5, true=0.7), draw.booleans(2, 3, 4, 5, true=0.7)
    keys = draw.booleans(5, true=0.7)
    for masks in (
        (heads, causal),
        (causal, padding),
        (padding, causal),
        (keys, causal),
        (keys, padding, causal),
        (causal, heads, keys, padding),
        (causal[:1], padding[:1]),
    ):
        compare.combine_masks(*masks)
    shapes = (4, 4), (4, 1, 1, 4), (4, 4, 4, 4), (4,), (1, 4, 1, 4), (4, 1)
    equal = [draw.booleans(*shape, true=0.8) for shape in shapes]
    for first, second in zip(equal[::2], equal[1::2], strict=True):
        compare.combine_masks(first, second)
    compare.combine_masks(*equal)


# masked_softmax -------------------------------------------------------------------------------


@pytest.mark.core("masked_softmax")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("Softmax along dim over the allowed scores; forbidden ones get the weight 0")
def test_masked_softmax_example(compare):
    """Scores 0 and 1 get the weights 0.2689 and 0.7311; the forbidden third score gets 0."""
    scores = torch.tensor([[0.0, 1.0, 2.0], [1.0, 1.0, 5.0]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    compare.masked_softmax(scores, mask)


@pytest.mark.core("masked_softmax")
@pytest.mark.points(3)
@pytest.mark.kept("the ordinary case, drawn afresh and with gradients")
@pytest.mark.rests_on("Softmax along dim over the allowed scores; forbidden ones get the weight 0")
def test_weights_of_allowed_keys(compare, draw):
    """Allowed keys share a weight of one, forbidden ones get 0, and gradients are right."""
    scores = draw.normal(2, 3, 4, 5)
    mask = never_empty(draw.booleans(2, 3, 4, 5))
    mask[..., 1] = False
    compare.masked_softmax(scores, mask)
    compare.masked_softmax(scores, mask, wrt=[scores])
    long = draw.normal(2, 3000)
    compare.masked_softmax(long, never_empty(draw.booleans(2, 3000)))


@pytest.mark.points(2)
@pytest.mark.rests_on("broadcasts to the shape of scores, which is the shape of the result")
def test_masks_broadcast_to_the_scores(compare, draw):
    """Masks of shape (S,), (T, S), (H, 1, S), (B, 1, 1, S), (1, H, 1, S) and (B, 1, T, S) fit
    scores of shape (B, H, T, S), also if all these sizes are the same."""
    scores = draw.normal(2, 3, 4, 5)
    for shape in ((5,), (4, 5), (3, 1, 5), (2, 1, 1, 5), (1, 3, 1, 5), (2, 1, 4, 5)):
        mask = never_empty(draw.booleans(*shape))
        mask[..., -1] = False
        compare.masked_softmax(scores, mask)
    equal = draw.normal(4, 4, 4, 4)
    for shape in ((4, 4), (4, 1, 4), (4, 1, 1, 4)):
        compare.masked_softmax(equal, never_empty(draw.booleans(*shape)))
    square = draw.normal(3, 3)
    keys = torch.tensor([True, False, True], device=square.device)
    compare.masked_softmax(square, keys)
    compare.masked_softmax(square[0], keys)


@pytest.mark.points(2)
@pytest.mark.rests_on("may have any number of axes; dim is any of them")
def test_normalises_the_axis_asked_for(compare, draw):
    """Weights sum to one along `dim`, whichever axis that is, also where nothing is forbidden."""
    scores, everything = draw.normal(2, 3, 4, 5), torch.ones_like(draw.booleans(5))
    for dim in (0, 1, 2, 3, -1, -2):
        mask = never_empty(draw.booleans(2, 3, 4, 5, true=0.6), dim)
        compare.masked_softmax(scores, mask, dim=dim)
    for dim in (1, -1, -3):
        compare.masked_softmax(scores, everything, dim=dim)
    deep = draw.normal(2, 1, 3, 4, 5)
    compare.masked_softmax(deep, never_empty(draw.booleans(3, 4, 5), 1), dim=3)
    table = draw.normal(6, 3)
    rows = torch.tensor([[True], [False], [True], [True], [False], [True]], device=table.device)
    compare.masked_softmax(table, rows, 0)


@pytest.mark.points(2)
@pytest.mark.kept("the rule itself; the next two add other axes and gradients to it")
@pytest.mark.rests_on(
    "Where nothing at all is allowed along dim, there is no distribution",
    "all weights are exactly 0",
)
def test_nothing_to_attend_to(compare, submission, draw):
    """A row without any allowed key gets zeros, exactly; the rows beside it stay as they are."""
    scores = draw.normal(2, 3, 4, 5)
    padding = draw.booleans(2, 1, 1, 5, true=0.6)
    padding[0], padding[1, ..., 0] = False, True
    table = never_empty(draw.booleans(4, 5, true=0.6))
    table[2] = False
    for mask in (torch.zeros_like(table), padding, table):
        compare.masked_softmax(scores, mask)
        weights = submission.masked_softmax(scores, mask)
        empty = ~mask.any(-1, keepdim=True).expand(2, 3, 4, 1)
        exact = bool(weights.masked_select(empty).eq(0).all())
        assert exact, "A row without any allowed key gets weights that are only nearly 0."


@pytest.mark.kept("the rule along other axes; the next check asks for gradients as well")
@pytest.mark.rests_on("Where nothing at all is allowed along dim, there is no distribution")
def test_nothing_to_attend_to_along_another_axis(compare, draw):
    """Along any `dim`, a line without any allowed score gets zeros, also if the mask broadcasts."""
    scores = draw.normal(2, 3, 4, 5)
    table = draw.booleans(4, 5, true=0.6)
    table[:, 4], table[0, :3], table[1, 0] = True, False, True
    table[:, 3], table[2] = False, False
    for dim in (-1, -2, 2):
        compare.masked_softmax(scores, table, dim=dim)


@pytest.mark.asked_once("gradients are the question, and other checks ask again")
@pytest.mark.rests_on("and so are the gradients of these scores")
def test_gradients_beside_nothing_to_attend_to(compare, draw):
    """Gradients are finite also in rows without any allowed key: they are 0 there."""
    scores = draw.normal(2, 4, 5)
    mask = never_empty(draw.booleans(4, 5, true=0.6))
    mask[2] = False
    rows = pairs(mask=(mask, mask[0], mask[2:3]), dim=(-1, -2, 0))
    compare(lambda impl: [impl.masked_softmax(scores, **row) for row in rows], wrt=[scores])


def hold_in_half_precision(impl, scores, mask):
    """Weights stay where they belong. Near 400 bfloat16 counts in twos: no value can be asked."""
    for dtype in (torch.float16, torch.bfloat16):
        weights = impl.masked_softmax(scores.to(dtype), mask)
        name = str(dtype).removeprefix("torch.")
        assert weights.dtype == dtype, f"For {name} scores, weights are {weights.dtype}."
        assert weights.isfinite().all(), f"Weights of large {name} scores are not finite."
        leaking = weights[~mask].abs().gt(1e-3).any()
        assert not leaking, f"Forbidden keys with large {name} scores get a weight."
        alive = weights.sum(-1).gt(0.1).all()
        assert alive, f"Allowed keys with large {name} scores lose their weight."


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "a forbidden score, be it 800 above the allowed ones, must not disturb their weights",
)
def test_large_forbidden_scores_change_nothing(compare, submission, draw):
    """Forbidden scores 15, 35 or even 780 above the allowed ones do not disturb them."""
    for allowed, forbidden in ((0.0, 15.0), (-15.0, 15.0), (-95.0, -60.0), (-390.0, 390.0)):
        mask, scores = split_scores(draw, allowed, forbidden)
        compare.masked_softmax(scores, mask, wrt=[scores])
    hold_in_half_precision(submission, scores, mask)


@pytest.mark.points(2)
@pytest.mark.rests_on("Scores between -400 and 400 come out finite in every dtype")
def test_large_allowed_scores_do_not_overflow(compare, submission, draw):
    """Rows of allowed scores near 390, near -390 and near 0 side by side all come out right."""
    levels = torch.tensor([[390.0], [-390.0], [0.0], [390.0]], device=draw.normal(1).device)
    mask, scores = split_scores(draw, levels, -390.0)
    compare.masked_softmax(scores, mask, wrt=[scores])
    hold_in_half_precision(submission, scores, mask)


@pytest.mark.rests_on("The dtype is that of scores, and so is the dtype of their gradient")
def test_keeps_the_dtype(compare, draw):
    """float64, bfloat16 and float16 scores give weights and gradients of their own dtype."""
    mask = never_empty(draw.booleans(3, 5))
    mask[0, -1] = False
    for dtype in FLOATS[1:]:
        scores = draw.normal(3, 5, dtype=dtype)
        compare.masked_softmax(scores, mask, wrt=[scores])


# to_additive and to_mha_mask ------------------------------------------------------------------


def additive_of(impl, mask, dtype):
    """``to_additive``'s answer, after a look at its kind, dtype and shape."""
    bias = impl.to_additive(mask, dtype)
    assert isinstance(bias, torch.Tensor), "to_additive does not return a tensor."
    assert bias.is_floating_point(), "to_additive returns no floating-point numbers."
    assert bias.dtype == dtype, "to_additive does not return the dtype asked for."
    shapes = f"to_additive turns a mask of shape {tuple(mask.shape)} into {tuple(bias.shape)}."
    assert bias.shape == mask.shape, shapes
    return bias


def looked_at(bias, mask):
    """Zeros where True, nothing but very negative numbers where False."""
    allowed, forbidden = bias[mask], bias[~mask]
    swapped = bool(allowed.lt(0).any()) and bool(forbidden.eq(0).all())
    assert not swapped, "Allowed keys get the negative numbers and forbidden ones 0: swap them."
    assert not bias.isnan().any(), "to_additive gives NaN: 0 times infinity is not 0."
    assert not bool(forbidden.gt(1).any()), "A forbidden key gets a large positive number."
    ones = bool(forbidden.eq(1).any()) and bool(allowed.eq(0).all())
    assert not ones, "A forbidden key gets 1: at most -1e4 is asked for."
    assert not bool(forbidden.gt(0).any()), "A forbidden key gets a positive number."
    numbered = bool(allowed.eq(1).any() and allowed.eq(1).all()) and bool(forbidden.eq(0).all())
    assert not numbered, "Allowed keys get 1 and forbidden ones 0, which changes nothing."
    assert not bool(forbidden.eq(0).any()), "A forbidden key gets 0, which changes nothing."
    assert bool(allowed.eq(0).all()), "An allowed key gets something other than 0."
    weak = "A forbidden key gets a number that ordinary scores outweigh: at most -1e4 is asked for."
    assert bool(forbidden.le(ENOUGH).all()), weak


@pytest.mark.core("to_additive")
@pytest.mark.points(2)
@pytest.mark.rests_on("any number will do that is finite in dtype and at most -1e4")
def test_additive_mask(compare, submission, draw):
    """0 where the mask is True; -inf, or a number of at most -1e4, where it is False."""
    for shape in ((3, 5), (2, 1, 1, 4), (6,), (2, 3, 4, 5), (4, 4)):
        mask = draw.booleans(*shape)
        mask.view(-1)[0], mask.view(-1)[1] = True, False
        looked_at(additive_of(submission, mask, torch.float32), mask)
    compare(lambda impl: impl.to_additive(mask, torch.float32) < ENOUGH)
    nothing = draw.booleans(2, 3, true=-1.0)
    looked_at(additive_of(submission, nothing, torch.float32), nothing)
    looked_at(additive_of(submission, ~nothing, torch.float32), ~nothing)


@pytest.mark.rests_on("-1e9 does not exist in float16")
def test_additive_mask_in_the_dtype_asked_for(submission, draw):
    """The same in float64, bfloat16 and float16, where -1e9 does not exist."""
    mask = draw.booleans(3, 5)
    mask[0, 0], mask[0, 1] = True, False
    for dtype in FLOATS[1:]:
        looked_at(additive_of(submission, mask, dtype), mask)


@pytest.mark.rests_on("The result has dtype, the mask's shape and the mask's device")
def test_additive_mask_on_the_device_of_the_mask(submission, draw):
    """The result is where the mask is."""
    mask = draw.booleans(3, 5).to("meta")
    bias = additive_of(submission, mask, torch.float16)
    assert bias.device.type == "meta", "to_additive does not stay on the mask's device."


@pytest.mark.core("to_mha_mask")
@pytest.mark.public
@pytest.mark.rests_on("A new bool tensor of the same shape, with the opposite meaning")
def test_mask_for_multihead_attention(compare, draw):
    """For torch.nn.MultiheadAttention True means: ignore. Shape and bool stay, the sense turns."""
    causal = torch.ones(2, 2, dtype=torch.bool).tril()
    compare.to_mha_mask(causal)
    for shape in ((3, 5), (2, 1, 1, 4), (6,), (4, 4)):
        mask = draw.booleans(*shape)
        compare.to_mha_mask(mask)


# Work -----------------------------------------------------------------------------------------

ONE_EACH, ONE_A_PAIR = 24, 400  # operations, for 32 tokens instead of 8


@pytest.mark.rests_on("No Python loop fills a mask or runs over tokens, sentences or rows")
def test_no_mask_is_filled_in_a_loop(compare, submission, draw):
    """Masks are made at once, by comparing or by a triangle: no Python loop over tokens or
    sentences, so 32 of them take as many torch operations as 8."""

    def growth(few, many):
        first, second = (work_of(submission, call).operations for call in (few, many))
        return second - first

    compare(lambda impl: (impl.causal_mask(8), impl.causal_mask(8, 40)))  # right first
    square = growth(lambda impl: impl.causal_mask(8), lambda impl: impl.causal_mask(32))
    assert square < ONE_A_PAIR, "causal_mask: an operation for every pair of tokens"
    wide = growth(lambda impl: impl.causal_mask(8, 40), lambda impl: impl.causal_mask(32, 40))
    assert max(square, wide) < ONE_EACH, "causal_mask: an operation or more for every token"
    small, long, many = (draw.integers(0, 4, shape) for shape in ((8, 8), (8, 32), (32, 8)))
    compare.padding_mask(small, 0)
    for ids, what in ((long, "token"), (many, "sentence")):
        compare.padding_mask(ids, 0)
        found = growth(
            lambda impl: impl.padding_mask(small, 0),
            lambda impl: impl.padding_mask(ids, 0),
        )
        assert found < ONE_EACH, f"padding_mask: an operation or more for every {what}"


@pytest.mark.rests_on("No Python loop fills a mask or runs over tokens, sentences or rows")
def test_all_rows_of_scores_at_once(compare, submission, draw):
    """masked_softmax has no Python loop over rows: 32 rows take as many operations as 8."""

    def operations(rows):
        scores, mask = draw.normal(rows, 5), never_empty(draw.booleans(rows, 5))
        mask[1] = False
        compare.masked_softmax(scores, mask)  # right first, then fast
        return work_of(submission, lambda impl: impl.masked_softmax(scores, mask)).operations

    found = operations(32) - operations(8)
    assert found < ONE_EACH, "masked_softmax: an operation or more for every row"
