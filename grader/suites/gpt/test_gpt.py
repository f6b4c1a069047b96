"""Hidden checks of ``gpt``."""

from __future__ import annotations

import pytest
import torch

from grader.check import (
    alike_along,
    gradient_by_shape,
    on_meta,
    on_one_device,
    refuses,
    usable,
)

V, LONGEST, HEADS, WIDTH = 11, 7, 4, 8  # vocabulary, block_size, n_head, n_embd
SIZES = V, LONGEST, 1, HEADS, WIDTH
DEEP = V, LONGEST, 5, HEADS, WIDTH  # with a first, a last, and several between them
EVEN = 4, 4, 1, 4, 4  # whatever is confused here, shapes do not tell
P = 0.25
BY_CHANCE = "asked the same twice, with a dropout of 0, there are two answers of"


@pytest.mark.core("GPT.get_num_params")
@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.asked_once("with weights of 0, wrong answers are right as well")
@pytest.mark.rests_on(
    "so the branches add 10 and 100, whatever x is",
    "A model whose weights are all zero gives each of 10 tokens the same logit",
)
def test_example(compare, device):
    """The examples of the page: a block that adds 110, and a model that knows nothing."""
    x = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]], device=device)
    idx = torch.tensor([[3, 1, 4]], device=device)
    targets = torch.tensor([[1, 4, 1]], device=device)
    branches = {k: v.zero_() for k, v in block_weights(None, 4, 8, device=device).items()}
    branches |= {
        "attention.w_o.bias": x.new_full((4,), 10.0),
        "feed_forward.w_2.bias": x.new_full((4,), 100.0),
    }
    nothing = gpt_weights(None, (10, 8, 2, 2, 4), tied=True, device=device)

    def probe(impl):
        block, model = impl.Block(4, num_heads=2, d_ff=8), impl.GPT(10, 8, 2, 2, 4)
        block.load(branches)
        model.load(nothing)
        counts = model.get_num_params(), model.get_num_params(non_embedding=True)
        return block(x), model(idx, targets), counts

    compare(probe)


# The block ----------------------------------------------------------------------------------------


@pytest.mark.core("Block")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a block")
@pytest.mark.rests_on(
    "x = x + dropout(attention(norm_1(x)))",
    "x = x + dropout(w_2(gelu(w_1(norm_2(x)))))",
    "The GELU is the exact one",
    "Nothing but dropout depends on the mode",
)
def test_block(compare, draw):
    """Both branches are added to x, each made from a norm of its own, with the exact GELU."""
    x, weights = draw.normal(2, 5, 12), block_weights(draw, 12, 30)
    compare(lambda impl: block(impl, weights, (12, 3, 30))(x), wrt=[x])
    xs = draw.normal(2, 4, 6), draw.normal(2, 1, 6), draw.normal(4, 4, 4)
    one, even = block_weights(draw, 6, 7), block_weights(draw, 4, 4)

    def probe(impl):
        layers = block(impl, one, (6, 1, 7)), block(impl, even, (4, 4, 4))
        return layers[0](xs[0]), layers[0](xs[1]), layers[1](xs[2])

    compare(probe, wrt=xs)


@pytest.mark.core("Block")
@pytest.mark.points(2)
@pytest.mark.kept("what makes the model a language model, in words of its own")
@pytest.mark.rests_on("A position attends to itself and to those before it")
def test_block_does_not_see_the_future(submission, draw):
    """Another token at position 3 changes the block's output from position 3 on, not before."""
    x, weights = draw.normal(2, 6, 12), block_weights(draw, 12, 20)
    layer = block(submission, weights, (12, 3, 20))
    other = x.clone()
    other[:, 3] = draw.normal(2, 12)
    y, again, changed = (
        usable(layer, layer(given), (2, 6, 12), unlike=[given]) for given in (x, x, other)
    )
    assert (y - again).abs().max() < 1e-4, f"{BY_CHANCE} the block"
    changed = (y - changed).abs().amax((0, 2))
    assert (changed[:3] < 1e-4).all(), "positions before a changed token change as well"
    assert (changed[4:] > 1e-6).all(), "positions after a changed token do not notice"


