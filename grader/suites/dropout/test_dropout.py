"""Hidden checks of ``dropout``.

Masks are random, so most checks state a property. Shares are held to six standard deviations.
"""

from __future__ import annotations

import math

import pytest
import torch

from grader.check import (
    SeededGenerator,
    dependence,
    finding,
    gradient,
    on_one_device,
    refuses,
    usable,
)

ONE_FOR_EACH = (
    "Draw one random number for each element of x, in a tensor of the shape of x, and compare each "
    "of them with p."
)
NOT_OUT_OF_TRAINING = "Where `training` is False, x comes back as it is: ask for that first."


def numbers(draw, *shape, grad=False):
    """Normal numbers, none of them exactly 0."""
    x = draw.normal(*shape)
    return torch.where(x == 0, 1.0, x).requires_grad_(grad)


def both_ways(draw):
    """A name and a generator: without one, and with one."""
    return (("dropout", None), ("dropout with a generator", draw.generator()))


def looked_at(impl, x, y):
    """``y`` itself, an answer to ``x``: a tensor like it; it may be all zeros, or all fours."""
    fewer = isinstance(y, torch.Tensor) and y.ndim == 1 and y.numel() < x.numel()
    assert not fewer or len(y) in x.shape, (
        "dropout returns fewer numbers than x has, in one row: what is dropped stays in its place, "
        "as a 0."
    )
    return usable(impl, y, x.shape, x.dtype, varied=False)


def dropped(impl, name, x, y):
    """Which elements of ``y`` are zero: some of them, but not all."""
    zero = looked_at(impl, x, y) == 0
    if not zero.any():
        ratios = y[x != 0] / x[x != 0]
        filled = ratios.max() - ratios.min() > 0.1
        assert not filled, f"{name} puts something else than 0 in the place of what it drops."
        raise finding(
            f"{name} dropped none of {x.numel()} elements in training.", help=ONE_FOR_EACH
        )
    if zero.all():
        said = f"{name} dropped all of {x.numel()} elements, although p is less than 1."
        raise finding(said, help=ONE_FOR_EACH)
    return zero


def near(ratios, factor, accuracy=1e-4):
    return bool(((ratios - factor).abs() <= accuracy * factor).all())


def look_at_factor(impl, name, x, y, p, accuracy=1e-4):
    """Asserts that what is not zero in ``y`` is ``x / (1 - p)``, and says what it is instead."""
    kept = ~dropped(impl, name, x, y)
    ratios = y[kept].double() / x[kept].double()
    right = 1 / (1 - p)
    if near(ratios, right, accuracy):
        return
    known = {
        "1": 1.0,
        "1 / p": 1 / p,
        "1 - p": 1 - p,
        "p": p,
        "2 whatever p is": 2.0,
        "1 / (1 - p) twice": right**2,
        "the square root of 1 / (1 - p)": right**0.5,
        "1 / (the share that happened to survive)": 1 / kept.double().mean().item(),
    }
    for said, factor in known.items():
        if near(ratios, factor, accuracy):
            if said == "1 / p" and not differs_from(p, kept[x != 0]):
                raise finding(
                    f"{name} keeps a share p of all elements, and multiplies them by 1 / p.",
                    help="That takes p for the probability to be kept, as the paper does: here it "
                    "is the probability to be dropped, and 1 - p that to be kept.",
                )
            raise finding(
                f"{name} multiplies survivors by {said}, not by 1 / (1 - p).",
                help="Divide what is kept by 1 - p, the probability to be kept.",
            )
    assert ratios.max() - ratios.min() <= 0.1, f"{name} does not treat all survivors alike."
    raise AssertionError(f"{name} multiplies survivors by another factor than 1 / (1 - p).")


def differs_from(chance, happened):
    """Whether what happened so often did not happen by such a chance."""
    spread = math.sqrt(chance * (1 - chance) / happened.numel())
    return abs(happened.double().mean().item() - chance) > 6 * spread


