"""Hidden checks of ``training``.

What is drawn is judged by chi-squared tests: one refuses a right program once in a million times.
Checks that train do so for 60 steps at most, on models of a few hundred numbers.

No GPT is trained here. Trained by ``fit``, which has one learning rate and no warm-up, one of 944
numbers writes aabaab... without a mistake for two to eight seeds of ten, in 0.4 s to 1 s: a right
program would lose points by its seed. It would also be made of the student's own attention, of
which this exercise is to know nothing. ``grader train aab``, with a schedule, is the place for it.
What is to learn to copy is a model whose attention knows places alone: 400 seeds of 400 did.
"""

from __future__ import annotations

import math

import pytest
import torch

from grader.check import SeededGenerator, UnderTest, refuses, torch_module, usable

V = 7
DRAWS = 20_000
MISSED = 1e-6  # how often a test refuses what is right

# Weights are so large, and learning rates too, that a gradient that is weighted, clipped or kept in
# another way moves logits by tenths.


def tables(draw, size=V, scale=1.5):
    """Weights of a TinyModel."""
    return {
        "now.weight": draw.normal(size, size, scale=scale),
        "before.weight": draw.normal(size, size, scale=scale),
    }


def tiny(impl, weights, dropout=0.0):
    """A TinyModel with these weights."""
    model = impl.TinyModel(len(weights["now.weight"]), dropout)
    model.load(weights)
    return model


def pair(draw, batch, tokens, ignored=0, size=V):
    """Inputs and targets, of which as many as ``ignored`` are -100."""
    idx = draw.integers(0, size, (batch, tokens))
    targets = draw.integers(0, size, (batch, tokens))
    places = draw.permutation(batch * tokens)[:ignored]
    return idx, targets.flatten().index_fill(0, places, -100).view(batch, tokens)


def uneven(draw):
    """Three batches of other shapes each, with 9, 2 and 6 targets that count; one is token 0."""
    batches = [pair(draw, 2, 5, ignored=1), pair(draw, 3, 4, ignored=10), pair(draw, 1, 6)]
    batches[2][1][0, 0] = 0
    return batches


def every_pair(device):
    """A text in which every token stands before every other, for what a model has learned."""
    first = torch.arange(V, device=device).repeat_interleave(V)
    return torch.stack([first, torch.arange(V, device=device).repeat(V)], dim=1)


def sloped(draw):
    """A layer with a matrix and a vector, to stand in the place of the dropout of a TinyModel."""
    weights = {"weight": draw.normal(V, V), "bias": draw.normal(V, scale=3.0)}
    return torch_module("Linear", V, V, weights=weights)


def zeros(device, size):
    """Weights of a model that knows nothing."""
    return {
        name: torch.zeros(size, size, device=device) for name in ("now.weight", "before.weight")
    }


def is_from(counts, wanted, freedom):
    """Whether counts may have come where so many are wanted on average: a chi-squared test."""
    distance = ((counts - wanted) ** 2 / wanted).sum() / 2
    return bool(torch.special.gammaincc(distance.new_tensor(freedom / 2), distance) > MISSED)


def are_independent(one, other):
    """Whether one number from 0 to 3 says nothing about the other that comes with it."""
    counts = (one * 4 + other).bincount(minlength=16).view(4, 4).double()
    counts = counts[counts.any(1)][:, counts.any(0)]
    wanted = counts.sum(1, keepdim=True) * counts.sum(0) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return freedom == 0 or is_from(counts, wanted, freedom)


def drawn(impl, data, batch, tokens, generator):
    """Inputs and targets of a batch, each an int64 tensor of (batch, tokens)."""
    answer = impl.next_token_batch(data, batch, tokens, generator)
    assert isinstance(answer, (tuple, list)) and len(answer) == 2, (
        "next_token_batch returns a pair, (inputs, targets)."
    )
    shape = (batch, tokens)
    return [usable(impl, part, shape, torch.int64, varied=False) for part in answer]


def forced(impl, rows, pad_id):
    """Inputs and targets of whole rows: as many as there are, however long."""
    answer = impl.teacher_forcing(rows, pad_id)
    assert isinstance(answer, (tuple, list)) and len(answer) == 2, (
        "teacher_forcing returns a pair, (inputs, targets)."
    )
    for name, part in zip(("inputs", "targets"), answer, strict=True):
        assert isinstance(part, torch.Tensor), f"teacher_forcing returns {name} that are no tensor."
        assert part.ndim == 2 and len(part) == len(rows), (
            f"teacher_forcing is given {len(rows)} rows, and returns other {name} than theirs."
        )
    return answer


