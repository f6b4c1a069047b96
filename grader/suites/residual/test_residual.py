"""Hidden checks of ``residual``."""

from __future__ import annotations

from itertools import product

import pytest
import torch
import torch.nn.functional as F

from grader.check import (
    SubmissionRaised,
    UnderTest,
    finding,
    gradient,
    inputs_of,
    torch_module,
    usable,
)

WIDTH = 6
MODES = {"pre-norm": True, "post-norm": False}


def rows(draw, *leading):
    """Inputs so large that eps does not matter."""
    return draw.normal(*leading, WIDTH, scale=30.0, offset=10.0)


def random_norm(draw):
    return {"norm.weight": draw.normal(WIDTH), "norm.bias": draw.normal(WIDTH)}


def random_linear(draw):
    weights = {"weight": draw.normal(WIDTH, WIDTH), "bias": draw.normal(WIDTH)}
    return torch_module("Linear", WIDTH, WIDTH, weights=weights)


def connection(impl, norm, norm_first, dropout=0.0):
    layer = impl.SublayerConnection(WIDTH, dropout, norm_first=norm_first)
    layer.load(norm)
    return layer


def example(device):
    """The row of the page, and its sub-layer."""
    return torch.tensor([[-1.0, 0.0, 2.0, 3.0]], device=device), torch_module("ReLU")


def in_both_modes(impl, norm, x, branch):
    layers = [connection(impl, norm, first) for first in MODES.values()]
    return [layer(x, branch) for layer in layers]


@pytest.mark.core("SublayerConnection.forward: pre-norm")
@pytest.mark.public
@pytest.mark.rests_on(
    ">>> SublayerConnection(4, dropout=0.0)(x, torch.relu).detach() tensor([[-1.0000, 0.0000, "
    "2.6325, 4.2649]])"
)
def test_example(compare, device):
    """For the row -1, 0, 2, 3 and relu: -1, 0, 2.63, 4.26 with pre-norm, which is the default."""
    x, relu = example(device)
    compare(lambda impl: impl.SublayerConnection(4, 0.0)(x, relu))


@pytest.mark.core("SublayerConnection.forward: post-norm")
@pytest.mark.public
@pytest.mark.kept("the page's own numbers, for a first answer")
@pytest.mark.rests_on(
    ">>> SublayerConnection(4, dropout=0.0, norm_first=False)(x, torch.relu).detach() "
    "tensor([[-1.1358, -0.7863, 0.6116, 1.3106]])"
)
def test_example_in_post_norm(compare, device):
    """For the row -1, 0, 2, 3 and relu: -1.14, -0.79, 0.61, 1.31 with norm_first=False."""
    x, relu = example(device)
    compare(lambda impl: impl.SublayerConnection(4, 0.0, norm_first=False)(x, relu))


@pytest.mark.core("SublayerConnection.forward: pre-norm")
@pytest.mark.points(2)
@pytest.mark.kept("the formula of pre-norm")
@pytest.mark.rests_on("pre-norm: x + dropout(sublayer(norm(x)))")
def test_pre_norm(compare, draw):
    """With norm_first the result is x + sublayer(norm(x)); weights on both sides get gradients."""
    x, norm, branch = rows(draw, 2, 3), random_norm(draw), random_linear(draw)
    compare(lambda impl: connection(impl, norm, True)(x, branch))


@pytest.mark.core("SublayerConnection.forward: post-norm")
@pytest.mark.points(2)
@pytest.mark.kept("the formula of post-norm")
@pytest.mark.rests_on("post-norm: norm(x + dropout(sublayer(x)))")
def test_post_norm(compare, draw):
    """Without norm_first it is norm(x + sublayer(x)); weights on both sides get gradients."""
    x, norm, branch = rows(draw, 2, 3), random_norm(draw), random_linear(draw)
    compare(lambda impl: connection(impl, norm, False)(x, branch))


@pytest.mark.points(2)
@pytest.mark.kept("what a residual connection is for: the straight way, to the last bit")
@pytest.mark.rests_on(
    "the input runs straight past the sub-layer",
    "a sub-layer that has found nothing yet does no harm",
)
def test_straight_way(compare, submission, draw):
    """If the sub-layer returns zeros, pre-norm returns x exactly, and post-norm norm(x)."""
    x, norm = rows(draw, 2, 3), random_norm(draw)
    nothing = torch.zeros(WIDTH, WIDTH, device=x.device)
    constant = torch_module(
        "Linear", WIDTH, WIDTH, weights={"weight": nothing, "bias": draw.normal(WIDTH)}
    )
    zeros = torch_module("Linear", WIDTH, WIDTH, weights={"weight": nothing, "bias": nothing[0]})
    compare(lambda impl: in_both_modes(impl, norm, x, constant))
    pre, post = in_both_modes(submission, norm, x, zeros)
    assert torch.equal(pre, x), "pre-norm with a sub-layer of zeros does not return x exactly"
    assert _close(post, _normed(x, norm)), "post-norm with a sub-layer of zeros is not norm(x)"