def look_at_share(impl, name, x, y, p, another=0.0):
    """Asserts that the share of zeros in ``y`` is ``p``, and says what it is instead; ``another``
    is the probability of another layer.
    """
    zero = dropped(impl, name, x, y)
    found, axis = dependence(zero, p) or ("", 0)
    if found == "together":  # their share may be p by chance
        raise finding(
            f"{name} drops all elements along an axis together: axis {axis} of {zero.ndim}.",
            help=ONE_FOR_EACH,
        )
    if not differs_from(p, zero):
        return
    known = {
        "1 - p": 1 - p,
        "1 / 2 whatever p is": 0.5,
        "p of a first and p of a second mask": 1 - (1 - p) ** 2,
        "the p of another layer": another,
        "P(normal number < p)": 0.5 + 0.5 * math.erf(p / math.sqrt(2)),
    }
    fitting = [said for said, chance in known.items() if not differs_from(chance, zero)]
    if len(fitting) == 1:  # of several, nobody knows which
        raise finding(
            f"{name} drops with probability {fitting[0]}, not with p.",
            help={
                "1 - p": "An element is dropped with probability p, and kept with 1 - p. Do you "
                "compare the other way round, or keep where it should be dropped?",
                "P(normal number < p)": "randn draws normal numbers, which lie anywhere around 0: "
                "rand draws uniform ones, between 0 and 1, and a share of p is below p.",
            }.get(fitting[0], ""),
        )
    raise AssertionError(f"{name} drops with another probability than p.")


def look_at_independence(impl, name, run, draw):
    """Asserts that with p = 0.5 the mask is a row of fair coins, along every axis of any input."""
    x = numbers(draw, 5, 8)
    shares = torch.stack([(looked_at(impl, x, run(x)) == 0).double().mean() for _ in range(6)])
    assert (shares > 0).any(), f"{name} drops nothing in training."
    mixed = (shares > 0) & (shares < 1)
    assert mixed.any(), f"{name} drops or keeps the whole tensor at once."
    for shape in ((4000,), (60, 70), (14, 15, 16), (8, 9, 7, 10), (5, 6, 7, 4, 5)):
        x = numbers(draw, *shape)
        look_at_coins(name, looked_at(impl, x, run(x)) == 0)
    for x in (numbers(draw, 70, 60).T, numbers(draw, 1, 15, 16).expand(14, 15, 16)):
        look_at_coins(name, looked_at(impl, x, run(x)) == 0)


def look_at_coins(name, dropped):
    """Asserts that every element was dropped by a coin of its own."""
    found, axis = dependence(dropped, 0.5) or ("", 0)
    place = f"axis {axis} of {dropped.ndim}"
    if found == "together":
        raise finding(
            f"{name} drops all elements along an axis together: {place}.",
            help=ONE_FOR_EACH,
        )
    assert found != "chance", f"{name} drops with another probability than p."
    assert found != "favoured", f"{name} favours some places along an axis: {place}."
    assert not found, (
        f"{name} does not decide about each element independently, with {dropped.ndim} axes."
    )


def refuses_no_probability(make, name):
    """p below 0 and p above 1 are refused."""
    below, above = -0.01, 1.01
    refuses(lambda: make(below), f"{name}, p = {below}", lambda: make(above), f"p = {above}")


@pytest.mark.core("dropout")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(">>> sorted(set(dropout(torch.ones(1000), 0.75, training=True).tolist()))")
def test_example(compare, submission):
    """Out of training nothing changes; in training with p = 0.75 a one becomes 0 or 4."""
    x = torch.ones(1000)
    look_at_factor(submission, "dropout", x, submission.dropout(x, 0.75, training=True), 0.75)
    y = looked_at(submission, x, submission.dropout(x, 0.75, training=False))
    if (y == 0).any():
        raise finding("dropout drops out of training as well.", help=NOT_OUT_OF_TRAINING)
    compare.dropout(torch.tensor([1.0, 2.0, 3.0]), 0.5, training=False)


@pytest.mark.core("dropout")
@pytest.mark.points(2)
@pytest.mark.rests_on("out of training the values of x come back, whatever p is")
def test_evaluation_changes_nothing(compare, submission, draw):
    """Out of training the values come back as they are, whatever p is, and so do gradients."""
    x = numbers(draw, 30, 40)
    y = looked_at(submission, x, submission.dropout(x, 0.3, False))
    if (y == 0).any():
        trained = looked_at(submission, x, submission.dropout(x, 0.3, True))
        assert (trained == 0).any(), "dropout drops out of training only: `training` is reversed."
        raise finding("dropout drops out of training as well.", help=NOT_OUT_OF_TRAINING)
    one = draw.generator()
    y = looked_at(submission, x, submission.dropout(x, 0.3, False, one))
    if (y == 0).any():
        said = "dropout with a generator drops out of training as well."
        raise finding(said, help=NOT_OUT_OF_TRAINING)
    for generator, chances in ((None, (0.3, 0.0, 1.0)), (one, (0.9, 1.0))):
        compare(lambda impl: [impl.dropout(x, p, False, generator) for p in chances], wrt=[x])