def number(name, value):
    """``value`` itself, a float that is finite."""
    is_float = isinstance(value, float)
    assert is_float, f"{name} returns a Python float, as .item() gives it, no tensor."
    assert math.isfinite(value), f"{name} returns {value}."
    return value


def losses_of(impl, model, data, steps, generator, **how):
    """What fit returns: as many floats as there are steps."""
    found = impl.fit(model, data, steps, generator=generator, **how)
    assert isinstance(found, list), "fit returns a list with the loss of every step."
    assert len(found) == steps, f"fit returns {len(found)} losses after {steps} steps."
    return [number("in each step fit", loss) for loss in found]


def losses_of_pieces(impl, model, data, tokens):
    """The loss of the model on every piece of the stream that has targets."""
    pieces = data.unfold(0, tokens, 1)
    idx, targets = pieces[:-1], pieces[1:]
    logits = usable(impl, model(idx)[0], (*idx.shape, V))
    each = torch.nn.functional.cross_entropy(logits.mT, targets, reduction="none")
    return each.mean(1).double()


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on(">>> next_token_batch(torch.tensor([1, 4, 1, 5]), 2, 3, torch.Generator())")
def test_example(compare, draw, device):
    """In 1 4 1 5 there is one piece of three tokens, 1 4 1, and its targets are 4 1 5."""
    data, generator = torch.tensor([1, 4, 1, 5], device=device), draw.generator()
    compare.next_token_batch(data, 2, 3, generator)


# Batches ------------------------------------------------------------------------------------------


@pytest.mark.core("next_token_batch")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of a target, in words for each way to miss it")
@pytest.mark.rests_on(
    "targets[b, t] is the token that stands one place after inputs[b, t] in the stream",
)
def test_targets_are_one_further(submission, draw):
    """Inputs are pieces of the stream, and the target of a token is the one right after it."""
    data = draw.permutation(97)  # every token once, so that each tells where it stood
    inputs, targets = drawn(submission, data, 40, 6, draw.generator())
    for name, tokens in (("inputs", inputs), ("targets", targets)):
        known = (tokens >= 0).all() and (tokens < 97).all()
        assert known, f"the {name} are no tokens of the stream."
    places = data.argsort()
    begins, ahead = places[inputs], places[targets] - places[inputs]
    assert (begins.diff(dim=1) == 1).all(), "the inputs are no pieces of the stream, in its order."
    assert not torch.equal(inputs, targets), (
        "the targets equal the inputs: to copy them is all there is to learn."
    )
    others = ahead[ahead != 1]
    assert not len(others), (
        f"{len(others)} of {ahead.numel()} targets do not stand 1 place after their inputs: the "
        f"first of these stands {_how_far(int(others[0]))}."
    )


def _how_far(ahead):
    """Of a target from its input, in words."""
    places = f"{abs(ahead)} place{'s' * (abs(ahead) != 1)}"
    return f"{places} {'after' if ahead > 0 else 'before'} it" if ahead else "at the same place"


