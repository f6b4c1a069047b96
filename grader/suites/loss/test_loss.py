"""Hidden checks of ``loss``."""

from __future__ import annotations

import pytest
import torch

from grader.check import finding, pairs, usable, work_of

V = 7  # tokens of the vocabulary


def batch(draw, *shape, vocabulary=V, scale=2.0):
    """Logits of a ``shape`` of positions, and a target for each."""
    logits = draw.normal(*shape, vocabulary, scale=scale)
    return logits, draw.integers(0, vocabulary, shape)


def left_out(targets, mark=-100):
    """The same targets, of which some do not count: one in row 0, and three in row 1."""
    targets = targets.clone()
    targets[0, 1] = targets[1, 0] = targets[1, 2] = targets[1, 3] = mark
    return targets


def look_at_far_targets(impl, device, earned=0.0):
    """Asserts that a loss grows with the distance of its target, however improbable that is. Of
    what is wrong there, only a loss that stops growing has words here: comparisons tell the rest.
    """
    losses = []
    for distance in (40.0, 60.0):  # float32 knows both probabilities, 4e-18 and 9e-27
        z = torch.tensor([[distance, 0.0, 0.0]] * 2, device=device)
        loss = impl.cross_entropy(z, torch.tensor([1, 2], device=device))
        is_number = isinstance(loss, torch.Tensor) and loss.shape == ()
        losses.append(loss.item() if is_number else 0.0)
    near, far = losses
    if 8 < near < 39 and abs(far - near) < 1e-3:  # less is of no logarithm: squares, one softmax
        raise finding(
            "A target whose logit is 40 below the largest costs 40, and one that is 60 below costs "
            "60: with you both cost the same.",
            help="A small number inside the logarithm, or a lower bound for the probability, hides "
            "an infinite loss and makes every large one wrong: logsumexp(z) - z_y is finite by "
            "itself.",
            earned=earned,
        )


def distributions(draw, *shape):
    """Rows of probabilities, none of them small."""
    return (draw.normal(*shape).softmax(-1) + 0.05) / (1 + 0.05 * shape[-1])


@pytest.mark.core("cross_entropy: every target counts")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> cross_entropy(z.expand(3, 3), torch.tensor([0, 0, 2])) tensor(1.0743)",
)
def test_example(compare, device):
    """The logits 2, 1, 0 at three positions, with the targets 0, 0, 2: the mean loss is 1.0743."""
    z = torch.tensor([[2.0, 1.0, 0.0]] * 3, device=device)
    compare.cross_entropy(z, torch.tensor([0, 0, 2], device=device))


# Cross-entropy ------------------------------------------------------------------------------------


@pytest.mark.core("cross_entropy: every target counts")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the loss")
@pytest.mark.rests_on("the mean loss over all targets that count", "loss = logsumexp(z) - z_y")
def test_the_mean_loss(compare, submission, draw, device):
    """Each position costs logsumexp(z) - z_y, and the loss is the mean over all positions."""
    logits, targets = batch(draw, 2, 5)
    compare.cross_entropy(logits, targets, wrt=[logits])
    logits, targets = batch(draw, 6)
    compare.cross_entropy(logits, targets, wrt=[logits])
    look_at_far_targets(submission, device, earned=2 / 3)


@pytest.mark.rests_on(
    "the vocabulary is the last axis",
    "targets has the axes before it, however many these are, also none",
)
def test_the_vocabulary_is_the_last_axis(compare, draw):
    """Classes lie along the last axis, also where other axes are as long; any number of axes may
    stand before it, also none."""
    for shape in ((), (3, 2, 4), (V, V), (1,), (3, 1)):
        logits, targets = batch(draw, *shape)
        compare.cross_entropy(logits, targets, wrt=[logits])
        compare.cross_entropy_backward(logits, targets)


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "logits of any size give a finite loss", "Finite logits may have any size here as well"
)
def test_large_logits(compare, submission, draw, device):
    """Logits of some thousands give a finite loss and the right gradient."""
    look_at_far_targets(submission, device)
    logits, targets = batch(draw, 2, 5, scale=1000.0)
    compare.cross_entropy(logits, targets, wrt=[logits])
    compare.cross_entropy_backward(logits, targets)
    far = draw.normal(2, 4, V) + torch.tensor([[500.0], [-500.0], [0.0], [100.0]])
    targets = draw.integers(0, V, (2, 4))
    compare.cross_entropy(far, targets, wrt=[far])
    compare.cross_entropy(far, targets, label_smoothing=0.2, wrt=[far])
    compare.cross_entropy_backward(far, targets)