@pytest.mark.rests_on("with bias=False there are none called bias")
def test_block_without_biases(compare, draw):
    """With bias=False nothing in a block has a bias: neither attention nor norms nor layers."""
    x, weights = draw.normal(2, 5, 12), block_weights(draw, 12, 20, bias=False)
    compare(lambda impl: block(impl, weights, (12, 3, 20), bias=False)(x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "on what each of the two branches adds to x",
    "Every number is dropped on its own",
)
def test_block_drops_what_is_added(compare, submission, draw):
    """In training each number that a branch adds to x is dropped or divided by 1 - dropout."""
    x, weights = draw.normal(4, 16, 12), block_weights(draw, 12, 20)
    sizes = 12, 3, 20
    compare(lambda impl: block(impl, weights, sizes)(x))
    weights = constant_branches(weights, 3.0, 7.0)
    layer, kept = block(submission, weights, sizes, dropout=P), 1 / (1 - P)
    added, again = layer(x) - x, layer(x) - x
    assert not among(added, 10.0), "in training neither branch is dropped"
    assert not among(added, 3, 3 + 7 * kept), "in training what attention adds is not dropped"
    assert not among(added, 7, 7 + 3 * kept), "in training what w_2 gives is not dropped"
    assert not among(added, 0, 3, 7, 10), "what is kept is not divided by 1 - dropout"
    assert among(added, 0, 3 * kept, 7 * kept, 10 * kept), (
        "dropout falls on something else than the two branches: on x perhaps, or twice"
    )
    for value, name in ((3, "attention"), (7, "the feed-forward network")):
        dropped = among_each(added, 0, (10 - value) * kept)
        share = dropped.double().mean().item()
        assert abs(share - P) < 0.1, f"the share that is dropped of {name} is not dropout"
        axes = alike_along(dropped, "sentences", "positions", "columns")
        same = torch.equal(dropped, among_each(again, 0, (10 - value) * kept))
        assert not same, f"of what {name} adds, two calls in training drop the same numbers"
        assert not axes, f"of what {name} adds, the same is dropped from several {axes[0]}"
    assert among_each(added, 3 * kept, 7 * kept).any(), "both branches lose the same numbers"


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "on the attention weights, and on what each of the two branches adds",
    "Every number is dropped on its own",
    "Nothing is dropped inside the feed-forward network",
)
def test_block_drops_attention_weights(submission, draw):
    """In training attention weights are dropped too; norms and the network's inside never are."""
    x, plain = draw.normal(4, 16, 12), block_weights(draw, 12, 20)
    layer, kept = submission.Block(12, 3, 20, dropout=P), 1 / (1 - P)
    nothing = constant_branches(plain, 0.0, 0.0)

    def added(x):
        return usable(layer, layer(x), x.shape) - x

    copying = nothing | {"attention.w_o.weight": torch.eye(12, device=x.device)}
    layer.load(filled(copying, {"attention.w_v.bias": 1.0}))
    simple = among(added(x), 0, kept, 1)
    assert not simple, "in training no attention weight is dropped: hand dropout on to attention"
    quiet = {f"attention.w_{n}.{kind}": 0.0 for n in "qk" for kind in ("weight", "bias")}
    layer.load(filled(copying, quiet | {"attention.w_v.bias": 1.0}))
    axes = same_weights_along(added(x), kept)
    assert not axes, f"the same attention weights are dropped in all {axes}"
    norm = {
        "residual1.norm.weight": 0.0,
        "residual1.norm.bias": 1.0,
        "attention.w_v.weight": 1 / 12,
    }
    layer.load(filled(copying, norm))
    alone = x.reshape(64, 1, 12)  # one token: one attention weight
    y = usable(layer, layer(alone), alone.shape)
    assert not (y == 0).any(), "in training x itself is dropped, not only what is added to it"
    simple = among(y - alone, 0, kept, kept**2, 1)
    assert simple, "in training what norm_1 gives is dropped before attention sees it"
    norm = {"residual2.norm.weight": 0.0, "residual2.norm.bias": 1.0}
    network = {"w_1.weight": 1.0, "w_1.bias": 0.0, "w_2.weight": 0.1}
    network = {f"feed_forward.{name}": value for name, value in network.items()}
    layer.load(filled(nothing, norm | network))
    simple = among(added(x), 0, 24 * kept, 24)  # gelu(12) = 12, 20 times 0.1
    assert simple, "in training something is dropped inside the feed-forward network"


@pytest.mark.asked_once("the mode is what is asked for here; other checks ask the same again")
@pytest.mark.rests_on("acts in train mode only, and in three places")
def test_nothing_is_dropped_in_eval(compare, submission, draw):
    """After eval() the model answers as if dropout were 0, and so does a block by itself."""
    x, branch = draw.normal(2, 5, 12), block_weights(draw, 12, 20)
    idx, weights = draw.integers(0, V, (2, 5)), gpt_weights(draw)

    def evaluated(layer):
        layer.eval()
        return layer

    model = evaluated(gpt(submission, weights, dropout=0.4))
    again = torch.equal(model(idx)[0], model(idx)[0])
    assert again, "after eval() two calls of the model differ: dropout still acts"

    def probe(impl):
        layer = evaluated(block(impl, branch, (12, 3, 20), dropout=0.4))
        return layer(x), evaluated(gpt(impl, weights, dropout=0.4))(idx)[0]

    compare(probe)


