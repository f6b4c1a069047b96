"""Wrong answers to ``attention``, and what their authors are told."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from grader.programs.bank import misconception

# One right program in steps; most wrong ones below replace a single step. The first entry that
# fits is the one named, so what concerns a combination comes before what concerns everything.


def _dot(q, k):
    return q @ k.mT


def _scaled(scores, scale, q, k, v):
    return scores * (q.shape[-1] ** -0.5 if scale is None else scale)


def _causal(scores):
    return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()


def _masked(scores, mask, is_causal, fill=-torch.inf):
    if is_causal:
        scores = scores.masked_fill(~_causal(scores), fill)
    if mask is None:
        return scores
    return scores.masked_fill(~mask, fill) if mask.dtype == torch.bool else scores + mask


def _softmax(scores):
    return scores.softmax(-1)


def _dropped(weights, p, training):
    return F.dropout(weights, p, training)


def _attend(
    q,
    k,
    v,
    mask=None,
    *,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    training=False,
    dot=_dot,
    scaled=_scaled,
    masked=_masked,
    softmax=_softmax,
    dropped=_dropped,
    average=torch.matmul,
):
    scores = masked(scaled(dot(q, k), scale, q, k, v), mask, is_causal)
    weights = softmax(scores)
    return average(dropped(weights, dropout_p, training), v), weights


# Right, but slow or wasteful ----------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but a Python loop takes one query at a time: hand all of them "
    "to the matrix product, q @ k.mT, which has a row for each.",
    caught_by=("test_all_queries_and_keys_at_once",),
)
def one_query_at_a_time(q, k, v, mask=None, **options):
    def dot(q, k):
        rows = [q[..., i : i + 1, :] @ k.mT for i in range(q.shape[-2])]
        return torch.cat(rows, dim=-2)

    def average(weights, v):
        rows = [weights[..., i : i + 1, :] @ v for i in range(weights.shape[-2])]
        return torch.cat(rows, dim=-2)

    return _attend(q, k, v, mask, **options, dot=dot, average=average)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but two nested Python loops compute one score at a time: "
    "q @ k.mT is all of these dot products in one operation.",
    caught_by=("test_all_queries_and_keys_at_once",),
)
def one_score_at_a_time(q, k, v, mask=None, **options):
    def dot(q, k):
        rows = [
            torch.stack([(one * other).sum(-1) for other in k.unbind(-2)], dim=-1)
            for one in q.unbind(-2)
        ]
        return torch.stack(rows, dim=-2)

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but a Python loop goes through the keys, adding one value "
    "times its weight after the other: that sum is the matrix product weights @ v.",
    caught_by=("test_all_queries_and_keys_at_once",),
)
def one_key_at_a_time(q, k, v, mask=None, **options):
    def average(weights, v):
        out = torch.zeros((), dtype=v.dtype, device=v.device)
        for j in range(v.shape[-2]):
            out = out + weights[..., j : j + 1] * v[..., j : j + 1, :]
        return out

    return _attend(q, k, v, mask, **options, average=average)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but the causal mask is filled row by row in Python: "
    "torch.ones(T, T).tril() makes all rows in two operations.",
    caught_by=("test_all_queries_and_keys_at_once",),
)
def causal_mask_row_by_row(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if is_causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
            for i in range(scores.shape[-2]):
                past[i, i + 1 :] = False
            scores = scores.masked_fill(~past, -torch.inf)
        return _masked(scores, mask, False)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but the mask is applied row by row in Python: masked_fill "
    "and + take the whole mask, and broadcast it.",
    caught_by=("test_all_queries_and_keys_at_once",),
)
def mask_applied_row_by_row(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if mask is not None:
            rows = mask.expand(scores.shape).unbind(-2)
            pairs = zip(scores.unbind(-2), rows, strict=True)
            scores = torch.stack([_masked(s, m, False) for s, m in pairs], dim=-2)
        return _masked(scores, None, is_causal)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but q[..., :, None, :] * k[..., None, :, :] stores every "
    "product of every query and key before it sums: d_k times the memory of the scores. A matrix "
    "product, q @ k.mT, sums as it goes.",
    caught_by=("test_no_tensor_for_every_query_key_and_feature",),
)
def scores_by_broadcasting(q, k, v, mask=None, **options):
    def dot(q, k):
        return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your values are right, but weights[..., None] * v stores every weighted value before "
    "it sums them: d_v times the memory of the weights. weights @ v sums as it goes.",
    caught_by=("test_no_tensor_for_every_query_key_and_feature",),
)
def average_by_broadcasting(q, k, v, mask=None, **options):
    def average(weights, v):
        return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)

    return _attend(q, k, v, mask, **options, average=average)


# Scores -------------------------------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your output equals attention without the division by sqrt(d_k): dot products of "
    "width d_k have the standard deviation sqrt(d_k), and softmax saturates. Divide the scores by "
    "sqrt(d_k) before the softmax.",
    caught_by=("test_example", "test_divides_by_sqrt_of_key_width"),
)
def no_scaling(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores if scale is None else scores * scale

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide the scores by d_k itself: divide by its square root, which is the "
    "standard deviation of a dot product of that width.",
    caught_by=("test_divides_by_sqrt_of_key_width",),
)
def divides_by_key_width(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (1 / q.shape[-1] if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You multiply the scores by sqrt(d_k) where they must be divided by it: the factor "
    "is 1 / sqrt(d_k).",
    caught_by=("test_divides_by_sqrt_of_key_width",),
)
def multiplies_by_the_root(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (math.sqrt(q.shape[-1]) if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide by the root of the width of the values: the scores come from queries and "
    "keys, so it is their width, d_k, that counts.",
    caught_by=("test_divides_by_sqrt_of_key_width",),
)
def divides_by_sqrt_of_value_width(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (v.shape[-1] ** -0.5 if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide by the root of the number of keys (k.shape[-2]): d_k is the last axis, "
    "the width of a key.",
    caught_by=("test_divides_by_sqrt_of_key_width",),
)
def divides_by_sqrt_of_key_number(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (k.shape[-2] ** -0.5 if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You scale queries and keys by 1 / sqrt(d_k) each, which divides the scores by d_k: "
    "scale once, or both by the fourth root.",
    caught_by=("test_custom_scale",),
)
def scales_queries_and_keys(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (q.shape[-1] ** -0.5 if scale is None else scale) ** 2

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You round the root of d_k to a whole number: sqrt(12) is 3.46, not 3. Use "
    "math.sqrt, or d_k ** -0.5.",
    caught_by=("test_divides_by_sqrt_of_key_width",),
)
def whole_root(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores * (1 / math.isqrt(q.shape[-1]) if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your attention always divides by sqrt(d_k): when the caller gives `scale`, that is "
    "the factor.",
    caught_by=("test_custom_scale",),
)
def ignores_scale(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options | {"scale": None})


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide by `scale`: it is a factor, the scores are multiplied by it.",
    caught_by=("test_custom_scale",),
)
def divides_by_scale(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores / (math.sqrt(q.shape[-1]) if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You apply `scale` on top of 1 / sqrt(d_k): it takes its place.",
    caught_by=("test_custom_scale",),
)
def scale_on_top(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return scores / math.sqrt(q.shape[-1]) * (1.0 if scale is None else scale)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You test `scale` for truth, so a scale of 0.0 counts as not given: ask `is None`.",
    caught_by=("test_custom_scale",),
)
def scale_zero_not_given(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options | {"scale": options.get("scale") or None})


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your scores compare keys with queries the wrong way round: row i must hold the "
    "scores of query i, q @ k^T and not k @ q^T.",
    caught_by=("test_queries_average_values",),
)
def keys_ask_queries(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, dot=lambda q, k: k @ q.mT)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You give k the shape of its transpose with view or reshape, which only re-cuts the "
    "same numbers: swap the axes with transpose(-2, -1).",
    caught_by=("test_queries_average_values",),
)
def reshapes_instead_of_transposing(q, k, v, mask=None, **options):
    def dot(q, k):
        return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your scores are distances, so what is unlike gets the most weight: attention needs "
    "a similarity, the dot product.",
    caught_by=("test_queries_average_values",),
)
def distance_as_score(q, k, v, mask=None, **options):
    def dot(q, k):
        return (q[..., :, None, :] - k[..., None, :, :]).abs().amax(-1)

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You normalise queries and keys to length one: the formula takes the plain dot "
    "product, in which length counts.",
    caught_by=("test_queries_average_values",),
)
def cosine_as_score(q, k, v, mask=None, **options):
    def dot(q, k):
        return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="k.T swaps all axes, not the last two: use k.transpose(-2, -1), which does not mind "
    "leading axes.",
    caught_by=("test_any_number_of_axes", "test_queries_average_values"),
)
def transposes_every_axis(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, dot=lambda q, k: q @ k.permute(*range(k.ndim)[::-1]))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You swap the axes 1 and 2, which are the last two only of a tensor with three axes: "
    "count from the end, transpose(-2, -1).",
    caught_by=("test_any_number_of_axes",),
)
def counts_axes_from_the_front(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, dot=lambda q, k: q @ k.transpose(1, 2))


@misconception(
    of="scaled_dot_product_attention",
    sentence="torch.bmm takes exactly three axes, but q, k and v may have two, four or more: use "
    "@ or torch.matmul.",
    caught_by=("test_any_number_of_axes",),
)
def needs_three_axes(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, dot=lambda q, k: torch.bmm(q, k.mT))


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your einsum names at most four axes, but there may be more in front: write "
    "'...qd,...kd->...qk'.",
    caught_by=("test_any_number_of_axes",),
)
def at_most_four_axes(q, k, v, mask=None, **options):
    def dot(q, k):
        leading = "bh"[: q.ndim - 2]
        return torch.einsum(f"{leading}qd,{leading}kd->{leading}qk", q, k)

    return _attend(q, k, v, mask, **options, dot=dot)


@misconception(
    of="scaled_dot_product_attention",
    sentence="squeeze() removes every axis of size 1, also that of a single query, key or batch: "
    "leave it out.",
    caught_by=("test_axes_of_size_one",),
)
def squeezes(q, k, v, mask=None, **options):
    return tuple(tensor.squeeze() for tensor in _attend(q, k, v, mask, **options))


# Softmax ------------------------------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="You normalise over the queries, the columns of the scores: each query shares its "
    "weight among the keys, so softmax takes dim=-1.",
    caught_by=("test_queries_average_values",),
)
def softmax_over_queries(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, softmax=lambda scores: scores.softmax(-2))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You normalise over the first axis, across the batch: so does softmax without dim "
    "for three axes. The keys are the last axis, dim=-1.",
    caught_by=("test_queries_average_values",),
)
def softmax_over_the_batch(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, softmax=lambda scores: scores.softmax(0))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You normalise axis 2, which holds the keys only as long as there are three axes: "
    "with heads it holds the queries. Use dim=-1.",
    caught_by=("test_any_number_of_axes",),
)
def softmax_over_axis_two(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, softmax=lambda s: s.softmax(min(2, s.ndim - 1)))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You average with the raw scores: softmax must turn them into weights first.",
    caught_by=("test_queries_average_values",),
)
def no_softmax(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, softmax=lambda scores: scores)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide the scores by their sum, without exponentials: scores may be negative, "
    "weights must not be. Use softmax.",
    caught_by=("test_queries_average_values",),
)
def plain_sum(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, softmax=lambda s: s / s.sum(-1, keepdim=True))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You scale after the softmax, so the weights no longer sum to one: scale the scores.",
    caught_by=("test_queries_average_values",),
)
def scales_after_softmax(q, k, v, mask=None, *, scale=None, **options):
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    return _attend(
        q, k, v, mask, **options, scale=1.0, softmax=lambda scores: scores.softmax(-1) * factor
    )


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your softmax does not subtract the row's maximum: exp overflows above 88, and far "
    "below it every weight of a row underflows to 0. Use torch.softmax or your own stable one.",
    caught_by=("test_large_scores",),
)
def unstable_softmax(q, k, v, mask=None, **options):
    def softmax(scores):
        exponentials = scores.exp()
        return exponentials / exponentials.sum(-1, keepdim=True)

    return _attend(q, k, v, mask, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You compute in float64 instead of subtracting the row's maximum: that only moves "
    "the overflow from 88 to 709.",
    caught_by=("test_large_scores",),
)
def float64_softmax_without_maximum(q, k, v, mask=None, **options):
    def softmax(scores):
        exponentials = scores.double().exp()
        return (exponentials / exponentials.sum(-1, keepdim=True)).to(scores.dtype)

    return _attend(q, k, v, mask, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You subtract one maximum for all rows: a row far below it underflows to 0 / 0. "
    "Every query needs the maximum of its own row.",
    caught_by=("test_large_scores",),
)
def one_maximum_for_all(q, k, v, mask=None, **options):
    def softmax(scores):
        exponentials = (scores - scores.max()).exp()
        return exponentials / exponentials.sum(-1, keepdim=True)

    return _attend(q, k, v, mask, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You cut the scores off so that exp cannot overflow, which makes large ones equal: "
    "subtract the row's maximum instead.",
    caught_by=("test_large_scores",),
)
def cuts_scores_off(q, k, v, mask=None, **options):
    def scaled(scores, scale, q, k, v):
        return _scaled(scores, scale, q, k, v).clamp(max=80)

    return _attend(q, k, v, mask, **options, scaled=scaled)


# Causal and a mask --------------------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="With is_causal your function forgets the mask: a key must be allowed by both.",
    caught_by=("test_causal_together_with_a_mask",),
)
def causal_replaces_the_mask(q, k, v, mask=None, **options):
    return _attend(q, k, v, None if options.get("is_causal") else mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="With a mask your function forgets is_causal: a key must be allowed by both.",
    caught_by=("test_causal_together_with_a_mask",),
)
def mask_replaces_causal(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options | ({} if mask is None else {"is_causal": False}))


@misconception(
    of="scaled_dot_product_attention",
    sentence="You allow what the mask or the causal rule allows: both must, so combine with & and "
    "not with |.",
    caught_by=("test_causal_together_with_a_mask",),
)
def either_may_allow(q, k, v, mask=None, *, is_causal=False, **options):
    if is_causal and mask is not None and mask.dtype == torch.bool:
        past = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        return _attend(q, k, v, mask | past, **options)
    return _attend(q, k, v, mask, **options, is_causal=is_causal)


@misconception(
    of="scaled_dot_product_attention",
    sentence="With is_causal your additive mask only forbids: its finite numbers must still be "
    "added to the scores.",
    caught_by=("test_causal_together_with_a_mask",),
)
def causal_loses_the_bias(q, k, v, mask=None, **options):
    if options.get("is_causal") and mask is not None and mask.dtype != torch.bool:
        mask = mask > -torch.inf
    return _attend(q, k, v, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You take the lower triangle of the additive mask: tril writes 0 above the diagonal, "
    "and adding 0 forbids nothing. Put -inf there.",
    caught_by=("test_causal_together_with_a_mask",),
)
def triangle_of_the_additive_mask(q, k, v, mask=None, *, is_causal=False, **options):
    if is_causal and mask is not None and mask.dtype != torch.bool:
        mask, is_causal = mask.expand(*mask.shape[:-2], *q.shape[-2:-1], k.shape[-2]).tril(), False
    return _attend(q, k, v, mask, **options, is_causal=is_causal)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You write the causal rule into the caller's mask: make a new one with & instead of "
    "changing it with &= or masked_fill_.",
    caught_by=("test_causal_together_with_a_mask",),
)
def changes_the_mask(q, k, v, mask=None, *, is_causal=False, **options):
    whole = (q.shape[-2], k.shape[-2])
    if is_causal and mask is not None and mask.dtype == torch.bool and mask.shape == whole:
        mask &= torch.ones_like(mask).tril()
    return _attend(q, k, v, mask, **options, is_causal=is_causal)


# Masks --------------------------------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your function cannot do without a mask: None means that every query may attend to "
    "every key.",
    caught_by=("test_queries_average_values",),
)
def needs_a_mask(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if mask.dtype == torch.bool:
            scores, mask = scores.masked_fill(~mask, -torch.inf), torch.zeros_like(scores)
        return _masked(scores + mask, None, is_causal)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You ignore the mask: a key that may not be attended to must get no weight.",
    caught_by=("test_boolean_mask", "test_additive_mask"),
)
def ignores_the_mask(q, k, v, mask=None, **options):
    return _attend(q, k, v, None, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You read the boolean mask the wrong way round: here True means may attend "
    "(torch.nn.MultiheadAttention has it the other way).",
    caught_by=("test_boolean_mask",),
)
def mask_inverted(q, k, v, mask=None, **options):
    inverted = ~mask if mask is not None and mask.dtype == torch.bool else mask
    return _attend(q, k, v, inverted, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You multiply the scores by the mask: a score of 0 is not forbidden, since e^0 = 1. "
    "Give forbidden keys the score -inf.",
    caught_by=("test_boolean_mask",),
)
def scores_times_mask(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        boolean = mask is not None and mask.dtype == torch.bool
        return _masked(scores * mask if boolean else scores, None if boolean else mask, is_causal)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You add the boolean mask to the scores as 0 and 1, which forbids nothing: where it "
    "is False the score must become -inf.",
    caught_by=("test_boolean_mask",),
)
def adds_the_boolean_mask(q, k, v, mask=None, **options):
    return _attend(q, k, v, None if mask is None else mask.to(q.dtype), **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You mask after the softmax, so the rows no longer sum to one: forbidden keys must "
    "have the score -inf before the softmax.",
    caught_by=("test_boolean_mask",),
)
def mask_after_softmax(q, k, v, mask=None, **options):
    if mask is None or mask.dtype != torch.bool:
        return _attend(q, k, v, mask, **options)
    return _attend(q, k, v, None, **options, softmax=lambda scores: scores.softmax(-1) * mask)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You mask after the softmax and normalise again: right on paper, but where a "
    "forbidden key dominates, all the others have already underflowed to 0. Mask before the "
    "softmax.",
    caught_by=("test_forbidden_keys_that_dominate",),
)
def mask_and_renormalise(q, k, v, mask=None, **options):
    def softmax(scores):
        weights = scores.softmax(-1) * mask
        return weights / weights.sum(-1, keepdim=True)

    if mask is None or mask.dtype != torch.bool:
        return _attend(q, k, v, mask, **options)
    return _attend(q, k, v, None, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You give forbidden keys the score -20, which a large score elsewhere still loses "
    "to: use -inf.",
    caught_by=("test_forbidden_keys_that_dominate", "test_future_keys_that_dominate"),
)
def fills_with_minus_twenty(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        return _masked(scores, mask, is_causal, fill=-20.0)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You fill with 1e-9, which is nearly 0 and forbids nothing: the large negative "
    "number you mean is -1e9.",
    caught_by=("test_boolean_mask",),
)
def fills_with_a_tiny_number(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        return _masked(scores, mask, is_causal, fill=1e-9)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You multiply a 0/1 mask by -inf, and 0 * inf is NaN: use masked_fill or torch.where.",
    caught_by=("test_boolean_mask",),
)
def zero_times_infinity(q, k, v, mask=None, **options):
    if mask is not None and mask.dtype == torch.bool:
        mask = (~mask).to(q.dtype) * -torch.inf
    return _attend(q, k, v, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You use the mask transposed: its rows are queries and its columns are keys, as in "
    "the scores.",
    caught_by=("test_boolean_mask", "test_causal_together_with_a_mask"),
)
def mask_transposed(q, k, v, mask=None, **options):
    return _attend(q, k, v, None if mask is None else mask.mT, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You write scores[~mask] = -inf, which needs a mask of the scores' own shape: "
    "masked_fill and torch.where broadcast it.",
    caught_by=("test_boolean_mask", "test_masks_that_broadcast"),
)
def indexes_with_the_mask(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if mask is not None and mask.dtype == torch.bool:
            scores[~mask] = -torch.inf
            mask = None
        return _masked(scores, mask, is_causal)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You insert an axis for the heads into a mask of three axes: a mask is broadcast to "
    "(..., Tq, Tk) as it is, so (H, 1, Tk) already has its heads.",
    caught_by=("test_masks_that_broadcast",),
)
def inserts_a_head_axis(q, k, v, mask=None, **options):
    if mask is not None and q.ndim == 4 and mask.ndim == 3:
        mask = mask.unsqueeze(1)
    return _attend(q, k, v, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You use the mask of the first head for all heads.",
    caught_by=("test_masks_that_broadcast",),
)
def one_mask_for_all_heads(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask if mask is None or mask.ndim < 4 else mask[:, :1], **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You turn the additive mask into a boolean one, so its finite numbers are lost: add "
    "it to the scaled scores.",
    caught_by=("test_additive_mask",),
)
def additive_mask_as_boolean(q, k, v, mask=None, **options):
    if mask is not None and mask.dtype != torch.bool:
        mask = mask > -1e4
    return _attend(q, k, v, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You treat every mask as 0 and 1, and forbid where it is 0: in an additive mask 0 "
    "means nothing is changed. Look at mask.dtype.",
    caught_by=("test_additive_mask",),
)
def forbids_where_additive_mask_is_zero(q, k, v, mask=None, **options):
    return _attend(q, k, v, None if mask is None else mask != 0, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You add the mask before you scale, so it is scaled as well: scale the scores, then "
    "add the mask.",
    caught_by=("test_additive_mask",),
)
def mask_added_before_scaling(q, k, v, mask=None, **options):
    scale = options.get("scale")
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    if mask is not None and mask.dtype != torch.bool:
        mask = mask * factor
    return _attend(q, k, v, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You multiply the scores by the additive mask: it is to be added.",
    caught_by=("test_additive_mask",),
)
def scores_times_additive_mask(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if mask is not None and mask.dtype != torch.bool:
            scores, mask = scores * mask, None
        return _masked(scores, mask, is_causal)

    return _attend(q, k, v, mask, **options, masked=masked)


# Causal -------------------------------------------------------------------------------------------


def _with_causal(allowed):
    def masked(scores, mask, is_causal):
        if is_causal:
            scores = scores.masked_fill(~allowed(_causal(scores).int()).bool(), -torch.inf)
        return _masked(scores, mask, False)

    return masked


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your attention equals the one without is_causal: position i must not see the keys "
    "after i.",
    caught_by=("test_causal",),
)
def ignores_is_causal(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options | {"is_causal": False})


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your causal mask is upside down: every position sees itself and the future. Keep "
    "the lower triangle, tril.",
    caught_by=("test_causal",),
)
def sees_the_future(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, masked=_with_causal(lambda past: past.mT))


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your causal mask hides every token from itself, and leaves nothing to the first "
    "one: position i may attend to 0..i, i included.",
    caught_by=("test_causal",),
)
def hides_itself(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, masked=_with_causal(lambda past: past.tril(-1)))


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your causal mask is one too generous: position i also sees i + 1, the very token it "
    "is to predict.",
    caught_by=("test_causal",),
)
def sees_one_ahead(q, k, v, mask=None, **options):
    def allowed(past):
        return torch.ones_like(past).tril(1)

    return _attend(q, k, v, mask, **options, masked=_with_causal(allowed))


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your causal mask multiplies the scores by a triangle of ones: a score of 0 still "
    "gets weight. The future must have the score -inf.",
    caught_by=("test_causal",),
)
def causal_zero_scores(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        return _masked(scores.tril() if is_causal else scores, mask, False)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You apply the causal triangle to the weights, after the softmax: the rows no longer "
    "sum to one.",
    caught_by=("test_causal",),
)
def causal_after_softmax(q, k, v, mask=None, *, is_causal=False, **options):
    def softmax(scores):
        return scores.softmax(-1).tril() if is_causal else scores.softmax(-1)

    return _attend(q, k, v, mask, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You cut the future out of the weights and normalise again: where a later key "
    "dominates, the visible weights have already underflowed to 0. Mask before the softmax.",
    caught_by=("test_future_keys_that_dominate",),
)
def causal_renormalised(q, k, v, mask=None, *, is_causal=False, **options):
    def softmax(scores):
        weights = scores.softmax(-1).tril()
        return weights / weights.sum(-1, keepdim=True)

    return _attend(q, k, v, mask, **options, softmax=softmax if is_causal else _softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You take the number of tokens from axis 1, which holds the heads when there are "
    "four axes: it is q.shape[-2].",
    caught_by=("test_causal",),
)
def causal_size_from_axis_one(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if is_causal:
            past = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=q.device).tril()
            scores = scores.masked_fill(~past, -torch.inf)
        return _masked(scores, mask, False)

    return _attend(q, k, v, mask, **options, masked=masked)


# Dropout ------------------------------------------------------------------------------------------


def _keep(weights, p, shape):
    return (torch.rand(shape, device=weights.device) >= p).to(weights.dtype) / (1 - p)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your attention drops nothing in training: a share dropout_p of the weights must be "
    "0.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def dropout_ignored(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, dropped=lambda weights, p, training: weights)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your dropout is always active: F.dropout has training=True unless told otherwise. "
    "Pass training=training.",
    caught_by=("test_no_dropout_outside_training",),
)
def dropout_always_active(q, k, v, mask=None, **options):
    return _attend(
        q, k, v, mask, **options, dropped=lambda weights, p, training: F.dropout(weights, p)
    )


@misconception(
    of="scaled_dot_product_attention",
    sentence="You do not rescale what dropout keeps: divide it by 1 - dropout_p, so that the mean "
    "stays the same.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def dropout_without_rescaling(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return weights * (torch.rand_like(weights) >= p) if training else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You shrink the output by 1 - dropout_p outside training: the rescaling belongs into "
    "training, so that nothing is left to do afterwards.",
    caught_by=("test_no_dropout_outside_training",),
)
def shrinks_outside_training(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return weights * (torch.rand_like(weights) >= p) if training else weights * (1 - p)

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You divide what dropout keeps by dropout_p: divide by the share that is kept, 1 - "
    "dropout_p.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def rescales_by_dropout_p(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        keep = torch.rand_like(weights) >= p
        return weights * keep / p if training and p else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You keep a share dropout_p of the weights: that is the share to drop.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def keeps_a_share_dropout_p(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return F.dropout(weights, 1 - p if p else 0.0, training)

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You normalise the rows again after dropout: dropped rows need not sum to one, "
    "dividing by 1 - dropout_p keeps their mean.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def renormalises_after_dropout(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        kept = F.dropout(weights, p, training)
        return kept / kept.sum(-1, keepdim=True)

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You drop scores before the softmax: a score of 0 still gets weight. Drop the "
    "weights.",
    caught_by=("test_dropout_drops_and_rescales_weights",),
)
def drops_scores(q, k, v, mask=None, *, dropout_p=0.0, training=False, **options):
    def scaled(scores, scale, q, k, v):
        return F.dropout(_scaled(scores, scale, q, k, v), dropout_p, training)

    return _attend(q, k, v, mask, **options, scaled=scaled)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You drop numbers of the output: dropout acts on the weights, before the values are "
    "averaged.",
    caught_by=("test_values_meet_the_dropped_weights",),
)
def drops_the_output(q, k, v, mask=None, *, dropout_p=0.0, training=False, **options):
    out, weights = _attend(q, k, v, mask, **options)
    return F.dropout(out, dropout_p, training), weights


@misconception(
    of="scaled_dot_product_attention",
    sentence="You draw one dropout mask for all queries: then whole keys disappear for everybody. "
    "Draw one number for every weight.",
    caught_by=("test_dropout_falls_on_each_weight_alone",),
)
def drops_whole_keys(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        shape = (*weights.shape[:-2], 1, weights.shape[-1])
        return weights * _keep(weights, p, shape) if training else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You drop numbers of the values: dropout acts on the weights.",
    caught_by=("test_values_meet_the_dropped_weights",),
)
def drops_the_values(q, k, v, mask=None, *, dropout_p=0.0, training=False, **options):
    return _attend(q, k, F.dropout(v, dropout_p, training), mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You return the weights after dropout: the caller wants the distribution, whose rows "
    "sum to one. Keep it, and drop in a new tensor.",
    caught_by=("test_returned_weights_are_not_dropped",),
)
def returns_dropped_weights(q, k, v, mask=None, *, dropout_p=0.0, training=False, **options):
    def softmax(scores):
        return F.dropout(scores.softmax(-1), dropout_p, training)

    return _attend(q, k, v, mask, **options, softmax=softmax)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You drop whole rows: then a query sees nothing at all. Every weight is dropped on "
    "its own.",
    caught_by=("test_dropout_falls_on_each_weight_alone",),
)
def drops_whole_queries(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return weights * _keep(weights, p, (*weights.shape[:-1], 1)) if training else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="All heads share one dropout mask: draw one number for every weight.",
    caught_by=("test_dropout_falls_on_each_weight_alone",),
)
def same_dropout_for_all_heads(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        shape = weights.shape if weights.ndim < 4 else (len(weights), 1, *weights.shape[-2:])
        return weights * _keep(weights, p, shape) if training else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="All batches share one dropout mask: draw one number for every weight, "
    "torch.rand_like(weights).",
    caught_by=("test_dropout_falls_on_each_weight_alone",),
)
def same_dropout_for_all_batches(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return weights * _keep(weights, p, weights.shape[1:]) if training else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You seed the random numbers in every call, so the same weights are dropped each "
    "time.",
    caught_by=("test_dropout_falls_on_each_weight_alone",),
)
def seeds_every_call(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        if not training:
            return weights
        generator = torch.Generator(weights.device).manual_seed(0)
        kept = torch.rand(weights.shape, generator=generator, device=weights.device) >= p
        return weights * kept / (1 - p)

    return _attend(q, k, v, mask, **options, dropped=dropped)


@misconception(
    of="scaled_dot_product_attention",
    sentence="In training the dropped weights have left the graph: multiply the weights by a "
    "random mask, without no_grad or detach around the weights.",
    caught_by=("test_gradients_pass_the_dropped_weights",),
)
def dropped_weights_detached(q, k, v, mask=None, **options):
    def dropped(weights, p, training):
        return F.dropout(weights.detach(), p) if training and p else weights

    return _attend(q, k, v, mask, **options, dropped=dropped)


# Values and what is returned ----------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="You average the keys: they only decide the weights, what is averaged are the values.",
    caught_by=("test_queries_average_values",),
)
def averages_keys(q, k, v, mask=None, **options):
    return _attend(q, k, k, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You multiply by the transposed weights: row i of the weights belongs to query i, "
    "and out is weights @ v.",
    caught_by=("test_queries_average_values",),
)
def weights_transposed(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, average=lambda weights, v: weights.mT @ v)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You return only out: return the pair (out, weights).",
    caught_by=("test_queries_average_values",),
)
def returns_only_out(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options)[0]


@misconception(
    of="scaled_dot_product_attention",
    sentence="You return (weights, out): out comes first.",
    caught_by=("test_queries_average_values",),
)
def returns_weights_first(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options)[::-1]


@misconception(
    of="scaled_dot_product_attention",
    sentence="You return the scores in the place of the weights: weights are what softmax makes "
    "of them.",
    caught_by=("test_queries_average_values",),
)
def returns_scores(q, k, v, mask=None, **options):
    kept = []

    def softmax(scores):
        kept.append(scores)
        return scores.softmax(-1)

    return _attend(q, k, v, mask, **options, softmax=softmax)[0], kept[0]


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your output has left the graph: without detach, .data, no_grad or torch.tensor, "
    "gradients flow back to q, k and v.",
    caught_by=("test_queries_average_values",),
)
def detached(q, k, v, mask=None, **options):
    return tuple(tensor.detach() for tensor in _attend(q, k, v, mask, **options))


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your weights have left the graph, so q and k never learn: only v gets a gradient "
    "through out. Do not detach the weights.",
    caught_by=("test_queries_average_values",),
)
def weights_detached(q, k, v, mask=None, **options):
    return _attend(q, k, v, mask, **options, average=lambda weights, v: weights.detach() @ v)


# Dtype, device, layout, inputs --------------------------------------------------------------------


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your results are always float32: the dtype out must be the dtype in.",
    caught_by=("test_keeps_the_dtype",),
)
def always_float32(q, k, v, mask=None, **options):
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.float()
    return _attend(q.float(), k.float(), v.float(), mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You add a float32 triangle of -inf for is_causal, which turns bfloat16 scores into "
    "float32: make it of q's dtype, or boolean.",
    caught_by=("test_keeps_the_dtype",),
)
def float32_causal_mask(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if is_causal:
            size = scores.shape[-1]
            scores = scores + torch.full((size, size), -torch.inf, device=q.device).triu(1)
        return _masked(scores, mask, False)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your weights stay float32 after a float32 softmax: cast them back to the inputs' "
    "dtype before they are used and returned.",
    caught_by=("test_keeps_the_dtype",),
)
def float32_weights(q, k, v, mask=None, **options):
    def average(weights, v):
        return weights.to(v.dtype) @ v

    return _attend(
        q, k, v, mask, **options, softmax=lambda s: s.float().softmax(-1), average=average
    )


@misconception(
    of="scaled_dot_product_attention",
    sentence="Your causal mask is made on the CPU: pass device=q.device when you create a tensor.",
    caught_by=("test_works_where_its_inputs_are",),
)
def causal_mask_on_the_cpu(q, k, v, mask=None, **options):
    def masked(scores, mask, is_causal):
        if is_causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cpu").tril()
            scores = scores.masked_fill(~past, -torch.inf)
        return _masked(scores, mask, False)

    return _attend(q, k, v, mask, **options, masked=masked)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You call view on an input, which a transposed one does not allow: use reshape, or "
    "no reshaping at all.",
    caught_by=("test_any_layout",),
)
def views_the_inputs(q, k, v, mask=None, **options):
    flat = [t.view(-1, *t.shape[-2:]).view(t.shape) for t in (q, k, v)]
    return _attend(*flat, mask, **options)


@misconception(
    of="scaled_dot_product_attention",
    sentence="You scale the caller's q in place: write q * scale instead of q *= scale.",
    caught_by=("test_keeps_the_dtype",),
)
def scales_in_place(q, k, v, mask=None, *, scale=None, **options):
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    if q.requires_grad:
        return _attend(q * factor, k, v, mask, **options, scale=1.0)
    q *= factor
    return _attend(q, k, v, mask, **options, scale=1.0)