@pytest.mark.core("next_token_batch")
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "may begin at any of the N - T places 0, 1, ..., N - T - 1, each with the same probability",
)
def test_pieces_begin_anywhere(submission, draw, device):
    """Of 20,000 pieces as many begin at each of the N - T places, the first and the last too."""
    tokens, places = 4, 9
    data = torch.arange(tokens + places, device=device)
    inputs, _ = drawn(submission, data, DRAWS, tokens, draw.generator())
    starts = inputs[:, 0].cpu()
    assert starts.min() >= 0, "a piece does not begin in the stream."
    assert starts.max() < places, "a piece begins so late that its last target is not there."
    assert (starts != starts[0]).any(), "all pieces of a batch begin at the same place."
    counts = starts.bincount(minlength=places).double()
    never = [place for place in range(places) if counts[place] == 0]
    assert not never, f"of {places} places pieces never begin at {never}."
    fair = is_from(counts, torch.full((places,), DRAWS / places, device="cpu"), places - 1)
    assert fair, "pieces begin at some places more often than at others."


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "piece is drawn independently of the others",
    "two generators with the same seed give the same pieces, other seeds and later calls give",
)
def test_the_generator_decides(submission, draw, device):
    """Pieces are drawn one by one, from the generator: same seed, same pieces; the next call and
    another seed give others."""
    data = torch.arange(7, device=device)  # four places to begin at
    one = draw.generator()
    again, other = SeededGenerator(one.seed), SeededGenerator(one.seed + 1)
    first, second, repeated, differs = (
        drawn(submission, data, DRAWS, 3, generator)[0][:, 0].cpu()
        for generator in (one, one, again, other)
    )
    assert (first != first[0]).any(), "all pieces of a batch begin at the same place."
    steps = first.view(-1, 2).diff() % 4
    assert (steps != steps[0]).any(), "where a piece begins follows from the one before."
    assert are_independent(*first.view(-1, 2).T), "where a piece begins depends on the one before."
    assert torch.equal(first, repeated), "two generators with the same seed give different pieces."
    assert not torch.equal(first, second), "the next call repeats the pieces."
    assert not torch.equal(first, differs), "another seed gives the same pieces."
    assert are_independent(first, second), "where a piece begins depends on the call before."


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "so the same one may come twice",
    "Inputs may be views of other tensors",
    "the stream has T tokens or fewer, so there is no piece with its targets",
)
def test_the_shortest_streams(compare, submission, draw):
    """T + 1 tokens hold one piece, which may be asked for often; fewer are refused."""
    for shape, size in (((3, 5), 6), ((4, 1), 2), ((1, 4), 5)):
        data, generator = draw.integers(0, V, (size,)), draw.generator()
        compare.next_token_batch(data, *shape, generator)
    column = draw.integers(0, V, (6, 3))[:, 1]  # a view: its tokens lie three places apart
    compare.next_token_batch(column, 2, 5, draw.generator())
    generator = draw.generator()
    data = draw.integers(0, V, (5,))
    refuses(
        lambda: submission.next_token_batch(data, 2, 5, generator),
        "a stream of 5 tokens for pieces of 5",
        lambda: submission.next_token_batch(data, 2, 6, generator),
        "a stream of 5 tokens for pieces of 6",
    )


@pytest.mark.core("teacher_forcing")
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "The inputs are all tokens but the last, the targets all but the first",
    "where pad_id would be the target, the target is -100",
    "The inputs keep it",
)
def test_teacher_forcing(compare, draw):
    """Inputs without the last token, targets without the first, and -100 for padding in the targets
    alone; pad_id may be any number."""
    for pad_id in (3, 0, 6):
        tgt = draw.integers(0, V, (5, 6))
        tgt[:, 0], tgt[0, 3:], tgt[1, 5:], tgt[2, 1:] = (pad_id + 1) % V, pad_id, pad_id, pad_id
        tgt[3] = pad_id  # a row that is not needed
        compare.teacher_forcing(tgt, pad_id)
    compare.teacher_forcing(draw.integers(1, V, (5, 5)), 0)
    compare.teacher_forcing(draw.integers(1, V, (1, 2)), pad_id=0)


# One step -----------------------------------------------------------------------------------------


@pytest.mark.core("train_step: one batch")
@pytest.mark.points(3)
@pytest.mark.kept("the step itself")
@pytest.mark.rests_on("returns their loss before the step")
def test_one_step(compare, draw, device):
    """The loss before the step is returned, and every parameter moves against its gradient."""
    weights, text = tables(draw), every_pair(device)
    batch = [pair(draw, 3, 5)]

    def run(impl):
        model = tiny(impl, weights)
        optimizer = impl.GradientDescent(model, 2.0)
        return impl.train_step(model, batch, optimizer), model(text)[0]

    compare(run)


@pytest.mark.points(2)
@pytest.mark.kept("fit shows it too, but is written later and has other words for it")
@pytest.mark.rests_on("Gradients of earlier calls do not count")
def test_every_step_begins_anew(compare, draw, device):
    """A second and a third step do not see the gradients of those before, nor do the losses."""
    weights, text = tables(draw), every_pair(device)
    batches = [[pair(draw, 3, 4)], [pair(draw, 2, 5)], [pair(draw, 4, 2)]]

    def run(impl):
        model = tiny(impl, weights)
        optimizer = impl.GradientDescent(model, 2.0)
        losses = [impl.train_step(model, batch, optimizer) for batch in batches]
        return losses, model(text)[0]

    compare(run)

    def with_two_optimizers(impl):
        """The first one moves one table, and clears no other."""
        model = tiny(impl, weights)
        of_one = impl.GradientDescent(model.get_submodule("now"), 2.0)
        of_both = impl.GradientDescent(model, 2.0)
        first = impl.train_step(model, batches[0], of_one)
        return first, impl.train_step(model, batches[1], of_both), model(text)[0]

    compare(with_two_optimizers)


