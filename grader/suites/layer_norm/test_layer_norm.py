"""Hidden checks of ``layer_norm``."""

from __future__ import annotations

import pytest
import torch

from grader.check import finding, pairs, usable, work_of

# layer_norm ---------------------------------------------------------------------------------------


@pytest.mark.core("layer_norm")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("three axes are asked again, where views differ more")
@pytest.mark.rests_on("y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias")
def test_example(compare, device):
    """The row 0, 2, 4, 6 has the variance 5; with eps = 4 it becomes -1, -1/3, 1/3, 1 at first."""
    x = torch.tensor([[0.0, 2.0, 4.0, 6.0], [5.0, 5.0, 5.0, 5.0]], device=device)
    weight, bias = torch.tensor([[3.0, 3.0, 6.0, 6.0], [10.0, 20.0, 30.0, 40.0]], device=device)
    compare.layer_norm(x, weight, bias, 4.0)


@pytest.mark.core("layer_norm")
@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, where dividing by d - 1 shows most")
@pytest.mark.rests_on("divided by d, not by d - 1")
def test_rows_of_four(compare, draw):
    """Rows of 4: the variance is the sum of 4 squares over 4, eps joins it inside the root."""
    _compare_width(compare, draw, 4)


@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, at a second width")
@pytest.mark.rests_on("divided by d, not by d - 1", "eps stands inside the root")
def test_rows_of_eight(compare, draw):
    """Rows of 8: the variance is the sum of 8 squares over 8, eps joins it inside the root."""
    _compare_width(compare, draw, 8)


@pytest.mark.kept("the formula itself, where dividing by d - 1 hardly shows")
@pytest.mark.rests_on("divided by d, not by d - 1")
def test_rows_of_512(compare, draw):
    """Rows of 512: even the small difference between 511 and 512 is seen."""
    _compare_width(compare, draw, 512)


def _compare_width(compare, draw, width):
    x, wide = draw.normal(2, 3, width, offset=0.5), draw.normal(5, width, scale=3.0)
    weight, bias = draw.normal(width), draw.normal(width)
    compare.layer_norm(x, weight, bias, 0.1)
    compare.layer_norm(wide, weight, bias, 1e-5)


@pytest.mark.points(2)
@pytest.mark.rests_on("eps is always what the caller says, and may be 0")
def test_eps_of_any_size(compare, draw):
    """eps is what the caller says, 0.1, 1e-5, 1e-12 or 0, and small rows feel it."""
    x, weight, bias = draw.normal(2, 3, 7), draw.normal(7), draw.normal(7)
    for eps, scale in ((0.1, 0.03), (0.1, 1.0), (1e-5, 1e-3), (1e-12, 1.0), (1e-12, 1e-3)):
        compare.layer_norm(scale * x, weight, bias, eps)
    compare.layer_norm(1e-3 * x, weight, bias, 0.0)


@pytest.mark.points(2)
@pytest.mark.rests_on("must come out as accurately as float32 can hold such rows")
def test_rows_far_from_zero(compare, submission, draw):
    """Rows of large numbers, and rows of variance 1 around 1000, are as exact as float32 allows."""
    weight, bias = draw.normal(8), draw.normal(8)
    for scale in (1e3, 1e6):
        compare.layer_norm(draw.normal(3, 4, 8, scale=scale), weight, bias, 1e-5)
    for offset in (1e3, -1e3):
        x = draw.normal(3, 5, 8, offset=offset)
        _demand_digits(lambda t: submission.layer_norm(t, weight, bias, 1e-5), submission, x)
        compare.layer_norm(x, weight, bias, 1e-5)


