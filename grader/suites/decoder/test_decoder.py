"""Hidden checks of ``decoder``."""

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
BRANCH_ENDS = "self_attn.w_o", "multihead_attn.w_o", "feed_forward.w_2"


def shapes_of(width, inner):
    attentions = "self_attn", "multihead_attn"
    matrices = {f"{name}.w_{part}": (width, width) for name in attentions for part in "qkvo"}
    matrices |= {"feed_forward.w_1": (inner, width), "feed_forward.w_2": (width, inner)}
    shapes = {}
    for name, (outputs, inputs) in matrices.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    norms = {f"residual{i}.norm.{part}": (width,) for i in (1, 2, 3) for part in ("weight", "bias")}
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


def sentences(draw, target=5, source=7, batch=2, **options):
    """A target, and a memory that no norm has seen."""
    tgt = draw.normal(batch, target, WIDTH, **options)
    return tgt, draw.normal(batch, source, WIDTH, scale=2.0, offset=0.5, **options)


def made(impl, weights, norm_first=False, **options):
    return loaded(impl, weights, WIDTH, HEADS, INNER, norm_first=norm_first, **options)


def loaded(impl, weights, *sizes, dropout=0.0, **options):
    layer = impl.DecoderLayer(*sizes, dropout=dropout, **options)
    layer.load(weights)
    return layer


def stacked(impl, weights, norm=None, **options):
    """A stack with one layer for each of ``weights``, loaded after it was made."""
    stack = impl.Decoder(made(impl, weights[0], **options), len(weights), norm)
    load_stack(stack, weights, norm)
    return stack


def load_stack(stack, weights, norm=None):
    named = {f"layers.{i}.{k}": w for i, layer in enumerate(weights) for k, w in layer.items()}
    if norm is not None:
        named |= {f"norm.inner.{name}": w for name, w in norm.weights.items()}
    stack.load(named)


def random_mask(draw, *shape):
    """About half may attend, and everybody to one at least."""
    mask = draw.booleans(*shape)
    one = draw.integers(0, shape[-1], (*shape[:-1], 1))
    return mask.scatter(-1, one, torch.ones_like(one, dtype=torch.bool))


