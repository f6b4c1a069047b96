"""Wrong answers to ``attention_by_hand``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from attention_by_hand import attention_scores, attention_weights

from grader.check import Bank

wrong = Bank()

SCORES = "scores_of_the_printed_examples scores_of_any_sentence"
SHARES = "shares_of_the_printed_example shares_along_the_last_axis"
WEIGHTS = "weights_of_the_printed_examples weights_of_any_sentence"
SCALE = "weights_of_the_printed_examples scale_multiplies_the_scores"
CONTEXTS = "contexts_of_the_printed_example contexts_of_any_sentence"
LOOKUPS = "lookups_of_the_printed_examples lookup_of_vectors"

SUM = "s.sum(axis=-1, keepdims=True)"
TOP = "library.amax(scores, axis=-1, keepdims=True)"
NORMALISED = "normalize_by_sum(exponentials)"
CONTEXT = "attention_weights(x) @ x"
ANSWER = "query_weights @ values"
IN_FLOAT32 = "x = x.float() if isinstance(x, Tensor) else x"
DETACHED = "(x.detach() if isinstance(x, Tensor) else x)"

# attention_scores ---------------------------------------------------------------------------------

wrong("attention_scores", "compares_columns", SCORES,
    """Your scores compare features, not tokens: x.T @ x is (d, d). Rows with rows is x @ x.T, of
    shape (T, T).""",
    "x @ x.T", "x.T @ x")

wrong("attention_scores", "numpys_way_to_transpose", "scores_of_any_sentence",
    """x.transpose() and x.dot() are numpy's way: a tensor's transpose asks for two axes, and its
    dot is for single rows. x.T and @ do it for arrays and tensors alike.""",
    "x @ x.T", "x.dot(x.transpose())")

wrong("attention_scores", "torchs_way_to_transpose", "scores_of_the_printed_examples",
    """x.transpose(0, 1) is torch's way: for a numpy array it leaves both axes where they are, so
    the product does not fit. x.T turns arrays and tensors alike.""",
    "x @ x.T", "x @ x.transpose(0, 1)")

wrong("attention_scores", "scores_put_into_torchs_zeros",
    "scores_of_the_printed_examples scores_of_any_sentence",
    """Your answer is always a float32 tensor, as one that begins with torch.zeros: an array is to
    give an array, and float64 stays float64. x.T and @ give all scores in one product, of the kind
    and dtype of x.""",
    "return x @ x.T", """scores = torch.zeros(len(x), len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            scores[i, j] = (x[i] * x[j]).sum()
    return scores""")

wrong("attention_scores", "scores_put_into_numpys_zeros", "scores_of_any_sentence",
    """Given a tensor, you return an array, which numpy made, and which has no graph. x.T and @ are
    there for arrays and tensors alike: one product gives all scores, of the kind that came
    in.""",
    "return x @ x.T", """scores = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            scores[i, j] = x[i] @ x[j]
    return scores""")

wrong("attention_scores", "elementwise_product", SCORES,
    "Your scores are products element by element: a dot product also sums them.",
    "x @ x.T", "x * x")

wrong("attention_scores", "never_summed", SCORES,
    "You form all products of all pairs of tokens but never sum over the features.",
    "x @ x.T", "x[:, None, :] * x[None, :, :]")

wrong("attention_scores", "one_query_only", SCORES,
    "You return the scores of one token alone: every token is a query once.",
    "x @ x.T", "x @ x[min(1, len(x) - 1)]")

wrong("attention_scores", "cosines", SCORES,
    "Your scores are cosines: the lengths of the rows count, so do not divide by them.",
    "return x", "x = x / (x * x).sum(axis=-1, keepdims=True) ** 0.5\n    return x")

wrong("attention_scores", "scores_already_scaled", SCORES,
    """Your scores are already divided by sqrt(d): here they are plain dot products, and scaling is
    left to attention_weights.""",
    "x @ x.T", "x @ x.T / x.shape[-1] ** 0.5")

wrong("attention_scores", "mean_instead_of_sum", SCORES,
    "Your scores are averages: they are divided by the number of features.",
    "x @ x.T", "x @ x.T / x.shape[-1]")

wrong("attention_scores", "distances", SCORES,
    """Your scores are distances: unlike tokens score high and each token scores 0 with itself.
    Attention needs a similarity, the dot product.""",
    "x @ x.T", "((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=-1) ** 0.5")

wrong("attention_scores", "negative_squared_distances", SCORES,
    """Your scores are negative squared distances: like tokens do score high, but this is not the
    dot product.""",
    "x @ x.T", "-((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=-1)")

wrong("attention_scores", "covariances", SCORES,
    "You subtract the mean before comparing, which gives covariances, not dot products.",
    "return x", "x = x - x.mean(axis=0, keepdims=True)\n    return x")

wrong("attention_scores", "not_with_itself", SCORES,
    "Your diagonal is zero: a token is compared with itself, too.",
    "return x @ x.T",
    """scores = x @ x.T
    return scores - _library(x).diag(_library(x).diag(scores))""")

wrong("attention_scores", "upper_half_only", SCORES,
    "Only half of your table is filled: the score of (i, j) also belongs at (j, i).",
    "x @ x.T", "_library(x).triu(x @ x.T)")

wrong("attention_scores", "lower_half_only", SCORES,
    """You fill the table on and below its diagonal alone: above it stands 0. A token is compared
    with the later ones as well.""",
    "x @ x.T", "_library(x).tril(x @ x.T)")

wrong("attention_scores", "scores_without_sign", "scores_of_any_sentence",
    "Your scores lose their sign: opposite tokens have a negative dot product.",
    "x @ x.T", "abs(x @ x.T)")

wrong("attention_scores", "scores_are_weights", SCORES,
    "Your scores have already been through a softmax: they are weights, not scores.",
    "x @ x.T", "normalize_by_sum(_library(x).exp(x @ x.T))")

@wrong.instead_of("attention_scores", "scores_of_any_sentence")
def scores_detached(x):
    """Your scores have left the graph, as under no_grad or detach, or where plain numbers are put
    into a fresh tensor. One product of x with itself keeps the gradient."""
    with torch.no_grad():
        return attention_scores(x)

wrong("attention_scores", "keys_detached", "scores_of_any_sentence",
    """A part of your gradient is missing: x appears twice, as queries and as keys, and one of them
    has left the graph.""",
    "x @ x.T", f"x @ {DETACHED}.T")

wrong("attention_scores", "scores_squeezed", "scores_of_any_sentence",
    "With one token only your scores lose axes, as by a squeeze: (T, T) is (1, 1) then.",
    "x @ x.T", "(x @ x.T).squeeze()")

wrong("attention_scores", "scores_always_torch", "scores_of_the_printed_examples",
    "You always return a torch tensor: for a numpy array the answer is a numpy array.",
    "return x", "x = torch.as_tensor(x)\n    return x")

wrong("attention_scores", "scores_always_numpy", "scores_of_any_sentence",
    "You always return a numpy array: for a torch tensor the answer is a torch tensor.",
    "return x", f"x = np.asarray({DETACHED})\n    return x")

wrong("attention_scores", "scores_always_float32", "scores_of_any_sentence",
    "Your scores are always float32: the dtype out must be the dtype in.",
    "return x", "x = _library(x).asarray(x, dtype=_library(x).float32)\n    return x")

wrong("attention_scores", "half_precision_widened", "scores_of_any_sentence",
    "Your scores are float32 for bfloat16 tensors: the dtype out is the dtype in, so cast back.",
    "return x", """if isinstance(x, Tensor) and x.dtype.itemsize < 4:
        x = x.float()
    return x""")

wrong("attention_scores", "arrays_rounded", "scores_of_any_sentence",
    "Your array branch rounds its input to three decimals: scores are exact, print fewer digits.",
    "return x", """if isinstance(x, np.ndarray):
        x = np.round(x, 3)
    return x""")

wrong("attention_scores", "scores_change_the_input", "scores_of_the_printed_examples",
    """You change the caller's x, as x /= ... and x[...] = ... do: make a new array, x = x / ...,
    and the scores of x as it came.""",
    "return x @ x.T",
    """scores = x @ x.T
    x /= (x * x).sum(axis=-1, keepdims=True) ** 0.5
    return scores""")

# normalize_by_sum ---------------------------------------------------------------------------------

wrong("normalize_by_sum", "divides_by_the_total", "shares_along_the_last_axis",
    "You divide by the sum of the whole table: every row has a sum of its own.",
    SUM, "s.sum()")

wrong("normalize_by_sum", "columns_sum_to_one", "shares_along_the_last_axis",
    "Your columns sum to one, not your rows: sum along the last axis.",
    "axis=-1", "axis=0")

wrong("normalize_by_sum", "rounded_down", SHARES,
    """All of your shares are 0, as those that // or int() rounds down to whole numbers: shares are
    fractions, s / sum.""",
    "return s / ", "return s // ")

wrong("normalize_by_sum", "smallest_subtracted", SHARES,
    """You subtract the smallest score first: the scores are taken as they are, whatever their
    sign.""",
    "return s", "s = s - s.min()\n    return s")

wrong("normalize_by_sum", "sums_lose_their_axis", "shares_along_the_last_axis",
    """Your sums have lost their axis: they line up with the columns, or not at all. Sum with
    keepdims=True.""",
    ", keepdims=True", "")

wrong("normalize_by_sum", "axis_one", SHARES,
    "Axis 1 is the last one of a matrix only, and a single row has no such axis: use axis -1.",
    "axis=-1", "axis=1")

wrong("normalize_by_sum", "axis_one_or_zero", "shares_along_the_last_axis",
    """You take the last axis for axis 1 as soon as there is one: a stack of matrices has more axes
    than two.""",
    "axis=-1", "axis=min(1, s.ndim - 1)")

wrong("normalize_by_sum", "softmax_already", SHARES,
    "Your shares are a softmax: this function divides plain scores by their plain sum.",
    "return s", "s = _library(s).exp(s)\n    return s")

wrong("normalize_by_sum", "divides_by_the_length", SHARES,
    """You divide by the length of the row (the root of the sum of squares), so the shares do not
    sum to one.""",
    SUM, "(s * s).sum(axis=-1, keepdims=True) ** 0.5")

wrong("normalize_by_sum", "divides_by_the_maximum", SHARES,
    "You divide by the largest score: the shares then do not sum to one.",
    SUM, "_library(s).amax(s, axis=-1, keepdims=True)")

wrong("normalize_by_sum", "divides_by_the_mean", SHARES,
    "You divide by the mean, so your shares sum to T instead of one.",
    "s.sum", "s.mean")

wrong("normalize_by_sum", "minimum_subtracted", SHARES,
    "You move the scores to start at 0 before dividing: the smallest share is then always 0.",
    "return s", "s = s - _library(s).amin(s, axis=-1, keepdims=True)\n    return s")

wrong("normalize_by_sum", "divides_by_absolute_values", "shares_of_negative_scores",
    "You divide by the sum of absolute values: with negative scores the shares do not sum to one.",
    "s.sum", "abs(s).sum")

wrong("normalize_by_sum", "negative_scores_dropped", "shares_of_negative_scores",
    "You set negative scores to 0 first: here scores are taken as they are.",
    "return s", "s = s.clip(0)\n    return s")

wrong("normalize_by_sum", "divisor_kept_positive", "shares_of_negative_scores",
    "You keep the divisor above 0: a negative sum then counts as almost nothing.",
    SUM, f"{SUM}.clip(1e-9)")

wrong("normalize_by_sum", "something_added_to_the_sum", SHARES,
    "You add something to the sum: the shares then do not sum to one.",
    SUM, f"({SUM} + 1e-2)")

for digits in (3, 4, 5, 6, 7, 8, 9, 10, 12):
    wrong("normalize_by_sum", f"ten_to_minus_{digits}_added", "shares_of_negative_scores",
        f"""You add 1e-{digits} to the sum: where the sum itself is small, the shares do not sum to
        one. Divide by the sum as it is.""",
        SUM, f"({SUM} + 1e-{digits})")

wrong("normalize_by_sum", "shares_in_place", "shares_of_the_printed_example",
    "You change the caller's scores in place, as s /= ... does: make new ones, s / sum.",
    f"return s / {SUM}", f"s /= {SUM}\n    return s")

wrong("normalize_by_sum", "absolute_values_for_arrays", "shares_of_negative_scores",
    """Your array branch divides by the sum of absolute values, your tensor branch does not: with
    negative scores the shares do not sum to one.""",
    "s.sum", "(s if isinstance(s, Tensor) else abs(s)).sum")

wrong("normalize_by_sum", "sum_detached", "shares_along_the_last_axis",
    "Your shares know nothing of their sum: it was detached, so the gradient is wrong.",
    "s.sum", "(s.detach() if isinstance(s, Tensor) else s).sum")

# attention_weights --------------------------------------------------------------------------------

wrong("attention_weights", "weights_by_plain_sum", WEIGHTS,
    """Your weights are plain scores divided by their sum: take exponentials first, since scores may
    be negative.""",
    NORMALISED, "normalize_by_sum(scores)")

wrong("attention_weights", "softmax_missing", WEIGHTS,
    "You return the scores: the softmax is missing.",
    NORMALISED, "scores")

wrong("attention_weights", "exponentials_only", WEIGHTS,
    "You take exponentials but do not divide them by their sum.",
    NORMALISED, "exponentials")

wrong("attention_weights", "maximum_not_subtracted", "large_rows_do_not_overflow",
    """You exponentiate numbers that are too large: exp overflows from 89 in float32. Subtract from
    each row of scaled scores its maximum; the weights do not change.""",
    f" - {TOP}", "")

wrong("attention_weights", "maximum_before_the_scale", "large_rows_do_not_overflow",
    """You subtract the maximum of the scores as they were before scaling: a scale below 1 leaves
    all of a row far below it, where every exponential is 0, and 0 / 0 is NaN. Take the maximum of
    the scaled scores.""",
    TOP, "library.amax(attention_scores(x), axis=-1, keepdims=True)")

wrong("attention_weights", "naive_for_arrays", "large_rows_do_not_overflow",
    "Your array branch exponentiates the scores as they are: float64 also overflows, from 710 on.",
    TOP, f"({TOP} if library is torch else 0)")

wrong("attention_weights", "one_maximum_for_all", "long_and_short_rows_together",
    """You subtract one maximum for the whole table: rows far below it underflow to 0/0. Every row
    needs its own.""",
    TOP, "scores.max()")

wrong("attention_weights", "own_score_as_maximum", "long_and_short_rows_together",
    """You subtract each token's score with itself, taking it for the largest of its row. It need
    not be: a short token scores higher with a long one.""",
    TOP, "library.diagonal(scores)[:, None]")

wrong("attention_weights", "nan_made_zero", "large_rows_do_not_overflow",
    """exp overflows in your weights, and what is no number is made 0 afterwards: the largest
    weights are lost. Subtract each row's maximum before exp, then nothing overflows.""",
    f"scores - {TOP}", "scores",
    NORMALISED, "library.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True))")

