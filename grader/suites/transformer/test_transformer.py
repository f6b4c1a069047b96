"""Hidden checks of ``transformer``."""

from __future__ import annotations

import pytest
import torch

from grader.check import (
    Draw,
    alike_along,
    gradient_by_shape,
    on_meta,
    on_one_device,
    pairs,
    refuses,
    usable,
)

SRC, TGT, WIDTH, HEADS, INNER = 11, 13, 8, 2, 12  # two vocabularies, d_model, num_heads, d_ff
ENCODERS, DECODERS, PAD = 1, 2, 3
SIZES = SRC, TGT, WIDTH, HEADS, ENCODERS, DECODERS, INNER
TIED_SIZES = SRC, SRC, *SIZES[2:]
ROOM = 64  # tokens: the 5000 of the page take most of the time that a small model is made in
NORMS_AT_THE_END = tuple(f"coder.norm.{name}" for name in ("weight", "bias"))


@pytest.mark.core("Transformer.forward: the logits")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.asked_once("with weights of 0, wrong answers are right as well")
@pytest.mark.rests_on("If all weights but the generator's bias are 0, the logits are that bias")
def test_example(compare, device):
    """With the generator's bias as the only weight, it alone is what comes out, everywhere."""
    src = torch.tensor([[5, 9, 2]], device=device)
    tgt = torch.tensor([[1, 7, 4, 12]], device=device)
    weights = model_weights(None, device=device)
    weights["generator.bias"] = torch.arange(float(TGT), device=device)
    compare(lambda impl: model_of(impl, weights)(src, tgt))


@pytest.mark.core("Transformer.__init__: the parts")
@pytest.mark.kept("the first step: what there is, before anything is asked of it")
@pytest.mark.rests_on("until the names and shapes of the parameters are those below")
def test_parts(submission, draw):
    """A new model has its embeddings, both stacks and the generator, with the names and shapes that
    the page lists, and nothing else to learn.
    """
    weights = model_weights(draw)
    found = model_of(submission, weights).parameters()
    assert sorted(found) == sorted(weights), "other parameters than the page lists"


# From tokens to logits ----------------------------------------------------------------------------


