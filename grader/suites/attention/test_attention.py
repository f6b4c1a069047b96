"""Hidden checks of ``attention``."""

from __future__ import annotations

import pytest
import torch

from grader.check import finding, gradient, pairs, usable, work_of


@pytest.mark.core("scaled_dot_product_attention: the plain formula")
@pytest.mark.public
@pytest.mark.kept("the numbers of the chapter, for a first answer")
@pytest.mark.rests_on("Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V")
def test_example(compare, device):
    """Three tokens [1, 0], [.5, .5] and [0, 1] attend as printed: .4555, .3199, .2246 and so on."""
    x = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], device=device)
    compare.scaled_dot_product_attention(x, x, x)


@pytest.mark.core("scaled_dot_product_attention: the plain formula")
@pytest.mark.points(2)
@pytest.mark.kept("the formula itself; whoever misses it misses other checks too")
@pytest.mark.rests_on("The values averaged under each query's weights, and the weights")
def test_queries_average_values(compare, draw):
    """Each query averages the values, under weights that sum to one over the keys."""
    for queries, keys in ((3, 5), (5, 3), (6, 6)):
        q, k, v = draw.normal(2, queries, 4), draw.normal(2, keys, 4), draw.normal(2, keys, 7)
        compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])
    q, k, v = (draw.normal(5, 5, 5) for _ in range(3))
    compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])
    q, k, v = draw.normal(2, 2, 4), draw.normal(2, 3000, 4), draw.normal(2, 3000, 7)
    compare.scaled_dot_product_attention(q, k, v)


@pytest.mark.asked_once("of other sizes, everything is asked again")
@pytest.mark.rests_on(
    "broadcastable to (..., Tq, Tk)",
    "Any number of queries and keys, in any layout",
)
def test_sizes_that_coincide(compare, draw):
    """As many batches as heads, queries, keys and features: every axis is still what it was."""
    q, k, v = (draw.normal(4, 4, 4, 4) for _ in range(3))
    mask, heads, padding = (_with_the_first(draw, *s) for s in ((4, 4), (4, 1, 4), (4, 1, 1, 4)))
    for options in pairs(mask=(mask, heads, padding, None), is_causal=(False, True)):
        compare.scaled_dot_product_attention(q, k, v, **options)
    compare.scaled_dot_product_attention(q, k, v, _with_the_first(draw, 4))
    q, k, v = (draw.normal(4, 4, 4) for _ in range(3))
    compare.scaled_dot_product_attention(q, k, v, _with_the_first(draw, 4, 4))


@pytest.mark.core("scaled_dot_product_attention: the plain formula")
@pytest.mark.points(2)
@pytest.mark.kept("a wrong factor spoils most other checks, but this one says what is wrong")
@pytest.mark.rests_on("the factor on the scores in place of 1 / sqrt(d_k)")
def test_divides_by_sqrt_of_key_width(compare, draw):
    """Scores are divided by sqrt(d_k): not by d_k, and not by a root of any other size."""
    for width in (64, 12, 1):
        q, k, v = draw.normal(2, 3, width), draw.normal(2, 5, width), draw.normal(2, 5, 7)
        compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])


@pytest.mark.rests_on(
    "0.0 is a factor like any other",
    "Every option means the same whatever the others are",
)
def test_custom_scale(compare, draw):
    """`scale` takes the place of 1 / sqrt(d_k), with masks, in training, and when it is 0.0."""
    q, k, v = draw.normal(2, 5, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    for scale in (1.7, 0.0):  # alone first, for it belongs to the plain formula
        compare.scaled_dot_product_attention(q, k, v, scale=scale, wrt=[q, k, v])
    mask = draw.booleans(5, 5)
    mask[:, 0] = True
    bias = draw.normal(5, 5, scale=2.0)
    masks = None, mask, bias
    both = (False, True)
    for options in pairs(scale=(1.7, None), mask=masks, is_causal=both, training=both):
        wrt = [q, k, v, bias] if options["mask"] is bias else [q, k, v]
        compare.scaled_dot_product_attention(q, k, v, wrt=wrt, **options)
    for fewer in (None, mask[:3], bias[:3]):
        compare.scaled_dot_product_attention(q[:, :3], k, v, mask=fewer, scale=0.3)


@pytest.mark.kept("tells of the axes; the checks of sizes and options have more than three too")
@pytest.mark.rests_on("Any number of leading axes, none included")
def test_any_number_of_axes(compare, draw):
    """Two axes, four axes with heads, and five axes work like three."""
    for leading in ((), (2, 3), (2, 3, 8)):
        q, k = draw.normal(*leading, 5, 4), draw.normal(*leading, 6, 4)
        v = draw.normal(*leading, 6, 7)
        compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])
        compare.scaled_dot_product_attention(k, k, v, is_causal=True)
    split = (draw.normal(2, length, 3, 4).transpose(1, 2) for length in (5, 6, 6))  # as heads are
    compare.scaled_dot_product_attention(*split)


