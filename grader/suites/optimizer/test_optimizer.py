"""Hidden checks of ``optimizer``.

Gradients are handed in by ``Slopes``, so that no loss and no model stand between a formula and its
numbers. Learning rates, eps and weight decays are large on purpose: every slip shows.
"""

from __future__ import annotations

import pytest
import torch

from grader.check import finding, work_of

SHAPES = ((3, 4), (5,), ())
PLAIN = {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-2, "weight_decay": 0.0}
# A copy of an optimizer moves copies of parameters; state_dict has checks of its own; and averages
# that were begun in float32 need not go on in float64.
OTHER = "an optimizer belongs to its parameters, as they were when it was made"
once = pytest.mark.asked_once(OTHER, "copied", "restored", "same_object")

# Decay is tried with large parameters and a small learning rate: whether it is taken before the
# other part of a step or after it makes a millionth of the difference that is allowed.
DECAYED = {"lr": 2e-3, "betas": (0.8, 0.95), "eps": 1e-2, "weight_decay": 0.5}


def starts(draw, *shapes):
    """A tensor for every parameter."""
    return [draw.normal(*shape) for shape in shapes]


def far_from_zero(draw, *shapes):
    """The same, with numbers from 60 to 140, up and down."""
    return [
        (draw.uniform(*shape) * 80 + 60) * (1 - 2 * draw.booleans(*shape).float())
        for shape in shapes
    ]


def slopes_of(draw, steps, *shapes, scale=1.0):
    """Gradients for so many steps: an axis of steps first. Each number has a size of its own."""
    sizes = [draw.uniform(*shape, low=0.1, high=3.0) * scale for shape in shapes]
    return [draw.normal(steps, *size.shape) * size for size in sizes]


def placed(impl, weights):
    """The page's Slopes with these parameters."""
    model = impl.Slopes(*[tuple(weight.shape) for weight in weights])
    model.load({f"p{number}": weight for number, weight in enumerate(weights)})
    return model


def trained(impl, weights, gradients, **options):
    """The parameters after a step for each row of the gradients."""
    model = placed(impl, weights)
    adam = impl.AdamW(model.weights(), **options)
    model.learn(adam, *gradients)
    return model.weights()


def norm_of(impl, weights, gradients, max_norm, params=list):
    """What clipping returns, asked by itself, so that this is the call that is told."""
    model = placed(impl, weights)
    model.push(*gradients)
    return as_number(impl.clip_grad_norm(params(model.weights()), max_norm))


def as_number(norm):
    """A tensor without axes is a number as well, and so both are alike."""
    is_tensor = isinstance(norm, torch.Tensor) and not norm.ndim and norm.device.type != "meta"
    return norm.item() if is_tensor else norm


def in_plain(tensor):
    """A tensor as plain values, which are compared without gradients."""
    return [str(tensor.dtype), tensor.tolist()]


# Schedules ----------------------------------------------------------------------------------------


@pytest.mark.core("noam_lr")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the schedule")
@pytest.mark.rests_on("lr = factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)")
def test_noam(compare):
    """It rises for warmup steps and then falls with the root of the step, scaled by the width."""
    for step in (40, 1, 2, 9, 10, 11, 1000):
        compare.noam_lr(step, 16, 10, 500.0)
    for d_model, warmup in ((4, 10), (512, 10), (16, 1), (16, 100)):
        compare.noam_lr(7, d_model, warmup, factor=300.0)


@pytest.mark.rests_on("step 0 counts as step 1", "Both sides of the minimum are equal at step")
def test_noam_at_its_ends(compare):
    """Step 0 counts as step 1; left out, warmup is 4000 and factor 1."""
    compare.noam_lr(0, 16, 10, 500.0)
    compare.noam_lr(4000, 512)
    for step in (1500, 4000, 4001, 20_000):
        compare.noam_lr(step, 512, factor=1e5)


