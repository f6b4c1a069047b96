"""Hidden checks of ``transformer``."""

from __future__ import annotations

import pytest
import torch

from grader.check import Draw, SubmissionRaised, gradient_by_shape, on_meta, refuses, usable

SRC, TGT, WIDTH, HEADS, INNER = 11, 13, 8, 2, 12  # two vocabularies, d_model, num_heads, d_ff
ENCODERS, DECODERS, PAD = 1, 2, 3
SIZES = SRC, TGT, WIDTH, HEADS, ENCODERS, DECODERS, INNER
TIED_SIZES = SRC, SRC, *SIZES[2:]


@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
def test_example(compare, device):
    """With the generator's bias as the only weight, it alone is what comes out, everywhere."""
    src = torch.tensor([[5, 9, 2]], device=device)
    tgt = torch.tensor([[1, 7, 4, 12]], device=device)
    weights = model_weights(None, device=device)
    weights["generator.bias"] = torch.arange(float(TGT), device=device)
    compare(lambda impl: model_of(impl, weights)(src, tgt))


# From tokens to logits ----------------------------------------------------------------------------


@pytest.mark.points(3)
@pytest.mark.kept("the definition of the model")
def test_logits(compare, draw):
    """Encoder, decoder and generator together, with source and target of different lengths."""
    weights = model_weights(draw)
    for batch, lengths in ((2, (5, 4)), (1, (1, 3)), (3, (4, 1))):
        src, tgt = sentences(draw, batch, *lengths)
        compare(lambda impl: model_of(impl, weights)(src, tgt))


@pytest.mark.points(2)
@pytest.mark.kept("the other order of norms, for points of its own")
def test_pre_norm(compare, draw):
    """With norm_first both stacks are pre-norm and end with a norm, each with its own."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw, norm_first=True)
    compare(lambda impl: model_of(impl, weights, norm_first=True)(src, tgt))


@pytest.mark.points(2)
@pytest.mark.kept("half of the model, for points of its own")
def test_encode(compare, draw):
    """encode is embedding times sqrt(d_model) plus positions, then the encoder under its mask."""
    weights = model_weights(draw)
    src, _ = sentences(draw, 2, 5, 4)
    src[0, 3] = src[1, 0] = PAD
    mask = draw.booleans(2, 1, 1, 5)
    mask[..., 1] = True
    mask[..., 4] = False
    compare(lambda impl: model_of(impl, weights).encode(src, mask))
    compare(lambda impl: model_of(impl, weights).encode(src))


@pytest.mark.points(2)
@pytest.mark.kept("the other half of the model, for points of its own")
def test_decode(compare, draw):
    """decode does the same for the target, beside the memory, under the two masks it is given."""
    weights, memory = model_weights(draw), draw.normal(2, 5, WIDTH)
    _, tgt = sentences(draw, 2, 5, 4)
    tgt[0, 2] = PAD
    src_mask, tgt_mask = draw.booleans(2, 1, 1, 5), draw.booleans(2, 1, 4, 4)
    src_mask[..., 1], tgt_mask[..., 0] = True, True
    src_mask[..., 4], tgt_mask[..., 1] = False, False

    def probe(impl, *masks):
        return model_of(impl, weights).decode(tgt, memory, *masks)

    compare(lambda impl: probe(impl, src_mask, tgt_mask), wrt=[memory])
    compare(lambda impl: probe(impl, src_mask), wrt=[memory])
    compare(lambda impl: probe(impl, None, tgt_mask), wrt=[memory])


@pytest.mark.kept("what decoding step by step relies on, in words of its own")
def test_forward_is_encode_and_decode(submission, draw):
    """generator(decode(encode(...))) with the right masks is what forward gives."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    src[1, 2:] = tgt[0, 2] = PAD
    model = model_of(submission, weights)
    src_mask = (src != PAD)[:, None, None]
    tgt_mask = src_mask.new_ones(4, 4).tril() & (tgt != PAD)[:, None, None]
    memory = usable(model, model.encode(src, src_mask), (2, 5, WIDTH))
    found = usable(model, model.decode(tgt, memory, src_mask, tgt_mask), (2, 4, WIDTH))
    logits = usable(model, model.generator(found), (2, 4, TGT))
    same = close(logits, usable(model, model(src, tgt), (2, 4, TGT)))
    assert same, "forward differs from generator(decode(encode(...))) with the masks of the page"