@pytest.mark.core("train_step: several batches")
@pytest.mark.points(4)
@pytest.mark.kept("how batches are joined; the checks of clipping see it through max_norm")
@pytest.mark.rests_on(
    "They need not have the same shape",
    "the mean over all targets that are not -100, in whichever batch they stand",
)
def test_batches_count_as_one(compare, draw, device):
    """Several batches give the loss and the gradient of one large one, though they have 9, 2 and 6
    targets that count: the mean of their means is another number."""
    weights, text = tables(draw), every_pair(device)
    batches = uneven(draw)

    def run(impl):
        model = tiny(impl, weights)
        optimizer = impl.GradientDescent(model, 3.0)
        return impl.train_step(model, batches, optimizer), model(text)[0]

    compare(run)


@pytest.mark.rests_on("If no target counts, the loss and all gradients are 0")
def test_no_target_counts(compare, draw, device):
    """Where all targets are -100 the loss is 0 and nothing moves, in train_step and in evaluate;
    one such batch among others changes nothing. A single target is divided by 1."""
    weights, text = tables(draw), every_pair(device)
    nothing, something = pair(draw, 2, 3, ignored=6), pair(draw, 3, 2, ignored=1)
    a_single_one = pair(draw, 2, 4, ignored=7)
    for batches in ([nothing], [nothing, something, nothing], [a_single_one]):

        def run(impl, batches=batches):
            model = tiny(impl, weights)
            loss = impl.evaluate(model, batches)
            optimizer = impl.GradientDescent(model, 2.0)
            return loss, impl.train_step(model, batches, optimizer), model(text)[0]

        compare(run)


@pytest.mark.core("train_step: max_norm")
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "the gradient of all batches is clipped",
    "of all parameters together",
    "If the norm is larger than max_norm, all gradients are multiplied by max_norm / norm",
)
def test_clips_the_whole_gradient(compare, draw, device):
    """A gradient longer than max_norm is made as long as that: all parameters by one factor, once,
    after all batches."""
    weights, text = tables(draw), every_pair(device)
    batches = [pair(draw, 2, 5, ignored=1), pair(draw, 3, 4, ignored=3)]  # 9 targets each
    for max_norm in (0.05, 0.002):

        def run(impl, max_norm=max_norm):
            model = tiny(impl, weights)
            optimizer = impl.GradientDescent(model, 3.0 / max_norm)
            return impl.train_step(model, batches, optimizer, max_norm), model(text)[0]

        compare(run)


@pytest.mark.points(2)
@pytest.mark.rests_on("and else by nothing")
def test_clips_nothing_that_is_short(compare, draw, device):
    """A gradient shorter than max_norm stays as it is: it is not made longer."""
    weights, text = tables(draw), every_pair(device)
    batches = [pair(draw, 3, 5)]

    def run(impl):
        model = tiny(impl, weights)
        optimizer = impl.GradientDescent(model, 3.0)
        return impl.train_step(model, batches, optimizer, max_norm=50.0), model(text)[0]

    compare(run)


@pytest.mark.points(2)
@pytest.mark.asked_once("the layer that is handed in is trained, and keeps what it has learned")
@pytest.mark.rests_on(
    "the root of the sum of the squares of all its numbers, of all parameters together",
    "If the norm is larger than max_norm, all gradients are multiplied by max_norm / norm",
)
def test_clips_at_the_edges(compare, draw, device):
    """A max_norm of 0 lets nothing move, a gradient of zeros can be clipped, a table that stands in
    the model twice has one gradient, and a vector counts as a matrix does."""
    weights, text = tables(draw), every_pair(device)
    batch, nothing = pair(draw, 3, 5), pair(draw, 2, 3, ignored=6)
    for one, max_norm in ((batch, 0.0), (nothing, 0.5)):

        def without_a_move(impl, one=one, max_norm=max_norm):
            model = tiny(impl, weights)
            optimizer = impl.GradientDescent(model, 20.0)
            return impl.train_step(model, [one], optimizer, max_norm=max_norm), model(text)[0]

        compare(without_a_move)

    def with_one_table(impl):
        model = tiny(impl, weights)
        model.add_module("before", model.get_submodule("now"))
        optimizer = impl.GradientDescent(model, 60.0)
        return impl.train_step(model, [batch], optimizer, max_norm=0.05), model(text)[0]

    compare(with_one_table)
    layer = sloped(draw)

    def with_a_vector(impl):
        model = tiny(impl, weights)
        model.add_module("dropout", layer)
        optimizer = impl.GradientDescent(model, 60.0)
        return impl.train_step(model, [batch], optimizer, max_norm=0.05), model(text)[0]

    compare(with_a_vector)