def _demand_digits(asked, submission, x, what="rows of variance 1 around 1000 come out"):
    """Right answers for rows around 1000 and for the same rows around 0 differ by 0.0002, and by
    0.02 without the digits that mean(x^2) - mean(x)^2 loses. A larger difference has other reasons.
    """
    near = (x.double() - x.double().mean(-1, keepdim=True)).float()
    there, here = (usable(submission, asked(t), x.shape) for t in (x, near))
    if 0.002 < (there - here).abs().amax(-1).nanmedian().item() < 0.3:
        raise finding(
            f"{what} less exact than the same rows around 0.",
            help="Is the variance a small difference of two large numbers, such as mean(x^2) - "
            "mean(x)^2? Subtract the mean from the row first, then square.",
        )


@pytest.mark.points(2)
@pytest.mark.rests_on("such a row becomes bias", "keeps the quotient and its gradient finite")
def test_rows_of_equal_numbers(compare, draw, device):
    """A row of equal numbers becomes the bias, and the gradient there is finite."""
    weight, bias = draw.normal(5), draw.normal(5)
    level = torch.tensor([[0.0], [1.0], [-3.0], [20.0]], device=device).expand(4, 5).clone()
    mixed = torch.cat([level, draw.normal(3, 5)]).unsqueeze(0)
    compare.layer_norm(mixed, weight, bias, 0.1)
    for eps in (1e-5, 0.1):
        compare.layer_norm(level, weight, bias, eps, wrt=[level])


@pytest.mark.kept("says in plain words what a wrong axis does")
@pytest.mark.rests_on("changes not a bit of what the others become")
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


@pytest.mark.rests_on("without a bias (None) nothing is added")
def test_without_bias(compare, draw):
    """With None for the bias, nothing is added; eps and the shape count as ever."""
    x, weight, bias = draw.normal(2, 3, 5, scale=0.1), draw.normal(5), draw.normal(5)
    for options in pairs(bias=(None, bias), eps=(1e-5, 0.1), x=(x, x[0])):
        compare.layer_norm(weight=weight, **options)


@pytest.mark.points(2)
@pytest.mark.rests_on("gradients flow through the mean and the variance too")
def test_gradients(compare, draw):
    """Gradients reach x, weight and bias; for x, through its mean and its variance too."""
    x, weight, bias = draw.normal(2, 3, 5), draw.normal(5), draw.normal(5)
    compare.layer_norm(x, weight, bias, 0.1, wrt=[x, weight, bias])


ALIKE = (5, 5)  # with 5 features: no axis can be told from another one by its size


@pytest.mark.rests_on("there may be any number of axes before the last, none included")
def test_any_number_of_axes(compare, draw):
    """A single row, a matrix and five axes are normalised row by row, also where sizes agree."""
    weight, bias = draw.normal(5), draw.normal(5)
    for leading in ((), (4,), (5,), ALIKE, (2, 3, 4), (2, 3, 2, 4)):
        x = draw.normal(*leading, 5)
        compare.layer_norm(x, weight, bias, 1e-5)


@pytest.mark.rests_on("there may be any number of axes before the last, none included")
def test_axes_of_size_one(compare, draw):
    """One token, one sequence, or one feature: the axis of size 1 stays where it is."""
    for shape in ((2, 1, 5), (1, 3, 5), (1, 1, 5), (2, 3, 1)):
        x, weight, bias = draw.normal(*shape), draw.normal(shape[-1]), draw.normal(shape[-1])
        compare.layer_norm(x, weight, bias, 0.1)


DTYPES = (  # of x, and of the weights
    (torch.float64, torch.float64),
    (torch.bfloat16, torch.bfloat16),
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.float32),
    (torch.float16, torch.float32),
    (torch.float32, torch.bfloat16),
)


@pytest.mark.kept("the dtype alone, where nothing is hard about the statistics")
@pytest.mark.rests_on(
    "every result has the dtype and the device of x",
    "weight and bias may have another dtype than x",
)
def test_keeps_the_dtype(compare, draw):
    """float64, bfloat16 or float16 in gives the same out, whatever the weight and bias are."""
    for dtype, other in DTYPES:
        x = draw.normal(3, 7, dtype=dtype)
        weight, bias = draw.normal(7, dtype=other), draw.normal(7, dtype=other)
        compare.layer_norm(x, weight, bias, 1e-5)
        if dtype != other:
            compare.layer_norm(x, weight, None, 1e-5)