@pytest.mark.core("Transformer.forward: the logits")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the model")
@pytest.mark.rests_on(
    "hidden = decoder(positions(embedding(tgt)), memory)",
    "at every position of the target, as they are, no softmax",
    "Nothing but dropout depends on the mode",
)
def test_logits(compare, draw):
    """Encoder, decoder and generator together, for sources of any length and the target's first
    token, of which nothing is hidden."""
    (src, tgt), weights = sentences(draw, 2, 5, 1), model_weights(draw)
    compare(lambda impl: model_of(impl, weights)(src, tgt))
    others = [sentences(draw, *sizes) for sizes in ((1, 1, 1), (3, 4, 1), (4, 4, 1))]

    def probe(impl):
        model = model_of(impl, weights)
        return [model(src, tgt) for src, tgt in others]

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.kept("the other order of norms, for points of its own")
@pytest.mark.rests_on("a pre-norm stack (norm_first) ends with a LayerNorm, one for each stack")
def test_pre_norm(compare, draw):
    """With norm_first both stacks are pre-norm and end with a norm, each with its own."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw, norm_first=True)
    compare(lambda impl: model_of(impl, weights, norm_first=True)(src, tgt))


@pytest.mark.core("Transformer.encode")
@pytest.mark.points(2)
@pytest.mark.kept("half of the model, for points of its own")
@pytest.mark.rests_on(
    "src_mask says who may attend to whom in the encoder",
    "None hides nothing, not even pads",
)
def test_encode(compare, draw):
    """encode is embedding times sqrt(d_model) plus positions, then the encoder under its mask."""
    weights = model_weights(draw)
    src, _ = sentences(draw, 2, 5, 4)
    src[0, 3] = src[1, 0] = PAD
    mask = draw.booleans(2, 1, 1, 5)
    mask[..., 1] = True
    mask[..., 4] = False

    def probe(impl):
        model = model_of(impl, weights)
        return model.encode(src, mask), model.encode(src)

    compare(probe)


@pytest.mark.core("Transformer.decode")
@pytest.mark.points(2)
@pytest.mark.kept("the other half of the model, for points of its own")
@pytest.mark.rests_on(
    "says which tokens of the memory may be attended to",
    "None hides nothing: neither pads nor",
)
def test_decode(compare, draw):
    """decode does the same for the target, beside the memory, under the two masks it is given."""
    weights, memory = model_weights(draw), draw.normal(2, 5, WIDTH)
    _, tgt = sentences(draw, 2, 5, 4)
    tgt[0, 2] = PAD
    src_mask, tgt_mask = draw.booleans(2, 1, 1, 5), draw.booleans(2, 1, 4, 4)
    src_mask[..., 1], tgt_mask[..., 0] = True, True
    src_mask[..., 4], tgt_mask[..., 1] = False, False
    shared = tgt_mask[0, 0] | torch.eye(4, dtype=torch.bool)  # two axes: one for all sentences
    masks = (src_mask, tgt_mask), (src_mask,), (None, tgt_mask), (src_mask, shared), ()

    def probe(impl):
        model = model_of(impl, weights)
        return [model.decode(tgt, memory, *given) for given in masks]

    compare(probe, wrt=[memory])


@pytest.mark.kept("what decoding step by step relies on, in words of its own")
@pytest.mark.rests_on("forward makes the masks, from pad_id and on the device of its inputs")
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


@pytest.mark.core("Transformer.forward: the masks")
@pytest.mark.points(2)
@pytest.mark.kept("what must not leak, in words of its own")
@pytest.mark.rests_on("and no token of the target to one after it")
def test_who_sees_whom(submission, draw):
    """Another target token changes the logits from there on, another source token all of them."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    model = model_of(submission, weights)

    def logits(src, tgt):
        return usable(model, model(src, tgt), (2, 4, TGT))

    before = logits(src, tgt)
    other = tgt.clone()
    other[:, 2] = TGT - 1
    changed = (logits(src, other) - before).abs().amax((0, 2))
    assert (changed[:2] < 1e-4).all(), (
        "logits before a changed target token change as well: the answer leaks"
    )
    assert (changed[2:] > 1e-6).all(), "logits after a changed target token do not notice"
    other = src.clone()
    other[:, 4] = SRC - 1
    changed = (logits(other, tgt) - before).abs().amax((0, 2))
    assert (changed > 1e-6).all(), "some logits do not notice a changed source token"


@pytest.mark.core("Transformer.forward: the masks")
@pytest.mark.points(2)
@pytest.mark.kept("what the masks of the source are for")
@pytest.mark.rests_on("no token, of source or target, attends to a pad", "Pads may stand anywhere")
def test_pads_in_the_source(compare, draw):
    """Nobody attends to pads of the source, wherever they stand; 0 is a token like any other."""
    weights = model_weights(draw)
    src, tgt = sentences(draw, 3, 5, 4)
    src[0, 3:] = src[1, 1] = src[2, 0] = PAD
    src[1, 2] = src[2, 3] = tgt[0, 1] = 0
    equal = tgt[:, [0, 1, 2, 3, 1]]  # as long as the source
    alike = src.clone()
    alike[:, [0, 2]] = PAD  # in all sentences: who takes them out moves the tokens behind them

    def probe(impl):
        model = model_of(impl, weights)
        return model(src=src, tgt=tgt), model(src, equal), model(alike, tgt)

    compare(probe)


@pytest.mark.core("Transformer.forward: the masks")
@pytest.mark.points(2)
@pytest.mark.kept("what the mask of the target is for")
@pytest.mark.rests_on(
    "no token, of source or target, attends to a pad",
    "A pad itself attends to others like any other token",
)
def test_pads_in_the_target(compare, draw):
    """Nobody attends to pads of the target, neither real tokens nor pads."""
    weights = model_weights(draw)
    src, tgt = sentences(draw, 3, 5, 4)
    tgt[0, 1:3] = tgt[1, 1] = PAD  # in the midst, so that whatever is asked again begins without
    tgt[1, 2] = tgt[2, 0] = src[0, 0] = 0
    src[0, 2] = src[2, 1:3] = PAD
    compare(lambda impl: model_of(impl, weights)(src, tgt=tgt))


