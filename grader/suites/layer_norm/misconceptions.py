"""Wrong answers to ``layer_norm``: its page with a slip, and what the author is told."""

from __future__ import annotations

from layer_norm import LayerNorm

from grader.check import Bank

# The first entry that fits is the one named, so a special mistake comes before the general one that
# looks like it.
wrong = Bank()

WIDTHS = "rows_of_four rows_of_eight rows_of_512"
WIDTHS_AND_EPS = f"{WIDTHS} eps_of_any_size"
ROW_BY_ROW = "rows_of_four tokens_do_not_see_each_other"

WIDE = "x.to(torch.promote_types(x.dtype, torch.float32))"
VARIANCE = "centred.square().mean(-1, keepdim=True)"
BY_DIFFERENCE = "(wide.square().mean(-1, keepdim=True) - wide.mean(-1, keepdim=True) ** 2).clamp(0)"
ROOT, RMS = "(variance + eps).sqrt()", "(mean_square + eps).sqrt()"
WITH_BIAS = "(y if bias is None else y + bias)"
THROUGH_MEAN = " - h.mean(-1, keepdim=True)"
THROUGH_VARIANCE = " - z * (h * z).mean(-1, keepdim=True)"
SUMMED = ".reshape(-1, x.shape[-1]).sum(0)"
ALL_BUT_ONE = "mean(-1", "mean(tuple(range(1, x.ndim)) or -1"

# With layers that call torch, a slip shows in the function alone, and proves its check needed.
LAYER_OF_TORCH, RMS_LAYER_OF_TORCH = (
    (f"{name}(x, self.weight", f"nn.functional.{name}(x, self.weight.shape, self.weight")
    for name in ("layer_norm", "rms_norm")
)

# How far it may be written ------------------------------------------------------------------------

wrong.up_to("layer_norm", "layer_norm", f"wide = {WIDE}", "wide = x")
wrong.up_to("layer_norm", "layer_norm", f"wide = {WIDE}", "wide = x", ".to(x.dtype)", "")
wrong.up_to("rms_norm", "rms_norm", f"wide = {WIDE}", "wide = x")
wrong.up_to("rms_norm", "rms_norm", f"wide = {WIDE}", "wide = x", ".to(x.dtype)", "")

# layer_norm: the formula --------------------------------------------------------------------------

wrong("layer_norm", "root_before_eps", "rows_of_equal_numbers",
    """Your values are right, but you take the root of the variance before eps is added: at a
    variance of 0 its gradient is infinite, and yours becomes NaN. Add eps first, then take the root
    once.""",
    ROOT, "(variance.sqrt() ** 2 + eps).sqrt()")

wrong("layer_norm", "unbiased_variance", f"{WIDTHS} axes_of_size_one",
    """Your output equals layer_norm with the variance divided by d - 1, which is what torch's var
    and std do unless told otherwise: divide by d (correction=0).""",
    VARIANCE, "wide.var(-1, keepdim=True)")

wrong("layer_norm", "unbiased_and_no_eps", WIDTHS,
    """Your output equals layer_norm with no eps in the divisor, so that a row of equal numbers is 0
    / 0, and with the variance divided by d - 1, as in torch's std. Divide by sqrt(var + eps), with
    the variance divided by d (correction=0).""",
    ROOT, "wide.std(-1, keepdim=True)")

wrong("layer_norm", "eps_outside_the_root", WIDTHS_AND_EPS,
    """Your output equals layer_norm with eps added to the standard deviation: eps belongs to the
    variance, inside the root, sqrt(var + eps).""",
    ROOT, "(variance.sqrt() + eps)")

wrong("layer_norm", "unbiased_and_eps_outside", WIDTHS_AND_EPS,
    """Your output equals the layer norm of the Annotated Transformer, which departs from the
    definition twice: its std divides by d - 1, and eps is added outside the root. Divide by d, and
    take sqrt(var + eps).""",
    VARIANCE, "wide.var(-1, keepdim=True)", ROOT, "(variance.sqrt() + eps)")

wrong("layer_norm", "divides_by_the_variance", WIDTHS,
    "You divide by the variance plus eps: the root is missing, sqrt(var + eps).",
    ROOT, "(variance + eps)")

wrong("layer_norm", "only_centred", WIDTHS,
    "You take the mean away but never divide by the standard deviation.",
    f" / {ROOT}", "")

wrong("layer_norm", "mean_stays", WIDTHS,
    "You divide x itself by the standard deviation: take the mean away from x first.",
    "y = centred", "y = wide")

wrong("layer_norm", "brackets_round_the_difference", WIDTHS,
    """You take away the mean divided by the root, and x itself is never divided: / and * come
    before -, so the difference needs brackets, (x - mean) / sqrt(var + eps).""",
    f"y = centred / {ROOT} * weight",
    f"y = wide - wide.mean(-1, keepdim=True) / {ROOT} * weight")

wrong("layer_norm", "only_the_mean_divided", WIDTHS,
    """You multiply x - mean / sqrt(var + eps) by the weight, where x itself is never divided. Put
    the difference in brackets, (x - mean) / sqrt(var + eps), and multiply that by the weight.""",
    f"y = centred / {ROOT} * weight",
    f"y = (wide - wide.mean(-1, keepdim=True) / {ROOT}) * weight")

wrong("layer_norm", "root_mean_square_instead", WIDTHS,
    """Your output equals RMS normalisation: the mean is neither taken away from x nor left out of
    the variance.""",
    " - wide.mean(-1, keepdim=True)", "")

wrong("layer_norm", "sum_of_squares", WIDTHS,
    "You sum the squared deviations: the variance is their mean, so divide by d.",
    "square().mean", "square().sum")

wrong("layer_norm", "mean_absolute_deviation", WIDTHS,
    "You divide by the mean absolute deviation: take the root of the mean square.",
    "square()", "abs()", ROOT, "(variance + eps)")

wrong("layer_norm", "eps_hard_coded", WIDTHS_AND_EPS,
    """Your output is as if eps were next to nothing: add the eps you were given to the variance,
    always, and no constant such as 1e-5.""",
    "variance + eps", "variance + 1e-5")

wrong("layer_norm", "no_eps", "eps_of_any_size rows_of_equal_numbers",
    "Your output has no eps at all: a row of equal numbers is 0 / 0. Divide by sqrt(var + eps).",
    ROOT, "variance.sqrt()")

wrong("layer_norm", "eps_as_a_limit", "eps_of_any_size",
    "You use eps as a lower limit for the standard deviation: add it to the variance, always.",
    ROOT, "variance.sqrt().clamp_min(eps)")

wrong("layer_norm", "eps_as_the_least_variance", "eps_of_any_size",
    """You use eps as a lower limit for the variance, clamp(min=eps): it is added to the variance,
    always, sqrt(var + eps).""",
    ROOT, "variance.clamp_min(eps).sqrt()")

wrong("layer_norm", "eps_for_a_variance_of_zero_alone", "eps_of_any_size",
    """You use eps only where the variance is 0: it is added to every variance, always,
    sqrt(var + eps).""",
    ROOT, "torch.where(variance == 0, variance + eps, variance).sqrt()")

wrong("layer_norm", "eps_squared", WIDTHS_AND_EPS,
    "You add the square of eps to the variance: add eps itself, sqrt(var + eps).",
    ROOT, "(variance + eps**2).sqrt()")

wrong("layer_norm", "root_of_the_standard_deviation", WIDTHS,
    """You divide by sqrt(std + eps), and the standard deviation is a root already: take the
    variance, add eps, and take the root once.""",
    ROOT, "(variance.sqrt() + eps).sqrt()")

wrong("layer_norm", "root_of_the_unbiased_deviation", WIDTHS,
    """You divide by sqrt(std + eps), with a standard deviation that is computed with d - 1, as
    torch's std is. It is a root already: take the variance, divided by d (correction=0), add eps,
    and take the root once.""",
    ROOT, "(wide.std(-1, keepdim=True) + eps).sqrt()")

wrong("layer_norm", "a_second_eps", "eps_of_any_size",
    """You add a small number of your own besides eps, or replace eps where it is small: in rows of
    small numbers that changes the result. eps alone is enough.""",
    "variance + eps", "variance + max(eps, 1e-6)")