@pytest.mark.core("cosine_lr")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the schedule")
@pytest.mark.rests_on(
    "lr = peak * (step + 1) / warmup",
    "lr = floor + (peak - floor) * (1 + cos(pi * (step - warmup) / (total - warmup))) / 2",
)
def test_cosine(compare):
    """A line up to the peak, then half a wave down to the floor, and the floor from then on."""
    for step in (0, 1, 6, 7, 8, 12, 20, 36, 37, 38, 100):
        compare.cosine_lr(step, 50.0, 7, 37)
        compare.cosine_lr(step, peak=50.0, warmup=7, total=37, floor=8.0)


@pytest.mark.rests_on(
    "from step total on it is floor, also if total equals warmup",
    "warmup may be 0: then it begins at the peak",
)
def test_cosine_at_its_ends(compare):
    """Without warm-up, and without a fall: nothing is divided by 0."""
    for step in (0, 1, 5, 10, 11):
        compare.cosine_lr(step, 50.0, 0, 10, 8.0)
        compare.cosine_lr(step, 50.0, 10, 10, 8.0)
    compare.cosine_lr(0, 50.0, 0, 0, 8.0)


# Clipping -----------------------------------------------------------------------------------------


@pytest.mark.core("clip_grad_norm")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of clipping")
@pytest.mark.rests_on(
    "g = g * max_norm / norm for every gradient, if norm > max_norm",
    "Returns the norm as it was before, as a number",
)
def test_clipping(compare, draw):
    """All gradients are shortened by one factor, to max_norm together; the norm before is told."""
    weights, gradients = starts(draw, *SHAPES), starts(draw, *SHAPES)
    gradients[1] = gradients[1] * 30  # one of them is much longer than the others

    for max_norm in (5.0, 0.5):

        def clipped(impl):
            model = placed(impl, weights)
            model.push(*gradients)
            impl.clip_grad_norm(model.weights(), max_norm)
            return model.gradients(), [in_plain(p) for p in model.weights()]

        compare(clipped)  # first: the norm alone, asked again, does not tell what was shortened
        compare(lambda impl: norm_of(impl, weights, gradients, max_norm))


@pytest.mark.points(2)
@pytest.mark.rests_on("If it is not more than max_norm, the gradients stay as they are, bit for")
def test_short_gradients_stay(submission, draw):
    """Gradients that are not longer than max_norm stay as they are, bit for bit."""
    weights = starts(draw, *SHAPES)
    for times in (1.001, 1.2, 3.0, 1e9):
        gradients = starts(draw, *SHAPES)
        norm = float(torch.cat([g.double().flatten() for g in gradients]).norm())
        max_norm = norm * times
        model = placed(submission, weights)
        model.push(*gradients)
        found = submission.clip_grad_norm(model.weights(), max_norm)
        told = _what_became_of(model.gradients(), gradients)
        if told:
            raise finding(f"{told} by clip_grad_norm, although they are not longer than max_norm.")
        told = float(found) if _is_number(found) else float("nan")
        assert abs(told - norm) <= 1e-4 * norm, "clip_grad_norm does not return the norm."


def _is_number(value):
    return isinstance(value, (int, float)) or (isinstance(value, torch.Tensor) and not value.ndim)


def _what_became_of(found, wanted):
    """In words; nothing if these are the very same tensors, number for number."""
    if not isinstance(found, list) or not all(isinstance(t, torch.Tensor) for t in found):
        return "gradients are taken away"
    if [(t.shape, t.dtype) for t in found] != [(w.shape, w.dtype) for w in wanted]:
        return "gradients get another shape or dtype"
    if all(torch.equal(t, w) for t, w in zip(found, wanted, strict=True)):
        return ""
    longer, before = (torch.cat([t.flatten() for t in ts]).norm() for ts in (found, wanted))
    ratio = float(longer / before)
    if abs(ratio - 1) < 1e-4:
        return "gradients are changed a little"
    return "gradients are made longer" if ratio > 1 else "gradients are made shorter"


@pytest.mark.rests_on("A grad that is None stays None and counts for nothing; if all are None, the")
def test_clipping_without_some_gradients(compare, draw):
    """Parameters without a gradient are left out; without any gradient the norm is 0. Gradients of
    0 stay 0."""
    weights, gradients = starts(draw, *SHAPES), starts(draw, *SHAPES)
    gradients[1] = None
    zeros = [torch.zeros_like(weight) for weight in weights]
    for given in (gradients, [None] * 3, zeros):

        def clipped(impl):
            model = placed(impl, weights)
            model.push(*given)
            impl.clip_grad_norm(model.weights(), 0.7)
            return model.gradients()

        compare(lambda impl: norm_of(impl, weights, given, 0.7))
        compare(clipped)