@pytest.mark.core("dropout")
@pytest.mark.points(2)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("with probability p, the survivors times 1 / (1 - p)")
def test_survivors_are_divided_by_the_chance_to_survive(submission, draw):
    """What is not dropped is multiplied by 1 / (1 - p), so that the average stays."""
    for p in (0.2, 0.75, 0.02, 0.97):
        x = numbers(draw, 180, 200)  # so many that no row of coins is all tails
        x[::7] = 0.0
        y = submission.dropout(x, p, True)
        assert (looked_at(submission, x, y)[::7] == 0).all(), (
            "dropout makes something out of zeros."
        )
        look_at_factor(submission, "dropout", x, y, p)


@pytest.mark.core("dropout")
@pytest.mark.points(2)
@pytest.mark.kept("the rule itself; other checks only brush it")
@pytest.mark.rests_on("each element of x dropped with probability p")
def test_p_is_the_probability_of_being_dropped(submission, draw):
    """With p = 0.2 about 20 in 100 elements become zero, with p = 0.73 about 73."""
    for p in (0.2, 0.73, 0.03, 0.96, 0.004):
        x = numbers(draw, 120, 200)
        look_at_share(submission, "dropout", x, submission.dropout(x, p, True), p)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "every element is dropped or kept independently of all others",
    "may have any number of axes and lie in memory in any way",
)
def test_elements_are_dropped_independently(submission, draw):
    """Whether an element is dropped tells nothing about any other, along no axis, however many
    axes there are."""
    one = draw.generator()
    look_at_independence(submission, "dropout", lambda x: submission.dropout(x, 0.5, True), draw)
    look_at_independence(
        submission,
        "dropout with a generator",
        lambda x: submission.dropout(x, 0.5, True, one),
        draw,
    )


@pytest.mark.rests_on("every element is dropped or kept independently of all others")
def test_the_number_of_dropped_elements_varies(submission, draw):
    """p is a chance, not a quota: how many elements are dropped differs from call to call."""
    x = numbers(draw, 30, 70)
    masks = [dropped(submission, "dropout", x, submission.dropout(x, 0.5, True)) for _ in range(8)]
    repeats = torch.stack([mask == masks[0] for mask in masks]).all()
    counts = torch.stack([mask.sum() for mask in masks])
    assert repeats or counts.max() > counts.min(), (
        "dropout drops the same number of elements every time: decide about each by itself."
    )


def begun_anew(name):
    """What is said of random numbers that are the first ones every time."""
    return finding(
        f"{name} starts its random numbers again in every call.",
        help="manual_seed, and a torch.Generator that is made in the call, begin with the same "
        "numbers each time; so do numbers whose state is set back (fork_rng). Draw from the "
        "generator that is given, and from torch's own if it is None, which needs no more than "
        "generator=generator.",
    )


@pytest.mark.rests_on("every call draws a fresh mask")
def test_every_call_draws_a_fresh_mask(submission, draw):
    """Two calls with the same input drop different elements."""
    x = numbers(draw, 20, 30)
    first, second = (
        dropped(submission, "dropout", x, submission.dropout(x, 0.5, True)) for _ in range(2)
    )
    if torch.equal(first, second):
        longer = torch.cat([x.flatten(), x[0]])
        third = dropped(submission, "dropout", longer, submission.dropout(longer, 0.5, True))
        starts_again = torch.equal(third[: x.numel()], first.flatten())
        if starts_again:
            raise begun_anew("dropout")
        raise AssertionError("dropout drops the same elements in every call.")


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "two generators with the same seed give the same mask, other seeds and later calls give other"
)
def test_the_generator_decides_the_mask(submission, draw):
    """Same seed, same mask; the next call and another seed give another mask."""
    one = draw.generator()
    again, other = SeededGenerator(one.seed), SeededGenerator(one.seed + 1)
    masks = []
    for generator in (one, one, again, other):
        x = numbers(draw, 20, 30)
        y = submission.dropout(x, 0.3, True, generator=generator)
        masks.append(dropped(submission, "dropout", x, y))
    first, second, repeated, differs = masks
    assert torch.equal(first, repeated), (
        "Generators with the same seed give different masks: the mask does not come from them."
    )
    assert not torch.equal(first, second), (
        "The second call with a generator repeats the mask of the first."
    )
    assert not torch.equal(first, differs), "Generators with different seeds give the same mask."
    x = numbers(draw, 60, 80)
    y = submission.dropout(x, 0.3, True, one)
    look_at_share(submission, "dropout with a generator", x, y, 0.3)
    look_at_factor(submission, "dropout with a generator", x, y, 0.3)


