"""Wrong answers to ``layer_norm``, and what their authors are told."""

from __future__ import annotations

import functools

import torch
import torch.nn.functional as F
from torch import nn

from grader.programs.bank import misconception

# Each wrong program is wrong in one thing; the helpers do the rest right. The first entry that fits
# is the one named, so a special mistake comes before the general one that looks like it.

WIDTHS = ("test_rows_of_four", "test_rows_of_eight", "test_rows_of_512")


def moments(x):
    """Mean and variance of each row."""
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).square().mean(-1, keepdim=True)


def scaled(z, weight, bias):
    """Weight, and bias if there is one."""
    return z * weight if bias is None else z * weight + bias


def in_float32(program):
    """``program`` for wide inputs; its results get the dtype of x again."""

    @functools.wraps(program)
    def run(x, *others):
        wide = torch.promote_types(x.dtype, torch.float32)
        given = [t.to(wide) if isinstance(t, torch.Tensor) else t for t in (x, *others)]
        result = program(*given)
        if isinstance(result, tuple):
            return tuple(t.to(x.dtype) for t in result)
        return result.to(x.dtype)

    return run


# layer_norm: the formula --------------------------------------------------------------------------


@misconception(
    of="layer_norm",
    sentence="Your values are right, but you take the root of the variance before eps is added: at "
    "a variance of 0 its gradient is infinite, and yours becomes NaN. Add eps first, then take the "
    "root once.",
    caught_by=("test_rows_of_equal_numbers",),
)
@in_float32
def root_before_eps(x, weight, bias, eps):
    mean, variance = moments(x)
    deviation = variance.sqrt()
    return scaled((x - mean) / (deviation * deviation + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output equals layer_norm with the variance divided by d - 1, which is what "
    "torch's var and std do unless told otherwise: divide by d (correction=0).",
    caught_by=(*WIDTHS, "test_axes_of_size_one"),
)
@in_float32
def unbiased_variance(x, weight, bias, eps):
    variance = x.var(-1, keepdim=True)
    return scaled((x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output equals layer_norm with eps added to the standard deviation: eps belongs "
    "to the variance, inside the root, sqrt(var + eps).",
    caught_by=(*WIDTHS, "test_eps_of_any_size"),
)
@in_float32
def eps_outside_the_root(x, weight, bias, eps):
    deviation = x.std(-1, keepdim=True, correction=0)
    return scaled((x - x.mean(-1, keepdim=True)) / (deviation + eps), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output equals the layer norm of the Annotated Transformer, which departs from "
    "the definition twice: its std divides by d - 1, and eps is added outside the root. Divide "
    "by d, and take sqrt(var + eps).",
    caught_by=(*WIDTHS, "test_eps_of_any_size"),
)
@in_float32
def unbiased_and_eps_outside(x, weight, bias, eps):
    mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
    return scaled((x - mean) / (std + eps), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You divide by the variance: the root is missing.",
    caught_by=WIDTHS,
)
@in_float32
def divides_by_the_variance(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / (variance + eps), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You take the mean away but never divide by the standard deviation.",
    caught_by=WIDTHS,
)
@in_float32
def only_centred(x, weight, bias, eps):
    return scaled(x - x.mean(-1, keepdim=True), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You divide x itself by the standard deviation: take the mean away from x first.",
    caught_by=WIDTHS,
)
@in_float32
def mean_stays(x, weight, bias, eps):
    return scaled(x / (moments(x)[1] + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output equals RMS normalisation: the mean is neither taken away from x nor left "
    "out of the variance.",
    caught_by=WIDTHS,
)
@in_float32
def root_mean_square_instead(x, weight, bias, eps):
    return scaled(x / (x.square().mean(-1, keepdim=True) + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You sum the squared deviations: the variance is their mean, so divide by d.",
    caught_by=WIDTHS,
)
@in_float32
def sum_of_squares(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    return scaled(centred / (centred.square().sum(-1, keepdim=True) + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You divide by the mean absolute deviation: take the root of the mean square.",
    caught_by=WIDTHS,
)
@in_float32
def mean_absolute_deviation(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True)
    return scaled(centred / (centred.abs().mean(-1, keepdim=True) + eps), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output ignores eps: use the eps you were given, not a constant 1e-5.",
    caught_by=(*WIDTHS, "test_eps_of_any_size"),
)
@in_float32
def eps_hard_coded(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], weight, bias, 1e-5)


@misconception(
    of="layer_norm",
    sentence="Your output has no eps at all: a row of equal numbers is 0 / 0. Divide by "
    "sqrt(var + eps).",
    caught_by=("test_eps_of_any_size", "test_rows_of_equal_numbers"),
)
@in_float32
def no_eps(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / variance.sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You use eps as a lower limit for the standard deviation: add it to the variance, "
    "always.",
    caught_by=("test_eps_of_any_size",),
)
@in_float32
def eps_as_a_limit(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / variance.sqrt().clamp_min(eps), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You add a small number of your own besides eps, or replace eps where it is small: in "
    "rows of small numbers that changes the result. eps alone is enough.",
    caught_by=("test_eps_of_any_size",),
)
@in_float32
def a_second_eps(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / (variance + max(eps, 1e-6)).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You compute the variance as mean(x^2) - mean(x)^2: around 1000 that is a difference "
    "of two numbers near 1000000, and float32 keeps little of it. Take the mean away, then square.",
    caught_by=("test_rows_far_from_zero",),
)
@in_float32
def variance_by_difference(x, weight, bias, eps):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return scaled((x - mean) / (variance.clamp_min(0) + eps).sqrt(), weight, bias)


# layer_norm: the axis -----------------------------------------------------------------------------


@misconception(
    of="layer_norm",
    sentence="You normalise tokens and features together: every token has statistics of its own, "
    "over the last axis alone.",
    caught_by=("test_rows_of_four", "test_tokens_do_not_see_each_other"),
)
@in_float32
def whole_sequence(x, weight, bias, eps):
    axes = (-2, -1) if x.ndim > 1 else (-1,)
    mean = x.mean(axes, keepdim=True)
    variance = (x - mean).square().mean(axes, keepdim=True)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You normalise along the tokens of a sequence: the last axis, the features, is the "
    "one.",
    caught_by=("test_rows_of_four", "test_tokens_do_not_see_each_other"),
)
@in_float32
def along_the_tokens(x, weight, bias, eps):
    axis = -2 if x.ndim > 1 else -1
    mean = x.mean(axis, keepdim=True)
    variance = (x - mean).square().mean(axis, keepdim=True)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output equals batch normalisation: each feature is normalised over all tokens. "
    "Layer normalisation is the other way round, each token over its features.",
    caught_by=("test_rows_of_four", "test_tokens_do_not_see_each_other"),
)
@in_float32
def batch_normalisation(x, weight, bias, eps):
    flat = x.reshape(-1, x.shape[-1])
    mean = flat.mean(0)
    variance = (flat - mean).square().mean(0)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You normalise over the whole tensor at once: every row of the last axis has its own "
    "mean and variance.",
    caught_by=("test_rows_of_four", "test_tokens_do_not_see_each_other"),
)
@in_float32
def whole_tensor(x, weight, bias, eps):
    return scaled((x - x.mean()) / (x.var(correction=0) + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your squeeze drops every axis of size 1, not only the one you reduced.",
    caught_by=("test_axes_of_size_one",),
)
@in_float32
def squeezes_everything(x, weight, bias, eps):
    mean, variance = (t.squeeze().unsqueeze(-1) for t in moments(x))
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your mean has lost its axis and does not line up with x: keepdim=True keeps it.",
    caught_by=("test_rows_of_four", "test_any_number_of_axes"),
)
@in_float32
def keepdim_forgotten(x, weight, bias, eps):
    mean, variance = x.mean(-1), x.var(-1, correction=0)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your function unpacks exactly three axes: with dim=-1 and keepdim=True it works for "
    "any number.",
    caught_by=("test_any_number_of_axes", "test_example"),
)
@in_float32
def needs_three_axes(x, weight, bias, eps):
    batch, tokens, width = x.shape
    return F.layer_norm(x, (width,), weight, bias, eps)


@misconception(
    of="layer_norm",
    sentence="Your function makes a batch of a matrix, but is not ready for one axis or four: with "
    "dim=-1 no axis needs to be added.",
    caught_by=("test_any_number_of_axes",),
)
@in_float32
def needs_two_or_three_axes(x, weight, bias, eps):
    batched = x if x.ndim == 3 else x.unsqueeze(0)
    batch, tokens, width = batched.shape
    return F.layer_norm(batched, (width,), weight, bias, eps).reshape(x.shape)


@misconception(
    of="layer_norm",
    sentence="Your function calls view, which a transposed input does not allow: no reshaping is "
    "needed, or reshape.",
    caught_by=("test_any_layout",),
)
@in_float32
def views_the_input(x, weight, bias, eps):
    rows = x.view(-1, x.shape[-1])
    return F.layer_norm(rows, rows.shape[-1:], weight, bias, eps).view(x.shape)


# layer_norm: weight and bias ----------------------------------------------------------------------


@misconception(
    of="layer_norm",
    sentence="Your output is normalised, but neither multiplied by the weight nor shifted by the "
    "bias.",
    caught_by=WIDTHS,
)
@in_float32
def weight_and_bias_forgotten(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], None, None, eps)


