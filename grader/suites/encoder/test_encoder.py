"""Hidden checks of ``encoder``."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from grader.check import SubmissionRaised, refuses, torch_module

WIDTH, HEADS, INNER = 12, 3, 20
ORDERS = {"post-norm": False, "pre-norm": True}


def shapes_of(width, inner):
    return {
        "self_attn.in_proj_weight": (3 * width, width),
        "self_attn.in_proj_bias": (3 * width,),
        "self_attn.out_proj.weight": (width, width),
        "self_attn.out_proj.bias": (width,),
        "linear1.weight": (inner, width),
        "linear1.bias": (inner,),
        "linear2.weight": (width, inner),
        "linear2.bias": (width,),
        "norm1.weight": (width,),
        "norm1.bias": (width,),
        "norm2.weight": (width,),
        "norm2.bias": (width,),
    }


def random_weights(draw):
    """Weights large enough for every slip to show; norms near one, biases near zero."""
    return {
        name: draw.normal(*shape, scale=0.4, offset=1.0 if name.startswith("norm") else 0.0)
        for name, shape in shapes_of(WIDTH, INNER).items()
    }


def random_norm(draw):
    weights = {"weight": draw.normal(WIDTH, offset=1.0), "bias": draw.normal(WIDTH)}
    return torch_module("LayerNorm", WIDTH, weights=weights)


def made(impl, weights, dropout=0.0, norm_first=False, **options):
    options |= {"dropout": dropout, "norm_first": norm_first}
    layer = impl.EncoderLayer(WIDTH, HEADS, INNER, **options)
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


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_example(compare, device):
    """The example: every token gets the mean of the normalised tokens added, and then (10, 0)."""
    weights = {name: torch.zeros(*s, device=device) for name, s in shapes_of(2, 5).items()}
    weights |= {f"norm{i}.weight": torch.ones(2, device=device) for i in (1, 2)}
    weights["self_attn.in_proj_weight"][4:] = torch.eye(2, device=device)
    weights["self_attn.out_proj.weight"] = torch.eye(2, device=device)
    weights["linear2.bias"][0] = 10.0
    x = torch.tensor([[[0.0, 2.0], [4.0, 2.0], [1.0, 3.0]]], device=device)

    def probe(impl):
        layer = impl.EncoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
        layer.load(weights)
        return layer(x)

    compare(probe)


@pytest.mark.points(3)
@pytest.mark.kept("the formula of post-norm")
def test_post_norm(compare, draw):
    """By default norm1(x + attention(x)), then the same with feed_forward and norm2; gradients of
    x and of every parameter come out right."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)

    def default(impl):
        layer = impl.EncoderLayer(WIDTH, HEADS, INNER, dropout=0.0)
        layer.load(weights)
        return layer(x)

    compare(lambda impl: made(impl, weights, norm_first=False)(x), wrt=[x])
    compare(default)


@pytest.mark.points(3)
@pytest.mark.kept("the formula of pre-norm")
def test_pre_norm(compare, draw):
    """With norm_first x + attention(norm1(x)), then the same with feed_forward and norm2; gradients
    of x and of every parameter come out right."""
    x, weights = draw.normal(2, 5, WIDTH, scale=3.0), random_weights(draw)
    compare(lambda impl: made(impl, weights, norm_first=True)(x))
    compare(lambda impl: made(impl, weights, norm_first=True)(x), wrt=[x])


@pytest.mark.kept("the straight way, to the last bit, in training too")
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
        x = F.layer_norm(x, (WIDTH,), weights[f"norm{i}.weight"], weights[f"norm{i}.bias"])
    assert close(y, x), "in training post-norm with branches of zeros is not norm2(norm1(x))"


def silence(weights, kind):
    """Make each branch give its last bias whatever it is given, or then nothing at all."""
    for name in ("self_attn.out_proj", "linear2"):
        weights[f"{name}.{kind}"] = torch.zeros_like(weights[f"{name}.{kind}"])