@pytest.mark.points(2)
@pytest.mark.rests_on("for bfloat16 and float16 the statistics are computed in float32")
def test_statistics_in_float32(submission, draw):
    """Statistics of bfloat16 and float16 rows are not rounded to these, and do not overflow."""
    for x in (_close_rows(draw), draw.normal(40, 8, scale=1e3, dtype=torch.float16)):
        ones, zeros = torch.ones_like(x[0]), torch.zeros_like(x[0])
        wide = submission.layer_norm(x.float(), ones.float(), zeros.float(), 1e-5)
        usable(submission, wide, x.shape, unlike=[x.float()])
        y = submission.layer_norm(x, ones, zeros, 1e-5)
        usable(submission, y, x.shape, x.dtype, unlike=[x])
        _demand_near(y, wide, "layer_norm", x)


def _close_rows(draw):
    """Rows around 64: bfloat16 knows nothing between 64 and 64.5."""
    steps = draw.integers(0, 2, (40, 8))
    steps[:, 0], steps[:, 1] = 0, 1
    return (64.0 + 0.5 * steps).bfloat16()


def _demand_near(y, wide, name, x):
    """Right answers differ by 0.01, whichever steps are rounded last; rounded statistics by 0.5."""
    near = (y.float() - wide).abs() < 0.05 * wide.abs().clamp_min(1.0)
    rows = f"{str(x.dtype).removeprefix('torch.')} rows of size {x.abs().max().item():.0f}"
    if not near.all():
        raise finding(
            f"{name} makes other values of {rows} than of the same numbers in float32: something "
            "on its way is rounded to that dtype, or too large for it",
            help="Take x.float() first, compute with that alone, the mean too, and cast the result "
            "back to the dtype of x at the end.",
        )


@pytest.mark.rests_on("every result has the dtype and the device of x")
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


@pytest.mark.core("rms_norm")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("three axes are asked again, where views differ more")
@pytest.mark.rests_on("y = x / sqrt(mean(x^2) + eps) * weight")
def test_rms_norm_example(compare, device):
    """The row 1, 1, 3, 5 has the mean square 9; with eps = 7 it is divided by 4."""
    x, weight = torch.tensor([[1.0, 1.0, 3.0, 5.0], [4.0, 4.0, 4.0, 8.0]], device=device)
    compare.rms_norm(x, weight, 7.0)


@pytest.mark.core("rms_norm")
@pytest.mark.points(2)
@pytest.mark.kept("the formula itself, from one feature to 512")
@pytest.mark.rests_on("no mean is taken away, nothing is added")
def test_rms_norm(compare, draw):
    """x over the root of its mean square plus eps, times the weight; the mean stays in."""
    for width in (4, 512, 1):
        x, weight = draw.normal(2, 3, width, offset=0.5), draw.normal(width)
        compare.rms_norm(x, weight, 0.1)


@pytest.mark.rests_on("there may be any number of axes before the last, none included")
def test_rms_norm_of_any_shape(compare, draw):
    """A single row, a matrix and five axes are normalised row by row, also where sizes agree."""
    weight = draw.normal(5)
    for leading in ((), (4,), (5,), ALIKE, (2, 3, 4), (3, 1), (2, 1, 3, 4)):
        compare.rms_norm(draw.normal(*leading, 5), weight, 1e-6)


@pytest.mark.points(2)
@pytest.mark.rests_on("eps is always what the caller says, and may be 0")
def test_rms_norm_eps_and_size(compare, draw):
    """eps joins the mean square inside the root, whatever the size of either; it may be 0."""
    x, weight = draw.normal(2, 3, 7), draw.normal(7)
    for eps, scales in ((1e-5, (1e-3, 1e3)), (0.1, (1e-3, 1.0)), (1e-12, (1e-3, 1.0))):
        for scale in scales:
            compare.rms_norm(scale * x, weight, eps)
    for scale in (1e-3, 1e6):
        compare.rms_norm(scale * x, weight, 0.0)


