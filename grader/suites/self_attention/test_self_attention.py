"""Hidden checks of ``self_attention``."""

from __future__ import annotations

import math

import pytest
import torch

from grader.check import dependence, finding, gradient, refuses, usable, work_of

NAMES = ("W_query", "W_key", "W_value")
JOURNEY = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)


# The chapter's numbers ----------------------------------------------------------------------------


@pytest.mark.core("SelfAttention_v1")
@pytest.mark.public
@pytest.mark.kept("the chapter's own numbers, for a first answer")
@pytest.mark.rests_on("out = softmax(q k^T / sqrt(d_out)) v")
def test_example_v1(compare, device):
    """SelfAttention_v1 with the chapter's matrices answers as printed: .2996, .8053 and so on."""
    generator = torch.Generator("cpu").manual_seed(123)
    drawn = [torch.rand(3, 2, generator=generator, device="cpu").to(device) for _ in NAMES]
    weights = dict(zip(NAMES, drawn, strict=True))
    x = JOURNEY.to(device)
    compare(lambda impl: _v1(impl, weights)(x))


@pytest.mark.core("SelfAttention_v2")
@pytest.mark.public
@pytest.mark.kept("the chapter's own numbers, for a first answer")
@pytest.mark.rests_on(
    "nn.Linear computes x W^T + b: its weights are those of SelfAttention_v1 transposed"
)
def test_example_v2(compare, device):
    """SelfAttention_v2 with the chapter's weights answers as printed: -.0739, .0713 and so on."""
    weights = _printed_linears(789, device)
    x = JOURNEY.to(device)
    compare(lambda impl: _v2(impl, weights)(x))


@pytest.mark.core("CausalAttention")
@pytest.mark.public
@pytest.mark.kept("the chapter's own numbers, for a first answer")
@pytest.mark.rests_on("out = dropout(softmax(mask(q k^T / sqrt(d_out)))) v")
def test_example_causal(compare, device):
    """CausalAttention with the chapter's weights answers as printed, twice in a batch."""
    weights = _printed_linears(123, device)
    x = torch.stack([JOURNEY, JOURNEY]).to(device)
    compare(lambda impl: _causal(impl, weights, 6)(x))


# SelfAttention_v1 ---------------------------------------------------------------------------------


@pytest.mark.core("SelfAttention_v1")
@pytest.mark.points(2)
@pytest.mark.kept("the first step; whoever misses it misses the batches too")
@pytest.mark.rests_on(
    "out = softmax(q k^T / sqrt(d_out)) v",
    "W_query, W_key and W_value, each an nn.Parameter of shape (d_in, d_out)",
)
def test_v1_on_one_sequence(compare, draw):
    """v1 answers every token, with scores divided by sqrt(d_out), whatever the sizes."""
    sizes = (5, 3, 4), (7, 6, 64), (4, 5, 1)
    given = [(_matrices(draw, d_in, d_out), draw.normal(t, d_in)) for t, d_in, d_out in sizes]
    compare(lambda impl: [_v1(impl, w)(x) for w, x in given], wrt=[x for _, x in given])


@pytest.mark.rests_on("any number of leading axes, none included")
def test_v1_on_batches(compare, draw):
    """v1 answers batches too: each sequence on its own, with any number of leading axes."""
    weights, shapes = _matrices(draw, 3, 4), ((2, 5, 3), (1, 5, 3), (2, 1, 3), (2, 6, 5, 3))
    inputs = [draw.normal(*shape) for shape in shapes]

    def probe(impl):
        layer = _v1(impl, weights)
        return [layer(x) for x in inputs]

    compare(probe)


@pytest.mark.asked_once("both modes are asked for here; other checks ask again")
@pytest.mark.rests_on("scores of several hundred must not overflow")
def test_v1_large_scores(compare, draw):
    """v1 stays finite and exact where scores are near 800 and near -800, in one row or in two."""
    weights, x = _large(_matrices(draw, 5, 4), draw.normal(6, 5))
    for given in (x, _far_apart(x)):
        compare(lambda impl: _in_both_modes(_v1(impl, weights), given), wrt=[given])