wrong("layer_norm", "eps_of_zero_replaced", "eps_of_any_size",
    "Where eps is 0 you use another number, as `eps or 1e-5` does: use eps as it is, 0 as well.",
    "variance + eps", "variance + (eps or 1e-5)", *LAYER_OF_TORCH)

wrong("layer_norm", "eps_fixed_without_a_bias", "without_bias",
    """Without a bias you use an eps of your own: leaving the bias out changes nothing else.""",
    "variance + eps", "variance + (1e-5 if bias is None else eps)", *LAYER_OF_TORCH)

wrong("layer_norm", "large_numbers_cut_off", "rows_far_from_zero",
    """You limit x before you normalise: a row of large numbers is as good as any other, and becomes
    the same as a small one of the same pattern.""",
    "wide = x", "x = x.clamp(-1e4, 1e4)\n    wide = x")

wrong("layer_norm", "variance_by_difference", "rows_far_from_zero",
    """You compute the variance as mean(x^2) - mean(x)^2: around 1000 that is a difference of two
    numbers near 1000000, and float32 keeps little of it. Take the mean away, then square.""",
    VARIANCE, BY_DIFFERENCE)

# layer_norm: the axis -----------------------------------------------------------------------------

wrong("layer_norm", "whole_sequence", ROW_BY_ROW,
    """You normalise tokens and features together: every token has statistics of its own, over the
    last axis alone.""",
    "mean(-1", "mean((-2, -1)", "mean(-1", "mean((-2, -1)")

wrong("layer_norm", "all_axes_but_the_first", ROW_BY_ROW,
    """You normalise all tokens of a sentence together, over every axis but the first: every token
    has statistics of its own, over the last axis alone.""",
    *ALL_BUT_ONE, *ALL_BUT_ONE)

wrong("layer_norm", "along_the_tokens", ROW_BY_ROW,
    "You normalise along the tokens of a sequence: the last axis, the features, is the one.",
    "mean(-1", "mean(-2", "mean(-1", "mean(-2")

wrong("layer_norm", "along_the_first_axis", ROW_BY_ROW,
    """Your mean and variance run along the first axis, across sentences or rows: each token has
    its own, over the last axis, its features.""",
    "mean(-1", "mean(0", "mean(-1", "mean(0")

wrong("layer_norm", "along_axis_one", ROW_BY_ROW,
    """Your mean and variance run along axis 1, which are the tokens as soon as there is a batch:
    the last axis, -1, holds the features.""",
    "mean(-1", "mean(1", "mean(-1", "mean(1")

wrong("layer_norm", "batch_normalisation", ROW_BY_ROW,
    """Your output equals batch normalisation: each feature is normalised over all tokens. Layer
    normalisation is the other way round, each token over its features.""",
    "mean(-1", "mean(tuple(range(x.ndim - 1))", "mean(-1", "mean(tuple(range(x.ndim - 1))")

wrong("layer_norm", "whole_tensor", ROW_BY_ROW,
    """You normalise over the whole tensor at once: every row of the last axis has its own mean and
    variance.""",
    "mean(-1, keepdim=True)", "mean()", "mean(-1, keepdim=True)", "mean()")

wrong("layer_norm", "axis_by_its_size", "any_number_of_axes",
    """You look for the axis that has as many entries as the weight: another axis may have as many,
    and comes first. The features are the last axis, -1.""",
    "wide = x", "axis = x.shape.index(len(weight))\n    wide = x",
    "mean(-1", "mean(axis", "mean(-1", "mean(axis", *LAYER_OF_TORCH)

wrong("layer_norm", "square_matrices_turned", "any_number_of_axes",
    """You turn a matrix that has as many rows as columns: the last axis holds the features, however
    many tokens there are.""",
    "    wide = x", """    if x.ndim == 2 and x.shape[0] == x.shape[1]:
        return layer_norm(x.T[None], weight, bias, eps)[0]
    wide = x""")

wrong("layer_norm", "squeezes_everything", "axes_of_size_one",
    "Your squeeze drops every axis of size 1, not only the one you reduced.",
    "keepdim=True)", "keepdim=True).squeeze().unsqueeze(-1)")

wrong("layer_norm", "keepdim_forgotten", "rows_of_four any_number_of_axes",
    """Your mean or your variance has lost its axis and does not line up with x: keepdim=True keeps
    it.""",
    ", keepdim=True", "", ", keepdim=True", "")

wrong("layer_norm", "needs_three_axes", "any_number_of_axes example",
    """Your function works for exactly three axes: with dim=-1 and keepdim=True it works for any
    number.""",
    "wide = x", "batch, tokens, width = x.shape\n    wide = x")

wrong("layer_norm", "needs_two_or_three_axes", "any_number_of_axes",
    """Your function works for two axes and for three, but not for one or four: with dim=-1 no axis
    needs to be added.""",
    "wide = x", "batch, tokens, width = (x if x.ndim == 3 else x.unsqueeze(0)).shape\n    wide = x")

wrong("layer_norm", "views_the_input", "rows_of_four",
    """Your function calls view, which a transposed input does not allow: no reshaping is needed, or
    reshape.""",
    "wide = x", "wide = x.view(-1, x.shape[-1])", ".to(x.dtype)", ".to(x.dtype).view(x.shape)")

# layer_norm: weight and bias ----------------------------------------------------------------------

wrong("layer_norm", "weight_and_bias_forgotten", WIDTHS,
    "Your output is normalised, but neither multiplied by the weight nor shifted by the bias.",
    ".sqrt() * weight", ".sqrt()", WITH_BIAS, "y")

wrong("layer_norm", "weight_forgotten", WIDTHS,
    """Your output is not multiplied by the weight: normalise, then multiply by the weight, then add
    the bias.""",
    ".sqrt() * weight", ".sqrt()")

wrong("layer_norm", "bias_forgotten", WIDTHS,
    "You forget the bias: it is added at the end, after the weight.",
    WITH_BIAS, "y")

wrong("layer_norm", "bias_before_the_weight", WIDTHS,
    "You add the bias before the weight multiplies: weight first, then bias.",
    ".sqrt() * weight", ".sqrt()", WITH_BIAS, f"({WITH_BIAS} * weight)")

wrong("layer_norm", "weight_and_bias_exchanged", WIDTHS,
    """You add the weight and multiply by the bias: it is the other way round, first times the
    weight, then plus the bias.""",
    ".sqrt() * weight", ".sqrt() + weight", "y + bias", "y * bias")

wrong("layer_norm", "one_plus_weight", WIDTHS,
    "You multiply by 1 + weight: the weight itself starts at one.",
    ".sqrt() * weight", ".sqrt() * (1 + weight)")

wrong("layer_norm", "one_weight_for_all", WIDTHS,
    "You scale and shift all features alike: every feature has a weight and a bias of its own.",
    ".sqrt() * weight", ".sqrt() * weight[0]", "y + bias", "y + bias[0]")

wrong("layer_norm", "weight_alone_before_normalising", WIDTHS,
    """You multiply x by the weight and normalise afterwards, which takes most of it away again:
    normalise first, then multiply by the weight, then add the bias.""",
    WIDE, f"{WIDE} * weight", ".sqrt() * weight", ".sqrt()")

wrong("layer_norm", "weight_before_normalising", WIDTHS,
    "You apply weight and bias to x and normalise afterwards: normalise first.",
    WIDE, f"{WIDE} * weight + (0 if bias is None else bias)",
    ".sqrt() * weight", ".sqrt()", WITH_BIAS, "y")

wrong("layer_norm", "scales_only_with_a_bias", "without_bias",
    """Without a bias you leave out the weight as well: y is multiplied by the weight in any case,
    and None for the bias means only that nothing is added.""",
    ".sqrt() * weight", ".sqrt()", "y if bias is None else y + bias",
    "y if bias is None else y * weight + bias", *LAYER_OF_TORCH)

wrong("layer_norm", "bias_must_be_given", "without_bias",
    "You use the bias without asking whether there is one: it may be None.",
    WITH_BIAS, "(y + bias)", *LAYER_OF_TORCH)

