"""Wrong answers to ``softmax``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch

from grader.check import Bank

wrong = Bank()

AXIS, OVERFLOW = "normalises_the_axis_asked_for", "large_scores_do_not_overflow"
BACKWARD = "backward_couples_all_scores"
SHIFT, SUM = " - x.amax(dim, keepdim=True)", "exponentials.sum(dim, keepdim=True)"
SHARES = f"exponentials / {SUM}"

# Weights ------------------------------------------------------------------------------------------

wrong("softmax", "no_maximum", OVERFLOW,
    """Your output equals softmax without subtracting the maximum: exp overflows from 89 in float32.
    Subtract the row's largest score; the weights do not change. (Of the two tensors that max(dim)
    returns, [0] holds the scores and [1] only their places.)""",
    SHIFT, "")

wrong("softmax", "ignores_dim", AXIS,
    "Your output always normalises the last axis, but the caller chose `dim`.",
    "amax(dim", "amax(-1", "sum(dim", "sum(-1")

wrong("softmax", "sum_of_the_last_axis", AXIS,
    """Your sum always runs along the last axis, but the caller chose `dim`: hand it on to the sum,
    as to the maximum.""",
    "sum(dim", "sum(-1")

wrong("softmax", "maximum_of_the_last_axis", AXIS,
    """Your maximum is always that of the last axis, but the caller chose `dim`: what is subtracted
    must be the same for all that share a sum.""",
    "amax(dim", "amax(-1")

wrong("softmax", "sum_of_the_first_axis", AXIS,
    """Your sum always runs along the first axis, but the caller chooses `dim`, which is the last
    one unless told otherwise: hand it on.""",
    "sum(dim", "sum(0")

wrong("softmax", "one_sum_for_the_whole_tensor", AXIS,
    """You divide by the sum over the whole tensor, so all weights together sum to one: every row
    along `dim` has a sum of its own, whose axis is kept.""",
    SUM, "exponentials.sum()")

wrong("softmax", "keepdim_forgotten", AXIS,
    """A sum or a maximum of yours has lost its axis, or has it in another place, and lines up with
    the wrong one: keepdim=True keeps it where it is, with size 1.""",
    SUM, "exponentials.sum(dim)")

wrong("softmax", "normalises_everything", AXIS,
    """Your output is normalised over the whole tensor: only the scores along `dim` share a sum of
    one.""",
    SHIFT, " - x.max()", SUM, "exponentials.sum()")

wrong("softmax", "one_global_maximum", "each_row_is_stabilised_by_its_own_maximum",
    """You subtract the same maximum from all rows: those far below it underflow to 0/0. Every row
    along `dim` needs its own maximum.""",
    SHIFT, " - x.max()")

wrong("softmax", "float64_instead_of_the_maximum", OVERFLOW,
    """You compute in float64 instead of subtracting the maximum: that only moves the overflow from
    89 to 710.""",
    f"x{SHIFT}", "x.double()", SHARES, f"({SHARES}).to(x.dtype)")

wrong("softmax", "first_or_last_axis_only", AXIS,
    "Your function takes every axis but the first for the last one.",
    "shifted =", "dim = 0 if dim == 0 else -1\n    shifted =")

wrong("softmax", "default_axis_zero", AXIS,
    "Your default axis is the first one; without `dim`, softmax works along the last.",
    "dim: int = -1", "dim: int = 0")

wrong("softmax", "moved_and_exchanged", AXIS,
    """The axes of your result stand in another order than those of x: movedim(dim, -1) is undone by
    movedim(-1, dim), and transpose(dim, -1) by itself, once more. But with `dim` and keepdim=True
    nothing need be moved.""",
    "shifted =", "x = x.transpose(dim, -1)\n    shifted =", "x.amax(dim", "x.amax(-1", SHARES,
    "(exponentials / exponentials.sum(-1, keepdim=True)).movedim(-1, dim)")

wrong("softmax", "moved_back_to_the_first_place", AXIS,
    """For some `dim`, one between the first axis and the last, the axes of your result stand in
    another order than those of x. What was moved to the end is moved back to the place it came
    from: movedim(-1, dim) undoes movedim(dim, -1).""",
    "shifted =", "x = x.movedim(dim, -1)\n    shifted =", "x.amax(dim", "x.amax(-1", SHARES,
    "(exponentials / exponentials.sum(-1, keepdim=True)).transpose("
    "*((0, -1) if dim not in (0, -1, x.ndim - 1) else (0, 0)))"
    ".movedim(-1 if dim == 0 else 0, 0)")

wrong("softmax", "plain_sum", AXIS,
    """You divide by the plain sum of the scores, without exponentials: scores may be negative, and
    weights must not be.""",
    "shifted.exp()", "x")

wrong("softmax", "exponentials_over_the_plain_sum", f"example {AXIS}",
    """Your exponentials are divided by a sum of the shifted scores, x - m: what they are divided by
    is the sum of the exponentials themselves. Keep them under a name, and use it twice.""",
    SUM, "shifted.sum(dim, keepdim=True)")

wrong("softmax", "divided_before_exp", f"example {AXIS}",
    """You divide the shifted scores by their sum and take exp of that: first comes exp, of x - m,
    and then each exponential is divided by the sum of the exponentials.""",
    "shifted.exp()", "shifted", SHARES, f"({SHARES}).exp()")

wrong("softmax", "weights_of_each_entry_of_the_first_axis", f"example {AXIS}",
    """The numbers that share a sum of one are those of each x[0], x[1], ..., whatever `dim` is, as
    in a loop over x. Where x has one axis, each score is then alone and gets the weight 1. Do
    without the loop: amax and sum take `dim`, and keepdim=True, for any number of axes.""",
    f"shifted = x{SHIFT}", "rest = tuple(range(1, x.ndim))\n    shifted = x - "
    "(x.amax(rest, keepdim=True) if rest else x)",
    SHARES, "exponentials / (exponentials.sum(rest, keepdim=True) if rest else exponentials)")

wrong("softmax", "divided_by_the_maximum", f"example {AXIS}",
    """You divide the scores by their maximum: that changes their differences, and so the weights.
    Subtract it.""",
    SHIFT, " / x.amax(dim, keepdim=True)")

wrong("softmax", "shifted_above_only", f"example {AXIS}",
    """You subtract the maximum from the scores, but not from those inside the sum that you divide
    by (or whose logarithm you subtract): it cancels only if both have it. Compute the exponentials
    once, and divide them by their own sum.""",
    SUM, "x.exp().sum(dim, keepdim=True)")

wrong("softmax", "shifted_below_only", f"example {AXIS}",
    """Inside the sum you subtract the maximum, but not from the score that is divided by it: it
    cancels only if both have it. Compute the exponentials once, and divide them by their own
    sum.""",
    SHARES, f"x.exp() / {SUM}")

wrong("softmax", "e_in_a_few_digits", "example",
    "You take powers of 2.718, which is e in four digits only: use torch.exp.",
    "shifted.exp()", "2.718 ** shifted")

wrong("softmax", "returns_logarithms", f"example {AXIS}",
    "Your output equals the logarithm of the weights, not the weights.",
    SHARES, f"shifted - {SUM}.log()")

wrong("softmax", "sign_flipped", f"example {AXIS}",
    "Your output equals softmax of -x: the largest score gets the smallest weight.",
    f"x{SHIFT}", "x.amin(dim, keepdim=True) - x")

wrong("softmax", "base_two", "example",
    "Your output equals powers of 2 over their sum: softmax uses the base e.",
    "shifted.exp()", "shifted.exp2()")

wrong("softmax", "small_epsilon_in_the_denominator", "minus_infinity_gets_no_weight",
    """Your weights sum to a little less than 1, as with a small number added to the denominator:
    with the maximum subtracted the sum is at least 1, and needs nothing.""",
    SUM, f"({SUM} + 1e-6)")

wrong("softmax", "epsilon_in_the_denominator", "example",
    """A constant added to the denominator keeps the weights from summing to one; with the maximum
    subtracted the sum is at least 1 and cannot be zero.""",
    SUM, f"({SUM} + 1e-3)")

wrong("softmax", "subtracts_in_place", "example",
    """You change the caller's tensor in place: compute x - maximum, not x -= maximum, and call no
    method whose name ends in _, such as exp_.""",
    "shifted = x -", "x.data -=", "shifted.exp()", "x.exp()")

wrong("softmax", "detached", AXIS,
    """Your output has left the graph: without detach, .data, no_grad or torch.tensor, gradients
    flow back to x.""",
    "shifted.exp()", "shifted.detach().exp()")

wrong("softmax", "always_float32", "normalises_the_axis_asked_for",
    "Your output is always float32: the dtype out must be the dtype in.",
    "shifted =", "x = x.float()\n    shifted =")

wrong("softmax", "rounded", AXIS,
    "You round the weights: they must be exact.",
    SHARES, f"({SHARES}).round(decimals=4)")

wrong("softmax", "clamps_the_scores", OVERFLOW,
    """You limit the scores to a fixed range so that exp cannot overflow, which changes the weights:
    subtract the maximum instead.""",
    SHIFT, ".clamp(-50, 50)")

wrong("softmax", "clamps_the_scores_above", OVERFLOW,
    """You limit the scores or their exponentials from above: all that are over the limit become
    equal, and the sum of the exponentials may overflow all the same. Subtract the maximum
    instead.""",
    SHIFT, ".clamp(max=88.0)")

wrong("softmax", "clamps_the_scores_above_80", OVERFLOW,
    """You limit the scores from above so that exp cannot overflow: all that are over the limit get
    the same weight. Subtract the maximum instead.""",
    SHIFT, ".clamp(max=80.0)")

wrong("softmax", "maximum_after_exp", AXIS,
    """You subtract the maximum from the exponentials: it is subtracted from the scores, before exp,
    so x - m stands inside the exponential.""",
    SHIFT, "", "shifted.exp()", "shifted.exp() - x.amax(dim, keepdim=True)")

wrong("softmax", "infinities_become_zero", "minus_infinity_gets_no_weight",
    """You turn -inf into 0 or NaN into 0 afterwards: the maximum of a row of finite and -inf scores
    is finite, so exp(-inf) is simply 0.""",
    "shifted =", "x = x.masked_fill(x.isinf(), 0.0)\n    shifted =")

wrong("softmax", "shifts_by_the_minimum", "minus_infinity_gets_no_weight",
    """You shift by the smallest score: then no exponent is below 0, and one that is above 89
    overflows. Subtract the largest score of the row, and no exponent is above 0.""",
    "x.amax", "x.amin")

wrong("softmax", "shifts_by_the_mean", "minus_infinity_gets_no_weight",
    """You shift by another number than the maximum, such as the mean: a single score 100 above it
    still overflows, and where it is -inf itself the row becomes NaN.""",
    "x.amax", "x.mean")

wrong("softmax", "needs_two_axes", "any_number_of_axes",
    "Your function handles matrices only: use `dim` and keepdim instead of fixed axes.",
    "shifted =", "rows, columns = x.shape\n    shifted =")

wrong("softmax", "maximum_remembered", OVERFLOW,
    """You keep the maximum of the first tensor of each shape and use it for the next one: every
    call has its own scores, and so its own maximum.""",
    "x.amax(dim, keepdim=True)",
    "softmax.__dict__.setdefault((x.shape, dim), x.detach().amax(dim, keepdim=True)).to(x)")

wrong("softmax", "views_the_input", AXIS,
    """Your function calls view, which a transposed input does not allow: use reshape, or no
    reshaping at all.""",
    "shifted =", "x = x.view(-1).view(x.shape)\n    shifted =")

# Logarithms ---------------------------------------------------------------------------------------

wrong("log_softmax", "logarithm_of_softmax", "log_softmax_of_tiny_weights",
    """You take the logarithm of a softmax: where the weight underflows that is log(0) = -inf. Use
    x - logsumexp(x).""",
    "x - logsumexp(x, dim, keepdim=True)", "softmax(x, dim).log()")

for digits in (8, 10, 20, 30, 38):
    wrong("log_softmax", f"weights_at_least_ten_to_minus_{digits}", "log_softmax_of_tiny_weights",
        f"""You take no logarithm of less than 1e-{digits}, so what is smaller gets a wrong one, and
        -inf is lost: use x - logsumexp(x), which is right wherever softmax is too small.""",
        "x - logsumexp(x, dim, keepdim=True)", f"softmax(x, dim).clamp(min=1e-{digits}).log()")

wrong("log_softmax", "logarithm_with_epsilon", "log_softmax_of_tiny_weights",
    """A small number that is added inside the logarithm, or a lower bound for the weights, hides
    -inf and makes small weights larger than they are: use x - logsumexp(x).""",
    "x - logsumexp(x, dim, keepdim=True)", "(softmax(x, dim) + 1e-9).log()")

wrong("log_softmax", "logarithm_with_a_tiny_number", "log_softmax_of_tiny_weights",
    """The small number that you add to the weights, or clamp them to, is a floor: where the weight
    underflows, your logarithm is that of the small number, and never lower. Do without softmax: x -
    logsumexp(x).""",
    "x - logsumexp(x, dim, keepdim=True)", "(softmax(x, dim) + 1e-12).log()")

wrong("log_softmax", "maximum_outside_exp_only", "log_softmax_along_any_axis",
    """Your maximum is subtracted once too often: x - m goes with the logarithm of the sum of
    exp(x - m), and x alone with logsumexp(x), which holds the maximum already.""",
    "x - logsumexp(x, dim, keepdim=True)",
    "x - x.amax(dim, keepdim=True) - x.exp().sum(dim, keepdim=True).log()")

wrong("log_softmax", "maximum_inside_exp_only", "log_softmax_along_any_axis",
    """You subtract the maximum inside of the exponentials, but in front of the logarithm stands x
    itself: both must have it, x - m and exp(x - m). Or call your logsumexp, which does it all.""",
    "x - logsumexp(x, dim, keepdim=True)",
    "x - (x - x.amax(dim, keepdim=True)).exp().sum(dim, keepdim=True).log()")

wrong("log_softmax", "log_softmax_ignores_dim", "log_softmax_along_any_axis",
    "Your log_softmax always works along the last axis, but the caller chose `dim`.",
    "logsumexp(x, dim", "logsumexp(x, -1")

wrong("log_softmax", "logarithms_with_the_other_sign", "log_softmax_along_any_axis",
    """Your logarithms have the other sign: a weight is below 1, and its logarithm below 0. It is
    x - logsumexp(x), not logsumexp(x) - x.""",
    "x - logsumexp(x, dim, keepdim=True)", "logsumexp(x, dim, keepdim=True) - x")

wrong("log_softmax", "logarithm_of_the_scores", "log_softmax_along_any_axis",
    """You take the logarithm of x: the logarithm of exp(x) is x itself, so it is x minus
    logsumexp(x).""",
    "x - logsumexp", "x.log() - logsumexp")

wrong("log_softmax", "softmax_for_the_scores", "log_softmax_along_any_axis",
    """You subtract logsumexp from softmax(x): it is subtracted from the scores x themselves, and
    softmax is not needed here.""",
    "x - logsumexp", "softmax(x, dim) - logsumexp")

wrong("log_softmax", "weights_subtracted", "log_softmax_along_any_axis",
    """You subtract softmax(x) from x: what is subtracted is logsumexp(x), one number for all scores
    along `dim`.""",
    "logsumexp(x, dim, keepdim=True)", "softmax(x, dim)")

wrong("log_softmax", "logarithm_undone", "log_softmax_along_any_axis",
    """You subtract the sum of the exponentials: it is the logarithm of that sum that is subtracted,
    and logsumexp(x) is that already.""",
    "logsumexp(x, dim, keepdim=True)", "logsumexp(x, dim, keepdim=True).exp()")

wrong("log_softmax", "divided_by_logsumexp", "log_softmax_along_any_axis",
    "You divide by logsumexp(x): the logarithm of a fraction is a difference, so subtract it.",
    "x - logsumexp", "x / logsumexp")

wrong("log_softmax", "only_shifted", "log_softmax_along_any_axis",
    "Your output is only x minus its maximum: the logarithm of the sum is missing.",
    "logsumexp(x, dim", "x.amax(dim")

wrong("logsumexp", "logsumexp_overflows", "logsumexp_of_large_scores",
    """Your exponentials overflow: in float32 they do from 89. Take the maximum of the row out first
    and add it again at the end. (amax() gives it; max() along an axis gives two tensors, values and
    the places where they stand.)""",
    "largest + (x - largest).exp()", "x.exp()")

for limit in (50, 80, 88):
    wrong("logsumexp", f"logsumexp_of_scores_up_to_{limit}", "logsumexp_of_large_scores",
        f"""Your logsumexp limits the scores to -{limit} .. {limit}, so that exp cannot overflow,
        and what lies beyond is lost. Take the maximum of the row out and add it again: then the
        scores may have any size.""",
        "largest =", f"x = x.clamp(-{limit}, {limit})\n    largest =")

wrong("logsumexp", "one_added_to_the_sum", "logsumexp_along_any_axis",
    """You add 1 to the sum before you take its logarithm, as log1p does: it is the logarithm of the
    sum itself, log().""",
    ".log()", ".log1p()")

wrong("logsumexp", "sum_alone", "logsumexp_along_any_axis",
    """Your logsumexp returns the sum of exp(x - m) as it is. Two steps are left: take its
    logarithm, and add the maximum m.""",
    "largest + (x - largest).exp().sum(dim, keepdim=True).log()",
    "(x - largest).exp().sum(dim, keepdim=True)")

wrong("logsumexp", "maximum_alone", "logsumexp_along_any_axis",
    """Your logsumexp returns the maximum and nothing more. Either the logarithm of the sum is not
    added, or its sum is always 1, as one over the weights of softmax is: sum exp(x - m), take the
    logarithm, and add the maximum.""",
    "largest + (x - largest).exp().sum(dim, keepdim=True).log()", "largest")

wrong("logsumexp", "maximum_added_inside_the_logarithm", "logsumexp_along_any_axis",
    """You add the maximum to the sum before the logarithm is taken: first the logarithm of the sum,
    then add m to it.""",
    "largest + (x - largest).exp().sum(dim, keepdim=True).log()",
    "(largest + (x - largest).exp().sum(dim, keepdim=True)).log()")

wrong("logsumexp", "maximum_not_added_back", "logsumexp_along_any_axis",
    "You subtract the maximum but never add it again.",
    "largest + ", "")

wrong("logsumexp", "maximum_not_taken_out", "logsumexp_along_any_axis",
    """You add the maximum at the end, but never take it out of the exponents: exp is of x - m, not
    of x.""",
    "(x - largest).exp()", "x.exp()")

wrong("logsumexp", "maximum_taken_from_the_exponentials", "logsumexp_along_any_axis",
    """You subtract the maximum after exp: it is taken out of the exponents, exp(x - m).""",
    "(x - largest).exp()", "(x.exp() - largest)")

@wrong.instead_of("logsumexp", "logsumexp_along_any_axis")
def keepdim_ignored(x, dim=-1, keepdim=False):
    """Your logsumexp drops the axis even when keepdim=True asks to keep it."""
    return torch.logsumexp(x, dim)

wrong("logsumexp", "keepdim_always", "logsumexp_along_any_axis",
    """Your logsumexp keeps the axis even when keepdim=False asks to remove it: squeeze(dim) takes
    it away at the end.""",
    "total if keepdim else total.squeeze(dim)", "total")

wrong("logsumexp", "keepdim_turned_round", "logsumexp_along_any_axis",
    """You keep the axis when keepdim is False, and remove it when it is True: it is the other way
    round.""",
    "total if keepdim else total.squeeze(dim)", "total.squeeze(dim) if keepdim else total")

wrong("logsumexp", "maximum_kept_and_sum_not", "logsumexp_along_any_axis",
    """Without keepdim one of your two parts, the maximum and the logarithm of the sum, still has
    its axis of size 1 and the other has lost it: they do not fit, or spread into a table where they
    are added. Keep it in both, and remove it from the result.""",
    "sum(dim, keepdim=True)", "sum(dim, keepdim=keepdim)",
    "total if keepdim else total.squeeze(dim)", "total")

wrong("logsumexp", "logarithm_before_the_sum", "logsumexp_along_any_axis",
    """Your logsumexp adds up the scores themselves, minus the maximum (a logarithm taken before the
    sum only undoes exp): take exponentials, sum them, and then take the logarithm of the sum.""",
    ".exp().sum(dim, keepdim=True).log()", ".exp().log().sum(dim, keepdim=True)")

wrong("logsumexp", "sum_along_the_last_axis", "logsumexp_along_any_axis",
    """Your logsumexp always sums along the last axis, but the caller chose `dim`: hand it on to the
    sum, as to the maximum.""",
    "sum(dim", "sum(-1")

wrong("logsumexp", "maximum_along_the_last_axis", "logsumexp_along_any_axis",
    """Your logsumexp always takes the maximum of the last axis, but the caller chose `dim`: hand it
    on to the maximum, as to the sum.""",
    "amax(dim", "amax(-1")

wrong("logsumexp", "logarithm_forgotten", "logsumexp_along_any_axis",
    "You never take the logarithm of your sum: it is m + log(sum of exponentials).",
    ".log()", "")

wrong("logsumexp", "maximum_subtracted_again", "logsumexp_along_any_axis",
    """You subtract the maximum once more at the end: it was taken out of the exponents, so it is
    added again.""",
    "largest + (x", "-largest + (x")

@wrong.instead_of("logsumexp", "logsumexp_of_large_scores")
def logsumexp_global_maximum(x, dim=-1, keepdim=False):
    """You subtract the same maximum from all rows: those far below it give log(0). Every row along
    `dim` needs its own."""
    return x.max() + (x - x.max()).exp().sum(dim, keepdim=keepdim).log()

wrong("logsumexp", "squeezes_everything", "logsumexp_along_any_axis any_number_of_axes",
    "Your squeeze removes every axis of size 1, not only the one summed over.",
    "squeeze(dim)", "squeeze()")

wrong("logsumexp", "squeezes_the_maximum", "logsumexp_along_any_axis",
    """Of the two parts that you add at the end one loses every axis of size 1, not only the one
    summed over, so rows meet what belongs to others. It is squeeze(dim), for both.""",
    "return total if keepdim else total.squeeze(dim)",
    """if keepdim:
        return total
    return (x - largest).exp().sum(dim).log() + largest.squeeze()""")

wrong("logsumexp", "logsumexp_of_the_whole_tensor", "logsumexp_along_any_axis",
    """Your logsumexp adds up the exponentials of the whole tensor: every row along `dim` has a sum
    of its own, so hand `dim` to the sum.""",
    ".exp().sum(dim, keepdim=True)", ".exp().sum()")

wrong("logsumexp", "logsumexp_in_float32", "logsumexp_along_any_axis",
    """Your logsumexp computes in float32 for bfloat16 and stays there: the dtype out must be the
    dtype in, so cast back at the end.""",
    "largest =", "x = x.float() if x.dtype.itemsize < 4 else x\n    largest =")

wrong("logsumexp", "negative_axes_taken_for_the_last", "logsumexp_along_any_axis",
    """Your logsumexp takes every negative `dim` for the last axis: -2 is the axis before it.""",
    "largest =", "dim = dim if dim >= 0 else -1\n    largest =")

wrong("logsumexp", "minus_infinity_counted_as_one", "minus_infinity_gets_no_weight",
    """Your logsumexp turns -inf into 0, and exp(0) = 1 is added to the sum: exp(-inf) is 0 by
    itself, so leave such scores as they are.""",
    "largest =", "x = x.masked_fill(x.isinf(), 0.0)\n    largest =")

wrong("log_softmax", "log_softmax_takes_negative_axes_for_the_last", "log_softmax_along_any_axis",
    "Your log_softmax takes every negative `dim` for the last axis: -2 is the axis before it.",
    "return x", "dim = dim if dim >= 0 else -1\n    return x")

wrong("log_softmax", "lowest_score_invented", "minus_infinity_gets_no_weight",
    """Your log_softmax puts a large negative number in the place of -inf: the logarithm of a weight
    of 0 is -inf, and x - logsumexp(x) gives it by itself.""",
    "return x", "x = x.clamp(min=-1e4)\n    return x")

wrong("log_softmax", "log_softmax_along_the_first_axis", "log_softmax_along_any_axis",
    "Your log_softmax works along the first axis unless told otherwise: the default is the last.",
    "dim: int = -1", "dim: int = 0")

# The gradient -------------------------------------------------------------------------------------

wrong("softmax_backward", "diagonal_only", BACKWARD,
    """You use y * (1 - y), the diagonal alone: all outputs share a sum, so the gradient is
    y * (g - sum(g * y)).""",
    "(grad_out - weighted)", "grad_out * (1 - y)")

wrong("softmax_backward", "matrix_of_one_row", BACKWARD,
    """You build the matrix of all derivatives, diag(y) - outer(y, y), which is to be done without:
    it needs n * n numbers, and only fits a single row. Multiplied out, that matrix times g is
    y * (g - sum(g * y)), with the sum along `dim`, for any number of axes.""",
    "weighted = (grad_out * y).sum(dim, keepdim=True)",
    "matrix = torch.diag(y) - torch.outer(y, y)",
    "y * (grad_out - weighted)", "matrix @ grad_out")

wrong("softmax_backward", "matrix_of_one_row_by_broadcasting", BACKWARD,
    """You build the matrix of all derivatives, diag(y) minus all products of two weights, and it is
    to be done without: it only fits a single row, and takes n * n numbers for it. What it gives is
    y * (g - sum(g * y)), with the sum along `dim`.""",
    "weighted = (grad_out * y).sum(dim, keepdim=True)",
    "matrix = torch.diag(y) - y[:, None] * y[None, :]",
    "y * (grad_out - weighted)", "matrix @ grad_out")

wrong("softmax_backward", "factor_missing", BACKWARD,
    "You leave out the factor y in front: y * (g - sum(g * y)).",
    "y * (grad_out - weighted)", "grad_out - weighted")

wrong("softmax_backward", "gradient_and_weight_exchanged", BACKWARD,
    """You have exchanged the two: it is y that stands in front, and grad_out that goes through the
    bracket and the sum. y * (g - sum(g * y)).""",
    "(grad_out * y).sum", "(y * y).sum", "y * (grad_out - weighted)", "grad_out * (y - weighted)")

wrong("softmax_backward", "gradient_in_front", BACKWARD,
    """Your sum is right, but around it grad_out and y have changed places: y stands in front of the
    bracket, and grad_out is what the sum is subtracted from.""",
    "y * (grad_out - weighted)", "grad_out * (y - weighted)")

wrong("softmax_backward", "factor_before_the_first_term_only", BACKWARD,
    """You multiply by y before you subtract: the factor y stands in front of the whole bracket,
    y * (g - sum(g * y)).""",
    "y * (grad_out - weighted)", "y * grad_out - weighted")

wrong("softmax_backward", "mean_for_the_sum", BACKWARD,
    "You subtract a mean of g * y: it is their sum, for y already are the shares of a mean.",
    "(grad_out * y).sum", "(grad_out * y).mean")

wrong("softmax_backward", "added_for_subtracted", BACKWARD,
    "You add the weighted sum: it is subtracted, y * (g - sum(g * y)).",
    "grad_out - weighted", "grad_out + weighted")

wrong("softmax_backward", "diagonal_with_the_sum", BACKWARD,
    """You count the diagonal twice: y * (1 - y) already holds a term of the sum. It is
    y * (g - sum(g * y)).""",
    "y * (grad_out - weighted)", "y * (1 - y) * (grad_out - weighted)")

wrong("softmax_backward", "gradient_of_log_softmax", BACKWARD,
    """You write the gradient of log_softmax, g - y * sum(g). That of softmax has y in front, and g
    inside the sum is weighted by y: y * (g - sum(g * y)).""",
    "(grad_out * y).sum", "grad_out.sum",
    "y * (grad_out - weighted)", "grad_out - y * weighted")

wrong("softmax_backward", "unweighted_sum", BACKWARD,
    "You subtract the plain sum of the gradients: it must be weighted, sum(g * y).",
    "(grad_out * y).sum", "grad_out.sum")

wrong("softmax_backward", "multiplied_after_the_sum", BACKWARD,
    """You sum the gradients first and multiply by y after that, number by number: first comes the
    product g * y, then its sum, which is one number for all scores along `dim`.""",
    "(grad_out * y).sum(dim, keepdim=True)", "grad_out.sum(dim, keepdim=True) * y")

wrong("softmax_backward", "one_subtracted", BACKWARD,
    """You subtract 1 from each gradient: what is subtracted is sum(g * y), one number for all
    scores along `dim`, in which each gradient counts with its weight.""",
    "grad_out - weighted", "grad_out - 1")

wrong("softmax_backward", "gradient_in_front_of_the_bracket", BACKWARD,
    """You multiply the whole bracket by grad_out: grad_out belongs inside, where the sum is
    subtracted from it, and y alone stands in front. y * (g - sum(g * y)).""",
    "y * (grad_out - weighted)", "y * grad_out * (1 - weighted)")

wrong("softmax_backward", "sum_of_the_weights", BACKWARD,
    """Your sum is over the weights alone, which is always 1: each is multiplied by its gradient
    before the sum, sum(g * y).""",
    "(grad_out * y).sum", "y.sum")

wrong("softmax_backward", "matrix_product_for_the_sum", BACKWARD,
    """You take a matrix product of grad_out and y: no matrix product is needed. Multiply them
    number by number (*), and sum along `dim` with keepdim=True.""",
    "grad_out - weighted", "grad_out - grad_out @ y")

wrong("softmax_backward", "backward_ignores_dim", BACKWARD,
    "Your backward always sums along the last axis, but the caller chose `dim`.",
    "sum(dim", "sum(-1")

wrong("softmax_backward", "backward_sums_everything", BACKWARD,
    """You sum g * y over the whole tensor: every row has a sum of its own, along `dim`, and keeps
    that axis with size 1, keepdim=True.""",
    "sum(dim, keepdim=True)", "sum()")

wrong("softmax_backward", "backward_drops_the_axis", BACKWARD,
    """Your sum loses the axis `dim`, and then lines up with another one: keepdim=True keeps it,
    with size 1.""",
    "sum(dim, keepdim=True)", "sum(dim)")

wrong("softmax_backward", "softmax_twice", BACKWARD,
    "You apply softmax to y once more: y already holds the weights.",
    "weighted =", "y = softmax(y, dim)\n    weighted =")

wrong("softmax_backward", "backward_in_float32", BACKWARD,
    "Your backward is always float32: the dtype out must be the dtype in.",
    "weighted =", "y, grad_out = y.float(), grad_out.float()\n    weighted =")

wrong("softmax_backward", "backward_takes_negative_axes_for_the_last", BACKWARD,
    "Your backward takes every negative `dim` for the last axis: -2 is the axis before it.",
    "weighted =", "dim = dim if dim >= 0 else -1\n    weighted =")

wrong("softmax_backward", "backward_of_matrices_only", "any_number_of_axes",
    "Your backward needs two axes or more: sum along `dim` with keepdim, whatever the shape.",
    "weighted =", "rows, *_, columns = y.shape\n    weighted =")

wrong("softmax_backward", "backward_views_the_gradient", BACKWARD,
    """Your backward calls view, which a transposed or expanded gradient does not allow: use
    reshape, or no reshaping at all.""",
    "weighted =", "grad_out = grad_out.view(-1).view(y.shape)\n    weighted =")

# Right, but slow or wasteful ----------------------------------------------------------------------

ONE_BY_ONE = """if x.ndim > 1:
        rows = torch.stack([FUNCTION(row) for row in x.movedim(dim, -1)])
        return rows.movedim(-1, dim)
    """

wrong("softmax", "one_row_at_a_time", "all_rows_at_once",
    """Your weights are right, but a Python loop runs through the rows: amax, exp and sum with
    dim=dim do all rows in one operation each.""",
    "shifted =", ONE_BY_ONE.replace("FUNCTION", "softmax") + "shifted =")

wrong("log_softmax", "log_softmax_row_by_row", "all_rows_at_once",
    """Your log_softmax is right, but runs through the rows in Python:
    x - logsumexp(x, dim, keepdim=True) subtracts from all rows at once.""",
    "return x", ONE_BY_ONE.replace("FUNCTION", "log_softmax") + "return x")

wrong("logsumexp", "logsumexp_row_by_row", "all_rows_at_once",
    """Your logsumexp is right, but runs through the rows in Python: every sum and maximum takes
    `dim`, and then does all rows at once.""",
    "largest =", """if x.ndim > 1:
        rows = torch.stack([logsumexp(row) for row in x.movedim(dim, -1)])
        return rows.unsqueeze(dim) if keepdim else rows
    largest =""")

@wrong.instead_of("softmax_backward", "backward_builds_no_matrix")
def jacobians_of_all_rows(grad_out, y, dim=-1):
    """Your gradient is right, but you build a matrix of n x n numbers for every row, as
    diag(y) - y y^T is: multiplied out, that matrix times g is y * (g - sum(g * y)), which needs
    none."""
    g, w = grad_out.movedim(dim, -1), y.movedim(dim, -1)
    jacobian = torch.diag_embed(w) - w.unsqueeze(-1) * w.unsqueeze(-2)
    return (jacobian @ g.unsqueeze(-1)).squeeze(-1).movedim(-1, dim)

@wrong.instead_of("softmax_backward", "backward_builds_no_matrix all_rows_at_once")
def jacobian_of_each_row(grad_out, y, dim=-1):
    """Your gradient is right, but you build a matrix of n x n numbers for one row after the other,
    as diag(y) - outer(y, y) is: y * (g - sum(g * y)), with the sum along `dim`, does all rows
    without one."""
    if y.ndim > 1:
        rows = zip(grad_out.movedim(dim, -1), y.movedim(dim, -1), strict=True)
        return torch.stack([jacobian_of_each_row(*row) for row in rows]).movedim(-1, dim)
    return (torch.diag(y) - torch.outer(y, y)) @ grad_out
