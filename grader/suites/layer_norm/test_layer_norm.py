"""Hidden checks of ``layer_norm``."""

from __future__ import annotations

import pytest
import torch

from grader.check import usable, work_of

# layer_norm ---------------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_example(compare, device):
    """The row 0, 2, 4, 6 has the variance 5; with eps = 4 it becomes -1, -1/3, 1/3, 1 at first."""
    x = torch.tensor([[0.0, 2.0, 4.0, 6.0], [5.0, 5.0, 5.0, 5.0]], device=device)
    weight, bias = torch.tensor([[3.0, 3.0, 6.0, 6.0], [10.0, 20.0, 30.0, 40.0]], device=device)
    compare.layer_norm(x, weight, bias, 4.0)


@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, where dividing by d - 1 shows most")
def test_rows_of_four(compare, draw):
    """Rows of 4: the variance is the sum of 4 squares over 4, eps joins it inside the root."""
    _compare_width(compare, draw, 4)


@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, at a second width")
def test_rows_of_eight(compare, draw):
    """Rows of 8: the variance is the sum of 8 squares over 8, eps joins it inside the root."""
    _compare_width(compare, draw, 8)


@pytest.mark.kept("the formula itself, where dividing by d - 1 hardly shows")
def test_rows_of_512(compare, draw):
    """Rows of 512: even the small difference between 511 and 512 is seen."""
    _compare_width(compare, draw, 512)


def _compare_width(compare, draw, width):
    x, wide = draw.normal(2, 3, width, offset=0.5), draw.normal(5, width, scale=3.0)
    weight, bias = draw.normal(width), draw.normal(width)
    compare.layer_norm(x, weight, bias, 0.1)
    compare.layer_norm(wide, weight, bias, 1e-5)


@pytest.mark.points(2)
def test_eps_of_any_size(compare, draw):
    """eps is what the caller says, 0.1, 1e-5 or 1e-12, and small rows feel it."""
    weight, bias = draw.normal(7), draw.normal(7)
    for eps, scale in ((0.1, 0.03), (0.1, 1.0), (1e-5, 1e-3), (1e-12, 1.0), (1e-12, 1e-3)):
        x = draw.normal(2, 3, 7, scale=scale)
        compare.layer_norm(x, weight, bias, eps)


@pytest.mark.points(2)
def test_rows_far_from_zero(compare, draw):
    """Rows of large numbers, and rows around 1000 with a variance of 1, come out as exactly."""
    weight, bias = draw.normal(8), draw.normal(8)
    for x in (
        draw.normal(3, 4, 8, scale=1e3),
        draw.normal(3, 5, 8, offset=1e3),
        draw.normal(3, 5, 8, offset=-1e3),
    ):
        compare.layer_norm(x, weight, bias, 1e-5)


@pytest.mark.points(2)
def test_rows_of_equal_numbers(compare, draw, device):
    """A row of equal numbers becomes the bias, and the gradient there is finite."""
    weight, bias = draw.normal(5), draw.normal(5)
    level = torch.tensor([[0.0], [1.0], [-3.0], [20.0]], device=device).expand(4, 5).clone()
    mixed = torch.cat([level, draw.normal(3, 5)]).unsqueeze(0)
    compare.layer_norm(mixed, weight, bias, 0.1)
    for eps in (1e-5, 0.1):
        compare.layer_norm(level, weight, bias, eps, wrt=[level])


@pytest.mark.kept("says in plain words what a wrong axis does")
def test_tokens_do_not_see_each_other(submission, draw):
    """What one token holds changes not a bit of what the other tokens become."""
    x, weight, bias = draw.normal(2, 4, 6), draw.normal(6), draw.normal(6)
    other = x.clone()
    other[1, 2, 0] += 100.0
    before, after = (
        usable(submission, submission.layer_norm(t, weight, bias, 1e-5), t.shape, unlike=[t])
        for t in (x, other)
    )
    changed = before != after
    own = changed[1, 2].clone()
    changed[1, 2] = False
    who = "tokens of other sequences" if changed[0].any() else "the other tokens of its sequence"
    where = "in every feature" if changed[..., 1:].any() else "in that feature"
    assert not changed.any(), f"one feature of one token was changed, and {who} changed {where}"
    assert own.all(), "one feature of a token was changed, and the others of that token stayed"