ONCE = (
    "Call it once, keep what it returns under a name, and use that name: to print it, or to ask "
    "for its shape, too. With dropout inside, two calls give two answers."
)


@pytest.mark.points(2)
@pytest.mark.asked_once("both modes are asked for here, and other checks ask again")
@pytest.mark.rests_on(
    "it is called once: with norm(x) in pre-norm, with x itself in post-norm",
    "It may be anything that can be called with a tensor",
)
def test_calls_the_sublayer_once(compare, submission, draw):
    """Each call uses the sub-layer it is handed once: on norm(x) in pre-norm, on x in post-norm. A
    plain function will do."""
    x, norm = rows(draw, 2, 3), random_norm(draw)
    for first in MODES.values():
        branch = random_linear(draw)
        connection(submission, norm, first)(x, branch)
        if (count := len(inputs_of(submission, branch))) > 1:
            raise finding(f"One call uses the sub-layer {count} times.", help=ONCE, seen=count)
    branches = [random_linear(draw) for _ in range(3)]

    def probe(impl):
        pre, post = (connection(impl, norm, first) for first in MODES.values())
        used = list(zip((pre, post, pre), branches, strict=True))
        answers = [layer(x, branch) for layer, branch in used]
        for layer in (pre, post):
            layer.eval()
        answers += [layer(x, branch) for layer, branch in used]
        return answers, [inputs_of(impl, branch) for branch in branches]

    compare(probe)
    if x.device.type == "cpu":  # where a function of ours is answered
        weights = norm["norm.weight"], norm["norm.bias"]
        before, after = (F.layer_norm(t, (WIDTH,), *weights) for t in (x, x + x.tanh()))
        for name, wanted in (("pre-norm", x + before.tanh()), ("post-norm", after)):
            layer = connection(submission, norm, MODES[name])
            y = usable(submission, layer(x, UnderTest(torch.tanh)), x.shape)
            assert _close(y, wanted), f"with a plain function for a sub-layer {name} goes wrong"


@pytest.mark.points(2)
@pytest.mark.rests_on("gradients reach the first layer unweakened")
def test_gradients(compare, draw):
    """Gradients reach x along the straight way and through the branch, in both modes."""
    x, norm, branch = rows(draw, 2, 3), random_norm(draw), random_linear(draw)
    compare(lambda impl: in_both_modes(impl, norm, x, branch), wrt=[x])


@pytest.mark.rests_on("neither x nor what the sub-layer returned is changed in place")
def test_leaves_what_it_was_given_alone(compare, draw):
    """Neither x nor what the sub-layer returned is changed, whatever the sub-layer is."""
    x, norm = rows(draw, 2, 3), random_norm(draw)

    def probe(impl, branch):
        layers = [connection(impl, norm, first) for first in MODES.values()]
        answers = [layer(x, branch) for layer in layers]
        for layer in layers:
            layer.eval()
        return answers + [layer(x, branch) for layer in layers]

    for name in ("Tanh", "Identity"):
        compare(lambda impl, branch=torch_module(name): probe(impl, branch))


@pytest.mark.rests_on("has the shape and the dtype of x, which may have any number of axes")
def test_any_number_of_axes(compare, draw):
    """A single row, a matrix and four axes work like three."""
    norm, branch = random_norm(draw), random_linear(draw)
    inputs = [rows(draw, *leading) for leading in ((), (4,), (2, 1, 3))]

    def probe(impl):
        layers = [connection(impl, norm, first) for first in MODES.values()]
        return [layer(x, branch) for layer in layers for x in inputs]

    compare(probe)


# Dropout ------------------------------------------------------------------------------------------
# Each check first compares without dropout: a wrong formula is then called that, not wrong dropout.

P = 0.25
AS_A_WHOLE = "the branch is dropped as a whole, or nothing of it."