wrong("attention_weights", "mean_subtracted", "long_and_short_rows_together",
    "You subtract the mean, not the maximum: a score far above the mean still overflows.",
    TOP, "scores.mean(axis=-1, keepdims=True)")

wrong("attention_weights", "scores_limited", "large_rows_do_not_overflow",
    """You limit the scores so that exp cannot overflow, which changes the weights: subtract the
    maximum instead.""",
    f"scores - {TOP}", "scores.clip(-80, 80)")

wrong("attention_weights", "one_maximum_for_arrays", "long_and_short_rows_together",
    """Your array branch subtracts one maximum for the whole table: rows far below it underflow to
    0/0. Every row needs its own.""",
    TOP, f"({TOP} if library is torch else scores.max())")

wrong("attention_weights", "sign_of_the_scale", "scale_multiplies_the_scores",
    "Your scale loses its sign: with a negative one, unlike tokens attend to each other.",
    "scale * scores", "abs(scale) * scores")

wrong("attention_weights", "zero_is_no_scale_for_arrays", "scale_multiplies_the_scores",
    """Your array branch takes a scale of 0 for none: ask `is not None`, for 0 is a scale and makes
    all weights equal.""",
    "scale is not None", "scale is not None and (isinstance(x, Tensor) or scale)")

wrong("attention_weights", "scaled_scores_detached", "scale_multiplies_the_scores",
    "With a scale your weights leave the graph: scale the scores themselves, without detach.",
    "scale * scores", "scale * (scores.detach() if isinstance(x, Tensor) else scores)")