def test_without_bias(compare, draw):
    """With None for the bias, nothing is added."""
    x, weight = draw.normal(2, 3, 5), draw.normal(5)
    compare.layer_norm(x, weight, None, 1e-5)


@pytest.mark.points(2)
def test_gradients(compare, draw):
    """Gradients reach x, weight and bias; for x, through its mean and its variance too."""
    x, weight, bias = draw.normal(2, 3, 5), draw.normal(5), draw.normal(5)
    compare.layer_norm(x, weight, bias, 0.1, wrt=[x, weight, bias])


def test_any_number_of_axes(compare, draw):
    """A single row, a matrix and four axes are normalised row by row."""
    weight, bias = draw.normal(5), draw.normal(5)
    for leading in ((), (4,), (2, 3, 4)):
        x = draw.normal(*leading, 5)
        compare.layer_norm(x, weight, bias, 1e-5)


def test_axes_of_size_one(compare, draw):
    """One token, one sequence, or one feature: the axis of size 1 stays where it is."""
    for shape in ((2, 1, 5), (1, 3, 5), (1, 1, 5), (2, 3, 1)):
        x, weight, bias = draw.normal(*shape), draw.normal(shape[-1]), draw.normal(shape[-1])
        compare.layer_norm(x, weight, bias, 0.1)


def test_any_layout(compare, draw):
    """Transposed, sliced and expanded inputs work like contiguous ones."""
    weight, bias = draw.normal(6), draw.normal(12)[::2]
    for x in (
        draw.normal(6, 4, 3).transpose(0, 2),
        draw.normal(4, 12)[:, 1::2],
        draw.normal(4, 1, 6).expand(4, 3, 6),
    ):
        compare.layer_norm(x, weight, bias, 1e-5)


@pytest.mark.kept("the dtype alone, where nothing is hard about the statistics")
def test_keeps_the_dtype(compare, draw):
    """float64, bfloat16 or float16 in gives the same out."""
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        x = draw.normal(3, 7, dtype=dtype)
        weight, bias = draw.normal(7, dtype=dtype), draw.normal(7, dtype=dtype)
        compare.layer_norm(x, weight, bias, 1e-5)


@pytest.mark.points(2)
def test_statistics_in_float32(submission, draw):
    """Statistics of bfloat16 and float16 rows are not rounded to these, and do not overflow."""
    steps = draw.integers(0, 2, (40, 8))
    steps[:, 0], steps[:, 1] = 0, 1
    close = 64.0 + 0.5 * steps  # bfloat16 knows nothing between 64 and 64.5
    large = draw.normal(40, 8, scale=1e3)
    for x, rows in ((close.bfloat16(), "bfloat16 rows around 64"), (large.half(), "float16 rows")):
        ones, zeros = torch.ones_like(x[0]), torch.zeros_like(x[0])
        wide = submission.layer_norm(x.float(), ones.float(), zeros.float(), 1e-5)
        usable(submission, wide, x.shape, unlike=[x.float()])
        y = submission.layer_norm(x, ones, zeros, 1e-5)
        usable(submission, y, x.shape, x.dtype, unlike=[x])
        assert _near(y, wide), f"{rows} come out unlike the same numbers in float32"


def _near(y, wide):
    """Right answers differ by 0.01, whichever steps are rounded last; rounded statistics by 0.5."""
    return ((y.float() - wide).abs() < 0.05 * wide.abs().clamp_min(1.0)).all()


def test_works_where_its_inputs_are(submission, draw):
    """What you make yourself is made on the device of x."""
    x, weight, bias = (draw.normal(*shape).to("meta") for shape in ((2, 3, 5), (5,), (5,)))
    results = [
        submission.layer_norm(x, weight, bias, 1e-5),
        submission.rms_norm(x, weight, 1e-6),
        *submission.layer_norm_backward(x, x, weight, 1e-5),
    ]
    for y, like in zip(results, (x, x, x, weight, bias), strict=True):
        usable(submission, y, like.shape)
        assert y.device == x.device, "a result is on another device than x"