@pytest.mark.core("SublayerConnection.forward: dropout")
@pytest.mark.points(2)
@pytest.mark.kept("says of pre-norm on what else dropout falls")
@pytest.mark.rests_on(
    "falls on what the sub-layer returned, each number on its own",
    "what is kept is divided by 1 - dropout",
)
def test_dropout_falls_on_the_branch(compare, submission, draw):
    """In training pre-norm drops numbers of the branch, divides others by 1 - p; x stays whole."""
    x, norm, branch = rows(draw, 4, 50), random_norm(draw), random_linear(draw)
    compare(lambda impl: connection(impl, norm, True)(x, branch))
    normed, right = _branch(x, norm, branch)
    other = random_linear(draw)
    other.weights.update(branch.weights)
    y = connection(submission, norm, True, dropout=P)(x, other)
    assert not _close(y, x + right), "in training nothing is dropped"
    given = _close(inputs_of(submission, other)[0], normed)
    assert given, "the sub-layer is not given norm(x) in training: dropout falls on its input"
    grown, grown_x = right / (1 - P), x / (1 - P)
    assert not _among(y, 0 * x, grown_x + grown), "dropout falls on the sum, and on x with it"
    assert not _among(y, right, right + grown_x), "dropout falls on x, not on the branch"
    both = _among(y, 0 * x, grown, grown_x, grown_x + grown)
    assert not both, "dropout falls on x as well as on the branch"
    clear = right.abs() > 0.05  # elsewhere what is dropped and what is kept look alike
    added = (y - x)[clear]
    dropped = added.abs() < 1e-3
    if bool(dropped.all()):
        raise finding(AS_A_WHOLE, help=FOR_EACH)
    factor = (added / right[clear])[~dropped]
    assert not _close(factor, 1), "the numbers that are kept are not divided by 1 - p"
    constant = _close(factor, factor.mean())
    assert constant, "what is added to x is neither 0 nor the branch times one number"
    assert _close(factor, 1 / (1 - P)), (
        "what is kept is not divided by 1 - p, but by another number"
    )
    gone = (y - x).abs() < 1e-3
    if not bool(dropped.any()):
        raise finding(AS_A_WHOLE, help=FOR_EACH)
    if any(_is_whole(gone & clear, ~gone & clear, within) for within in ((2,), (1, 2), (0, 2))):
        raise finding(
            "numbers of the branch are dropped together, or kept together.", help=FOR_EACH
        )
    if bool(((gone == gone[:1]) | ~clear | ~clear[:1]).all()):
        raise finding("the numbers of all tokens are dropped alike.", help=FOR_EACH)
    share = dropped.float().mean().item()
    assert abs(share - P) < 0.09, "the share of the branch that is dropped is not p"


def _is_whole(gone, kept, within):
    """Whether no stretch of these axes has both."""
    return not (gone.any(within) & kept.any(within)).any()


@pytest.mark.rests_on("each number on its own", "falls on what the sub-layer returned")
def test_every_number_has_its_own_luck(compare, submission, draw):
    """In both modes each number of the branch is dropped by itself, along every axis."""
    x, norm, branch = rows(draw, 12, 4, 8), random_norm(draw), random_linear(draw)
    for name, first in MODES.items():
        compare(lambda impl: connection(impl, norm, first)(x, branch))
        other = random_linear(draw)
        other.weights.update(branch.weights)
        y = connection(submission, norm, first, dropout=P)(x, other)
        inputs = inputs_of(submission, other)
        if (count := len(inputs)) > 1:
            raise finding(f"One call uses the sub-layer {count} times.", help=ONCE, seen=count)
        given = _close(inputs[0], _normed(x, norm) if first else x)
        assert given, f"with {name} dropout falls on what the sub-layer is given"
        kept, factor = _kept(usable(submission, y, x.shape), x, norm, branch, first)
        assert not (slip := FACTORS[factor]), f"with {name} {slip}"
        if alike := _alike_axes(kept):
            said = f"with {name} numbers along axis {', '.join(alike)} are dropped alike"
            raise finding(f"{said}.", help=FOR_EACH, seen=said)
        share = (~kept).float().mean().item()  # of 2304 numbers: 0.25, give or take 0.01
        assert abs(share - P) < 0.06, f"with {name} the share that is dropped is not p"


FACTORS = {  # of what is kept
    1 / (1 - P): "",
    1.0: "what is kept is not divided by 1 - p",
    (1 - P) ** -2: "dropout acts twice on the branch",
    None: "the result is none that numbers of the branch give, some dropped and the others divided "
    "by 1 - p",
}


