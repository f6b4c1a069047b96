"""Hidden checks of ``encoder``."""

from __future__ import annotations

import itertools

import pytest
import torch
import torch.nn.functional as F

from grader.check import (
    demand_others_dropped,
    finding,
    inputs_of,
    levels,
    on_one_device,
    pairs,
    refuses,
    spread_faults,
    torch_module,
    usable,
)

WIDTH, HEADS, INNER = 12, 3, 20
COPIES = (
    "Make a deep copy of the layer for each place, for the first one too: copy.deepcopy(layer)."
)
ORDERS = {"post-norm": False, "pre-norm": True}
BRANCH_ENDS = "self_attn.w_o", "feed_forward.w_2"


def shapes_of(width, inner):
    matrices = {f"self_attn.w_{part}": (width, width) for part in "qkvo"}
    matrices |= {"feed_forward.w_1": (inner, width), "feed_forward.w_2": (width, inner)}
    shapes = {}
    for name, (outputs, inputs) in matrices.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    norms = {f"residual{i}.norm.{part}": (width,) for i in (1, 2) for part in ("weight", "bias")}
    return shapes | norms


def random_weights(draw, width=WIDTH, inner=INNER):
    """Weights large enough for every slip to show; norms near one, biases near zero."""
    return {
        name: draw.normal(*shape, scale=0.4, offset=1.0 if "norm" in name else 0.0)
        for name, shape in shapes_of(width, inner).items()
    }


def random_norm(draw):
    weights = {"weight": draw.normal(WIDTH, offset=1.0), "bias": draw.normal(WIDTH)}
    return torch_module("LayerNorm", WIDTH, weights=weights)


def made(impl, weights, norm_first=False, **options):
    return loaded(impl, weights, WIDTH, HEADS, INNER, norm_first=norm_first, **options)


def loaded(impl, weights, *sizes, dropout=0.0, **options):
    layer = impl.EncoderLayer(*sizes, dropout=dropout, **options)
    layer.load(weights)
    return layer


def stacked(impl, weights, norm=None, **options):
    """A stack with one layer for each of ``weights``, loaded after it was made."""
    stack = impl.Encoder(made(impl, weights[0], **options), len(weights), norm)
    load_stack(stack, weights, norm)
    return stack


def load_stack(stack, weights, norm=None):
    named = {
        f"layers.{i}.{name}": w for i, layer in enumerate(weights) for name, w in layer.items()
    }
    if norm is not None:
        named |= {f"norm.inner.{name}": w for name, w in norm.weights.items()}
    stack.load(named)


def random_mask(draw, *shape):
    """About half may attend, and everybody to one at least."""
    mask = draw.booleans(*shape)
    one = draw.integers(0, shape[-1], (*shape[:-1], 1))
    return mask.scatter(-1, one, torch.ones_like(one, dtype=torch.bool))


def close(one, other):
    return bool(((one - other).abs() < 1e-4 * (1 + other.abs())).all())


# One layer ----------------------------------------------------------------------------------------


@pytest.mark.core("EncoderLayer.forward: pre-norm")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("most weights are zeros: asked again they tell less than the next checks")
@pytest.mark.rests_on("a feed-forward network that answers (10, 0) to everything")
def test_example(compare, device):
    """The example: every token gets the mean of the normalised tokens added, and then (10, 0)."""
    weights = {name: torch.zeros(*s, device=device) for name, s in shapes_of(2, 5).items()}
    weights |= {f"residual{i}.norm.weight": torch.ones(2, device=device) for i in (1, 2)}
    weights["self_attn.w_v.weight"] = torch.eye(2, device=device)
    weights["self_attn.w_o.weight"] = torch.eye(2, device=device)
    weights["feed_forward.w_2.bias"][0] = 10.0
    x = torch.tensor([[[0.0, 2.0], [4.0, 2.0], [1.0, 3.0]]], device=device)

    def probe(impl):
        layer = impl.EncoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
        layer.load(weights)
        return layer(x)

    compare(probe)


