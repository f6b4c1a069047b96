"""Wrong answers to ``multi_head_attention``, and what their authors are told."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn.functional import dropout, linear

from grader.programs.bank import misconception

# A right answer, in steps that can be replaced one at a time -------------------------------------


def _documented(
    query,
    key,
    value,
    w_q,
    w_k,
    w_v,
    w_o,
    num_heads,
    b_q=None,
    b_k=None,
    b_v=None,
    b_o=None,
    mask=None,
    is_causal=False,
):
    """The parameters of multi_head_attention."""


def _read(args, kwargs, **changes):
    """The call's arguments by name, some of them changed."""
    bound = inspect.signature(_documented).bind(*args, **kwargs)
    bound.apply_defaults()
    return SimpleNamespace(**(bound.arguments | changes))


def _split(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _merge(heads):
    return heads.transpose(1, 2).flatten(2)


def _past(scores):
    return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()


def _allowed(a, scores):
    both = _past(scores) if a.is_causal else torch.ones_like(scores, dtype=torch.bool)
    return both if a.mask is None else both & a.mask


def _forbid(scores, a):
    return scores.masked_fill(~_allowed(a, scores), -torch.inf)


def _softmax(scores, a):
    return scores.softmax(-1)


def _answer(a, *, scale=None, split=_split, forbid=_forbid, weigh=_softmax, merge=_merge):
    q = split(linear(a.query, a.w_q, a.b_q), a.num_heads)
    k = split(linear(a.key, a.w_k, a.b_k), a.num_heads)
    v = split(linear(a.value, a.w_v, a.b_v), a.num_heads)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    return linear(merge(weigh(forbid(scores, a), a) @ v), a.w_o, a.b_o)


# The scale ----------------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="Your output equals multi-head attention without the division by sqrt(d): the "
    "softmax saturates.",
    caught_by=("test_heads_side_by_side", "test_causal"),
)
def no_scale(*args, **kwargs):
    return _answer(_read(args, kwargs), scale=1.0)