@misconception(
    of="layer_norm",
    sentence="You forget the weight.",
    caught_by=WIDTHS,
)
@in_float32
def weight_forgotten(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], None, bias, eps)


@misconception(
    of="layer_norm",
    sentence="You forget the bias: it is added at the end, after the weight.",
    caught_by=WIDTHS,
)
@in_float32
def bias_forgotten(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], weight, None, eps)


@misconception(
    of="layer_norm",
    sentence="You add the bias before the weight multiplies: weight first, then bias.",
    caught_by=WIDTHS,
)
@in_float32
def bias_before_the_weight(x, weight, bias, eps):
    z = F.layer_norm(x, x.shape[-1:], None, None, eps)
    return (z if bias is None else z + bias) * weight


@misconception(
    of="layer_norm",
    sentence="You multiply by 1 + weight: the weight itself starts at one.",
    caught_by=WIDTHS,
)
@in_float32
def one_plus_weight(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], 1 + weight, bias, eps)


@misconception(
    of="layer_norm",
    sentence="You scale and shift all features alike: every feature has a weight and a bias of its "
    "own.",
    caught_by=WIDTHS,
)
@in_float32
def one_weight_for_all(x, weight, bias, eps):
    z = F.layer_norm(x, x.shape[-1:], None, None, eps)
    return scaled(z, weight[..., :1], bias if bias is None else bias[..., :1])


