"""Hidden checks of ``circuits``."""

from __future__ import annotations

import pytest
import torch

from grader.check import gradient_by_shape, refuses, usable, work_of

V, LONGEST, LAYERS, HEADS, WIDTH = 11, 9, 2, 4, 20
SIZES = V, LONGEST, LAYERS, HEADS, WIDTH
B, T = 3, 6
EVEN = 4, 4, 3, 4, 4  # all that may coincide does: x_0 to x_3, 4 heads, 4 tokens, width 4
HAND = 4, 8, 2, 2, 32  # of the hand-made model

TRUTH = pytest.mark.asked_once("the weights of this model are part of the question")
WHOLE = pytest.mark.asked_once("how calls follow one another is the question here")


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.asked_once("few numbers, which other checks vary")
@pytest.mark.rests_on("The text dabc twice", "Without the previous-token head the induction head")
def test_example(compare, reference, device):
    """The examples of the page: the hand-made model reads dabcdabc."""
    weights = by_hand(reference, device)
    text = torch.tensor([[3, 0, 1, 2, 3, 0, 1, 2]], device=device)
    other = torch.tensor([[3, 0, 1, 2, 0, 0, 1, 2]], device=device)

    def probe(impl):
        model = gpt(impl, weights, HAND, bias=False)
        maps = impl.attention_maps(model, text)
        read = impl.residual_stream(model, text), impl.logit_lens(model, text)
        scores = impl.previous_token_score(maps), impl.induction_score(maps, period=4)
        shares = impl.direct_logit_attribution(model, text, token=3)
        heads = impl.head_results(model, text, 0)
        lost = impl.ablate(model, text, 0, 0)
        model = gpt(impl, weights, HAND, bias=False)  # whether the first is as it was, others ask
        return maps, read, scores, shares, heads, lost, impl.patch(model, text, other, 1, 4)

    compare(probe)


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.core("residual_stream")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the stream")
@pytest.mark.rests_on("x before the first block, and after every block: x_0, x_1, ..., x_L")
def test_stream(compare, draw):
    """x_0 is token vectors plus position vectors, and every block gives the next one; no norm."""
    for_models(compare, draw, lambda impl, *given: impl.residual_stream(*given))


@pytest.mark.core("attention_maps")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the maps")
@pytest.mark.rests_on("What attention reads in block l is norm_1(x_l)")
def test_maps(compare, draw):
    """The weights of every block and head, made of norm_1(x_l): (L, B, H, T, T)."""
    for_models(compare, draw, lambda impl, *given: impl.attention_maps(*given))


@pytest.mark.core("head_results")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a result")
@pytest.mark.rests_on(
    "What each head of block layer adds to x",
    "head h owns the rows h d to (h + 1) d - 1 of w_v.weight, the same numbers of w_v.bias, and "
    "the same columns of w_o.weight",
)
def test_results_of_heads(compare, draw):
    """What each head adds to x by itself: its weights, its values, its columns of w_o."""
    for_models(compare, draw, lambda impl, *given: impl.head_results(*given), ((1,), (0,), (1,)))


@pytest.mark.core("logit_lens")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the lens")
@pytest.mark.rests_on("The last norm and the last matrix are applied to every x_l")
def test_lens(compare, draw):
    """The last norm and the last matrix on every x_l, so the last entry is what the model says."""
    for_models(compare, draw, lambda impl, *given: impl.logit_lens(*given))


@pytest.mark.core("direct_logit_attribution")
@pytest.mark.points(4)
@pytest.mark.kept("the definition of a share")
@pytest.mark.rests_on(
    "The scale of the last norm, sqrt(var(x_L) + eps), is frozen",
    '"network l": the feed-forward network of block l, its biases included',
    '"bias": what no other key has: w_o.bias of all blocks',
)
def test_shares_of_parts(compare, draw):
    """Every part has its share of the logit, with the scale of the last norm frozen."""
    tokens = (2,), (10,), (0,)
    for_models(compare, draw, lambda impl, *given: impl.direct_logit_attribution(*given), tokens)