@misconception(
    of="multi_head_attention",
    sentence="You divide by sqrt(d_model), the width of all heads together: a score sums over the "
    "d = d_model / H columns of one head only, so divide by sqrt(d).",
    caught_by=("test_heads_side_by_side",),
)
def scaled_by_the_model_width(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(a, scale=a.w_q.shape[0] ** -0.5)


@misconception(
    of="multi_head_attention",
    sentence="You divide by d instead of its square root.",
    caught_by=("test_heads_side_by_side",),
)
def divides_by_d(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(a, scale=a.num_heads / a.w_q.shape[0])


@misconception(
    of="multi_head_attention",
    sentence="You divide by the square root of the width of a head's values: scores are products "
    "of queries and keys, their width counts.",
    caught_by=("test_all_widths_may_differ",),
)
def scaled_by_the_value_width(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(a, scale=(a.w_v.shape[0] / a.num_heads) ** -0.5)


@misconception(
    of="multi_head_attention",
    sentence="You divide by the square root of what comes in, query.shape[-1]: what counts is the "
    "width of a head after the projection.",
    caught_by=("test_heads_side_by_side", "test_all_widths_may_differ"),
)
def scaled_by_the_input_width(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(a, scale=a.query.shape[-1] ** -0.5)


# Split and merge ----------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="You view (B, T, H*d) as (B, H, T, d) without a transpose: that cuts the tokens' "
    "axis, and head 0 gets the first tokens. View as (B, T, H, d) first, then swap.",
    caught_by=("test_heads_side_by_side",),
)
def view_without_transpose(*args, **kwargs):
    def split(x, heads):
        return x.reshape(len(x), heads, x.shape[1], -1)

    return _answer(_read(args, kwargs), split=split)


@misconception(
    of="multi_head_attention",
    sentence="Your head h works on the columns h, h + H, h + 2H ...: cut the projected width into "
    "(H, d), not into (d, H).",
    caught_by=("test_heads_side_by_side",),
)
def head_index_fastest(*args, **kwargs):
    def split(x, heads):
        return x.unflatten(-1, (-1, heads)).movedim(-1, 1)

    return _answer(_read(args, kwargs), split=split)


@misconception(
    of="multi_head_attention",
    sentence="You merge without transposing back: a row of the result must hold one token's "
    "answers from all heads. Swap heads and tokens before you flatten.",
    caught_by=("test_heads_side_by_side",),
)
def merges_without_transposing_back(*args, **kwargs):
    def merge(heads):
        return heads.reshape(len(heads), heads.shape[2], -1)

    return _answer(_read(args, kwargs), merge=merge)


@misconception(
    of="multi_head_attention",
    sentence="You flatten the inputs with view before projecting, which transposed ones do not "
    "allow: x @ w.T works on the last axis as it is.",
    caught_by=("test_any_layout",),
)
def flattens_the_inputs(*args, **kwargs):
    a = _read(args, kwargs)
    for name in ("query", "key", "value"):
        x = getattr(a, name)
        setattr(a, name, x.view(-1, x.shape[-1]).view(x.shape))
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="After a transpose the memory is no longer in order, and view refuses: write "
    ".contiguous().view(...) or .reshape(...).",
    caught_by=("test_heads_side_by_side",),
)
def view_after_transpose(*args, **kwargs):
    def merge(heads):
        return heads.transpose(1, 2).view(len(heads), heads.shape[2], -1)

    return _answer(_read(args, kwargs), merge=merge)


@misconception(
    of="multi_head_attention",
    sentence="You give keys and values the query's length: between two sentences they have a "
    "length of their own, key.shape[1].",
    caught_by=("test_queries_from_one_sentence_keys_from_another",),
)
def keys_with_the_query_length(*args, **kwargs):
    a = _read(args, kwargs)
    batch, length, _ = a.query.shape

    def split(x, heads):
        return x.view(batch, length, heads, x.shape[-1] // heads).transpose(1, 2)

    return _answer(a, split=split)


@misconception(
    of="multi_head_attention",
    sentence="You take a head's width from the query, query.shape[-1] // H: the heads share what "
    "the projection makes, so take it from w_q.",
    caught_by=("test_all_widths_may_differ",),
)
def width_of_the_query(*args, **kwargs):
    a = _read(args, kwargs)
    d = a.query.shape[-1] // a.num_heads

    def split(x, heads):
        return x.view(*x.shape[:2], heads, d).transpose(1, 2)

    return _answer(a, split=split)


@misconception(
    of="multi_head_attention",
    sentence="You view the values with the width of a head's keys: w_v may be wider or narrower "
    "than w_k, so each is cut by its own width.",
    caught_by=("test_all_widths_may_differ",),
)
def values_as_wide_as_keys(*args, **kwargs):
    a = _read(args, kwargs)
    d = a.w_k.shape[0] // a.num_heads

    def split(x, heads):
        return x.view(*x.shape[:2], heads, d).transpose(1, 2)

    return _answer(a, split=split)


@misconception(
    of="multi_head_attention",
    sentence="You fold heads into the batch in one order and unfold them in the other: one "
    "sentence gets another's answers.",
    caught_by=("test_heads_side_by_side",),
)
def heads_and_batch_mixed(*args, **kwargs):
    def merge(heads):
        batch, count = heads.shape[:2]
        folded = heads.flatten(0, 1)
        return torch.cat(folded.reshape(count, batch, *heads.shape[2:]).unbind(0), dim=-1)

    return _answer(_read(args, kwargs), merge=merge)


@misconception(
    of="multi_head_attention",
    sentence="Your squeeze also removes axes that happen to have size 1, like a batch of one or a "
    "single query: name the axis, or leave squeeze out.",
    caught_by=("test_axes_of_size_one",),
)
def squeezes(*args, **kwargs):
    return _answer(_read(args, kwargs)).squeeze()


# Heads --------------------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="You never split: your output equals one head of the full width, whatever num_heads "
    "says.",
    caught_by=("test_heads_side_by_side",),
)
def one_wide_head(*args, **kwargs):
    return _answer(_read(args, kwargs, num_heads=1))


@misconception(
    of="multi_head_attention",
    sentence="All heads use the weights of head 0: each head has scores of its own.",
    caught_by=("test_heads_side_by_side",),
)
def weights_of_the_first_head(*args, **kwargs):
    return _answer(_read(args, kwargs), weigh=lambda scores, a: scores.softmax(-1)[:, :1])


@misconception(
    of="multi_head_attention",
    sentence="You average the weights over the heads before you use them: then all heads look at "
    "the same place.",
    caught_by=("test_heads_side_by_side",),
)
def weights_averaged_over_heads(*args, **kwargs):
    return _answer(
        _read(args, kwargs), weigh=lambda scores, a: scores.softmax(-1).mean(1, keepdim=True)
    )


@misconception(
    of="multi_head_attention",
    sentence="You average the heads' answers: multi-head attention puts them side by side, and w_o "
    "mixes them.",
    caught_by=("test_heads_side_by_side",),
)
def averages_the_heads(*args, **kwargs):
    def merge(heads):
        return heads.mean(1).repeat(1, 1, heads.shape[1])

    return _answer(_read(args, kwargs), merge=merge)


@misconception(
    of="multi_head_attention",
    sentence="You divide the sum of the heads' projections by the number of heads: concatenating "
    "and projecting is their sum.",
    caught_by=("test_heads_side_by_side",),
)
def averages_the_projections(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(a, merge=lambda heads: _merge(heads) / a.num_heads)


@misconception(
    of="multi_head_attention",
    sentence="Your softmax runs over the queries: each query shares its weight out among the keys, "
    "so rows sum to one.",
    caught_by=("test_heads_side_by_side",),
)
def softmax_over_queries(*args, **kwargs):
    return _answer(_read(args, kwargs), weigh=lambda scores, a: scores.softmax(-2))


@misconception(
    of="multi_head_attention",
    sentence="Your softmax runs over the heads, which then compete: it runs over the keys, in each "
    "head by itself.",
    caught_by=("test_heads_side_by_side",),
)
def softmax_over_heads(*args, **kwargs):
    return _answer(_read(args, kwargs), weigh=lambda scores, a: scores.softmax(1))


@misconception(
    of="multi_head_attention",
    sentence="Your weights are transposed: row i must hold what query i gives to each key.",
    caught_by=("test_heads_side_by_side",),
)
def scores_transposed(*args, **kwargs):
    return _answer(_read(args, kwargs), weigh=lambda scores, a: scores.mT.softmax(-1))


# Who is projected by what -------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="Your output is the heads side by side, not yet mixed: the projection by w_o is "
    "missing.",
    caught_by=("test_heads_side_by_side",),
)
def forgets_w_o(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(_read(args, kwargs, w_o=torch.eye(a.w_v.shape[0]).to(a.w_v), b_o=None))


@misconception(
    of="multi_head_attention",
    sentence="You use w_o the wrong way round: it is laid out as (d_out, H*d_v), so y = x @ w_o.T.",
    caught_by=("test_heads_side_by_side",),
)
def w_o_transposed(*args, **kwargs):
    a = _read(args, kwargs)
    a.w_o = a.w_o.T
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You multiply by w_q, w_k and w_v without transposing them: their rows belong to the "
    "result, so y = x @ w.T.",
    caught_by=("test_heads_side_by_side",),
)
def projections_transposed(*args, **kwargs):
    a = _read(args, kwargs)
    a.w_q, a.w_k, a.w_v = a.w_q.T, a.w_k.T, a.w_v.T
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You compute the keys from the query: between two sentences that ignores the other "
    "one. Keys come from `key`.",
    caught_by=("test_queries_from_one_sentence_keys_from_another",),
)
def keys_from_the_query(*args, **kwargs):
    a = _read(args, kwargs)
    a.key = a.query
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You compute the values from `key`: `value` is an input of its own.",
    caught_by=("test_queries_from_one_sentence_keys_from_another",),
)
def values_from_the_keys(*args, **kwargs):
    a = _read(args, kwargs)
    a.value = a.key
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You attend from the query to the query: key and value are never looked at.",
    caught_by=("test_queries_from_one_sentence_keys_from_another",),
)
def always_self_attention(*args, **kwargs):
    a = _read(args, kwargs)
    a.key = a.value = a.query
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You take your arguments in the order key, query, value: here the query comes first.",
    caught_by=("test_queries_from_one_sentence_keys_from_another",),
)
def key_comes_first(*args, **kwargs):
    a = _read(args, kwargs)
    a.query, a.key = a.key, a.query
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="The keys are averaged where the values should be: w_k decides the weights, w_v makes "
    "what they average.",
    caught_by=("test_heads_side_by_side",),
)
def averages_the_keys(*args, **kwargs):
    a = _read(args, kwargs)
    a.value, a.w_v, a.b_v = a.key, a.w_k, a.b_k
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You average the values as they came in: project them with w_v first.",
    caught_by=("test_heads_side_by_side",),
)
def forgets_w_v(*args, **kwargs):
    a = _read(args, kwargs)
    a.w_v = torch.eye(a.w_v.shape[0]).to(a.w_v)
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You add the query to the result: a residual connection is not part of attention.",
    caught_by=("test_heads_side_by_side",),
)
def adds_the_query(*args, **kwargs):
    a = _read(args, kwargs)
    return a.query + _answer(a)


# Biases -------------------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="You never add b_o: the last projection has a bias as well.",
    caught_by=("test_biases",),
)
def forgets_b_o(*args, **kwargs):
    return _answer(_read(args, kwargs, b_o=None))