@pytest.mark.rests_on("Parameters start out random, each drawn on its own")
def test_v1_starts_random(submission):
    """The three matrices of v1 start out random, each drawn on its own."""
    _demand_random_starts(submission, "SelfAttention_v1", NAMES, 5, 4)


# SelfAttention_v2 ---------------------------------------------------------------------------------


@pytest.mark.core("SelfAttention_v2")
@pytest.mark.points(2)
@pytest.mark.kept("the first step; whoever misses it misses the batches too")
@pytest.mark.rests_on(
    "without it no bias at all", "W_query, W_key and W_value are nn.Linear from d_in to d_out"
)
def test_v2_on_one_sequence(compare, draw):
    """v2 answers every token through linear layers, without biases unless they are asked for."""
    sizes = (5, 3, 4), (7, 6, 64), (4, 5, 1)
    given = [(_linears(draw, d_in, d_out), draw.normal(t, d_in)) for t, d_in, d_out in sizes]
    compare(lambda impl: [_v2(impl, w)(x) for w, x in given], wrt=[x for _, x in given])


@pytest.mark.rests_on("any number of leading axes, none included")
def test_v2_on_batches(compare, draw):
    """v2 answers batches too: each sequence on its own, with any number of leading axes."""
    weights, shapes = _linears(draw, 3, 4), ((2, 5, 3), (1, 5, 3), (2, 1, 3), (2, 6, 5, 3))
    inputs = [draw.normal(*shape) for shape in shapes]

    def probe(impl):
        layer = _v2(impl, weights)
        return [layer(x) for x in inputs]

    compare(probe)


@pytest.mark.rests_on("with qkv_bias also W_query.bias of shape (d_out,) and so on")
def test_v2_biases(compare, draw):
    """With qkv_bias=True each of v2's three layers has a bias, and uses it."""
    weights = _linears(draw, 3, 4, bias=True)
    x = draw.normal(5, 3)
    compare(lambda impl: _v2(impl, weights)(x), wrt=[x])


@pytest.mark.rests_on("Parameters start out random, each drawn on its own")
def test_v2_and_causal_start_random(submission):
    """The three weights of v2 and of CausalAttention start out random as well, each on its own."""
    names = [f"{name}.weight" for name in NAMES]
    _demand_random_starts(submission, "SelfAttention_v2", names, 5, 4)
    _demand_random_starts(submission, "CausalAttention", names, 5, 4, 7, 0.1)


@pytest.mark.asked_once("both modes are asked for here; other checks ask again")
@pytest.mark.rests_on("scores of several hundred must not overflow")
def test_v2_large_scores(compare, draw):
    """v2 stays finite and exact where scores are near 800 and near -800, in one row or in two."""
    weights, x = _large(_matrices(draw, 5, 4), draw.normal(6, 5))
    weights = {f"{name}.weight": matrix.T.contiguous() for name, matrix in weights.items()}
    for given in (x, _far_apart(x)):
        compare(lambda impl: _in_both_modes(_v2(impl, weights), given), wrt=[given])


@pytest.mark.kept("the chapter's exercise 3.1")
@pytest.mark.rests_on("its weights are those of SelfAttention_v1 transposed")
def test_v1_with_weights_of_v2(compare, draw):
    """v1 with the transposed weights of v2 gives the same answers as v2."""
    weights = _linears(draw, 3, 4)
    transposed = {name: weights[f"{name}.weight"].T for name in NAMES}
    x = draw.normal(5, 3)
    compare(lambda impl: (_v2(impl, weights)(x), _v1(impl, transposed)(x)), wrt=[x])


# CausalAttention ----------------------------------------------------------------------------------