@misconception(
    of="layer_norm",
    sentence="You apply weight and bias to x and normalise afterwards: normalise first.",
    caught_by=WIDTHS,
)
@in_float32
def weight_before_normalising(x, weight, bias, eps):
    return F.layer_norm(scaled(x, weight, bias), x.shape[-1:], None, None, eps)


@misconception(
    of="layer_norm",
    sentence="You add the bias without asking whether there is one: it may be None.",
    caught_by=("test_without_bias",),
)
@in_float32
def bias_must_be_given(x, weight, bias, eps):
    z = F.layer_norm(x, x.shape[-1:], None, None, eps)
    return z * weight + bias


@misconception(
    of="layer_norm",
    sentence="You ask `if bias:`, and a tensor of many numbers is neither true nor false: ask "
    "`if bias is not None:`.",
    caught_by=WIDTHS,
)
@in_float32
def asks_whether_bias_is_true(x, weight, bias, eps):
    y = F.layer_norm(x, x.shape[-1:], weight, None, eps)
    if bias:
        y = y + bias
    return y


# layer_norm: gradients, dtype, device -------------------------------------------------------------


@misconception(
    of="layer_norm",
    sentence="Your values are right, but mean and variance are constants to the gradient: without "
    "detach, .data, .item() or no_grad it flows through them too.",
    caught_by=("test_gradients", "test_rows_of_equal_numbers"),
)
@in_float32
def detached_statistics(x, weight, bias, eps):
    with torch.no_grad():
        mean, variance = moments(x)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your values are right, but the standard deviation is a constant to the gradient: it "
    "depends on x, so do not detach it.",
    caught_by=("test_gradients",),
)
@in_float32
def detached_variance(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / (variance + eps).sqrt().detach(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your values are right, but the mean is a constant to the gradient: it depends on x, "
    "so do not detach it.",
    caught_by=("test_gradients", "test_rows_of_equal_numbers"),
)
@in_float32
def detached_mean(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdim=True).detach()
    variance = centred.square().mean(-1, keepdim=True)
    return scaled(centred / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="Your output has left the graph: without detach, .data, no_grad or torch.tensor, "
    "gradients flow back to x, weight and bias.",
    caught_by=("test_gradients",),
)
@in_float32
def detached_output(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps).detach()


@misconception(
    of="layer_norm",
    sentence="You change the caller's tensor in place: compute x - mean instead of x -= mean.",
    caught_by=("test_example", *WIDTHS),
)
@in_float32
def subtracts_in_place(x, weight, bias, eps):
    with torch.no_grad():
        x -= x.mean(-1, keepdim=True)
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


@misconception(
    of="layer_norm",
    sentence="Your output is always float32: compute in float32 and cast back to the dtype of x.",
    caught_by=("test_keeps_the_dtype",),
)
def always_float32(x, weight, bias, eps):
    bias = bias if bias is None else bias.float()
    return F.layer_norm(x.float(), x.shape[-1:], weight.float(), bias, eps)


@misconception(
    of="layer_norm",
    sentence="You compute mean and variance in the dtype of x, and for bfloat16 and float16 that "
    "is too coarse and too narrow: compute them in float32 and cast the result back.",
    caught_by=("test_statistics_in_float32",),
)
def statistics_in_half_precision(x, weight, bias, eps):
    mean, variance = moments(x)
    return scaled((x - mean) / (variance + eps).sqrt(), weight, bias)


@misconception(
    of="layer_norm",
    sentence="You fill a new tensor on the CPU, wherever x is: pass device=x.device, or use "
    "torch.zeros_like and the like.",
    caught_by=("test_works_where_its_inputs_are",),
)
def makes_its_tensors_on_the_cpu(x, weight, bias, eps):
    shift = torch.zeros(x.shape[-1]) if bias is None else bias
    floor = torch.full((x.shape[-1],), float(eps), device="cpu")[:1]
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    mean, variance = moments(wide)
    return ((wide - mean) / (variance + floor).sqrt() * weight + shift).to(x.dtype)


# rms_norm -----------------------------------------------------------------------------------------


@misconception(
    of="rms_norm",
    sentence="Your values are right, but you take a root before eps is added: at a row of zeros "
    "its gradient is infinite, and yours becomes NaN. Add eps to the mean square first.",
    caught_by=("test_rms_norm_of_zeros",),
)
@in_float32
def rms_root_before_eps(x, weight, eps):
    rms = x.square().mean(-1, keepdim=True).sqrt()
    return x / (rms * rms + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="You subtract the mean, as layer_norm does: rms_norm leaves it where it is.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_of_centred_rows(x, weight, eps):
    return F.layer_norm(x, x.shape[-1:], weight, None, eps)


@misconception(
    of="rms_norm",
    sentence="You divide by the length of the row, the root of the sum of squares: take the root "
    "of their mean.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_from_the_sum(x, weight, eps):
    return x / (x.square().sum(-1, keepdim=True) + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="You divide by the mean square: its root is missing.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_without_the_root(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + eps) * weight


@misconception(
    of="rms_norm",
    sentence="You multiply by the root mean square: divide by it, or multiply by rsqrt.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_multiplied(x, weight, eps):
    return x * (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="You divide by the mean of the absolute values, which is another average: square, "
    "mean, root.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_of_absolute_values(x, weight, eps):
    return x / (x.abs().mean(-1, keepdim=True) + eps) * weight


@misconception(
    of="rms_norm",
    sentence="You divide x by the standard deviation, from which the mean is left out: the mean "
    "square is of x itself.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_from_the_variance(x, weight, eps):
    return x / (moments(x)[1] + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="You add eps to the root mean square: it joins the mean square, inside the root.",
    caught_by=("test_rms_norm", "test_rms_norm_eps_and_size"),
)
@in_float32
def rms_eps_outside_the_root(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm leaves eps out: a row of zeros is 0 / 0.",
    caught_by=("test_rms_norm_eps_and_size", "test_rms_norm_of_zeros"),
)
@in_float32
def rms_without_eps(x, weight, eps):
    return x / x.square().mean(-1, keepdim=True).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm replaces a small eps by a larger one of its own, which rows of small "
    "numbers feel: use eps as given.",
    caught_by=("test_rms_norm_eps_and_size",),
)
@in_float32
def rms_with_a_larger_eps(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + max(eps, 1e-6)).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="You forget the weight of rms_norm.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_weight_forgotten(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


@misconception(
    of="rms_norm",
    sentence="You multiply by 1 + weight, as some models do: here the weight itself starts at one.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_one_plus_weight(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * (1 + weight)


@misconception(
    of="rms_norm",
    sentence="You take one mean square for the whole tensor: every row of the last axis has its "
    "own.",
    caught_by=("test_rms_norm",),
)
@in_float32
def rms_of_the_whole_tensor(x, weight, eps):
    return x / (x.square().mean() + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm fixes the axis by its number from the front: count from the back, "
    "dim=-1.",
    caught_by=("test_rms_norm_of_any_shape_and_layout",),
)
@in_float32
def rms_along_axis_two(x, weight, eps):
    return x / (x.square().mean(2, keepdim=True) + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm calls view, which a transposed input does not allow.",
    caught_by=("test_rms_norm_of_any_shape_and_layout",),
)
@in_float32
def rms_views_the_input(x, weight, eps):
    rows = x.view(-1, x.shape[-1])
    return (rows / (rows.square().mean(-1, keepdim=True) + eps).sqrt() * weight).view(x.shape)


@misconception(
    of="rms_norm",
    sentence="Your values are right, but the root mean square is a constant to the gradient: do "
    "not detach it.",
    caught_by=("test_rms_norm_gradients",),
)
@in_float32
def rms_detached(x, weight, eps):
    return x / (x.detach().square().mean(-1, keepdim=True) + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm squares in float16, which overflows from 256 on: compute the mean "
    "square in float32.",
    caught_by=("test_rms_norm_in_other_dtypes",),
)
def rms_in_half_precision(x, weight, eps):
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight


@misconception(
    of="rms_norm",
    sentence="Your rms_norm always answers in float32: cast the result back to the dtype of x.",
    caught_by=("test_rms_norm_in_other_dtypes",),
)
def rms_always_float32(x, weight, eps):
    wide = x.float()
    return wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt() * weight.float()


@misconception(
    of="rms_norm",
    sentence="Your rms_norm changes the caller's tensor in place: write x / rms instead of x /= "
    "rms.",
    caught_by=("test_rms_norm_example", "test_rms_norm"),
)
@in_float32
def rms_in_place(x, weight, eps):
    with torch.no_grad():
        x /= (x.square().mean(-1, keepdim=True) + eps).sqrt()
    return x * weight


# layer_norm_backward ------------------------------------------------------------------------------


def backward(grad, x, weight, eps):
    """The pieces of the gradients, done right: z, h, the deviation, and the three gradients."""
    mean, variance = moments(x)
    deviation = (variance + eps).sqrt()
    z, h = (x - mean) / deviation, grad * weight
    grad_x = (h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation
    return z, h, deviation, (grad_x, sum_of_tokens(grad * z), sum_of_tokens(grad))


def sum_of_tokens(t):
    return t.reshape(-1, t.shape[-1]).sum(0)


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x is h / sqrt(var + eps), as if mean and variance did not depend on x: "
    "take off mean(h) and z * mean(h * z).",
    caught_by=("test_backward",),
)
@in_float32
def backward_with_constant_statistics(grad, x, weight, eps):
    _, h, deviation, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    return h / deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x lacks the way through the variance: take off z * mean(h * z) too.",
    caught_by=("test_backward",),
)
@in_float32
def backward_without_the_variance(grad, x, weight, eps):
    _, h, deviation, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    return (h - h.mean(-1, keepdim=True)) / deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x lacks the way through the mean: take off mean(h) too.",
    caught_by=("test_backward",),
)
@in_float32
def backward_without_the_mean(grad, x, weight, eps):
    z, h, deviation, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    return (h - z * (h * z).mean(-1, keepdim=True)) / deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x forgets the weight: it is grad * weight that flows back to the "
    "normalised row.",
    caught_by=("test_backward",),
)
@in_float32
def backward_without_the_weight(grad, x, weight, eps):
    _, _, _, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    ones = torch.ones_like(weight)
    return backward(grad, x, ones, eps)[3][0], grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x multiplies by the weight after the means are taken off: the means are of "
    "grad * weight.",
    caught_by=("test_backward",),
)
@in_float32
def backward_weight_at_the_end(grad, x, weight, eps):
    _, _, _, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    ones = torch.ones_like(weight)
    return backward(grad, x, ones, eps)[3][0] * weight, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x takes off sums over the row: they are means, so divide by d.",
    caught_by=("test_backward",),
)
@in_float32
def backward_sums_for_means(grad, x, weight, eps):
    z, h, deviation, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    off = h.sum(-1, keepdim=True) + z * (h * z).sum(-1, keepdim=True)
    return (h - off) / deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x takes its means over the tokens: they run over the last axis.",
    caught_by=("test_backward",),
)
@in_float32
def backward_means_over_tokens(grad, x, weight, eps):
    z, h, deviation, (_, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    off = h.mean(0, keepdim=True) + z * (h * z).mean(0, keepdim=True)
    return (h - off) / deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x is never divided by sqrt(var + eps).",
    caught_by=("test_backward",),
)
@in_float32
def backward_without_the_deviation(grad, x, weight, eps):
    _, _, deviation, (grad_x, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    return grad_x * deviation, grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_x is divided by sqrt(var), without the eps that the forward pass had.",
    caught_by=("test_backward", "test_backward_of_hard_rows"),
)
@in_float32
def backward_divides_without_eps(grad, x, weight, eps):
    _, _, deviation, (grad_x, grad_weight, grad_bias) = backward(grad, x, weight, eps)
    return grad_x * deviation / moments(x)[1].sqrt(), grad_weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your backward divides the variance by d - 1: the forward pass divides by d.",
    caught_by=("test_backward",),
)
@in_float32
def backward_unbiased(grad, x, weight, eps):
    deviation = (x.var(-1, keepdim=True) + eps).sqrt()
    z, h = (x - x.mean(-1, keepdim=True)) / deviation, grad * weight
    grad_x = (h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation
    return grad_x, sum_of_tokens(grad * z), sum_of_tokens(grad)


@misconception(
    of="layer_norm_backward",
    sentence="Your backward adds eps to the standard deviation: it belongs inside the root.",
    caught_by=("test_backward",),
)
@in_float32
def backward_eps_outside(grad, x, weight, eps):
    mean, variance = moments(x)
    deviation = variance.sqrt() + eps
    z, h = (x - mean) / deviation, grad * weight
    grad_x = (h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation
    return grad_x, sum_of_tokens(grad * z), sum_of_tokens(grad)


@misconception(
    of="layer_norm_backward",
    sentence="Your backward computes the variance as mean(x^2) - mean(x)^2, which loses everything "
    "around 1000: take the mean away first.",
    caught_by=("test_backward_of_hard_rows",),
)
@in_float32
def backward_variance_by_difference(grad, x, weight, eps):
    mean = x.mean(-1, keepdim=True)
    variance = ((x * x).mean(-1, keepdim=True) - mean * mean).clamp_min(0)
    deviation = (variance + eps).sqrt()
    z, h = (x - mean) / deviation, grad * weight
    grad_x = (h - h.mean(-1, keepdim=True) - z * (h * z).mean(-1, keepdim=True)) / deviation
    return grad_x, sum_of_tokens(grad * z), sum_of_tokens(grad)


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_weight is the sum of grad * x: what the weight multiplies is the "
    "normalised row.",
    caught_by=("test_backward",),
)
@in_float32
def backward_weight_from_x(grad, x, weight, eps):
    grad_x, _, grad_bias = backward(grad, x, weight, eps)[3]
    return grad_x, sum_of_tokens(grad * x), grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_weight still holds the weight: it is the sum of grad * z.",
    caught_by=("test_backward",),
)
@in_float32
def backward_weight_times_weight(grad, x, weight, eps):
    grad_x, grad_weight, grad_bias = backward(grad, x, weight, eps)[3]
    return grad_x, grad_weight * weight, grad_bias


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_bias holds the weight: the bias is added after the weight, so its gradient "
    "is the plain sum of grad.",
    caught_by=("test_backward",),
)
@in_float32
def backward_bias_times_weight(grad, x, weight, eps):
    grad_x, grad_weight, grad_bias = backward(grad, x, weight, eps)[3]
    return grad_x, grad_weight, grad_bias * weight


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_weight and grad_bias are means over the tokens: they are sums.",
    caught_by=("test_backward",),
)
@in_float32
def backward_means_of_tokens(grad, x, weight, eps):
    grad_x, grad_weight, grad_bias = backward(grad, x, weight, eps)[3]
    tokens = x.numel() // x.shape[-1]
    return grad_x, grad_weight / tokens, grad_bias / tokens