@misconception(
    of="multi_head_attention",
    sentence="You never add b_q: it shifts the queries, and by that the scores.",
    caught_by=("test_biases",),
)
def forgets_b_q(*args, **kwargs):
    return _answer(_read(args, kwargs, b_q=None))


@misconception(
    of="multi_head_attention",
    sentence="You never add b_v: it shifts the values.",
    caught_by=("test_biases",),
)
def forgets_b_v(*args, **kwargs):
    return _answer(_read(args, kwargs, b_v=None))


@misconception(
    of="multi_head_attention",
    sentence="You add b_o once for every head: project the heads together, or add it at the end.",
    caught_by=("test_biases",),
)
def b_o_for_every_head(*args, **kwargs):
    a = _read(args, kwargs)
    return _answer(_read(args, kwargs, b_o=None if a.b_o is None else a.b_o * a.num_heads))


@misconception(
    of="multi_head_attention",
    sentence="You use the biases all or none: each may be given without the others.",
    caught_by=("test_biases",),
)
def all_biases_or_none(*args, **kwargs):
    a = _read(args, kwargs)
    if any(b is None for b in (a.b_q, a.b_k, a.b_v, a.b_o)):
        a.b_q = a.b_k = a.b_v = a.b_o = None
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You add the biases without asking whether there are any: they may be None.",
    caught_by=("test_example", "test_heads_side_by_side"),
)
def biases_are_needed(*args, **kwargs):
    a = _read(args, kwargs)
    return a.query @ a.w_q.T + a.b_q


# Masks --------------------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="Your mask works the other way round: True = may attend here, as opposed to "
    "torch.nn.MultiheadAttention.",
    caught_by=("test_masks",),
)
def mask_inverted(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None:
        a.mask = ~a.mask
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="With is_causal your mask is forgotten: the causal one replaces it, where both must "
    "allow.",
    caught_by=("test_causal_together_with_a_mask",),
)
def causal_replaces_the_mask(*args, **kwargs):
    a = _read(args, kwargs)
    if a.is_causal:
        a.mask = None
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="Given a mask you forget is_causal: if ... elif ... handles one of them only, and "
    "both must allow.",
    caught_by=("test_causal_together_with_a_mask",),
)
def mask_replaces_causal(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None:
        a.is_causal = False
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="Your output equals attention without the mask.",
    caught_by=("test_masks",),
)
def mask_ignored(*args, **kwargs):
    return _answer(_read(args, kwargs, mask=None))


@misconception(
    of="multi_head_attention",
    sentence="You set forbidden scores to 0, and e^0 is 1: they still get weight. Set them to -inf "
    "before the softmax.",
    caught_by=("test_masks", "test_causal"),
)
def zero_is_not_forbidden(*args, **kwargs):
    return _answer(_read(args, kwargs), forbid=lambda s, a: s * _allowed(a, s))


@misconception(
    of="multi_head_attention",
    sentence="You take forbidden weights away after the softmax: what is left no longer sums to "
    "one. Forbid before it.",
    caught_by=("test_masks", "test_causal"),
)
def forbids_after_softmax(*args, **kwargs):
    def weigh(scores, a):
        return scores.softmax(-1) * _allowed(a, scores)

    return _answer(_read(args, kwargs), forbid=lambda s, a: s, weigh=weigh)


@misconception(
    of="multi_head_attention",
    sentence="You forbid after the softmax and divide by what is left: right on paper, but next to "
    "a forbidden key that dominates nothing is left, 0 / 0.",
    caught_by=("test_forbidden_keys_that_dominate",),
)
def forbids_and_renormalises(*args, **kwargs):
    def weigh(scores, a):
        weights = scores.softmax(-1) * _allowed(a, scores)
        return weights / weights.sum(-1, keepdim=True)

    return _answer(_read(args, kwargs), forbid=lambda s, a: s, weigh=weigh)


@misconception(
    of="multi_head_attention",
    sentence="You take 100 off forbidden scores, which a large score outweighs: -inf, or "
    "torch.finfo(dtype).min, is always enough.",
    caught_by=("test_forbidden_keys_that_dominate",),
)
def subtracts_a_hundred(*args, **kwargs):
    return _answer(_read(args, kwargs), forbid=lambda s, a: s - 100.0 * ~_allowed(a, s))


@misconception(
    of="multi_head_attention",
    sentence="You take the exponentials of the scores as they are: from 89 on they overflow. "
    "softmax subtracts the maximum first.",
    caught_by=("test_forbidden_keys_that_dominate",),
)
def exponentials_overflow(*args, **kwargs):
    def weigh(scores, a):
        return scores.exp() / scores.exp().sum(-1, keepdim=True)

    return _answer(_read(args, kwargs), weigh=weigh)


@misconception(
    of="multi_head_attention",
    sentence="You multiply -inf by the mask's zeros, and 0 * inf is NaN: use masked_fill or where.",
    caught_by=("test_masks",),
)
def zero_times_infinity(*args, **kwargs):
    def forbid(scores, a):
        if a.mask is None and not a.is_causal:
            return scores
        return scores + (~_allowed(a, scores)).to(scores) * -torch.inf

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="You use the first sentence's mask for the whole batch: every sentence has its own "
    "padding.",
    caught_by=("test_masks",),
)
def mask_of_the_first_sentence(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None and a.mask.ndim == 4:
        a.mask = a.mask[:1]
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You use head 0's mask for all heads: a mask with four axes may differ from head to "
    "head.",
    caught_by=("test_masks",),
)
def mask_of_the_first_head(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None and a.mask.ndim == 4:
        a.mask = a.mask[:, :1]
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You take a mask with two axes for one of padding, (B, Tk): two axes are (Tq, Tk) "
    "here, the same for all sentences.",
    caught_by=("test_masks",),
)
def two_axes_are_padding(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None and a.mask.ndim == 2:
        a.mask = a.mask[:, None, None, :]
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You forbid padding to ask, not to be asked: the mask's last axis belongs to the "
    "keys.",
    caught_by=("test_masks",),
)
def masks_the_queries(*args, **kwargs):
    a = _read(args, kwargs)
    if a.mask is not None:
        a.mask = a.mask.mT
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="Your output equals attention without is_causal: every position sees its future.",
    caught_by=("test_causal",),
)
def causal_ignored(*args, **kwargs):
    return _answer(_read(args, kwargs, is_causal=False))