# rms_norm -----------------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_rms_norm_example(compare, device):
    """The row 1, 1, 3, 5 has the mean square 9; with eps = 7 it is divided by 4."""
    x, weight = torch.tensor([[1.0, 1.0, 3.0, 5.0], [4.0, 4.0, 4.0, 8.0]], device=device)
    compare.rms_norm(x, weight, 7.0)


@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, from one feature to 512")
def test_rms_norm(compare, draw):
    """x over the root of its mean square plus eps, times the weight; the mean stays in."""
    for width in (4, 512, 1):
        x, weight = draw.normal(2, 3, width, offset=0.5), draw.normal(width)
        compare.rms_norm(x, weight, 0.1)


@pytest.mark.points(2)
def test_rms_norm_eps_and_size(compare, draw):
    """eps joins the mean square inside the root, whatever the size of either."""
    weight = draw.normal(7)
    for eps in (1e-5, 0.1, 1e-12):
        for scale in (1e-3, 1.0, 1e3):
            x = draw.normal(2, 3, 7, scale=scale)
            compare.rms_norm(x, weight, eps)


def test_rms_norm_of_zeros(compare, draw, device):
    """A row of zeros stays zero, and the gradient there is finite."""
    x, weight = torch.zeros(3, 5, device=device), draw.normal(5)
    compare.rms_norm(x, weight, 1e-6, wrt=[x])


def test_rms_norm_gradients(compare, draw):
    """Gradients reach x and weight; for x, through its root mean square too."""
    x, weight = draw.normal(2, 3, 5), draw.normal(5)
    compare.rms_norm(x, weight, 0.1, wrt=[x, weight])


def test_rms_norm_of_any_shape_and_layout(compare, draw):
    """A single row, four axes, axes of size 1 and transposed inputs are normalised row by row."""
    weight = draw.normal(5)
    for x in (
        draw.normal(5),
        draw.normal(2, 3, 4, 5),
        draw.normal(3, 1, 5),
        draw.normal(5, 4, 3).transpose(0, 2),
    ):
        compare.rms_norm(x, weight, 1e-6)


def test_rms_norm_in_other_dtypes(compare, draw):
    """The dtype stays, and float16 numbers of size 1000 do not overflow when they are squared."""
    for dtype, scale in ((torch.float64, 1.0), (torch.bfloat16, 1.0), (torch.float16, 1e3)):
        x, weight = draw.normal(3, 7, scale=scale, dtype=dtype), draw.normal(7, dtype=dtype)
        compare.rms_norm(x, weight, 1e-6)


# layer_norm_backward ------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_backward_example(compare, device):
    """For the row 0, 2, 4, 6, eps = 4 and the gradient 9, 0, 0, 0, grad_x is 1.5, -1, -0.5, 0."""
    grad, x = torch.tensor([[[9.0, 0.0, 0.0, 0.0]], [[0.0, 2.0, 4.0, 6.0]]], device=device)
    weight = torch.ones(4, device=device)
    compare.layer_norm_backward(grad, x, weight, 4.0)


@pytest.mark.points(3)
@pytest.mark.kept("the formula itself, from one feature to 512")
def test_backward(compare, draw):
    """grad_x passes through the mean and the variance; grad_weight and grad_bias add up."""
    for width in (5, 512, 1):
        x, grad = draw.normal(2, 3, width, offset=0.5), draw.normal(2, 3, width)
        weight = draw.normal(width)
        compare.layer_norm_backward(grad, x, weight, 0.1)


@pytest.mark.points(2)
def test_backward_sums_over_all_tokens(compare, draw):
    """Gradients for weight and bias add up over no axis, one, or three; x may be transposed."""
    weight = draw.normal(5)
    for leading in ((2, 3, 4), (4,), (), (1, 3)):
        x, grad = draw.normal(*leading, 5), draw.normal(*leading, 5)
        compare.layer_norm_backward(grad, x, weight, 0.1)
    x, grad = draw.normal(5, 4, 3).transpose(0, 2), draw.normal(5, 4, 3).transpose(0, 2)
    compare.layer_norm_backward(grad, x, weight, 0.1)