@pytest.mark.core("EncoderLayer.forward: post-norm")
@pytest.mark.points(3)
@pytest.mark.kept("the formula of post-norm")
@pytest.mark.rests_on(
    "post-norm: x = norm1(x + attention(x))", "norm_first: True for pre-norm, False for post-norm"
)
def test_post_norm(compare, draw):
    """By default norm1(x + attention(x)), then the same with feed_forward and norm2; gradients of
    x and of every parameter come out right."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    compare(lambda impl: loaded(impl, weights, WIDTH, HEADS, INNER)(x), wrt=[x])


@pytest.mark.core("EncoderLayer.forward: pre-norm")
@pytest.mark.points(3)
@pytest.mark.kept("the formula of pre-norm")
@pytest.mark.rests_on(
    "pre-norm: x = x + attention(norm1(x))", "norm_first: True for pre-norm, False for post-norm"
)
def test_pre_norm(compare, draw):
    """With norm_first x + attention(norm1(x)), then the same with feed_forward and norm2; gradients
    of x and of every parameter come out right."""
    x, weights = draw.normal(2, 5, WIDTH, scale=3.0), random_weights(draw)
    compare(lambda impl: made(impl, weights, norm_first=True)(x))
    compare(lambda impl: made(impl, weights, norm_first=True)(x), wrt=[x])


@pytest.mark.kept("the straight way, to the last bit, in training too")
@pytest.mark.rests_on(
    "Each sub-layer is a branch beside a straight way",
    "the straight way and the norms lose nothing",
)
def test_straight_way(compare, submission, draw):
    """If both branches give zeros, pre-norm returns x exactly and post-norm norm2(norm1(x)), in
    training with dropout too."""
    x, weights = draw.normal(2, 5, WIDTH, scale=3.0), random_weights(draw)
    silence(weights, "weight")
    for first in ORDERS.values():
        compare(lambda impl: made(impl, weights, norm_first=first)(x))
    silence(weights, "bias")
    y = made(submission, weights, dropout=0.5, norm_first=True)(x)
    assert torch.equal(y, x), "in training pre-norm with branches of zeros does not return x"
    y = made(submission, weights, dropout=0.5, norm_first=False)(x)
    for i in (1, 2):
        norm = [weights[f"residual{i}.norm.{part}"] for part in ("weight", "bias")]
        x = F.layer_norm(x, (WIDTH,), *norm)
    assert close(y, x), "in training post-norm with branches of zeros is not norm2(norm1(x))"


def silence(weights, kind):
    """Make each branch give its last bias whatever it is given, or then nothing at all."""
    for name in BRANCH_ENDS:
        weights[f"{name}.{kind}"] = torch.zeros_like(weights[f"{name}.{kind}"])


@pytest.mark.rests_on(
    '"relu", or "gelu" for the exact GELU',
    "Each layer keeps its own settings and weights",
    "the names and the order of the arguments stay as they are",
)
def test_options(compare, draw):
    """activation="gelu" is the exact GELU and "relu" what there is without a name, in either order
    of norms; every layer stays as it was made, whichever was made last; and arguments without
    names come in the order of the page."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    masks = random_mask(draw, 5, 5), random_mask(draw, 2, 1, 1, 5)

    def by_name(impl):
        relu = made(impl, weights, norm_first=True, activation="relu")
        gelu = made(impl, weights, norm_first=False, activation="gelu")
        return gelu(x), gelu(x, masks[0]), relu(x, masks[1])

    def without_names(impl):
        layer = impl.EncoderLayer(WIDTH, HEADS, INNER, 0.0, True, "gelu")
        layer.load(weights)
        return layer(x)

    compare(by_name)
    compare(without_names)


@pytest.mark.rests_on("ValueError: activation is another word")
def test_refuses_an_unknown_activation(submission, draw):
    """An activation of another name raises ValueError."""
    x = draw.normal(2, 5, WIDTH)
    for word in ("tanh", "gelus"):
        refuses(
            lambda: submission.EncoderLayer(WIDTH, HEADS, INNER, activation=word)(x),
            f"activation={word!r}",
        )