wrong("attention_weights", "scale_ignored", SCALE,
    """Your scale has no effect, as where it is left out, or added: it multiplies the scores before
    the softmax.""",
    "scale * scores", "scores")

wrong("attention_weights", "divides_by_the_scale", SCALE,
    "You divide by the scale: 1 / sqrt(d) is already the factor to multiply with.",
    "scale * scores", "scores / scale")

wrong("attention_weights", "scale_after_softmax", SCALE,
    """You scale the weights after the softmax, so rows no longer sum to one: scale the scores
    before it.""",
    "scale * scores", "scores", NORMALISED, f"{NORMALISED} * (1.0 if scale is None else scale)")

wrong("attention_weights", "scaled_twice", SCALE,
    """Your scores are multiplied by the scale twice, so by scale * scale: either both sides of the
    product are scaled, or the scores are, and then once more. Multiply them once.""",
    "scale * scores", "attention_scores(scale * x)")

wrong("attention_weights", "default_scale_invented", WEIGHTS,
    "Without a scale you divide by sqrt(d) all the same: None means the scores as they are.",
    "scores = attention_scores(x)",
    """scores = attention_scores(x)
    scale = x.shape[-1] ** -0.5 if scale is None else scale""")

wrong("attention_weights", "sqrt_of_width_on_top", SCALE,
    "You divide by sqrt(d) on top of the scale you were given.",
    "scale * scores", "scale * scores / x.shape[-1] ** 0.5")