def _kept(y, x, norm, branch, first):
    """Which numbers of the branch were kept, and times which factor: of all 64 choices for a token,
    the one that gives what came out.
    """
    choices = torch.tensor(list(product((0.0, 1.0), repeat=WIDTH)), device=x.device)
    right = _linear(_normed(x, norm) if first else x, branch).unsqueeze(-2)
    for factor in filter(None, FACTORS):
        sums = x.unsqueeze(-2) + choices * right * factor
        miss = (y.unsqueeze(-2) - (sums if first else _normed(sums, norm))).abs().amax(-1)
        if miss.amin(-1).max() < 1e-3:
            return choices[miss.argmin(-1)].bool(), factor
    return None, None


FOR_EACH = (
    "Draw a random number for each number of the branch: torch.rand_like(branch), or nn.Dropout."
)


def _alike_axes(mask):
    """The axes along which some are alike; where along one all are, it alone: what is left are few
    numbers then, and some of few are alike by chance.
    """
    shares = enumerate(_most_alike(mask))
    some = [axis for axis, share in shares if share > 0.95]
    every = [axis for axis in some if (mask == mask.roll(1, axis)).float().mean() > 0.95]
    return [str(axis) for axis in every or some]


def _most_alike(mask):
    """For every axis: in which share of their numbers do the two most similar slices agree?"""
    for axis in range(mask.ndim):
        slices = mask.movedim(axis, 0).flatten(1).float()
        differ = torch.cdist(slices, slices, p=1) / slices.shape[1]  # 0.375 if each has its luck
        yield 1 - differ.fill_diagonal_(1.0).min().item()


@pytest.mark.points(2)
@pytest.mark.rests_on("dropout=1.0 drops the whole branch")
def test_whole_branch_dropped(compare, submission, draw):
    """With dropout = 1.0 in training, pre-norm returns x exactly and post-norm norm(x)."""
    x, norm, branch = rows(draw, 2, 3), random_norm(draw), random_linear(draw)
    compare(lambda impl: in_both_modes(impl, norm, x, branch))
    y = connection(submission, norm, True, dropout=1.0)(x, branch)
    right = _branch(x, norm, branch)[1]
    assert not y.isnan().any(), "with dropout = 1.0 there is NaN: 0 / (1 - p) is 0 / 0"
    assert not _close(y, x + right), "with dropout = 1.0 nothing is dropped"
    assert not _close(y, right), "with dropout = 1.0 pre-norm drops x and keeps the branch"
    assert not _close(y, 0), "with dropout = 1.0 pre-norm drops x as well"
    assert torch.equal(y, x), "with dropout = 1.0 pre-norm does not return x"
    y = connection(submission, norm, False, dropout=1.0)(x, branch)
    assert not _close(y, 0), "in post-norm dropout falls on the result of the norm"
    assert not _close(y, norm["norm.bias"]), "in post-norm dropout falls on the sum, and on x"
    nothing = _normed(x + _linear(x, branch), norm)
    assert not _close(y, nothing), "in post-norm with dropout = 1.0 nothing is dropped"
    alone = _normed(_linear(x, branch), norm)
    assert not _close(y, alone), "in post-norm dropout falls on x, not on the branch"
    assert _close(y, _normed(x, norm)), "with dropout = 1.0 post-norm does not return norm(x)"


@pytest.mark.rests_on("neither x nor what the sub-layer returned is changed in place")
def test_dropout_leaves_the_branch_alone(submission, draw):
    """In training, too, what the sub-layer returned is not changed in place."""
    x, norm, tanh = rows(draw, 30, 3).requires_grad_(), random_norm(draw), torch_module("Tanh")
    answers = []
    for name, first in MODES.items():
        y = connection(submission, norm, first, dropout=0.5)(x, tanh)
        answers.append(usable(submission, y, x.shape, unlike=[x.detach()]))
        same = torch.equal(answers[0], y) and len(answers) > 1
        assert not same, "post-norm and pre-norm give the same, and nothing is dropped in either"
        try:
            found = gradient(submission, y, draw.normal(30, 3, WIDTH), x)
            assert found is not None, f"with {name} no gradient comes back to x"
        except SubmissionRaised as error:
            changed = "inplace" in error.raised.message
            assert not changed, f"with {name} what the sub-layer returned is changed in place"
            raise