def causal_mask(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def close(one, other):
    return bool(((one - other).abs() < 1e-4 * (1 + other.abs())).all())


# One layer ----------------------------------------------------------------------------------------


@pytest.mark.core("DecoderLayer.forward: with masks")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("most weights are zeros: asked again they tell less than the next checks")
@pytest.mark.rests_on("and between them cross-attention with equal scores and W_v = W_o = 1")
def test_example(compare, device):
    """The example: the target token gets (10, 0), the mean of the memory and (0, 100) added."""
    weights = {name: torch.zeros(*s, device=device) for name, s in shapes_of(2, 5).items()}
    weights |= {f"residual{i}.norm.weight": torch.ones(2, device=device) for i in (1, 2, 3)}
    weights["multihead_attn.w_v.weight"] = torch.eye(2, device=device)
    weights["multihead_attn.w_o.weight"] = torch.eye(2, device=device)
    weights["self_attn.w_o.bias"][0], weights["feed_forward.w_2.bias"][1] = 10.0, 100.0
    tgt = torch.tensor([[[0.0, 2.0]]], device=device)
    memory = torch.tensor([[[3.0, 0.0], [6.0, 3.0]]], device=device)
    mask = torch.tensor([[True, False]], device=device)

    def probe(impl):
        layer = impl.DecoderLayer(2, 1, 5, dropout=0.0, norm_first=True)
        layer.load(weights)
        return layer(tgt, memory), layer(tgt, memory, memory_mask=mask)

    compare(probe)


@pytest.mark.core("DecoderLayer.forward: post-norm")
@pytest.mark.points(3)
@pytest.mark.kept("the formula of post-norm")
@pytest.mark.rests_on(
    "x = norm2(x + cross_attention(x, memory))",
    "norm_first: True for pre-norm, False for post-norm",
)
def test_post_norm(compare, draw):
    """By default norm1(x + self_attention(x)), then cross-attention with norm2 and the network
    with norm3; gradients of tgt, memory and every parameter come out right."""
    (tgt, memory), weights = sentences(draw), random_weights(draw)
    compare(lambda impl: loaded(impl, weights, WIDTH, HEADS, INNER)(tgt, memory), wrt=[tgt, memory])


@pytest.mark.core("DecoderLayer.forward: pre-norm")
@pytest.mark.points(3)
@pytest.mark.kept("the formula of pre-norm")
@pytest.mark.rests_on(
    "x = x + cross_attention(norm2(x), memory)",
    "norm_first: True for pre-norm, False for post-norm",
)
def test_pre_norm(compare, draw):
    """With norm_first x + self_attention(norm1(x)), then cross-attention with norm2 and the network
    with norm3; gradients of tgt, memory and every parameter come out right."""
    (tgt, memory), weights = sentences(draw), random_weights(draw)
    compare(lambda impl: made(impl, weights, norm_first=True)(tgt, memory))
    compare(lambda impl: made(impl, weights, norm_first=True)(tgt, memory), wrt=[tgt, memory])


@pytest.mark.kept("the straight way, to the last bit, in training too")
@pytest.mark.rests_on("the straight way, the norms and the memory lose nothing")
def test_straight_way(compare, submission, draw):
    """If all three branches give zeros, pre-norm returns tgt exactly and post-norm
    norm3(norm2(norm1(tgt))), in training with dropout too."""
    (tgt, memory), weights = sentences(draw), random_weights(draw)
    silence(weights, "weight")
    for first in ORDERS.values():
        compare(lambda impl: made(impl, weights, norm_first=first)(tgt, memory))
    silence(weights, "bias")
    y = made(submission, weights, dropout=0.5, norm_first=True)(tgt, memory)
    assert torch.equal(y, tgt), "in training pre-norm with branches of zeros does not return tgt"
    y, x = made(submission, weights, dropout=0.5, norm_first=False)(tgt, memory), tgt
    for i in (1, 2, 3):
        norm = [weights[f"residual{i}.norm.{part}"] for part in ("weight", "bias")]
        x = F.layer_norm(x, (WIDTH,), *norm)
    assert close(y, x), "in training post-norm with branches of zeros is not the norms of tgt alone"


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
    (tgt, memory), weights = sentences(draw), random_weights(draw)
    masks = causal_mask(5, tgt.device), random_mask(draw, 2, 1, 1, 7)

    def by_name(impl):
        relu = made(impl, weights, norm_first=True, activation="relu")
        gelu = made(impl, weights, norm_first=False, activation="gelu")
        return gelu(tgt, memory), gelu(tgt, memory, *masks), relu(tgt, memory, *masks)

    def without_names(impl):
        layer = impl.DecoderLayer(WIDTH, HEADS, INNER, 0.0, True, "gelu")
        layer.load(weights)
        return layer(tgt, memory)

    compare(by_name)
    compare(without_names)


@pytest.mark.rests_on("ValueError: activation is another word")
def test_refuses_an_unknown_activation(submission, draw):
    """An activation of another name raises ValueError."""
    tgt, memory = sentences(draw)
    for word in ("tanh", "gelus"):
        refuses(
            lambda: submission.DecoderLayer(WIDTH, HEADS, INNER, activation=word)(tgt, memory),
            f"activation={word!r}",
        )


@pytest.mark.kept("says which parameters are there, and which are wanted")
@pytest.mark.rests_on(
    "and there are no parameters but theirs",
    "all begin as these modules begin",
    "from then on share nothing: not with one another, and not with layer",
)
def test_parameters(submission):
    """A layer has the twenty-six parameters of its parts, and a stack N times those, which are its
    own; a fresh layer's norms begin with ones and zeros."""
    layer = submission.DecoderLayer(WIDTH, HEADS, INNER)
    found, wanted = layer.parameters(), shapes_of(WIDTH, INNER)
    names = ", ".join(sorted(found)) or "none"
    assert sorted(found) == sorted(wanted), f"the parameters are not the documented ones: {names}"
    for name, shape in wanted.items():
        assert tuple(found[name].shape) == shape, f"{name} has shape {tuple(found[name].shape)}"
        if "norm" in name:
            start = float(name.endswith("weight"))
            assert (found[name] == start).all(), f"{name} does not begin with {start:g}"
    stack = submission.Decoder(layer, 4)
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
    """The matrices of a fresh layer begin as those of its parts, no two rows alike, and drawn anew
    for every layer, also after a stack was made."""
    one = submission.DecoderLayer(64, 4, 128)
    submission.Decoder(one, 2)
    found = [layer.parameters() for layer in (one, submission.DecoderLayer(64, 4, 128))]
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
        twin = name.replace("multihead_attn", "self_attn")
        alike = twin != name and torch.equal(first, found[0][twin])
        assert not alike, f"{name} and {twin} begin with the same numbers"


@pytest.mark.rests_on("Lengths may differ from call to call", "nothing is remembered between calls")
def test_any_size(compare, draw):
    """Targets and memories of any lengths go through the same layer, one after the other, with
    masks for all sentences; any number of heads."""
    weights = random_weights(draw)
    sizes = (4, 9), (40, 2), (4, 9), (6, 1), (1, 8), (2, 40)
    calls = []
    for length, source in sizes:
        tgt, memory = sentences(draw, length, source, batch=1 if source == 1 else 4)
        masks = causal_mask(length, tgt.device), random_mask(draw, 1, 1, 1, source)
        calls.append((tgt, memory, *masks))

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        found = [layers[at % 2](*call) for at, call in enumerate(calls)]
        one_head = loaded(impl, weights, WIDTH, 1, INNER)
        return found, [layer(*calls[0][:2]) for layer in layers], one_head(*calls[0])

    compare(probe)


@pytest.mark.rests_on("Everything keeps the dtype and the device of tgt")
def test_other_devices(compare, draw):
    """After .to(...) a layer works on another device, masks and all."""
    weights, inputs = random_weights(draw), sentences(draw)
    masks = causal_mask(5, inputs[0].device), random_mask(draw, 2, 1, 1, 7)
    far = [tensor.to("meta") for tensor in (*inputs, *masks)]

    def moved(impl):
        layer = made(impl, weights)
        layer.requires_grad_(False)  # shape and device are the question here
        layer.to("meta")
        return layer(*far)

    with on_one_device("the layer"):
        compare(moved)


# Who attends to whom ------------------------------------------------------------------------------


@pytest.mark.core("DecoderLayer.forward: with masks")
@pytest.mark.points(2)
@pytest.mark.kept("the rule of the mask, before any map is asked for")
@pytest.mark.rests_on("any of which may have size 1 and then stands for all")
def test_target_mask(compare, draw):
    """tgt_mask says which target tokens may be looked at: (T, T) or (B, H, T, T), axes of size 1
    standing for all."""
    (tgt, memory), weights = sentences(draw, 5, 5), random_weights(draw)
    shapes = (5, 5), (2, HEADS, 5, 5), (2, 1, 1, 5), (1, HEADS, 1, 5), (1, 5)
    masks = [random_mask(draw, *shape) for shape in shapes]
    masks.append(torch.ones(2, 1, 5, 1, dtype=torch.bool, device=tgt.device))

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        found = [layers[0](tgt, memory, mask) for mask in masks]
        return found, layers[1](tgt, memory, tgt_mask=masks[0])

    compare(probe)


@pytest.mark.core("DecoderLayer.forward: with masks")
@pytest.mark.points(2)
@pytest.mark.kept("the rule of the mask, before any map is asked for")
@pytest.mark.rests_on("any of which may have size 1 and then stands for all")
def test_memory_mask(compare, draw):
    """memory_mask says which memory tokens may be looked at: (T, S) or (B, H, T, S), axes of size 1
    standing for all."""
    (tgt, memory), weights = sentences(draw), random_weights(draw)
    shapes = (5, 7), (2, HEADS, 5, 7), (2, 1, 1, 7), (1, HEADS, 1, 7), (1, 7)
    masks = [random_mask(draw, *shape) for shape in shapes]
    masks.append(torch.ones(2, 1, 5, 1, dtype=torch.bool, device=tgt.device))

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        found = [layers[0](tgt, memory, None, mask) for mask in masks]
        return found, layers[1](tgt, memory, memory_mask=masks[0])

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("where both lengths are the same, mixed-up masks raise no error")
@pytest.mark.rests_on("There are two masks, because there are two attentions")
def test_masks_do_not_mix(compare, draw):
    """Each attention obeys its own mask and no other, also where target and memory are of one
    length."""
    (tgt, memory), weights = sentences(draw, 6, 6), random_weights(draw)
    causal, other = causal_mask(6, tgt.device), random_mask(draw, 2, 1, 1, 6)

    def probe(impl):
        post_norm = made(impl, weights)
        alone = [post_norm(tgt, memory, **{f"{which}_mask": causal}) for which in ("tgt", "memory")]
        layers = post_norm, made(impl, weights, norm_first=True)
        return alone, [layer(tgt, memory, causal, other) for layer in layers]

    compare(probe, wrt=[tgt, memory])


@pytest.mark.kept("what is wrong only where two sizes are the same shows nowhere else")
@pytest.mark.rests_on("Lengths may differ from call to call")
def test_equal_sizes(compare, draw):
    """As many sentences as tokens of target and memory, and as features, heads and inner ones."""
    tgt, memory, weights = draw.normal(4, 4, 4), draw.normal(4, 4, 4), random_weights(draw, 4, 4)
    masks = random_mask(draw, 4, 4, 4, 4), random_mask(draw, 4, 4)

    def probe(impl):
        layers = [loaded(impl, weights, 4, 4, 4, norm_first=first) for first in ORDERS.values()]
        found = [layer(tgt, memory, *masks) for layer in layers]
        return found, layers[0](tgt, memory), layers[1](tgt, memory, *masks[::-1])

    compare(probe, wrt=[tgt, memory])


@pytest.mark.points(2)
@pytest.mark.kept("what the mask is for, in words of its own")
@pytest.mark.rests_on("no weight, however large its score", "tgt_mask: for the self-attention")
def test_no_look_ahead(compare, submission, draw):
    """With a causal tgt_mask nothing of a later token reaches an earlier one, however large it
    is, in a layer and in a stack."""
    weights = [random_weights(draw) for _ in range(2)]
    tgt, memory = sentences(draw, 5, 5, batch=1)
    mask, later = causal_mask(5, tgt.device), tgt.clone()
    later[:, 3:] = draw.uniform(1, 2, WIDTH, low=200.0, high=400.0)
    later[:, 3:, ::2] *= -1
    compare(lambda impl: made(impl, weights[0])(tgt, memory, mask), wrt=[tgt])
    compare(lambda impl: stacked(impl, weights, norm_first=True)(tgt, memory, mask), wrt=[tgt])
    layer = made(submission, weights[0])
    y = layer(tgt, memory, mask)
    z = usable(layer, layer(later, memory, mask), y.shape)
    assert not torch.equal(z, y), "a layer answers other tokens as it answered the first ones"
    assert close(z[:, :3], y[:, :3]), "a layer looks ahead where later tokens are huge"


@pytest.mark.points(2)
@pytest.mark.kept("what the mask is for, in words of its own")
@pytest.mark.rests_on("no weight, however large its score", "hides the padding of the source")
def test_padding_of_the_memory_is_not_seen(compare, submission, draw):
    """What stands in the memory's padding, be it huge, and how much there is changes nothing."""
    (tgt, memory), weights = sentences(draw, 5, 4, batch=1), random_weights(draw)
    pads = draw.normal(1, 3, WIDTH), draw.normal(1, 3, WIDTH, scale=300.0)
    padded = [torch.cat([memory, pad], dim=1) for pad in pads]
    mask = (torch.arange(7, device=tgt.device) < 4)[None, None, None]
    compare(lambda impl: made(impl, weights, norm_first=True)(tgt, padded[0], memory_mask=mask))
    layer = made(submission, weights)
    alone = layer(tgt, memory)
    for long, size in zip(padded, ("ordinary", "huge"), strict=True):
        same = close(layer(tgt, long, memory_mask=mask), alone)
        assert same, f"{size} numbers in the memory's padding are seen"


# Dropout ------------------------------------------------------------------------------------------

BRANCHES = {
    "self-attention": "weights of the self-attention",
    "cross-attention": "weights of the cross-attention",
    "feed-forward": "activations",
}


@pytest.mark.rests_on(
    "on the activations (inside feed_forward)",
    "on what each of the three branches adds to the straight way",
)
def test_dropout_in_training(submission, draw, device):
    """In training dropout falls on all three branches, on the activations and on the weights of
    both attentions, each number on its own."""
    x, ones = draw.normal(4, 16, 16), torch.ones(4, 16, 16, device=device)
    for which, inside in BRANCHES.items():
        layer = submission.DecoderLayer(16, 2, 16, 0.5, norm_first=True)
        layer.load(constant_branch(which, device))
        found = []
        for options in ({}, {"need_weights": True}):
            given = layer(x, ones, **options)
            y = usable(layer, given[0] if isinstance(given, tuple) else given, x.shape)
            assert not (y == 0).any(), "dropout falls on the sum, and on tgt with it"
            found.append(levels(y - x, which, inside))
        demand_others_dropped(*found, inside)
    x, ones = draw.normal(8, 32, 16), torch.ones(8, 3, 16, device=device)
    layer = submission.DecoderLayer(16, 2, 16, norm_first=True)
    layer.load(constant_branch("feed-forward", device))
    share = ((layer(x, ones) - x).abs() < 1e-3).float().mean()
    assert 0.07 < share < 0.13, "without `dropout` it is not one number in ten that is dropped"


def constant_branch(which, device):
    """Weights of a layer of which one branch adds 1 to everything, and the others nothing.

    All norms give ones, whatever x is; every number inside the branch is 1 as well.
    """
    shapes = shapes_of(16, 16)
    weights = {name: torch.zeros(*shape, device=device) for name, shape in shapes.items()}
    weights |= {f"residual{i}.norm.bias": torch.ones(16, device=device) for i in (1, 2, 3)}
    if which == "feed-forward":
        weights["feed_forward.w_1.weight"] += 1 / 16
        weights["feed_forward.w_2.weight"] += 1 / 16
    else:
        name = "self_attn" if which == "self-attention" else "multihead_attn"
        weights[f"{name}.w_v.weight"] += 1 / 16
        weights[f"{name}.w_o.weight"] = torch.eye(16, device=device)
    return weights


@pytest.mark.rests_on("anew for every branch, every layer and every call", "each number on its own")
def test_dropout_is_drawn_anew(submission, device):
    """What is dropped from what the branches add is drawn anew for every number, every branch,
    every layer and every call."""
    x, found = torch.zeros(4, 8, 16, device=device), {}
    memory = torch.ones(4, 3, 16, device=device)
    for stack in range(2):
        part = submission.Decoder(submission.DecoderLayer(16, 2, 8, 0.5, norm_first=True), 2)
        part.load(telling_weights(device))
        for call in range(2):
            y = usable(part, part(x, memory), x.shape)
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
    """Between two (stack, call, place), of which places 0, 1 and 2 are the first layer's."""
    if one[2] != other[2]:
        return "branches" if one[2] % 3 != other[2] % 3 else "layers"
    return "stacks" if one[0] != other[0] else "calls"


def telling_weights(device):
    """Of a stack of two layers, whose six branches add 1, 10, and so on to 100000 to everything."""
    zeros = {name: torch.zeros(*shape, device=device) for name, shape in shapes_of(16, 8).items()}
    stack = {f"layers.{i}.{name}": w.clone() for i in (0, 1) for name, w in zeros.items()}
    biases = [f"layers.{i}.{name}.bias" for i in (0, 1) for name in BRANCH_ENDS]
    for power, name in enumerate(biases):
        stack[name] += 10.0**power
    return stack


def digits(y):
    """Where each of the six branches was kept, and so doubled."""
    sums = (y / 2).round()
    found = [sums.div(10.0**power, rounding_mode="floor") % 10 for power in range(6)]
    assert close(y / 2, sums), "what a branch adds is neither dropped nor doubled"
    for kept in found:
        assert (kept <= 1).all(), "what a branch adds is neither dropped nor doubled"
    return [kept == 1 for kept in found]


@pytest.mark.rests_on(
    "on the activations (inside feed_forward)",
    "on what each of the three branches adds to the straight way",
)
def test_dropout_with_other_options(submission, reference, draw):
    """In either order of norms, with either activation, with masks or without: means and spreads
    of what comes out in training are those of dropout at all its places."""
    tgt, memory = (x[:1].expand(768, -1, -1).contiguous() for x in sentences(draw, 4, 3))
    weights, padding = random_weights(draw), random_mask(draw, 1, 1, 1, 3)
    padding[..., :2] = True
    none, both = (), (causal_mask(4, tgt.device), padding)
    *attentions, network = BRANCH_ENDS
    wrong = []  # pre-norm with relu and no mask is what test_dropout_in_training asks
    for first, activation, asked in (
        (False, "relu", [*itertools.product(attentions, (none, both)), (network, none)]),
        (True, "gelu", [(name, both) for name in BRANCH_ENDS]),
        (False, "gelu", [(network, none)]),
    ):
        made_by = [
            impl.DecoderLayer(WIDTH, 1, INNER, 0.4, norm_first=first, activation=activation)
            for impl in (submission, reference)
        ]
        for loud, masks in asked:
            found = [heard(layer, loud, weights, tgt, memory, *masks) for layer in made_by]
            said = f"{loud} alone, norm_first={first}, activation={activation!r}"
            said += ", masks" if masks else ""
            wrong += [f"{fault} with {said}" for fault in spread_faults(*found)]
    assert not wrong, f"in training numbers {'; '.join(wrong)}"


def heard(layer, loud, weights, tgt, *others):
    """What a layer returns when the branch that ends in ``loud`` is the only one that adds."""
    silent = tuple(name for name in BRANCH_ENDS if name != loud)
    layer.load({k: 0 * w if k.startswith(silent) else w for k, w in weights.items()})
    return usable(layer, layer(tgt, *others), tgt.shape)


@pytest.mark.asked_once("all other checks ask again in eval mode; here dropout is the question")
@pytest.mark.rests_on("and in eval mode nothing does")
def test_no_dropout_in_evaluation(compare, draw):
    """After eval() nothing is dropped and nothing shrinks, in a layer and in a stack, whatever
    `dropout` is; with dropout=0.0 never."""
    (tgt, memory), weights = sentences(draw), [random_weights(draw) for _ in range(2)]
    masks, other = (causal_mask(5, tgt.device), random_mask(draw, 2, 1, 1, 7)), memory.flip(1)

    def evaluated(impl):
        layer = made(impl, weights[0], dropout=0.6, norm_first=True)
        stack = stacked(impl, weights, dropout=0.6)
        for part in (layer, stack):
            part.eval()
        return layer(tgt, memory), layer(tgt, other, *masks), stack(tgt, memory)

    compare(lambda impl: made(impl, weights[0], norm_first=True)(tgt, memory))
    compare(evaluated)


# The stack ----------------------------------------------------------------------------------------


@pytest.mark.core("Decoder")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Every layer gets the result of the one before it, the same memory and both masks",
    "called once, on the result of the last layer, with that alone",
)
def test_stack_with_a_norm(compare, draw):
    """Each layer works on the result of the one before it and on the same memory, and the norm
    comes once, at the end; any module may stand in its place."""
    (tgt, memory), norm, tanh = sentences(draw), random_norm(draw), torch_module("Tanh")
    weights = [random_weights(draw) for _ in range(3)]

    def another(impl):
        stack = stacked(impl, weights[:2], tanh)
        return stack(tgt, memory), inputs_of(impl, tanh)

    compare(
        lambda impl: stacked(impl, weights, norm, norm_first=True)(tgt, memory), wrt=[tgt, memory]
    )
    compare(another)