@misconception(
    of="multi_head_attention",
    sentence="Position i also sees position i + 1, the very token it is to predict: tril() has no "
    "offset here.",
    caught_by=("test_causal",),
)
def sees_the_next_position(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal:
            ones = torch.ones_like(scores, dtype=torch.bool)
            scores = scores.masked_fill(~ones.tril(1), -torch.inf)
        return scores if a.mask is None else scores.masked_fill(~a.mask, -torch.inf)

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="Your causal mask hides every position from itself, so the first one sees nothing and "
    "gets NaN: the diagonal is allowed.",
    caught_by=("test_causal",),
)
def hides_itself(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal:
            ones = torch.ones_like(scores, dtype=torch.bool)
            scores = scores.masked_fill(ones.triu(), -torch.inf)
        return scores if a.mask is None else scores.masked_fill(~a.mask, -torch.inf)

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="Your causal mask is upside down: positions see their future and not their past.",
    caught_by=("test_causal",),
)
def sees_only_the_future(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal:
            scores = scores.masked_fill(~_past(scores).mT, -torch.inf)
        return scores if a.mask is None else scores.masked_fill(~a.mask, -torch.inf)

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="You join the masks with |, so one permission is enough: both must allow, &.",
    caught_by=("test_causal_together_with_a_mask",),
)
def either_allows(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal and a.mask is not None:
            return scores.masked_fill(~(_past(scores) | a.mask), -torch.inf)
        return _forbid(scores, a)

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="You write the causal mask into the caller's mask with &=: make a new one, mask & "
    "past.",
    caught_by=("test_causal_together_with_a_mask",),
)
def writes_into_the_mask(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal and a.mask is not None and a.mask.shape[-2] > 1:
            a.mask &= _past(scores)
        return _forbid(scores, a)

    return _answer(_read(args, kwargs), forbid=forbid)


# Kind, dtype, device ------------------------------------------------------------------------------


@misconception(
    of="multi_head_attention",
    sentence="Your function returns (out, weights): here only the result is asked for.",
    caught_by=("test_example", "test_heads_side_by_side"),
)
def returns_the_weights_too(*args, **kwargs):
    out = _answer(_read(args, kwargs))
    return out, out


@misconception(
    of="multi_head_attention",
    sentence="Your result has left the graph: without detach, .data, no_grad or torch.tensor, "
    "gradients flow back to inputs and weights.",
    caught_by=("test_heads_side_by_side",),
)
def detached(*args, **kwargs):
    return _answer(_read(args, kwargs)).detach()


@misconception(
    of="multi_head_attention",
    sentence="Your scores or masks are float32 whatever comes in: the dtype out must be the dtype "
    "in.",
    caught_by=("test_keeps_the_dtype",),
)
def always_float32(*args, **kwargs):
    a = _read(args, kwargs)
    for name, value in vars(a).items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            setattr(a, name, value.float())
    return _answer(a)


@misconception(
    of="multi_head_attention",
    sentence="You upcast the scores for the softmax and do not come back: cast the weights to the "
    "dtype of the values before you average.",
    caught_by=("test_keeps_the_dtype",),
)
def softmax_stays_in_float32(*args, **kwargs):
    return _answer(_read(args, kwargs), weigh=lambda scores, a: scores.float().softmax(-1))


@misconception(
    of="multi_head_attention",
    sentence="Your causal mask is made on the CPU whatever device the query is on: give torch.ones "
    "device=query.device.",
    caught_by=("test_works_where_its_inputs_are",),
)
def causal_mask_on_the_cpu(*args, **kwargs):
    def forbid(scores, a):
        if a.is_causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            scores = scores.masked_fill(~past, -torch.inf)
        return scores if a.mask is None else scores.masked_fill(~a.mask, -torch.inf)

    return _answer(_read(args, kwargs), forbid=forbid)


# The layer ----------------------------------------------------------------------------------------


class _Layer(nn.Module):
    """A right layer, in steps."""

    refuses = True

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True, *, kdim=None, vdim=None):
        super().__init__()
        if self.refuses and d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads, self.p = num_heads, dropout
        self.d_model, self.d = d_model, d_model // num_heads
        self.make(d_model, bias, kdim or d_model, vdim or d_model)

    def make(self, d_model, bias, kdim, vdim):
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(kdim, d_model, bias=bias)
        self.w_v = nn.Linear(vdim, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def sources(self, query, key, value):
        key = query if key is None else key
        return query, key, key if value is None else value

    def split(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)

    def scale(self):
        return self.d**-0.5

    def forbid(self, scores, mask, is_causal):
        return _forbid(scores, SimpleNamespace(mask=mask, is_causal=is_causal))

    def drop(self, x):
        return dropout(x, self.p, self.training)

    def average(self, weights, v):
        return self.drop(weights) @ v

    def finish(self, heads):
        return self.w_o(_merge(heads))

    def show(self, out, weights, need_weights):
        return (out, weights) if need_weights else out

    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        query, key, value = self.sources(query, key, value)
        q, k, v = (self.split(y) for y in (self.w_q(query), self.w_k(key), self.w_v(value)))
        weights = self.forbid(q @ k.mT * self.scale(), mask, is_causal).softmax(-1)
        return self.show(self.finish(self.average(weights, v)), weights, need_weights)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer divides by sqrt(d_model): its heads are d_model / num_heads wide.",
    caught_by=("test_layer",),
)
class LayerScaledByTheModelWidth(_Layer):
    def scale(self):
        return self.d_model**-0.5


@misconception(
    of="MultiHeadAttention",
    sentence="You forbid with the lowest number of the query's dtype. Under torch.autocast the "
    "scores are bfloat16, where that number does not exist: ask torch.finfo(scores.dtype), or "
    "take -torch.inf.",
    caught_by=("test_layer_under_autocast",),
)
class LayerForbidsInTheDtypeOfTheQuery(_Layer):
    def forward(self, query, *args, **options):
        self.lowest = torch.finfo(query.dtype).min
        return super().forward(query, *args, **options)

    def forbid(self, scores, mask, is_causal):
        if is_causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
            mask = past if mask is None else mask & past
        return scores if mask is None else scores.masked_fill(~mask, self.lowest)


@misconception(
    of="MultiHeadAttention",
    sentence="You insert each head's answer into a tensor of the query's dtype. Under "
    "torch.autocast the answers are bfloat16: make it from them, with torch.cat or transpose.",
    caught_by=("test_layer_under_autocast",),
)
class LayerCollectsInTheDtypeOfTheQuery(_Layer):
    def forward(self, query, *args, **options):
        self.like = query
        return super().forward(query, *args, **options)

    def finish(self, heads):
        together = self.like.new_zeros(*heads.mT.shape[:1], self.d_model, heads.shape[2])
        places = torch.arange(self.d_model, device=heads.device)
        together.index_copy_(1, places, heads.mT.flatten(1, 2))
        return self.w_o(together.mT)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer's scores are not scaled.",
    caught_by=("test_layer",),
)
class LayerWithoutScale(_Layer):
    def scale(self):
        return 1.0


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer cuts the tokens' axis into heads: view its projections as (B, T, H, d) "
    "and transpose.",
    caught_by=("test_layer",),
)
class LayerViewsWithoutTranspose(_Layer):
    def split(self, x):
        return x.reshape(len(x), self.num_heads, x.shape[1], -1)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer makes w_o but never calls it.",
    caught_by=("test_layer",),
)
class LayerForgetsWO(_Layer):
    def finish(self, heads):
        return _merge(heads)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer works with weight.data or detached weights: they would never learn.",
    caught_by=("test_layer",),
)
class LayerDetachesItsWeights(_Layer):
    def finish(self, heads):
        return linear(_merge(heads), self.w_o.weight.data, self.w_o.bias)