@pytest.mark.rests_on("a row of zeros stays zero, and its gradient finite")
def test_rms_norm_of_zeros(compare, draw, device):
    """A row of zeros stays zero, and the gradient there is finite."""
    x, weight = torch.zeros(3, 5, device=device), draw.normal(5)
    compare.rms_norm(x, weight, 1e-6, wrt=[x])


@pytest.mark.rests_on("gradients flow through the root mean square too")
def test_rms_norm_gradients(compare, draw):
    """Gradients reach x and weight; for x, through its root mean square too."""
    x, weight = draw.normal(2, 3, 5), draw.normal(5)
    compare.rms_norm(x, weight, 0.1, wrt=[x, weight])


@pytest.mark.rests_on(
    "weight and bias may have another dtype than x", "in float16 the square of 256 overflows"
)
def test_rms_norm_in_other_dtypes(compare, draw):
    """The dtype of x stays, whatever that of the weight is, and squares of 1000 do not overflow."""
    for dtype, other in DTYPES:
        x, weight = draw.normal(3, 7, scale=1e3, dtype=dtype), draw.normal(7, dtype=other)
        compare.rms_norm(x, weight, 1e-6)


# layer_norm_backward ------------------------------------------------------------------------------


@pytest.mark.core("layer_norm_backward")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("three axes are asked again, where views differ more")
@pytest.mark.rests_on("grad_x = (h - mean(h) - z * mean(h * z)) / sqrt(var(x) + eps)")
def test_backward_example(compare, device):
    """For the row 0, 2, 4, 6, eps = 4 and the gradient 9, 0, 0, 0, grad_x is 1.5, -1, -0.5, 0."""
    grad, x = torch.tensor([[[9.0, 0.0, 0.0, 0.0]], [[0.0, 2.0, 4.0, 6.0]]], device=device)
    weight = torch.ones(4, device=device)
    compare.layer_norm_backward(grad, x, weight, 4.0)


@pytest.mark.core("layer_norm_backward")
@pytest.mark.points(3)
@pytest.mark.kept("the formula itself, from one feature to 512")
@pytest.mark.rests_on(
    "grad_weight = sum of grad * z over all tokens", "grad_bias = sum of grad over all tokens"
)
def test_backward(compare, draw):
    """grad_x passes through the mean and the variance; grad_weight and grad_bias add up."""
    for width in (5, 512, 1):
        x, grad = draw.normal(2, 3, width, offset=0.5), draw.normal(2, 3, width)
        weight = draw.normal(width)
        compare.layer_norm_backward(grad, x, weight, 0.1)


@pytest.mark.points(2)
@pytest.mark.rests_on("the sums over all axes before it, however many there are")
def test_backward_sums_over_all_tokens(compare, draw):
    """Gradients for weight and bias add up over no axis, one, or four, also where sizes agree."""
    weight = draw.normal(5)
    for leading in ((2, 3, 4), (4,), (), (1, 3), (5,), ALIKE, (2, 1, 3, 4)):
        x, grad = draw.normal(*leading, 5), draw.normal(*leading, 5)
        compare.layer_norm_backward(grad, x, weight, 0.1)


