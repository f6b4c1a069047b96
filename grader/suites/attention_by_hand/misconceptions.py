"""Wrong answers to ``attention_by_hand``, and what their authors are told."""

from __future__ import annotations

import math

import numpy as np
import torch

from grader.programs.bank import misconception


def _library(x):
    return torch if isinstance(x, torch.Tensor) else np


def _softmax(s, axis=-1):
    library = _library(s)
    e = library.exp(s - library.amax(s, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _detached(x):
    return x.detach() if isinstance(x, torch.Tensor) else x


# attention_scores -----------------------------------------------------------------------------


@misconception(
    of="attention_scores",
    sentence="Your scores compare features, not tokens: x.T @ x is (d, d). Rows with rows is "
    "x @ x.T, of shape (T, T).",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def compares_columns(x):
    return x.T @ x


@misconception(
    of="attention_scores",
    sentence="Your scores are products element by element: a dot product also sums them.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def elementwise_product(x):
    return x * x


@misconception(
    of="attention_scores",
    sentence="You form all products of all pairs of tokens but never sum over the features.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def never_summed(x):
    return x[:, None, :] * x[None, :, :]


@misconception(
    of="attention_scores",
    sentence="You return the scores of one token alone: every token is a query once.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def one_query_only(x):
    return x @ x[min(1, len(x) - 1)]


@misconception(
    of="attention_scores",
    sentence="Your scores are cosines: the lengths of the rows count, so do not divide by them.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def cosines(x):
    unit = x / (x * x).sum(axis=-1, keepdims=True) ** 0.5
    return unit @ unit.T


@misconception(
    of="attention_scores",
    sentence="Your scores are already divided by sqrt(d): here they are plain dot products, and "
    "scaling is left to attention_weights.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def scores_already_scaled(x):
    return x @ x.T / math.sqrt(x.shape[-1])


@misconception(
    of="attention_scores",
    sentence="Your scores are averages: they are divided by the number of features.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def mean_instead_of_sum(x):
    return x @ x.T / x.shape[-1]


@misconception(
    of="attention_scores",
    sentence="Your scores are distances: unlike tokens score high and each token scores 0 with "
    "itself. Attention needs a similarity, the dot product.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def distances(x):
    gap = x[:, None, :] - x[None, :, :]
    return (gap * gap).sum(axis=-1) ** 0.5


@misconception(
    of="attention_scores",
    sentence="Your scores are negative squared distances: like tokens do score high, but this is "
    "not the dot product.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def negative_squared_distances(x):
    gap = x[:, None, :] - x[None, :, :]
    return -(gap * gap).sum(axis=-1)


@misconception(
    of="attention_scores",
    sentence="You subtract the mean before comparing, which gives covariances, not dot products.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def covariances(x):
    centred = x - x.mean(axis=0, keepdims=True)
    return centred @ centred.T


@misconception(
    of="attention_scores",
    sentence="Your diagonal is zero: a token is compared with itself, too.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def not_with_itself(x):
    eye = _library(x).eye(len(x), dtype=x.dtype)
    return (x @ x.T) * (1 - eye)


@misconception(
    of="attention_scores",
    sentence="Only half of your table is filled: the score of (i, j) also belongs at (j, i).",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def upper_half_only(x):
    return _library(x).triu(x @ x.T)


@misconception(
    of="attention_scores",
    sentence="Your scores lose their sign: opposite tokens have a negative dot product.",
    caught_by=("test_scores_of_any_sentence",),
)
def scores_without_sign(x):
    return abs(x @ x.T)


@misconception(
    of="attention_scores",
    sentence="Your scores have already been through a softmax: they are weights, not scores.",
    caught_by=("test_scores_of_the_printed_examples", "test_scores_of_any_sentence"),
)
def scores_are_weights(x):
    return _softmax(x @ x.T)


@misconception(
    of="attention_scores",
    sentence="Your loops put the scores into a fresh tensor of plain numbers, which has left the "
    "graph. Stack the scores instead, or write one product.",
    caught_by=("test_scores_of_any_sentence",),
)
def scores_detached(x):
    return _detached(x) @ _detached(x).T


@misconception(
    of="attention_scores",
    sentence="Your gradient is half of what it should be: x appears twice, as queries and as keys, "
    "and one of them was detached.",
    caught_by=("test_scores_of_any_sentence",),
)
def keys_detached(x):
    return x @ _detached(x).T


@misconception(
    of="attention_scores",
    sentence="Your squeeze removes an axis when there is one token only: (T, T) is (1, 1) then.",
    caught_by=("test_scores_of_any_sentence",),
)
def scores_squeezed(x):
    return (x @ x.T).squeeze()


@misconception(
    of="attention_scores",
    sentence="You always return a torch tensor: for a numpy array the answer is a numpy array.",
    caught_by=("test_scores_of_the_printed_examples",),
)
def scores_always_torch(x):
    x = torch.as_tensor(x)
    return x @ x.T


@misconception(
    of="attention_scores",
    sentence="You always return a numpy array: for a torch tensor the answer is a torch tensor.",
    caught_by=("test_scores_of_any_sentence",),
)
def scores_always_numpy(x):
    x = np.asarray(_detached(x))
    return x @ x.T


@misconception(
    of="attention_scores",
    sentence="Your scores are always float32: the dtype out must be the dtype in.",
    caught_by=("test_keeps_the_dtype",),
)
def scores_always_float32(x):
    x = x.astype(np.float32) if isinstance(x, np.ndarray) else x.float()
    return x @ x.T


@misconception(
    of="attention_scores",
    sentence="Your rows are brought to length one in place: the caller's x is changed.",
    caught_by=("test_scores_of_the_printed_examples",),
)
def scores_change_the_input(x):
    scores = x @ x.T
    x /= (x * x).sum(axis=-1, keepdims=True) ** 0.5
    return scores


# normalize_by_sum -----------------------------------------------------------------------------


@misconception(
    of="normalize_by_sum",
    sentence="You divide by the sum of the whole table: every row has a sum of its own.",
    caught_by=("test_shares_along_the_last_axis",),
)
def divides_by_the_total(s):
    return s / s.sum()


@misconception(
    of="normalize_by_sum",
    sentence="Your columns sum to one, not your rows: sum along the last axis.",
    caught_by=("test_shares_along_the_last_axis",),
)
def columns_sum_to_one(s):
    return s / s.sum(axis=0, keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="Your sums have lost their axis: they line up with the columns, or not at all. Sum "
    "with keepdims=True.",
    caught_by=("test_shares_along_the_last_axis",),
)
def sums_lose_their_axis(s):
    return s / s.sum(axis=-1)


@misconception(
    of="normalize_by_sum",
    sentence="You sum along axis 1, which is the last one of a matrix only: use axis -1.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def axis_one(s):
    return s / s.sum(axis=1, keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="You take the last axis for axis 1 as soon as there is one: a stack of matrices has "
    "more axes than two.",
    caught_by=("test_shares_along_the_last_axis",),
)
def axis_one_or_zero(s):
    return s / s.sum(axis=min(1, s.ndim - 1), keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="Your shares are a softmax: this function divides plain scores by their plain sum.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def softmax_already(s):
    return _softmax(s)


@misconception(
    of="normalize_by_sum",
    sentence="You divide by the length of the row (the root of the sum of squares), so the shares "
    "do not sum to one.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def divides_by_the_length(s):
    return s / (s * s).sum(axis=-1, keepdims=True) ** 0.5


@misconception(
    of="normalize_by_sum",
    sentence="You divide by the largest score: the shares then do not sum to one.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def divides_by_the_maximum(s):
    return s / _library(s).amax(s, axis=-1, keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="You divide by the mean, so your shares sum to T instead of one.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def divides_by_the_mean(s):
    return s / s.mean(axis=-1, keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="You move the scores to start at 0 before dividing: the smallest share is then "
    "always 0.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def minimum_subtracted(s):
    moved = s + -_library(s).amin(s, axis=-1, keepdims=True)
    return moved / (moved.sum(axis=-1, keepdims=True) + 1e-12)


@misconception(
    of="normalize_by_sum",
    sentence="You divide by the sum of absolute values: with negative scores the shares do not "
    "sum to one.",
    caught_by=("test_shares_of_negative_scores",),
)
def divides_by_absolute_values(s):
    return s / abs(s).sum(axis=-1, keepdims=True)


@misconception(
    of="normalize_by_sum",
    sentence="You set negative scores to 0 first: here scores are taken as they are.",
    caught_by=("test_shares_of_negative_scores",),
)
def negative_scores_dropped(s):
    kept = s.clip(0)
    return kept / (kept.sum(axis=-1, keepdims=True) + 1e-12)


@misconception(
    of="normalize_by_sum",
    sentence="You keep the divisor above 0: a negative sum then counts as almost nothing.",
    caught_by=("test_shares_of_negative_scores",),
)
def divisor_kept_positive(s):
    return s / s.sum(axis=-1, keepdims=True).clip(1e-9)


@misconception(
    of="normalize_by_sum",
    sentence="You add something to the sum: the shares then do not sum to one.",
    caught_by=("test_shares_of_the_printed_example", "test_shares_along_the_last_axis"),
)
def something_added_to_the_sum(s):
    return s / (s.sum(axis=-1, keepdims=True) + 1e-2)


@misconception(
    of="normalize_by_sum",
    sentence="You divide in place: s /= ... changes the caller's scores.",
    caught_by=("test_shares_of_the_printed_example", "test_keeps_the_dtype"),
)
def shares_in_place(s):
    with torch.no_grad():
        s /= s.sum(axis=-1, keepdims=True)
    return s * 1


@misconception(
    of="normalize_by_sum",
    sentence="Your shares know nothing of their sum: it was detached, so the gradient is wrong.",
    caught_by=("test_shares_along_the_last_axis",),
)
def sum_detached(s):
    return s / _detached(s).sum(axis=-1, keepdims=True)


# attention_weights ----------------------------------------------------------------------------


@misconception(
    of="attention_weights",
    sentence="Your weights are plain scores divided by their sum: take exponentials first, since "
    "scores may be negative.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def weights_by_plain_sum(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    return s / (s.sum(axis=-1, keepdims=True) + 1e-12)


@misconception(
    of="attention_weights",
    sentence="You return the scores: the softmax is missing.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def softmax_missing(x, scale=None):
    return x @ x.T if scale is None else scale * (x @ x.T)


@misconception(
    of="attention_weights",
    sentence="You take exponentials but do not divide them by their sum.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def exponentials_only(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    return library.exp(s - library.amax(s, axis=-1, keepdims=True))


@misconception(
    of="attention_weights",
    sentence="You exponentiate the scores as they are: exp overflows from 89 in float32. Subtract "
    "each row's maximum; the weights do not change.",
    caught_by=("test_large_rows_do_not_overflow",),
)
def maximum_not_subtracted(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    e = _library(s).exp(s)
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="Your array branch exponentiates the scores as they are: float64 also overflows, "
    "from 710 on.",
    caught_by=("test_large_rows_do_not_overflow",),
)
def naive_for_arrays(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    if isinstance(x, torch.Tensor):
        return torch.softmax(s, -1)
    with np.errstate(all="ignore"):
        return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="You subtract one maximum for the whole table: rows far below it underflow to 0/0. "
    "Every row needs its own.",
    caught_by=("test_long_and_short_rows_together",),
)
def one_maximum_for_all(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    e = _library(s).exp(s - s.max())
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="You subtract each token's score with itself, taking it for the largest of its row. "
    "It need not be: a short token scores higher with a long one.",
    caught_by=("test_long_and_short_rows_together",),
)
def own_score_as_maximum(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    e = library.exp(s - library.diagonal(s)[:, None])
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="You subtract the mean, not the maximum: a score far above the mean still overflows.",
    caught_by=("test_long_and_short_rows_together",),
)
def mean_subtracted(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    e = _library(s).exp(s - s.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="You limit the scores so that exp cannot overflow, which changes the weights: "
    "subtract the maximum instead.",
    caught_by=("test_large_rows_do_not_overflow",),
)
def scores_limited(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    return _softmax(s.clip(-80, 80))


@misconception(
    of="attention_weights",
    sentence="You ignore the scale: it multiplies the scores before the softmax.",
    caught_by=("test_weights_of_the_printed_examples", "test_scale_multiplies_the_scores"),
)
def scale_ignored(x, scale=None):
    return _softmax(x @ x.T)


@misconception(
    of="attention_weights",
    sentence="You divide by the scale: 1 / sqrt(d) is already the factor to multiply with.",
    caught_by=("test_weights_of_the_printed_examples", "test_scale_multiplies_the_scores"),
)
def divides_by_the_scale(x, scale=None):
    return _softmax(x @ x.T if scale is None else x @ x.T / (scale or 1e-12))


@misconception(
    of="attention_weights",
    sentence="You scale the weights after the softmax, so rows no longer sum to one: scale the "
    "scores before it.",
    caught_by=("test_weights_of_the_printed_examples", "test_scale_multiplies_the_scores"),
)
def scale_after_softmax(x, scale=None):
    return _softmax(x @ x.T) * (1.0 if scale is None else scale)


@misconception(
    of="attention_weights",
    sentence="You scale x on both sides of the product, so the scores are scaled twice.",
    caught_by=("test_weights_of_the_printed_examples", "test_scale_multiplies_the_scores"),
)
def scaled_twice(x, scale=None):
    x = x if scale is None else scale * x
    return _softmax(x @ x.T)


@misconception(
    of="attention_weights",
    sentence="Without a scale you divide by sqrt(d) all the same: None means the scores as they "
    "are.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def default_scale_invented(x, scale=None):
    return _softmax(x @ x.T * (x.shape[-1] ** -0.5 if scale is None else scale))


@misconception(
    of="attention_weights",
    sentence="You divide by sqrt(d) on top of the scale you were given.",
    caught_by=("test_weights_of_the_printed_examples", "test_scale_multiplies_the_scores"),
)
def sqrt_of_width_on_top(x, scale=None):
    s = x @ x.T
    return _softmax(s if scale is None else scale * s / math.sqrt(x.shape[-1]))


@misconception(
    of="attention_weights",
    sentence="You divide by sqrt(d) whenever any scale is given: use the number itself.",
    caught_by=("test_scale_multiplies_the_scores",),
)
def scale_taken_for_a_flag(x, scale=None):
    s = x @ x.T
    return _softmax(s / math.sqrt(x.shape[-1]) if scale is not None else s)


@misconception(
    of="attention_weights",
    sentence="You take the scale 0 for no scale: ask `scale is not None`, not `if scale`.",
    caught_by=("test_scale_multiplies_the_scores",),
)
def scale_zero_forgotten(x, scale=None):
    return _softmax(x @ x.T * (scale or 1.0))


@misconception(
    of="attention_weights",
    sentence="Your columns sum to one: each token distributes its own attention, along its row.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def softmax_over_columns(x, scale=None):
    return _softmax(x @ x.T if scale is None else scale * (x @ x.T), axis=0)


@misconception(
    of="attention_weights",
    sentence="Your whole table sums to one: every row should.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def softmax_over_everything(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    e = _library(s).exp(s - s.max())
    return e / e.sum()


@misconception(
    of="attention_weights",
    sentence="Your row sums have lost their axis and divide the columns: keepdims=True.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def weights_lose_an_axis(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    e = library.exp(s - library.amax(s, axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


@misconception(
    of="attention_weights",
    sentence="You apply the softmax to x: it belongs around the scores x x^T.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def softmax_before_the_product(x, scale=None):
    y = _softmax(x if scale is None else scale * x)
    return y @ y.T


@misconception(
    of="attention_weights",
    sentence="You apply the softmax twice: the second makes the weights nearly equal.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def softmax_applied_twice(x, scale=None):
    return _softmax(_softmax(x @ x.T if scale is None else scale * (x @ x.T)))


@misconception(
    of="attention_weights",
    sentence="You hide the future from each token: nothing is masked in this exercise.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def future_hidden(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    visible = library.tril(library.ones_like(s))
    e = library.exp(s - library.amax(s, axis=-1, keepdims=True)) * visible
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="No token of yours attends to itself: it does here, and may not even like itself "
    "best.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def no_weight_for_itself(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    return _softmax(s - 1e9 * _library(s).eye(len(s), dtype=s.dtype))


@misconception(
    of="attention_weights",
    sentence="Each token gets its own weight set to the largest of its row. No such rule exists: "
    "in the journey only two of six tokens attend most to themselves.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def itself_always_first(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    top = library.amax(s, axis=-1, keepdims=True)
    return _softmax(library.where(library.eye(len(s)) == 1, top, s))


@misconception(
    of="attention_weights",
    sentence="Your weights are all or nothing: softmax gives every token a share.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def hard_attention(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    best = s == _library(s).amax(s, axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True) + 0 * s


@misconception(
    of="attention_weights",
    sentence="You add something to the divisor, so rows do not sum to one: with the maximum "
    "subtracted, the sum of exponentials is at least 1 and needs no help.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def something_added_to_the_divisor(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    library = _library(s)
    e = library.exp(s - library.amax(s, axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3)


@misconception(
    of="attention_weights",
    sentence="You use powers of 2: softmax uses the base e.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def powers_of_two(x, scale=None):
    return _softmax((x @ x.T if scale is None else scale * (x @ x.T)) * math.log(2))


@misconception(
    of="attention_weights",
    sentence="You return the logarithms of the weights.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def logarithms_of_weights(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    return _library(s).log(_softmax(s))


@misconception(
    of="attention_weights",
    sentence="Your weights are rounded to four decimals: only the printed tables are.",
    caught_by=("test_weights_of_the_printed_examples", "test_weights_of_any_sentence"),
)
def weights_rounded(x, scale=None):
    weights = _softmax(x @ x.T if scale is None else scale * (x @ x.T))
    return weights.round(decimals=4)


@misconception(
    of="attention_weights",
    sentence="Your weights have left the graph: numpy functions and detach cut the gradient to x.",
    caught_by=("test_weights_of_any_sentence",),
)
def weights_detached(x, scale=None):
    x = _detached(x)
    return _softmax(x @ x.T if scale is None else scale * (x @ x.T))


@misconception(
    of="attention_weights",
    sentence="np.exp cannot take a tensor that requires a gradient: use torch.exp for tensors.",
    caught_by=("test_weights_of_any_sentence",),
)
def numpy_functions_only(x, scale=None):
    s = x @ x.T if scale is None else scale * (x @ x.T)
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@misconception(
    of="attention_weights",
    sentence="torch.softmax cannot take a numpy array: arrays need numpy's functions, or a way "
    "into torch and back.",
    caught_by=("test_weights_of_the_printed_examples",),
)
def torch_functions_only(x, scale=None):
    return torch.softmax(x @ x.T if scale is None else scale * (x @ x.T), dim=-1)


@misconception(
    of="attention_weights",
    sentence="You always return a tensor: for a numpy array the weights are a numpy array.",
    caught_by=("test_weights_of_the_printed_examples",),
)
def weights_always_torch(x, scale=None):
    s = torch.as_tensor(x) @ torch.as_tensor(x).T
    return torch.softmax(s if scale is None else scale * s, dim=-1)


@misconception(
    of="attention_weights",
    sentence="Your weights are always float32: a tensor's dtype out must be its dtype in.",
    caught_by=("test_keeps_the_dtype",),
)
def weights_always_float32(x, scale=None):
    x = x.float() if isinstance(x, torch.Tensor) else x
    return _softmax(x @ x.T if scale is None else scale * (x @ x.T))


# context_vectors ------------------------------------------------------------------------------


@misconception(
    of="context_vectors",
    sentence="Your weights are scaled by 1/sqrt(d): context_vectors uses them without a scale.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def contexts_scaled(x):
    return _softmax(x @ x.T / math.sqrt(x.shape[-1])) @ x


@misconception(
    of="context_vectors",
    sentence="You mix the rows by scores, not by weights: the softmax is missing.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def contexts_from_scores(x):
    return x @ x.T @ x


@misconception(
    of="context_vectors",
    sentence="Your weights are the scores divided by their plain sum: attention uses softmax.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def contexts_from_plain_shares(x):
    s = x @ x.T
    return (s / s.sum(axis=-1, keepdims=True)) @ x


@misconception(
    of="context_vectors",
    sentence="You use the weights the wrong way round: token i is mixed by its row of weights, "
    "not by its column.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def weights_transposed(x):
    return _softmax(x @ x.T).T @ x


@misconception(
    of="context_vectors",
    sentence="You return the weights: they still have to mix the rows of x.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def weights_returned(x):
    return _softmax(x @ x.T)


@misconception(
    of="context_vectors",
    sentence="You return the context of a single token: there is one for each.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def one_context_only(x):
    return _softmax(x @ x.T)[min(1, len(x) - 1)] @ x


@misconception(
    of="context_vectors",
    sentence="You sum the contexts of all tokens into one vector.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def contexts_added_up(x):
    return (_softmax(x @ x.T) @ x).sum(axis=0)


@misconception(
    of="context_vectors",
    sentence="You weigh each row by its own weight only: a context is a sum over all tokens.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def own_row_only(x):
    return _library(x).diagonal(_softmax(x @ x.T))[:, None] * x


@misconception(
    of="context_vectors",
    sentence="You pick the row with the largest weight: a context mixes all rows.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def best_row_only(x):
    return x[(x @ x.T).argmax(axis=-1)]


@misconception(
    of="context_vectors",
    sentence="You average all tokens alike: the weights say how much of each.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def plain_average(x):
    return x * 0 + x.mean(axis=0, keepdims=True)


@misconception(
    of="context_vectors",
    sentence="You add x to the contexts: that residual comes later, in the block.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def residual_added(x):
    return x + _softmax(x @ x.T) @ x


@misconception(
    of="context_vectors",
    sentence="Your tokens see only themselves and earlier tokens: here everybody sees everybody.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def causal_contexts(x):
    s = x @ x.T
    library = _library(s)
    e = library.tril(library.exp(s - library.amax(s, axis=-1, keepdims=True)))
    return (e / e.sum(axis=-1, keepdims=True)) @ x


@misconception(
    of="context_vectors",
    sentence="You overwrite x with contexts while later tokens still need the old rows: write "
    "them into a new tensor.",
    caught_by=("test_contexts_of_the_printed_example", "test_contexts_of_any_sentence"),
)
def rows_overwritten(x):
    rows = [x[i] for i in range(len(x))]
    library = _library(x)
    for i, query in enumerate(x):
        now = library.stack(rows)
        rows[i] = _softmax(now @ query) @ now
    return library.stack(rows)


@misconception(
    of="context_vectors",
    sentence="Your own softmax in here exponentiates the scores as they are: use "
    "attention_weights, or subtract each row's maximum.",
    caught_by=("test_contexts_of_large_rows",),
)
def contexts_overflow(x):
    e = _library(x).exp(x @ x.T)
    return (e / e.sum(axis=-1, keepdims=True)) @ x


@misconception(
    of="context_vectors",
    sentence="Your contexts depend on x only through the values: the weights were detached, so a "
    "part of the gradient is missing.",
    caught_by=("test_contexts_of_any_sentence",),
)
def weights_cut_off(x):
    y = _detached(x)
    return _softmax(y @ y.T) @ x


@misconception(
    of="context_vectors",
    sentence="Your contexts have left the graph: no gradient reaches x.",
    caught_by=("test_contexts_of_any_sentence",),
)
def contexts_detached(x):
    y = _detached(x)
    return _softmax(y @ y.T) @ y


@misconception(
    of="context_vectors",
    sentence="Your table of contexts is always float32, or float64 for arrays: create it with "
    "x's dtype.",
    caught_by=("test_keeps_the_dtype",),
)
def contexts_always_float32(x):
    x = x.float() if isinstance(x, torch.Tensor) else x
    return _softmax(x @ x.T) @ x


# dictionary_lookup ----------------------------------------------------------------------------


@misconception(
    of="dictionary_lookup",
    sentence="You return the value of the best key alone: the answer mixes all values.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def best_key_only(query_weights, values):
    return values[query_weights.argmax()] + 0 * query_weights.sum()


@misconception(
    of="dictionary_lookup",
    sentence="You multiply but do not sum: the answer is one number, or one vector.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def products_not_summed(query_weights, values):
    return query_weights.reshape(-1, *[1] * (values.ndim - 1)) * values


@misconception(
    of="dictionary_lookup",
    sentence="You average the products: a mixture is their sum, the weights are the shares.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def mean_of_products(query_weights, values):
    return query_weights @ values / len(query_weights)


@misconception(
    of="dictionary_lookup",
    sentence="You make the weights sum to one first: here they are used as they are.",
    caught_by=("test_lookup_of_numbers", "test_lookup_of_vectors"),
)
def weights_normalised_again(query_weights, values):
    return (query_weights / query_weights.sum()) @ values


@misconception(
    of="dictionary_lookup",
    sentence="You apply a softmax to the weights: they are weights already.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def softmax_of_weights(query_weights, values):
    return _softmax(query_weights) @ values


@misconception(
    of="dictionary_lookup",
    sentence="You sum over everything, also over the features: values of shape (n, d) give a "
    "vector of shape (d,).",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def sums_over_everything(query_weights, values):
    return (query_weights.reshape(-1, *[1] * (values.ndim - 1)) * values).sum()


@misconception(
    of="dictionary_lookup",
    sentence="Your weights line up with the features: weight j belongs to row j of the values.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def weights_along_features(query_weights, values):
    return (query_weights * values).sum(axis=0)


@misconception(
    of="dictionary_lookup",
    sentence="You weigh with values @ query_weights, which mixes the columns: it is "
    "query_weights @ values.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def product_turned_round(query_weights, values):
    return values @ query_weights


@misconception(
    of="dictionary_lookup",
    sentence="You leave out the last key: loop over all n of them.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def last_key_left_out(query_weights, values):
    return query_weights[:-1] @ values[:-1]


@misconception(
    of="dictionary_lookup",
    sentence="You skip keys with a weight of 0 or less: a negative weight counts as well.",
    caught_by=("test_lookup_of_numbers", "test_lookup_of_vectors"),
)
def negative_weights_skipped(query_weights, values):
    return query_weights.clip(0) @ values


@misconception(
    of="dictionary_lookup",
    sentence="Your answer keeps an axis of size 1: shape (d,), or no axes for plain numbers.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_vectors"),
)
def axis_kept(query_weights, values):
    return query_weights[None, :] @ values


@misconception(
    of="dictionary_lookup",
    sentence="You return numbers as Python's float, which has no gradient: keep tensors tensors.",
    caught_by=("test_lookup_of_numbers",),
)
def numbers_as_python_floats(query_weights, values):
    answer = query_weights @ values
    return answer.item() if answer.ndim == 0 else answer


@misconception(
    of="dictionary_lookup",
    sentence="Your squeeze removes the features' axis when d is 1: (n, 1) gives (1,).",
    caught_by=("test_lookup_of_vectors",),
)
def answer_squeezed(query_weights, values):
    return (query_weights @ values).squeeze()


@misconception(
    of="dictionary_lookup",
    sentence="Your function handles vectors as values only: plain numbers, shape (n,), are "
    "values as well.",
    caught_by=("test_lookups_of_the_printed_examples", "test_lookup_of_numbers"),
)
def vectors_only(query_weights, values):
    return (query_weights[:, None] * values).sum(axis=0)


@misconception(
    of="dictionary_lookup",
    sentence="Your answer has left the graph: no gradient reaches weights and values.",
    caught_by=("test_lookup_of_numbers", "test_lookup_of_vectors"),
)
def lookup_detached(query_weights, values):
    return _detached(query_weights) @ _detached(values)


@misconception(
    of="dictionary_lookup",
    sentence="You start the sum from a float32 tensor of zeros, so every answer is float32 or "
    "wider: start it in the values' dtype.",
    caught_by=("test_keeps_the_dtype",),
)
def sum_starts_in_float32(query_weights, values):
    answer = query_weights @ values
    return torch.zeros(answer.shape) + answer if isinstance(answer, torch.Tensor) else answer