def test_backward_of_hard_rows(compare, draw, device):
    """Small rows, rows of equal numbers and rows around 1000 have exact, finite gradients."""
    weight = draw.normal(5)
    equal = torch.tensor([[0.0], [1.0], [-3.0]], device=device).expand(3, 5).clone()
    for x, eps in (
        (draw.normal(3, 5, scale=1e-3), 1e-5),
        (draw.normal(3, 5, scale=1e-3), 1e-12),
        (equal, 1e-5),
        (draw.normal(9, 5, offset=1e3), 1e-5),
    ):
        grad = draw.normal(*x.shape)
        compare.layer_norm_backward(grad, x, weight, eps)


def test_backward_in_other_dtypes(compare, draw):
    """The gradients have the dtype of x, and float16 rows of size 1000 do not overflow."""
    for dtype, scale in ((torch.float64, 1.0), (torch.bfloat16, 1.0), (torch.float16, 1e3)):
        x, grad = draw.normal(4, 5, scale=scale, dtype=dtype), draw.normal(4, 5, dtype=dtype)
        weight = draw.normal(5, dtype=dtype)
        compare.layer_norm_backward(grad, x, weight, 1e-5)


# Layers -------------------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
def test_layer(compare, draw):
    """LayerNorm normalises with its own weight, bias and eps, and they receive gradients."""
    x, weight, bias = draw.normal(2, 3, 8), draw.normal(8), draw.normal(8)

    def probe(impl):
        layer = impl.LayerNorm(8, eps=0.1)
        layer.load({"weight": weight, "bias": bias})
        return layer(x)

    compare(probe, wrt=[x])


def test_layer_starts_neutral(submission):
    """A fresh LayerNorm has a weight of ones and a bias of zeros, both learned."""
    found = submission.LayerNorm(7).parameters()
    names = sorted(found)
    assert names, "there are no parameters: wrap weight and bias in nn.Parameter"
    assert names != ["weight"], "there is no bias, although bias=True is the default"
    assert names == ["bias", "weight"], "the parameters are not `weight` and `bias`"
    assert all(t.shape == (7,) for t in found.values()), "weight and bias need one number a feature"
    assert not (found["weight"] == 0).all(), "the weight starts at zeros"
    assert (found["weight"] == 1).all(), "the weight does not start at ones"
    assert (found["bias"] == 0).all(), "the bias does not start at zeros"


def test_layer_without_bias(compare, draw):
    """LayerNorm(d_model, bias=False) has the parameter `weight` alone."""
    x, weight = draw.normal(2, 3, 5, scale=10.0), draw.normal(5)

    def probe(impl):
        layer = impl.LayerNorm(5, bias=False)
        layer.load({"weight": weight})
        return layer(x)

    compare(probe, wrt=[x])


def test_layer_default_eps(compare, draw):
    """Unless told otherwise, LayerNorm uses eps = 1e-5."""
    x, weight, bias = draw.normal(2, 3, 5, scale=1e-3), draw.normal(5), draw.normal(5)

    def probe(impl):
        layer = impl.LayerNorm(5)
        layer.load({"weight": weight, "bias": bias})
        return layer(x)

    compare(probe)


def test_layer_remembers_nothing(compare, draw):
    """LayerNorm does the same in training and in evaluation, whatever it saw before."""
    first, second = draw.normal(2, 3, 5, scale=10.0, offset=9.0), draw.normal(3, 5, scale=20.0)
    weight, bias = draw.normal(5), draw.normal(5)

    def probe(impl):
        layer = impl.LayerNorm(5)
        layer.load({"weight": weight, "bias": bias})
        answers = [layer(first), layer(second)]
        layer.eval()
        return [*answers, layer(first), layer(second)]

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
def test_rms_layer(compare, draw):
    """RMSNorm has one parameter, `weight`, and its own eps; the weight receives a gradient."""
    x, weight = draw.normal(2, 3, 8, offset=0.5), draw.normal(8)

    def probe(impl):
        layer = impl.RMSNorm(8, eps=0.1)
        layer.load({"weight": weight})
        return layer(x)

    compare(probe, wrt=[x])