@misconception(
    of="MultiHeadAttention",
    sentence="You ignore kdim and vdim: w_k takes in rows of width kdim, w_v of width vdim.",
    caught_by=("test_layer_with_widths_for_keys_and_values",),
)
class LayerIgnoresItsWidths(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, bias, d_model, d_model)


@misconception(
    of="MultiHeadAttention",
    sentence="You make one nn.Linear and use it for queries, keys and values: each needs its own.",
    caught_by=("test_layer", "test_number_of_parameters"),
)
class LayerSharesOneProjection(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        self.w_q = self.w_k = self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)


@misconception(
    of="MultiHeadAttention",
    sentence="Your projections are in a plain list or dict, where nn.Module does not see them: 0 "
    "parameters. Make them attributes.",
    caught_by=("test_layer", "test_number_of_parameters"),
)
class LayerInAPlainList(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        widths = d_model, kdim, vdim, d_model
        self.all = [nn.Linear(width, d_model, bias=bias) for width in widths]

    def __getattr__(self, name):
        names = ("w_q", "w_k", "w_v", "w_o")
        return self.all[names.index(name)] if name in names else super().__getattr__(name)


@misconception(
    of="MultiHeadAttention",
    sentence="Each of your heads is d_model wide, so the number of parameters grows with the "
    "heads: they share d_model, d = d_model / num_heads each.",
    caught_by=("test_layer", "test_number_of_parameters"),
)
class LayerWithWideHeads(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        wide = d_model * self.num_heads
        self.w_q = nn.Linear(d_model, wide, bias=bias)
        self.w_k = nn.Linear(kdim, wide, bias=bias)
        self.w_v = nn.Linear(vdim, wide, bias=bias)
        self.w_o = nn.Linear(wide, d_model, bias=bias)


@misconception(
    of="MultiHeadAttention",
    sentence="Your w_o never has a bias: `bias` is for all four projections.",
    caught_by=("test_layer", "test_number_of_parameters"),
)
class LayerWithoutBiasAtTheEnd(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, bias, kdim, vdim)
        self.w_o = nn.Linear(d_model, d_model, bias=False)


@misconception(
    of="MultiHeadAttention",
    sentence="Your w_o has a bias even with bias=False: the flag is for all four projections.",
    caught_by=("test_layer_without_biases",),
)
class LayerWithBiasAtTheEnd(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, bias, kdim, vdim)
        self.w_o = nn.Linear(d_model, d_model)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer has biases whatever `bias` says: hand the flag on to nn.Linear.",
    caught_by=("test_layer_without_biases", "test_number_of_parameters"),
)
class LayerAlwaysWithBiases(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, True, kdim, vdim)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer adds its biases by hand, but with bias=False they are None: call the "
    "nn.Linear itself.",
    caught_by=("test_layer_without_biases",),
)
class LayerAddsItsBiasesByHand(_Layer):
    def finish(self, heads):
        return _merge(heads) @ self.w_o.weight.T + self.w_o.bias


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer never has biases: they are there unless bias=False.",
    caught_by=("test_layer", "test_number_of_parameters"),
)
class LayerNeverWithBiases(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, False, kdim, vdim)


@misconception(
    of="MultiHeadAttention",
    sentence="You have exchanged kdim and vdim.",
    caught_by=("test_layer_with_widths_for_keys_and_values",),
)
class LayerExchangesItsWidths(_Layer):
    def make(self, d_model, bias, kdim, vdim):
        super().make(d_model, bias, vdim, kdim)


@misconception(
    of="MultiHeadAttention",
    sentence="Without `value` your layer averages the query: values default to the keys.",
    caught_by=("test_layer_with_keys_and_values",),
)
class LayerValuesFromTheQuery(_Layer):
    def sources(self, query, key, value):
        return query, query if key is None else key, query if value is None else value


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer attends to the query's own sentence even when a key is given.",
    caught_by=("test_layer_with_keys_and_values",),
)
class LayerIgnoresTheKey(_Layer):
    def sources(self, query, key, value):
        return query, query, query


@misconception(
    of="MultiHeadAttention",
    sentence="Without a key your layer drops the value as well: if only the value is given, the "
    "keys are the query and the value is the value.",
    caught_by=("test_layer_with_keys_and_values",),
)
class LayerDefaultsBothAtOnce(_Layer):
    def sources(self, query, key, value):
        return (query, query, query) if key is None else super().sources(query, key, value)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer averages the keys and ignores the value it is given.",
    caught_by=("test_layer_with_keys_and_values",),
)
class LayerIgnoresTheValue(_Layer):
    def sources(self, query, key, value):
        return super().sources(query, key, None)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer views keys and values with the query's length.",
    caught_by=("test_layer_with_keys_and_values",),
)
class LayerKeysWithTheQueryLength(_Layer):
    def sources(self, query, key, value):
        self.length = query.shape[1]
        return super().sources(query, key, value)

    def split(self, x):
        return x.view(len(x), self.length, self.num_heads, self.d).transpose(1, 2)


@misconception(
    of="MultiHeadAttention",
    sentence="Your forward asks for key and value: both have the default None.",
    caught_by=("test_layer",),
)
class LayerNeedsKeyAndValue(_Layer):
    def forward(self, query, key, value, mask=None, is_causal=False, need_weights=False):
        return super().forward(query, key, value, mask, is_causal, need_weights)

    forward.__qualname__ = "MultiHeadAttention.forward"


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer ignores its mask.",
    caught_by=("test_layer_with_masks",),
)
class LayerIgnoresTheMask(_Layer):
    def forbid(self, scores, mask, is_causal):
        return super().forbid(scores, None, is_causal)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer ignores is_causal.",
    caught_by=("test_layer_with_masks",),
)
class LayerIgnoresCausal(_Layer):
    def forbid(self, scores, mask, is_causal):
        return super().forbid(scores, mask, False)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer forbids where the mask is True: True = may attend.",
    caught_by=("test_layer_with_masks",),
)
class LayerInvertsTheMask(_Layer):
    def forbid(self, scores, mask, is_causal):
        return super().forbid(scores, None if mask is None else ~mask, is_causal)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer heeds the mask or is_causal, but not both.",
    caught_by=("test_layer_with_masks",),
)
class LayerHeedsOneMask(_Layer):
    def forbid(self, scores, mask, is_causal):
        return super().forbid(scores, mask, is_causal and mask is None)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer has a causal mask of a fixed size: sentences may be longer, so make it as "
    "large as the scores.",
    caught_by=("test_layer_takes_any_length",),
)
class LayerOfFixedLength(_Layer):
    def forbid(self, scores, mask, is_causal):
        length = scores.shape[-1]
        fixed = torch.ones(64, 64, dtype=torch.bool, device=scores.device).tril()
        if is_causal:
            scores = scores.masked_fill(~fixed[:length, :length], -torch.inf)
        return super().forbid(scores, mask, False)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer always returns (out, weights): without need_weights it returns out alone.",
    caught_by=("test_layer",),
)
class LayerAlwaysShowsWeights(_Layer):
    def show(self, out, weights, need_weights):
        return out, weights


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer ignores need_weights: then (out, weights) is asked for.",
    caught_by=("test_layer_shows_the_weights_of_every_head",),
)
class LayerNeverShowsWeights(_Layer):
    def show(self, out, weights, need_weights):
        return out


