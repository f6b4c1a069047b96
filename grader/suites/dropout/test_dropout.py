"""Hidden checks of ``dropout``.

Masks are random, so most checks state a property. Shares are held to six standard deviations.
"""

from __future__ import annotations

import math

import pytest
import torch

from grader.errors import SubmissionRaised
from grader.examiner.draw import SeededGenerator
from grader.examiner.implementation import Implementation, gradient

SAME_MASK = "Two calls gave the same mask: every call must draw a fresh one."


@pytest.fixture
def submission(opened):
    """The program examined, for properties that no comparison shows."""
    opened.begin()
    return Implementation(opened)


def tensor_like(x, y):
    """``y`` itself, after a look at its kind, shape and dtype."""
    assert isinstance(y, torch.Tensor), "The result is not a tensor (is a `return` missing?)."
    assert y.shape == x.shape, f"The result of shape {tuple(x.shape)} in is {tuple(y.shape)} out."
    assert y.dtype == x.dtype, f"{x.dtype} in gives {y.dtype} out."
    return y


def near(ratios, factor, accuracy=1e-4):
    return bool(((ratios - factor).abs() <= accuracy * factor).all())


def look_at_factor(x, y, p, accuracy=1e-4):
    """Asserts that what is not zero in ``y`` is ``x / (1 - p)``, and says what it is instead."""
    kept = y != 0
    assert kept.any(), "Nothing survives although p is less than 1."
    assert not y.isnan().any(), "The result holds NaN."
    ratios = y[kept].double() / x[kept].double()
    right = 1 / (1 - p)
    if near(ratios, right, accuracy):
        return
    share = kept.double().mean().item()
    assert not near(ratios, 1.0), "Survivors keep their value: they must grow by 1 / (1 - p)."
    assert not near(ratios, 1 / p), "Survivors grow by 1 / p: the factor is 1 / (1 - p)."
    assert not near(ratios, 1 - p), "Survivors are multiplied by 1 - p: divide by it."
    assert not near(ratios, p), "Survivors are multiplied by p: divide by 1 - p."
    assert not near(ratios, 2.0), "Survivors are doubled whatever p is: divide by 1 - p."
    assert not near(ratios, right**2), "Survivors have grown twice, by 1 / (1 - p) ** 2."
    assert not near(ratios, right**0.5), "Survivors grow by the square root of 1 / (1 - p)."
    assert not near(ratios, 1 / share), (
        "The factor follows the share that happened to survive: it is 1 / (1 - p), always."
    )
    assert ratios.max() - ratios.min() <= 1e-3, (
        "The survivors are not all multiplied by the same factor."
    )
    raise AssertionError("Survivors are multiplied by another factor than 1 / (1 - p).")


def look_at_share(y, p):
    """Asserts that the share of zeros in ``y`` is ``p``, and says what it is instead."""
    share = (y == 0).double().mean().item()

    def is_(chance):
        return abs(share - chance) <= 6 * math.sqrt(chance * (1 - chance) / y.numel())

    if is_(p):
        return
    assert share > 0, "Nothing is dropped in training."
    assert share < 1, "Everything is dropped."
    assert not is_(1 - p), "Elements are KEPT with probability p: p is the chance to be dropped."
    assert not is_(0.5), "Half of the elements are dropped whatever p is."
    assert not is_(1 - (1 - p) ** 2), "Elements are dropped twice over."
    assert not is_(p * p), "Elements are dropped with probability p * p."
    assert not is_(0.5 + 0.5 * math.erf(p / math.sqrt(2))), (
        "Normal numbers are compared with p: draw them uniformly between 0 and 1 (torch.rand)."
    )
    raise AssertionError("The share of dropped elements is not p.")


def look_at_neighbours(y, name):
    """Asserts that in ``y``, made with p = 0.5, neighbours share their fate half of the time."""
    kept = y != 0
    assert kept.any() and not kept.all(), f"{name} drops or keeps the whole tensor at once."
    for axis, place in enumerate(("first", "middle", "last")):
        length = kept.shape[axis]
        same = kept.narrow(axis, 1, length - 1) == kept.narrow(axis, 0, length - 1)
        share = same.double().mean().item()
        assert share < 1, f"{name} drops or keeps all elements along the {place} axis together."
        assert abs(share - 0.5) <= 6 * 0.5 / math.sqrt(same.numel()), (
            f"{name} does not drop neighbours along the {place} axis independently."
        )