@pytest.mark.points(2)
@pytest.mark.kept("what must not leak, in words of its own")
def test_who_sees_whom(submission, draw):
    """Another target token changes the logits from there on, another source token all of them."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    model = model_of(submission, weights)

    def logits(src, tgt):
        return usable(model, model(src, tgt), (2, 4, TGT))

    before = logits(src, tgt)
    for j in (1, 3):
        other = tgt.clone()
        other[:, j] = TGT - 1
        changed = (logits(src, other) - before).abs().amax((0, 2))
        assert (changed[:j] < 1e-4).all(), (
            "logits before a changed target token change as well: the answer leaks"
        )
        assert (changed[j:] > 1e-6).all(), "logits after a changed target token do not notice"
    for j in (0, 4):
        other = src.clone()
        other[:, j] = SRC - 1
        changed = (logits(other, tgt) - before).abs().amax((0, 2))
        assert (changed > 1e-6).all(), "some logits do not notice a changed source token"


@pytest.mark.points(3)
@pytest.mark.kept("what the masks of the source are for")
def test_pads_in_the_source(compare, draw):
    """Nobody attends to pads of the source, wherever they stand; 0 is a token like any other."""
    weights = model_weights(draw)
    src, tgt = sentences(draw, 3, 5, 4)
    src[0, 3:] = src[1, 1] = src[2, 0] = PAD
    src[1, 2] = src[2, 3] = tgt[0, 1] = 0
    compare(lambda impl: model_of(impl, weights)(src, tgt))
    equal = tgt[:, [0, 1, 2, 3, 1]]  # as long as the source
    compare(lambda impl: model_of(impl, weights)(src, equal))


@pytest.mark.points(2)
@pytest.mark.kept("what the mask of the target is for")
def test_pads_in_the_target(compare, draw):
    """Nobody attends to pads of the target, neither at its end nor in its middle."""
    weights = model_weights(draw)
    src, tgt = sentences(draw, 3, 5, 4)
    tgt[0, 2:] = tgt[1, 1] = PAD
    tgt[1, 2] = tgt[2, 0] = src[0, 0] = 0
    compare(lambda impl: model_of(impl, weights)(src, tgt))


@pytest.mark.kept("what padding is for, in words of its own")
def test_more_pads_change_nothing(submission, draw):
    """A sentence has the same logits alone and beside longer ones, filled up with pads."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    model = model_of(submission, weights)
    before = usable(model, model(src, tgt), (2, 4, TGT))
    more = [torch.cat([ids, torch.full_like(ids[:, :2], PAD)], 1) for ids in (src, tgt)]
    assert close(model(more[0], tgt), before), "pads behind the source change the logits"
    behind = usable(model, model(src, more[1]), (2, 6, TGT))[:, :4]
    assert close(behind, before), "pads behind the target change the logits before them"


def test_default_pad_is_zero(compare, draw):
    """Without pad_id, token 0 is the pad."""
    weights, (src, tgt) = model_weights(draw), sentences(draw, 2, 5, 4)
    src[0, 1] = tgt[1, 1] = 0
    src[1, 2] = tgt[0, 2] = PAD

    def probe(impl):
        model = impl.Transformer(*SIZES, dropout=0.0)
        model.load(weights)
        return model(src, tgt)

    compare(probe)


# Weights ------------------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("tells in numbers what is too many or missing")
def test_counts(submission):
    """The model has as many numbers to learn as the page says, tied or not, in both orders."""
    for tied, norm_first in ((False, False), (True, False), (False, True), (True, True)):
        sizes = TIED_SIZES if tied else SIZES
        model = submission.Transformer(*sizes, tie_weights=tied, norm_first=norm_first)
        found = sum(p.numel() for p in model.parameters().values())
        right = sum(w.numel() for w in model_weights(None, tied, norm_first).values())
        assert found == right, (
            f"Transformer{sizes} with tie_weights={tied} and norm_first={norm_first} has {found} "
            f"numbers to learn, not {right}"
        )