@pytest.mark.rests_on(
    "eps is always what the caller says, and may be 0",
    "must come out as accurately as float32 can hold such rows",
)
def test_backward_of_hard_rows(compare, submission, draw, device):
    """Small rows, rows of equal numbers and rows around 1000 have exact, finite gradients."""
    weight = draw.normal(5)
    equal = torch.tensor([[0.0], [1.0], [-3.0]], device=device).expand(3, 5).clone()
    for x, eps in (
        (draw.normal(3, 5, scale=1e-3), 1e-5),
        (draw.normal(3, 5, scale=1e-3), 1e-12),
        (draw.normal(3, 5, scale=0.1), 0.0),
        (equal, 1e-5),
        (draw.normal(3, 5, scale=1e6), 1e-5),
    ):
        grad = draw.normal(*x.shape)
        compare.layer_norm_backward(grad, x, weight, eps)
    grad, far = draw.normal(9, 5), draw.normal(9, 5, offset=1e3)
    _demand_digits(
        lambda t: submission.layer_norm_backward(grad, t, weight, 1e-5)[0],
        submission,
        far,
        "gradients of rows around 1000 come out",
    )
    compare.layer_norm_backward(grad, far, weight, 1e-5)


@pytest.mark.rests_on(
    "statistics and sums of bfloat16 and float16 inputs are computed in float32",
    "grad_weight and grad_bias may have that one",
)
def test_backward_in_other_dtypes(compare, submission, draw):
    """The gradients have the dtype of x; statistics of bfloat16 and float16 rows are not rounded
    to these, and do not overflow."""
    for dtype, scale in ((torch.float64, 1.0), (torch.bfloat16, 1.0), (torch.float16, 1e3)):
        x, grad = draw.normal(4, 5, scale=scale, dtype=dtype), draw.normal(4, 5, dtype=dtype)
        compare.layer_norm_backward(grad, x, draw.normal(5, dtype=dtype), 1e-5)
    for dtype, other in DTYPES[3:]:
        x, grad = draw.normal(4, 5, dtype=dtype), draw.normal(4, 5, dtype=dtype)
        _demand_gradients(submission, grad, x, draw.normal(5, dtype=other))
    x = _close_rows(draw)
    _demand_gradients(submission, draw.normal(40, 8, dtype=x.dtype), x, torch.ones_like(x[0]))
    grad, x, ones = x, draw.normal(40, 8, dtype=x.dtype), torch.ones_like(x[0])
    wide = submission.layer_norm_backward(grad.float(), x.float(), ones.float(), 1e-5)[0]
    near = (submission.layer_norm_backward(grad, x, ones, 1e-5)[0].float() - wide).abs() < 0.1
    assert near.all(), "grad_x of bfloat16 gradients around 64 is not that of float32 gradients"


def _demand_gradients(submission, grad, x, weight):
    """Those that the same numbers have in float32; grad_weight and grad_bias in either dtype."""
    wide = submission.layer_norm_backward(grad.float(), x.float(), weight.float(), 1e-5)
    found = submission.layer_norm_backward(grad, x, weight, 1e-5)
    either = {x.dtype, weight.dtype}
    for y, like, right in zip(found, wide, ({x.dtype}, either, either), strict=True):
        dtype = getattr(y, "dtype", x.dtype)
        usable(submission, y, like.shape, dtype if dtype in right else x.dtype)
        _demand_near(y, like, "layer_norm_backward", x)


# Layers -------------------------------------------------------------------------------------------


@pytest.mark.core("LayerNorm")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
@pytest.mark.rests_on("layer_norm as a layer over the last axis")
def test_layer(compare, draw):
    """LayerNorm normalises with its own weight, bias and eps, and they receive gradients."""
    x, weight, bias = draw.normal(2, 3, 8), draw.normal(8), draw.normal(8)

    def probe(impl):
        layer = impl.LayerNorm(8, eps=0.1)
        layer.load({"weight": weight, "bias": bias})
        return layer(x)

    compare(probe, wrt=[x])


@pytest.mark.rests_on("weight: (d_model,), starts at ones", "bias: (d_model,), starts at zeros")
def test_layer_starts_neutral(compare, submission, draw):
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
    x = draw.normal(2, 3, 7, scale=10.0)
    compare(lambda impl: impl.LayerNorm(7)(x), wrt=[x])