@misconception(
    of="MultiHeadAttention",
    sentence="You average the weights over the heads before you return them: every head's own are "
    "asked for, (B, H, Tq, Tk).",
    caught_by=("test_layer_shows_the_weights_of_every_head",),
)
class LayerAveragesTheWeights(_Layer):
    def show(self, out, weights, need_weights):
        return (out, weights.mean(1)) if need_weights else out


@misconception(
    of="MultiHeadAttention",
    sentence="The weights you return have left the graph: gradients flow back through them too.",
    caught_by=("test_layer_shows_the_weights_of_every_head",),
)
class LayerDetachesTheWeights(_Layer):
    def show(self, out, weights, need_weights):
        return (out, weights.detach()) if need_weights else out


@misconception(
    of="MultiHeadAttention",
    sentence="You return (weights, out): the result comes first.",
    caught_by=("test_layer_shows_the_weights_of_every_head",),
)
class LayerShowsWeightsFirst(_Layer):
    def show(self, out, weights, need_weights):
        return (weights, out) if need_weights else out


@misconception(
    of="MultiHeadAttention",
    sentence="You return the scores: the weights are what the softmax makes of them.",
    caught_by=("test_layer_shows_the_weights_of_every_head",),
)
class LayerShowsScores(_Layer):
    def forbid(self, scores, mask, is_causal):
        self.scores = super().forbid(scores, mask, is_causal)
        return self.scores

    def show(self, out, weights, need_weights):
        return (out, self.scores) if need_weights else out


@misconception(
    of="MultiHeadAttention",
    sentence="d_model // num_heads rounds down, and the columns that are left over take no part: "
    "raise ValueError when num_heads does not divide d_model.",
    caught_by=("test_layer_refuses_heads_that_cannot_share",),
)
class LayerRoundsDown(_Layer):
    refuses = False

    def split(self, x):
        x = x[..., : self.num_heads * self.d]
        return x.reshape(*x.shape[:2], self.num_heads, self.d).transpose(1, 2)

    def finish(self, heads):
        merged = _merge(heads)
        return self.w_o(nn.functional.pad(merged, (0, self.d_model - merged.shape[-1])))


@misconception(
    of="MultiHeadAttention",
    sentence="That num_heads does not divide d_model is noticed by view in forward only: look when "
    "the layer is made, and raise ValueError.",
    caught_by=("test_layer_refuses_heads_that_cannot_share",),
)
class LayerRefusesTooLate(_Layer):
    refuses = False

    def split(self, x):
        return x.view(*x.shape[:2], self.num_heads, self.d).transpose(1, 2)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer's causal mask stays on the CPU: make it on the device of the scores.",
    caught_by=("test_layer_in_other_dtypes_and_places",),
)
class LayerMaskOnTheCPU(_Layer):
    def forbid(self, scores, mask, is_causal):
        if is_causal:
            past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
            scores = scores.masked_fill(~past, -torch.inf)
        return super().forbid(scores, mask, False)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer adds a mask of float32 zeros and -inf to scores of any dtype: then "
    "weights and values differ in dtype. Use masked_fill, or make it like the scores.",
    caught_by=("test_layer_in_other_dtypes_and_places",),
)
class LayerMaskInFloat32(_Layer):
    def forbid(self, scores, mask, is_causal):
        allowed = _allowed(SimpleNamespace(mask=mask, is_causal=is_causal), scores)
        zeros = torch.zeros(scores.shape, device=scores.device)
        return scores + zeros.masked_fill(~allowed, -torch.inf)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer drops in eval mode too: functional dropout needs training=self.training.",
    caught_by=("test_layer_drops_nothing_in_eval",),
)
class LayerDropsInEval(_Layer):
    def drop(self, x):
        return dropout(x, self.p)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer takes `dropout` and does nothing with it.",
    caught_by=("test_layer_drops_weights",),
)
class LayerNeverDrops(_Layer):
    def drop(self, x):
        return x


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer's dropout falls on the result or the heads' answers: it belongs on the "
    "weights, between softmax and values.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDropsTheResult(_Layer):
    def average(self, weights, v):
        return self.drop(weights @ v)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer's dropout falls on the values: then a number is gone for all queries at "
    "once. Drop the weights.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDropsTheValues(_Layer):
    def average(self, weights, v):
        return weights @ self.drop(v)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer's dropout falls on the scores: a score of 0 is not forbidden and still "
    "gets weight. Drop after the softmax.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDropsTheScores(_Layer):
    def forbid(self, scores, mask, is_causal):
        return super().forbid(self.drop(scores), mask, is_causal)

    def average(self, weights, v):
        return weights @ v


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer drops weights and then numbers of the result as well: the weights are "
    "enough.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDropsTwice(_Layer):
    def finish(self, heads):
        return self.drop(super().finish(heads))


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer keeps weights with probability `dropout`: it is the chance to be dropped.",
    caught_by=("test_layer_drops_weights",),
)
class LayerKeepsWithItsDropout(_Layer):
    def drop(self, x):
        return dropout(x, 1 - self.p, self.training)


@misconception(
    of="MultiHeadAttention",
    sentence="Weights that your layer keeps do not grow: divide them by 1 - dropout.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDoesNotRescale(_Layer):
    def drop(self, x):
        return x * (torch.rand_like(x) >= self.p) if self.training else x


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer draws one dropout mask for all heads: every weight has luck of its own.",
    caught_by=("test_layer_drops_weights",),
)
class LayerDropsAlikeInAllHeads(_Layer):
    def drop(self, x):
        return x * dropout(torch.ones_like(x[:, :1]), self.p, self.training)


@misconception(
    of="MultiHeadAttention",
    sentence="The weights you return have been through dropout: return the ones before it, which "
    "sum to one.",
    caught_by=("test_layer_shows_weights_before_dropout",),
)
class LayerShowsDroppedWeights(_Layer):
    def average(self, weights, v):
        self.dropped = self.drop(weights)
        return self.dropped @ v

    def show(self, out, weights, need_weights):
        return (out, self.dropped) if need_weights else out