wrong("layer_norm", "asks_whether_bias_is_true", WIDTHS,
    """You ask whether a tensor is true, as `if bias:` does, and one of many numbers is neither true
    nor false: ask `if bias is not None:`.""",
    WITH_BIAS, "(y + bias if bias else y)")

# layer_norm: gradients, dtype, device -------------------------------------------------------------

wrong("layer_norm", "detached_statistics", "gradients rows_of_equal_numbers",
    """Your values are right, but mean and variance are constants to the gradient: without detach,
    .data, .item() or no_grad it flows through them too.""",
    "wide.mean", "wide.detach().mean", "centred.square", "centred.detach().square")

wrong("layer_norm", "detached_variance", "gradients",
    """Your values are right, but the standard deviation is a constant to the gradient: it depends
    on x, so keep detach, .data, .item() and no_grad away from it.""",
    ROOT, f"{ROOT}.detach()", *LAYER_OF_TORCH)

wrong("layer_norm", "detached_mean", "gradients rows_of_equal_numbers",
    """Your values are right, but the mean is a constant to the gradient: it depends on x, so keep
    detach, .data, .item() and no_grad away from it.""",
    "wide.mean", "wide.detach().mean")

wrong("layer_norm", "detached_output", "gradients",
    """Your output has left the graph: without detach, .data, no_grad or torch.tensor, gradients
    flow back to x, weight and bias.""",
    ".to(x.dtype)", ".to(x.dtype).detach()")

wrong("layer_norm", "subtracts_in_place", f"example {WIDTHS}",
    """You change the caller's tensor in place, as -= does, and whatever ends in _: x - mean makes a
    new tensor, x -= mean does not.""",
    "centred = wide - wide.mean(-1, keepdim=True)",
    "centred = wide\n    with torch.no_grad():\n        centred -= wide.mean(-1, keepdim=True)")

wrong("layer_norm", "always_float32", "keeps_the_dtype",
    "Your output is always float32: compute in float32 and cast back to the dtype of x.",
    ".to(x.dtype)", ".float()", *LAYER_OF_TORCH)

wrong("layer_norm", "not_cast_back", "keeps_the_dtype",
    """You compute bfloat16 and float16 in float32, which is right, and return that: cast the result
    back to the dtype that x had when it came.""",
    ".to(x.dtype)", "", *LAYER_OF_TORCH)

wrong("layer_norm", "statistics_in_half_precision", "statistics_in_float32",
    """Your statistics have the dtype of x, at least on the way, and for bfloat16 and float16 that
    is too coarse and too narrow: compute all in float32 and cast the result back.""",
    WIDE, "x", *LAYER_OF_TORCH)

wrong("layer_norm", "all_in_half_precision", "statistics_in_float32 layers_in_other_dtypes",
    """You compute mean and variance in the dtype of x, and so does the layer: bfloat16 and float16
    are too coarse, and a square may be too large for float16. Begin with x.float(), and cast the
    result back.""",
    WIDE, "x")

wrong("layer_norm", "mean_in_half_precision", "statistics_in_float32 layers_in_other_dtypes",
    """Your mean, if not the variance too, has the dtype of x before it is subtracted: bfloat16 and
    float16 are too coarse for that. Compute all in float32, and cast the result alone.""",
    "wide - wide.mean(-1, keepdim=True)", "(x - x.mean(-1, keepdim=True)).to(wide.dtype)")

wrong("layer_norm", "dtype_of_the_weight", "keeps_the_dtype",
    """Your result has the dtype of the weight: where norms are kept in float32 and x is bfloat16,
    all that follows would be float32. The result has the dtype of x.""",
    ".to(x.dtype)", ".to(weight.dtype)", *LAYER_OF_TORCH)

wrong("layer_norm", "cast_before_the_weight", "keeps_the_dtype",
    """You cast back to the dtype of x and multiply by the weight afterwards: a float32 weight makes
    a float32 result again. Cast at the very end.""",
    "* weight\n", "\n    y = y.to(x.dtype) * weight\n", ").to(x.dtype)\n", ")\n")

wrong("layer_norm", "one_dtype_for_all", "keeps_the_dtype",
    """Your function does not take a weight of another dtype than x: norms are often kept in float32
    where all else is bfloat16.""",
    "    wide = x", "    assert x.dtype == weight.dtype\n    wide = x")

wrong("layer_norm", "makes_its_tensors_on_the_cpu", "works_where_its_inputs_are",
    """You make a new tensor on the CPU, wherever x is: pass device=x.device, or use
    torch.zeros_like and the like.""",
    "variance + eps", "variance + torch.full((1,), eps)")

# rms_norm -----------------------------------------------------------------------------------------

wrong("rms_norm", "rms_root_before_eps", "rms_norm_of_zeros",
    """Your values are right, but you take a root before eps is added: at a row of zeros its
    gradient is infinite, and yours becomes NaN. Add eps to the mean square first.""",
    RMS, "(mean_square.sqrt() ** 2 + eps).sqrt()")

wrong("rms_norm", "rms_of_centred_rows", "rms_norm",
    "You subtract the mean, as layer_norm does: rms_norm leaves it where it is.",
    "mean_square =", "wide = wide - wide.mean(-1, keepdim=True)\n    mean_square =")

wrong("rms_norm", "rms_from_the_sum", "rms_norm",
    """You divide by the length of the row, the root of the sum of squares: take the root of their
    mean.""",
    "square().mean", "square().sum")

wrong("rms_norm", "rms_root_of_the_length", "rms_norm",
    """You take the root of the length of the row, which is a root already, that of the sum of the
    squares (norm() gives it). Take the mean of the squares, add eps, and take the root once.""",
    "wide.square().mean(-1, keepdim=True)", "wide.norm(dim=-1, keepdim=True)")

wrong("rms_norm", "rms_length_over_d", "rms_norm",
    """You divide the length of the row by d, and have no root of d: the mean of the squares is the
    sum of the squares over d, and the root is taken of all of it, together with eps.""",
    RMS, "(wide.norm(dim=-1, keepdim=True) / wide.shape[-1] + eps)")

wrong("rms_norm", "rms_without_the_root", "rms_norm",
    "You divide by the mean square plus eps: the root is missing, sqrt(mean(x^2) + eps).",
    RMS, "(mean_square + eps)")

wrong("rms_norm", "rms_multiplied", "rms_norm",
    "You multiply by the root mean square: divide by it, or multiply by rsqrt.",
    "wide / ", "wide * ")

wrong("rms_norm", "square_of_the_mean", "rms_norm",
    """You square the mean: it is the other way round, the mean of the squares.""",
    "wide.square().mean(-1, keepdim=True)", "wide.mean(-1, keepdim=True).square()")

wrong("rms_norm", "rms_of_absolute_values", "rms_norm",
    "You divide by the mean of the absolute values, which is another average: square, mean, root.",
    "square()", "abs()", RMS, "(mean_square + eps)")

wrong("rms_norm", "rms_from_the_variance", "rms_norm",
    """You divide x by the standard deviation, from which the mean is left out: the mean square is
    of x itself.""",
    "square().mean(-1,", "var(-1, correction=0,")

wrong("rms_norm", "rms_from_the_unbiased_variance", "rms_norm",
    """You divide x by a standard deviation, as torch's var and std give it: from that the mean is
    left out, and it is computed with d - 1. The mean square is of x itself,
    x.square().mean(-1).""",
    "square().mean(-1,", "var(-1,")

wrong("rms_norm", "rms_eps_outside_the_root", "rms_norm rms_norm_eps_and_size",
    "You add eps to the root mean square: it joins the mean square, inside the root.",
    RMS, "(mean_square.sqrt() + eps)")

wrong("rms_norm", "rms_without_eps", "rms_norm rms_norm_eps_and_size rms_norm_of_zeros",
    "Your rms_norm leaves eps out: a row of zeros is 0 / 0.",
    RMS, "mean_square.sqrt()")

wrong("rms_norm", "rms_eps_as_a_limit_of_the_length", "rms_norm rms_norm_eps_and_size",
    """You use eps as a lower limit for the length of the row, as F.normalize does: it is added to
    the mean square, always, sqrt(mean(x^2) + eps).""",
    RMS, "(wide.norm(dim=-1, keepdim=True).clamp_min(eps) / wide.shape[-1] ** 0.5)")