def test_rms_layer_starts_neutral(compare, draw):
    """A fresh RMSNorm has a weight of ones, and eps = 1e-6 unless told otherwise."""
    x, small = draw.normal(2, 3, 5), draw.normal(2, 3, 5, scale=1e-3)
    compare(lambda impl: impl.RMSNorm(5)(x))
    compare(lambda impl: impl.RMSNorm(5)(small))


def test_layers_in_other_dtypes(submission, draw):
    """Layers cast to bfloat16, float16 or float64 answer in that dtype, also for large rows."""
    for name in ("LayerNorm", "RMSNorm"):
        layer = getattr(submission, name)(7)
        x = draw.normal(4, 7, scale=1e3, dtype=torch.bfloat16)
        wide = usable(layer, layer(x.float()), x.shape, unlike=[x.float()])
        for dtype in (torch.bfloat16, torch.float16, torch.float64):
            layer.to(dtype)
            y = usable(layer, layer(x.to(dtype)), x.shape, dtype)
            assert _near(y, wide), f"a {name} of {dtype} gives other values than one of float32"


# Work ---------------------------------------------------------------------------------------------

ONE_EACH = 24  # operations, for 32 tokens instead of 8


def test_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens: each torch operation has a price of its own, and with dim=-1 and
    keepdim one mean serves 32 tokens as well as 8."""
    weight, bias, x = draw.normal(5), draw.normal(5), draw.normal(2, 3, 5)

    def layers(impl):
        norm, rms = impl.LayerNorm(5, eps=0.1), impl.RMSNorm(5, eps=0.1)
        norm.load({"weight": weight, "bias": bias})
        rms.load({"weight": weight})
        return norm(x), rms(x)

    compare(layers)  # right first
    for name, probe in (
        ("layer_norm", lambda impl, x: impl.layer_norm(x, weight, bias, 1e-5)),
        ("rms_norm", lambda impl, x: impl.rms_norm(x, weight, 1e-6)),
        ("LayerNorm", lambda impl, x: impl.LayerNorm(5)(x)),
        ("RMSNorm", lambda impl, x: impl.RMSNorm(5)(x)),
    ):
        _demand_no_growth(compare, submission, draw, name, probe)


def test_backward_of_all_tokens_at_once(compare, submission, draw):
    """The gradients take no Python loop over tokens either: one sum over the first axis adds up
    what all tokens give to weight and bias."""
    weight = draw.normal(5)
    _demand_no_growth(
        compare,
        submission,
        draw,
        "layer_norm_backward",
        lambda impl, x: impl.layer_norm_backward(x, x, weight, 1e-5),
    )


def test_backward_builds_no_matrix(compare, submission, draw):
    """The gradient takes memory for the numbers of x, not for a d x d matrix of derivatives for
    every token: at a width of 512 that would be 512 times as much."""
    x, grad, weight = draw.normal(4, 10, 24), draw.normal(4, 10, 24), draw.normal(24)
    compare.layer_norm_backward(grad, x, weight, 1e-5)  # right first
    work = work_of(submission, lambda impl: impl.layer_norm_backward(grad, x, weight, 1e-5))
    assert work.largest <= 6 * x.numel(), "a d x d matrix is built for every token"


def _demand_no_growth(compare, submission, draw, name, probe):
    for few, many in (((8, 5), (32, 5)), ((2, 8, 5), (2, 32, 5)), ((8, 2, 5), (32, 2, 5))):
        small, large = draw.normal(*few), draw.normal(*many)
        for x in (small, large):
            if name.islower():  # a function: right first, then fast
                compare(lambda impl: probe(impl, x))
            else:
                usable(submission, probe(submission, x), x.shape)
        first = work_of(submission, lambda impl: probe(impl, small)).operations
        second = work_of(submission, lambda impl: probe(impl, large)).operations
        assert second - first < ONE_EACH, f"{name}: more torch operations for more tokens"