@pytest.mark.rests_on("a logit may be -inf, which means that this token cannot come")
def test_a_token_that_cannot_come(compare, draw):
    """A logit of -inf beside the target changes nothing: no NaN, no infinite loss, however far
    below 0 the others are."""
    logits = draw.normal(3, V)
    logits[0, 2], logits[1, 0], logits[1, 3] = 3 * [-torch.inf]
    targets = torch.tensor([1, 4, 0], device=logits.device)
    compare.cross_entropy(logits, targets, wrt=[logits])
    far = logits - 1e5
    compare.cross_entropy(far, targets, wrt=[far])


@pytest.mark.core("cross_entropy: ignore_index")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of what counts")
@pytest.mark.rests_on(
    "a target that equals ignore_index does not count",
    "it has no share in the mean, which is over the targets that are left",
)
def test_what_is_ignored_does_not_count(compare, draw):
    """A target of -100 has no loss and no share in the mean, wherever in the batch it stands."""
    logits, targets = batch(draw, 2, 5)
    compare.cross_entropy(logits, left_out(targets), wrt=[logits])
    targets = torch.full_like(targets, -100)
    targets[1, 2] = 3  # one target is left
    compare.cross_entropy(logits, targets, wrt=[logits])


@pytest.mark.rests_on("any whole number, a token of the vocabulary too")
def test_any_number_may_be_ignored(compare, draw):
    """ignore_index may be a token such as 0, or another number such as -1, in all functions."""
    logits, targets = batch(draw, 2, 5)
    targets[0, 0], targets[1, 4] = 2, 5  # some are left
    for mark in (-1, 0, 6, 50):  # -1 first: what is wrong there alone has a name of its own
        marked = left_out(targets, mark)
        compare.cross_entropy(logits, marked, mark, wrt=[logits])
        compare.perplexity(logits, marked, ignore_index=mark)
        compare.cross_entropy_backward(logits, marked, ignore_index=mark)


@pytest.mark.rests_on("its logits have no influence, neither on the value nor on a gradient")
def test_logits_that_are_ignored(compare, draw):
    """However large the logits at an ignored place are, they change nothing; so if they are
    -inf."""
    logits, targets = batch(draw, 2, 5)
    targets = left_out(targets)
    ignored = (targets == -100).unsqueeze(-1)
    huge = torch.where(ignored, logits * 1e30, logits)
    compare.cross_entropy(huge, targets, wrt=[huge])
    compare.perplexity(huge, targets, wrt=[huge])
    compare.cross_entropy_backward(huge, targets)
    others = torch.arange(V, device=logits.device) != 1
    impossible = logits.masked_fill(ignored & others, -torch.inf)
    compare.cross_entropy(impossible, targets, wrt=[impossible])


@pytest.mark.rests_on(
    "if no target counts, the loss is 0 and, after backward(), so is the gradient",
    "if no target counts, the perplexity is 1",
    "if none counts, all are",
)
def test_nothing_to_learn(compare, draw):
    """If every target is ignored, loss and gradients are 0, not NaN, and the perplexity is 1; all
    in the dtype of the logits."""
    logits = draw.normal(2, 3, V)
    none = torch.full((2, 3), -100, device=logits.device)
    compare.cross_entropy(logits, none, wrt=[logits])
    for same in (logits, logits.double()):  # an answer of its own may have a dtype of its own
        compare.cross_entropy(same, none)
        compare.perplexity(same, none)
        compare.cross_entropy_backward(same, none)


# Smoothing ----------------------------------------------------------------------------------------


@pytest.mark.core("smoothed_targets")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "all tokens share epsilon",
    "the target's, which has its part of epsilon as well",
)
def test_smoothed_targets(compare, draw):
    """Every token gets epsilon / V, and the target 1 - epsilon more."""
    for shape, vocabulary, epsilon in (((2, 5), V, 0.1), ((3,), 4, 0.3), ((), 5, 0.6)):
        targets = draw.integers(0, vocabulary, shape)
        compare.smoothed_targets(targets, vocabulary, epsilon)
    targets = draw.integers(0, 3, (4, 4))
    for epsilon in (0.0, 1.0):
        compare.smoothed_targets(targets, vocab_size=4, epsilon=epsilon)


@pytest.mark.core("cross_entropy: label_smoothing")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of smoothing")
@pytest.mark.rests_on(
    "loss = (1 - epsilon) (logsumexp(z) - z_y) + epsilon (logsumexp(z) - mean_j z_j)"
)
def test_label_smoothing(compare, draw):
    """With label_smoothing, a share epsilon of the target belongs to all tokens alike."""
    logits, targets = batch(draw, 2, 5)
    for epsilon in (0.1, 0.4, 1.0):
        compare.cross_entropy(logits, targets, label_smoothing=epsilon, wrt=[logits])