@pytest.mark.kept("the other half of the rule, for points of its own")
@pytest.mark.rests_on("a norm at the end if one is given")
def test_stack_without_a_norm(compare, draw):
    """Without a norm the result is that of the last layer, where there is but one and where there
    are six."""
    (tgt, memory), weights = sentences(draw), [random_weights(draw) for _ in range(6)]

    def probe(impl):
        stacks = stacked(impl, weights), stacked(impl, weights[:1], norm_first=True)
        return [stack(tgt, memory) for stack in stacks]

    compare(probe, wrt=[tgt, memory])


@pytest.mark.core("Decoder")
@pytest.mark.points(2)
@pytest.mark.kept("the rule of the stack's masks, before any map is asked for")
@pytest.mark.rests_on("the result of the one before it, the same memory and both masks")
def test_every_layer_gets_both_masks(compare, draw):
    """Both masks reach every layer, each at its own place."""
    (tgt, memory), weights = sentences(draw, 6, 6), [random_weights(draw) for _ in range(2)]
    causal, other = causal_mask(6, tgt.device), random_mask(draw, 2, 1, 1, 6)
    of_heads = random_mask(draw, 2, HEADS, 6, 6), random_mask(draw, 2, HEADS, 6, 6)

    def probe(impl):
        stack = stacked(impl, weights)
        alone = stack(tgt, memory, tgt_mask=causal), stack(tgt, memory, memory_mask=other)
        return alone, stack(tgt, memory, causal, other), stack(tgt, memory, *of_heads)

    compare(probe)