@once
@pytest.mark.rests_on("params may be an iterator, as model.parameters() is, which can be gone")
def test_clipping_out_of_an_iterator(compare, draw):
    """An iterator such as model.parameters() is empty after one pass; it is clipped as well."""
    weights, gradients = starts(draw, *SHAPES), starts(draw, *SHAPES)

    def clipped(impl):
        model = placed(impl, weights)
        model.push(*gradients)
        impl.clip_grad_norm(impl.OnePass(model.weights()), 0.6)
        return model.gradients()

    compare(lambda impl: norm_of(impl, weights, gradients, 0.6, impl.OnePass))
    compare(clipped)


# A step -------------------------------------------------------------------------------------------


@pytest.mark.core("AdamW: running averages")
@pytest.mark.points(3)
@pytest.mark.kept("the first half of the formula")
@once
@pytest.mark.rests_on(
    "m = beta_1 * m + (1 - beta_1) * g",
    "v = beta_2 * v + (1 - beta_2) * g^2",
)
def test_running_averages(compare, draw):
    """A step is lr * m / (sqrt(v) + eps): first with betas of 0, where m is g and v is g squared;
    then so late that the bias correction is over."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 45, *SHAPES, scale=0.2)
    alone = {"lr": 0.1, "betas": (0.0, 0.0), "eps": 0.1, "weight_decay": 0.0}
    first = [g[:3] for g in gradients]
    compare(lambda impl: trained(impl, weights, first, **alone))
    late, last = [g[:40] for g in gradients], [g[40:] for g in gradients]

    def moved(impl):
        """How far the last steps lead."""
        model = placed(impl, weights)
        adam = impl.AdamW(model.weights(), lr=0.1, betas=(0.3, 0.6), eps=0.1, weight_decay=0.0)
        model.learn(adam, *late)
        before = model.weights()
        model.learn(adam, *last)
        return [(b - a).tolist() for a, b in zip(before, model.weights(), strict=True)]

    compare(moved)


@pytest.mark.core("AdamW: bias correction")
@pytest.mark.points(3)
@pytest.mark.kept("what only the first steps show, in words of its own")
@once
@pytest.mark.rests_on("The third and the fourth line divide by just this part")
def test_bias_correction(compare, draw):
    """The first steps are as long as later ones: m and v are divided by 1 - beta^t, t from 1."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 6, *SHAPES)
    for steps in (1, 2, 6):
        first = [g[:steps] for g in gradients]
        compare(lambda impl: trained(impl, weights, first, **PLAIN))


@pytest.mark.core("AdamW: weight decay")
@pytest.mark.points(3)
@pytest.mark.kept("what makes AdamW of Adam, in words of its own")
@once
@pytest.mark.rests_on(
    "theta = theta - lr * m_hat / (sqrt(v_hat) + eps) - lr * weight_decay * theta"
)
def test_weight_decay(compare, draw):
    """Every step takes lr * weight_decay of the parameter itself away, whatever the gradient is."""
    weights, gradients = far_from_zero(draw, *SHAPES), slopes_of(draw, 6, *SHAPES)
    for steps in (1, 6):
        first = [g[:steps] for g in gradients]
        compare(lambda impl: trained(impl, weights, first, **DECAYED))


@pytest.mark.points(2)
@once
@pytest.mark.kept("fifty steps are what a slip has to survive")
@pytest.mark.rests_on("For each parameter theta with its gradient g, in its own step t = 1, 2")
def test_fifty_steps(compare, draw):
    """Fifty steps lead where the formula leads, without decay and with it."""
    gradients = slopes_of(draw, 50, *SHAPES)
    weights, far = starts(draw, *SHAPES), far_from_zero(draw, *SHAPES)
    compare(lambda impl: trained(impl, weights, gradients, **PLAIN))
    compare(lambda impl: trained(impl, far, gradients, **DECAYED))