@pytest.mark.core("CausalAttention")
@pytest.mark.points(2)
@pytest.mark.kept("the mask itself; whoever misses it misses other checks too")
@pytest.mark.rests_on("Token i attends to the tokens 0..i")
def test_causal(compare, draw):
    """Token i attends to the tokens 0 to i and to none after it, up to the whole context length."""
    sizes = (2, 5, 3, 4), (3, 6, 5, 64)
    given = [(_linears(draw, d_in, d_out), draw.normal(b, t, d_in)) for b, t, d_in, d_out in sizes]
    inputs = [x for _, x in given]
    inputs[0][1, 2] = 0.0  # a token that scores 0 with all hides nothing
    compare(lambda impl: [_causal(impl, w, x.shape[1])(x) for w, x in given], wrt=inputs)


@pytest.mark.asked_once("both modes are asked for here; other checks ask again")
@pytest.mark.rests_on("A later token gets no weight however large its score")
def test_causal_future_that_dominates(compare, draw):
    """A later token gets no weight even if its score is far above all earlier ones."""
    weights, x = _large(_matrices(draw, 5, 4), draw.normal(2, 6, 5))
    x[..., 1] = torch.linspace(-1.0, 1.0, 6, device=x.device)
    x[:, 2, 0] = 0.0  # one query whose scores are small
    weights = {f"{name}.weight": matrix.T.contiguous() for name, matrix in weights.items()}
    compare(lambda impl: _in_both_modes(_causal(impl, weights, 6), x), wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on("shorter ones work as well, in any order")
def test_causal_shorter_sequences(compare, draw):
    """Shorter sequences than the context length work, down to one token, and in any order."""
    weights, long = _linears(draw, 3, 4), draw.normal(2, 260, 3)
    inputs = [draw.normal(2, length, 3) for length in (5, 2, 1, 4, 7)]

    def probe(impl):
        layer = _causal(impl, weights, 7)
        return [layer(x) for x in inputs], _causal(impl, weights, 300)(long)

    compare(probe)


@pytest.mark.rests_on("ValueError: the sequences are longer than context_length")
def test_causal_refuses_longer_sequences(submission, draw):
    """A sequence longer than the context length raises ValueError, in training and after eval()."""
    layer = submission.CausalAttention(3, 4, 5, 0.0)
    x, longer = draw.normal(2, 6, 3), draw.normal(1, 40, 3)
    tokens = "tokens in a context of 5"
    refuses(lambda: layer(x), f"6 {tokens}", lambda: layer(longer), f"40 {tokens}")
    layer.eval()
    refuses(lambda: layer(x), f"6 {tokens}, after eval()")


@pytest.mark.rests_on("whether the three linear layers have biases")
def test_causal_biases(compare, draw):
    """With qkv_bias=True each of the three layers has a bias, and uses it, whatever the context
    length and the mode are."""
    x, weights = draw.normal(2, 5, 3), _linears(draw, 3, 4, bias=True)
    for length in (5, 9):
        compare(lambda impl: _in_both_modes(_causal(impl, weights, length), x), wrt=[x])


@pytest.mark.rests_on("one answer for every token of every sequence")
def test_causal_each_sequence_on_its_own(compare, draw):
    """A batch of one keeps its axis, and two sequences answer as they do one at a time."""
    weights = _linears(draw, 3, 4)
    one, other = draw.normal(1, 5, 3), draw.normal(1, 5, 3)
    both = torch.cat([one, other])

    def probe(impl):
        layer = _causal(impl, weights, 5)
        return layer(both), layer(one), layer(other)

    compare(probe)


@pytest.mark.rests_on(
    "their outputs have the inputs' dtype and device once the layer was moved there with .to",
    "A new layer keeps no tensor as a plain attribute",
)
def test_layers_move_to_other_devices(compare, submission, draw):
    """A layer and what it makes are where it was moved to: the mask is a buffer or made in
    forward, where x is, and never a tensor that is left behind. So are dropout's random numbers,
    and whatever is made has a dtype that suits x."""
    layer = submission.CausalAttention(3, 4, 5, 0.0)
    assert not layer.loose_tensors(), "a tensor is kept as a plain attribute"
    x = draw.normal(2, 5, 3).to("meta")

    def moved(layer):
        layer.to("meta")
        return layer(x)

    compare(lambda impl: moved(impl.CausalAttention(3, 4, 5, 0.0)))
    compare(lambda impl: moved(impl.CausalAttention(3, 4, 5, P)))
    compare(lambda impl: moved(impl.SelfAttention_v1(3, 4)))
    compare(lambda impl: moved(impl.SelfAttention_v2(3, 4, qkv_bias=True)))
    dropping = submission.CausalAttention(3, 4, 5, P)
    dropping.to(torch.bfloat16)
    half = draw.normal(2, 5, 3, dtype=torch.bfloat16)
    usable(dropping, dropping(half), (2, 5, 4), torch.bfloat16)


# All three ----------------------------------------------------------------------------------------


@pytest.mark.rests_on("one answer for every token")
def test_equal_sizes(compare, draw):
    """As many sequences as tokens, as features, as numbers out: every class answers as ever."""
    matrices, linears = _matrices(draw, 4, 4), _linears(draw, 4, 4)
    batch, one = draw.normal(4, 4, 4), draw.normal(4, 4)

    def probe(impl):
        v1, v2, causal = _v1(impl, matrices), _v2(impl, linears), _causal(impl, linears, 4)
        return v1(batch), v1(one), v2(batch), v2(one), causal(batch)

    compare(probe, wrt=[batch, one])


@pytest.mark.asked_once("other weights and both modes are asked for here")
@pytest.mark.rests_on("nothing is kept from one call to the next")
def test_layers_follow_their_parameters(compare, draw):
    """When the parameters change, or the tokens, so do the answers: nothing is kept from one call
    to the next, neither in training nor after eval()."""
    matrices = [_matrices(draw, 3, 4) for _ in range(2)]
    linears = [_linears(draw, 3, 4) for _ in range(2)]
    x = draw.normal(2, 5, 3)

    def answers(layer, later):
        first = _in_both_modes(layer, x)
        layer.load(later)
        second = layer(x)
        layer.train()
        return first, second, layer(x)

    square = _matrices(draw, 4, 4), _linears(draw, 4, 4)
    inputs = [draw.normal(2, 5, 4) for _ in range(2)]

    def probe(impl):
        causal = answers(_causal(impl, linears[0], 6), linears[1])
        v2 = answers(_v2(impl, linears[0]), linears[1])
        return answers(_v1(impl, matrices[0]), matrices[1]), v2, causal

    def asked_twice(impl):
        layers = _v1(impl, square[0]), _v2(impl, square[1]), _causal(impl, square[1], 6)
        return [layer(given) for layer in layers for given in inputs]

    compare(probe)
    compare(asked_twice)


# Dropout ------------------------------------------------------------------------------------------

P = 0.25


@pytest.mark.kept("the rule itself; other checks compare training with what comes after eval()")
@pytest.mark.rests_on("After eval() nothing is dropped")
def test_causal_no_dropout_in_eval(compare, submission, reference, draw):
    """After eval() nothing is dropped, whatever `dropout` is; nor in training if it is 0.0."""
    weights, x = _linears(draw, 3, 4), draw.normal(20, 6, 3)
    plain = _causal(reference, weights, 6)(x)

    def evaluated(impl, dropout=0.4):
        layer = _causal(impl, weights, 6, dropout=dropout)
        layer.eval()
        return layer(x)

    compare(lambda impl: evaluated(impl, 0.0))  # a wrong formula is called that, not dropout
    layer = _causal(submission, weights, 6, dropout=0.4)
    layer.eval()
    answer = _run(layer, x, 4)
    assert not _close(answer, 0.6 * plain), "after eval() the output is multiplied by 1 - dropout"
    assert _close(answer, plain), "after eval() dropout still acts"
    still = _causal(submission, weights, 6)
    assert _close(_run(still, x, 4), plain), "with dropout=0.0 training changes the output"
    compare(evaluated, wrt=[x])


@pytest.mark.points(2)
@pytest.mark.rests_on("set to 0 with this probability and otherwise divided by 1 - dropout")
@pytest.mark.kept("the plain case, in which a share that is wrong is told with its number")
def test_causal_dropout_acts_on_the_weights(submission, draw):
    """With one token the only weight is 1, so in training a row is 0 or the value / (1 - p)."""
    layer = _causal(submission, _linears(draw, 3, 4), 1, dropout=P)
    x = draw.normal(6000, 1, 3)
    layer.eval()
    value = _run(layer, x, 4).squeeze(1)
    layer.train()
    first, second = (_run(layer, x, 4).squeeze(1) for _ in range(2))
    assert value.isfinite().all(), "a single token does not attend to itself"
    assert (value != 0).all(), "after eval() weights are still dropped"
    assert not first.isnan().any(), "in training NaN comes out: weights are normalised again"
    zero = first == 0
    if not zero.any():
        assert _close(first, value), "in training the output changes, but no row of it is 0"
        raise AssertionError("in training no weight is dropped")
    whole = zero.all(-1)
    assert (zero.any(-1) == whole).all(), "single numbers are dropped where whole rows should be"
    largest = value.abs().argmax(-1, keepdim=True)
    factor = first.gather(-1, largest) / value.gather(-1, largest)
    assert _close(first, factor * value), (
        "what is kept is no multiple of the value: dropout acts on x"
    )
    factor, share = factor[~whole], whole.double().mean().item()
    assert abs(share - (1 - P)) > 0.034, "a share 1 - dropout of the weights is dropped"
    assert abs(share - 0.5) > 0.03, f"half of the weights are dropped, and `dropout` is {P}"
    assert abs(share - P) < 0.034, "the share of weights dropped is not `dropout`"
    assert not _close(factor, 1), "the weights that are kept are not divided by 1 - dropout"
    assert not _close(factor, 1 / P), "the weights that are kept are divided by dropout"
    assert _close(factor, 1 / (1 - P)), "what is kept is not the value over 1 - dropout"
    assert (first != second).any(), "a second call drops the very same weights"


@pytest.mark.rests_on("in training each attention weight on its own is set to 0")
def test_causal_dropout_falls_on_each_weight_alone(compare, submission, draw):
    """Every weight has its own luck: not one for all sequences, all queries or all keys."""
    weights, length = _showing_the_weights(draw)
    x = _tokens_with_names(draw)
    compare(lambda impl: _causal(impl, weights, length)(x))
    for p in (P, 0.6):
        _demand_lone_luck(_causal(submission, weights, length, dropout=p), x, p)


def _demand_lone_luck(layer, x, p):
    """Asserts that each weight is dropped on its own, with probability ``p``."""
    layer.eval()
    plain = _run(layer, x, LENGTH)
    layer.train()
    used = _run(layer, x, LENGTH)
    seen = slice(8, None), slice(0, 9)  # of these tokens, all of these are in the past
    dropped = used[:, *seen] == 0
    if not dropped.any():
        if not _close(used, plain):
            said = "in training the weights change, but none is 0"
            raise finding(said, help="What is dropped are the weights, after the softmax.")
        raise AssertionError("in training no weight is dropped")
    found, axis = dependence(dropped, p) or ("", 0)
    assert found != "together", (
        "all sequences lose the same weights",
        "all queries of a sequence lose the same keys",
        "a query loses all its keys or none",
    )[axis]
    share = dropped.double().mean().item()  # of 5,760: one in 10**9 is further off than 0.04
    assert abs(share - p) < 0.04, "the share of weights dropped is not `dropout`"
    assert not found, "weights are not dropped independently of one another"
    assert _close(used.triu(1), 0.0), "in training a token hears what comes after it"
    kept = torch.where(used == 0, 0.0, plain / (1 - p))
    assert _close(used, kept), "in training a weight that is kept is not the weight / (1 - p)"


@pytest.mark.rests_on("after the softmax and before the values are averaged")
def test_causal_gradients_pass_the_dropped_weights(compare, submission, draw):
    """In training, gradients reach x through the weights that were kept."""
    weights, length = _showing_the_weights(draw)
    x = _tokens_with_names(draw).requires_grad_()
    compare(lambda impl: _causal(impl, weights, length)(x))
    layer = _causal(submission, weights, length, dropout=P)
    layer.train()
    answer = _run(layer, x, LENGTH)
    assert (answer[:, 4:, :4] == 0).any(), "in training no weight is dropped"
    cotangent = draw.normal(*answer.shape)
    found = gradient(submission, answer, cotangent, x)
    # The last features of x take no part in the values: their gradients come through the weights.
    through = found is not None and (found[..., LENGTH:] != 0).any()
    assert through, "in training no gradient comes through the weights"
    copy = x.detach().double().requires_grad_()
    query, key, value = (copy @ weights[f"{name}.weight"].double().T for name in NAMES)
    scores = query @ key.mT / math.sqrt(LENGTH)
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=x.device).triu(1)
    shares = scores.masked_fill(later, -torch.inf).softmax(-1)
    factor = torch.where(later, 0.0, answer.double() / shares.masked_fill(later, 1.0)).detach()
    (wanted,) = torch.autograd.grad((((shares * factor) @ value) * cotangent.double()).sum(), copy)
    assert _close(found, wanted), "in training the gradient for x is another"