@pytest.mark.kept("says which parameters are there, and which are wanted")
@pytest.mark.rests_on(
    "and there are no parameters but theirs",
    "all begin as these modules begin",
    "from then on share nothing: not with one another, and not with layer",
)
def test_parameters(submission):
    """A layer has the sixteen parameters of its parts, and a stack N times those, which are its
    own; a fresh layer's norms begin with ones and zeros."""
    layer = submission.EncoderLayer(WIDTH, HEADS, INNER)
    found, wanted = layer.parameters(), shapes_of(WIDTH, INNER)
    names = ", ".join(sorted(found)) or "none"
    assert sorted(found) == sorted(wanted), f"the parameters are not the documented ones: {names}"
    for name, shape in wanted.items():
        assert tuple(found[name].shape) == shape, f"{name} has shape {tuple(found[name].shape)}"
        if "norm" in name:
            start = float(name.endswith("weight"))
            assert (found[name] == start).all(), f"{name} does not begin with {start:g}"
    stack = submission.Encoder(layer, 4)
    found = stack.parameters()
    names = sorted(f"layers.{i}.{name}" for i in range(4) for name in wanted)
    assert found, "a stack has no parameters: its layers are not where nn.Module finds them"
    said = f"a stack of 4 has {len(found)} parameters, not {len(names)}"
    if all(name.startswith("layers.0.") for name in found):
        raise finding(f"{said}: all its places hold one layer.", help=COPIES)
    assert sorted(found) == names, f"{said} with the documented names"
    before = {name: value.clone() for name, value in layer.parameters().items()}
    stack.load({name: value + 1 for name, value in found.items()})
    if any(not torch.equal(value, before[name]) for name, value in layer.parameters().items()):
        raise finding(
            "New weights for a stack change the layer that it was made from.", help=COPIES
        )


@pytest.mark.rests_on("all begin as these modules begin", "drawn anew for every layer")
def test_fresh_weights(submission):
    """The matrices of a fresh layer begin about as large as those of its parts, no two rows alike,
    and drawn anew for every layer, also after a stack was made."""
    one = submission.EncoderLayer(64, 4, 128)
    submission.Encoder(one, 2)
    found = [layer.parameters() for layer in (one, submission.EncoderLayer(64, 4, 128))]
    matrices = {name: shape for name, shape in shapes_of(64, 128).items() if len(shape) > 1}
    for name, (rows, columns) in matrices.items():
        first, other = [
            usable(submission, p[name].detach(), (rows, columns), varied=False) for p in found
        ]
        size = first.std() * columns**0.5  # as the pages of attention and network say
        assert size < 2, f"the numbers of {name} begin far larger than its part makes them"
        assert size > 0.05, f"the numbers of {name} begin far smaller than its part makes them"
        assert len(first.unique(dim=0)) == rows, f"rows of {name} begin alike"
        again = torch.equal(first, other)
        assert not again, f"{name} begins with the same numbers every time"


@pytest.mark.rests_on("Lengths may differ from call to call", "nothing is remembered between calls")
def test_any_size(compare, draw):
    """One token, one sentence, as many sentences as tokens: any sizes go through the same layer,
    one after the other, with a mask for all sentences; any number of heads."""
    weights = random_weights(draw)
    inputs = [draw.normal(*size, WIDTH) for size in ((4, 4), (1, 7), (3, 1), (1, 1), (2, 40))]
    masks = [random_mask(draw, x.shape[1], x.shape[1]) for x in inputs]

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        calls = enumerate(zip(inputs, masks, strict=True))
        masked = [layers[at % 2](x, mask) for at, (x, mask) in calls]
        one_head = loaded(impl, weights, WIDTH, 1, INNER)
        return masked, [layer(inputs[0]) for layer in layers], one_head(inputs[0], masks[0])

    compare(probe)