@misconception(
    of="layer_norm_backward",
    sentence="For a single row your list of axes to sum over is empty, and torch then sums over "
    "all of them: reshape to (tokens, d) and sum over the first axis.",
    caught_by=("test_backward_sums_over_all_tokens",),
)
@in_float32
def backward_sums_over_no_axes(grad, x, weight, eps):
    z, _, _, (grad_x, _, _) = backward(grad, x, weight, eps)
    axes = tuple(range(x.ndim - 1))
    return grad_x, (grad * z).sum(axes), grad.sum(axes)


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_weight and grad_bias are summed over the first axis alone: sum over all "
    "axes but the last.",
    caught_by=("test_backward", "test_backward_sums_over_all_tokens"),
)
@in_float32
def backward_sums_the_first_axis(grad, x, weight, eps):
    z, _, _, (grad_x, _, _) = backward(grad, x, weight, eps)
    return grad_x, (grad * z).sum(0), grad.sum(0)


@misconception(
    of="layer_norm_backward",
    sentence="Your grad_weight and grad_bias are not summed: one weight serves all tokens, so its "
    "gradients add up.",
    caught_by=("test_backward",),
)
@in_float32
def backward_unsummed(grad, x, weight, eps):
    z, _, _, (grad_x, _, _) = backward(grad, x, weight, eps)
    return grad_x, grad * z, grad