@pytest.mark.rests_on(
    "They begin with its weights", "norm: the module given, itself and not a copy"
)
def test_layers_begin_as_copies(compare, draw):
    """A fresh stack holds copies of the layer: the same weights, and the same settings; and the
    norm as it was given."""
    (tgt, memory), weights, norm = sentences(draw), random_weights(draw), random_norm(draw)

    def probe(impl):
        plain = impl.Decoder(made(impl, weights), 2, None)
        normed = impl.Decoder(made(impl, weights, norm_first=True), 2, norm)
        return plain(tgt, memory), normed(tgt, memory)

    compare(probe)


@pytest.mark.kept("sharing as its author would meet it; elsewhere gradients give it away")
@pytest.mark.rests_on("from then on share nothing: not with one another, and not with layer")
def test_layers_share_nothing(compare, draw):
    """New weights for the layer that a stack was made from do not change the stack, nor the other
    way round."""
    (tgt, memory), weights = sentences(draw), [random_weights(draw) for _ in range(4)]

    def probe(impl):
        layer = made(impl, weights[0])
        stack = impl.Decoder(layer, 2, None)
        load_stack(stack, weights[1:3])
        layer.load(weights[3])
        return stack(tgt, memory), layer(tgt, memory)

    compare(probe)


# The attention weights ----------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("a layer's own, before a stack collects them")
@pytest.mark.rests_on(
    "return as well the attention weights of every head in this very call",
    "The result is the same with them and without",
)
def test_layer_returns_its_weights(compare, draw):
    """With need_weights a layer returns (result, self_weights, cross_weights), with those of every
    head, in either order of norms."""
    (tgt, memory), weights = sentences(draw), random_weights(draw)

    def probe(impl):
        layers = [made(impl, weights, norm_first=first) for first in ORDERS.values()]
        return [layer(tgt, memory, need_weights=True) for layer in layers]

    compare(probe)