# The model ----------------------------------------------------------------------------------------


@pytest.mark.core("GPT.forward: the logits")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the model")
@pytest.mark.rests_on(
    "x = dropout(token_embedding[idx] + position_embedding[0 .. T-1])",
    "Logits are returned as they are, no softmax",
    "Nothing but dropout depends on the mode",
)
def test_logits(compare, draw):
    """Tokens and positions, the blocks, a last norm, the head: scores at every position."""
    for sizes, shape in ((DEEP, (2, 5)), (EVEN, (4, 4))):
        idx, weights = draw.integers(0, sizes[0], shape), gpt_weights(draw, sizes)
        compare(lambda impl: gpt(impl, weights, sizes)(idx))


@pytest.mark.kept("large numbers may show another eps, small ones always do")
@pytest.mark.rests_on("The norms have eps = 1e-5", "norm, of eps = 1e-5 as well")
def test_eps_of_norms(compare, draw):
    """All norms have eps = 1e-5, which rows of small numbers feel."""
    x, weights = draw.normal(2, 5, 12, scale=1e-3), block_weights(draw, 12, 20)
    for kind in ("weight", "bias"):  # so that norm_2 is given small numbers as well
        weights[f"attention.w_o.{kind}"] = weights[f"attention.w_o.{kind}"] * 1e-3
    compare(lambda impl: block(impl, weights, (12, 3, 20))(x))
    idx, sizes = draw.integers(0, V, (2, 5)), (V, LONGEST, 1, 2, WIDTH)
    weights = gpt_weights(draw, sizes)
    for name in weights:
        if "embedding" in name:
            weights[name] = weights[name] * 1e-3
        elif ".w_o." in name or ".w_2." in name:
            weights[name] = torch.zeros_like(weights[name])
    compare(lambda impl: gpt(impl, weights, sizes)(idx)[0])


@pytest.mark.asked_once("the table is large; other checks ask the same again")
@pytest.mark.rests_on("any number from 0 to vocab_size - 1")
def test_large_token_numbers(compare, draw):
    """Token 50256, the last one of GPT-2, is a token like any other, and so is token 300."""
    sizes = 50_257, 3, 1, 1, 4
    weights, idx = gpt_weights(draw, sizes), draw.integers(33_000, 50_257, (2, 3))
    idx[0, 0], idx[1, 1], idx[1, 2] = 300, 2_049, 50_256
    targets = idx.flip(0)
    compare(lambda impl: gpt(impl, weights, sizes)(idx, targets))


@pytest.mark.points(2)
@pytest.mark.kept("the definition of tied weights")
@pytest.mark.rests_on("one Parameter, counted once and trained from both sides")
def test_tied_weights(compare, submission, reference, draw):
    """With tie_weights the table of tokens makes the logits, and learns from both ends."""
    idx, weights = draw.integers(0, V, (2, 5)), gpt_weights(draw, tied=True)
    cotangent = draw.normal(2, 5, V)
    found, wanted = (
        table_gradients(impl, weights, idx, cotangent) for impl in (submission, reference)
    )
    compare(lambda impl: tied_gpt(impl, weights)(idx)[0])
    near = [(f - w).abs() < 1e-3 * (1 + w.abs()) for f, w in zip(found, wanted, strict=True)]
    assert near[0].all(), "the gradient of the tied table is not the sum of those from both ends"
    assert near[1].all(), "after .to(torch.float64) the tied table no longer learns from both ends"


@pytest.mark.kept("a copy tied to its original has the right numbers until it learns")
@pytest.mark.rests_on("In a deep copy of the model it is still one Parameter")
def test_tied_weights_in_a_copy(compare, draw):
    """A deep copy of the model is tied to itself, and not to the model it was copied from."""
    idx = draw.integers(0, V, (2, 5))
    first, second = (gpt_weights(draw, tied=True) for _ in range(2))

    def probe(impl):
        model = tied_gpt(impl, first)
        copy = model.deepcopy()
        copy.load(second)
        return model(idx)[0], copy(idx)[0]

    compare(probe)