@pytest.mark.points(2)
@pytest.mark.rests_on("A parameter may have no gradient (None)", "it stays as it is")
def test_frozen_parameters(compare, draw, device):
    """A frozen table has no gradient: it stays as it is, and clipping does without it."""
    weights, text = tables(draw), every_pair(device)
    batches = [pair(draw, 5, 3)]

    def run(impl):
        model = tiny(impl, weights)
        frozen = model.get_submodule("before")
        frozen.requires_grad_(False)
        optimizer = impl.GradientDescent(model, 40.0)
        loss = impl.train_step(model, batches, optimizer, max_norm=0.05)
        frozen.requires_grad_(True)
        return loss, model(text)[0]

    compare(run)


@pytest.mark.points(2)
@pytest.mark.rests_on("because it is frozen or had no part in the loss: it stays as it is")
def test_what_has_no_gradient_stays(compare, draw, device):
    """AdamW makes smaller whatever has a gradient, if only one of zeros: a frozen table has none,
    nor has a part of the model that has no share in the loss."""
    weights, others, text = tables(draw), tables(draw), every_pair(device)
    data, generator = draw.integers(0, V, (9,)), draw.generator()
    how = {"batch": 2, "tokens": 8, "lr": 0.3, "generator": generator}

    def run(impl):
        model, aside = tiny(impl, weights), tiny(impl, others)
        model.add_module("aside", aside)
        frozen = model.get_submodule("before")
        frozen.requires_grad_(False)
        losses = impl.fit(model, data, 4, **how)
        frozen.requires_grad_(True)
        return losses, model(text)[0], aside(text)[0]

    compare(run)


@pytest.mark.points(2)
@pytest.mark.rests_on("The mode of the model, train or eval, stays as it is too")
def test_a_step_leaves_the_mode_alone(submission, reference, draw):
    """In eval mode nothing is dropped in a step, and the model is in eval mode afterwards; in train
    mode dropout acts."""
    weights, batch = tables(draw), [pair(draw, 8, 6)]
    plain = reference.evaluate(tiny(reference, weights), batch)
    model = tiny(submission, weights, dropout=0.5)
    still = submission.GradientDescent(model, 0.0)
    model.eval()
    first, second = (
        number("train_step", submission.train_step(model, batch, still)) for _ in range(2)
    )
    assert abs(first - plain) < 1e-4 * plain, "a model in eval mode is trained in train mode."
    assert abs(second - plain) < 1e-4 * plain, "after a step a model is no longer in eval mode."
    model.train()
    first, second, third = (
        number("train_step", submission.train_step(model, batch, still)) for _ in range(3)
    )
    acts = abs(first - plain) > 1e-5 * plain and first != second
    assert acts, "a model in train mode is trained in eval mode: no dropout acts."
    assert second != third, "after a step a model is no longer in train mode."


# The loss without a step --------------------------------------------------------------------------


@pytest.mark.core("evaluate")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of evaluate, on batches of other sizes each")
@pytest.mark.rests_on(
    "every target counts the same, whichever batch it stands in",
    "The model is in eval mode meanwhile, so nothing is dropped",
)
def test_evaluate(compare, draw):
    """The mean over all targets of all batches, with nothing dropped."""
    weights, batches = tables(draw), uneven(draw)
    compare(lambda impl: impl.evaluate(tiny(impl, weights, dropout=0.5), batches))
    compare(lambda impl: impl.evaluate(tiny(impl, weights), batches[1:]))


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "The model is called without keeping a graph",
    "and no parameter changes",
)
def test_evaluate_only_looks(compare, submission, draw, device):
    """No call of the model keeps a graph, no parameter changes, and a step afterwards is as
    before."""
    weights, text = tables(draw), every_pair(device)
    batches = uneven(draw)

    def run(impl):
        model = tiny(impl, weights)
        losses = [impl.evaluate(model, batches), impl.evaluate(model, batches)]
        optimizer = impl.GradientDescent(model, 2.0)
        return (
            losses,
            model(text)[0],
            impl.train_step(model, batches[:1], optimizer),
            model(text)[0],
        )

    compare(run)

    def with_a_frozen_table(impl):
        model = tiny(impl, weights)
        frozen = model.get_submodule("before")
        frozen.requires_grad_(False)
        impl.evaluate(model, batches)
        optimizer = impl.GradientDescent(model, 2.0)
        loss = impl.train_step(model, batches[:1], optimizer)
        frozen.requires_grad_(True)
        return loss, model(text)[0]

    compare(with_a_frozen_table)
    model = tiny(submission, weights)
    loss = number("evaluate", submission.evaluate(model, batches))
    assert loss > 0, f"the loss of a model that knows nothing is {loss}."
    kept = model.count_graphs()
    none = isinstance(kept, int) and kept == 0
    assert none, "evaluate lets the model keep a graph for a gradient that nobody asks for."