@pytest.mark.asked_once("each option is asked again in a check of its own")
@pytest.mark.rests_on(
    "The mean loss over all targets that count",
    "With label_smoothing = epsilon, 0 <= epsilon <= 1, the target is the row of",
)
def test_smoothing_of_what_counts(compare, draw):
    """Smoothing and ignore_index together: both parts of the loss leave out what is ignored."""
    logits, targets = batch(draw, 2, 5)
    targets[0, 0], targets[1, 4] = 2, 5
    for row in pairs(ignore_index=(-100, 3), label_smoothing=(0.3, 0.9)):
        marked = left_out(targets, row["ignore_index"])
        compare.cross_entropy(logits, marked, **row, wrt=[logits])
    none = torch.full_like(targets, -100)
    compare.cross_entropy(logits, none, label_smoothing=0.2, wrt=[logits])


# Divergence and perplexity ------------------------------------------------------------------------


@pytest.mark.core("kl_divergence")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the divergence")
@pytest.mark.rests_on("KL(p, q) = sum_j p_j (log p_j - log q_j)")
def test_kl_divergence(compare, draw):
    """KL(p, q) is the sum of p (log p - log q) over each row, for every row by itself."""
    for shape in ((2, 3, V), (4, 4), (5,)):
        p, log_q = distributions(draw, *shape), distributions(draw, *shape).log()
        compare.kl_divergence(p, log_q, wrt=[p, log_q])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "A token with p_j = 0 adds 0 to the sum, whatever log q_j is, -inf too",
    "Where p_j is larger than 0 and log q_j is -inf, the divergence is infinite",
)
def test_tokens_without_probability(compare, draw):
    """Where p is 0, nothing is added: no NaN, also where q is 0 as well. Where only q is 0, the
    divergence is infinite."""
    p, log_q = distributions(draw, 3, V), distributions(draw, 3, V).log()
    p[0, 2] = p[1, 0] = p[1, 1] = 0.0
    p = p / p.sum(-1, keepdim=True)
    compare.kl_divergence(p, log_q, wrt=[log_q])
    log_q = log_q.masked_fill(p == 0, -torch.inf).log_softmax(-1)
    compare.kl_divergence(p, log_q, wrt=[log_q])
    log_q[1, 4] = -torch.inf
    compare.kl_divergence(p, log_q.log_softmax(-1))


@pytest.mark.core("perplexity")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of perplexity")
@pytest.mark.rests_on("The mean is taken before the exponential")
def test_perplexity(compare, draw):
    """Perplexity is the exponential of the mean loss, over the targets that count."""
    logits, targets = batch(draw, 2, 5)
    compare.perplexity(logits, targets, wrt=[logits])
    compare.perplexity(logits, left_out(targets))


# The gradient -------------------------------------------------------------------------------------


@pytest.mark.core("cross_entropy_backward")
@pytest.mark.points(3)
@pytest.mark.kept("the definition of the gradient")
@pytest.mark.rests_on("gradient = (softmax(z) - y) / n", "n is the number of targets that count")
def test_the_gradient_by_hand(compare, draw):
    """The gradient is (softmax(z) - y) / n, and 0 in the rows whose target does not count."""
    logits, targets = batch(draw, 2, 5)
    compare.cross_entropy_backward(logits, targets)
    compare.cross_entropy_backward(logits, left_out(targets))


@pytest.mark.rests_on(
    "the number of torch operations does not depend on how many there are",
    "no tensor is made that is larger than the logits",
)
def test_all_rows_at_once(compare, submission, reference, draw):
    """No Python loop over positions, and no table of all positions with all positions."""
    names = ("cross_entropy", "perplexity", "cross_entropy_backward")
    for name in (*names, "kl_divergence"):
        right = inputs_for(name, draw, 6)  # right first, then lean
        getattr(compare, name)(*right)
        work = [
            counted(submission, reference, name, inputs_for(name, draw, rows)) for rows in (8, 40)
        ]
        assert work[1].operations - work[0].operations < 24, (
            f"{name}: the number of torch operations grows with the number of positions"
        )
        assert work[1].largest < 2 * 40 * V, f"{name} makes a tensor larger than the logits"
    targets = draw.integers(0, V, (40,))
    compare.smoothed_targets(targets, V, 0.1)
    few, many = (
        counted(submission, reference, "smoothed_targets", (targets[:rows], V, 0.1))
        for rows in (8, 40)
    )
    assert many.operations - few.operations < 24, (
        "smoothed_targets: the number of torch operations grows with the number of targets"
    )


def inputs_for(name, draw, rows):
    """What function ``name`` takes, with so many rows."""
    if name == "kl_divergence":
        return distributions(draw, rows, V), distributions(draw, rows, V).log()
    return batch(draw, rows)


def counted(submission, reference, name, inputs):
    """The work of one call, whose answer is the right one, or nearly."""
    wanted = getattr(reference, name)(*inputs).float()

    def answer(impl):
        found = usable(impl, getattr(impl, name)(*inputs), wanted.shape)
        near = torch.allclose(found, wanted, rtol=1e-2, atol=1e-4)
        assert near, f"{name} is wrong for {inputs[0].shape[0]} rows"

    return work_of(submission, answer)