@pytest.mark.rests_on(
    "with bias=False there are none called bias",
    "head.weight (vocab_size, n_embd), if tie_weights is False",
)
def test_counts(submission):
    """The model has as many numbers to learn as the page says, with and without ties and biases."""
    for tied, bias, dropout in ((True, False, 0.1), (False, True, 0.0)):
        options = {"tie_weights": tied, "bias": bias, "dropout": dropout}
        model = submission.GPT(*DEEP, **options)
        weights = gpt_weights(None, DEEP, bias=bias, tied=tied)
        model.load(weights)  # which ones there are comes before how many
        found = sum(p.numel() for p in model.parameters().values())
        right = sum(w.numel() for w in weights.values())
        assert found == right, f"GPT{DEEP} with {options} has {found} numbers to learn, not {right}"


@pytest.mark.core("GPT.get_num_params")
@pytest.mark.points(2)
@pytest.mark.kept("the count, for points of its own")
@pytest.mark.rests_on(
    "How many numbers there are to learn, each counted once",
    "non_embedding leaves out the table of positions",
)
def test_get_num_params(compare, draw):
    """get_num_params counts every Parameter once; non_embedding leaves out the positions only."""

    def probe(impl, tied):
        model = impl.GPT(*SIZES, tie_weights=tied)
        return [model.get_num_params(), model.get_num_params(non_embedding=True)]

    for tied in (True, False):
        compare(lambda impl: probe(impl, tied))


@pytest.mark.kept("the published size, for a sense of proportion")
@pytest.mark.rests_on(
    'The model can be built under torch.device("meta")', "one Parameter, counted once"
)
def test_size_of_gpt2(submission):
    """A model of GPT-2's sizes has 124,439,808 parameters."""
    model = on_meta(submission).GPT(50257, 1024, 12, 12, 768)
    found = sum(p.numel() for p in model.parameters().values())
    assert found == 124_439_808, f"a model of GPT-2's sizes has {found} parameters"
    said = model.get_num_params()
    assert said == found, "get_num_params() is wrong for a model of GPT-2's sizes"


@pytest.mark.points(2)
@pytest.mark.kept("the limit itself belongs to the texts that are taken")
@pytest.mark.rests_on(
    "nothing is remembered between calls", "position_embedding[0 .. T-1]), without any factor"
)
def test_any_length_up_to_block_size(compare, draw):
    """Texts of 1 to block_size tokens are taken, and every text begins at position 0."""
    weights, long = gpt_weights(draw), (V, 300, 1, 2, WIDTH)
    texts = [draw.integers(0, V, shape) for shape in ((4, 1), (1, LONGEST), (9, 3))]

    def one_after_the_other(impl):
        model = gpt(impl, weights)
        return [model(idx)[0] for idx in texts]

    compare(one_after_the_other)
    idx, weights = draw.integers(0, V, (1, 300)), gpt_weights(draw, long)
    compare(lambda impl: gpt(impl, weights, long)(idx)[0])


@pytest.mark.rests_on("nothing is remembered between calls, and no model knows of another")
def test_models_side_by_side(compare, draw):
    """Two models with other sizes, ties and limits work side by side, and so do their blocks."""
    sizes = 4, 4, 1, 2, 4
    first, second = gpt_weights(draw), gpt_weights(draw, sizes, bias=False, tied=True)
    idx, other = draw.integers(0, V, (2, LONGEST)), draw.integers(0, 4, (3, 4))

    def probe(impl):
        one, two = gpt(impl, first), gpt(impl, second, sizes, tied=True, bias=False)
        logits = one(idx)[0], two(other)[0], one(idx)[0]
        return *logits, one.get_num_params(True), two.get_num_params(True)

    compare(probe)


@pytest.mark.kept("the refusal, for a point of its own")
@pytest.mark.rests_on("T is more than block_size")
def test_longer_texts_are_refused(submission, draw):
    """A text of block_size + 1 tokens raises ValueError: it is neither cut nor answered."""
    model = submission.GPT(*SIZES)
    for mode in ("train", "eval"):
        getattr(model, mode)()
        for more in (1, 5):
            idx = draw.integers(0, V, (2, LONGEST + more))
            said = f"in {mode} mode a text of {LONGEST + more} tokens with block_size = {LONGEST}"
            refuses(lambda: model(idx), said)