@pytest.mark.points(2)
@pytest.mark.rests_on("``batches`` may be large, and is gone through once")
def test_evaluate_goes_through_once(submission, reference, draw):
    """Batches may come one by one, from something that can be gone through only once and has no
    length, as a generator."""
    weights, batches = tables(draw), uneven(draw)
    for some in (batches, batches[1:2]):
        given = iter(some)
        once = UnderTest(lambda given=given: next(given, None))
        model = tiny(submission, weights)
        loss = number("evaluate", submission.evaluate(model, once))
        plain = reference.evaluate(tiny(reference, weights), some)
        assert abs(loss - plain) <= 1e-4 * plain, (
            f"{len(some)} batches that can be gone through once have the loss {plain:.4f}, and "
            f"not {loss:.4f}."
        )


@pytest.mark.points(3)
@pytest.mark.rests_on("every part of it (model.modules()) is in the mode in which it came")
def test_evaluate_restores_every_mode(compare, submission, reference, draw, device):
    """Afterwards the model is in the mode in which it came, and so is each of its parts: dropout
    that was switched off stays off while the model is in train mode."""
    weights, batches = tables(draw), [pair(draw, 3, 4)]
    ones = torch.ones(400, device=device)
    plain = reference.evaluate(tiny(reference, weights), batches)
    for whole, part in ((True, True), (False, False), (True, False), (False, True)):
        model = tiny(submission, weights, dropout=0.5)
        model.train(whole)
        dropout = model.get_submodule("dropout")
        dropout.train(part)
        loss = number("evaluate", submission.evaluate(model, batches))
        near = abs(loss - plain) < 1e-4 * plain
        assert near, f"the loss without dropout is {plain:.4f}, and not {loss:.4f}."
        acts = bool((usable(submission, dropout(ones), (400,), varied=False) == 0).any())
        came, left = ("train" if mode else "eval" for mode in (part, acts))
        who = "a model" if whole == part else "a part of the model"
        assert acts == part, f"{who} that came in {came} mode is in {left} mode after evaluate."
    jitter = torch_module("RReLU")  # random in train mode, and no dropout

    def without_chance(impl):
        model = tiny(impl, weights)
        model.add_module("dropout", jitter)
        return impl.evaluate(model, batches)

    compare(without_chance)
    for part in (True, False):
        model, inner, twin = (tiny(submission, weights, dropout=0.5) for _ in range(3))
        model.add_module("inner", inner)
        inner.add_module("twin", twin)
        twin.add_module("dropout", model.get_submodule("dropout"))  # one part in two places
        model.train(part)
        parts = {
            "a part of a part": (inner.get_submodule("dropout"), not part),
            "a part that stands in the model twice": (twin.get_submodule("dropout"), not part),
            "the model": (model, part),
        }
        for one, mode in list(parts.values())[:2]:
            one.train(mode)
        number("evaluate", submission.evaluate(model, batches))
        for who, (one, mode) in list(parts.items())[:2]:
            acts = bool((usable(submission, one(ones), (400,), varied=False) == 0).any())
            came, left = ("train" if mode else "eval" for mode in (mode, acts))
            assert acts == mode, f"{who} that came in {came} mode is in {left} mode after evaluate."


# Training -----------------------------------------------------------------------------------------


@pytest.mark.core("fit")
@pytest.mark.points(3)
@pytest.mark.kept("the loop itself")
@pytest.mark.rests_on(
    "returns the loss of every step, before that step",
    "All steps have one optimizer, which remembers what it needs from step to step",
    "AdamW with the learning rate lr, and all else as torch.optim.AdamW has it",
)
def test_fit_is_step_after_step(compare, draw, device):
    """Where the stream holds one piece only, fit makes step after step on it, with one AdamW."""
    weights, text = tables(draw), every_pair(device)
    data, generator = draw.integers(0, V, (9,)), draw.generator()

    def run(impl):
        model = tiny(impl, weights)
        how = {"batch": 2, "tokens": 8, "lr": 0.3, "generator": generator}
        return impl.fit(model, data, 5, **how), model(text)[0]

    compare(run)