@pytest.mark.kept("what is wrong only where two sizes are the same shows nowhere else")
@pytest.mark.rests_on("Lengths may differ from call to call")
def test_equal_sizes(compare, draw):
    """As many sentences as tokens, as many tokens as features, heads and inner features."""
    x, mask = draw.normal(4, 4, 4), random_mask(draw, 4, 4, 4, 4)
    weights = random_weights(draw, 4, 4)

    def probe(impl):
        layers = [loaded(impl, weights, 4, 4, 4, norm_first=first) for first in ORDERS.values()]
        return [layer(x, mask) for layer in layers], layers[0](x), layers[1](x, mask[0, 0])

    compare(probe, wrt=[x])


@pytest.mark.rests_on("Everything keeps the dtype and the device of x")
def test_other_devices(compare, draw):
    """After .to(...) a layer works on another device, mask and all."""
    weights = random_weights(draw)
    far = draw.normal(2, 5, WIDTH).to("meta"), random_mask(draw, 2, 1, 1, 5).to("meta")

    def moved(impl):
        layer = made(impl, weights, norm_first=True)
        layer.requires_grad_(False)  # shape and device are the question here
        layer.to("meta")
        return layer(*far)

    with on_one_device("the layer"):
        compare(moved)


# Who attends to whom ------------------------------------------------------------------------------


@pytest.mark.core("EncoderLayer.forward: with a mask")
@pytest.mark.points(2)
@pytest.mark.kept("the rule of the mask, before any map is asked for")
@pytest.mark.rests_on("any axis may have size 1 and then stands for all")
def test_masks(compare, draw):
    """True = may attend; the mask may be (T, T) or (B, H, T, T), with axes of size 1 for all."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    shapes = (5, 5), (2, HEADS, 5, 5), (2, 1, 1, 5), (1, HEADS, 1, 5), (1, 5)
    masks = [random_mask(draw, *shape) for shape in shapes]
    masks.append(torch.ones(2, 1, 5, 1, dtype=torch.bool, device=x.device))

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        found = [layers[0](x, mask) for mask in (*masks, None)]
        return found, layers[1](x, mask=masks[0])

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("what padding is for, in words of its own")
@pytest.mark.rests_on("no weight, however large its score", "(B, 1, 1, T) hides padding")
def test_padding_is_not_seen(compare, submission, draw):
    """What stands in the padding, be it huge, and how much there is changes no real token's
    result."""
    weights, real = random_weights(draw), draw.normal(1, 4, WIDTH)
    pads = draw.normal(1, 3, WIDTH), draw.normal(1, 3, WIDTH, scale=300.0)
    padded = [torch.cat([real, pad], dim=1) for pad in pads]
    mask = (torch.arange(7, device=real.device) < 4)[None, None, None]
    compare(lambda impl: made(impl, weights, norm_first=True)(padded[0], mask))
    layer = made(submission, weights)
    alone = layer(real)
    for long, size in zip(padded, ("ordinary", "huge"), strict=True):
        same = close(layer(long, mask)[:, :4], alone)
        assert same, f"real tokens see {size} numbers in the padding"


# Dropout ------------------------------------------------------------------------------------------


@pytest.mark.rests_on(
    "on the activations (inside feed_forward)",
    "on what each of the two branches adds to the straight way",
)
def test_dropout_in_training(submission, draw):
    """In training dropout falls on both branches, on the activations and on the attention weights,
    each number on its own."""
    x = draw.normal(4, 16, 16)
    for which, inside in (("feed-forward", "activations"), ("attention", "attention weights")):
        layer = submission.EncoderLayer(16, 2, 16, 0.5, norm_first=True)
        layer.load(constant_branch(which, x.device))
        found = []
        for options in ({}, {"need_weights": True}):
            given = layer(x, **options)
            y = usable(layer, given[0] if isinstance(given, tuple) else given, x.shape)
            assert not (y == 0).any(), "dropout falls on the sum, and on x with it"
            found.append(levels(y - x, which, inside))
        demand_others_dropped(*found, inside)
    x = draw.normal(8, 32, 16)
    layer = submission.EncoderLayer(16, 2, 16, norm_first=True)
    layer.load(constant_branch("feed-forward", x.device))
    share = ((layer(x) - x).abs() < 1e-3).float().mean()
    assert 0.07 < share < 0.13, "without `dropout` it is not one number in ten that is dropped"


def constant_branch(which, device):
    """Weights of a layer of which one branch adds 1 to everything, and the other nothing.

    Both norms give ones, whatever x is; every number inside the branch is 1 as well.
    """
    shapes = shapes_of(16, 16)
    weights = {name: torch.zeros(*shape, device=device) for name, shape in shapes.items()}
    weights |= {f"residual{i}.norm.bias": torch.ones(16, device=device) for i in (1, 2)}
    if which == "attention":
        weights["self_attn.w_v.weight"] += 1 / 16
        weights["self_attn.w_o.weight"] = torch.eye(16, device=device)
    else:
        weights["feed_forward.w_1.weight"] += 1 / 16
        weights["feed_forward.w_2.weight"] += 1 / 16
    return weights


@pytest.mark.rests_on("anew for every branch, every layer and every call", "each number on its own")
def test_dropout_is_drawn_anew(submission, device):
    """What is dropped from what the branches add is drawn anew for every number, every branch,
    every layer and every call."""
    x, found = torch.zeros(4, 8, 16, device=device), {}
    for stack in range(2):
        part = submission.Encoder(submission.EncoderLayer(16, 2, 8, 0.5, norm_first=True), 2)
        part.load(telling_weights(device))
        for call in range(2):
            y = usable(part, part(x), x.shape)
            for place, kept in enumerate(digits(y)):
                found[stack, call, place] = kept
    for kept in found.values():
        for axis, name in enumerate(("sentences", "tokens", "features")):
            for by in (1, kept.shape[axis] // 2):
                same = (kept == kept.roll(by, axis)).float().mean()
                assert same < 0.7, f"the same is dropped for several {name}"
    alike = {
        _what_differs(one, other)
        for one, other in itertools.combinations(found, 2)
        if not 0.3 < (found[one] == found[other]).float().mean() < 0.7
    }
    assert not alike, f"the same is dropped in two {' and in two '.join(sorted(alike))}"


def _what_differs(one, other):
    """Between two (stack, call, place), of which places 0 and 1 are the first layer's."""
    if one[2] != other[2]:
        return "branches" if one[2] % 2 != other[2] % 2 else "layers"
    return "stacks" if one[0] != other[0] else "calls"