@once
@pytest.mark.rests_on("Multiply the loss by 1000 and nothing changes")
def test_the_size_of_gradients_cancels(compare, draw):
    """However small or large gradients are, the first step is lr * g / (|g| + eps)."""
    weights = starts(draw, *SHAPES)
    for scale, eps in ((1e-6, 1e-8), (1e-6, 1e-6), (1e4, 1e-8), (1e4, 300.0)):
        gradients = slopes_of(draw, 3, *SHAPES, scale=scale)
        options = PLAIN | {"eps": eps}
        compare(lambda impl: trained(impl, weights, gradients, **options))


@once
@pytest.mark.kept("0 / 0 is a mistake of its own, and wants its own words")
@pytest.mark.rests_on(
    "eps keeps the fraction finite where all gradients are 0", "A gradient of 0 is one"
)
def test_gradients_of_zero(compare, draw):
    """Where all gradients are 0, nothing is NaN. A gradient of 0 is not None: parameters decay, and
    the averages go on."""
    far, still = far_from_zero(draw, *SHAPES), [draw.normal(4, *shape) * 0 for shape in SHAPES]
    compare(lambda impl: trained(impl, far, still, **DECAYED))
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 6, *SHAPES)
    for g in gradients:
        g[:2] = 0.0
        g[4] = 0.0
    for steps in (2, 6):
        first = [g[:steps] for g in gradients]
        compare(lambda impl: trained(impl, weights, first, **PLAIN))


@once
@pytest.mark.points(2)
@pytest.mark.rests_on("Left out, lr is 1e-3, the betas are 0.9 and 0.999, eps is 1e-8")
def test_defaults(compare, draw):
    """lr is 1e-3, the betas are 0.9 and 0.999, eps is 1e-8 and weight_decay 0.01, if left out."""
    weights, far = starts(draw, *SHAPES), far_from_zero(draw, *SHAPES)
    gradients = slopes_of(draw, 8, *SHAPES)
    tiny = [g * 1e-8 for g in gradients]
    growing = [
        g * (1.0 + torch.arange(8.0).to(g)).reshape(-1, *[1] * (g.ndim - 1)) for g in gradients
    ]
    still = [g * 0 for g in gradients]
    compare(lambda impl: trained(impl, far, still, lr=5.0))
    compare(lambda impl: trained(impl, weights, growing, lr=0.1, weight_decay=0.0))
    compare(lambda impl: trained(impl, weights, tiny, lr=0.1, weight_decay=0.0))
    compare(lambda impl: trained(impl, weights, gradients))


# Who takes part -----------------------------------------------------------------------------------


@once
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "it does not move, it does not decay, and its own t, m and v wait",
)
def test_without_a_gradient(compare, draw):
    """A parameter whose grad is None neither moves nor decays, and its own t, m and v wait for its
    next gradient."""
    weights, gradients = far_from_zero(draw, *SHAPES), slopes_of(draw, 7, *SHAPES)
    absent = {0: (1, 2), 1: (0,), 2: (0, 3), 3: (), 4: (1,), 5: (0, 1, 2), 6: ()}

    for options in (DECAYED | {"lr": 0.5, "weight_decay": 0.0}, DECAYED):

        def some_absent(impl):
            model = placed(impl, weights)
            adam = impl.AdamW(model.weights(), **options)
            seen = []
            for step, missing in absent.items():
                adam.zero_grad()
                model.push(*[None if i in missing else g[step] for i, g in enumerate(gradients)])
                adam.step()
                seen += model.weights()
            return seen

        compare(some_absent)


@once
@pytest.mark.kept("elsewhere its mistakes show only mixed with those of a step")
@pytest.mark.rests_on("Forgets the gradients of all its parameters: grad is None afterwards")
def test_zero_grad(compare, draw):
    """zero_grad leaves None for its own parameters, in all groups, and nothing else changes."""
    weights, gradients = starts(draw, *SHAPES, (2, 6)), starts(draw, *SHAPES, (2, 6))

    def forgotten(impl):
        model = placed(impl, weights)
        first, second, third, fourth = model.weights()
        adam = impl.AdamW([{"params": [first]}, {"params": [second, fourth]}])
        model.push(*gradients)
        adam.zero_grad()
        left = model.weights()
        return [["None" if g is None else in_plain(g) for g in model.gradients()], left]

    compare(forgotten)