@pytest.mark.core("SublayerConnection.forward: dropout")
@pytest.mark.rests_on("dropout acts in training mode only")
def test_no_dropout_in_evaluation(compare, submission, reference, draw):
    """After eval() nothing is dropped and nothing shrinks or grows."""
    x, norm, branch = rows(draw, 2, 3), random_norm(draw), random_linear(draw)
    compare(lambda impl: in_both_modes(impl, norm, x, branch))
    for (name, first), p in product(MODES.items(), (0.6, 1.0)):
        layer = connection(submission, norm, first, dropout=p)
        layer.eval()
        y, wanted = layer(x, branch), connection(reference, norm, first)(x, branch)
        again = _close(y, layer(x, branch))
        assert again, "two calls after eval() differ: dropout still acts"
        assert _close(y, wanted), f"with {name} the branch shrinks or grows after eval()"


@pytest.mark.rests_on("each number on its own, anew at every call")
def test_fresh_dropout_at_every_call(compare, submission, draw):
    """Every call drops other numbers, and so does every connection."""
    x, norm, branch = rows(draw, 20), random_norm(draw), random_linear(draw)
    compare(lambda impl: in_both_modes(impl, norm, x, branch))

    def answer(layer):
        return usable(layer, layer(x, branch), x.shape)

    for name, first in MODES.items():
        layer, plain = (connection(submission, norm, first, p) for p in (0.5, 0.0))
        one = answer(layer)
        assert not torch.equal(one, answer(plain)), f"with {name} nothing is dropped"
        again = [torch.equal(one, answer(layer)) for _ in range(8)]
        assert not all(again), f"with {name} a second call drops the very same numbers"
        # What is dropped as a whole is so again by luck.
        assert not any(again), f"with {name} some calls drop the very same numbers, others do not"
        other = connection(submission, norm, first, 0.5)  # to make one must not start luck again
        same = torch.equal(one, answer(other))
        assert not same, f"with {name} two connections drop the very same numbers"


def _linear(x, branch):
    return F.linear(x, branch.weights["weight"], branch.weights["bias"])


def _normed(x, norm):
    return F.layer_norm(x, (WIDTH,), norm["norm.weight"], norm["norm.bias"])


def _branch(x, norm, branch):
    """norm(x), and what the sub-layer makes of it."""
    normed = _normed(x, norm)
    return normed, _linear(normed, branch)


def _close(one, other):
    return bool(((one - other).abs() < 1e-3).all())


def _among(y, *answers):
    """Is every number of ``y`` one of the answers at its place?"""
    near = [(y - answer).abs() < 1e-3 for answer in answers]
    return bool(torch.stack(near).any(0).all())


# The norm -----------------------------------------------------------------------------------------


@pytest.mark.kept("says which parameters are there, and which are wanted")
@pytest.mark.rests_on(
    "norm.weight: (d_model,), starts at ones",
    "norm.bias: (d_model,), starts at zeros",
)
def test_norm_starts_neutral(submission, draw):
    """A fresh connection has norm.weight of ones and norm.bias of zeros, and nothing else, not even
    the parameters of a sub-layer that it was handed."""
    layer = submission.SublayerConnection(WIDTH, 0.0, norm_first=True)
    x, branch = rows(draw, 2), random_linear(draw)
    y = usable(layer, layer(x, branch), x.shape, unlike=[x])
    found = layer.parameters()
    assert sorted(found) == ["norm.bias", "norm.weight"], (
        f"the parameters are {', '.join(sorted(found)) or 'none'}; wanted: norm.weight, norm.bias"
    )
    assert (found["norm.weight"] == 1).all(), "norm.weight does not start at ones"
    assert (found["norm.bias"] == 0).all(), "norm.bias does not start at zeros"
    wanted = x + _branch(x, found, branch)[1]
    assert _close(y, wanted), "a fresh connection is not x + sublayer(norm(x))"


@pytest.mark.rests_on("of width d_model and with eps = 1e-5")
def test_eps_of_the_norm(compare, draw):
    """The norm has eps = 1e-5, which rows of small numbers feel."""
    x, norm = draw.normal(2, 3, WIDTH, scale=1e-3), random_norm(draw)
    branch = torch_module("LeakyReLU")
    compare(lambda impl: in_both_modes(impl, norm, x, branch))


@pytest.mark.kept("shows a shared norm in the values, not only in the gradients")
@pytest.mark.rests_on("every connection has one norm of its own")
def test_every_connection_has_its_own_norm(compare, draw):
    """Two connections made one after the other do not share their norm."""
    x, branch = rows(draw, 2, 3), random_linear(draw)
    norms = random_norm(draw), random_norm(draw)

    def probe(impl):
        layers = [connection(impl, norm, True) for norm in norms]
        return [layer(x, branch) for layer in layers]

    compare(probe)