@misconception(
    of="layer_norm_backward",
    sentence="You return the gradients in another order: x, weight, bias.",
    caught_by=("test_backward", "test_backward_example"),
)
@in_float32
def backward_in_another_order(grad, x, weight, eps):
    grad_x, grad_weight, grad_bias = backward(grad, x, weight, eps)[3]
    return grad_weight, grad_bias, grad_x


@misconception(
    of="layer_norm_backward",
    sentence="You return grad_x alone: grad_weight and grad_bias are wanted too.",
    caught_by=("test_backward", "test_backward_example"),
)
@in_float32
def backward_of_x_alone(grad, x, weight, eps):
    return backward(grad, x, weight, eps)[3][0]


@misconception(
    of="layer_norm_backward",
    sentence="Your gradients are always float32: cast them back to the dtypes of x and weight.",
    caught_by=("test_backward_in_other_dtypes",),
)
def backward_always_float32(grad, x, weight, eps):
    return backward(grad.float(), x.float(), weight.float(), eps)[3]


@misconception(
    of="layer_norm_backward",
    sentence="Your backward computes its statistics in the dtype of x, and in float16 the square "
    "of 256 overflows: compute in float32 and cast the gradients back.",
    caught_by=("test_backward_in_other_dtypes",),
)
def backward_in_half_precision(grad, x, weight, eps):
    return backward(grad, x, weight, eps)[3]