def look_at_refusal(make, *chances):
    """Asserts that ``make(p)`` raises ValueError for each of ``chances``."""
    accepted = []
    for p in chances:
        try:
            make(p)
        except SubmissionRaised as error:
            kind = error.raised.type_name
            if kind == "NotImplementedError":
                raise
            assert kind in ("ValueError", "AssertionError"), (
                f"p = {p} raises {kind}: look at p yourself and raise ValueError."
            )
        else:
            accepted.append(str(p))
    assert not accepted, f"p = {' and p = '.join(accepted)} is accepted: raise ValueError."


@pytest.mark.public
@pytest.mark.stands("the page's own example, for a first answer")
def test_example(compare, submission):
    """Out of training nothing changes; in training with p = 0.75 a one becomes 0 or 4."""
    compare(lambda impl: impl.dropout(torch.tensor([1.0, 2.0, 3.0]), 0.5, training=False))
    x = torch.ones(1000)
    y = tensor_like(x, submission.dropout(x, 0.75, training=True))
    look_at_factor(x, y, 0.75)
    look_at_share(y, 0.75)


@pytest.mark.points(2)
def test_evaluation_changes_nothing(compare, draw):
    """Out of training the values come back as they are, whatever p is, and so do gradients."""
    x = draw.normal(3, 4, 5)
    for p in (0.3, 0.9, 0.0, 1.0):
        compare(lambda impl, p=p: impl.dropout(x, p, False), wrt=[x])


@pytest.mark.points(2)
def test_survivors_are_divided_by_the_chance_to_survive(submission, draw):
    """What is not dropped is multiplied by 1 / (1 - p), so that the average stays."""
    x = draw.normal(40, 60)
    for p in (0.2, 0.75):
        look_at_factor(x, tensor_like(x, submission.dropout(x, p, True)), p)


@pytest.mark.points(2)
def test_p_is_the_probability_of_being_dropped(submission, draw):
    """With p = 0.2 about 20 in 100 elements become zero, with p = 0.7 about 70."""
    x = draw.normal(120, 200)
    for p in (0.2, 0.7):
        look_at_share(tensor_like(x, submission.dropout(x, p, True)), p)


@pytest.mark.points(2)
def test_elements_are_dropped_independently(submission, draw):
    """Whether an element is dropped tells nothing about its neighbours along any axis."""
    x = draw.normal(20, 30, 40)
    look_at_neighbours(tensor_like(x, submission.dropout(x, 0.5, True)), "dropout")
    look_at_neighbours(tensor_like(x, submission.Dropout(0.5)(x)), "Dropout")


def test_the_number_of_dropped_elements_varies(submission, draw):
    """p is a chance, not a quota: how many elements are dropped differs from call to call."""
    x = draw.normal(30, 70)
    counts = {(tensor_like(x, submission.dropout(x, 0.5, True)) == 0).sum() for _ in range(8)}
    assert len({int(count) for count in counts}) > 1, (
        "The same number of elements is dropped in every call: each must be decided by itself."
    )


def test_every_call_draws_a_fresh_mask(submission, draw):
    """Two calls with the same input drop different elements."""
    x = draw.normal(20, 30)
    first, second = (tensor_like(x, submission.dropout(x, 0.5, True)) for _ in range(2))
    assert not torch.equal(first, second), SAME_MASK


@pytest.mark.points(2)
def test_the_generator_decides_the_mask(submission, draw):
    """Same seed, same mask; the next call and another seed give another mask."""
    x = draw.normal(20, 30)
    one = draw.generator()
    again, other = SeededGenerator(one.seed), SeededGenerator(one.seed + 1)
    first, second, repeated, differs = (
        tensor_like(x, submission.dropout(x, 0.3, True, generator=generator))
        for generator in (one, one, again, other)
    )
    assert torch.equal(first, repeated), (
        "Generators with the same seed gave different masks: the mask must come from `generator`."
    )
    assert not torch.equal(first, second), (
        "The second call with a generator repeats the first one's mask: let the generator run on."
    )
    assert not torch.equal(first, differs), (
        "Generators with different seeds gave the same mask: the mask must come from `generator`."
    )
    look_at_share(first, 0.3)
    look_at_factor(x, first, 0.3)