def test_untied_with_equal_vocabularies(compare, draw):
    """Two vocabularies that happen to have one size share nothing unless tie_weights says so."""
    weights, (src, tgt) = model_weights(draw, sizes=TIED_SIZES), sentences(draw, 2, 5, 4, tied=True)
    compare(lambda impl: model_of(impl, weights, TIED_SIZES)(src, tgt))


@pytest.mark.kept("the published size and the defaults, for a sense of proportion")
def test_size_of_the_paper(submission):
    """With its defaults, 37,000 tokens and tied weights the model has 63,082,496 parameters."""
    model = on_meta(submission).Transformer(37000, 37000, tie_weights=True)
    found = sum(p.numel() for p in model.parameters().values())
    assert found == 63_082_496, f"with its defaults and 37,000 tied tokens it has {found}"


@pytest.mark.points(2)
def test_tied_weights(submission, reference, compare, draw):
    """With tie_weights one table embeds both sides, makes the logits, and learns from all three."""
    weights, (src, tgt) = model_weights(draw, tied=True), sentences(draw, 2, 5, 4, tied=True)
    memory, hidden = draw.normal(2, 5, WIDTH), draw.normal(2, 4, WIDTH)
    parts = {
        "the embedding of the source": lambda model: model.encode(src),
        "the embedding of the target": lambda model: model.decode(tgt, memory),
        "the generator": lambda model: model.generator(hidden),
        "a whole pass": lambda model: model(src, tgt),
    }
    seed = int(draw.integers(0, 2**31, ()))
    found = [table_gradient(submission, weights, part, seed) for part in parts.values()]
    wanted = [table_gradient(reference, weights, part, seed) for part in parts.values()]
    compare(lambda impl: tied_model(impl, weights)(src, tgt))
    for name, one, other in zip(parts, found, wanted, strict=True):
        assert close(one, other), f"from {name} the tied table does not learn what it should"


@pytest.mark.points(2)
def test_tied_weights_in_a_copy(compare, draw):
    """A deep copy of the model is tied to itself, and not to the model it was copied from."""
    first, second = (model_weights(draw, tied=True) for _ in range(2))
    src, tgt = sentences(draw, 2, 5, 4, tied=True)

    def probe(impl):
        model = tied_model(impl, first)
        copy = model.deepcopy()
        copy.load(second)
        return model(src, tgt), copy(src, tgt)

    compare(probe)


def test_two_vocabularies_cannot_be_tied(submission):
    """tie_weights with vocabularies of different sizes raises ValueError."""
    for sizes in ((SRC, TGT), (TGT, SRC)):
        refuses(
            lambda: submission.Transformer(*sizes, *SIZES[2:], tie_weights=True),
            "tie_weights with two sizes of vocabulary",
        )


@pytest.mark.points(2)
def test_start(submission):
    """Every matrix starts xavier-uniform, and layers of a stack start with different ones."""
    model = submission.Transformer(40, 30, 24, 2, 2, 2, 36, norm_first=True)
    found = model.parameters()
    for name in sorted(found, key=lambda name: ("embedding" in name, name)):
        if found[name].ndim == 2:
            spread = found[name].square().mean().sqrt().item()
            # 576 numbers or more: the spread found is within 1.9 % of the true one, 1 sigma
            said = start_of(spread, *found[name].shape)
            assert said == "xavier_uniform_", f"{name} starts as {said} does it"
            within = found[name].abs().max() < 1.001 * (6 / sum(found[name].shape)) ** 0.5
            assert within, f"{name} starts with numbers beyond the bound of xavier_uniform_"
    for name in ("encoder.layers.{}.linear1.weight", "decoder.layers.{}.linear1.weight"):
        one, two = (found[name.format(number)] for number in (0, 1))
        assert not torch.equal(one, two), (
            f"all layers of the {name[:7]} start with the same numbers"
        )


# Dropout ------------------------------------------------------------------------------------------