def test_gelu(compare, draw):
    """activation="gelu" is the exact GELU, and "relu" by name is what there is without a name."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    for word in ("gelu", "relu"):
        compare(lambda impl: made(impl, weights, activation=word)(x), wrt=[x])
    compare(lambda impl: made(impl, weights, norm_first=True, activation="gelu")(x))


def test_refuses_an_unknown_activation(submission, draw):
    """An activation of another name raises ValueError."""
    x = draw.normal(2, 5, WIDTH)
    for word in ("tanh", "gelus"):
        refuses(
            lambda: submission.EncoderLayer(WIDTH, HEADS, INNER, activation=word)(x),
            f"activation={word!r}",
        )


@pytest.mark.kept("elsewhere eps shows in the last digits only, and not in every draw")
def test_norms_have_the_usual_eps(compare, draw):
    """Both norms have eps = 1e-5, which tokens of small numbers feel."""
    x, weights = draw.normal(2, 5, WIDTH, scale=1e-3), random_weights(draw)
    weights = {k: w * (1e-3 if k.endswith("bias") else 1.0) for k, w in weights.items()}
    weights["norm1.weight"] = weights["norm1.weight"] * 1e-3
    for first in ORDERS.values():
        compare(lambda impl: made(impl, weights, norm_first=first)(x))


@pytest.mark.kept("says which parameters are there, and which are wanted")
def test_parameters(submission):
    """A layer has the twelve parameters of torch's own, and a stack N times those and the norm's;
    a fresh layer's norms begin with ones and zeros."""
    found = submission.EncoderLayer(WIDTH, HEADS, INNER).parameters()
    wanted = shapes_of(WIDTH, INNER)
    names = ", ".join(sorted(found)) or "none"
    assert sorted(found) == sorted(wanted), f"the parameters are not the documented ones: {names}"
    for name, shape in wanted.items():
        assert tuple(found[name].shape) == shape, f"{name} has shape {tuple(found[name].shape)}"
        if name.startswith("norm"):
            start = float(name.endswith("weight"))
            assert (found[name] == start).all(), f"{name} does not begin with {start:g}"
    layer = submission.EncoderLayer(WIDTH, HEADS, INNER)
    for count in (1, 4):
        found = submission.Encoder(layer, count).parameters()
        names = sorted(f"layers.{i}.{name}" for i in range(count) for name in wanted)
        assert found, "a stack has no parameters: its layers are not where nn.Module finds them"
        said = f"a stack of {count} has {len(found)} parameters, not {len(names)}"
        assert sorted(found) == names, f"{said} with the documented names"


def test_any_size(compare, draw):
    """One token, one sentence, as many sentences as tokens: any sizes go through the same layer,
    one after the other, with a mask for all sentences; any number of heads."""
    weights = random_weights(draw)
    inputs = [draw.normal(*size, WIDTH) for size in ((4, 4), (1, 7), (3, 1), (1, 1), (2, 40))]
    masks = [random_mask(draw, x.shape[1], x.shape[1]) for x in inputs]

    def probe(impl, first):
        layer = made(impl, weights, norm_first=first)
        masked = [layer(x, mask) for x, mask in zip(inputs, masks, strict=True)]
        return masked, layer(inputs[0], None)

    def other(impl, heads):
        layer = impl.EncoderLayer(WIDTH, heads, INNER, dropout=0.0)
        layer.load(weights)
        return layer(inputs[0], masks[0])

    for first in ORDERS.values():
        compare(lambda impl: probe(impl, first))
    for heads in (1, 4):
        compare(lambda impl: other(impl, heads))


def test_other_dtypes_and_devices(compare, draw):
    """After .to(...) a layer works in bfloat16, in float64 and on another device, mask and all."""
    x, weights, mask = draw.normal(2, 5, WIDTH), random_weights(draw), random_mask(draw, 2, 1, 1, 5)

    def converted(impl, where, x, mask, first):
        layer = made(impl, weights, norm_first=first)
        layer.requires_grad_(False)  # values are the question here
        layer.to(where)
        return layer(x, mask)

    for first in ORDERS.values():
        for dtype in (torch.bfloat16, torch.float64):
            y = x.to(dtype)
            compare(lambda impl: converted(impl, dtype, y, mask, first))
    far = x.to("meta"), mask.to("meta")
    try:
        compare(lambda impl: converted(impl, "meta", *far, True))
    except SubmissionRaised as error:
        if "meta" not in error.raised.message:
            raise
        raise AssertionError("a tensor is made on the CPU although x is elsewhere") from None


# Who attends to whom ------------------------------------------------------------------------------


