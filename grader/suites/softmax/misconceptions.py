"""Wrong answers to ``softmax``, and what their authors are told."""

from __future__ import annotations

import torch

from grader.programs.bank import misconception


@misconception(
    of="softmax",
    sentence="Your output equals softmax without subtracting the maximum: exp overflows from 89 "
    "in float32. Subtract the row's maximum; the weights do not change.",
    caught_by=("test_large_scores_do_not_overflow",),
)
def no_maximum(x, dim=-1):
    e = x.exp()
    return e / e.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="Your output always normalises the last axis, but the caller chose `dim`.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def ignores_dim(x, dim=-1):
    return torch.softmax(x, -1)


@misconception(
    of="softmax",
    sentence="Your sum has lost its axis and lines up with the wrong one: sum with keepdim=True.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def keepdim_forgotten(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim)


@misconception(
    of="softmax",
    sentence="Your output is normalised over the whole tensor: only the scores along `dim` share "
    "a sum of one.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def normalises_everything(x, dim=-1):
    e = (x - x.max()).exp()
    return e / e.sum()


@misconception(
    of="softmax",
    sentence="You subtract one maximum for the whole tensor: rows far below it underflow to 0/0. "
    "Every row along `dim` needs its own maximum.",
    caught_by=("test_each_row_is_stabilised_by_its_own_maximum",),
)
def one_global_maximum(x, dim=-1):
    e = (x - x.max()).exp()
    return e / e.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="You compute in float64 instead of subtracting the maximum: that only moves the "
    "overflow from 89 to 710.",
    caught_by=("test_large_scores_do_not_overflow",),
)
def float64_instead_of_the_maximum(x, dim=-1):
    e = x.double().exp()
    return (e / e.sum(dim, keepdim=True)).to(x.dtype)


@misconception(
    of="softmax",
    sentence="Your function takes every axis but the first for the last one.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def first_or_last_axis_only(x, dim=-1):
    return torch.softmax(x, 0 if dim == 0 else -1)


@misconception(
    of="softmax",
    sentence="Your default axis is the first one; without `dim`, softmax works along the last.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def default_axis_zero(x, dim=0):
    return torch.softmax(x, dim)


@misconception(
    of="softmax",
    sentence="You divide by the plain sum of the scores, without exponentials: scores may be "
    "negative, and weights must not be.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def plain_sum(x, dim=-1):
    return x / x.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="Your output equals the logarithm of the weights, not the weights.",
    caught_by=("test_example", "test_normalises_the_axis_asked_for"),
)
def returns_logarithms(x, dim=-1):
    return torch.log_softmax(x, dim)


@misconception(
    of="softmax",
    sentence="Your output equals softmax of -x: the largest score gets the smallest weight.",
    caught_by=("test_example", "test_normalises_the_axis_asked_for"),
)
def sign_flipped(x, dim=-1):
    return torch.softmax(-x, dim)


@misconception(
    of="softmax",
    sentence="Your output equals powers of 2 over their sum: softmax uses the base e.",
    caught_by=("test_example",),
)
def base_two(x, dim=-1):
    e = torch.exp2(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="A constant added to the denominator keeps the weights from summing to one; with the "
    "maximum subtracted the sum is at least 1 and cannot be zero.",
    caught_by=("test_example",),
)
def epsilon_in_the_denominator(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / (e.sum(dim, keepdim=True) + 1e-3)


@misconception(
    of="softmax",
    sentence="You change the caller's tensor in place: compute x - maximum, not x -= maximum.",
    caught_by=("test_example",),
)
def subtracts_in_place(x, dim=-1):
    with torch.no_grad():
        x -= x.amax(dim, keepdim=True)
    return torch.softmax(x, dim)


@misconception(
    of="softmax",
    sentence="Your output has left the graph: without detach, .data, no_grad or torch.tensor, "
    "gradients flow back to x.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def detached(x, dim=-1):
    return torch.softmax(x.detach(), dim)


@misconception(
    of="softmax",
    sentence="Your output is always float32: the dtype out must be the dtype in.",
    caught_by=("test_keeps_the_dtype",),
)
def always_float32(x, dim=-1):
    return torch.softmax(x.float(), dim)


@misconception(
    of="softmax",
    sentence="You round the weights: they must be exact.",
    caught_by=("test_normalises_the_axis_asked_for",),
)
def rounded(x, dim=-1):
    return (torch.softmax(x, dim) * 1e4).round() / 1e4


@misconception(
    of="softmax",
    sentence="You limit the scores to a fixed range so that exp cannot overflow, which changes the "
    "weights: subtract the maximum instead.",
    caught_by=("test_large_scores_do_not_overflow",),
)
def clamps_the_scores(x, dim=-1):
    e = x.clamp(-50, 50).exp()
    return e / e.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="You turn -inf into 0 or NaN into 0 afterwards: the maximum of a row of finite and "
    "-inf scores is finite, so exp(-inf) is simply 0.",
    caught_by=("test_minus_infinity_gets_no_weight",),
)
def infinities_become_zero(x, dim=-1):
    return torch.softmax(x.masked_fill(x.isinf(), 0.0), dim)


@misconception(
    of="softmax",
    sentence="You shift by the mean, not by the maximum: a single score 100 above the others "
    "still overflows.",
    caught_by=("test_minus_infinity_gets_no_weight",),
)
def shifts_by_the_mean(x, dim=-1):
    e = (x - x.mean(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


@misconception(
    of="softmax",
    sentence="Your function handles matrices only: use `dim` and keepdim instead of fixed axes.",
    caught_by=("test_any_layout_and_number_of_axes",),
)
def needs_two_axes(x, dim=-1):
    rows, columns = x.shape if x.ndim != 3 else (1, 1)
    return torch.softmax(x, dim)


@misconception(
    of="softmax",
    sentence="Your function calls view, which a transposed input does not allow: use reshape, or "
    "no reshaping at all.",
    caught_by=("test_any_layout_and_number_of_axes",),
)
def views_the_input(x, dim=-1):
    return torch.softmax(x.view(-1).view(x.shape), dim)


@misconception(
    of="log_softmax",
    sentence="You take the logarithm of a softmax: where the weight underflows that is log(0) = "
    "-inf. Use x - logsumexp(x).",
    caught_by=("test_log_softmax_of_tiny_weights",),
)
def logarithm_of_softmax(x, dim=-1):
    return torch.softmax(x, dim).log()


@misconception(
    of="log_softmax",
    sentence="Adding a small number inside the logarithm hides -inf but makes every other value "
    "wrong: use x - logsumexp(x).",
    caught_by=("test_log_softmax_of_tiny_weights",),
)
def logarithm_with_epsilon(x, dim=-1):
    return (torch.softmax(x, dim) + 1e-9).log()


@misconception(
    of="log_softmax",
    sentence="Your log_softmax always works along the last axis, but the caller chose `dim`.",
    caught_by=("test_log_softmax_along_any_axis",),
)
def log_softmax_ignores_dim(x, dim=-1):
    return torch.log_softmax(x, -1)


@misconception(
    of="log_softmax",
    sentence="Your output is only x minus its maximum: the logarithm of the sum is missing.",
    caught_by=("test_log_softmax_along_any_axis",),
)
def only_shifted(x, dim=-1):
    return x - x.amax(dim, keepdim=True)


@misconception(
    of="logsumexp",
    sentence="You take the exponentials of the scores as they are: they overflow from 89. Take the "
    "maximum out first and add it again at the end.",
    caught_by=("test_logsumexp_of_large_scores",),
)
def logsumexp_overflows(x, dim=-1, keepdim=False):
    return x.exp().sum(dim, keepdim=keepdim).log()


@misconception(
    of="logsumexp",
    sentence="You subtract the maximum but never add it again.",
    caught_by=("test_logsumexp_along_any_axis",),
)
def maximum_not_added_back(x, dim=-1, keepdim=False):
    return (x - x.amax(dim, keepdim=True)).exp().sum(dim, keepdim=keepdim).log()


@misconception(
    of="logsumexp",
    sentence="Your logsumexp drops the axis even when keepdim=True asks to keep it.",
    caught_by=("test_logsumexp_along_any_axis",),
)
def keepdim_ignored(x, dim=-1, keepdim=False):
    return torch.logsumexp(x, dim)


@misconception(
    of="logsumexp",
    sentence="You subtract one maximum for the whole tensor: rows far below it give log(0).",
    caught_by=("test_logsumexp_of_large_scores",),
)
def logsumexp_global_maximum(x, dim=-1, keepdim=False):
    return x.max() + (x - x.max()).exp().sum(dim, keepdim=keepdim).log()


@misconception(
    of="logsumexp",
    sentence="Your squeeze removes every axis of size 1, not only the one summed over.",
    caught_by=("test_logsumexp_keeps_other_axes_of_size_one",),
)
def squeezes_everything(x, dim=-1, keepdim=False):
    total = torch.logsumexp(x, dim, keepdim=True)
    return total if keepdim else total.squeeze()


@misconception(
    of="softmax_backward",
    sentence="You use y * (1 - y), the diagonal alone: all outputs share a sum, so the gradient is "
    "y * (g - sum(g * y)).",
    caught_by=("test_backward_couples_all_scores",),
)
def diagonal_only(grad_out, y, dim=-1):
    return grad_out * y * (1 - y)


@misconception(
    of="softmax_backward",
    sentence="You leave out the factor y in front: y * (g - sum(g * y)).",
    caught_by=("test_backward_couples_all_scores",),
)
def factor_missing(grad_out, y, dim=-1):
    return grad_out - (grad_out * y).sum(dim, keepdim=True)


@misconception(
    of="softmax_backward",
    sentence="You subtract the plain sum of the gradients: it must be weighted, sum(g * y).",
    caught_by=("test_backward_couples_all_scores",),
)
def unweighted_sum(grad_out, y, dim=-1):
    return y * (grad_out - grad_out.sum(dim, keepdim=True))


@misconception(
    of="softmax_backward",
    sentence="Your backward always sums along the last axis, but the caller chose `dim`.",
    caught_by=("test_backward_couples_all_scores",),
)
def backward_ignores_dim(grad_out, y, dim=-1):
    return y * (grad_out - (grad_out * y).sum(-1, keepdim=True))


@misconception(
    of="softmax_backward",
    sentence="You apply softmax to y once more: y already holds the weights.",
    caught_by=("test_backward_couples_all_scores",),
)
def softmax_twice(grad_out, y, dim=-1):
    y = torch.softmax(y, dim)
    return y * (grad_out - (grad_out * y).sum(dim, keepdim=True))


# Right, but slow or wasteful ----------------------------------------------------------------------


def _row_by_row(function, *tensors, dim):
    """``function`` of one row after the other."""
    moved = [t.movedim(dim, -1) for t in tensors]
    shape = moved[0].shape
    rows = zip(*(t.reshape(-1, shape[-1]).unbind(0) for t in moved), strict=True)
    done = torch.stack([function(*row) for row in rows])
    return done.reshape(shape).movedim(-1, dim) if done.ndim > 1 else done.reshape(shape[:-1])


@misconception(
    of="softmax",
    sentence="Your weights are right, but a Python loop takes one row at a time: amax, exp and sum "
    "with dim=dim do all rows in one operation each.",
    caught_by=("test_all_rows_at_once",),
)
def one_row_at_a_time(x, dim=-1):
    return _row_by_row(lambda row: torch.softmax(row, -1), x, dim=dim)


@misconception(
    of="log_softmax",
    sentence="Your log_softmax is right, but runs through the rows in Python: x - logsumexp(x, "
    "dim, keepdim=True) subtracts from all rows at once.",
    caught_by=("test_all_rows_at_once",),
)
def log_softmax_row_by_row(x, dim=-1):
    return _row_by_row(lambda row: torch.log_softmax(row, -1), x, dim=dim)


@misconception(
    of="logsumexp",
    sentence="Your logsumexp is right, but runs through the rows in Python: every sum and maximum "
    "takes `dim`, and then does all rows at once.",
    caught_by=("test_all_rows_at_once",),
)
def logsumexp_row_by_row(x, dim=-1, keepdim=False):
    total = _row_by_row(lambda row: torch.logsumexp(row, -1), x, dim=dim)
    return total.unsqueeze(dim) if keepdim else total


@misconception(
    of="softmax_backward",
    sentence="Your gradient is right, but you build diag(y) - y y^T for every row: multiplied out, "
    "that matrix times g is y * (g - sum(g * y)), which needs no matrix.",
    caught_by=("test_backward_builds_no_matrix",),
)
def jacobians_of_all_rows(grad_out, y, dim=-1):
    g, w = grad_out.movedim(dim, -1), y.movedim(dim, -1)
    jacobian = torch.diag_embed(w) - w.unsqueeze(-1) * w.unsqueeze(-2)
    return (jacobian @ g.unsqueeze(-1)).squeeze(-1).movedim(-1, dim)


@misconception(
    of="softmax_backward",
    sentence="Your gradient is right, but you build diag(y) - outer(y, y) for one row after the "
    "other: two sums and products along `dim` do it for all rows, without a matrix.",
    caught_by=("test_backward_builds_no_matrix", "test_all_rows_at_once"),
)
def jacobian_of_each_row(grad_out, y, dim=-1):
    def gradient(g, w):
        return (torch.diag(w) - torch.outer(w, w)) @ g

    return _row_by_row(gradient, grad_out, y, dim=dim)