def test_dropout_is_handed_on(compare, submission, draw):
    """In training embeddings and layers of both stacks drop with the probability asked for."""
    sizes = SRC, TGT, 48, 2, 1, 1, 20
    src, tgt = sentences(draw, 6, 20, 18)
    weights = model_weights(draw, norm_first=True, sizes=sizes)
    for name, values in weights.items():
        if name.endswith("coder.norm.weight"):
            weights[name] = torch.ones_like(values)
        elif name.endswith("coder.norm.bias") or "layers" in name:
            weights[name] = torch.zeros_like(values)
    memory, options = draw.normal(6, 20, 48), {"norm_first": True, "max_len": 30}
    compare(lambda impl: all_ways(model_of(impl, weights, sizes, **options), src, tgt, memory))
    still = model_of(submission, weights, sizes, **options)
    model = model_of(submission, weights, sizes, dropout=0.5, **options)
    ways = {
        "encoder": lambda model: model.encode(src),
        "decoder": lambda model: model.decode(tgt, memory),
    }
    for stack, way in ways.items():
        same = torch.equal(way(still), way(still))
        assert same, f"with dropout=0.0 the {stack} still drops: hand dropout on"
        # Nothing comes from the layers, so what was dropped is one number in all of a token.
        y = way(model)
        share = ((y[..., :, None] - y[..., None, :]).abs() < 1e-5).sum(-1).gt(1).double().mean()
        assert share > 0.02, f"in training the embeddings of the {stack} are not dropped"
        assert 0.4 < share < 0.6, f"the share dropped of the {stack}'s embeddings is not dropout"
    branches = {name: w for name, w in weights.items() if name.endswith("linear2.bias")}
    model.load(weights | {name: torch.full_like(w, 1e3) for name, w in branches.items()})
    for stack, way in ways.items():
        # A branch of 1000 or 0 leaves two kinds of numbers after the norm, equally many of each.
        y = way(model)
        between = (y.abs() < 0.3).double().mean().item()
        assert between < 0.05, f"in training nothing is dropped in the layers of the {stack}"
        share = (y < 0).double().mean().item()
        assert abs(share - 0.5) < 0.12, f"the share dropped in the {stack}'s layers is not dropout"
    # All that reaches the generator now are ones, whatever is dropped before the last norm.
    ones = {
        "decoder.norm.weight": torch.zeros_like(weights["decoder.norm.weight"]),
        "decoder.norm.bias": torch.ones_like(weights["decoder.norm.bias"]),
    }
    model.load(weights | ones)
    wanted = weights["generator.weight"].sum(1) + weights["generator.bias"]
    assert close(model(src, tgt), wanted), "in training something is dropped behind the decoder"


def test_nothing_is_dropped_in_eval(compare, submission, draw):
    """After eval() the model answers as if dropout were 0."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)

    def evaluated(impl):
        model = model_of(impl, weights, dropout=0.4)
        model.eval()
        return model(src, tgt), model(src, tgt)

    one, two = evaluated(submission)
    assert torch.equal(one, two), "after eval() two calls differ: dropout still acts"
    compare(evaluated)


# Lengths and places -------------------------------------------------------------------------------


def test_longest_sentences(compare, submission, draw):
    """max_len tokens are taken on both sides; one more raises ValueError."""
    (src, tgt), weights = sentences(draw, 2, 6, 6), model_weights(draw)
    compare(lambda impl: model_of(impl, weights, max_len=6)(src, tgt))
    model = model_of(submission, weights, max_len=5)
    for name, ids in (("target", (src[:, :4], tgt)), ("source", (src, tgt[:, :4]))):
        refuses(lambda: model(*ids), f"a {name} longer than max_len")


def test_in_other_dtypes_and_places(compare, submission, draw):
    """A model moved by .to(...) works in float64 and on another device, masks and all."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    model = model_of(submission, weights)
    before = usable(model, model(src, tgt), (2, 4, TGT))
    model.to(torch.float64)
    logits = usable(model, model(src, tgt), (2, 4, TGT), torch.float64)
    assert close(logits, before), "a float64 model has other logits than one of float32"
    far = src.to("meta"), tgt.to("meta")

    def moved(impl):
        model = impl.Transformer(*SIZES)
        model.to("meta")
        return model(*far)

    try:
        compare(moved)
    except SubmissionRaised as error:
        if "meta" not in error.raised.message:
            raise
        said = "on another device, the model still makes tensors on the CPU"
        raise AssertionError(said) from None