# The layers ---------------------------------------------------------------------------------------


class Layer(nn.Module):
    """A LayerNorm done right, to be spoilt."""

    default_eps = 1e-5

    def __init__(self, d_model, eps=None, bias=True):
        super().__init__()
        self.eps = self.default_eps if eps is None else eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your layer divides the variance by d - 1: pass correction=0, or call your "
    "layer_norm.",
    caught_by=("test_layer",),
)
class LayerUnbiased(Layer):
    def forward(self, x):
        return unbiased_variance(x, self.weight, self.bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your layer adds eps to the standard deviation: call your layer_norm, or take "
    "sqrt(var + eps).",
    caught_by=("test_layer",),
)
class LayerEpsOutside(Layer):
    def forward(self, x):
        return eps_outside_the_root(x, self.weight, self.bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your layer is the one of the Annotated Transformer, with d - 1 under the variance "
    "and eps outside the root: call your layer_norm.",
    caught_by=("test_layer",),
)
class LayerUnbiasedAndEpsOutside(Layer):
    def forward(self, x):
        return unbiased_and_eps_outside(x, self.weight, self.bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your layer ignores the eps it was made with: keep it in __init__ and use it in "
    "forward.",
    caught_by=("test_layer",),
)
class LayerEpsIgnored(Layer):
    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, 1e-5)