@once
@pytest.mark.rests_on(
    "Gradients stay as they are", "Parameters are changed in place, and not recorded by autograd"
)
def test_gradients_stay(compare, draw):
    """A step changes parameters and leaves their gradients; a second one uses them again."""
    weights, gradients = far_from_zero(draw, *SHAPES), starts(draw, *SHAPES)

    def twice(impl):
        model = placed(impl, weights)
        adam = impl.AdamW(model.weights(), **DECAYED)
        model.push(*gradients)
        adam.step()
        after = model.gradients()
        adam.step()
        return after, model.gradients(), model.weights()

    compare(twice)


@once
@pytest.mark.rests_on("params, here and in a dictionary, may be an iterator")
def test_out_of_an_iterator(compare, draw):
    """An iterator such as model.parameters() is empty after one pass: a second step moves too."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 3, *SHAPES)

    def trained_so(impl):
        model = placed(impl, weights)
        adam = impl.AdamW(impl.OnePass(model.weights()), **PLAIN)
        model.learn(adam, *gradients)
        groups = [{"params": impl.OnePass([p]), "lr": 0.2} for p in model.weights()]
        model.learn(impl.AdamW(groups, **PLAIN), *gradients)
        groups = [{"params": model.weights(), "lr": 0.05}]
        model.learn(impl.AdamW(impl.OnePass(groups), **PLAIN), *gradients)
        return model.weights()

    compare(trained_so)


@once
@pytest.mark.kept("two optimizers in one program are common: of two models, of two parts of one")
@pytest.mark.rests_on("its own t, m and v wait")
def test_two_optimizers(compare, draw):
    """Two optimizers know nothing of each other."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 4, *SHAPES)

    def both(impl):
        one, two = placed(impl, weights), placed(impl, weights)
        first = impl.AdamW(one.weights(), **PLAIN)
        one.learn(first, *gradients)
        second = impl.AdamW(two.weights(), **(PLAIN | {"lr": 0.3}))
        two.learn(second, *gradients)
        one.learn(first, *gradients)
        return one.weights(), two.weights()

    compare(both)


# Groups -------------------------------------------------------------------------------------------


@once
@pytest.mark.points(3)
@pytest.mark.kept("groups by themselves, before anything is saved")
@pytest.mark.rests_on(
    "A dictionary has params and perhaps options of its own, which win over the arguments",
)
def test_groups(compare, draw):
    """Every group has its own lr, betas, eps and weight_decay; what it does not say, the arguments
    say."""
    shapes = (*SHAPES, (2, 6))
    weights, gradients = far_from_zero(draw, *shapes), slopes_of(draw, 5, *shapes)
    ways = (
        ({"lr": 5e-3}, {}),
        ({}, {"lr": 0.0, "weight_decay": 0.1}),
        ({"betas": (0.5, 0.7)}, {"eps": 0.5}),
        ({"weight_decay": 0.0, "lr": 1.0}, {"lr": 1e-3}),
    )
    for one, other in ways:

        def grouped(impl):
            model = placed(impl, weights)
            first, second, third, fourth = model.weights()
            groups = [{"params": [second, first], **one}, {"params": [third, fourth], **other}]
            model.learn(impl.AdamW(groups, **DECAYED), *gradients)
            return model.weights()

        compare(grouped)