def test_a_generator_leaves_the_global_one_alone(submission, draw):
    """A call with a generator does not reseed torch's global generator."""
    x = draw.normal(20, 30)
    one = draw.generator()
    again = SeededGenerator(one.seed)
    submission.dropout(x, 0.5, True, generator=one)
    first = tensor_like(x, submission.dropout(x, 0.5, True))
    second = tensor_like(x, submission.dropout(x, 0.5, True))
    submission.dropout(x, 0.5, True, generator=again)
    third = tensor_like(x, submission.dropout(x, 0.5, True))
    assert not torch.equal(first, second), SAME_MASK
    assert not torch.equal(first, third), (
        "A call with a generator reseeds torch's global one: the next call without repeats itself."
    )


def test_p_zero_keeps_everything(compare, draw):
    """p = 0 is allowed in training and changes nothing."""
    x = draw.normal(2, 5)
    compare(lambda impl: impl.dropout(x, 0.0, True), wrt=[x])


@pytest.mark.points(2)
def test_p_one_drops_everything(submission, draw):
    """p = 1 is allowed: all values are zero and so is the gradient, without NaN."""
    x = draw.normal(40, 60, grad=True)
    y = tensor_like(x, submission.dropout(x, 1.0, True))
    assert not y.isnan().any(), "With p = 1 the result is NaN: 0 / 0."
    assert (y == 0).all(), "With p = 1 something survives."
    found = gradient(submission, y, draw.normal(40, 60), x)
    if found is not None:
        assert not found.isnan().any(), "With p = 1 the values are right, but the gradient is NaN."
        assert (found == 0).all(), "With p = 1 the gradient is not zero."


@pytest.mark.points(2)
def test_gradients_pass_through_the_same_mask(submission, draw):
    """Dropped elements get no gradient, survivors get theirs times 1 / (1 - p)."""
    p = 0.6
    x = draw.normal(30, 40, grad=True)
    y = tensor_like(x, submission.dropout(x, p, True))
    cotangent = draw.normal(30, 40)
    found = gradient(submission, y, cotangent, x)
    assert found is not None, "The result has left the graph: no gradient flows back to x."
    kept = y != 0
    dropped = found[~kept] != 0
    assert not (dropped.numel() and dropped.all()), "Dropped elements get a gradient."
    assert not dropped.any(), "The gradient passes through another mask than the values."
    ratios = found[kept].double() / cotangent[kept].double()
    assert not near(ratios, 1.0), "The gradient of survivors lacks the factor 1 / (1 - p)."
    assert near(ratios, 1 / (1 - p)), "The gradient of survivors has another factor than 1 / (1 - p)."


@pytest.mark.points(2)
def test_keeps_the_dtype(submission, draw):
    """bfloat16 in gives bfloat16 out, float64 in gives float64 out."""
    for dtype in (torch.bfloat16, torch.float64, torch.float16):
        x = draw.uniform(20, 30, low=0.5, high=2.0).to(dtype)
        accuracy = 2**-6 if dtype is torch.bfloat16 else 2**-8
        for run in (lambda x: submission.dropout(x, 0.4, True), submission.Dropout(0.4)):
            y = tensor_like(x, run(x))
            assert (y == 0).any(), f"Nothing is dropped in {dtype}."
            look_at_factor(x, y, 0.4, accuracy)


def test_any_layout_and_number_of_axes(submission, draw):
    """One axis, four axes and transposed inputs work alike."""
    for x in (draw.normal(400), draw.normal(5, 6, 7, 3), draw.normal(30, 20).T):
        y = tensor_like(x, submission.dropout(x, 0.4, True))
        look_at_factor(x, y, 0.4)
        look_at_share(y, 0.4)