wrong("rms_norm", "rms_eps_as_a_limit", "rms_norm_eps_and_size rms_norm",
    """You use eps as a lower limit for the root mean square: it is added to the mean square,
    always, before the root.""",
    RMS, "mean_square.sqrt().clamp_min(eps)")

wrong("rms_norm", "rms_eps_as_the_least_mean_square", "rms_norm_eps_and_size rms_norm",
    """You use eps as a lower limit for the mean square, clamp(min=eps): add the two, always.""",
    RMS, "mean_square.clamp_min(eps).sqrt()")

wrong("rms_norm", "rms_eps_added_to_the_length", "rms_norm rms_norm_eps_and_size",
    """You add eps to the length of the row, and the root of d comes on top: eps joins the mean of
    the squares, inside the root.""",
    RMS, "((wide.norm(dim=-1, keepdim=True) + eps) / wide.shape[-1] ** 0.5)")

wrong("rms_norm", "rms_eps_added_to_the_sum", "rms_norm rms_norm_eps_and_size",
    """You add eps to the sum of the squares and divide by d afterwards, which leaves eps / d:
    divide first, for eps joins the mean of the squares.""",
    RMS, "(mean_square + eps / wide.shape[-1]).sqrt()")

wrong("rms_norm", "rms_eps_of_zero_replaced", "rms_norm_eps_and_size",
    """Where eps is 0 your rms_norm uses another number, as `eps or 1e-6` does: use eps as it is, 0
    as well.""",
    "mean_square + eps", "mean_square + (eps or 1e-6)", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_with_a_larger_eps", "rms_norm_eps_and_size",
    """Your rms_norm replaces a small eps by a larger one of its own, or adds one to it, and rows of
    small numbers feel that: use eps as given.""",
    "mean_square + eps", "mean_square + max(eps, 1e-6)")

wrong("rms_norm", "rms_weight_forgotten", "rms_norm",
    "Your rms_norm does not multiply by the weight: it comes last, after the division.",
    ".sqrt() * weight", ".sqrt()")

wrong("rms_norm", "rms_weight_before_normalising", "rms_norm",
    """You multiply x by the weight first and take the mean square of that: it is the mean square of
    x itself, and the weight comes last.""",
    WIDE, f"{WIDE} * weight", ".sqrt() * weight", ".sqrt()")

wrong("rms_norm", "rms_one_plus_weight", "rms_norm",
    "You multiply by 1 + weight, as some models do: here the weight itself starts at one.",
    ".sqrt() * weight", ".sqrt() * (1 + weight)")

wrong("rms_norm", "rms_of_the_whole_tensor", "rms_norm",
    "You take one mean square for the whole tensor: every row of the last axis has its own.",
    "mean(-1, keepdim=True)", "mean()")

wrong("rms_norm", "rms_of_all_axes_but_the_first", "rms_norm",
    """You take one mean square for all tokens of a sentence, over every axis but the first: every
    token has its own, over the last axis alone.""",
    *ALL_BUT_ONE)

wrong("rms_norm", "rms_axis_by_its_size", "rms_norm_of_any_shape",
    """Your rms_norm looks for the axis that is as long as the weight, and finds another one where
    two are equally long: the features are the last axis.""",
    "mean(-1", "mean(x.shape.index(len(weight))", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_along_axis_two", "rms_norm_of_any_shape",
    """Your rms_norm works for three axes alone, as where the axis is counted from the front: count
    it from the back, dim=-1.""",
    "mean(-1", "mean(2")

wrong("rms_norm", "rms_views_the_input", "rms_norm",
    "Your rms_norm calls view, which a transposed input does not allow.",
    "wide = x", "wide = x.view(-1, x.shape[-1])", ".to(x.dtype)", ".to(x.dtype).view(x.shape)")

wrong("rms_norm", "rms_detached", "rms_norm_gradients",
    """Your values are right, but the root mean square is a constant to the gradient: it depends on
    x, so keep detach, .data, .item() and no_grad away from it.""",
    "wide.square", "wide.detach().square", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_in_half_precision", "rms_norm_in_other_dtypes",
    """Your rms_norm squares in float16, which overflows from 256 on: compute the mean square in
    float32.""",
    WIDE, "x", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_all_in_half_precision", "rms_norm_in_other_dtypes layers_in_other_dtypes",
    """You square in the dtype of x, and so does the layer: in float16 that overflows from 256 on.
    Begin with x.float(), and cast the result alone.""",
    WIDE, "x")

wrong("rms_norm", "rms_always_float32", "rms_norm_in_other_dtypes",
    "Your rms_norm always answers in float32: cast the result back to the dtype of x.",
    ".to(x.dtype)", ".float()", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_not_cast_back", "rms_norm_in_other_dtypes",
    """Your rms_norm computes halves in float32 and never casts its result back: it has the dtype
    that x had when it came.""",
    ".to(x.dtype)", "", *RMS_LAYER_OF_TORCH)

wrong("rms_norm", "rms_cast_before_the_weight", "rms_norm_in_other_dtypes",
    """Your rms_norm casts back to the dtype of x and multiplies by the weight afterwards, as in
    LLaMA: a float32 weight makes a float32 result of a bfloat16 x. Cast at the very end.""",
    "(wide / (mean_square + eps).sqrt() * weight).to(x.dtype)",
    "(wide / (mean_square + eps).sqrt()).to(x.dtype) * weight")

wrong("rms_norm", "rms_in_place", "rms_norm_example rms_norm",
    """Your rms_norm changes the caller's tensor in place, as /= does, and whatever ends in _: x /
    rms makes a new tensor, x /= rms does not.""",
    "return (wide / (mean_square + eps).sqrt()",
    "with torch.no_grad():\n        wide /= (mean_square + eps).sqrt()\n    return (wide")

# layer_norm_backward ------------------------------------------------------------------------------

wrong("layer_norm_backward", "backward_with_constant_statistics", "backward",
    """Your grad_x is h / sqrt(var + eps), as if mean and variance did not depend on x: take off
    mean(h) and z * mean(h * z).""",
    THROUGH_MEAN, "", THROUGH_VARIANCE, "")

wrong("layer_norm_backward", "backward_without_the_variance", "backward",
    """Your grad_x lacks the way through the variance, or has one that is always 0, as mean(z) is:
    take off z * mean(h * z) too.""",
    THROUGH_VARIANCE, "")

wrong("layer_norm_backward", "backward_without_the_mean", "backward",
    "Your grad_x lacks the way through the mean: take off mean(h) too.",
    THROUGH_MEAN, "")

wrong("layer_norm_backward", "backward_mean_added", "backward",
    """Your grad_x adds mean(h): it is taken off, for where the mean grows every z becomes
    smaller.""",
    THROUGH_MEAN, THROUGH_MEAN.replace("-", "+", 1))

wrong("layer_norm_backward", "backward_variance_added", "backward",
    """Your grad_x adds z * mean(h * z), perhaps because a minus stands in front of brackets around
    both means: this term is taken off as well, for a larger s makes every z smaller.""",
    THROUGH_VARIANCE, THROUGH_VARIANCE.replace("-", "+", 1))

wrong("layer_norm_backward", "backward_both_added", "backward",
    """Your grad_x adds both means: mean(h) and z * mean(h * z) are subtracted from h.""",
    THROUGH_MEAN, THROUGH_MEAN.replace("-", "+", 1),
    THROUGH_VARIANCE, THROUGH_VARIANCE.replace("-", "+", 1))

wrong("layer_norm_backward", "backward_without_the_weight", "backward",
    "Your grad_x forgets the weight: it is grad * weight that flows back to the normalised row.",
    "h = centred / deviation, wide_grad * weight", "h = centred / deviation, wide_grad")

wrong("layer_norm_backward", "backward_weight_at_the_end", "backward",
    """Your grad_x multiplies by the weight after the means are taken off: the means are of grad *
    weight.""",
    "wide_grad * weight", "wide_grad", ")) / deviation", ")) / deviation * weight")