wrong("attention_weights", "scale_taken_for_a_flag", "scale_multiplies_the_scores",
    "You divide by sqrt(d) whenever any scale is given: use the number itself.",
    "scale * scores", "scores / x.shape[-1] ** 0.5")

wrong("attention_weights", "scale_zero_forgotten", "scale_multiplies_the_scores",
    """You take the scale 0 for no scale, as `if scale` and `scale or 1` do: only None means no
    scale, so ask `scale is not None`.""",
    "if scale is not None", "if scale")

wrong("attention_weights", "softmax_over_columns", WEIGHTS,
    """Your columns sum to one, not your rows: row i holds the shares of token i. Divide each row by
    the sum of its own exponentials, along the last axis and with keepdims=True.""",
    TOP, TOP.replace("-1", "0"),
    NORMALISED, "exponentials / exponentials.sum(axis=0, keepdims=True)")

wrong("attention_weights", "exponentials_divided_by_columns", WEIGHTS,
    """Your columns sum to one, not your rows: row i holds the shares of token i. Divide each row by
    the sum of its own exponentials, along the last axis (the sum is along the first).""",
    NORMALISED, "exponentials / exponentials.sum(axis=0, keepdims=True)")

wrong("attention_weights", "softmax_over_everything", WEIGHTS,
    "Your whole table sums to one: every row should.",
    TOP, "scores.max()", NORMALISED, "exponentials / exponentials.sum()")