@pytest.mark.core("Decoder.forward: the attention weights of all layers")
@pytest.mark.points(2)
@pytest.mark.rests_on("two lists with the attention weights of each layer")
def test_stack_returns_all_maps(compare, draw):
    """With need_weights a stack returns (result, self_maps, cross_maps): two lists of one map for
    each layer, the first layer's first, and the result with its norm."""
    (tgt, memory), norm = sentences(draw), random_norm(draw)
    weights = [random_weights(draw) for _ in range(3)]

    def probe(impl):
        one = stacked(impl, weights[:1])(tgt, memory, need_weights=True)
        return stacked(impl, weights, norm)(tgt, memory, need_weights=True), one

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "any of which may have size 1 and then stands for all",
    "Gradients flow back through them too",
    "those of the first layer first. The result is the same with them and without",
)
def test_maps_with_other_options(compare, draw):
    """Maps obey the masks, in a layer and in a stack, also where both lengths are the same;
    gradients flow through them; and a call without need_weights returns the result alone, also
    after one with it."""
    (tgt, memory), weights = sentences(draw, 6, 6), [random_weights(draw) for _ in range(2)]
    masks = causal_mask(6, tgt.device), random_mask(draw, 2, 1, 1, 6)

    def probe(impl):
        layer = made(impl, weights[0], activation="gelu")
        stack = stacked(impl, weights, norm_first=True)
        shown = [part(tgt, memory, *masks, need_weights=True) for part in (layer, stack)]
        plain = layer(tgt, memory), stack(tgt, memory, *masks, need_weights=False)
        return shown, plain, stack(tgt[:1], memory[:1], need_weights=True)

    compare(probe, wrt=[tgt, memory])