wrong("layer_norm_backward", "backward_weight_twice", "backward",
    """Your grad_x holds the weight twice: it is in h = grad * weight already, so nothing is
    multiplied by it at the end.""",
    ")) / deviation", ")) / deviation * weight")

wrong("layer_norm_backward", "backward_row_not_normalised", "backward",
    """Your z is x minus its mean, but not divided by s = sqrt(var + eps): z is the whole normalised
    row, in grad_x and in grad_weight.""",
    "z, h = centred / deviation", "z, h = centred")

wrong("layer_norm_backward", "backward_row_not_centred", "backward",
    """Your z is x divided by s, but its mean was not subtracted: z is (x - mean(x)) / s.""",
    "z, h = centred / deviation", "z, h = wide / deviation")

wrong("layer_norm_backward", "backward_x_for_the_row", "backward",
    """You take x itself for z: z is the normalised row, (x - mean(x)) / s, in grad_x and in
    grad_weight.""",
    "z, h = centred / deviation", "z, h = wide")

wrong("layer_norm_backward", "backward_sums_for_means", "backward",
    "Your grad_x takes off sums over the row: they are means, so divide by d.",
    "h.mean", "h.sum", "(h * z).mean", "(h * z).sum")

wrong("layer_norm_backward", "backward_sum_of_the_products", "backward",
    """The last term of your grad_x holds the sum of h * z over the row: it is z * mean(h * z), so
    that sum is divided by d.""",
    "(h * z).mean", "(h * z).sum")

wrong("layer_norm_backward", "backward_sum_of_the_gradients", "backward",
    "You take off the sum of h over the row: it is its mean, so divide that sum by d.",
    "h.mean", "h.sum")

wrong("layer_norm_backward", "backward_mean_without_the_row", "backward",
    "The last term of your grad_x is z * mean(h): inside of that mean stands the product h * z.",
    "(h * z).mean", "h.mean")

wrong("layer_norm_backward", "backward_variance_without_the_row", "backward",
    """The third term of your grad_x, the way through the variance, is mean(h * z) alone: it is
    multiplied by z, outside of the mean, z * mean(h * z).""",
    "z * (h * z).mean", "(h * z).mean")

wrong("layer_norm_backward", "backward_variance_times_the_gradient", "backward",
    """The third term of your grad_x multiplies mean(h * z) by h: what stands before that mean is
    z.""",
    "z * (h * z).mean", "h * (h * z).mean")

wrong("layer_norm_backward", "backward_variance_of_deviations", "backward",
    """In the third term of your grad_x stands x - mean(x), twice, where z belongs: z is the
    normalised row, so divide by s there, too.""",
    "z * (h * z).mean", "centred * (h * centred).mean")

wrong("layer_norm_backward", "backward_variance_of_deviations_once", "backward",
    """In the third term of your grad_x one of the two z is x - mean(x), not divided by s: both are
    the normalised row.""",
    "z * (h * z).mean", "centred * (h * z).mean")

wrong("layer_norm_backward", "backward_variance_without_the_weight", "backward",
    """In the third term of your grad_x stands mean(grad * z), without the weight: it is
    mean(h * z), with h = grad * weight.""",
    "(h * z).mean", "(wide_grad * z).mean")

wrong("layer_norm_backward", "backward_mean_without_the_weight", "backward",
    """The second term of your grad_x is mean(grad), without the weight: it is mean(h), with
    h = grad * weight.""",
    "h.mean", "wide_grad.mean")

wrong("layer_norm_backward", "backward_half_the_variance", "backward",
    """The third term of your grad_x is half as large as z * mean(h * z): the factor 1/2 of the
    root is cancelled by the 2 of the square, (x - mean)^2.""",
    "z * (h * z).mean", "z / 2 * (h * z).mean")

wrong("layer_norm_backward", "backward_twice_the_variance", "backward",
    """The third term of your grad_x is twice as large as z * mean(h * z): the 2 of the square is
    cancelled by the 1/2 of the root.""",
    "z * (h * z).mean", "2 * z * (h * z).mean")

wrong("layer_norm_backward", "backward_means_over_tokens", "backward",
    "Your grad_x takes its means over the tokens: they run over the last axis.",
    "h.mean(-1", "h.mean(0", "(h * z).mean(-1", "(h * z).mean(0")

wrong("layer_norm_backward", "backward_means_over_all_but_the_first", "backward",
    """Your backward takes its means over every axis but the first: those of x and those of h run
    over the last axis alone.""",
    *ALL_BUT_ONE, *ALL_BUT_ONE, *ALL_BUT_ONE, *ALL_BUT_ONE)

wrong("layer_norm_backward", "backward_without_the_deviation", "backward",
    "Your grad_x is never divided by sqrt(var + eps).",
    ")) / deviation", "))")

wrong("layer_norm_backward", "backward_divided_by_the_variance", "backward",
    """Your grad_x is divided by var + eps, whose root is missing: the last division is by
    s = sqrt(var + eps), and only once.""",
    ")) / deviation", ")) / deviation**2")

wrong("layer_norm_backward", "backward_without_any_root", "backward",
    """Your s has no root, neither in z nor in grad_x: s = sqrt(var + eps).""",
    "+ eps).sqrt()", "+ eps)")

wrong("layer_norm_backward", "backward_multiplied_by_the_deviation", "backward",
    "Your grad_x is multiplied by sqrt(var + eps): it is divided by it.",
    ")) / deviation", ")) * deviation")

wrong("layer_norm_backward", "backward_last_term_divided_alone", "backward",
    """Only the last term of your grad_x is divided by s: all three are, so put them in brackets,
    and divide the brackets.""",
    "(h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation",
    "h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True) / deviation")

wrong("layer_norm_backward", "backward_last_term_divided_twice", "backward",
    """The last term of your grad_x is divided by s once more than the others: it is z * mean(h *
    z), and then all three terms are divided by s, once.""",
    THROUGH_VARIANCE, f"{THROUGH_VARIANCE} / deviation")

wrong("layer_norm_backward", "backward_first_term_divided_alone", "backward",
    """Only the first term of your grad_x, h, is divided by s: the two means are divided by it too,
    so the brackets stand around all three.""",
    "(h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation",
    "h / deviation - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)")

wrong("layer_norm_backward", "backward_divides_without_eps", "backward backward_of_hard_rows",
    "Your grad_x is divided by sqrt(var), without the eps that the forward pass had.",
    ")) / deviation", f")) / {VARIANCE}.sqrt()")

wrong("layer_norm_backward", "backward_unbiased", "backward",
    "Your backward divides the variance by d - 1: the forward pass divides by d.",
    VARIANCE, "wide.var(-1, keepdim=True)")

wrong("layer_norm_backward", "backward_unbiased_and_eps_outside", "backward",
    """Your backward divides by std + eps, with a std that is computed with d - 1, as torch's is.
    The forward pass divides by sqrt(var + eps), with the variance divided by d (correction=0).""",
    f"({VARIANCE} + eps).sqrt()", "wide.std(-1, keepdim=True) + eps")

wrong("layer_norm_backward", "backward_eps_outside", "backward",
    "Your backward adds eps to the standard deviation: it belongs inside the root.",
    f"({VARIANCE} + eps).sqrt()", f"{VARIANCE}.sqrt() + eps")

wrong("layer_norm_backward", "backward_variance_by_difference", "backward_of_hard_rows",
    """Your backward computes the variance as mean(x^2) - mean(x)^2, which loses everything around
    1000: take the mean away first.""",
    VARIANCE, BY_DIFFERENCE)

wrong("layer_norm_backward", "backward_weight_from_x", "backward",
    "Your grad_weight is the sum of grad * x: what the weight multiplies is the normalised row.",
    "(wide_grad * z)", "(wide_grad * wide)")

wrong("layer_norm_backward", "backward_weight_from_the_centred_row", "backward",
    """Your grad_weight is the sum of grad * (x - mean): the weight multiplies z, which is that
    divided by the deviation.""",
    "(wide_grad * z)", "(wide_grad * centred)")

wrong("layer_norm_backward", "backward_weight_times_weight", "backward",
    "Your grad_weight still holds the weight: it is the sum of grad * z.",
    "(wide_grad * z)", "(h * z)")