wrong("attention_weights", "weights_lose_an_axis", WEIGHTS,
    "Your row sums have lost their axis and divide the columns: keepdims=True.",
    NORMALISED, "exponentials / exponentials.sum(axis=-1)")

wrong("attention_weights", "softmax_before_the_product", WEIGHTS,
    "You apply the softmax to x: it belongs around the scores x x^T.",
    "attention_scores(x)", "x", NORMALISED, f"attention_scores({NORMALISED})")

wrong("attention_weights", "softmax_applied_twice", WEIGHTS,
    "You apply the softmax twice: the second makes the weights nearly equal.",
    NORMALISED, f"normalize_by_sum(library.exp({NORMALISED}))")

wrong("attention_weights", "future_hidden", WEIGHTS,
    "You hide the future from each token: nothing is masked in this exercise.",
    NORMALISED, "normalize_by_sum(library.tril(exponentials))")

wrong("attention_weights", "no_weight_for_itself", WEIGHTS,
    "No token of yours attends to itself: it does here, and may not even like itself best.",
    NORMALISED, "normalize_by_sum(exponentials - library.diag(library.diag(exponentials)))")

wrong("attention_weights", "itself_always_first", WEIGHTS,
    """Each token gets its own weight set to the largest of its row. No such rule exists: in the
    journey only two of six tokens attend most to themselves.""",
    "library = _library(x)",
    """library = _library(x)
    scores = scores + library.diag(library.amax(scores, axis=-1) - library.diag(scores))""")

wrong("attention_weights", "hard_attention", WEIGHTS,
    "Your weights are all or nothing: softmax gives every token a share.",
    NORMALISED, "normalize_by_sum((exponentials == 1) * exponentials)")

wrong("attention_weights", "something_added_to_the_divisor", WEIGHTS,
    """You add something to the divisor, so rows do not sum to one: with the maximum subtracted, the
    sum of exponentials is at least 1 and needs no help.""",
    NORMALISED, "exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-3)")

wrong("attention_weights", "powers_of_two", WEIGHTS,
    "You use powers of 2: softmax uses the base e.",
    "library.exp", "library.exp2")

wrong("attention_weights", "logarithms_of_weights", WEIGHTS,
    "You return the logarithms of the weights.",
    NORMALISED, f"library.log({NORMALISED})")

wrong("attention_weights", "weights_rounded", WEIGHTS,
    "Your weights are rounded to four decimals: only the printed tables are.",
    NORMALISED, f"{NORMALISED}.round(decimals=4)")

@wrong.instead_of("attention_weights", "weights_of_any_sentence")
def weights_detached(x, scale=None):
    """Your weights have left the graph: numpy functions and detach cut the gradient to x."""
    with torch.no_grad():
        return attention_weights(x, scale)