@pytest.mark.rests_on("Any number of leading axes, none included")
def test_axes_of_size_one(compare, draw):
    """One query, one key, one batch, one feature: the axis of size 1 stays where it is."""
    for sizes in ((2, 1, 5, 4, 7), (2, 5, 1, 4, 7), (1, 3, 5, 4, 1), (1, 1, 1, 4, 7)):
        batch, queries, keys, width, value_width = sizes
        q, k = draw.normal(batch, queries, width), draw.normal(batch, keys, width)
        v = draw.normal(batch, keys, value_width)
        compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])
    q, k, v = draw.normal(2, 1, 4), draw.normal(2, 1, 4), draw.normal(2, 1, 7)
    compare.scaled_dot_product_attention(q, k, v, is_causal=True)


@pytest.mark.core("scaled_dot_product_attention: a boolean mask")
@pytest.mark.points(2)
@pytest.mark.kept("the plain mask, which checks of masks in other company need as well")
@pytest.mark.rests_on("Boolean: True = may attend")
def test_boolean_mask(compare, draw):
    """Where the mask is False the key gets no weight, and the row still sums to one."""
    q, k, v = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    for shape in ((3, 5), (2, 3, 5)):
        mask = draw.booleans(*shape)
        mask[..., 2] = True
        mask[..., 0, 4] = False
        compare.scaled_dot_product_attention(q, k, v, mask=mask, wrt=[q, k, v])
    q[..., 1, :] = 0  # a score of 0 forbids nothing
    compare.scaled_dot_product_attention(q, k, v, mask=mask)


@pytest.mark.points(2)
@pytest.mark.rests_on("broadcastable to (..., Tq, Tk)")
def test_masks_that_broadcast(compare, draw):
    """Masks per head, batch or key and one for all: (B, H, Tq, Tk), (B, 1, 1, Tk), (Tq, Tk)."""
    q, k, v = draw.normal(2, 3, 5, 4), draw.normal(2, 3, 6, 4), draw.normal(2, 3, 6, 7)
    for shape in ((2, 3, 5, 6), (2, 1, 1, 6), (5, 6), (1, 3, 5, 6), (3, 1, 6), (6,)):
        mask = draw.booleans(*shape)
        mask[..., 3] = True
        mask[..., 1] = False
        compare.scaled_dot_product_attention(q, k, v, mask)
    for shape in ((2, 3, 5, 6), (2, 1, 1, 6), (3, 1, 6)):
        bias = draw.normal(*shape, scale=2.0)
        bias[..., 1] = -torch.inf
        compare.scaled_dot_product_attention(q, k, v, bias)
    compare.scaled_dot_product_attention(q, k, v, draw.normal(5, 1))  # moves whole rows