@pytest.mark.rests_on("Every option works with every other")
def test_options_together(compare, draw):
    """Pads are hidden in both orders of norms, with tied weights and without, whatever the pad."""
    for options in pairs(tied=(False, True), norm_first=(False, True), pad=(0, -1)):
        tied, norm_first, pad = options.values()
        weights = model_weights(draw, tied=tied, norm_first=norm_first)
        src, tgt = sentences(draw, 2, 5, 4, tied=True)
        if pad == 0:
            src, tgt = map(without_zeros, (src, tgt))
        src[0, 2] = src[1, 1] = tgt[1, 1] = pad % SRC  # -1 is no token, not even the last one
        given = {"tie_weights": tied, "norm_first": norm_first}
        given = {name: True for name, asked in given.items() if asked}

        def probe(impl, weights=weights, src=src, tgt=tgt, pad=pad, given=given):
            tied = "tie_weights" in given
            model = model_of(impl, weights, TIED_SIZES if tied else SIZES, pad=pad, **given)
            if tied:  # its gradient may go by any of the table's names
                model.requires_grad_(False)
            return model(src, tgt)

        compare(probe)


@pytest.mark.rests_on("nothing is remembered between calls, and no model knows of another")
def test_models_side_by_side(compare, draw):
    """Two models with other pads, sizes and orders of norms work side by side, call after call."""
    sizes = TGT, SRC, 12, 3, 2, 1, 5
    weights = model_weights(draw), model_weights(draw, norm_first=True, sizes=sizes)
    (src, tgt), others = sentences(draw, 2, 5, 4), sentences(draw, 3, 7, 2, tied=True)
    long, short = map(without_zeros, others)
    src[0, 2] = tgt[1, 1] = long[1, 3] = PAD
    src[1, 3] = tgt[0, 2] = long[2, 5] = 0

    def probe(impl):
        one = model_of(impl, weights[0], max_len=9)
        two = impl.Transformer(*sizes, dropout=0.0, pad_id=0, norm_first=True, max_len=7)
        two.load(weights[1])
        return one(src, tgt), two(long, short), one(long, short)

    compare(probe)


@pytest.mark.asked_once("the tables are large; other checks ask the same again")
@pytest.mark.rests_on("any number. Pads may stand anywhere", "Token numbers run up to the size")
def test_large_token_numbers(compare, draw):
    """Token 50256 may be the pad, and a number that looks like it in fewer bits is none."""
    sizes = 50_257, 50_257, 4, 1, 1, 1, 3
    weights = model_weights(draw, tied=True, sizes=sizes)
    src, tgt = (draw.integers(33_000, 50_000, (2, n)) for n in (6, 5))
    src[0, 1], src[0, 2], src[0, 4], src[1, 3] = 50_256, 80, 50_255, 50_256
    tgt[1, 2], tgt[1, 3], tgt[0, 1], tgt[0, 2] = 50_256, 80, 50_240, 50_256

    def probe(impl):
        model = impl.Transformer(*sizes, dropout=0.0, pad_id=50_256, tie_weights=True)
        model.load(weights)
        model.requires_grad_(False)
        return model(src, tgt)

    compare(probe)