@pytest.mark.core("GPT.forward: the logits")
@pytest.mark.points(2)
@pytest.mark.kept("the promise of the logits at every position, in words of its own")
@pytest.mark.rests_on("A position attends to itself and to those before it")
def test_model_does_not_see_the_future(submission, draw):
    """Another token at position j changes the logits from j on, and none before."""
    idx, weights = draw.integers(0, V, (2, 6)), gpt_weights(draw)
    model = gpt(submission, weights)
    first, again = (usable(model, model(idx)[0], (2, 6, V)) for _ in range(2))
    assert (first - again).abs().max() < 1e-4, f"{BY_CHANCE} the model"
    for j in (0, 4):
        other = idx.clone()
        other[:, j] = (other[:, j] + 1) % V
        changed = (model(other)[0] - first).abs().amax((0, 2))
        assert (changed[:j] < 1e-4).all(), "logits before a changed token change as well"
        assert (changed[j:] > 1e-6).all(), "logits after a changed token do not notice"


@pytest.mark.rests_on(
    "x = dropout(token_embedding[idx] + position_embedding[0 .. T-1])",
    "with the same probability everywhere",
    "Every number is dropped on its own",
)
def test_dropout_in_the_model(compare, submission, draw):
    """In training the sum of token and position is dropped, once, and the blocks drop as well."""
    sizes = (V, 32, 2, 2, 48)
    idx, weights = draw.integers(0, V, (4, 32)), gpt_weights(draw, sizes)
    compare(lambda impl: gpt(impl, weights, sizes)(idx[:2, :5])[0])
    for number in range(2):
        nothing = constant_branches(block_weights(draw, 48, 192), 0.0, 0.0)
        weights |= {f"blocks.{number}.{name}": w for name, w in nothing.items()}
    weights = filled(weights, {"norm.weight": 1.0, "norm.bias": 0.0})
    weights["head.weight"] = torch.eye(V, 48, device=idx.device)
    model = gpt(submission, weights, sizes, dropout=0.5)
    y, _ = model(idx)
    # What was dropped is the same number in all columns of a token: that of 0 after the norm.
    near = (y[..., :, None] - y[..., None, :]).abs() < 1e-5
    share = (near.sum(-1) > 1).double().mean().item()
    assert share > 0.1, "in training the sum of token and position is not dropped"
    # With the same number everywhere, what was dropped is negative after the norm.
    even = filled(weights, {"token_embedding.weight": 1.0, "position_embedding.weight": 2.0})
    model.load(even)
    y, again = model(idx)[0], model(idx)[0]
    axes = alike_along(y < 0, "sentences", "positions", "columns")
    assert not axes, f"the same embeddings are dropped in several {axes and axes[0]}"
    assert not torch.equal(y, again), "two calls drop the same embeddings"
    assert share > 0.4, "tokens and positions are dropped apart, so that one of them remains"
    assert share < 0.6, "tokens and positions are dropped twice"
    # A branch of 1000 or 0 leaves two kinds of numbers after the norm, equally many of each.
    weights = filled(weights, {"blocks.0.feed_forward.w_2.bias": 1e3})
    model.load(weights)
    y, _ = model(idx)
    between = (y.abs() < 0.3).double().mean().item()
    assert between < 0.05, "in training the blocks of the model drop nothing: hand dropout on"
    share = (y < 0).double().mean().item()
    assert abs(share - 0.5) < 0.12, "the share dropped in the blocks of the model is not dropout"
    # 1000 or 0 from one block, 10000 or 0 from the other: four kinds of numbers, with three gaps.
    model.load(filled(weights, {"blocks.1.feed_forward.w_2.bias": 1e4}))
    y = model(idx)[0].sort(-1).values
    gaps = (y.diff(dim=-1) > 0.05).sum(-1).double().mean().item()
    assert gaps > 2, "all blocks of the model drop the same numbers"


# The loss -----------------------------------------------------------------------------------------


@pytest.mark.core("GPT.forward: the loss")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the loss")
@pytest.mark.rests_on("The loss is the mean cross-entropy over all targets of the batch")
def test_loss(compare, draw):
    """With targets there is a loss: the mean cross-entropy of logits[b, t] and targets[b, t]."""
    weights = gpt_weights(draw)
    texts = [draw.integers(0, V, (2, *shape)) for shape in ((2, 5), (5, 1), (1, 7))]
    texts[0][1][1, 2] = 0  # a token like any other

    def probe(impl):
        model = gpt(impl, weights)
        return [model(idx, targets) for idx, targets in texts]

    compare(probe)