@pytest.mark.points(2)
def test_masks(compare, draw):
    """True = may attend; the mask may be (T, T) or (B, H, T, T), with axes of size 1 for all."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    shapes = (5, 5), (2, HEADS, 5, 5), (2, 1, 5, 5), (2, 1, 1, 5), (1, HEADS, 1, 5)
    masks = [random_mask(draw, *shape) for shape in shapes]

    def probe(impl, first):
        layer = made(impl, weights, norm_first=first)
        return [layer(x, mask) for mask in masks], layer(x, mask=masks[0])

    for first in ORDERS.values():
        compare(lambda impl: probe(impl, first))


@pytest.mark.points(2)
def test_padding_is_not_seen(compare, submission, draw):
    """What stands in the padding, be it huge, and how much there is changes no real token's
    result."""
    weights, real = random_weights(draw), draw.normal(1, 4, WIDTH)
    pads = draw.normal(1, 3, WIDTH), draw.normal(1, 3, WIDTH, scale=300.0)
    padded = [torch.cat([real, pad], dim=1) for pad in pads]
    mask = (torch.arange(7, device=real.device) < 4)[None, None, None]
    for name, first in ORDERS.items():
        compare(lambda impl: made(impl, weights, norm_first=first)(padded[0], mask))
        layer = made(submission, weights, norm_first=first)
        alone = layer(real)
        for long, size in zip(padded, ("ordinary", "huge"), strict=True):
            same = close(layer(long, mask)[:, :4], alone)
            assert same, f"with {name} real tokens see {size} numbers in the padding"


@pytest.mark.kept("an encoder without positions is blind to order: a fact worth seeing")
def test_order_does_not_matter(compare, submission, draw):
    """Without positions, tokens in another order give the same results in that order."""
    x, weights, order = draw.normal(2, 5, WIDTH), random_weights(draw), draw.permutation(5)
    mixed = x[:, order]
    for name, first in ORDERS.items():
        compare(lambda impl: made(impl, weights, norm_first=first)(x))
        layer = made(submission, weights, norm_first=first)
        same = close(layer(mixed), layer(x)[:, order])
        assert same, f"with {name} a token's result depends on its place, not on the tokens alone"


# Dropout ------------------------------------------------------------------------------------------


@pytest.mark.points(2)
def test_dropout_in_training(compare, submission, draw):
    """In training dropout falls on both branches, on the activations and on the attention weights,
    each number on its own."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    compare(lambda impl: made(impl, weights, norm_first=True)(x))
    x = draw.normal(2, 16, 16)
    for which, inside in (("feed-forward", "activations"), ("attention", "attention weights")):
        layer = submission.EncoderLayer(16, 2, 16, 0.5, norm_first=True)
        layer.load(constant_branch(which, x.device))
        y = layer(x)
        assert not (y == 0).any(), "dropout falls on the sum, and on x with it"
        added = y - x
        steps = added * 8  # one of sixteen more or less inside is 1/16, grown once by 2 or twice
        whole = (steps - steps.round()).abs() < 1e-3
        assert whole.all(), f"dropout falls on what the {which} branch is given"
        dropped = added.abs() < 1e-3
        share = dropped.float().mean()
        assert share > 0, f"nothing of what the {which} branch adds is dropped"
        mixed = dropped.any(-1) & ~dropped.all(-1)
        assert mixed.any(), f"the {which} branch is dropped by whole tokens"
        assert share > 0.37, f"the {which} branch loses far less than it should, or x is changed"
        assert share < 0.63, f"the {which} branch loses far more than it should, or x is changed"
        groups = added.unflatten(-1, (2, 8))  # one head each; dropped inside, they shrink together
        kept = groups.amax(-1, keepdim=True).expand_as(groups)
        dropped = dropped.unflatten(-1, (2, 8))
        assert (dropped | ((groups - kept).abs() < 1e-3)).all(), (
            f"what the {which} branch keeps is not all grown alike"
        )
        among = kept[..., 0][~dropped.all(-1)]
        assert among.max() - among.min() > 0.1, f"in training none of the {inside} are dropped"
        assert abs(among.mean() - 2) < 0.8, f"what survives among the {inside} does not grow"
    layer = submission.EncoderLayer(16, 2, 16, norm_first=True)
    layer.load(constant_branch("feed-forward", x.device))
    share = ((layer(x) - x).abs() < 1e-3).float().mean()
    assert 0.02 < share < 0.2, "without `dropout` it is not one number in ten that is dropped"