@pytest.mark.kept("what padding is for, in words of its own")
@pytest.mark.rests_on(
    "More pads behind the source change nothing", "no token, of source or target, attends to a pad"
)
def test_more_pads_change_nothing(submission, draw):
    """A sentence has the same logits alone and beside longer ones, filled up with pads."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)
    model = model_of(submission, weights)
    before = usable(model, model(src, tgt), (2, 4, TGT))
    more = [torch.cat([ids, torch.full_like(ids[:, :2], PAD)], 1) for ids in (src, tgt)]
    assert close(model(more[0], tgt), before), "pads behind the source change the logits"
    behind = usable(model, model(src, more[1]), (2, 6, TGT))[:, :4]
    assert close(behind, before), "pads behind the target change the logits before them"


# Weights ------------------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.kept("what is shared in a model that was asked for, told by the options")
@pytest.mark.rests_on(
    "both embeddings and the generator have one Parameter for their weight",
    "Without it nothing is shared, whatever the sizes",
)
def test_counts(submission):
    """The model has as many numbers to learn as the page says: with two vocabularies of one size
    nothing is shared unless tie_weights says so.
    """
    for tied, norm_first in ((False, True), (True, False)):
        options = {"tie_weights": tied, "norm_first": norm_first, "max_len": ROOM}
        model = submission.Transformer(*TIED_SIZES, **options)
        weights = model_weights(None, tied, norm_first, TIED_SIZES)
        model.load(weights)  # which ones there are comes before how many
        found = sum(p.numel() for p in model.parameters().values())
        right = sum(w.numel() for w in weights.values())
        assert found == right, (
            f"Transformer{TIED_SIZES} with tie_weights={tied} and norm_first={norm_first} has "
            f"{found} numbers to learn, not {right}"
        )


@pytest.mark.kept("the published size and the defaults, for a sense of proportion")
@pytest.mark.rests_on(
    'The model can be built under torch.device("meta")', "counted once and trained from all three"
)
def test_size_of_the_paper(submission):
    """With its defaults, 37,000 tokens and tied weights the model has 63,082,496 parameters; with
    two vocabularies of 100 tokens and d_model=64 it has 3,493,732."""
    model = on_meta(submission).Transformer(37000, 37000, tie_weights=True)
    found = sum(p.numel() for p in model.parameters().values())
    assert found == 63_082_496, f"with its defaults and 37,000 tied tokens it has {found}"
    model = on_meta(submission).Transformer(100, 100, 64)
    found = sum(p.numel() for p in model.parameters().values())
    told = f"with two vocabularies of 100, d_model=64 and all else by default it has {found}"
    assert found == 3_493_732, f"{told}: no default depends on another size"


@pytest.mark.points(2)
@pytest.mark.rests_on("counted once and trained from all three sides")
def test_tied_weights(submission, reference, draw):
    """With tie_weights one table embeds both sides, makes the logits, and learns from all three."""
    weights, (src, tgt) = model_weights(draw, tied=True), sentences(draw, 2, 5, 4, tied=True)
    memory, hidden = draw.normal(2, 5, WIDTH), draw.normal(2, 4, WIDTH)
    parts = {
        "the embedding of the source": lambda model: model.encode(src),
        "the embedding of the target": lambda model: model.decode(tgt, memory),
        "the generator": lambda model: model.generator(hidden),
    }
    seed = int(draw.integers(0, 2**31, ()))

    def gradients(impl):
        model = model_of(impl, weights, TIED_SIZES, tie_weights=True)
        found = [table_gradient(impl, part(model), seed) for part in parts.values()]
        model.to(torch.float64)
        return [*found, table_gradient(impl, model(src, tgt), seed, torch.float64)]

    names = [*parts, "a whole pass after .to(torch.float64)"]
    for name, one, other in zip(names, gradients(submission), gradients(reference), strict=True):
        assert close(one, other), f"from {name} the tied table does not learn what it should"


@pytest.mark.kept("a copy tied to its original has the right numbers until it learns")
@pytest.mark.rests_on("They are still one in a deep copy of the model")
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


@pytest.mark.rests_on("tie_weights is asked for, but src_vocab and tgt_vocab differ")
def test_two_vocabularies_cannot_be_tied(submission):
    """tie_weights with vocabularies of different sizes raises ValueError."""
    for sizes in ((SRC, TGT), (TGT, SRC)):
        refuses(
            lambda: submission.Transformer(*sizes, *SIZES[2:], tie_weights=True),
            "tie_weights with two sizes of vocabulary",
        )


@pytest.mark.rests_on(
    "is drawn from nn.init.xavier_uniform_, each on its own", "Vectors stay as your parts make them"
)
def test_start(submission):
    """Every matrix starts xavier-uniform, and vectors start as your parts make them."""
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
            # 1 sigma of the mean is the spread divided by the root of how many numbers there are
            middle = found[name].mean().abs() * found[name].numel() ** 0.5 / spread
            assert middle < 6, f"{name} is not drawn around 0"
        else:
            wrong = vector_fault(name, found)
            assert not wrong, f"{name} {wrong}: vectors stay as the parts make them"


@pytest.mark.kept("what chance decides, in words of its own")
@pytest.mark.rests_on(
    "layers that were copied must not begin alike", "each on its own and afresh in every model"
)
def test_every_start_is_another(submission):
    """No two models, no two matrices and no two rows start with the same numbers."""
    sizes = 40, 30, 24, 2, 2, 2, 36
    one, two = (submission.Transformer(*sizes).parameters() for _ in range(2))
    matrices = {name: values for name, values in one.items() if values.ndim == 2}
    for name, values in matrices.items():
        again = torch.equal(values, two.get(name, values))
        assert not again, f"two models start with the same {name}: is a generator seeded?"
        rows = len(values.unique(dim=0))
        assert rows == len(values), f"rows of {name} start with the same numbers"
        assert values.any(1).all(), f"{name} starts with a row of zeros: no token is special"
    for name, values in matrices.items():
        same = [n for n, w in matrices.items() if n != name and w[0, :8].equal(values[0, :8])]
        assert not same, f"{name} and {same[0]} start with the same numbers"


# Dropout ------------------------------------------------------------------------------------------


@pytest.mark.rests_on(
    "acts there and inside the layers, always with the probability dropout",
    "Every number is dropped on its own",
)
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

    def still(impl):
        model = model_of(impl, weights, sizes, **options)
        return model.encode(src), model(src, tgt)

    compare(still)
    model = model_of(submission, weights, sizes, dropout=0.5, **options)
    ways = {
        "encoder": lambda model: model.encode(src),
        "decoder": lambda model: model.decode(tgt, memory),
    }
    for stack, way in ways.items():
        # Nothing comes from the layers, so what was dropped is one number in all of a token. In
        # less than one draw of ten, two of the 2880 numbers that are kept come so near by chance.
        y = way(model)
        dropped = ((y[..., :, None] - y[..., None, :]).abs() < 1e-6).sum(-1) > 1
        share = dropped.double().mean()
        assert share > 0.02, f"in training the embeddings of the {stack} are not dropped"
        assert 0.4 < share < 0.6, f"the share dropped of the {stack}'s embeddings is not dropout"
        axes = alike_along(dropped, "sentences", "positions", "columns")
        assert not axes, f"the same embeddings of the {stack} are dropped in several {axes[0]}"
        assert not torch.equal(y, way(model)), f"two calls of the {stack} drop the same"
    branches = {name: w for name, w in weights.items() if name.endswith("feed_forward.w_2.bias")}
    model.load(weights | {name: torch.full_like(w, 1e3) for name, w in branches.items()})
    for stack, way in ways.items():
        # A branch of 1000 or 0 leaves two kinds of numbers after the norm, equally many of each.
        y = way(model)
        between = (y.abs() < 0.3).double().mean().item()
        assert between < 0.05, f"in training nothing is dropped in the layers of the {stack}"
        share = (y < 0).double().mean().item()
        assert abs(share - 0.5) < 0.12, f"the share dropped in the {stack}'s layers is not dropout"
    post = {name: w for name, w in weights.items() if not name.endswith(NORMS_AT_THE_END)}
    for name, values in post.items():
        if "norm" in name and name.endswith("weight"):
            post[name] = torch.ones_like(values)
    post |= {name: torch.full_like(w, 1e3) for name, w in branches.items()}
    layers = model_of(submission, post, sizes, dropout=0.5, max_len=30)
    for stack, way in ways.items():
        between = (way(layers).abs() < 0.3).double().mean().item()
        assert between < 0.05, f"in training nothing is dropped in post-norm layers of the {stack}"
    # All that reaches the generator now are ones, whatever is dropped before the last norm.
    ones = {
        "decoder.norm.weight": torch.zeros_like(weights["decoder.norm.weight"]),
        "decoder.norm.bias": torch.ones_like(weights["decoder.norm.bias"]),
    }
    model.load(weights | ones)
    wanted = weights["generator.weight"].sum(1) + weights["generator.bias"]
    assert close(model(src, tgt), wanted), "in training something is dropped behind the decoder"
    # The memory is ones, and the decoder adds 10000 or 0: two kinds of numbers in a token.
    loud = weights | whole_memory(weights)
    model.load(loud)
    gaps = (model(src, tgt).sort(-1).values.diff(dim=-1) > 0.05).sum(-1)
    assert (gaps < 2).all(), "in training the memory is dropped on its way to the decoder"


@pytest.mark.asked_once("the mode is what is asked for here; other checks ask the same again")
@pytest.mark.rests_on("Dropout, in train mode only, acts there and inside the layers")
def test_nothing_is_dropped_in_eval(compare, submission, draw):
    """After eval() the model answers as if dropout were 0."""
    (src, tgt), weights = sentences(draw, 2, 5, 4), model_weights(draw)

    def evaluated(impl):
        model = model_of(impl, weights, dropout=0.4)
        model.eval()
        return model

    model = evaluated(submission)
    same = torch.equal(model(src, tgt), model(src, tgt))
    assert same, "after eval() two calls differ: dropout still acts"
    compare(lambda impl: evaluated(impl)(src, tgt))


# Lengths and places -------------------------------------------------------------------------------


@pytest.mark.rests_on(
    "the source has more than max_len tokens", "the target has more than max_len tokens"
)
def test_longest_sentences(compare, submission, draw):
    """max_len tokens are taken on both sides; one more raises ValueError."""
    weights, many = model_weights(draw), sentences(draw, 1, 280, 280)
    compare(lambda impl: model_of(impl, weights, max_len=280)(*many))
    src, tgt = sentences(draw, 2, 6, 6)
    model = submission.Transformer(*SIZES, max_len=5)
    for mode in ("train", "eval"):
        getattr(model, mode)()
        for name, ids in (("target", (src[:, :4], tgt)), ("source", (src, tgt[:, :4]))):
            refuses(lambda: model(*ids), f"in {mode} mode a {name} longer than max_len")


@pytest.mark.points(2)
@pytest.mark.asked_once("what is not said is asked here; other checks ask the same again")
@pytest.mark.rests_on(
    "what the signature says: num_heads=8, dropout=0.1, max_len=5000",
    "the token number that fills up short sentences",
)
def test_defaults(compare, submission, draw):
    """Without being told there are 8 heads, token 0 is the pad, dropout is 0.1, and there is room
    for 5000 tokens.
    """
    sizes = SRC, TGT, 48, 8, 1, 1, 20
    src, tgt = map(without_zeros, sentences(draw, 6, 20, 18))
    weights = model_weights(draw, sizes=sizes)
    src[0, 1] = tgt[1, 1] = 0
    src[1, 2] = tgt[0, 2] = PAD
    few = {"num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 20}

    def probe(impl):
        model = impl.Transformer(SRC, TGT, 48, dropout=0.0, **few)
        model.load(weights)
        return model(src[:2], tgt[:2])

    compare(probe)
    model = submission.Transformer(SRC, TGT, 48, norm_first=True, **few)
    still = model_weights(None, norm_first=True, sizes=sizes)
    still["src_embedding.embedding.weight"] = weights["src_embedding.embedding.weight"]
    still["encoder.norm.weight"] = still["encoder.norm.weight"] + 1
    model.load(still)
    y = model.encode(src)
    share = ((y[..., :, None] - y[..., None, :]).abs() < 1e-5).sum(-1).gt(1).double().mean()
    # 5760 numbers: 1 sigma is 0.004; of a token that loses one number alone, it is not seen
    assert 0.07 < share < 0.13, f"without being told, the model drops {share:.2f}, not 0.1"
    model.to("meta")
    enough, many = (torch.ones(1, n, dtype=torch.long, device="meta") for n in (5000, 5001))
    usable(model, model.encode(enough), (1, 5000, 48))
    refuses(lambda: model.encode(many), "a source of 5001 tokens")


@pytest.mark.rests_on("moved by .to(...) works on the other device and in the other dtype")
def test_on_another_device(compare, draw):
    """A model moved by .to(...) works on another device, masks and all."""
    src, tgt = (ids.to("meta") for ids in sentences(draw, 2, 5, 4))

    def moved(impl):
        model = impl.Transformer(*SIZES, max_len=ROOM)
        model.to("meta")
        return model(src, tgt)

    with on_one_device("the model"):
        compare(moved)


# What the checks share ----------------------------------------------------------------------------


def sentences(draw, batch, source, target, tied=False):
    """Source and target without pads, and without the last number of either vocabulary."""
    tops = SRC - 1, (SRC if tied else TGT) - 1
    both = [
        draw.integers(0, top, (batch, n)) for top, n in zip(tops, (source, target), strict=True)
    ]
    return [torch.where(ids == PAD, PAD + 1, ids) for ids in both]


def without_zeros(ids):
    """Where 0 is the pad: no target begins with one."""
    return torch.where(ids == 0, 1, ids)


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
    matrices = {f"{name}.w_{part}": (width, width) for name in attentions for part in "qkvo"}
    matrices |= {"feed_forward.w_1": (inner, width), "feed_forward.w_2": (width, inner)}
    shapes = {}
    for name, (outputs, inputs) in matrices.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    for number in range(1, len(attentions) + 2):
        shapes |= {f"residual{number}.norm.{part}": (width,) for part in ("weight", "bias")}
    return shapes


def model_of(impl, weights, sizes=SIZES, dropout=0.0, max_len=ROOM, pad=PAD, **options):
    model = impl.Transformer(*sizes, dropout=dropout, pad_id=pad, max_len=max_len, **options)
    model.load(weights)
    return model


def tied_model(impl, weights):
    """Values are the question: a tied Parameter's gradient may go by any of its names."""
    model = model_of(impl, weights, TIED_SIZES, tie_weights=True)
    model.requires_grad_(False)
    return model