@pytest.mark.points(2)
@pytest.mark.rests_on("a target of -100 is not asked for, and has no share in the mean")
def test_targets_not_asked_for(compare, draw):
    """Targets of -100 have no share in the mean; 0 is a token like any other."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (3, 5))
    targets = draw.integers(0, V, (3, 5))
    targets[0, 0] = targets[1, 2] = 0
    targets[0, 2:] = targets[2, 1] = -100
    few = torch.full_like(targets, -100)
    few[1, 3] = 5

    def probe(impl):
        model = gpt(impl, weights)
        return model(idx=idx, targets=targets), model(idx, targets=few)

    compare(probe)


@pytest.mark.rests_on("If all are -100, the loss is 0 and, after backward(), so are all gradients")
def test_no_target_at_all(compare, draw):
    """If every target is -100, the loss is 0 and so are its gradients: no NaN."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (3, 5))
    targets = torch.full_like(idx, -100)
    compare(lambda impl: gpt(impl, weights)(idx, targets))


# The start and the end ----------------------------------------------------------------------------


@pytest.mark.rests_on(
    "drawn from a normal distribution with mean 0 and standard deviation 0.02",
    "back into x (attention.w_o.weight and w_2.weight of each block) with 0.02 / sqrt(2 n_layer)",
)
def test_start(submission):
    """Matrices and tables start at N(0, 0.02), those that lead into x smaller, biases at 0; the
    head's matrix as well, where it is not tied."""
    layers, heads, width = 5, 8, 32  # 10 branches: neither 2 heads, 16, nor 2 + 5
    model = submission.GPT(60, 40, layers, heads, width)
    untied = submission.GPT(60, 40, 1, heads, width, tie_weights=False).parameters()
    head = {"head.weight": untied["head.weight"]} if "head.weight" in untied else {}
    groups = {}
    for name, weights in (model.parameters() | head).items():
        groups.setdefault(name.split(".", 2)[-1] if "blocks" in name else name, []).append(weights)
    order = sorted(groups, key=lambda n: (n.endswith("bias"), "embedding" in n, n))
    for name in order:
        values = torch.stack(groups[name]).double()
        if name.endswith("bias"):
            assert (values == 0).all(), f"{kind(name)} do not start at 0"
        elif "norm" in name:
            assert (values == 1).all(), "the weights of norms do not start at 1"
        else:
            into_x = name in ("attention.w_o.weight", "feed_forward.w_2.weight")
            wanted = 0.02 / (2 * layers) ** 0.5 if into_x else 0.02
            spread = values.square().mean().sqrt().item()
            blocks = values.square().mean((1, 2)).sqrt()
            assert blocks.max() < 1.3 * blocks.min(), (
                f"{name} starts with a standard deviation that differs from block to block"
            )
            said = scale_of(spread, layers, heads, width)
            # 1280 numbers or more: the spread found is within 2 % of the true one, 1 sigma
            right = scale_of(wanted, layers, heads, width)
            assert abs(spread / wanted - 1) < 0.12, (
                f"{name} starts with the standard deviation {said}, not {right}"
            )
            # 1 sigma of the mean is the spread divided by the root of how many numbers there are
            middle = values.mean().abs() * values.numel() ** 0.5 / spread
            assert middle < 6, f"{name} is not drawn around 0"
            # Of 1280 normal numbers, one in 36 is larger than 2.2 sigma; of uniform ones, none.
            assert values.abs().max() > 2.2 * spread, f"{name} is not drawn from a normal law"


@pytest.mark.kept("what chance decides, in words of its own")
@pytest.mark.rests_on("Every matrix is drawn on its own, and afresh in every model")
def test_every_start_is_another(submission):
    """No two models, no two matrices and no two rows start with the same numbers."""
    one, two = (submission.GPT(60, 40, 3, 8, 32).parameters() for _ in range(2))
    matrices = {name: values for name, values in one.items() if values.ndim == 2}
    for name, values in matrices.items():
        again = torch.equal(values, two.get(name, values))
        assert not again, f"two models start with the same {name}: is a generator seeded?"
        rows = values.unique(dim=0)
        assert len(rows) == len(values), f"rows of {name} start with the same numbers"
    for name, values in matrices.items():
        same = [n for n, w in matrices.items() if n != name and w[0, :8].equal(values[0, :8])]
        assert not same, f"{name} and {same[0]} start with the same numbers"
    one, two = (submission.Block(32, 8, 64).parameters() for _ in range(2))
    same = [name for name in one if one[name].ndim == 2 and one[name].equal(two[name])]
    assert not same, f"two blocks start with the same {same[0]}: is a generator seeded?"