def telling_weights(device):
    """Of a stack of two layers, whose four branches add 1, 10, 100 and 1000 to everything."""
    zeros = {name: torch.zeros(*shape, device=device) for name, shape in shapes_of(16, 8).items()}
    stack = {f"layers.{i}.{name}": w.clone() for i in (0, 1) for name, w in zeros.items()}
    biases = [f"layers.{i}.{name}.bias" for i in (0, 1) for name in BRANCH_ENDS]
    for power, name in enumerate(biases):
        stack[name] += 10.0**power
    return stack


def digits(y):
    """Where each of the four branches was kept, and so doubled."""
    sums = (y / 2).round()
    found = [sums.div(10.0**power, rounding_mode="floor") % 10 for power in range(4)]
    assert close(y / 2, sums), "what a branch adds is neither dropped nor doubled"
    for kept in found:
        assert (kept <= 1).all(), "what a branch adds is neither dropped nor doubled"
    return [kept == 1 for kept in found]


@pytest.mark.rests_on(
    "on the activations (inside feed_forward)",
    "on what each of the two branches adds to the straight way",
)
def test_dropout_with_other_options(submission, reference, draw):
    """In either order of norms, with either activation, with a mask or without: means and spreads
    of what comes out in training are those of dropout at all its places."""
    x, weights = draw.normal(1, 4, WIDTH).expand(768, 4, WIDTH).contiguous(), random_weights(draw)
    mask = random_mask(draw, 1, 1, 1, 4)
    mask[..., :2] = True
    choices = pairs(
        silent=BRANCH_ENDS,
        norm_first=(False, True),
        activation=("relu", "gelu"),
        mask=(None, mask),
    )
    wrong = []
    for choice in choices:
        silent, allowed = choice.pop("silent"), choice.pop("mask")
        loud = {k: 0 * w if k.startswith(silent) else w for k, w in weights.items()}
        sizes = WIDTH, 1, INNER
        y, wanted = (
            usable(impl, loaded(impl, loud, *sizes, dropout=0.4, **choice)(x, allowed), x.shape)
            for impl in (submission, reference)
        )
        said = [f"{silent} of zeros", *(f"{key}={value!r}" for key, value in choice.items())]
        said += ["a mask"] if allowed is not None else []
        wrong += [f"{fault} with {', '.join(said)}" for fault in spread_faults(y, wanted)]
    assert not wrong, f"in training numbers {'; '.join(wrong)}"