@pytest.mark.core("scaled_dot_product_attention: an additive mask")
@pytest.mark.points(2)
@pytest.mark.kept("the plain additive mask, which checks of it in other company need as well")
@pytest.mark.rests_on(
    "added to the scaled scores, so any finite number shifts a score and -inf forbids",
)
def test_additive_mask(compare, draw):
    """A mask of floats is added to the scaled scores: it shifts them, and -inf or -1e9 forbids."""
    q, k, v = draw.normal(2, 3, 16), draw.normal(2, 5, 16), draw.normal(2, 5, 7)
    bias = draw.normal(3, 5, scale=3.0)
    hard, large, zero = bias.clone(), bias.clone(), torch.zeros_like(bias)
    hard[0, 3] = hard[1, :2] = -torch.inf
    large[0, 3] = large[1, :2] = -1e9
    zero[2, 4] = zero[0, 1] = -torch.inf
    for mask in (bias, hard, large, zero):
        compare.scaled_dot_product_attention(q, k, v, mask=mask, wrt=[q, k, v, mask])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "a key that may not be attended to gets no weight however large its score",
    "so any finite number shifts a score and -inf forbids",
)
def test_forbidden_keys_that_dominate(compare, draw):
    """A forbidden key gets no weight even if its score is 800 above all allowed ones; numbers of an
    additive mask only shift, however large they are."""
    allowed = draw.booleans(4, 6)
    allowed[:, 1], allowed[:, 3] = True, False
    levels = torch.tensor([[-400.0], [0.0], [-400.0], [0.0]], device=allowed.device)
    scores = levels + torch.where(allowed, 0.0, 800.0)
    q = torch.cat([scores * 4, draw.normal(4, 10, scale=2.0)], dim=-1)  # the width is 16
    k = torch.cat([torch.eye(6, device=q.device), draw.normal(6, 10, scale=2.0)], dim=-1)
    v = draw.normal(6, 7)
    bias = torch.zeros_like(scores).masked_fill(~allowed, -torch.inf)
    for mask in (allowed, bias):
        compare.scaled_dot_product_attention(q, k, v, mask=mask, wrt=[q, k, v])
    rows = torch.tensor([[-12288.0], [600.0], [0.0], [-600.0]], device=q.device)
    shift = rows + torch.where(allowed, 0.0, -800.0)  # what is 800 above the others no longer is
    compare.scaled_dot_product_attention(q, k, v, mask=shift, wrt=[q, k, v, shift])