@pytest.mark.points(2)
@pytest.mark.asked_once("a model is cropped once, and its mode is asked for here")
@pytest.mark.rests_on(
    "becomes an (n, n_embd) Parameter with the first n of its rows",
    "neither the mode nor what is tied changes",
)
def test_crop_block_size(compare, submission, draw):
    """After crop_block_size(n) the first n positions are left, and n is the longest text."""
    idx = draw.integers(0, V, (2, 4))
    for tied, n, mode, dropout in ((False, 4, "train", 0.0), (True, 1, "eval", 0.4)):
        weights = gpt_weights(draw, tied=tied)

        def probe(impl, weights=weights, tied=tied, n=n, mode=mode, dropout=dropout):
            model = gpt(impl, weights, tied=tied, dropout=dropout)
            getattr(model, mode)()
            whole = model.get_num_params()
            model.crop_block_size(n)
            if tied:  # its gradient may go by either of the table's names
                model.requires_grad_(False)
            left = model.get_num_params(), model.get_num_params(non_embedding=True)
            return model(idx[:, :n])[0], whole, left

        compare(probe)

    def cropped(impl):
        model = impl.GPT(*SIZES)
        model.to("meta")
        model.crop_block_size(4)
        return model(idx.to("meta"))[0]

    with on_one_device("the cropped model"):
        compare(cropped)
    model = submission.GPT(*SIZES, dropout=0.5)
    model.train()
    model.to(torch.float64)
    model.crop_block_size(4)
    table = model.parameters().get("position_embedding.weight")
    assert table is not None, "after crop_block_size(4) position_embedding.weight is no parameter"
    assert table.shape == (4, WIDTH), "after crop_block_size(4) the table has not 4 rows"
    assert table.dtype is torch.float64, "crop_block_size(4) has changed the dtype of the table"
    some, others = model(idx)[0], model(idx)[0]
    usable(submission, some, (2, 4, V), torch.float64)
    assert not torch.equal(some, others), (
        "after crop_block_size(4) a model in train mode drops nothing any more"
    )
    longer = draw.integers(0, V, (2, 5))
    refuses(lambda: model(longer), "a text of 5 tokens after crop_block_size(4)")


@pytest.mark.rests_on("n is more than block_size; the model stays as it was")
def test_crop_does_not_enlarge(submission, draw):
    """crop_block_size(n) with n above block_size raises ValueError and changes nothing."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (2, LONGEST))
    model = gpt(submission, weights)
    before = usable(model, model(idx)[0], (2, LONGEST, V))
    model.crop_block_size(LONGEST)  # keeps all
    refused = "crop_block_size(n) with n above"
    refuses(lambda: model.crop_block_size(LONGEST + 1), f"{refused} block_size")
    longer = draw.integers(0, V, (2, LONGEST + 1))
    refuses(lambda: model(longer), "a longer text after a crop_block_size(n) that was refused")
    same = torch.equal(before, model(idx)[0])
    assert same, "a crop_block_size(n) that keeps all or is refused has changed the model"
    model.crop_block_size(4)
    refuses(lambda: model.crop_block_size(5), f"{refused} what it was cropped to before")


@pytest.mark.kept("where a model may be moved, in words of its own")
@pytest.mark.rests_on("moved by .to(...) works on the other device and in the other dtype")
def test_on_another_device(compare, draw):
    """A model or block moved by .to(...) works on another device, positions and all."""
    x, idx = draw.normal(2, 5, 12).to("meta"), draw.integers(0, V, (2, 5)).to("meta")

    def moved(layer, x):
        layer.to("meta")
        return layer(x)

    for name, probe in (
        ("the block", lambda impl: moved(impl.Block(12, 3, 20), x)),
        ("the model", lambda impl: moved(impl.GPT(*SIZES), idx)[0]),
    ):
        with on_one_device(name):
            compare(probe)


# What the checks share ----------------------------------------------------------------------------


def random(draw, *shape, scale=0.4, offset=0.0, device=None):
    """Zeros where nothing is drawn."""
    if draw is None:
        return torch.zeros(*shape, device=device)
    return draw.normal(*shape, scale=scale, offset=offset)


def block_weights(draw, width, inner, bias=True, device=None):
    """The parameters of a block."""
    weights = {}
    norms = "residual1.norm", "residual2.norm"
    for norm in norms:
        weights[f"{norm}.weight"] = random(draw, width, offset=1.0, device=device)
    shapes = {f"attention.w_{name}": (width, width) for name in "qkvo"}
    shapes |= {"feed_forward.w_1": (inner, width), "feed_forward.w_2": (width, inner)}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = random(draw, *shape, device=device)
    if bias:
        for name in (*norms, *shapes):
            rows = weights[f"{name}.weight"].shape[0]
            weights[f"{name}.bias"] = random(draw, rows, device=device)
    return weights


def gpt_weights(draw, sizes=SIZES, bias=True, tied=False, device=None):
    """The parameters of a model."""
    vocab, longest, layers, _, width = sizes
    weights = {
        "token_embedding.weight": random(draw, vocab, width, scale=1.0, device=device),
        "position_embedding.weight": random(draw, longest, width, scale=1.0, device=device),
        "norm.weight": random(draw, width, offset=1.0, device=device),
    }
    if bias:
        weights["norm.bias"] = random(draw, width, device=device)
    if not tied:
        weights["head.weight"] = random(draw, vocab, width, device=device)
    for layer in range(layers):
        for name, values in block_weights(draw, width, 4 * width, bias, device).items():
            weights[f"blocks.{layer}.{name}"] = values
    return weights


def filled(weights, numbers):
    """Some of the weights replaced by one number each."""
    return weights | {name: torch.full_like(weights[name], n) for name, n in numbers.items()}


def constant_branches(weights, attention, feed_forward):
    """Weights with which the two branches give the same number everywhere."""
    zeros = [f"attention.{name}" for name in ("w_v.weight", "w_v.bias", "w_o.weight")]
    zeros.append("feed_forward.w_2.weight")
    numbers = {"attention.w_o.bias": attention, "feed_forward.w_2.bias": feed_forward}
    return filled(weights, numbers | dict.fromkeys(zeros, 0.0))


def block(impl, weights, sizes, **options):
    layer = impl.Block(*sizes, **options)
    layer.load(weights)
    return layer


def gpt(impl, weights, sizes=SIZES, tied=False, **options):
    model = impl.GPT(*sizes, tie_weights=tied, **options)
    model.load(weights)
    return model


def tied_gpt(impl, weights):
    """Values are the question: a tied Parameter's gradient may go by either of its names."""
    model = gpt(impl, weights, tied=True)
    model.requires_grad_(False)
    return model