@misconception(
    of="MultiHeadAttention",
    sentence="With need_weights your layer takes another path, one without dropout: in train mode "
    "both drop.",
    caught_by=("test_layer_shows_weights_before_dropout",),
)
class LayerDropsOnlyUnseen(_Layer):
    def forward(self, query, key=None, value=None, mask=None, is_causal=False, need_weights=False):
        p, self.p = self.p, 0.0 if need_weights else self.p
        answer = super().forward(query, key, value, mask, is_causal, need_weights)
        self.p = p
        return answer


# The wrapper --------------------------------------------------------------------------------------


class _Head(nn.Module):
    """A right head, in steps."""

    def __init__(self, d_in, d_out, context_length, p, bias=False):
        super().__init__()
        self.length, self.p = context_length, p
        self.W_query = nn.Linear(d_in, d_out, bias=bias)
        self.W_key = nn.Linear(d_in, d_out, bias=bias)
        self.W_value = nn.Linear(d_in, d_out, bias=bias)
        self.remember(_past(torch.ones(context_length, context_length)))

    def remember(self, past):
        self.register_buffer("mask", past)

    def take(self, x):
        if x.shape[1] > self.length:
            raise ValueError("the sentence is too long")
        return x

    def scale(self, x):
        return self.W_key.weight.shape[0] ** -0.5

    def forbid(self, scores):
        length = scores.shape[-1]
        return scores.masked_fill(~self.mask[:length, :length], -torch.inf)

    def average(self, weights, v):
        return dropout(weights, self.p, self.training) @ v

    def forward(self, x):
        x = self.take(x)
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return self.average(self.forbid(q @ k.mT * self.scale(x)).softmax(-1), v)


class _Wrapper(nn.Module):
    """A right wrapper, in steps."""

    head = _Head

    def __init__(self, d_in, d_out, context_length, dropout, num_heads):
        super().__init__()
        self.make(num_heads, d_in, d_out, context_length, dropout)

    def make(self, num_heads, *args):
        self.heads = nn.ModuleList(self.head(*args) for _ in range(num_heads))

    def join(self, answers):
        return torch.cat(answers, dim=-1)

    def forward(self, x):
        return self.join([head(x) for head in self.heads])


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads are in a Python list, where nn.Module does not find their parameters: use "
    "nn.ModuleList.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class HeadsInAPythonList(_Wrapper):
    def make(self, num_heads, *args):
        self.heads = [_Head(*args) for _ in range(num_heads)]


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="[head] * num_heads is one head, named several times: make each in a loop.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class OneSharedHead(_Wrapper):
    def make(self, num_heads, *args):
        self.heads = nn.ModuleList([_Head(*args)] * num_heads)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="You average the heads' results: put them side by side.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperAverages(_Wrapper):
    def join(self, answers):
        return torch.stack(answers).mean(0)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="You stack the heads on an axis of their own: torch.cat along the last axis makes one "
    "row per token.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperStacks(_Wrapper):
    def join(self, answers):
        return torch.stack(answers, dim=1)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="You put the heads' results one after another along the tokens: concatenate along the "
    "last axis, dim=-1.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperConcatenatesTokens(_Wrapper):
    def join(self, answers):
        return torch.cat(answers, dim=1)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads share d_out: here each is d_out wide, and the result num_heads * d_out.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperSharesItsWidth(_Wrapper):
    def make(self, num_heads, d_in, d_out, *args):
        super().make(num_heads, d_in, max(1, d_out // num_heads), *args)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your wrapper has an output projection: it leaves the heads as they are.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperProjectsItsResult(_Wrapper):
    def make(self, num_heads, d_in, d_out, *args):
        super().make(num_heads, d_in, d_out, *args)
        self.out_proj = nn.Linear(d_out * num_heads, d_out * num_heads)

    def join(self, answers):
        return self.out_proj(super().join(answers))


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads' projections have biases: bias=False.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperWithBiases(_Wrapper):
    def head(self, *args):
        return _Head(*args, bias=True)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads see the future: the wrapper's heads are causal.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperNotCausal(_Wrapper):
    class head(_Head):
        def forbid(self, scores):
            return scores


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads hide every token from itself: the mask forbids what lies above the "
    "diagonal, diagonal=1.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperHidesItself(_Wrapper):
    class head(_Head):
        def forbid(self, scores):
            ones = torch.ones_like(scores, dtype=torch.bool)
            return scores.masked_fill(ones.triu(), -torch.inf)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads mask after the softmax without renormalising: put -inf before it.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperMasksAfterSoftmax(_Wrapper):
    class head(_Head):
        def forbid(self, scores):
            return scores

        def average(self, weights, v):
            return super().average(weights.tril(), v)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads' scores are not divided by sqrt(d_out).",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperWithoutScale(_Wrapper):
    class head(_Head):
        def scale(self, x):
            return 1.0


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads divide by sqrt(d_in): what is compared is d_out wide.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperScaledByTheInput(_Wrapper):
    class head(_Head):
        def scale(self, x):
            return x.shape[-1] ** -0.5


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads apply the whole mask whatever the length: cut it, mask[:T, :T].",
    caught_by=("test_wrapper_takes_shorter_sentences",),
)
class WrapperNeverCutsItsMask(_Wrapper):
    class head(_Head):
        def forbid(self, scores):
            return scores.masked_fill(~self.mask, -torch.inf)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="A sentence longer than context_length is accepted: look at its length and raise "
    "ValueError.",
    caught_by=("test_wrapper_refuses_longer_sentences",),
)
class WrapperOfAnyLength(_Wrapper):
    class head(_Head):
        def take(self, x):
            return x

        def forbid(self, scores):
            return scores.masked_fill(~_past(scores), -torch.inf)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="A sentence that is too long ends in torch's words about sizes of a mask: say it "
    "yourself, ValueError with both lengths.",
    caught_by=("test_wrapper_refuses_longer_sentences",),
)
class WrapperRefusesByLuck(_Wrapper):
    class head(_Head):
        def take(self, x):
            return x


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="You cut long sentences to context_length without a word: raise ValueError.",
    caught_by=("test_wrapper_refuses_longer_sentences",),
)
class WrapperCutsSentences(_Wrapper):
    class head(_Head):
        def take(self, x):
            return x[:, : self.length]


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads' mask is a plain attribute and stays behind on the CPU: register_buffer "
    "makes it follow .to(...).",
    caught_by=("test_wrapper_in_other_dtypes_and_places",),
)
class WrapperWithALooseMask(_Wrapper):
    class head(_Head):
        def remember(self, past):
            self.mask = past


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads' mask is an nn.Parameter, which an optimiser would change: register it as "
    "a buffer.",
    caught_by=("test_wrapper_puts_causal_heads_side_by_side",),
)
class WrapperWithAMaskToLearn(_Wrapper):
    class head(_Head):
        def remember(self, past):
            self.mask = nn.Parameter(past.float())

        def forbid(self, scores):
            length = scores.shape[-1]
            return scores.masked_fill(self.mask[:length, :length] == 0, -torch.inf)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your wrapper drops in eval mode too.",
    caught_by=("test_wrapper_drops_nothing_in_eval",),
)
class WrapperDropsInEval(_Wrapper):
    class head(_Head):
        def average(self, weights, v):
            return dropout(weights, self.p) @ v


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your wrapper takes `dropout` and never uses it: hand it on to every head.",
    caught_by=("test_wrapper_drops_weights",),
)
class WrapperNeverDrops(_Wrapper):
    class head(_Head):
        def average(self, weights, v):
            return weights @ v


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads drop numbers of their result: drop weights, before they meet the values.",
    caught_by=("test_wrapper_drops_weights",),
)
class WrapperDropsTheResult(_Wrapper):
    class head(_Head):
        def average(self, weights, v):
            return dropout(weights @ v, self.p, self.training)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your heads drop scores, and a dropped score of 0 still gets weight: drop after the "
    "softmax.",
    caught_by=("test_wrapper_drops_weights",),
)
class WrapperDropsTheScores(_Wrapper):
    class head(_Head):
        def forbid(self, scores):
            return super().forbid(dropout(scores, self.p, self.training))

        def average(self, weights, v):
            return weights @ v