@pytest.mark.kept("large scores alone: the check of forbidden keys has them beside masks")
@pytest.mark.rests_on("Scores of several hundred must not overflow")
def test_large_scores(compare, draw):
    """Rows of scores near 800, near -800 and near 0, side by side, come out finite and exact."""
    q, k, v = draw.normal(2, 3, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    q[..., 0] = torch.tensor([800.0, -800.0, 0.0], device=q.device)
    k[..., 0] = 2.0
    compare.scaled_dot_product_attention(q, k, v, wrt=[q, k, v])


@pytest.mark.core("scaled_dot_product_attention: is_causal")
@pytest.mark.points(2)
@pytest.mark.rests_on("position i may attend to the keys 0..i only")
def test_causal(compare, draw):
    """With is_causal, position i attends to the keys 0 to i and to none after it."""
    for shape in ((2, 5), (2, 3, 6)):
        q, k, v = draw.normal(*shape, 4), draw.normal(*shape, 4), draw.normal(*shape, 7)
        compare.scaled_dot_product_attention(q, k, v, is_causal=True, wrt=[q, k, v])
    q[..., 2, :] = 0  # a score of 0 forbids nothing
    compare.scaled_dot_product_attention(q, k, v, is_causal=True)
    q, k, v = draw.normal(1030, 2), draw.normal(1030, 2), draw.normal(1030, 3)
    compare.scaled_dot_product_attention(q, k, v, is_causal=True)  # longer than a mask made before


@pytest.mark.kept("only large scores show what renormalising costs")
@pytest.mark.rests_on("a key that may not be attended to gets no weight however large its score")
def test_future_keys_that_dominate(compare, draw):
    """With is_causal, a later key gets no weight, however far its score is above all others."""
    q, k, v = draw.normal(2, 5, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    q[..., 0] = 2.0
    k[..., 0] = torch.linspace(-740.0, 70.0, 5, device=k.device)
    q[:, 2, 1], k[..., 1] = 670.0, 1.0  # the third query's own scores end near 0
    compare.scaled_dot_product_attention(q, k, v, is_causal=True, wrt=[q, k, v])


@pytest.mark.points(2)
@pytest.mark.kept("the rule for two masks, with masks that broadcast; others only brush it")
@pytest.mark.rests_on("both must allow, and an additive mask still shifts what is allowed")
def test_causal_together_with_a_mask(compare, draw):
    """With is_causal and a mask, a key must be allowed by both; additive masks still shift."""
    q, k, v = draw.normal(2, 5, 4), draw.normal(2, 5, 4), draw.normal(2, 5, 7)
    for shape in ((5, 5), (2, 1, 5), (2, 5, 5)):
        mask = draw.booleans(*shape)
        mask[..., 0], mask[..., 1], mask[..., 2] = True, False, True
        bias = torch.zeros(shape, device=mask.device).masked_fill(~mask, -torch.inf)
        bias = bias + draw.normal(*shape)
        for given in (mask, bias):
            compare.scaled_dot_product_attention(q, k, v, mask=given, is_causal=True)


@pytest.mark.rests_on(
    "Both results have the dtype (float32, float64 or bfloat16) and the device of the inputs",
)
def test_works_where_its_inputs_are(compare, submission, draw):
    """What you make yourself, such as the causal mask or dropout's random numbers, is made on the
    device of the inputs, and in a dtype that suits theirs."""
    given = [draw.normal(2, 5, width) for width in (4, 4, 7)]
    far, dropping = [tensor.to("meta") for tensor in given], {"dropout_p": 0.25, "training": True}
    compare.scaled_dot_product_attention(*far, is_causal=True)
    compare.scaled_dot_product_attention(*far, **dropping)
    half = [tensor.to(torch.bfloat16) for tensor in given]
    _attend(submission, *half, **dropping)


# Work ---------------------------------------------------------------------------------------------

ONE_EACH = 24  # operations, for 24 queries, keys or positions more


@pytest.mark.rests_on("the number of torch operations does not depend on Tq or Tk")
def test_all_queries_and_keys_at_once(compare, submission, draw):
    """No Python loop over queries or keys: each torch operation has a price of its own, and with
    matrix products their number stays the same however long the sequence is."""

    def operations(queries, keys, **options):
        q, k, v = draw.normal(3, queries, 4), draw.normal(3, keys, 4), draw.normal(3, keys, 7)

        return work_of(submission, lambda impl: _attend(impl, q, k, v, **options)).operations

    q, k, v = draw.normal(3, 5, 4), draw.normal(3, 6, 4), draw.normal(3, 6, 7)
    compare.scaled_dot_product_attention(q, k, v)  # right first, then fast
    few = operations(8, 8)
    by_query = operations(32, 8) - few >= ONE_EACH
    by_key = operations(8, 32) - few >= ONE_EACH
    grows = "the number of torch operations grows with the number of"
    assert not (by_query and by_key), f"{grows} queries and with that of keys"
    assert not by_query, f"{grows} queries"
    assert not by_key, f"{grows} keys"
    causal = operations(32, 32, is_causal=True) - operations(8, 8, is_causal=True)
    assert causal < ONE_EACH, f"with is_causal, {grows} positions"
    first, second = (operations(n, n, mask=_with_itself(draw, n)) for n in (8, 32))
    assert second - first < ONE_EACH, f"with a mask, {grows} positions"


@pytest.mark.kept("names what the memory check only measures")
@pytest.mark.rests_on("no tensor on the way is larger than a few times weights and the inputs")
def test_no_tensor_for_every_query_key_and_feature(compare, submission, draw):
    """No tensor of shape (..., Tq, Tk, d) on the way: d times the memory of the scores, which a
    matrix product never needs."""
    q, k, v = draw.normal(2, 3, 40, 16), draw.normal(2, 3, 48, 16), draw.normal(2, 3, 48, 24)
    compare.scaled_dot_product_attention(q, k, v)  # right first, then lean
    work = work_of(submission, lambda impl: impl.scaled_dot_product_attention(q, k, v))
    scores = 2 * 3 * 40 * 48
    assert work.largest < 24 * scores, "a tensor of shape (..., Tq, Tk, d_v) is made"
    assert work.largest < 16 * scores, "a tensor of shape (..., Tq, Tk, d_k) is made"
    assert work.largest <= 6 * scores, "a tensor is made that is many times as large as the scores"


@pytest.mark.timeout(30)
@pytest.mark.kept("the clock itself; what is slow is named by the count of operations")
@pytest.mark.rests_on("time and memory are at most three times what the plain formula needs")
def test_is_fast(faster_than, draw):
    """On 512 tokens it takes at most three times as long as the plain formula on whole matrices; a
    Python loop over the queries takes longer, and one over all pairs a hundred times as long."""
    faster_than(
        3,
        lambda impl, q, k, v: impl.scaled_dot_product_attention(q, k, v),
        lambda: [draw.normal(512, 160) for _ in range(3)],
    )


@pytest.mark.timeout(30)
@pytest.mark.kept("the memory itself; what is wasteful is named by its largest tensor")
@pytest.mark.rests_on("time and memory are at most three times what the plain formula needs")
def test_is_lean(leaner_than, draw):
    """On 700 tokens it needs at most three times the memory of the plain formula: a tensor of shape
    (Tq, Tk, d) alone would be 125 MB."""
    leaner_than(
        3,
        lambda impl, q, k, v: impl.scaled_dot_product_attention(q, k, v),
        lambda: [draw.normal(700, 64) for _ in range(3)],
    )


def _with_the_first(draw, *shape):
    """A mask under which every query may attend to the first key at least."""
    mask = draw.booleans(*shape)
    mask[..., 0] = True
    return mask


def _with_itself(draw, length):
    """A mask under which every position may attend to itself at least."""
    mask = draw.booleans(length, length)
    mask.fill_diagonal_(True)
    return mask


# Dropout ------------------------------------------------------------------------------------------

P = 0.25
KEYS = 29
LENGTH = 16
MOST_SPREAD = 1.6  # of 144 sums or more: 1 +- 0.12 if each falls alone, 2 if two fall together


@pytest.mark.rests_on("no dropout unless True, whatever dropout_p says")
def test_no_dropout_outside_training(submission, draw):
    """Unless training is True, dropout_p changes nothing; nor does training with dropout_p 0.0."""
    q, k, v = _showing_the_weights(draw)
    plain, plain_weights = _attend(submission, q, k, v)
    for options in ({}, {"training": False}):
        out, weights = _attend(submission, q, k, v, dropout_p=0.4, **options)
        shrunk = _close(out, 0.6 * plain)
        assert not shrunk, "outside training, out is multiplied by 1 - dropout_p"
        assert _close(weights, plain_weights), "outside training, dropout_p changes the weights"
        assert _close(out, plain), "dropout acts although training is not True"
    for options in ({"dropout_p": 0.0}, {}):
        out, _ = _attend(submission, q, k, v, training=True, **options)
        assert _close(out, plain), (
            "with dropout_p = 0.0, which it is by default, training changes out"
        )


@pytest.mark.core("scaled_dot_product_attention: dropout")
@pytest.mark.points(2)
@pytest.mark.kept("the rule itself; the check of all options says less of what is wrong")
@pytest.mark.rests_on("set to 0 with this probability and otherwise divided by 1 - dropout_p")
def test_dropout_drops_and_rescales_weights(submission, draw):
    """In training a share dropout_p of the weights is 0, the rest is divided by 1 - dropout_p."""
    q, k, v = _showing_the_weights(draw)
    used, plain = _used_weights(submission, q, k, v)
    dropped = used == 0
    share = dropped.double().mean().item()
    assert abs(share - (1 - P)) > 0.05, "a share 1 - dropout_p of the weights is dropped"
    assert abs(share - P) < 0.05, "the share of weights dropped is not dropout_p"
    assert not _close(used.sum(-1), 1), "the rows sum to one again after dropout"
    factor = (used / plain)[~dropped]
    assert not _close(factor, 1), "the weights that are kept are not divided by 1 - dropout_p"
    assert not _close(factor, 1 / P), "the weights that are kept are divided by dropout_p"
    assert _close(factor, 1 / (1 - P)), "what is kept is not the weights over 1 - dropout_p"


@pytest.mark.rests_on(
    "queries, keys, heads and batches share no random number",
    "afresh in every call",
)
def test_dropout_falls_on_each_weight_alone(submission, draw):
    """Queries, keys, heads, batches and calls: each has its own luck with dropout."""
    q, k, v = _showing_the_weights(draw)
    first, second = (_used_weights(submission, q, k, v)[0] == 0 for _ in range(2))
    axes = ((-1, "keys"), (-2, "queries"), (-3, "heads"), (-4, "batches"))
    for along, name in axes:
        if (first == first.narrow(along, 0, 1)).all():
            raise finding(
                f"all {name} lose the same weights to dropout",
                help="Draw one random number for every weight: torch.rand_like(weights), which has "
                "the shape of the weights with all their axes.",
            )
    for along, name in axes:
        together = _spread(first, along) > MOST_SPREAD
        assert not together, f"dropout falls on several {name} at once: each has its own luck"
    assert (first != second).any(), "a second call drops the very same weights"


@pytest.mark.rests_on("Every option means the same whatever the others are")
def test_dropout_with_every_other_option(submission, draw):
    """Masks, is_causal and scale hold in training as ever, and dropout acts with them as without,
    be there two axes or five."""
    masks = None, _with_itself(draw, LENGTH) | draw.booleans(LENGTH, LENGTH), draw.normal(LENGTH)
    for options in ({"mask": masks[1]}, {"is_causal": True}, {"scale": 1.7}):
        _look_at_dropout(submission, draw, (2,), dropout_p=P, **options)
    for options in pairs(
        leading=((), (2, 3), (2, 3, 2)),
        mask=masks,
        is_causal=(False, True),
        scale=(None, 1.7),
        dropout_p=(0.6, P),
    ):
        _look_at_dropout(submission, draw, **options)


def _look_at_dropout(submission, draw, leading, dropout_p, **options):
    """Asserts that the weights used in training are those without it, dropped one by one."""
    q, k = draw.normal(*leading, LENGTH, 4), draw.normal(*leading, LENGTH, 4)
    v = torch.eye(LENGTH, LENGTH + 1, device=q.device).expand(*leading, LENGTH, LENGTH + 1)
    _, plain = _attend(submission, q, k, v, **options)
    out, weights = _attend(submission, q, k, v, dropout_p=dropout_p, training=True, **options)
    used = out[..., :LENGTH]
    said, p = _named(options), dropout_p
    if not _close(weights, plain):
        changed = f"{said}, training changes the weights that are returned"
        advice = "Return the weights as they are before dropout: only what is averaged is dropped."
        raise finding(changed, help=advice, seen=[said, weights])
    kept, seen = used != 0, plain > 1e-6
    right = _close(used[kept], plain[kept] / (1 - p))
    assert right, f"{said}, what is kept in training is not the weights over 1 - dropout_p"
    share = (~kept[seen]).double().mean().item()
    room = 6 * (p * (1 - p) / seen.sum().item()) ** 0.5
    assert abs(share - p) < room, f"{said}, the share of weights dropped is not dropout_p"
    for axis in range(used.ndim):
        at = 0 if axis == used.ndim - 1 else used.shape[axis] - 1  # seen by all, or sees all
        both = seen & seen.narrow(axis, at, 1)
        both.narrow(axis, at, 1).fill_(False)
        alike = (kept == kept.narrow(axis, at, 1))[both].all()
        assert not alike, f"{said}, dropout is the same all along axis {axis - used.ndim}"


def _named(options):
    """The options in words: "with mask and scale"."""
    given = [name for name, value in options.items() if value is not None and value is not False]
    return f"with {' and '.join(given)}" if given else "without any option"


@pytest.mark.rests_on("afresh in every call, before the values are averaged")
def test_values_meet_the_dropped_weights(submission, draw):
    """Dropout acts on the weights: whole values drop out of the average, not single numbers."""
    q, k, v = _showing_the_weights(draw)
    plain, _ = _attend(submission, q, k, v)
    out, _ = _attend(submission, q, k, v, dropout_p=P, training=True)
    consistent = _close(out[..., :KEYS] @ v[..., KEYS:], out[..., KEYS:])
    on_out = _close(out, torch.where(out == 0, 0.0, plain / (1 - P)))
    assert consistent or not on_out, "dropout acts on out: single numbers of it are 0"
    assert consistent, "each column of the values meets other weights: dropout acts on the values"
    _used_weights(submission, q, k, v)


@pytest.mark.kept("the rule itself; the check of all options says less of what is wrong")
@pytest.mark.rests_on("The weights returned are the ones before dropout")
def test_returned_weights_are_not_dropped(submission, draw):
    """The weights returned are the ones before dropout: nothing is missing, rows sum to one."""
    q, k, v = _showing_the_weights(draw)
    kept, plain = _attend(submission, q, k, v)
    out, weights = _attend(submission, q, k, v, dropout_p=P, training=True)
    assert not torch.equal(out, kept), "in training no weight is dropped: out is as without dropout"
    assert (weights != 0).all(), "the weights returned hold zeros: they were taken after dropout"
    assert _close(weights, plain), "dropout acts before the softmax: other weights come back"


@pytest.mark.rests_on("gradients flow back through both, to q, k, v and an additive mask")
def test_gradients_pass_the_dropped_weights(submission, draw):
    """In training, gradients reach q, k and v through the weights that were kept."""
    inputs = [tensor.requires_grad_() for tensor in _showing_the_weights(draw)]
    out, _ = _attend(submission, *inputs, dropout_p=P, training=True)
    used = out[..., :KEYS].double()
    assert (used == 0).any(), "no weight is 0 in training"
    cotangent = draw.normal(*out.shape)
    cotangent[..., KEYS:] = 0
    found = [gradient(submission, out, cotangent, tensor) for tensor in inputs]
    for name, tensor in zip("qkv", found, strict=True):
        assert tensor is not None, f"in training no gradient reaches {name}"
    q, k, _ = (tensor.detach().double().requires_grad_() for tensor in inputs)
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    same = weights * (used / weights).detach()
    expected = torch.autograd.grad((same * cotangent[..., :KEYS].double()).sum(), (q, k))
    for name, tensor, wanted in zip("qk", found, expected, strict=False):
        assert _close(tensor, wanted), f"in training the gradient for {name} is another"


def _spread(dropped, axis):
    """How far the numbers of dropped weights along an axis differ, beside those of lone ones."""
    sums, p = dropped.double().sum(axis), dropped.double().mean()
    return (sums.var() / (dropped.shape[axis] * p * (1 - p))).item()


def _showing_the_weights(draw):
    """Inputs whose values are [I | random]: ``out[..., :KEYS]`` are the weights they met."""
    q, k = draw.normal(2, 3, 24, 4), draw.normal(2, 3, KEYS, 4)
    identity = torch.eye(KEYS, device=q.device).expand(2, 3, KEYS, KEYS)
    return q, k, torch.cat([identity, draw.normal(2, 3, KEYS, 5)], dim=-1)


def _used_weights(submission, q, k, v):
    """The weights the values met in a training call, and the ones without dropout."""
    plain, _ = _attend(submission, q, k, v)
    out, _ = _attend(submission, q, k, v, dropout_p=P, training=True)
    used, plain = out[..., :KEYS], plain[..., :KEYS]
    if not (used == 0).any():
        assert _close(used, plain), "in training the weights change, but none is 0"
        raise AssertionError("training with dropout_p drops nothing")
    return used, plain


def _attend(submission, q, k, v, **options):
    pair = submission.scaled_dot_product_attention(q, k, v, **options)
    assert isinstance(pair, (tuple, list)) and len(pair) == 2, "two values must be returned"
    for tensor, width in zip(pair, (v.shape[-1], k.shape[-2]), strict=True):
        usable(submission, tensor, (*q.shape[:-1], width), q.dtype)
    return pair


def _close(actual, expected):
    expected = torch.as_tensor(expected).double()
    return torch.allclose(actual.double(), expected, rtol=1e-4, atol=1e-4)