wrong("layer_norm_backward", "backward_bias_times_weight", "backward",
    """Your grad_bias holds the weight: the bias is added after the weight, so its gradient is the
    plain sum of grad.""",
    "grad_bias = wide_grad", "grad_bias = h")

wrong("layer_norm_backward", "backward_both_times_weight", "backward",
    """Your grad_weight and your grad_bias hold the weight: h = grad * weight is for grad_x alone.
    These two are sums of grad * z and of grad.""",
    "(wide_grad * z)", "(h * z)", "grad_bias = wide_grad", "grad_bias = h")

wrong("layer_norm_backward", "backward_means_of_tokens", "backward",
    "Your grad_weight and grad_bias are means over the tokens: they are sums.",
    "sum(0)", "mean(0)", "sum(0)", "mean(0)")

wrong("layer_norm_backward", "backward_mean_for_the_weight", "backward",
    "Your grad_weight is a mean over the tokens: it is the sum of grad * z.",
    "sum(0)", "mean(0)")

wrong("layer_norm_backward", "backward_axis_by_its_size", "backward_sums_over_all_tokens",
    """Your grad_x takes its means along the axis that is as long as the weight: that may be an axis
    of tokens. They run over the last one.""",
    "h.mean(-1", "h.mean(x.shape.index(len(weight))",
    "(h * z).mean(-1", "(h * z).mean(x.shape.index(len(weight))")

wrong("layer_norm_backward", "backward_eps_of_zero_replaced", "backward_of_hard_rows",
    """Where eps is 0 your backward uses another number, as `eps or 1e-5` does: use eps as it is, 0
    as well.""",
    "keepdim=True) + eps)", "keepdim=True) + (eps or 1e-5))")

wrong("layer_norm_backward", "backward_sums_over_no_axes", "backward_sums_over_all_tokens",
    """For a single row you sum over its features, as torch does where the list of axes is empty,
    and there is nothing to sum over: reshape to (tokens, d) and sum over the first axis.""",
    SUMMED, ".sum(tuple(range(x.ndim - 1)))", SUMMED, ".sum(tuple(range(x.ndim - 1)))")

wrong("layer_norm_backward", "backward_sums_the_first_axis",
    "backward backward_sums_over_all_tokens",
    """Your grad_weight and grad_bias are summed over the first axis alone: sum over all axes but
    the last.""",
    SUMMED, ".sum(0)", SUMMED, ".sum(0)")

for which, other, product in (
    ("weight", "bias", "(wide_grad * z)"), ("bias", "weight", "wide_grad"),
):
    wrong("layer_norm_backward", f"backward_sums_the_first_axis_of_the_{which}",
        "backward backward_sums_over_all_tokens",
        f"""Your grad_{which} is summed over the first axis alone, and keeps the others: sum over
        all axes but the last, as for grad_{other}.""",
        f"grad_{which} = {product}{SUMMED}", f"grad_{which} = {product}.sum(0)")
    wrong("layer_norm_backward", f"backward_unsummed_{which}", "backward",
        f"""Your grad_{which} is not summed: one {which} serves all tokens, so its gradients add
        up.""",
        f"grad_{which} = {product}{SUMMED}", f"grad_{which} = {product}")

wrong("layer_norm_backward", "backward_sums_two_axes",
    "backward_example backward_sums_over_all_tokens",
    """Your grad_weight and grad_bias are summed over axes 0 and 1, which is right for three axes
    alone: sum over all axes but the last, however many there are.""",
    SUMMED, ".sum((0, 1))", SUMMED, ".sum((0, 1))")

wrong("layer_norm_backward", "backward_unsummed", "backward",
    """Your grad_weight and your grad_bias are not summed: one weight serves all tokens, so its
    gradients add up.""",
    SUMMED, "", SUMMED, "")

wrong("layer_norm_backward", "backward_in_another_order", "backward backward_example",
    "You return the gradients in another order: x, weight, bias.",
    "grad_x.to(x.dtype), ", "",
    "grad_bias.to(x.dtype)", "grad_bias.to(x.dtype), grad_x.to(x.dtype)")

wrong("layer_norm_backward", "backward_weight_and_bias_exchanged", "backward backward_example",
    """You return grad_bias before grad_weight, or have their two sums exchanged: grad_x,
    grad_weight, grad_bias is the order, and it is grad_weight that contains z.""",
    "grad_weight.to(x.dtype), grad_bias.to(x.dtype)",
    "grad_bias.to(x.dtype), grad_weight.to(x.dtype)")

wrong("layer_norm_backward", "backward_of_x_alone", "backward backward_example",
    "You return grad_x alone: grad_weight and grad_bias are wanted too.",
    ", grad_weight.to(x.dtype), grad_bias.to(x.dtype)", "")

wrong("layer_norm_backward", "backward_always_float32", "backward_in_other_dtypes",
    "Your gradients are always float32: cast them back to the dtypes of x and weight.",
    ".to(x.dtype)", ".float()", ".to(x.dtype)", ".float()", ".to(x.dtype)", ".float()")

wrong("layer_norm_backward", "backward_in_the_dtype_of_the_weight", "backward_in_other_dtypes",
    """Your grad_x has the dtype of the weight: it is the gradient for x, and has that of x.""",
    "grad_x.to(x.dtype)", "grad_x.to(weight.dtype)")

wrong("layer_norm_backward", "backward_widens_float16_alone", "backward_in_other_dtypes",
    """Your backward computes statistics of bfloat16 rows in bfloat16, which knows nothing between
    64 and 64.5: it does not overflow, but needs float32 all the same.""",
    "torch.promote_types(t.dtype, torch.float32)",
    "torch.float32 if t.dtype == torch.float16 else t.dtype")

wrong("layer_norm_backward", "backward_in_half_precision", "backward_in_other_dtypes",
    """Your backward computes its statistics in the dtype of x, and in float16 the square of 256
    overflows: compute in float32 and cast the gradients back.""",
    "(t.to(torch.promote_types(t.dtype, torch.float32)) for t in (x, grad))", "x, grad")

wrong("layer_norm_backward", "backward_means_in_half_precision", "backward_in_other_dtypes",
    """Your grad_x is rounded on the way: take grad over to float32 as well as x, leave z, h and the
    means of h and of h * z in it, and cast back at the very end.""",
    "z, h = centred / deviation, wide_grad * weight",
    "z, h = (centred / deviation).to(x.dtype), (wide_grad * weight).to(x.dtype)")

# The layers ---------------------------------------------------------------------------------------

ANSWER = "return layer_norm(x, self.weight, self.bias, self.eps)"
BY_HAND = """y = (x - x.mean(-1, keepdim=True)) / {} * self.weight
        return y if self.bias is None else y + self.bias"""

wrong("LayerNorm", "layer_unbiased", "layer",
    "Your layer divides the variance by d - 1: pass correction=0, or call your layer_norm.",
    ANSWER, BY_HAND.format("(x.var(-1, keepdim=True) + self.eps).sqrt()"))

wrong("LayerNorm", "layer_eps_outside", "layer",
    "Your layer adds eps to the standard deviation: call your layer_norm, or take sqrt(var + eps).",
    ANSWER, BY_HAND.format("(x.std(-1, correction=0, keepdim=True) + self.eps)"))

wrong("LayerNorm", "layer_unbiased_and_eps_outside", "layer",
    """Your layer is the one of the Annotated Transformer, with d - 1 under the variance and eps
    outside the root: call your layer_norm.""",
    ANSWER, BY_HAND.format("(x.std(-1, keepdim=True) + self.eps)"))

wrong("LayerNorm", "layer_eps_ignored", "layer",
    "Your layer ignores the eps it was made with: keep it in __init__ and use it in forward.",
    "self.eps)", "1e-5)")

wrong("LayerNorm", "layer_without_weights", "layer",
    "Your layer holds weight and bias but does not use them.",
    "x, self.weight, self.bias", "x, torch.ones_like(self.weight), None")

wrong("LayerNorm", "layer_that_cannot_learn", "layer",
    """The weight and bias of your layer get no gradient and never learn: use the parameters
    themselves, without .data or .detach(), and outside of no_grad.""",
    "x, self.weight, self.bias",
    "x, self.weight.data, None if self.bias is None else self.bias.data")