# What the checks share ----------------------------------------------------------------------------


def sentences(draw, batch, source, target, tied=False):
    """Source and target without pads, and without the last number of either vocabulary."""
    tops = SRC - 1, (SRC if tied else TGT) - 1
    both = [
        draw.integers(0, top, (batch, n)) for top, n in zip(tops, (source, target), strict=True)
    ]
    return [torch.where(ids == PAD, PAD + 1, ids) for ids in both]


def random(draw, *shape, scale=0.4, offset=0.0, device=None):
    """Zeros where nothing is drawn."""
    if draw is None:
        return torch.zeros(*shape, device=device)
    return draw.normal(*shape, scale=scale, offset=offset)


def model_weights(draw, tied=False, norm_first=False, sizes=None, device=None):
    """The parameters of a model, large enough for every slip to show."""
    source, target, width, _, encoders, decoders, inner = sizes or (TIED_SIZES if tied else SIZES)
    shapes = {"src_embedding.embedding.weight": (source, width)}
    if not tied:
        shapes["tgt_embedding.embedding.weight"] = (target, width)
        shapes |= {"generator.weight": (target, width), "generator.bias": (target,)}
    for stack, layers, attentions in (
        ("encoder", encoders, ["self_attn"]),
        ("decoder", decoders, ["self_attn", "multihead_attn"]),
    ):
        for layer in range(layers):
            own = layer_shapes(width, inner, attentions)
            shapes |= {f"{stack}.layers.{layer}.{name}": shape for name, shape in own.items()}
        if norm_first:
            shapes |= {f"{stack}.norm.{name}": (width,) for name in ("weight", "bias")}
    return {
        name: random(
            draw,
            *shape,
            offset=1.0 if "norm" in name and name.endswith("weight") else 0.0,
            device=device,
        )
        for name, shape in shapes.items()
    }


def layer_shapes(width, inner, attentions):
    shapes = {}
    for attention in attentions:
        shapes |= {
            f"{attention}.in_proj_weight": (3 * width, width),
            f"{attention}.in_proj_bias": (3 * width,),
            f"{attention}.out_proj.weight": (width, width),
            f"{attention}.out_proj.bias": (width,),
        }
    shapes |= {"linear1.weight": (inner, width), "linear1.bias": (inner,)}
    shapes |= {"linear2.weight": (width, inner), "linear2.bias": (width,)}
    for number in range(len(attentions) + 1):
        shapes |= {f"norm{number + 1}.{name}": (width,) for name in ("weight", "bias")}
    return shapes


def model_of(impl, weights, sizes=SIZES, dropout=0.0, **options):
    model = impl.Transformer(*sizes, dropout=dropout, pad_id=PAD, **options)
    model.load(weights)
    return model


def tied_model(impl, weights):
    """Values are the question: a tied Parameter's gradient may go by any of its names."""
    model = model_of(impl, weights, TIED_SIZES, tie_weights=True)
    model.requires_grad_(False)
    return model


def all_ways(model, src, tgt, memory):
    return model.encode(src), model.decode(tgt, memory), model(src, tgt)


def table_gradient(impl, weights, part, seed):
    output = part(model_of(impl, weights, TIED_SIZES, tie_weights=True))
    cotangent = Draw(seed, output.device.type).normal(*output.shape)
    return gradient_by_shape(impl, output, cotangent, (SRC, WIDTH))


def start_of(spread, rows, columns):
    """What draws numbers of this standard deviation for a matrix of this shape."""
    spreads = {
        "xavier_uniform_": (2 / (rows + columns)) ** 0.5,
        "torch's nn.Linear": (1 / (3 * columns)) ** 0.5,
        "kaiming_uniform_": (2 / columns) ** 0.5,
        "torch's nn.Embedding": 1.0,
        "N(0, 0.02)": 0.02,
    }
    near = [said for said, value in spreads.items() if abs(spread / value - 1) < 0.15]
    return near[0] if near else "something else"


def close(one, other):
    return bool(((one - other).abs() < 1e-4 * (1 + other.abs())).all())