@pytest.mark.asked_once("all other checks ask again in eval mode; here dropout is the question")
@pytest.mark.rests_on("and in eval mode nothing does")
def test_no_dropout_in_evaluation(compare, draw):
    """After eval() nothing is dropped and nothing shrinks, in a layer and in a stack, whatever
    `dropout` is; with dropout=0.0 never."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(2)]
    mask = random_mask(draw, 2, 1, 1, 5)

    def evaluated(impl):
        layer = made(impl, weights[0], dropout=0.6, norm_first=True)
        stack = stacked(impl, weights, dropout=0.6)
        for part in (layer, stack):
            part.eval()
        return layer(x), layer(x, mask), stack(x)

    def layer_alone(impl):
        layer = made(impl, weights[0], dropout=0.6)
        layer.eval()
        return layer(x)

    compare(lambda impl: made(impl, weights[0], norm_first=True)(x))
    compare(layer_alone)
    compare(evaluated)


# The stack ----------------------------------------------------------------------------------------


@pytest.mark.core("Encoder")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Every layer gets the result of the one before it",
    "called once, on the result of the last layer, with that alone",
)
def test_stack_with_a_norm(compare, draw):
    """Each layer works on the result of the one before it, and the norm comes once, at the end;
    any module may stand in its place."""
    x, norm, tanh = draw.normal(2, 5, WIDTH), random_norm(draw), torch_module("Tanh")
    weights = [random_weights(draw) for _ in range(2)]

    def another(impl):
        stack = stacked(impl, weights, tanh)
        return stack(x), inputs_of(impl, tanh)

    compare(lambda impl: stacked(impl, weights, norm, norm_first=True)(x), wrt=[x])
    compare(another)


@pytest.mark.kept("the other half of the rule, for points of its own")
@pytest.mark.rests_on("a norm at the end if one is given")
def test_stack_without_a_norm(compare, draw):
    """Without a norm the result is that of the last layer, where there is but one and where there
    are six."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(6)]
    compare(lambda impl: stacked(impl, weights)(x), wrt=[x])
    compare(lambda impl: stacked(impl, weights[:1], norm_first=True)(x))


@pytest.mark.core("Encoder")
@pytest.mark.points(2)
@pytest.mark.kept("the rule of the stack's mask, before any map is asked for")
@pytest.mark.rests_on("every layer gets the mask")
def test_every_layer_gets_the_mask(compare, draw):
    """The mask reaches every layer, not only the first."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(3)]
    masks = random_mask(draw, 5, 5), random_mask(draw, 2, 1, 1, 5)

    def probe(impl):
        stack = stacked(impl, weights)
        return stack(x, masks[0]), stack(x, mask=masks[1])

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "They begin with its weights",
    "nothing is remembered between calls",
    "norm: the module given, itself and not a copy",
)
def test_layers_begin_as_copies(compare, submission, draw):
    """A fresh stack holds copies of the layer, which may have been called: the same weights, and
    the same settings; and the norm as it was given."""
    x, weights, norm = draw.normal(2, 5, WIDTH), random_weights(draw), random_norm(draw)

    def probe(impl):
        layer = made(impl, weights)
        layer(x, need_weights=True)
        plain = impl.Encoder(layer, 2, None)
        normed = impl.Encoder(made(impl, weights, norm_first=True), 2, norm)
        return plain(x), normed(x)

    fresh = submission.Encoder(made(submission, weights), 2).parameters()
    for name, value in fresh.items():
        given = weights.get(name.partition(".")[2].partition(".")[2], value)
        same = torch.equal(value, given)
        assert same, f"in a fresh stack {name} holds other numbers than the layer it was made from"
    compare(probe, wrt=[x])


@pytest.mark.kept("sharing as its author would meet it; elsewhere gradients give it away")
@pytest.mark.rests_on("from then on share nothing: not with one another, and not with layer")
def test_layers_share_nothing(compare, draw):
    """New weights for the layer that a stack was made from do not change the stack, nor the other
    way round."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(4)]

    def probe(impl):
        layer = made(impl, weights[0])
        stack = impl.Encoder(layer, 2, None)
        load_stack(stack, weights[1:3])
        layer.load(weights[3])
        return stack(x), layer(x)

    compare(probe)