@pytest.mark.rests_on("torch's global generator is never reseeded")
@pytest.mark.kept("who sets a state instead of a seed is found here alone")
def test_a_generator_leaves_the_global_one_alone(submission, draw):
    """No call reseeds torch's global generator: neither with a generator, nor out of training."""
    one = draw.generator()
    again = SeededGenerator(one.seed)

    def mask():
        x = numbers(draw, 20, 30)  # another every time: one that is changed tells nothing here
        return dropped(submission, "dropout", x, submission.dropout(x, 0.5, True))

    submission.dropout(numbers(draw, 20, 30), 0.5, True, generator=one)
    first, second = mask(), mask()
    if torch.equal(first, second):
        return  # another check's subject
    submission.dropout(numbers(draw, 20, 30), 0.5, True, generator=again)
    third = mask()
    assert not torch.equal(first, third), (
        "A call with a generator reseeds torch's global one: the next call without repeats itself."
    )
    for p, training in ((0.5, False), (0.0, True), (1.0, True)):
        masks = []
        for _ in range(2):
            submission.dropout(numbers(draw, 20, 30), p, training)
            masks.append(mask())
        assert not torch.equal(*masks), (
            "A call that drops nothing or everything reseeds torch's global generator."
        )


@pytest.mark.rests_on("p = 0 keeps everything, and p = 1 makes everything zero")
def test_p_zero_keeps_everything(compare, submission, draw):
    """p = 0 is allowed in training and changes nothing."""
    x = numbers(draw, 2, 5)
    y = looked_at(submission, x, submission.dropout(x, 0.0, True))
    assert (y != 0).any(), "dropout drops everything with p = 0."
    assert (y != 0).all(), "dropout drops something with p = 0."
    for _, generator in both_ways(draw):
        compare(lambda impl: impl.dropout(x, 0.0, True, generator), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on("p = 1 makes everything zero, without NaN, and so is the gradient")
def test_p_one_drops_everything(compare, submission, draw):
    """p = 1 is allowed: all values are zero and so is the gradient, without NaN."""
    for name, generator in both_ways(draw):
        x = numbers(draw, 30, 30, grad=True)
        y = submission.dropout(x, 1.0, True, generator)
        if isinstance(y, torch.Tensor) and y.isnan().any():
            raise finding(
                f"{name} returns NaN with p = 1.",
                help="1 - p is 0 there, and 0 / 0 is NaN: p = 1 needs a line of its own.",
            )
        y = looked_at(submission, x, y)
        assert (y == 0).any(), f"{name} drops nothing with p = 1."
        assert (y == 0).all(), f"{name} lets something survive with p = 1."
        found = gradient(submission, y, numbers(draw, 30, 30), x)
        found = torch.zeros_like(x) if found is None else found
        assert not found.isnan().any(), f"{name} returns zeros with p = 1, but its gradient is NaN."
        assert (found == 0).all(), f"{name} returns zeros with p = 1, but its gradient is not 0."
    for dtype in (torch.bfloat16, torch.float64, torch.float16):
        for _, generator in both_ways(draw):
            x = numbers(draw, 3, 4).to(dtype)
            compare.dropout(x, 1.0, True, generator)


@pytest.mark.points(2)
@pytest.mark.rests_on("gradients pass through the mask that the values went through")
def test_gradients_pass_through_the_same_mask(submission, draw):
    """Dropped elements get no gradient, survivors get theirs times the factor they grew by."""
    for name, generator in both_ways(draw):
        x, cotangent = numbers(draw, 30, 40, grad=True), numbers(draw, 30, 40)
        y = submission.dropout(x, 0.6, True, generator)
        kept = ~dropped(submission, name, x, y)
        found = gradient(submission, y, cotangent, x)
        assert found is not None, f"{name} returns a tensor that has left the graph."
        passed = found[~kept] != 0
        assert not passed.all(), f"{name} passes a gradient to what it dropped."
        assert not passed.any(), f"{name} draws another mask for the gradient."
        ratios = (found[kept] / cotangent[kept] * x.detach()[kept] / y[kept]).double()
        assert not near(ratios, 0.4), f"{name} does not give the gradient the factor 1 / (1 - p)."
        assert near(ratios, 1.0), f"{name} gives the gradient another factor than the values."


@pytest.mark.points(2)
@pytest.mark.rests_on("the result has the shape, the dtype and the device of x")
def test_keeps_the_dtype(submission, draw):
    """bfloat16 in gives bfloat16 out, float64 in gives float64 out."""
    for dtype in (torch.bfloat16, torch.float64, torch.float16):
        accuracy = 2**-6 if dtype is torch.bfloat16 else 2**-8
        for name, generator in both_ways(draw):
            x = draw.uniform(60, 70, low=0.5, high=2.0).to(dtype)
            y = submission.dropout(x, 0.4, True, generator)
            look_at_factor(submission, name, x, y, 0.4, accuracy)
            look_at_share(submission, name, x, y, 0.4)


@pytest.mark.rests_on("the result has the shape, the dtype and the device of x")
def test_stays_on_the_device(compare, submission, draw):
    """The mask is drawn on the device of x: a result for an x that is not on the CPU is not
    there either."""
    x = numbers(draw, 3, 4).to("meta")

    def moved(impl):
        layer = impl.Dropout(0.5)
        layer.to("meta")
        return layer(x)

    for name, generator in both_ways(draw):
        with on_one_device(name):
            compare.dropout(x, 0.5, True, generator)
            compare(moved)


@pytest.mark.rests_on("and x stays as it was")
def test_leaves_its_input_alone(submission, draw):
    """The caller's tensor is not changed, neither by the function nor by the layer."""
    x, one = numbers(draw, 20, 30), draw.generator()
    before = usable(submission, submission.dropout(x, 0.5, False), x.shape)
    calls = {
        "dropout": lambda: submission.dropout(x, 0.5, True),
        "dropout with a generator": lambda: submission.dropout(x, 0.5, True, one),
        "Dropout": lambda: submission.Dropout(0.5)(x),
    }
    for name, call in calls.items():
        dropped(submission, name, x, call())
        after = looked_at(submission, x, submission.dropout(x, 0.5, False))
        changed = torch.equal(before, x) and not torch.equal(before, after)
        assert not changed, f"{name} changes its input in place."


@pytest.mark.rests_on("ValueError: p is less than 0 or greater than 1")
def test_refuses_what_is_no_probability(submission, draw):
    """A p below 0 or above 1 raises ValueError, in training and out of it."""
    x = numbers(draw, 3, 4)
    for name, generator in both_ways(draw):
        for mode, training in (("in training", True), ("out of training", False)):
            refuses_no_probability(
                lambda p: submission.dropout(x, p, training, generator), f"{name} {mode}"
            )


@pytest.mark.core("Dropout")
@pytest.mark.points(2)
@pytest.mark.rests_on("A module starts in train mode; eval() and train() switch")
def test_layer_follows_train_and_eval(compare, submission, draw):
    """A new layer drops, after eval() it does not, after train() it does again; so does a layer
    that is switched by the module around it."""
    x, other, third = (numbers(draw, 30, 20) for _ in range(3))
    layer = submission.Dropout(0.7)
    looked_at(submission, x, first := layer(x))
    if not (first == 0).any() and (layer.train()(x) == 0).any():
        raise finding(
            "A new Dropout layer drops nothing before train() is called.",
            help="nn.Module begins in training mode: leave self.training alone.",
        )
    dropped(submission, "A new Dropout layer", x, first)
    layer.eval()
    y = looked_at(submission, other, layer(other))
    assert not (y == 0).any(), "Dropout drops after eval()."
    layer.train()
    dropped(submission, "After eval() and train(), Dropout", third, layer(third))
    layer.train(False)  # what a module around it calls
    y = looked_at(submission, other, layer(other))
    assert not (y == 0).any(), "Dropout drops after train(False), as the module around it says it."

    def evaluated(impl, *chances):
        layers = [impl.Dropout(p) for p in chances]
        for layer in layers:
            layer.eval()
        return [layer(other) for layer in layers]

    compare(lambda impl: evaluated(impl, 0.7), wrt=[other])
    compare(lambda impl: evaluated(impl, 1.0, 0.0), wrt=[other])


@pytest.mark.points(2)
@pytest.mark.rests_on("each layer drops with the p it was made with")
def test_layer_drops_with_its_p(compare, submission, draw):
    """The layer drops with the probability it was made with, and survivors grow by 1 / (1 - p);
    other layers and copies change nothing about it."""
    layers = {p: submission.Dropout(p) for p in (0.2, 0.75)}
    for p, layer in layers.items():
        copy = layer.deepcopy()
        for one in (layer, copy):
            x = numbers(draw, 120, 100)
            y = one(x)
            look_at_share(submission, "Dropout", x, y, p, another=sum(layers) - p)
            look_at_factor(submission, "Dropout", x, y, p)
    y = looked_at(submission, x, submission.Dropout(1.0)(x))
    assert (y == 0).all(), "Dropout(1.0) lets something through."
    x = numbers(draw, 3, 4)
    y = looked_at(submission, x, submission.Dropout(0.0)(x))
    assert torch.allclose(y, x), "Dropout(0.0) changes something."
    compare(lambda impl: [impl.Dropout(p)(x) for p in (1.0, 0.0)])


@pytest.mark.points(2)
@pytest.mark.rests_on("dropout as a layer, which drops in train mode only")
def test_layer_does_all_that_the_function_does(submission, draw):
    """The layer, too, drops elements independently, keeps the dtype and passes gradients."""
    look_at_independence(submission, "Dropout", submission.Dropout(0.5), draw)
    for dtype in (torch.bfloat16, torch.float64, torch.float16):
        x = draw.uniform(20, 30, low=0.5, high=2.0).to(dtype)
        look_at_factor(submission, "Dropout", x, submission.Dropout(0.5)(x), 0.5, accuracy=2**-6)
    x = numbers(draw, 30, 40, grad=True)
    y = submission.Dropout(0.5)(x)
    zero = dropped(submission, "Dropout", x, y)
    cotangent = numbers(draw, 30, 40)
    found = gradient(submission, y, cotangent, x)
    assert found is not None, "Dropout returns a tensor that has left the graph."
    assert not found[zero].any(), "Elements that Dropout dropped get a gradient."
    assert near(found[~zero] / cotangent[~zero], 2.0), "The gradient through Dropout is wrong."


@pytest.mark.rests_on(
    "every call draws a fresh mask, and two layers draw different ones",
    "making a layer does not seed torch's global generator",
)
def test_layer_draws_a_fresh_mask(submission, draw):
    """Neither the next call, nor another layer, nor a deep copy repeats a mask; nor does a layer
    that is made later."""
    x = numbers(draw, 20, 30)
    layer, other = submission.Dropout(0.5), submission.Dropout(0.5)
    first, second, third = (
        dropped(submission, "Dropout", x, run(x)) for run in (layer, layer, other)
    )
    if torch.equal(first, second):
        longer = torch.cat([x.flatten(), x[0]])
        fourth = dropped(submission, "Dropout", longer, submission.Dropout(0.5)(longer))
        starts_again = torch.equal(fourth[: x.numel()], first.flatten())
        if starts_again:
            raise begun_anew("Dropout")
        raise AssertionError("Dropout drops the same elements in every call.")
    assert not torch.equal(first, third), "Two Dropout layers drop the same elements."
    copy = layer.deepcopy()
    one, another = (dropped(submission, "Dropout", x, run(x)) for run in (layer, copy))
    assert not torch.equal(one, another), "A deep copy of a layer drops what the layer drops."
    made_now = (dropped(submission, "Dropout", x, submission.Dropout(0.5)(x)) for _ in range(2))
    assert not torch.equal(*made_now), "Making a Dropout layer starts the random numbers again."


@pytest.mark.rests_on("The layer has no parameters")
def test_layer_has_no_parameters(submission):
    """There is nothing to learn in dropout."""
    names = list(submission.Dropout(0.5).parameters())
    assert not names, f"Dropout has parameters ({', '.join(names)}): p is a plain number."


@pytest.mark.rests_on("p is less than 0 or greater than 1, when the layer is made")
def test_layer_refuses_what_is_no_probability(submission):
    """A layer with a p below 0 or above 1 is not made: that raises ValueError."""
    refuses_no_probability(submission.Dropout, "Dropout")