def table_gradients(impl, weights, idx, cotangent):
    """In float32 and in float64: a second name for the table must not be left behind by ``to``."""
    model, found = gpt(impl, weights, tied=True), []
    for dtype in (torch.float32, torch.float64):
        model.to(dtype)
        found.append(gradient_by_shape(impl, model(idx)[0], cotangent.to(dtype), (V, WIDTH)))
    return found


def among_each(y, *answers):
    return torch.stack([(y - answer).abs() < 1e-3 for answer in answers]).any(0)


def among(y, *answers):
    """Is every number of ``y`` one of the answers?"""
    return bool(among_each(y, *answers).all())


def same_weights_along(y, kept):
    """The axis along which equal attention weights are dropped alike, if there is one.

    ``y`` is what attention adds when position t hears each of t + 1 positions say 1, so that it
    tells how many weights were kept; a head's four columns are one number, but for what the branch
    loses.
    """
    batch, tokens, width = y.shape
    heads = y.reshape(batch, tokens, 3, width // 3).amax(-1) / kept**2
    counts = heads * torch.arange(1, tokens + 1, device=y.device)[:, None]
    grows = counts.diff(dim=1)
    alike = {
        "sentences": (counts[1:] - counts[:-1]).abs() < 0.1,
        "heads": (counts[..., 1:] - counts[..., :-1]).abs() < 0.1,
        "queries": (grows.abs() < 0.1) | ((grows - 1).abs() < 0.1),
    }
    # By chance it is 0.3, 0.3 and 0.4 of them; 0.98 if one mask serves all.
    shared = [name for name, near in alike.items() if near.double().mean() > 0.8]
    return shared[0] if shared else ""


def kind(name):
    return "the biases of norms" if "norm" in name else "the biases"


def scale_of(spread, layers, heads, width):
    """The formula that gives this standard deviation, as far as there is one."""
    formulas = {
        "0.02": 0.02,
        "0.02 / sqrt(2 n_layer)": 0.02 / (2 * layers) ** 0.5,
        "0.02 / sqrt(n_layer)": 0.02 / layers**0.5,
        "0.02 / (2 n_layer)": 0.02 / (2 * layers),
        "0.02 / sqrt(2 n_head)": 0.02 / (2 * heads) ** 0.5,
        "1": 1.0,
        "0.01": 0.01,
        "1 / sqrt(n_embd)": width**-0.5,
        "1 / sqrt(3 n_embd)": (3 * width) ** -0.5,
    }
    near = [said for said, value in formulas.items() if abs(spread / value - 1) < 0.06]
    return near[0] if near else "of another formula"