# The attention weights ----------------------------------------------------------------------------


@pytest.mark.core("EncoderLayer.forward: its attention weights")
@pytest.mark.points(2)
@pytest.mark.kept("a layer's own, before a stack collects them")
@pytest.mark.rests_on(
    "return as well the attention weights of every head in this very call",
    "The result is the same with them and without",
)
def test_layer_returns_its_weights(compare, draw):
    """With need_weights a layer returns (result, weights), with those of every head, in either
    order of norms."""
    x, weights = draw.normal(2, 5, WIDTH, scale=3.0), random_weights(draw)

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        return [layer(x, need_weights=True) for layer in layers]

    compare(probe)


@pytest.mark.core("Encoder.forward: the attention weights of all layers")
@pytest.mark.points(2)
@pytest.mark.rests_on("a list with the attention weights of each layer")
def test_stack_returns_all_maps(compare, draw):
    """With need_weights a stack returns (result, maps): a list of one map for each layer, the first
    layer's first, and the result with its norm."""
    x, norm = draw.normal(2, 5, WIDTH), random_norm(draw)
    weights = [random_weights(draw) for _ in range(3)]

    def probe(impl):
        one = stacked(impl, weights[:1])(x, need_weights=True)
        return stacked(impl, weights, norm)(x, need_weights=True), one

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "any axis may have size 1 and then stands for all",
    "Gradients flow back through them too",
    "those of the first layer first. The result is the same with them and without",
)
def test_maps_with_other_options(compare, draw):
    """Maps obey the mask, in a layer and in a stack; gradients flow through them; and a call
    without need_weights returns the result alone, also after one with it."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(2)]
    masks = (
        random_mask(draw, 5, 5),
        random_mask(draw, 2, 1, 1, 5),
        random_mask(draw, 2, HEADS, 5, 5),
    )

    def probe(impl):
        layer = made(impl, weights[0], activation="gelu")
        stack = stacked(impl, weights, norm_first=True)
        shown = [part(x, mask, need_weights=True) for part in (layer, stack) for mask in masks]
        plain = layer(x), layer(x, masks[1]), stack(x), stack(x, masks[1], need_weights=False)
        return shown, plain, stack(x[:1], need_weights=True)

    compare(probe, wrt=[x])


@pytest.mark.asked_once("the mode is asked for here; other checks ask for the maps again")
@pytest.mark.rests_on("before dropout, as MultiHeadAttention gives them", "in this very call")
def test_maps_in_training(submission, reference, draw):
    """In training the first layer's map is whole, for it is taken before dropout; and each layer's
    map is that of the call which gave the result."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(2)]
    _, (plain, _) = stacked(reference, weights)(x, need_weights=True)
    stack = stacked(submission, weights, dropout=0.5)
    y, (first, second) = stack(x, need_weights=True)
    _, (_, other) = stack(x, need_weights=True)
    first, second, other = (
        usable(submission, found, (2, HEADS, 5, 5)) for found in (first, second, other)
    )
    assert close(first, plain), (
        "in training the first layer's map is not the right one, of weights before dropout"
    )
    whole = (second.sum(-1) - 1).abs().max() < 1e-3
    assert whole, "in training rows of the second layer's map do not sum to one"
    assert not close(second, other), "in training two calls return the very same second map"
    assert not close(y, stack(x)), "with need_weights nothing is dropped in training"