@pytest.mark.points(2)
@WHOLE
@pytest.mark.kept("the sum, in words of its own")
@pytest.mark.rests_on("All shares add up to the logit, to 1e-4")
def test_shares_add_up(submission, reference, draw):
    """The shares of all parts add up to the logit that the model gives this token."""
    idx = draw.integers(0, V, (B, T))
    for bias, size in ((True, 1.0), (False, 1.0), (False, 2e-3)):  # eps counts where x is small
        weights = gpt_weights(draw, bias=bias)
        adds = "embedding.weight", "w_o.weight", "w_2.weight"
        weights = {n: w * size if n.endswith(adds) else w for n, w in weights.items()}
        model = gpt(submission, weights, bias=bias)
        logits = usable(model, model(idx)[0], (B, T, V))
        for token in (1, 7):
            shares = submission.direct_logit_attribution(model, idx, token)
            parts = parts_of(submission, shares, (B, T))
            near = torch.allclose(sum(parts), logits[..., token], atol=1e-3)
            here = "." if size == 1 else " where x is small: the root is of var(x_L) + eps."
            assert near, f"the shares do not add up to the logit of token {token}{here}"


@pytest.mark.points(2)
@pytest.mark.kept("the definition of the score")
@pytest.mark.rests_on(
    "the mean of maps[i, i - 1] over i = 1 .. T - 1",
    "There may be any number of axes before the last two, also none",
)
def test_previous_token_score(compare, draw):
    """The mean weight one place back, over all places that have one before them."""
    for shape in ((2, 3, 6, 6), (5, 5), (4, 4, 4), (3, 2, 2)):
        compare.previous_token_score(draw.normal(*shape))