@misconception(
    of="LayerNorm",
    sentence="Your layer holds weight and bias but does not use them.",
    caught_by=("test_layer",),
)
class LayerWithoutWeights(Layer):
    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], None, None, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your layer uses weight.data and bias.data, so they get no gradient and never learn: "
    "use the parameters themselves.",
    caught_by=("test_layer",),
)
class LayerThatCannotLearn(Layer):
    def forward(self, x):
        bias = None if self.bias is None else self.bias.data
        return F.layer_norm(x, x.shape[-1:], self.weight.data, bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your parameters have other names: call them `weight` and `bias`.",
    caught_by=("test_layer", "test_layer_starts_neutral"),
)
class LayerWithOtherNames(nn.Module):
    def __init__(self, features, eps=1e-5, bias=True):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features)) if bias else None
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.a_2, self.b_2, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your weight and bias are plain tensors: wrapped in nn.Parameter they are learned, "
    "saved and moved with the layer.",
    caught_by=("test_layer", "test_layer_starts_neutral"),
)
class LayerOfPlainTensors(nn.Module):
    def __init__(self, d_model, eps=1e-5, bias=True):
        super().__init__()
        self.weight, self.bias = torch.ones(d_model), torch.zeros(d_model) if bias else None
        self.eps = eps

    def forward(self, x):
        bias = None if self.bias is None else self.bias.to(x)
        return F.layer_norm(x, x.shape[-1:], self.weight.to(x), bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your weight and bias are single numbers: every feature needs its own, (d_model,).",
    caught_by=("test_layer", "test_layer_starts_neutral"),
)
class LayerOfSingleNumbers(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(1, eps, bias)

    def forward(self, x):
        z = F.layer_norm(x, x.shape[-1:], None, None, self.eps)
        return scaled(z, self.weight, self.bias)


@misconception(
    of="LayerNorm",
    sentence="Your weight starts at zeros, so the output does too: start it at ones.",
    caught_by=("test_layer_starts_neutral",),
)
class LayerOfZeros(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(d_model, eps, bias)
        nn.init.zeros_(self.weight)


@misconception(
    of="LayerNorm",
    sentence="Your bias starts at ones: start it at zeros.",
    caught_by=("test_layer_starts_neutral",),
)
class LayerWhoseBiasIsOnes(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(d_model, eps, bias)
        if bias:
            nn.init.ones_(self.bias)


@misconception(
    of="LayerNorm",
    sentence="Your weight starts at random numbers: a fresh layer normalises and nothing more, so "
    "start at ones.",
    caught_by=("test_layer_starts_neutral",),
)
class LayerThatStartsAtRandom(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(d_model, eps, bias)
        nn.init.normal_(self.weight)


@misconception(
    of="LayerNorm",
    sentence="Your layer has no bias unless it is asked for: bias=True is the default.",
    caught_by=("test_layer_starts_neutral", "test_layer"),
)
class LayerWithoutBiasByDefault(Layer):
    def __init__(self, d_model, eps=None, bias=False):
        super().__init__(d_model, eps, bias)


@misconception(
    of="LayerNorm",
    sentence="Your layer has a bias even where bias=False asks for none: leave the parameter out.",
    caught_by=("test_layer_without_bias",),
)
class LayerKeepsItsBias(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(d_model, eps)


@misconception(
    of="LayerNorm",
    sentence="With bias=False your layer fails when it is called: pass None to your layer_norm.",
    caught_by=("test_layer_without_bias",),
)
class LayerCallsForItsBias(Layer):
    def __init__(self, d_model, eps=None, bias=True):
        super().__init__(d_model, eps)
        if not bias:
            del self.bias


@misconception(
    of="LayerNorm",
    sentence="Your LayerNorm uses another eps than 1e-5 unless told otherwise; 1e-6 is RMSNorm's.",
    caught_by=("test_layer_default_eps",),
)
class LayerWithSmallerEps(Layer):
    default_eps = 1e-6


@misconception(
    of="LayerNorm",
    sentence="Your layer keeps running statistics and uses them in evaluation, as batch "
    "normalisation does: a layer norm looks at the present token alone.",
    caught_by=("test_layer_remembers_nothing",),
)
class LayerWithRunningStatistics(Layer):
    mean = variance = None

    def forward(self, x):
        if self.training or self.mean is None:
            now, spread = (t.mean() for t in moments(x.detach()))
            before = (now, spread) if self.mean is None else (self.mean, self.variance)
            self.mean, self.variance = 0.9 * before[0] + 0.1 * now, 0.9 * before[1] + 0.1 * spread
            return super().forward(x)
        z = (x - self.mean) / (self.variance + self.eps).sqrt()
        return scaled(z, self.weight, self.bias)


@misconception(
    of="LayerNorm",
    sentence="Your LayerNorm casts its input to float32 and never casts the result back.",
    caught_by=("test_layers_in_other_dtypes",),
)
class LayerInFloat32(Layer):
    def forward(self, x):
        bias = None if self.bias is None else self.bias.float()
        return F.layer_norm(x.float(), x.shape[-1:], self.weight.float(), bias, self.eps)


@misconception(
    of="LayerNorm",
    sentence="Your LayerNorm computes its statistics in float16 where it is cast to that, and they "
    "overflow: call your layer_norm, which computes them in float32.",
    caught_by=("test_layers_in_other_dtypes",),
)
class LayerInHalfPrecision(Layer):
    def forward(self, x):
        return statistics_in_half_precision(x, self.weight, self.bias, self.eps)


class Rms(nn.Module):
    """An RMSNorm done right, to be spoilt."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def normalised(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt()

    def forward(self, x):
        return self.weight * self.normalised(x.float()).to(x.dtype)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm has a bias: it only scales.",
    caught_by=("test_rms_layer",),
)
class RmsLayerWithBias(Rms):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return super().forward(x) + self.bias


@misconception(
    of="RMSNorm",
    sentence="The parameter of your RMSNorm has another name: call it `weight`.",
    caught_by=("test_rms_layer",),
)
class RmsLayerWithAnotherName(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.scale, self.eps)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm ignores the eps it was made with.",
    caught_by=("test_rms_layer",),
)
class RmsLayerEpsIgnored(Rms):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm does not use its weight.",
    caught_by=("test_rms_layer",),
)
class RmsLayerWithoutWeight(Rms):
    def forward(self, x):
        return self.normalised(x.float()).to(x.dtype)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm subtracts the mean: that is LayerNorm without a bias.",
    caught_by=("test_rms_layer",),
)
class RmsLayerCentres(Rms):
    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.weight, None, self.eps)


@misconception(
    of="RMSNorm",
    sentence="The weight of your RMSNorm starts at zeros: start it at ones.",
    caught_by=("test_rms_layer_starts_neutral",),
)
class RmsLayerOfZeros(Rms):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
        nn.init.zeros_(self.weight)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm uses another eps than 1e-6 unless told otherwise; 1e-5 is LayerNorm's.",
    caught_by=("test_rms_layer_starts_neutral",),
)
class RmsLayerWithLargerEps(Rms):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps)


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm casts its input to float32 and never casts the result back.",
    caught_by=("test_layers_in_other_dtypes",),
)
class RmsLayerInFloat32(Rms):
    def forward(self, x):
        return self.normalised(x.float()) * self.weight.float()


@misconception(
    of="RMSNorm",
    sentence="Your RMSNorm squares in float16 where it is cast to that, which overflows: call your "
    "rms_norm, which squares in float32.",
    caught_by=("test_layers_in_other_dtypes",),
)
class RmsLayerInHalfPrecision(Rms):
    def forward(self, x):
        return self.normalised(x) * self.weight


# Right, but slow or wasteful ----------------------------------------------------------------------


def _by_token(function, x):
    """``function`` of one token after the other."""
    rows = [function(row) for row in x.reshape(-1, x.shape[-1])]
    return torch.stack(rows).reshape(x.shape)


@misconception(
    of="layer_norm",
    sentence="Your rows are right, but a Python loop takes one token at a time: "
    "x.mean(-1, keepdim=True) has the means of all tokens, and lines up with x.",
    caught_by=("test_all_tokens_at_once",),
)
def layer_norm_token_by_token(x, weight, bias, eps):
    return _by_token(lambda row: F.layer_norm(row, weight.shape, weight, bias, eps), x)


@misconception(
    of="rms_norm",
    sentence="Your rms_norm is right, but goes through the tokens in Python: square, mean(-1, "
    "keepdim=True) and sqrt do all of them in three operations.",
    caught_by=("test_all_tokens_at_once",),
)
def rms_norm_token_by_token(x, weight, eps):
    def rms(row):
        wide = row.to(torch.promote_types(row.dtype, torch.float32))
        return (wide / (wide.square().mean() + eps).sqrt() * weight).to(row.dtype)

    return _by_token(rms, x)


@misconception(
    of="LayerNorm",
    sentence="Your layer is right, but asks layer_norm for one token after the other: it takes any "
    "number of tokens at once.",
    caught_by=("test_all_tokens_at_once",),
)
class LayerTokenByToken(nn.LayerNorm):
    def forward(self, x):
        return _by_token(super().forward, x)


@misconception(
    of="layer_norm_backward",
    sentence="Your gradients are right, but a Python loop takes one token at a time and adds up: "
    "the means run along dim=-1 for all tokens, and .sum(0) adds them up.",
    caught_by=("test_backward_of_all_tokens_at_once",),
)
def backward_token_by_token(grad, x, weight, eps):
    wide = torch.promote_types(x.dtype, torch.float32)
    rows, grad_weight, grad_bias = [], 0, 0
    for row, g in zip(x.reshape(-1, len(weight)), grad.reshape(-1, len(weight)), strict=True):
        row, g = row.to(wide), g.to(wide)
        centred = row - row.mean()
        deviation = (centred.square().mean() + eps).sqrt()
        z, h = centred / deviation, g * weight
        rows.append((h - h.mean() - z * (h * z).mean()) / deviation)
        grad_weight, grad_bias = grad_weight + g * z, grad_bias + g
    found = torch.stack(rows).reshape(x.shape), grad_weight, grad_bias
    return tuple(t.to(x.dtype) for t in found)


@misconception(
    of="layer_norm_backward",
    sentence="Your gradients are right, but you build (I - 1/d - z z^T / d) / sqrt(var + eps), a "
    "matrix for every token: times h, it is h - mean(h) - z * mean(h * z), without any matrix.",
    caught_by=("test_backward_builds_no_matrix",),
)
def jacobian_of_every_token(grad, x, weight, eps):
    wide, g = (t.to(torch.promote_types(t.dtype, torch.float32)) for t in (x, grad))
    width = x.shape[-1]
    centred = wide - wide.mean(-1, keepdim=True)
    deviation = (centred.square().mean(-1, keepdim=True) + eps).sqrt()
    z = centred / deviation
    eye = torch.eye(width, dtype=wide.dtype, device=x.device)
    matrix = eye - 1 / width - z.unsqueeze(-1) * z.unsqueeze(-2) / width
    grad_x = (matrix @ (g * weight).unsqueeze(-1)).squeeze(-1) / deviation
    grad_weight = (g * z).reshape(-1, width).sum(0)
    grad_bias = g.reshape(-1, width).sum(0)
    return tuple(t.to(x.dtype) for t in (grad_x, grad_weight, grad_bias))