def test_stays_on_the_device_of_its_input(submission):
    """The mask is made on the device of x, by the function and by the layer."""
    x = torch.empty(3, 4, device="meta")
    y = tensor_like(x, submission.dropout(x, 0.5, True))
    assert y.device == x.device, "dropout returns a tensor on another device than that of x."
    y = tensor_like(x, submission.Dropout(0.5)(x))
    assert y.device == x.device, "Dropout returns a tensor on another device than that of x."


def test_leaves_its_input_alone(submission, draw):
    """The caller's tensor is not changed, neither by the function nor by the layer."""
    x = draw.normal(20, 30)
    before = tensor_like(x, submission.dropout(x, 0.5, False))
    submission.dropout(x, 0.5, True)
    after = tensor_like(x, submission.dropout(x, 0.5, False))
    assert torch.equal(before, after), "dropout changes its input in place: make a new tensor."
    submission.Dropout(0.5)(x)
    after = tensor_like(x, submission.dropout(x, 0.5, False))
    assert torch.equal(before, after), "Dropout changes its input in place: make a new tensor."


def test_refuses_what_is_no_probability(submission, draw):
    """p = -0.1 and p = 1.5 raise ValueError."""
    x = draw.normal(3, 4)
    look_at_refusal(lambda p: submission.dropout(x, p, True), -0.1, 1.5)


@pytest.mark.points(2)
def test_layer_follows_train_and_eval(compare, submission, draw):
    """A new layer drops, after eval() it does not, after train() it does again."""
    x = draw.normal(30, 20)

    def evaluated(impl, p):
        layer = impl.Dropout(p)
        layer.eval()
        return layer(x)

    for p in (0.7, 1.0):
        compare(lambda impl, p=p: evaluated(impl, p), wrt=[x])
    layer = submission.Dropout(0.7)
    assert (tensor_like(x, layer(x)) == 0).any(), "A new layer is in train mode, but drops nothing."
    layer.eval()
    layer(x)
    layer.train()
    assert (tensor_like(x, layer(x)) == 0).any(), "After eval() and train() the layer drops nothing."


@pytest.mark.points(2)
def test_layer_drops_with_its_p(submission, draw):
    """The layer drops with the probability it was made with and divides survivors by 1 - p."""
    x = draw.normal(120, 100)
    for p in (0.2, 0.75):
        y = tensor_like(x, submission.Dropout(p)(x))
        look_at_share(y, p)
        look_at_factor(x, y, p)
    y = tensor_like(x, submission.Dropout(1.0)(x))
    assert (y == 0).all(), "A layer with p = 1 lets something through."


def test_layer_passes_gradients(submission, draw):
    """Gradients pass through the layer as they pass through the function."""
    x = draw.normal(30, 40, grad=True)
    y = tensor_like(x, submission.Dropout(0.6)(x))
    cotangent = draw.normal(30, 40)
    found = gradient(submission, y, cotangent, x)
    assert found is not None, "The layer's result has left the graph."
    assert torch.equal(found != 0, (y != 0) & (cotangent != 0)), (
        "The layer's gradient passes through another mask than its values."
    )


def test_layer_draws_a_fresh_mask(submission, draw):
    """Neither the next call nor another layer repeats a mask."""
    x = draw.normal(20, 30)
    layer, other = submission.Dropout(0.5), submission.Dropout(0.5)
    first = tensor_like(x, layer(x))
    assert not torch.equal(first, tensor_like(x, layer(x))), (
        "The layer gave the same mask twice: every call must draw a fresh one."
    )
    assert not torch.equal(first, tensor_like(x, other(x))), (
        "Two layers gave the same mask: do not seed each of them alike."
    )


def test_layer_has_no_parameters(submission):
    """There is nothing to learn in dropout."""
    names = list(submission.Dropout(0.5).parameters())
    assert not names, f"The layer has parameters: {', '.join(names)}. p is a plain number."


def test_layer_refuses_what_is_no_probability(submission, draw):
    """Dropout(-0.1) and Dropout(1.5) raise ValueError, at the latest when first called."""
    x = draw.normal(3, 4)
    look_at_refusal(lambda p: submission.Dropout(p)(x), -0.1, 1.5)