@pytest.mark.core("induction_score")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the score")
@pytest.mark.rests_on(
    "The score is the mean of maps[i, i - P + 1] over the second half, i = P .. 2 P - 1",
)
def test_induction_score(compare, draw):
    """The mean weight on what followed the same token before, over the second half."""
    for shape in ((2, 3, 10, 10), (8, 8), (4, 4, 4), (3, 2, 2)):
        compare.induction_score(draw.normal(*shape), shape[-1] // 2)


@pytest.mark.points(1)
@pytest.mark.asked_once("what is refused is the question here")
@pytest.mark.rests_on(
    "ValueError: there is one place only",
    "ValueError: the maps are not 2 P wide",
    'ValueError: how is neither "zero" nor "mean"',
)
def test_refuses_what_has_no_answer(submission, draw):
    """A text of one token has no score, a period must be half of the text, and a head is replaced
    by zero or by its mean."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (B, T))
    model = gpt(submission, weights)
    one, maps = draw.normal(2, 1, 1), draw.normal(2, 6, 6)
    refuses(lambda: submission.previous_token_score(one), "a map of one place")
    refuses(
        lambda: submission.induction_score(maps, 2),
        "a period of 2 in 6 places",
        lambda: submission.induction_score(maps, 4),
        "a period of 4 in 6 places",
    )
    refuses(
        lambda: submission.ablate(model, idx, 0, 1, "half"),
        'how = "half"',
        lambda: submission.ablate(model, idx, 0, 1, "means"),
        'how = "means"',
    )


# Changing -----------------------------------------------------------------------------------------


@pytest.mark.core("ablate")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of an ablation")
@pytest.mark.rests_on(
    '"zero": the head adds nothing', "all that comes after it reads the new x", "belongs to no head"
)
def test_ablate_zero(compare, draw):
    """The logits when one head adds nothing: all that comes after it reads the new x."""
    heads = (0, 1), (1, 3), (1, 0)
    for_models(compare, draw, lambda impl, *given: impl.ablate(*given), heads)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "it adds the mean of its results over all places of all texts of idx",
)
def test_ablate_mean(compare, draw):
    """With "mean" the head adds its mean over all places of all texts."""
    heads = (1, 2, "mean"), (0, 3, "mean"), (2, 0, "mean")
    for_models(compare, draw, lambda impl, *given: impl.ablate(*given), heads)


@pytest.mark.core("patch")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a patch")
@pytest.mark.rests_on(
    "The model reads corrupted. But at position, x_layer is that of clean",
    "for layer L, after the last block, what goes into the last norm",
)
def test_patch(compare, draw):
    """corrupted goes through the model, and at one place of one layer x is that of clean."""

    def probe(impl, model, idx, *place):
        return impl.patch(model, idx, idx.flip(1), *place)

    for_models(compare, draw, probe, ((0, 2), (1, 1), (3, 3)))


@pytest.mark.points(2)
@WHOLE
@pytest.mark.kept("what a patch restores, in words of its own")
@pytest.mark.rests_on("All other places keep their x, and change only by what they read from this")
def test_patch_restores_what_depends_on_it(submission, draw):
    """Before the first block, a patch is one exchanged token; after the last block, it changes the
    logits of its own place alone."""
    clean, corrupted = draw.integers(0, V, (B, T)), draw.integers(0, V, (B, T))
    corrupted[:, 2] = (clean[:, 2] + 1) % V
    weights = gpt_weights(draw)
    model = gpt(submission, weights)
    exchanged = corrupted.clone()
    exchanged[:, 2] = clean[:, 2]
    right, wrong, both = (
        usable(model, model(idx)[0], (B, T, V)) for idx in (clean, corrupted, exchanged)
    )
    same = submission.patch(model, corrupted, corrupted, 0, 2)
    same = usable(submission, same, (B, T, V))
    alike = torch.allclose(same, wrong, atol=1e-3)
    assert alike, "with x of the same text put in, the logits are not those of the model."
    first = submission.patch(model, clean, corrupted, 0, 2)
    first = usable(submission, first, (B, T, V), unlike=[right])
    assert not torch.allclose(first, wrong, atol=1e-3), "a patch at layer 0 changes nothing."
    early = torch.allclose(first[:, :2], wrong[:, :2], atol=1e-3)
    assert early, "a patch at place 2 changes places before it, which cannot see it."
    near = torch.allclose(first, both, atol=1e-3)
    assert near, "a patch at layer 0 is not the same as one exchanged token."
    model = gpt(submission, weights)  # without what a first patch may have left in it
    last = usable(submission, submission.patch(model, clean, corrupted, LAYERS, 2), (B, T, V))
    here = torch.allclose(last[:, 2], right[:, 2], atol=1e-3)
    assert here, "a patch after the last block does not give its own place the clean logits."
    wrong[:, 2], last[:, 2] = 0.0, 0.0
    there = torch.allclose(last, wrong, atol=1e-3)
    assert there, "a patch after the last block changes logits of other places."


# The truth ----------------------------------------------------------------------------------------


@pytest.mark.points(2)
@TRUTH
@pytest.mark.kept("what the scores say of heads that are known, in words of its own")
@pytest.mark.rests_on(
    "Head 0 of block 0 is the previous-token head, head 0 of block 1 the induction head",
    "so they look at all places alike and add nothing",
)
def test_scores_of_known_heads(submission, reference, draw, device):
    """The hand-made heads score 1 where they are what is looked for, the other one scores 0, and
    the empty ones what even weights give."""
    text = draw.permutation(4).repeat(2)[None]
    model = gpt(submission, by_hand(reference, device), HAND, bias=False)
    maps = usable(submission, submission.attention_maps(model, text), (2, 1, 2, 8, 8))
    even = 1 / torch.arange(1.0, 9.0, device=device)
    previous = usable(submission, submission.previous_token_score(maps), (2, 1, 2))
    induced = usable(submission, submission.induction_score(maps, 4), (2, 1, 2))
    for said, found, wanted in (
        ("the previous-token head by previous_token_score", previous[0, 0, 0], 1.0),
        ("the induction head by induction_score", induced[1, 0, 0], 1.0),
        ("the previous-token head by induction_score", induced[0, 0, 0], 0.0),
        ("an empty head by previous_token_score", previous[1, 0, 1], even[1:].mean()),
        ("an empty head by induction_score", induced[0, 0, 1], even[4:].mean()),
    ):
        near = abs(float(found) - float(wanted)) < 1e-4
        assert near, f"{said} scores {float(found):.3f}, and not {float(wanted):.3f}."


@pytest.mark.points(2)
@TRUTH
@pytest.mark.kept("what is needed and what is not, in words of its own")
@pytest.mark.rests_on("Without the previous-token head the induction head finds nothing")
def test_the_circuit_needs_both_heads(submission, reference, draw, device):
    """Without the previous-token head, and without the induction head, nothing is predicted in the
    second half; without an empty head everything is as before."""
    text = draw.permutation(4).repeat(2)[None]
    model = gpt(submission, by_hand(reference, device), HAND, bias=False)
    plain = usable(model, model(text)[0], (1, 8, 4))
    comes = text.roll(-1, 1)[0, 4:]
    for layer, head in ((0, 1), (1, 1), (0, 0), (1, 0)):
        named = f"head {layer}.{head}"
        logits = usable(submission, submission.ablate(model, text, layer, head), (1, 8, 4))
        if head:
            assert torch.allclose(logits, plain, atol=1e-3), f"without {named} something changes."
        else:
            said = logits[0, 4:].argmax(-1)
            known = bool((said == comes).any())
            assert not known, f"without {named} the model still knows what comes next."


# Whoever looks must not disturb -------------------------------------------------------------------


@pytest.mark.points(3)
@WHOLE
@pytest.mark.rests_on(
    "Every function reads the model in eval mode, and leaves it in the mode in which it came",
    "the next call of the model gives what it would have given before",
    "No parameter is changed, no hook stays behind",
)
def test_leaves_the_model_as_it_was(submission, reference, draw):
    """A model with dropout is read in eval mode, and is in its own mode afterwards; parameters,
    results and the work of a plain call are as before."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (B, T))
    model = gpt(submission, weights, dropout=0.5)

    def plain():
        return usable(model, model(idx)[0], (B, T, V))

    model.eval()
    before, parameters, hooks = plain(), model.parameters(), model.hooks()
    work = work_of(submission, lambda _: model(idx))
    right = the_functions(reference, gpt(reference, weights), idx)
    asked = the_functions(submission, model, idx)
    for (name, ask, shape), (_, wanted, _) in zip(asked, right, strict=True):
        model.train()
        first = parts_of(submission, ask(), shape)
        trains = not torch.equal(plain(), plain())
        assert trains, f"{name}: a model in train mode is in eval mode afterwards."
        model.eval()
        again = parts_of(submission, ask(), shape)
        are_right(name, again, wanted())
        same = all(torch.allclose(a, b, atol=1e-3) for a, b in zip(first, again, strict=True))
        assert same, f"{name} reads a model in train mode with its dropout: switch to eval mode."
        same = torch.equal(before, plain())
        assert same, f"{name}: the next call of the model is another one. Put back what you change."
        logits = model(idx)[0]
        learns = gradient_by_shape(submission, logits, torch.ones_like(before), (V, WIDTH))
        assert learns.any(), f"{name}: afterwards no weight of the model takes part in learning."
        now = work_of(submission, lambda _: model(idx))
        assert model.hooks() == hooks, f"{name}: a hook stays behind: call handle.remove()."
        assert now.steps <= work.steps, f"{name}: the next call of the model does more than before."
    for name, values in model.parameters().items():
        same = name in parameters and torch.equal(parameters[name], values)
        assert same, f"the parameter {name} was changed by looking at it."


@pytest.mark.points(1)
@WHOLE
@pytest.mark.rests_on("functions remember nothing between calls")
def test_reads_the_model_as_it_is(submission, reference, draw):
    """A model that has learned since it was looked at is read anew, for the same texts."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (B, T))
    model = gpt(submission, weights)
    asked = list(the_functions(submission, model, idx))
    before = [parts_of(submission, ask(), shape) for _, ask, shape in asked]
    learned = {name: values + 0.5 * draw.normal(*values.shape) for name, values in weights.items()}
    model.load(learned)
    right = the_functions(reference, gpt(reference, learned), idx)
    for (name, ask, shape), first, (_, wanted, _) in zip(asked, before, right, strict=True):
        parts = parts_of(submission, ask(), shape)
        stale = all(torch.equal(part, was) for part, was in zip(parts, first, strict=True))
        assert not stale, f"{name}: the model has learned since, and is told as it was before."
        are_right(name, parts, wanted())


@pytest.mark.points(1)
@WHOLE
@pytest.mark.rests_on("Results have no history for a backward pass")
def test_results_have_no_history(submission, reference, draw):
    """No graph is kept: no result leads back to a weight."""
    weights, idx = gpt_weights(draw), draw.integers(0, V, (B, T))
    right = the_functions(reference, gpt(reference, weights), idx)
    asked = the_functions(submission, gpt(submission, weights), idx)
    for (name, ask, shape), (_, wanted, _) in zip(asked, right, strict=True):
        parts = parts_of(submission, ask(), shape)
        are_right(name, parts, wanted())
        for part in parts:
            cotangent = torch.ones_like(part)
            for of in ((V, WIDTH), (WIDTH,)):  # head and tables, and the norms
                found = gradient_by_shape(submission, part, cotangent, of)
                said = "the result still leads back to the weights: compute it in `undisturbed`."
                assert not found.any(), f"{name}: {said}"


# What the checks share ----------------------------------------------------------------------------


def for_models(compare, draw, probe, more=((), (), ())):
    """Compare a probe of a model and texts: with biases and untied, tied without biases, and with
    all sizes equal; ``more`` is what the probe is given besides, in each of the three."""
    for (sizes, shape, bias, tied), last in zip(
        (
            (SIZES, (B, T), True, False),
            (SIZES, (1, LONGEST), False, True),
            (EVEN, (4, 4), True, True),
        ),
        more,
        strict=True,
    ):
        weights = gpt_weights(draw, sizes, bias=bias, tied=tied)
        idx = draw.integers(0, sizes[0], shape)

        def asked(impl):
            model = gpt(impl, weights, sizes, bias=bias, tie_weights=tied)
            return probe(impl, model, idx, *last)

        compare(asked)


def the_functions(impl, model, idx):
    """Each function that is given a model: its name, a call of it, and the shape of what comes."""
    stream = (LAYERS + 1, B, T)
    yield "residual_stream", lambda: impl.residual_stream(model, idx), (*stream, WIDTH)
    yield "attention_maps", lambda: impl.attention_maps(model, idx), (LAYERS, B, HEADS, T, T)
    yield "head_results", lambda: impl.head_results(model, idx, 1), (HEADS, B, T, WIDTH)
    yield "logit_lens", lambda: impl.logit_lens(model, idx), (*stream, V)
    shares = "direct_logit_attribution"
    yield shares, lambda: impl.direct_logit_attribution(model, idx, 1), (B, T)
    yield "ablate", lambda: impl.ablate(model, idx, 0, 1), (B, T, V)
    yield "patch", lambda: impl.patch(model, idx, idx.flip(0), 1, 2), (B, T, V)


def parts_of(impl, found, shape):
    """The tensors of an answer, which may be a dict of shares."""
    if isinstance(found, dict):
        assert len(found) > 3, "direct_logit_attribution does not return a share for each part."
        for part, share in found.items():
            fits = getattr(share, "shape", shape) == shape
            assert fits, f'the share "{part}" has the shape {tuple(share.shape)}, not {shape}.'
        return [usable(impl, found[part], shape, varied=False) for part in sorted(found, key=str)]
    return [usable(impl, found, shape)]


def are_right(name, parts, wanted):
    """Assert that an answer, in parts, is what is ``wanted``: or its history says nothing."""
    known = [wanted[key] for key in sorted(wanted)] if isinstance(wanted, dict) else [wanted]
    near = len(parts) == len(known) and all(
        torch.allclose(part, right.to(part), atol=1e-3)
        for part, right in zip(parts, known, strict=True)
    )
    assert near, f"{name} returns other values."


def by_hand(reference, device):
    """The parameters of the hand-made model."""
    found = reference.hand_made_model().parameters()
    return {name: values.float().to(device) for name, values in found.items()}


def gpt(impl, weights, sizes=SIZES, **options):
    options.setdefault("tie_weights", "head.weight" not in weights)
    model = impl.GPT(*sizes, **options)
    model.load(weights)
    return model


def gpt_weights(draw, sizes=SIZES, bias=True, tied=False):
    """The parameters of a model in which every part decides a lot."""
    vocab, longest, layers, _, width = sizes
    weights = {
        "token_embedding.weight": draw.normal(vocab, width),
        "position_embedding.weight": draw.normal(longest, width),
    }
    if not tied:
        weights["head.weight"] = draw.normal(vocab, width)
    norms = ["norm"]
    for number in range(layers):
        block = f"blocks.{number}"
        norms += [f"{block}.residual1.norm", f"{block}.residual2.norm"]
        shapes = {f"attention.w_{name}": (width, width) for name in "qkvo"}
        shapes |= {"feed_forward.w_1": (4 * width, width), "feed_forward.w_2": (width, 4 * width)}
        for name, shape in shapes.items():
            weights[f"{block}.{name}.weight"] = draw.normal(*shape, scale=shape[1] ** -0.5)
            if bias:
                weights[f"{block}.{name}.bias"] = draw.normal(shape[0], scale=0.5)
    for norm in norms:
        weights[f"{norm}.weight"] = draw.normal(width, offset=1.0, scale=0.4)
        if bias:
            weights[f"{norm}.bias"] = draw.normal(width, scale=0.4)
    return weights