def constant_branch(which, device):
    """Weights of a layer of which one branch adds 1 to everything, and the other nothing.

    Both norms give ones, whatever x is; every number inside the branch is 1 as well.
    """
    shapes = shapes_of(16, 16)
    weights = {name: torch.zeros(*shape, device=device) for name, shape in shapes.items()}
    weights |= {f"norm{i}.bias": torch.ones(16, device=device) for i in (1, 2)}
    if which == "attention":
        weights["self_attn.in_proj_weight"][32:] = 1 / 16
        weights["self_attn.out_proj.weight"] = torch.eye(16, device=device)
    else:
        weights["linear1.weight"] += 1 / 16
        weights["linear2.weight"] += 1 / 16
    return weights


def test_no_dropout_in_evaluation(compare, submission, draw):
    """After eval() nothing is dropped, in a layer and in a stack; with dropout=0.0 never."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(2)]

    def evaluated(impl):
        parts = (
            made(impl, weights[0], dropout=0.6, norm_first=True),
            stacked(impl, weights, dropout=0.6),
        )
        for part in parts:
            part.eval()
        return [part(x) for part in parts]

    compare(lambda impl: made(impl, weights[0], norm_first=True)(x))
    layer = made(submission, weights[0])
    assert close(layer(x), layer(x)), "with dropout=0.0 two calls in training differ"
    layer = made(submission, weights[0], dropout=0.6)
    layer.eval()
    assert close(layer(x), layer(x)), "after eval() two calls differ: dropout still acts"
    compare(evaluated)


# The stack ----------------------------------------------------------------------------------------


@pytest.mark.points(3)
def test_stack_with_a_norm(compare, draw):
    """Each layer works on the result of the one before it, and the norm comes once, at the end."""
    x, norm = draw.normal(2, 5, WIDTH), random_norm(draw)
    weights = [random_weights(draw) for _ in range(3)]
    compare(lambda impl: stacked(impl, weights, norm, norm_first=True)(x), wrt=[x])
    compare(lambda impl: stacked(impl, weights[:2], norm)(x))


@pytest.mark.kept("the other half of the rule, for points of its own")
def test_stack_without_a_norm(compare, draw):
    """Without a norm the result is that of the last layer, also where there is but one."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(2)]
    compare(lambda impl: stacked(impl, weights)(x), wrt=[x])
    compare(lambda impl: stacked(impl, weights[:1], norm_first=True)(x))


@pytest.mark.points(2)
def test_every_layer_gets_the_mask(compare, draw):
    """The mask reaches every layer, not only the first."""
    x, weights = draw.normal(2, 5, WIDTH), [random_weights(draw) for _ in range(3)]
    masks = random_mask(draw, 5, 5), random_mask(draw, 2, 1, 1, 5)
    compare(lambda impl: made(impl, weights[0])(x, masks[0]))

    def probe(impl):
        stack = stacked(impl, weights)
        return stack(x, masks[0]), stack(x, mask=masks[1])

    compare(probe)


@pytest.mark.points(2)
def test_layers_begin_as_copies(compare, draw):
    """A fresh stack holds copies of the layer: the same weights, and the same settings."""
    x, weights = draw.normal(2, 5, WIDTH), random_weights(draw)
    for options in ({}, {"norm_first": True}):
        compare(lambda impl: impl.Encoder(made(impl, weights, **options), 2)(x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.kept("sharing as its author would meet it; elsewhere gradients give it away")
def test_layers_share_nothing(compare, draw):
    """New weights for the stack do not change the layer it was made from, nor the other way
    round."""
    x = draw.normal(2, 5, WIDTH)
    old, *new = (random_weights(draw) for _ in range(3))

    def stack_learns(impl):
        layer = made(impl, old)
        stack = impl.Encoder(layer, 2)
        load_stack(stack, new)
        return stack(x), layer(x)

    def layer_learns(impl):
        layer = made(impl, old)
        stack = impl.Encoder(layer, 2)
        load_stack(stack, new)
        layer.load(new[1])
        return stack(x), layer(x)

    compare(stack_learns)
    compare(layer_learns)