@pytest.mark.rests_on("with bias=False there is no such parameter, and nothing is added")
def test_layer_without_bias(compare, draw):
    """LayerNorm(d_model, bias=False) has the parameter `weight` alone; eps counts as ever."""
    x, weight = draw.normal(2, 3, 5, scale=10.0, offset=9.0), draw.normal(5)

    def probe(impl):
        layers = [impl.LayerNorm(5, bias=False), impl.LayerNorm(5, 0.1, False)]
        for layer in layers:
            layer.load({"weight": weight})
        return [layer(x) for layer in layers]

    compare(probe, wrt=[x])


@pytest.mark.points(2)
@pytest.mark.asked_once("other layers are asked for here, and each is asked again by itself")
@pytest.mark.rests_on("each layer has parameters and an eps of its own")
def test_layers_side_by_side(compare, draw):
    """Each layer has its own eps, 0 or any other, and its own weights."""
    x, weight, bias = draw.normal(5, 5, scale=0.1), draw.normal(5), draw.normal(5)

    def probe(impl):
        layers = [impl.LayerNorm(5, 0.1), impl.LayerNorm(5, 0.0)]
        for number, layer in enumerate(layers, start=1):
            layer.load({"weight": number * weight, "bias": number * bias})
        layers += [impl.RMSNorm(5, 0.1), impl.RMSNorm(5, 0.0)]
        for number, layer in enumerate(layers[2:], start=1):
            layer.load({"weight": number * weight})
        return [layer(x) for layer in layers]

    compare(probe)


@pytest.mark.rests_on("unless told otherwise eps is 1e-5")
def test_layer_default_eps(compare, draw):
    """Unless told otherwise, LayerNorm uses eps = 1e-5."""
    x, weight, bias = draw.normal(2, 3, 5, scale=1e-3), draw.normal(5), draw.normal(5)

    def probe(impl):
        layer = impl.LayerNorm(5)
        layer.load({"weight": weight, "bias": bias})
        return layer(x)

    compare(probe)


@pytest.mark.core("RMSNorm")
@pytest.mark.points(2)
@pytest.mark.kept("the definition itself; counting the work asks for it once more")
@pytest.mark.rests_on("rms_norm as a layer over the last axis")
def test_rms_layer(compare, draw):
    """RMSNorm has one parameter, `weight`, and its own eps; the weight receives a gradient."""
    x, weight = draw.normal(2, 3, 8, offset=0.5), draw.normal(8)

    def probe(impl):
        layer = impl.RMSNorm(8, eps=0.1)
        layer.load({"weight": weight})
        return layer(x)

    compare(probe, wrt=[x])


@pytest.mark.rests_on(
    "weight: (d_model,), starts at ones. There is no bias", "1e-6 unless told otherwise"
)
def test_rms_layer_starts_neutral(compare, submission, draw):
    """A fresh RMSNorm has a weight of ones, and eps = 1e-6 unless told otherwise."""
    found = submission.RMSNorm(7).parameters()
    if "weight" in found:  # what it is called is asked elsewhere
        assert not (found["weight"] == 0).all(), "the weight starts at zeros"
        assert (found["weight"] == 1).all(), "the weight does not start at ones"
    x, small = draw.normal(2, 3, 5), draw.normal(2, 3, 5, scale=1e-3)
    compare(lambda impl: impl.RMSNorm(5)(x))
    compare(lambda impl: impl.RMSNorm(5)(small))