wrong("attention_weights", "numpy_functions_only", "weights_of_any_sentence",
    """numpy's functions, np.exp and np.max among them, cannot take a tensor as torch's do: take
    them all from _library(x), which is torch for tensors.""",
    "library = _library(x)", "library = np")

wrong("attention_weights", "torch_functions_only", "weights_of_the_printed_examples",
    """torch.softmax cannot take a numpy array: arrays need numpy's functions, or a way into torch
    and back.""",
    NORMALISED, "torch.softmax(scores, dim=-1)")

wrong("attention_weights", "weights_always_torch", "weights_of_the_printed_examples",
    "You always return a tensor: for a numpy array the weights are a numpy array.",
    "attention_scores(x)", "attention_scores(torch.as_tensor(x))", "_library(x)", "torch")

wrong("attention_weights", "weights_always_float32", "weights_of_any_sentence",
    "Given a tensor, your weights are always float32: its dtype out must be its dtype in.",
    "scores = attention", f"{IN_FLOAT32}\n    scores = attention")

# context_vectors ----------------------------------------------------------------------------------

wrong("context_vectors", "contexts_scaled", CONTEXTS,
    "Your weights are scaled by 1/sqrt(d): context_vectors uses them without a scale.",
    CONTEXT, "attention_weights(x, x.shape[-1] ** -0.5) @ x")

wrong("context_vectors", "contexts_from_scores", CONTEXTS,
    "You mix the rows by scores, not by weights: the softmax is missing.",
    CONTEXT, "attention_scores(x) @ x")

wrong("context_vectors", "contexts_from_plain_shares", CONTEXTS,
    "Your weights are the scores divided by their plain sum: attention uses softmax.",
    CONTEXT, "normalize_by_sum(attention_scores(x)) @ x")

wrong("context_vectors", "weights_transposed", CONTEXTS,
    """Your context i is mixed with column i of the weights, not with row i: either the weights are
    used the wrong way round, or a softmax of your own runs along the wrong axis. The shares of
    token i are row i of attention_weights(x).""",
    CONTEXT, "attention_weights(x).T @ x")

wrong("context_vectors", "contexts_in_columns", CONTEXTS,
    """Your result is (d, T): it mixes the columns of x.T, and a context stands in a column. Each
    context is a row, mixed of rows of x: the weights stand on the left of the product, x on the
    right.""",
    CONTEXT, "x.T @ attention_weights(x)")

wrong("context_vectors", "contexts_put_into_numpys_zeros", "contexts_of_any_sentence",
    """You write tensors into an array that numpy made: it cannot take them, and has no graph. One
    product of the weights and x gives all contexts, of the kind that came in.""",
    f"return {CONTEXT}", """weights = attention_weights(x)
    contexts = np.zeros(x.shape)
    for i in range(len(x)):
        for j in range(len(x)):
            contexts[i] += weights[i, j] * x[j]
    return contexts""")

wrong("context_vectors", "contexts_set_in_numpys_zeros", "contexts_of_any_sentence",
    """You set rows of an array that numpy made to tensors: it cannot hold them with their graph.
    Take the product of the weights and x as a whole, which is of the kind that came in.""",
    f"return {CONTEXT}", """weights = attention_weights(x)
    contexts = np.zeros(x.shape)
    for i in range(len(x)):
        contexts[i] = weights[i] @ x
    return contexts""")

wrong("context_vectors", "weights_returned", CONTEXTS,
    "You return the weights: they still have to mix the rows of x.",
    CONTEXT, "attention_weights(x)")

wrong("context_vectors", "one_context_only", CONTEXTS,
    "You return the context of a single token: there is one for each.",
    CONTEXT, "attention_weights(x)[min(1, len(x) - 1)] @ x")

wrong("context_vectors", "contexts_added_up", CONTEXTS,
    "You sum the contexts of all tokens into one vector.",
    CONTEXT, f"({CONTEXT}).sum(axis=0)")

wrong("context_vectors", "own_row_only", CONTEXTS,
    "You weigh each row by its own weight only: a context is a sum over all tokens.",
    CONTEXT, "_library(x).diagonal(attention_weights(x))[:, None] * x")

wrong("context_vectors", "best_row_only", CONTEXTS,
    "You pick the row with the largest weight: a context mixes all rows.",
    CONTEXT, "x[attention_weights(x).argmax(axis=-1)]")