# Right, but slow or wasteful ----------------------------------------------------------------------

ONE_BY_ONE = ("test_function_takes_all_tokens_at_once",)


@misconception(
    of="multi_head_attention",
    sentence="Your result is right, but a Python loop takes one sentence at a time: `@` treats all "
    "axes but the last two as a batch, so all sentences go through at once.",
    caught_by=ONE_BY_ONE,
)
def one_sentence_at_a_time(*args, **kwargs):
    a = _read(args, kwargs)
    masks = [a.mask] * len(a.query)
    if a.mask is not None and a.mask.ndim == 4:
        masks = a.mask.expand(len(a.query), *a.mask.shape[1:]).split(1)
    parts = zip(a.query.split(1), a.key.split(1), a.value.split(1), masks, strict=True)
    done = []
    for query, key, value, mask in parts:
        own = {"query": query, "key": key, "value": value, "mask": mask}
        done.append(_answer(SimpleNamespace(**vars(a) | own)))
    return torch.cat(done)


@misconception(
    of="multi_head_attention",
    sentence="Your result is right, but a Python loop asks one query at a time: softmax along the "
    "last axis serves all rows of scores in one operation.",
    caught_by=ONE_BY_ONE,
)
def one_query_at_a_time(*args, **kwargs):
    def weigh(scores, a):
        return torch.stack([row.softmax(-1) for row in scores.unbind(-2)], dim=-2)

    return _answer(_read(args, kwargs), weigh=weigh)


@misconception(
    of="multi_head_attention",
    sentence="Your result is right, but every token is projected and split by itself in a Python "
    "loop: x @ w.T projects a whole sentence, and one reshape splits it.",
    caught_by=ONE_BY_ONE,
)
def one_token_at_a_time(*args, **kwargs):
    def split(x, heads):
        tokens = [token.contiguous().unflatten(-1, (heads, -1)) for token in x.unbind(1)]
        return torch.stack(tokens, dim=2)

    return _answer(_read(args, kwargs), split=split)


@misconception(
    of="multi_head_attention",
    sentence="Your result is right, but the causal mask is filled row by row in Python: "
    "torch.ones(T, T).tril() makes all rows at once.",
    caught_by=ONE_BY_ONE,
)
def causal_mask_row_by_row(*args, **kwargs):
    def forbid(scores, a):
        if not a.is_causal:
            return _forbid(scores, a)
        past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        for i in range(len(past)):
            past[i, i + 1 :] = False
        allowed = past if a.mask is None else past & a.mask
        return scores.masked_fill(~allowed, -torch.inf)

    return _answer(_read(args, kwargs), forbid=forbid)


@misconception(
    of="multi_head_attention",
    sentence="Your result is right, but the weighted values of all queries and keys are stored "
    "before they are summed: weights @ v needs no tensor with five axes.",
    caught_by=("test_no_tensor_for_every_query_key_and_feature",),
)
def average_by_broadcasting(*args, **kwargs):
    a = _read(args, kwargs)
    q, k, v = (
        _split(linear(x, w, b), a.num_heads)
        for x, w, b in ((a.query, a.w_q, a.b_q), (a.key, a.w_k, a.b_k), (a.value, a.w_v, a.b_v))
    )
    weights = _forbid(q @ k.mT * q.shape[-1] ** -0.5, a).softmax(-1)
    return linear(_merge((weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)), a.w_o, a.b_o)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer is right, but averages the values of one sentence after the other in a "
    "Python loop: `@` takes all sentences and heads at once.",
    caught_by=("test_layer_takes_all_tokens_at_once",),
)
class LayerSentenceBySentence(_Layer):
    def average(self, weights, v):
        pairs = zip(self.drop(weights), v, strict=True)
        return torch.stack([one @ other for one, other in pairs])


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer is right, but averages the values for one query after the other in a "
    "Python loop: weights @ v answers all queries at once.",
    caught_by=("test_layer_takes_all_tokens_at_once",),
)
class LayerQueryByQuery(_Layer):
    def average(self, weights, v):
        rows = self.drop(weights).split(1, dim=-2)
        return torch.cat([row @ v for row in rows], dim=-2)


@misconception(
    of="MultiHeadAttention",
    sentence="Your layer is right, but stores every weighted value before it sums them, d times "
    "the memory of the weights: weights @ v sums as it goes.",
    caught_by=("test_no_tensor_for_every_query_key_and_feature",),
)
class LayerAveragesByBroadcasting(_Layer):
    def average(self, weights, v):
        return (self.drop(weights).unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your wrapper is right, but its heads answer one token after the other: each head's "
    "weights @ values answers all tokens in one product.",
    caught_by=("test_wrapper_takes_all_tokens_at_once",),
)
class WrapperTokenByToken(_Wrapper):
    class head(_Head):
        def average(self, weights, v):
            rows = dropout(weights, self.p, self.training).split(1, dim=-2)
            return torch.cat([row @ v for row in rows], dim=-2)


@misconception(
    of="MultiHeadAttentionWrapper",
    sentence="Your wrapper is right, but hands its heads one sentence after the other: they take "
    "the whole batch.",
    caught_by=("test_wrapper_takes_all_tokens_at_once",),
)
class WrapperSentenceBySentence(_Wrapper):
    def forward(self, x):
        return torch.cat([super(WrapperSentenceBySentence, self).forward(s) for s in x.split(1)])