@pytest.mark.points(2)
@pytest.mark.asked_once("the layer that is handed in is trained, and keeps what it has learned")
@pytest.mark.rests_on(
    "and makes a ``train_step`` with it, without clipping",
    "AdamW with the learning rate lr, and all else as torch.optim.AdamW has it",
)
def test_fit_from_very_wrong_to_right(compare, draw, device):
    """A model that is sure of the wrong token learns the right one: no gradient is too long for a
    step, and no loss so small that steps are left out."""
    weights, generator = tables(draw, scale=0.5), draw.generator()
    token = draw.integers(0, V, ())
    data, text = token.expand(6).clone(), every_pair(device)
    for table in weights.values():
        table[:, (token + 1) % V] += 4.0
    how = {"batch": 2, "tokens": 5, "lr": 1.0, "generator": generator}

    def run(impl):
        model = tiny(impl, weights)
        return impl.fit(model, data, 8, **how), model(text)[0]

    compare(run)
    layer = sloped(draw)

    def with_a_vector(impl):
        model = tiny(impl, weights)
        model.add_module("dropout", layer)
        return impl.fit(model, data, 4, **how), model(text)[0]

    compare(with_a_vector)


@pytest.mark.points(3)
@pytest.mark.rests_on("draws one batch, next_token_batch(data, batch, tokens, generator)")
def test_fit_draws_a_batch_for_every_step(submission, draw, device):
    """Every step has a batch of its own: as many pieces as asked for, from the generator."""
    weights, data = tables(draw), draw.integers(0, V, (46,))
    one, how = draw.generator(), {"batch": 2, "tokens": 6, "lr": 0.0}
    inputs, targets = drawn(submission, data, 20, 6, draw.generator())
    pieces = torch.cat([inputs, targets], dim=1)
    known = torch.cat([data.unfold(0, 6, 1)[:-1], data.unfold(0, 6, 1)[1:]], dim=1)
    of_stream = (pieces[:, None] == known).all(-1).any(-1).all()
    assert of_stream, "next_token_batch gives other pieces than those of the stream."
    assert (inputs != inputs[0]).any(), "next_token_batch gives one piece again and again."
    model = tiny(submission, weights)
    first, again, differs = (
        losses_of(submission, model, data, 6, generator, **how)
        for generator in (one, SeededGenerator(one.seed), SeededGenerator(one.seed + 1))
    )
    assert len(set(first)) > 1, (
        "with lr = 0, so that nothing is learned, every step of fit has the same loss: is it the "
        "same batch?"
    )
    assert first == again, "fit with a generator of the same seed gives other losses."
    assert first != differs, "fit with a generator of another seed gives the same losses."
    alone = losses_of_pieces(submission, model, data, 6)
    of_two = (alone[:, None] + alone) / 2
    for step, loss in enumerate(first, start=1):
        assert ((of_two - loss).abs() < 1e-5 * of_two).any(), (
            f"with lr = 0 the loss of step {step} is {loss:.4f}, which no two pieces of the stream "
            "have with their targets."
        )
    single = [bool(((alone - loss).abs() < 1e-5 * alone).any()) for loss in first]
    assert not all(single), "a batch of two pieces holds the same piece twice in every step."
    anew = SeededGenerator(one.seed)
    halves = [losses_of(submission, model, data, 3, anew, **how) for _ in range(2)]
    assert halves[0] == first[:3], "fit for 3 steps has other losses than the first 3 of 6 steps."
    assert halves[1] == first[3:], (
        "whoever goes on with the generator after 3 steps has other batches than in the steps 4 to "
        "6 of one training: each step draws one batch, and nothing else is drawn."
    )
    few, how = data[:10], {"batch": 1, "tokens": 6, "lr": 0.0}
    each = losses_of_pieces(submission, model, few, 6)  # of its four pieces
    # One of them is missed by a right program once in ten million times.
    shown = each.new_tensor(losses_of(submission, model, few, 60, draw.generator(), **how))
    never = [at for at, one in enumerate(each) if ((shown - one).abs() > 1e-5 * one).all()]
    assert not never, f"of four places fit never shows the pieces at {never}, in 60 steps."


@pytest.mark.points(2)
@pytest.mark.rests_on("The model is put into train mode, and stays in it")
def test_fit_trains_in_train_mode(submission, draw):
    """Dropout acts in every step, though the model came in eval mode, and the model stays in train
    mode."""
    weights, data = tables(draw), draw.integers(0, V, (31,))  # a single piece of 30 tokens
    model = tiny(submission, weights, dropout=0.5)
    model.eval()
    how = {"batch": 2, "tokens": 30, "lr": 0.0}
    losses = losses_of(submission, model, data, 4, draw.generator(), **how)
    assert len(set(losses)) == 4, "no dropout acts while fit trains: is the model in eval mode?"
    logits = usable(submission, model(data[None])[0], (1, 31, V))
    assert (logits == 0).any(), "after fit the model is not in train mode."