wrong("context_vectors", "plain_average", CONTEXTS,
    "You average all tokens alike: the weights say how much of each.",
    CONTEXT, "x * 0 + x.mean(axis=0, keepdims=True)")

wrong("context_vectors", "residual_added", CONTEXTS,
    "You add x to the contexts: that residual comes later, in the block.",
    CONTEXT, f"x + {CONTEXT}")

wrong("context_vectors", "causal_contexts", CONTEXTS,
    "Your tokens see only themselves and earlier tokens: here everybody sees everybody.",
    CONTEXT, "normalize_by_sum(_library(x).tril(attention_weights(x))) @ x")

wrong("context_vectors", "earlier_tokens_only", CONTEXTS,
    """Your sum for token i ends at token i: the later tokens have their weights too, and belong
    into the sum.""",
    CONTEXT, "_library(x).tril(attention_weights(x)) @ x")

wrong("context_vectors", "sum_goes_on", CONTEXTS,
    """Each of your contexts still holds those of all tokens before it: the sum begins with 0 again
    for every token, inside the loop over them.""",
    CONTEXT, f"({CONTEXT}).cumsum(axis=0)")

wrong("context_vectors", "rows_overwritten", CONTEXTS,
    """You overwrite x with contexts while later tokens still need the old rows: write them into a
    new tensor.""",
    f"return {CONTEXT}",
    """x = x * 1
    for i in range(len(x)):
        x[i] = attention_weights(x)[i] @ x
    return x""")

wrong("context_vectors", "contexts_overflow", "contexts_of_large_rows",
    """Your own softmax in here exponentiates the scores as they are: use attention_weights, or
    subtract each row's maximum.""",
    CONTEXT, "normalize_by_sum(_library(x).exp(attention_scores(x))) @ x")

wrong("context_vectors", "columns_mixed_where_square", "contexts_of_any_sentence",
    """Where there are as many tokens as features you mix the columns: weights mix the rows of x,
    whatever its shape.""",
    CONTEXT, "attention_weights(x) @ (x.T if len(x) == x.shape[1] else x)")

wrong("context_vectors", "weights_cut_off", "contexts_of_any_sentence",
    """Your contexts depend on x only through the values: the weights have left the graph, so a part
    of the gradient is missing.""",
    CONTEXT, f"attention_weights({DETACHED}) @ x")

wrong("context_vectors", "contexts_detached", "contexts_of_any_sentence",
    "Your contexts have left the graph: no gradient reaches x.",
    "return", "with torch.no_grad():\n        return")

wrong("context_vectors", "contexts_always_float32", "contexts_of_any_sentence",
    """Given a tensor, your contexts are always float32: they have the dtype of x, and a table that
    they are written into has it too.""",
    "return attention", f"{IN_FLOAT32}\n    return attention")

# dictionary_lookup --------------------------------------------------------------------------------

wrong("dictionary_lookup", "best_key_only", LOOKUPS,
    "You return the value of the best key alone: the answer mixes all values.",
    ANSWER, "values[query_weights.argmax()]")

wrong("dictionary_lookup", "products_not_summed", LOOKUPS,
    "You multiply but do not sum: the answer is one number, or one vector.",
    ANSWER, "query_weights.reshape(-1, *[1] * (values.ndim - 1)) * values")

wrong("dictionary_lookup", "mean_of_products", LOOKUPS,
    "You average the products: a mixture is their sum, the weights are the shares.",
    ANSWER, f"{ANSWER} / len(values)")

wrong("dictionary_lookup", "weights_normalised_again", "lookup_of_numbers lookup_of_vectors",
    "You make the weights sum to one first: here they are used as they are.",
    ANSWER, "normalize_by_sum(query_weights) @ values")

wrong("dictionary_lookup", "softmax_of_weights", LOOKUPS,
    "You apply a softmax to the weights: they are weights already.",
    ANSWER, "normalize_by_sum(_library(values).exp(query_weights)) @ values")

wrong("dictionary_lookup", "sums_over_everything", LOOKUPS,
    """You sum over everything, also over the features: values of shape (n, d) give a vector of
    shape (d,).""",
    ANSWER, f"({ANSWER}).sum()")

wrong("dictionary_lookup", "weights_along_features", LOOKUPS,
    """Your weights line up with the features: weight j belongs to row j of the values. And what is
    summed over are the rows alone, axis 0.""",
    ANSWER, "(query_weights * values).sum(axis=0)")