@pytest.mark.asked_once("the mode is asked for here; other checks ask for the maps again")
@pytest.mark.rests_on("before dropout, as MultiHeadAttention gives them", "in this very call")
def test_maps_in_training(submission, reference, draw):
    """In training maps are whole, for they are taken before dropout; and each layer's maps are
    those of the call which gave the result."""
    (tgt, memory), weights = sentences(draw), [random_weights(draw) for _ in range(2)]
    _, (plain, _), _ = stacked(reference, weights)(tgt, memory, need_weights=True)
    stack = stacked(submission, weights, dropout=0.5)
    y, (first, second), cross = stack(tgt, memory, need_weights=True)
    _, (_, other), _ = stack(tgt, memory, need_weights=True)
    first, second, other = (
        usable(submission, found, (2, HEADS, 5, 5)) for found in (first, second, other)
    )
    assert close(first, plain), (
        "in training the first layer's map is not the right one, of weights before dropout"
    )
    read = [usable(submission, found, (2, HEADS, 5, 7)) for found in cross]
    whole = all((found.sum(-1) - 1).abs().max() < 1e-3 for found in (second, *read))
    assert whole, "in training rows of some map do not sum to one"
    assert not close(second, other), "in training two calls return the very same second map"
    assert not close(y, stack(tgt, memory)), "with need_weights nothing is dropped in training"