def table_gradient(impl, output, seed, dtype=torch.float32):
    output = usable(impl, output, output.shape, dtype)
    cotangent = Draw(seed, output.device.type).normal(*output.shape, dtype=dtype)
    return gradient_by_shape(impl, output, cotangent, (SRC, WIDTH))


def whole_memory(weights):
    """Weights with which memory is ones, and all that counts is what cross-attention adds."""
    one = torch.eye(len(weights["encoder.norm.weight"]), device=weights["generator.bias"].device)
    name = "decoder.layers.0.multihead_attn."
    return {
        "encoder.norm.weight": torch.zeros_like(weights["encoder.norm.weight"]),
        "encoder.norm.bias": torch.ones_like(weights["encoder.norm.bias"]),
        f"{name}w_v.weight": 1e4 * one,
        f"{name}w_o.weight": one,
        "generator.weight": one[:TGT],
        "generator.bias": torch.zeros_like(weights["generator.bias"]),
    }


def vector_fault(name, found):
    """What is wrong with how a vector starts: norms at 1 and 0, the generator's bias evenly within
    1 / sqrt(how many numbers go in), those of the layers at 0 or near it.
    """
    values = found[name]
    if "norm" in name:
        right = 1.0 if name.endswith("weight") else 0.0
        return "" if (values == right).all() else f"does not start at {right:g}"
    if name != "generator.bias":
        return "" if values.abs().max() < 1 else "does not start at 0 or near it"
    bound = found["generator.weight"].shape[1] ** -0.5
    if values.abs().max() > bound or values.unique().numel() < values.numel():
        return "is not as nn.Linear makes it"
    return "" if values.abs().max() > bound / 2 else "starts with numbers that are too small"


def start_of(spread, rows, columns):
    """What draws numbers of this standard deviation for a matrix of this shape."""
    spreads = {
        "xavier_uniform_": (2 / (rows + columns)) ** 0.5,
        "torch's nn.Linear": (1 / (3 * columns)) ** 0.5,
        "kaiming_uniform_": (2 / columns) ** 0.5,
        "torch's nn.Embedding": 1.0,
        "N(0, 0.02)": 0.02,
        "xavier_uniform_ with a gain of 0.71": (1 / (rows + columns)) ** 0.5,
    }
    near = [said for said, value in spreads.items() if abs(spread / value - 1) < 0.15]
    return near[0] if near else "something else"


def close(one, other):
    return bool(((one - other).abs() < 1e-4 * (1 + other.abs())).all())