@pytest.mark.points(2)
@pytest.mark.kept("the test that the page recommends, of all parts together")
@pytest.mark.rests_on("Nothing in them tells the next one, so the loss must stay near log(V)")
def test_noise_cannot_be_learned(submission, draw, device):
    """On random tokens the loss stays near log(V): nothing in them tells the next one."""
    size, steps = 11, 60
    data = draw.integers(0, size, (20_000,))
    model = tiny(submission, zeros(device, size))
    how = {"batch": 16, "tokens": 12, "lr": 0.05}
    losses = losses_of(submission, model, data, steps, draw.generator(), **how)
    # Of 200 right programs the mean was never below log(11) + 0.008.
    mean = sum(losses[30:]) / 30
    assert mean > math.log(size) - 0.05, (
        f"on random tokens the loss falls to {mean:.2f}, below log({size}) = {math.log(size):.2f}."
    )
    assert mean < math.log(size) + 0.5, (
        f"on random tokens the loss is {mean:.2f}, far above log({size}) = {math.log(size):.2f}."
    )


@pytest.mark.points(2)
@pytest.mark.kept("the test that the page recommends, of all parts together")
@pytest.mark.rests_on("compare what it wrote with the rule, token by token")
def test_learns_aab(submission, draw, device):
    """After 60 steps on aabaab... the model continues that text without a mistake."""
    data = torch.tensor([0, 0, 1] * 30, device=device)
    model = tiny(submission, zeros(device, 2))
    how = {"batch": 8, "tokens": 9, "lr": 0.2}
    first, *_ = losses_of(submission, model, data, 60, draw.generator(), **how)
    assert abs(first - math.log(2)) < 1e-4, (
        f"in the first step the model knows nothing: its loss is log(2) = 0.6931, not {first:.4f}."
    )
    for begins in ([0, 0], [0, 1], [1, 0]):
        text = torch.tensor([begins], device=device)
        while text.shape[1] < 14:
            shape = (*text.shape, 2)
            logits = usable(submission, model(text)[0], shape)
            text = torch.cat([text, logits[:, -1:].argmax(-1)], dim=1)
        wrote = "".join("ab"[token] for token in text[0].tolist())
        rule = ("aab" * 9)[(begin := "aabaab".index(wrote[:2])) : begin + 14]
        assert wrote == rule, f"trained on aabaab..., the model continues {wrote[:2]} as {wrote}."


@pytest.mark.points(2)
@pytest.mark.kept("the test that the page recommends, of sentences and of many steps")
@pytest.mark.rests_on("the loss stays above 1; and the model copies without a mistake")
def test_learns_to_copy(submission, draw, device):
    """After 60 steps on rows that say random tokens twice, the model says the second half of new
    rows without a mistake; whatever the loss is."""
    half, size, mark = 4, 6, 0
    model = submission.CopyModel(size, 2 * half)
    places, table = draw.normal(2 * half, 2 * half, scale=0.1), draw.normal(size, size, scale=0.1)
    model.load({"places": places, "table.weight": table})
    optimizer = submission.GradientDescent(model, 5.0)

    def rows(count):
        said = draw.integers(1, size, (count, half))
        return torch.cat([said, torch.full((count, 1), mark, device=device), said], dim=1)

    for count in range(40, 100):  # rows of an earlier step would teach the same rule
        inputs, targets = forced(submission, rows(count), size)  # no row is filled up
        number("train_step", submission.train_step(model, [(inputs, targets)], optimizer))
    # Of 400 right programs the least sure one preferred the right token by 1.8 in its logits.
    wanted = rows(64)
    text = wanted[:, : half + 1]
    while text.shape[1] < wanted.shape[1]:
        logits = usable(submission, model(text)[0], (*text.shape, size))
        text = torch.cat([text, logits[:, -1:].argmax(-1)], dim=1)
    wrong = (text != wanted).any(1)
    if wrong.any():
        one = wrong.int().argmax()
        asked, wrote = (" ".join(map(str, row[one, half + 1 :].tolist())) for row in (wanted, text))
        raise AssertionError(f"trained to copy, the model says {wrote} after {asked} and the mark.")