@once
@pytest.mark.points(2)
@pytest.mark.rests_on("looks up the options there each time, so a schedule may change them between")
def test_a_schedule_changes_the_rate(compare, draw):
    """An option that a schedule puts into param_groups counts from the next step on: mostly the
    learning rate."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 6, *SHAPES)

    def scheduled(impl):
        model = placed(impl, weights)
        adam = impl.AdamW([{"params": [p]} for p in model.weights()], **PLAIN)
        for step, lr in enumerate((0.1, 0.4, 0.0)):
            model.change(adam, lr=lr)
            model.learn(adam, *[g[2 * step : 2 * step + 2] for g in gradients])
        return model.weights()

    def changed(impl):
        model = placed(impl, weights)
        adam = impl.AdamW([{"params": [p]} for p in model.weights()], **PLAIN)
        others = {"eps": 2.0}, {"lr": 1e-3, "weight_decay": 2.0}
        for step, options in enumerate(others):
            model.change(adam, **options)
            model.learn(adam, *[g[2 * step : 2 * step + 2] for g in gradients])
        return model.weights()

    compare(scheduled)
    compare(changed)


# Saving -------------------------------------------------------------------------------------------


def _continued(impl, weights, gradients, groups, other, **options):
    """Parameters after some steps by one optimizer, and some more by another that has its state."""
    one = placed(impl, weights)
    adam = impl.AdamW(groups(one.weights()), **options)
    one.learn(adam, *[g[:4] for g in gradients])
    two = placed(impl, weights)
    two.load({f"p{i}": w.detach().clone() for i, w in enumerate(one.weights())})
    again = impl.AdamW(groups(two.weights()), **other)
    again.load_state_dict(adam.state_dict())
    two.learn(again, *[g[4:] for g in gradients])
    return two.weights()


@pytest.mark.core("AdamW.state_dict: state_dict and load_state_dict")
@pytest.mark.points(3)
@pytest.mark.kept("what a state is for")
@pytest.mark.asked_once("of the weights half are made by the program itself")
@pytest.mark.rests_on(
    "goes on as that one would: with its t, m and v",
    "They may be parameters of another model",
)
def test_goes_on_from_a_state(compare, draw):
    """Stopped in the middle, saved and loaded into another optimizer of another model, a training
    goes on as if nothing had happened."""
    weights, gradients = starts(draw, *SHAPES), slopes_of(draw, 9, *SHAPES)
    compare(lambda impl: _continued(impl, weights, gradients, list, PLAIN, **PLAIN))


@pytest.mark.points(2)
@pytest.mark.asked_once("of the weights half are made by the program itself")
@pytest.mark.rests_on("and with its options in place of one's own", "options of every group")
def test_goes_on_with_the_options(compare, draw):
    """The saved options of every group come back, whatever the new optimizer was made with."""
    weights, gradients = far_from_zero(draw, *SHAPES), slopes_of(draw, 9, *SHAPES)

    def groups(parameters):
        return [{"params": parameters[:1]}, {"params": parameters[1:]}]

    def with_rates(parameters):
        first, second, *others = parameters
        rate, size = {"lr": 1e-2}, {"eps": 0.7}
        return [{"params": [first], **rate}, {"params": [second], **size}, {"params": others}]

    other = {"lr": 0.0, "betas": (0.1, 0.2), "eps": 3.0, "weight_decay": 0.0}
    compare(lambda impl: _continued(impl, weights, gradients, groups, other, **DECAYED))
    compare(lambda impl: _continued(impl, weights, gradients, with_rates, other, **DECAYED))


@pytest.mark.asked_once("of the weights half are made by the program itself")
@pytest.mark.rests_on("t, m and v of every parameter that has some")
def test_state_of_some(compare, draw):
    """Before the first step there is nothing to save but options; later a parameter that never had
    a gradient has nothing either. Who loads it forgets what was there."""
    shapes = [(2, 3)] * 3  # another one's averages fit, and are the wrong ones
    weights, gradients = starts(draw, *shapes), slopes_of(draw, 5, *shapes)

    def saved_early(impl):
        one, two = placed(impl, weights), placed(impl, weights)
        fresh = impl.AdamW(one.weights(), **PLAIN)
        adam = impl.AdamW(two.weights(), **(PLAIN | {"lr": 0.9}))
        two.learn(adam, *gradients)
        adam.zero_grad()
        adam.load_state_dict(fresh.state_dict())
        two.push(gradients[0][0], None, gradients[2][0])
        adam.step()
        adam.zero_grad()
        last = impl.AdamW(two.weights(), **PLAIN)
        last.load_state_dict(adam.state_dict())
        two.learn(last, *gradients)
        return two.weights()

    compare(saved_early)


# Which parameters decay ---------------------------------------------------------------------------

KINDS = {
    "scale": (),
    "tokens.weight": (5, 3),
    "norm.weight": (3,),
    "norm.bias": (3,),
    "hidden.weight": (2, 3),
    "hidden.bias": (2,),
    "filters.weight": (2, 3, 4),
    "head.weight": (5, 3),
}


def kinds(draw, tied=False):
    """Weights of a TinyModel, far from zero."""
    names = [name for name in KINDS if not (tied and name == "head.weight")]
    return dict(zip(names, far_from_zero(draw, *[KINDS[name] for name in names]), strict=True))


def split(groups):
    """What two groups hold, in an order that does not depend on theirs: parameters, then decay."""
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise finding("parameter_groups does not return a list of dictionaries.")
    if any("params" not in group or "weight_decay" not in group for group in groups):
        raise finding("a group of parameter_groups lacks the key params or weight_decay.")
    if any(not isinstance(group["params"], list) for group in groups):
        raise finding("the params of a group of parameter_groups are not a list.")
    return [
        (
            sorted(p.flatten().tolist() for p in group["params"]),
            [str(p.dtype) for p in group["params"]],
            group["weight_decay"],
        )
        for group in groups
    ]


@pytest.mark.core("parameter_groups")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of both groups")
@pytest.mark.rests_on(
    "The first has the parameters with two or more axes, which are matrices and embeddings",
    "The second has all others, which are biases and weights of norms",
)
def test_parameter_groups(compare, draw):
    """Matrices and embeddings decay, and what has one axis or none does not."""
    weights = kinds(draw)

    def grouped(impl):
        model = impl.TinyModel()
        model.load(weights)
        return split(impl.parameter_groups(model, 0.3))

    compare(grouped)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Every parameter is in one group, once, also if the model has it under two names",
    "One that is frozen, which means that requires_grad is False, is in none",
)
def test_tied_and_frozen(compare, draw):
    """A tied parameter is there once, and a frozen one is not there."""
    tied, plain = kinds(draw, tied=True), kinds(draw)

    def grouped(impl, weights, **how):
        model = impl.TinyModel(**how)
        model.load(weights)
        return split(impl.parameter_groups(model, 0.3))

    compare(lambda impl: grouped(impl, tied, tied=True))
    for frozen in ("hidden.weight", "norm.bias"):
        compare(lambda impl: grouped(impl, plain, frozen=frozen))


@once
@pytest.mark.points(2)
@pytest.mark.rests_on("Two groups for AdamW: of what decays, and then of what does not")
def test_groups_for_the_optimizer(compare, draw):
    """An AdamW of these groups moves the model's own parameters: each once, matrices with decay."""
    tied = kinds(draw, tied=True)

    def moved(impl):
        model = impl.TinyModel(tied=True, frozen="hidden.bias")
        model.load(tied)
        adam = impl.AdamW(impl.parameter_groups(model, 0.5), **(DECAYED | {"weight_decay": 3.0}))
        model.step_with(adam)
        return [in_plain(p) for p in model.weights()]

    compare(moved)


# Work ---------------------------------------------------------------------------------------------


@once
@pytest.mark.points(2)
@pytest.mark.rests_on("the number of torch operations does not depend on how many numbers it holds")
def test_a_tensor_at_once(compare, submission, draw):
    """A step and a clipping take as many torch operations for a large tensor as for a small one."""

    def clipped_and_moved(impl, weight, gradient):
        model = placed(impl, [weight])
        model.push(gradient)
        norm = as_number(impl.clip_grad_norm(model.weights(), 0.5))
        impl.AdamW(model.weights(), **PLAIN).step()
        return [norm, *map(in_plain, model.weights())]

    def work(size):
        one = draw.normal(size, 8), draw.normal(size, 8)
        compare(lambda impl: clipped_and_moved(impl, *one))
        return work_of(submission, lambda impl: clipped_and_moved(impl, *one)).steps

    small, large = work(2), work(64)
    assert large <= small + 4, (
        f"a tensor of 16 numbers takes {small} torch operations, one of 512 numbers {large}: "
        "compute with whole tensors."
    )