# Work ---------------------------------------------------------------------------------------------


@pytest.mark.rests_on("no Python loop runs over tokens")
def test_v1_and_v2_take_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens in v1 and v2: 32 tokens take as many torch operations as 8, each
    of them on more numbers."""
    matrices, linears, x = _matrices(draw, 7, 4), _linears(draw, 7, 4), draw.normal(5, 7)
    compare(lambda impl: (_v1(impl, matrices)(x), _v2(impl, linears)(x)))  # right first
    _demand_no_growth(submission, draw, "SelfAttention_v1", lambda impl: _v1(impl, matrices))
    _demand_no_growth(submission, draw, "SelfAttention_v2", lambda impl: _v2(impl, linears))


@pytest.mark.rests_on("no Python loop runs over tokens")
def test_causal_takes_all_tokens_at_once(compare, submission, draw):
    """No Python loop over tokens in CausalAttention either, nor one that writes its mask in every
    call."""
    linears, x = _linears(draw, 7, 4), draw.normal(2, 5, 7)
    compare(lambda impl: _causal(impl, linears, 40)(x))  # right first
    _demand_no_growth(submission, draw, "CausalAttention", lambda impl: _causal(impl, linears, 40))


def _demand_no_growth(submission, draw, name, made):
    def operations(tokens):
        x = draw.normal(2, tokens, 7)

        def probe(impl):
            layer = made(impl)
            for answer in _in_both_modes(layer, x):
                usable(layer, answer, (2, tokens, 4))

        return work_of(submission, probe).operations

    grown = operations(32) - operations(8)
    assert grown < 800, f"{name}: a torch operation or more for every pair of tokens"
    assert grown < 24, f"{name}: a torch operation or more for every token"


# What the checks are made of ----------------------------------------------------------------------

LENGTH = 24


def _demand_random_starts(submission, class_name, names, *args):
    """Each of the parameters ``names`` is random in each of two new layers, and like no other."""
    kind = getattr(submission, class_name)
    first, second = (kind(*args).parameters() for _ in range(2))
    right = set(first) == set(second) == set(names)
    assert right, f"the parameters of {class_name} must be {', '.join(names)}"
    # Memory that nobody has filled holds anything. Several large layers, all kept, soon get some
    # that is as the system gave it, all zeros.
    large = [kind(190, 170, *args[2:]) for _ in range(6)]
    for matrices in (first, second, *(layer.parameters() for layer in large)):
        for matrix in matrices.values():
            some = matrix.flatten()[:: 1 + matrix.numel() // 2048]
            drawn = matrix.isfinite().all() and some.unique().numel() > some.numel() // 2
            drawn = drawn and matrix.abs().max() < 1e4 and matrix.abs().median() > 1e-9
            assert drawn, f"a matrix of {class_name} does not start with random numbers"
    query, key, value = (first[name] for name in names)
    alike = query.equal(key) or key.equal(value) or query.equal(value)
    assert not alike, f"two matrices of a new {class_name} are equal"
    query, key, value = (first[name] / first[name].norm() for name in names)
    along = _close(query, key) or _close(key, value) or _close(query, value)
    assert not along, f"a matrix of a new {class_name} is a multiple of another"
    same = any(first[name].equal(second[name]) for name in names)
    assert not same, f"every new {class_name} starts out the same"


def _in_both_modes(layer, x):
    """The answers in training and after eval(); nothing may be dropped."""
    trained = layer(x)
    layer.eval()
    return trained, layer(x)


def _v1(impl, weights):
    layer = impl.SelfAttention_v1(*weights["W_query"].shape)
    layer.load(weights)
    return layer


def _v2(impl, weights):
    d_out, d_in = weights["W_query.weight"].shape
    biased = {"qkv_bias": True} if "W_query.bias" in weights else {}
    layer = impl.SelfAttention_v2(d_in, d_out, **biased)
    layer.load(weights)
    return layer


def _causal(impl, weights, context_length, dropout=0.0):
    d_out, d_in = weights["W_query.weight"].shape
    biased = {"qkv_bias": True} if "W_query.bias" in weights else {}
    layer = impl.CausalAttention(d_in, d_out, context_length, dropout, **biased)
    layer.load(weights)
    return layer


def _matrices(draw, d_in, d_out):
    return {name: draw.normal(d_in, d_out, scale=0.8) for name in NAMES}


def _linears(draw, d_in, d_out, bias=False):
    weights = {f"{name}.weight": draw.normal(d_out, d_in, scale=0.8) for name in NAMES}
    return weights | ({f"{name}.bias": draw.normal(d_out) for name in NAMES} if bias else {})


def _printed_linears(seed, device):
    """What nn.Linear(3, 2, bias=False) draws three times after this seed."""
    generator = torch.Generator("cpu").manual_seed(seed)
    bound = 1 / math.sqrt(3)
    empty = {f"{name}.weight": torch.empty(2, 3, device="cpu") for name in NAMES}
    return {
        name: weight.uniform_(-bound, bound, generator=generator).to(device)
        for name, weight in empty.items()
    }


def _large(weights, x):
    """Feature 0 of x is 1 and asks, feature 1 answers: scores of +-800 if d_out is 4."""
    x[..., 0] = 1.0
    x[..., 1] = torch.tensor([1.0, -1.0, 0.5, 0.99, -0.5, 1.0], device=x.device)
    weights["W_query"][:, 0] = 0.0
    weights["W_query"][0, 0] = 40.0
    weights["W_key"][:, 0] = 0.0
    weights["W_key"][1, 0] = 40.0
    return weights, x


def _far_apart(x):
    """The same, with queries that find all scores near 800 beside some that find all near -800."""
    x = x.clone()
    x[..., 0] = torch.tensor([1.0, -1.0, -1.0, 1.0, 1.0, -1.0], device=x.device)
    x[..., 1] = torch.linspace(0.99, 1.0, 6, device=x.device)
    return x


def _showing_the_weights(draw):
    """Weights under which a token's value is its name, so that out shows the attention weights."""
    weights = {f"{name}.weight": draw.normal(LENGTH, LENGTH + 3, scale=0.4) for name in NAMES}
    weights["W_value.weight"] = torch.eye(LENGTH, LENGTH + 3).to(weights["W_value.weight"])
    return weights, LENGTH


def _tokens_with_names(draw):
    names = torch.eye(LENGTH).expand(40, LENGTH, LENGTH)
    noise = draw.normal(40, LENGTH, 3)
    return torch.cat([names.to(noise), noise], dim=-1)


def _run(layer, x, width):
    return usable(layer, layer(x), (*x.shape[:-1], width))


def _close(actual, expected):
    expected = torch.as_tensor(expected).to(actual.device).double()
    return torch.allclose(actual.double(), expected, rtol=1e-4, atol=1e-4)