wrong("dictionary_lookup", "column_of_weights_and_one_sum", LOOKUPS,
    """You sum over everything: values of shape (n, d) give a vector, so sum over the rows alone,
    axis 0. And query_weights[:, None] makes a table where values are plain numbers, of shape
    (n,).""",
    ANSWER, "(query_weights[:, None] * values).sum()")

wrong("dictionary_lookup", "column_of_weights_and_the_last_axis", LOOKUPS,
    """You sum over the last axis, which holds the features: what is summed over are the rows,
    axis 0. And query_weights[:, None] makes a table where values are plain numbers, of shape
    (n,).""",
    ANSWER, "(query_weights[:, None] * values).sum(axis=-1)")

wrong("dictionary_lookup", "product_turned_round", LOOKUPS,
    "You weigh with values @ query_weights, which mixes the columns: it is query_weights @ values.",
    ANSWER, "values @ query_weights")

wrong("dictionary_lookup", "last_key_left_out", LOOKUPS,
    "You leave out the last key: loop over all n of them.",
    ANSWER, "query_weights[:-1] @ values[:-1]")

wrong("dictionary_lookup", "first_key_left_out", LOOKUPS,
    "You leave out the first key: a loop over all n of them begins at 0.",
    ANSWER, "query_weights[1:] @ values[1:]")

wrong("dictionary_lookup", "sum_begins_with_a_value", LOOKUPS,
    "Your sum begins with the first value, which then counts once too often: begin with 0.",
    ANSWER, f"values[0] + {ANSWER}")

wrong("dictionary_lookup", "negative_weights_skipped", "lookup_of_numbers lookup_of_vectors",
    "You skip keys with a weight of 0 or less: a negative weight counts as well.",
    ANSWER, "query_weights.clip(0) @ values")

wrong("dictionary_lookup", "arrays_normalised_again", "lookup_of_numbers lookup_of_vectors",
    "Your array branch makes the weights sum to one first: they are used as they are.",
    ANSWER,
    f"{ANSWER} if isinstance(values, Tensor) else normalize_by_sum(query_weights) @ values")

wrong("dictionary_lookup", "best_key_for_arrays", LOOKUPS,
    """Given arrays you return the value of the best key alone: arrays are mixed by their weights
    just as tensors are.""",
    ANSWER,
    f"{ANSWER} if isinstance(values, Tensor) else values[query_weights.argmax()]")

wrong("dictionary_lookup", "axis_kept", LOOKUPS,
    "Your answer keeps an axis of size 1: shape (d,), or no axes for plain numbers.",
    ANSWER, "query_weights[None, :] @ values")

wrong("dictionary_lookup", "numbers_as_python_floats", "lookup_of_numbers",
    "You return numbers as Python's float, which has no gradient: keep tensors tensors.",
    ANSWER, f"{ANSWER} if values.ndim > 1 else ({ANSWER}).item()")

wrong("dictionary_lookup", "weights_as_python_floats", "lookup_of_numbers lookup_of_vectors",
    """No gradient comes back to the weights, as where float(), .item() or detach() takes them out
    of the graph: multiply by query_weights[i] as it is.""",
    ANSWER, "sum(float(w) * value for w, value in zip(query_weights, values, strict=True))")

wrong("dictionary_lookup", "every_answer_a_float", f"{LOOKUPS} lookup_of_numbers",
    """float() makes one number, and cannot take a row of several: values of shape (n, d) give a
    vector. It lets no gradient through either. Leave weights, values and their sum as they
    are.""",
    ANSWER, f"float({ANSWER})")

wrong("dictionary_lookup", "answer_squeezed", "lookup_of_vectors",
    "Where d is 1 your answer loses the axis of the features, as by a squeeze: (n, 1) gives (1,).",
    ANSWER, f"({ANSWER}).squeeze()")

wrong("dictionary_lookup", "vectors_only", "lookups_of_the_printed_examples lookup_of_numbers",
    "Your function handles vectors as values only: plain numbers, shape (n,), are values as well.",
    ANSWER, "(query_weights[:, None] * values).sum(axis=0)")

wrong("dictionary_lookup", "lookup_detached", "lookup_of_numbers lookup_of_vectors",
    "Your answer has left the graph: no gradient reaches weights and values.",
    "return", "with torch.no_grad():\n        return")

wrong("dictionary_lookup", "sum_starts_in_float32", "lookup_of_vectors",
    """Your answer is float32 where the values have 16 bits, as a sum that starts from a tensor of
    zeros in float32: zeros need the values' dtype, and what was made float32 is cast back.""",
    ANSWER, f"_library(values).zeros(values.shape[1:]) + {ANSWER}")