wrong("LayerNorm", "layer_with_other_names", "layer layer_starts_neutral",
    "Your parameters have other names: call them `weight` and `bias`.",
    "self.weight", "self.a_2", "self.bias", "self.b_2",
    "self.weight", "self.a_2", "self.bias", "self.b_2")

wrong("LayerNorm", "layer_of_plain_tensors", "layer layer_starts_neutral",
    """Your weight and bias are no parameters of the layer: wrapped in nn.Parameter they are
    learned, saved and moved with it.""",
    "nn.Parameter(torch.ones(d_model))", "torch.ones(d_model)",
    "nn.Parameter(torch.zeros(d_model))", "torch.zeros(d_model)")

wrong("LayerNorm", "layer_of_single_numbers", "layer layer_starts_neutral",
    """Your weight, or bias, has another shape than (d_model,), perhaps (1,): every feature has a
    number of its own.""",
    "ones(d_model)", "ones(1)", "zeros(d_model)", "zeros(1)")

wrong("LayerNorm", "layer_with_exchanged_starts", "layer_starts_neutral",
    """Your weight starts at zeros and your bias at ones: it is the other way round, so that a fresh
    layer normalises and nothing more.""",
    "torch.ones", "torch.zeros", "torch.zeros(d_model)) if", "torch.ones(d_model)) if")

wrong("LayerNorm", "layer_of_zeros", "layer_starts_neutral",
    "Your weight starts at zeros, so the output does too: start it at ones.",
    "torch.ones", "torch.zeros")

wrong("LayerNorm", "layer_whose_bias_is_ones", "layer_starts_neutral",
    "Your bias does not start at zeros: nothing is added by a fresh layer.",
    "torch.zeros", "torch.ones")

wrong("LayerNorm", "layer_that_starts_at_random", "layer_starts_neutral",
    """Your weight does not start at ones: a fresh layer normalises and nothing more.""",
    "torch.ones", "torch.randn")

wrong("LayerNorm", "layer_without_bias_by_default", "layer_starts_neutral layer",
    "Your LayerNorm(d_model) has no `bias`: it has one unless bias=False says otherwise.",
    "bias: bool = True", "bias: bool = False")

wrong("LayerNorm", "layer_keeps_its_bias", "layer_without_bias",
    "Your layer has a bias even where bias=False asks for none: leave the parameter out.",
    " if bias else None", "")

wrong("LayerNorm", "layer_calls_for_its_bias", "layer_without_bias",
    """With bias=False your layer uses a bias that it does not have: set self.bias = None in
    __init__, and add nothing where it is None, as your layer_norm does.""",
    "self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None",
    "if bias:\n            self.bias = nn.Parameter(torch.zeros(d_model))")

wrong("LayerNorm", "layer_eps_fixed_without_bias", "layer_without_bias",
    """With bias=False your layer forgets the eps it was made with.""",
    "self.eps)", "1e-5 if self.bias is None else self.eps)")

wrong("LayerNorm", "layer_centres_only_with_bias", "layer_without_bias",
    """With bias=False your layer no longer takes the mean away, as RMSNorm does: only the bias is
    left out.""",
    ANSWER, f"""if self.bias is None:
            return rms_norm(x, self.weight, self.eps)
        {ANSWER}""")

wrong("LayerNorm", "layer_scales_only_with_bias", "layer_without_bias",
    """With bias=False your layer leaves the weight out as well, like elementwise_affine=False of
    torch's: only the bias is left out.""",
    "x, self.weight, self.bias",
    "x, torch.ones_like(self.weight) if self.bias is None else self.weight, self.bias")

wrong("LayerNorm", "layer_takes_bias_before_eps", "layer_without_bias",
    """LayerNorm(8, 0.1, False) says eps = 0.1 and no bias, and yours takes it otherwise: d_model,
    eps, bias is the order.""",
    "eps: float = 1e-5, bias: bool = True", "bias: bool = True, eps: float = 1e-5")

wrong("LayerNorm", "layer_eps_of_the_class", "layers_side_by_side",
    """All your layers have the eps of the one that was made last, since you keep it in the class:
    self.eps belongs to one layer.""",
    "self.eps = eps", "LayerNorm.eps = eps")

wrong("LayerNorm", "layer_eps_of_zero_replaced", "layers_side_by_side",
    """Your layer replaces an eps of 0, as `eps or 1e-5` and max(eps, 1e-5) do: 0 is used as it
    is.""",
    "self.eps = eps", "self.eps = eps or 1e-5")

wrong("LayerNorm", "layer_eps_of_zero_replaced_by_less", "layers_side_by_side",
    """Your layer replaces an eps of 0, as `eps or 1e-6` does, which takes 0 for "not given": use it
    as it is.""",
    "self.eps = eps", "self.eps = eps or 1e-6")

wrong("RMSNorm", "rms_layer_eps_of_zero_replaced", "layers_side_by_side",
    """Your RMSNorm replaces an eps of 0, as `eps or 1e-6` and max(eps, 1e-6) do: 0 is used as it
    is.""",
    "self.eps = eps", "self.eps = eps or 1e-6")

wrong("LayerNorm", "layers_share_their_weight", "layers_side_by_side layer",
    """Layers of one width share a single weight: what one learns changes the others. Make a new
    Parameter in every __init__.""",
    "    def __init__", "    made = {}\n\n    def __init__",
    "nn.Parameter(torch.ones(d_model))",
    "self.made.setdefault(d_model, nn.Parameter(torch.ones(d_model)))")

wrong("LayerNorm", "layer_adds_no_bias_of_zeros", "layer_starts_neutral",
    """You add the bias only if one of its numbers is not 0: a fresh bias is all zeros, gets no
    gradient, and stays so for ever.""",
    "x, self.weight, self.bias",
    "x, self.weight, self.bias if self.bias is not None and self.bias.any() else None")

wrong("LayerNorm", "layer_shifts_in_training_only", "layer",
    """After eval() your layer leaves the bias out: it does the same in both modes.""",
    "x, self.weight, self.bias", "x, self.weight, self.bias if self.training else None")

@wrong.instead_of("LayerNorm", "layer")
class LayerThatKeepsItsMeans(LayerNorm):
    """Your layer keeps the means of the first x of a shape and uses them for every later one: the
    next x has means of its own."""

    def forward(self, x):
        means = self.__dict__.setdefault("means", {})
        mean = means.setdefault(x.shape, x.detach().mean(-1, keepdim=True))
        root = ((x - mean).square().mean(-1, keepdim=True) + self.eps).sqrt()
        y = (x - mean) / root * self.weight
        return (y if self.bias is None else y + self.bias).to(x.dtype)

wrong("LayerNorm", "layer_with_smaller_eps", "layer_default_eps",
    "Your LayerNorm uses another eps than 1e-5 unless told otherwise; 1e-6 is RMSNorm's.",
    "float = 1e-5", "float = 1e-6")

@wrong.instead_of("LayerNorm", "layer")
class LayerWithRunningStatistics(LayerNorm):
    """Your layer keeps running statistics and uses them in evaluation, as batch normalisation does:
    a layer norm looks at the present token alone."""

    mean, variance = 0.0, 1.0

    def forward(self, x):
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * x.detach().mean()
            self.variance = 0.9 * self.variance + 0.1 * x.detach().var()
            return super().forward(x)
        z = (x - self.mean) / (self.variance + self.eps) ** 0.5
        return z * self.weight if self.bias is None else z * self.weight + self.bias

wrong("LayerNorm", "layer_in_float32", "layers_in_other_dtypes",
    """Your LayerNorm of float32 answers a bfloat16 x in float32, by a cast of its own or by its
    weight: the result has the dtype of x, so cast it at the very end.""",
    "layer_norm(x,", "layer_norm(x.float(),")

wrong("LayerNorm", "layer_in_half_precision", "layers_in_other_dtypes",
    """Your LayerNorm computes its statistics in float16 where it is cast to that, and they
    overflow: call your layer_norm, which computes them in float32.""",
    ANSWER, BY_HAND.format("(x.var(-1, correction=0, keepdim=True) + self.eps).sqrt()"),
    "return y if self.bias is None else y + self.bias",
    "return (y if self.bias is None else y + self.bias).to(x.dtype)")