@pytest.mark.rests_on(
    "weight and bias may have another dtype than x",
    "for bfloat16 and float16 the statistics are computed in float32",
)
def test_layers_in_other_dtypes(submission, draw):
    """Layers of float32 take bfloat16 and float16; cast to these they answer in them, and compute
    their statistics in float32 all the same."""
    large = draw.normal(4, 7, scale=1e3, dtype=torch.bfloat16)
    for name, x in (("LayerNorm", large), ("LayerNorm", _close_rows(draw)), ("RMSNorm", large)):
        layer = getattr(submission, name)(x.shape[-1])
        wide = usable(layer, layer(x.float()), x.shape, unlike=[x.float()])
        for dtype in (torch.bfloat16, torch.float16):
            _demand_near(usable(layer, layer(x.to(dtype)), x.shape, dtype), wide, name, x.to(dtype))
        for dtype in (torch.bfloat16, torch.float16):
            layer.to(dtype)
            _demand_near(usable(layer, layer(x.to(dtype)), x.shape, dtype), wide, name, x.to(dtype))


# Work ---------------------------------------------------------------------------------------------

ONE_EACH = 24  # operations, for 32 tokens instead of 8


@pytest.mark.rests_on("no Python loop runs over tokens")
def test_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens: each torch operation has a price of its own, and with dim=-1 and
    keepdim one mean serves 32 tokens as well as 8."""
    weight, bias, x = draw.normal(5), draw.normal(5), draw.normal(2, 3, 5)

    def answers(impl):
        norm, rms = impl.LayerNorm(5, eps=0.1), impl.RMSNorm(5, eps=0.1)
        norm.load({"weight": weight, "bias": bias})
        rms.load({"weight": weight})
        functions = impl.layer_norm(x, weight, bias, 1e-5), impl.rms_norm(x, weight, 1e-6)
        return norm(x), rms(x), *functions

    compare(answers)  # right first, then fast
    for name, probe in (
        ("layer_norm", lambda impl, x: impl.layer_norm(x, weight, bias, 1e-5)),
        ("rms_norm", lambda impl, x: impl.rms_norm(x, weight, 1e-6)),
        ("LayerNorm", lambda impl, x: impl.LayerNorm(5)(x)),
        ("RMSNorm", lambda impl, x: impl.RMSNorm(5)(x)),
    ):
        _demand_no_growth(submission, draw, name, probe)


@pytest.mark.rests_on("no Python loop runs over tokens")
def test_backward_of_all_tokens_at_once(compare, submission, draw):
    """The gradients take no Python loop over tokens either: one sum over the first axis adds up
    what all tokens give to weight and bias."""
    weight, x, grad = draw.normal(5), draw.normal(2, 3, 5), draw.normal(2, 3, 5)
    compare.layer_norm_backward(grad, x, weight, 1e-5)  # right first, then fast
    _demand_no_growth(
        submission,
        draw,
        "layer_norm_backward",
        lambda impl, x: impl.layer_norm_backward(x, x, weight, 1e-5)[0],
    )


@pytest.mark.rests_on("nothing on the way has a matrix for every token")
def test_builds_no_matrix(compare, submission, draw):
    """Norms and gradient take memory for the numbers of x, not for a d x d matrix for every token:
    at a width of 512 that would be 512 times as much."""
    x, grad, weight = draw.normal(4, 10, 24), draw.normal(4, 10, 24), draw.normal(24)
    probes = {
        "layer_norm": lambda impl: impl.layer_norm(x, weight, None, 1e-5),
        "rms_norm": lambda impl: impl.rms_norm(x, weight, 1e-6),
        "layer_norm_backward": lambda impl: impl.layer_norm_backward(grad, x, weight, 1e-5),
    }
    for name, probe in probes.items():
        compare(probe)  # right first
        work = work_of(submission, probe)
        assert work.largest <= 6 * x.numel(), f"{name} builds a d x d matrix for every token"


def _demand_no_growth(submission, draw, name, probe):
    def operations(*shape):
        x = draw.normal(*shape)
        return work_of(submission, lambda impl: usable(impl, probe(impl, x), shape)).operations

    for few, many in (((2, 8, 5), (2, 32, 5)), ((8, 2, 5), (32, 2, 5))):
        first, second = operations(*few), operations(*many)
        assert second - first < ONE_EACH, f"{name}: more torch operations for more tokens"