wrong("LayerNorm", "layer_widens_float16_alone", "layers_in_other_dtypes",
    """Your LayerNorm computes statistics of bfloat16 rows in bfloat16, which knows nothing between
    64 and 64.5: call your layer_norm, which takes float32.""",
    ANSWER, f"""out, x = x.dtype, x.float() if x.dtype == torch.float16 else x
        {BY_HAND.format("(x.var(-1, correction=0, keepdim=True) + self.eps).sqrt()")}""",
    "return y if self.bias is None else y + self.bias",
    "return (y if self.bias is None else y + self.bias).to(out)")

wrong("RMSNorm", "rms_layer_with_bias", "rms_layer",
    "Your RMSNorm has a bias: it only scales.",
    "self.weight =", "self.bias = nn.Parameter(torch.zeros(d_model))\n        self.weight =",
    "self.weight, self.eps)", "self.weight, self.eps) + self.bias")

wrong("RMSNorm", "rms_layer_with_another_name", "rms_layer",
    "The parameter of your RMSNorm has another name: call it `weight`.",
    "self.weight", "self.scale", "self.weight", "self.scale")

wrong("RMSNorm", "rms_layer_eps_ignored", "rms_layer",
    "Your RMSNorm ignores the eps it was made with.",
    "self.eps)", "1e-6)")

wrong("RMSNorm", "rms_layer_eps_of_the_dtype", "rms_layer",
    """Your RMSNorm takes an eps near 1e-7, as torch's does by default (torch.finfo(x.dtype).eps):
    keep the eps that it was made with, self.eps = eps, and use it.""",
    "self.eps)", "torch.finfo(x.dtype).eps)")

wrong("RMSNorm", "rms_layer_eps_of_float32_by_default", "rms_layer_starts_neutral",
    """Your RMSNorm takes torch's default, some 1.2e-7, where it is not told an eps: on this page it
    is 1e-6.""",
    "eps: float = 1e-6) -> None", "eps: float = torch.finfo(torch.float32).eps) -> None")

wrong("RMSNorm", "rms_layer_always_1e_5", "rms_layer",
    """Your RMSNorm always has an eps of 1e-5: keep the eps that it was made with, self.eps = eps,
    and look at its default, which is not LayerNorm's.""",
    "self.eps = eps", "self.eps = 1e-5")

wrong("RMSNorm", "rms_layer_without_weight", "rms_layer",
    "Your RMSNorm does not use its weight.",
    "x, self.weight", "x, torch.ones_like(self.weight)")

wrong("RMSNorm", "rms_layer_centres", "rms_layer",
    "Your RMSNorm subtracts the mean: that is LayerNorm without a bias.",
    "rms_norm(x, self.weight", "layer_norm(x, self.weight, None")

wrong("RMSNorm", "rms_layer_eps_of_the_class", "layers_side_by_side",
    """All your RMSNorms have the eps of the one that was made last: keep it in self, not in the
    class.""",
    "self.eps = eps", "RMSNorm.eps = eps")

wrong("RMSNorm", "rms_layer_centres_in_eval", "rms_layer rms_layer_starts_neutral",
    """After eval() your RMSNorm subtracts the mean: it does the same in both modes.""",
    "return rms_norm(x,",
    """if not self.training:
            return layer_norm(x, self.weight, None, self.eps)
        return rms_norm(x,""")

wrong("RMSNorm", "rms_layer_of_zeros", "rms_layer_starts_neutral",
    "The weight of your RMSNorm starts at zeros: start it at ones.",
    "torch.ones", "torch.zeros")

wrong("RMSNorm", "rms_layer_of_one_more", "rms_layer_starts_neutral rms_layer",
    """Your RMSNorm's weight starts at zeros, and it scales by 1 + weight, as in Gemma. Here the
    weight starts at ones, and it is the weight that scales.""",
    "torch.ones", "torch.zeros",
    "rms_norm(x, self.weight", "rms_norm(x, 1 + self.weight")

wrong("RMSNorm", "rms_layer_with_larger_eps", "rms_layer_starts_neutral",
    "Your RMSNorm uses another eps than 1e-6 unless told otherwise; 1e-5 is LayerNorm's.",
    "float = 1e-6", "float = 1e-5")

wrong("RMSNorm", "rms_layer_in_float32", "layers_in_other_dtypes",
    """Your RMSNorm of float32 answers a bfloat16 x in float32: cast back to the dtype of x at the
    very end, behind the weight.""",
    "rms_norm(x,", "rms_norm(x.float(),")

wrong("RMSNorm", "rms_layer_in_half_precision", "layers_in_other_dtypes",
    """Your RMSNorm squares in float16 where it is cast to that, which overflows: square in float32
    there, as rms_norm is to do.""",
    "rms_norm(x, self.weight, self.eps)",
    "(x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight).to(x.dtype)")

# Right, but slow or wasteful ----------------------------------------------------------------------

wrong("layer_norm", "layer_norm_token_by_token", "all_tokens_at_once",
    """Your rows are right, but a Python loop goes over tokens or sentences: x.mean(-1,
    keepdim=True) has the means of all tokens, and lines up with x.""",
    "    wide = x", """    if x.ndim > 1:
        return torch.stack([layer_norm(token, weight, bias, eps) for token in x])
    wide = x""")

wrong("rms_norm", "rms_norm_token_by_token", "all_tokens_at_once",
    """Your rms_norm is right, but goes through tokens or sentences in Python: square, mean(-1,
    keepdim=True) and sqrt do all of them in three operations.""",
    "    wide = x", """    if x.ndim > 1:
        return torch.stack([rms_norm(token, weight, eps) for token in x])
    wide = x""")

wrong("LayerNorm", "layer_token_by_token", "all_tokens_at_once",
    """Your layer is right, but goes through tokens or sentences in Python: layer_norm takes any
    number of tokens at once.""",
    ANSWER, f"""if x.ndim > 1:
            return torch.stack([self(token) for token in x])
        {ANSWER}""")

wrong("layer_norm_backward", "backward_token_by_token", "backward_of_all_tokens_at_once",
    """Your gradients are right, but a Python loop goes over tokens or sentences: the means run
    along dim=-1 for all tokens, and .sum(0) adds up what all of them give.""",
    "    centred =", """    if x.ndim > 1:
        each = [layer_norm_backward(g, t, weight, eps) for g, t in zip(wide_grad, wide)]
        rows, weights, biases = map(torch.stack, zip(*each))
        return tuple(t.to(x.dtype) for t in (rows, weights.sum(0), biases.sum(0)))
    centred =""")

wrong("layer_norm_backward", "jacobian_of_every_token", "builds_no_matrix",
    """Your gradients are right, but you build a d x d matrix for every token, such as
    (I - 1/d - z z^T / d) / sqrt(var + eps): times h, that is (h - mean(h) - z * mean(h * z)) / s,
    without any matrix.""",
    f"grad_x = (h{THROUGH_MEAN}{THROUGH_VARIANCE})",
    """d = len(weight)
    matrix = torch.eye(d, device=x.device) - 1 / d - z[..., None] * z[..., None, :] / d
    grad_x = (matrix @ h[..., None])[..., 0]""")

wrong("layer_norm", "mean_by_a_matrix_of_every_token", "builds_no_matrix",
    """Your values are right, but layer_norm builds a d x d matrix for every token, be it for the
    mean or for the variance: mean(-1, keepdim=True) adds up without any matrix.""",
    "centred = wide - wide.mean(-1, keepdim=True)", """d = len(weight)
    centred = wide - (wide[..., None, :] * torch.full((d, d), 1 / d).to(wide)).sum(-1)""")

wrong("rms_norm", "squares_in_a_matrix_of_every_token", "builds_no_matrix",
    """Your values are right, but rms_norm builds a d x d matrix for every token, such as the
    products of all its numbers with one another: square each number by itself.""",
    "wide.square().mean(-1, keepdim=True)",
    "(wide[..., None] * wide[..., None, :]).diagonal(dim1=-2, dim2=-1).mean(-1, keepdim=True)")
