"""Hidden checks of ``clinic``: what was mended, with how few statements, symptoms and causes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from grader.check import (
    CheckFailed,
    SubmissionRaised,
    finding,
    kind_name,
    load_by_path,
    statements_changed,
    usable,
)

RIGHT = load_by_path(Path(__file__).with_name("right.py"))
REASONS = load_by_path(Path(__file__).with_name("reasons.py"))

MOST_STATEMENTS = 2  # that may differ from what was given
GUESSED = 5  # letters that whoever writes the same one everywhere has right
CLEARLY, NEARLY = 1e-3, 1e-4  # of the larger of 1 and the right answer
TIMES = 8  # that a program is asked, which may draw at random
CALLS = 3  # of a symptom: it must show the fault each time
LARGEST_NUMBER, LARGEST_WHOLE = 100, 64


# The ten functions --------------------------------------------------------------------------------


@pytest.mark.core("norm")
@pytest.mark.points(2)
@pytest.mark.public
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("y = (x - mean) / sqrt(variance + eps) * weight + bias")
def test_norm(compare, draw):
    """norm: every row by its own mean and variance, whatever its width, its scale and eps are."""
    small = torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2)
    compare.norm(*small, eps=3.0)  # so large that its place shows: sqrt(1 + 3) = 2
    compare.norm(*small, eps=0.0)
    for shape in ((3, 2, 5), (3,), (4, 4)):
        x, weight, bias = draw.normal(*shape), draw.normal(shape[-1]), draw.normal(shape[-1])
        compare.norm(x, weight, bias, wrt=[x, weight, bias])
        compare.norm(x * 1e-2, weight, bias, eps=0.1, wrt=[x])
        compare.norm(x + 300, weight, bias)  # squares of large numbers leave nothing of it


@pytest.mark.kept("what was seen at a width of 1 may be mended alone")
@pytest.mark.rests_on("The variance is the mean of the squared distances from the mean")
def test_norm_of_one_number(compare, draw):
    """norm: a row of one number has the variance 0, and gives the bias."""
    compare.norm(draw.normal(2, 1), draw.normal(1), draw.normal(1))


@pytest.mark.core("positions")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("PE(p, 2i) = sin(p / 10000^(2i / d_model))")
def test_positions(compare):
    """positions: both columns of a pair have one wavelength, and it grows from pair to pair."""
    for length, d_model in ((5, 8), (3, 2), (300, 6), (1, 4), (4, 4)):
        compare.positions(length, d_model)


@pytest.mark.core("sublayer")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("A feed-forward network as a pre-norm sub-layer: x + relu(norm(x) w1) w2")
def test_sublayer(compare, draw):
    """sublayer: the residual is x itself, and the network gets the normalised x."""
    for shape, hidden in (((3, 2, 5), 7), ((4,), 3), ((4, 4), 4)):
        x, d = draw.normal(*shape) * 3 + 1, shape[-1]
        weight, bias = draw.normal(d), draw.normal(d)
        w1, w2 = draw.normal(d, hidden), draw.normal(hidden, d)
        compare.sublayer(x, weight, bias, w1, w2, wrt=[x, weight, bias, w1, w2])
        compare.sublayer(x, weight, bias, w1, w2 * 0)


@pytest.mark.core("encoder_layer")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("y = norm(a + relu(a w1) w2)")
def test_encoder_layer(compare, draw):
    """encoder_layer: attention and feed-forward both take part, and every weight has a gradient."""
    for batch, tokens, d, k, h in (((2,), 3, 5, 4, 7), ((), 1, 4, 2, 3), ((4,), 4, 4, 4, 4)):
        x, w_v = draw.normal(*batch, tokens, d), draw.normal(d, d)
        w_q, w_k = draw.normal(d, k), draw.normal(d, k)
        w1, w2 = draw.normal(d, h), draw.normal(h, d)
        every = [x, w_q, w_k, w_v, w1, w2]
        compare.encoder_layer(*every, wrt=every)


@pytest.mark.core("causal_weights")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("the last query sees all keys, the one before it all but the last key")
def test_causal_weights(compare, draw):
    """causal_weights: the last query sees every key, and each one before it one key less."""
    for shape in ((1, 4), (2, 3, 5), (2, 4), (4, 4), (3, 1, 1)):
        scores = draw.normal(*shape) * 4
        compare.causal_weights(scores, wrt=[scores])


@pytest.mark.core("attend")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on(
    "Attention to the keys that are allowed (True = may attend), whose weights sum to 1",
    "one of a key that is not allowed may be larger than all others by hundreds",
)
def test_attend(compare, draw):
    """attend: the weights of the allowed keys sum to 1, however large the score of another is."""
    for batch, queries, keys, d, e in (((2,), 3, 5, 4, 6), ((), 1, 3, 2, 1), ((4,), 4, 4, 4, 4)):
        q, k = draw.normal(*batch, queries, d), draw.normal(*batch, keys, d)
        v, allowed = draw.normal(*batch, keys, e), draw.normal(*batch, queries, keys) > 0
        allowed[..., 0] = True
        compare.attend(q, k, v, allowed, wrt=[q, k, v])
        allowed[..., 1] = False
        for size in (60, 60_000):  # of the first query: its allowed key is the last choice
            k[..., 0, :] = -size * q[..., 0, :]
            k[..., 1, :] = size * q[..., 0, :]
            compare.attend(q, k, v, allowed, wrt=[v])


@pytest.mark.core("cross")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on(
    "Cross-attention: queries from x, keys and values from memory, in heads heads"
)
def test_cross(compare, draw):
    """cross: memory may be longer than the sentence that asks, or as long."""
    for batch, tokens, keys, heads in ((2, 3, 5, 2), (1, 1, 2, 1), (4, 4, 4, 4)):
        compare_cross(compare, draw, batch, tokens, keys, heads)


@pytest.mark.kept("a short memory may be filled up, where a long one is read as it should")
@pytest.mark.rests_on(
    "Cross-attention: queries from x, keys and values from memory, in heads heads"
)
def test_cross_with_a_short_memory(compare, draw):
    """cross: memory may be shorter than the sentence that asks."""
    compare_cross(compare, draw, 2, 4, 2, 3)


def compare_cross(compare, draw, batch, tokens, keys, heads):
    x, memory, n = draw.normal(batch, tokens, 5), draw.normal(batch, keys, 7), 6 * heads
    weights = draw.normal(5, n), draw.normal(7, n), draw.normal(7, n)
    compare.cross(x, memory, *weights, heads, wrt=[x, memory, *weights])


@pytest.mark.core("next_probabilities")
@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("the probabilities of the token that follows its last one")
def test_next_probabilities(compare, draw):
    """next_probabilities: each text has probabilities of its own, which sum to 1."""
    for shape in ((3, 4, 5), (1, 2, 6), (2, 1, 3), (4, 4, 4)):
        logits = draw.normal(*shape) * 3
        compare.next_probabilities(logits, wrt=[logits])


@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("Where training is False, nothing is dropped")
def test_feed_forward(compare, draw):
    """feed_forward: in eval mode nothing is dropped, and two calls agree."""
    x, w1, w2 = draw.normal(2, 3, 5), draw.normal(5, 7), draw.normal(7, 4)
    for p, training in ((0.4, False), (0.9, False), (0.0, True)):
        compare.feed_forward(x, w1, w2, p, training, wrt=[x, w1, w2])


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "Where training is False, nothing is dropped",
    "In training the units that are kept are divided by 1 - p",
)
def test_dropout_of_feed_forward(compare, submission, draw):
    """feed_forward: in eval mode nothing is dropped, and in training some hidden units are."""
    x, w1, w2 = draw.normal(2, 5), draw.normal(5, 7), draw.normal(7, 4)
    ones, unit = torch.ones(40, 1), torch.eye(30)
    units = submission.feed_forward(ones, torch.ones(1, 30), unit, 0.2, True)
    usable(submission, units, (40, 30))
    kept = units != 0
    assert (units[kept] - 1.25).abs().max() < 1e-4, "a unit that is kept is divided by 1 - p"
    share = kept.float().mean().item()
    assert abs(share - 0.8) < 0.08, (
        f"in training with p = 0.2, {'none' if share == 1 else 'too many or too few'} of the "
        "hidden units are dropped"
    )
    sums = submission.feed_forward(ones, torch.ones(1, 30), torch.ones(30, 1), 0.2, True)
    usable(submission, sums, (40, 1))
    all_or_none = (sums < 1) | (sums > 30 * 1.25 - 1)
    assert all_or_none.float().mean() < 0.5, (
        "in training the output is dropped as a whole: dropout acts on the hidden units, before w2"
    )
    compare.feed_forward(x, w1, w2, 0.5, False)  # at last: the fault that was given


@pytest.mark.points(2)
@pytest.mark.kept("the definition of the function")
@pytest.mark.rests_on("each position predicts the token after it")
def test_loss(compare, draw):
    """loss: the mean cross-entropy of each position with the token after it."""
    for batch, tokens, vocabulary in ((2, 4, 5), (1, 2, 3), (4, 4, 4)):
        logits = draw.normal(batch, tokens, vocabulary) * 3
        wanted = draw.integers(0, vocabulary, (batch, tokens))
        compare.loss(logits, wanted, wrt=[logits])
        compare.loss(logits * 100, wanted)  # shares that are 0 in float32, and have a logarithm


# How it was mended --------------------------------------------------------------------------------


@pytest.mark.points(5)
@pytest.mark.rests_on("one statement is wrong, and at most two may differ from what was given")
def test_few_statements_differ(submission, reference, given, draw):
    """A function that is right now differs from what was given in two statements at most."""
    faults = [
        fault
        for name, inputs in small_inputs(draw).items()
        if (fault := rewritten(submission, reference, given, name, inputs))
    ]
    if faults:
        anew = [fault for fault in faults if not fault.endswith(NOT_YET)]
        waiting = len(faults) - len(anew)
        asked = len(REASONS.LETTERS)
        done = asked - len(faults)
        so_far = (
            f"So far {done} of {asked} answer a small input rightly, with few statements changed."
        )
        said = f"{(anew or faults)[0]}. {so_far}"
        # Which others are not mended yet says nothing of how one was.
        raise finding(said, seen=NOT_YET if waiting else anew[0], earned=done / asked, of_all=True)


NOT_YET = "is not mended yet"


def rewritten(submission, reference, given, name, inputs):
    """What is wrong with how a function was mended; empty if nothing is."""
    wanted = getattr(reference, name)(*inputs)
    try:
        found = usable(submission, getattr(submission, name)(*inputs), wanted.shape)
    except (CheckFailed, SubmissionRaised):
        return f"{name} {NOT_YET}"
    if not torch.allclose(found, wanted, rtol=1e-3, atol=1e-4):
        return f"{name} {NOT_YET}"
    changed = statements_changed(submission, given, name)
    if changed is None:
        return f"There is no `def {name}` in your file: mend the function where it was given"
    if changed == 0:
        return (
            f"{name} is right, and all of its statements are those that were given: it is mended "
            f"somewhere else. Mend it where it stands"
        )
    if changed > MOST_STATEMENTS:
        return (
            f"{name} is right, but {changed} of its statements differ from what was given, where "
            f"one is wrong: find that one"
        )
    return ""


def small_inputs(draw):
    """One call of each function that the given one answers wrongly."""
    row, square = draw.normal(2, 3), draw.normal(3, 3)
    allowed = torch.tensor([[True, False, True], [False, True, True]])
    return {
        "norm": (row, draw.normal(3), draw.normal(3)),
        "positions": (3, 4),
        "sublayer": (row + 2, draw.normal(3), draw.normal(3), draw.normal(3, 4), draw.normal(4, 3)),
        "encoder_layer": (
            row,
            square,
            square + 1,
            square - 1,
            draw.normal(3, 9),
            draw.normal(9, 3),
        ),
        "causal_weights": (draw.normal(2, 5),),
        "attend": (row, square, draw.normal(3, 2), allowed),
        "cross": (row[None], draw.normal(1, 4, 3), square, square + 1, square - 1, 3),
        "next_probabilities": (draw.normal(2, 3, 4),),
        "feed_forward": (row.abs(), square.abs(), square, 0.7, False),
        "loss": (draw.normal(2, 3, 5) * 3, draw.integers(0, 5, (2, 3))),
    }


# Symptoms -----------------------------------------------------------------------------------------


@pytest.mark.rests_on("x, weight and bias that show it, with at most 9 numbers in all")
def test_symptom_of_norm(submission, reference, given):
    """symptom_norm: a small input that the given norm answers wrongly."""
    demand_symptom(submission, reference, given, "norm", 9)


@pytest.mark.rests_on("length and d_model that show it: a table of at most 4 numbers")
def test_symptom_of_positions(submission, reference, given):
    """symptom_positions: a small table in which the given one is wrong."""
    demand_symptom(submission, reference, given, "positions", 4)


@pytest.mark.rests_on("that show it, with at most 16 numbers")
def test_symptom_of_sublayer(submission, reference, given):
    """symptom_sublayer: a small input that the given sublayer answers wrongly."""
    demand_symptom(submission, reference, given, "sublayer", 16)


@pytest.mark.rests_on("All six arguments, so that they show it, with at most 48 numbers in all")
def test_symptom_of_encoder_layer(submission, reference, given):
    """symptom_encoder_layer: a small input on which the feed-forward network makes a difference."""
    demand_symptom(submission, reference, given, "encoder_layer", 48)


@pytest.mark.rests_on("scores that show it, at most 6 numbers")
def test_symptom_of_causal_weights(submission, reference, given):
    """symptom_causal_weights: small scores that the given function masks wrongly."""
    demand_symptom(submission, reference, given, "causal_weights", 6)


@pytest.mark.rests_on("that show it, with at most 12 numbers in all")
def test_symptom_of_attend(submission, reference, given):
    """symptom_attend: a small input that the given attend answers wrongly."""
    demand_symptom(submission, reference, given, "attend", 12)


@pytest.mark.rests_on("that they show it, with at most 16 numbers in the tensors")
def test_symptom_of_cross(submission, reference, given):
    """symptom_cross: two short sentences that the given cross cannot answer rightly."""
    demand_symptom(submission, reference, given, "cross", 16)


@pytest.mark.rests_on("logits that show it, at most 4 numbers")
def test_symptom_of_next_probabilities(submission, reference, given):
    """symptom_next_probabilities: a few logits that the given function answers wrongly."""
    demand_symptom(submission, reference, given, "next_probabilities", 4)


@pytest.mark.rests_on("It must show the fault each time it is run")
def test_symptom_of_feed_forward(submission, reference, given):
    """symptom_feed_forward: a small input that the given function answers wrongly every time."""
    demand_symptom(submission, reference, given, "feed_forward", 12)


@pytest.mark.rests_on("logits and tokens that show it, with at most 12 numbers in all")
def test_symptom_of_loss(submission, reference, given):
    """symptom_loss: a few logits and tokens for which the given loss is wrong."""
    demand_symptom(submission, reference, given, "loss", 12)


def demand_symptom(submission, reference, given, name, most):
    """Raises what is wrong with the arguments that a learner returns for the function ``name``, in
    any of several calls.
    """
    ask = getattr(submission, f"symptom_{name}")
    for _ in range(CALLS):
        inputs = arguments(ask(), name, most)
        examine_symptom(reference, given, name, inputs)


def examine_symptom(reference, given, name, inputs):
    asked = f"symptom_{name}"
    if name == "feed_forward" and promised(name, inputs) == BELOW_ONE:
        raise refuse(asked, "is not what the function takes", BELOW_ONE)
    right = answer(getattr(reference, name), inputs)
    if right is None:
        why = promised(name, inputs) or "call it yourself, and read what it says"
        raise refuse(asked, "raises an error in the right function", why)
    again, other = getattr(reference, name), getattr(RIGHT, name)
    others = [answer(one, inputs) for one in (again, other) * TIMES]
    others.append(answer(other, doubled(inputs)))
    if not all(differ(right, found) < NEARLY for found in others):
        left_open = "what the page leaves open, or what chance or rounding decides, is no symptom"
        raise refuse(asked, "tells right programs apart", promised(name, inputs) or left_open)
    apart = min(differ(right, answer(getattr(given, name), inputs)) for _ in range(TIMES))
    if apart < NEARLY:
        raise refuse(
            asked, "hides the fault: the given function is right there", hidden(name, inputs)
        )
    if apart < CLEARLY:
        raise refuse(asked, f"shows the fault faintly, by {apart:.0e}", "make it larger")


SAME = "Both give the same here: print what each of them returns."


def hidden(name, inputs):
    """Why an input shows nothing, where that can be seen by looking at it."""
    return next((why for is_so, why in HIDDEN.get(name, ()) if is_so(*inputs)), SAME)


def always(*inputs):
    return True


def normalised(x, weight, bias, *others):
    return bool((F.layer_norm(x, x.shape[-1:], weight, bias) - x).abs().max() < NEARLY)


def fed(x, w_q, w_k, w_v, w1, w2):
    """The hidden units of an encoder layer's feed-forward network, and what it adds."""
    attention = F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    hidden = F.relu(F.layer_norm(x + attention, x.shape[-1:]) @ w1)
    return hidden, hidden @ w2


HIDDEN = {
    "norm": [
        (lambda x, *others: bool((x == x[..., :1]).all()), "All numbers of a row are equal."),
    ],
    "positions": [
        (lambda length, d_model: not length * d_model, "Your table is empty."),
        (lambda length, d_model: length == 1, "At position 0 every angle is 0."),
    ],
    "sublayer": [(normalised, "x and norm(x) are the same.")],
    "encoder_layer": [
        (
            lambda x, w_q, w_k, w_v, w1, w2: not (w1.any() and w2.any()),
            "With w1 or w2 of zeros the feed-forward network adds nothing.",
        ),
        (
            lambda x, w_q, w_k, w_v, w1, w2: x.shape[-1] < 3,
            "With fewer than 3 columns every row comes out of a norm as -1 and 1, or as zeros.",
        ),
        (
            lambda *inputs: not bool((fed(*inputs)[0] > NEARLY).any()),
            "All hidden units are 0: relu leaves nothing of norm(...) w1.",
        ),
        (
            lambda *inputs: bool((fed(*inputs)[1].abs() < CLEARLY).all()),
            "What the feed-forward network adds is 0, or nearly so.",
        ),
        (always, "The last norm takes away a constant, and any multiple of its input."),
    ],
    "causal_weights": [
        (
            lambda scores: scores.shape[-1] == scores.shape[-2],
            "With as many queries as keys both masks are the same.",
        ),
        (always, "The keys that it hides wrongly get no weight anyway: let the scores be equal."),
    ],
    "attend": [
        (lambda q, k, v, allowed: bool(allowed.all()), "Every key may be attended to here."),
        (lambda q, k, v, allowed: not v.any(), "All values are 0."),
        (always, "The keys that are not allowed get no weight anyway, or the values hide it."),
    ],
    "cross": [
        (
            lambda x, memory, *others: x.shape[1] == memory.shape[1],
            "With equal lengths the two are the same.",
        ),
    ],
    "next_probabilities": [
        (lambda logits: logits.shape[-1] == 1, "The only token there is has the probability 1."),
        (always, "Along the batch the same shares come out by luck."),
    ],
    "feed_forward": [
        (lambda x, w1, w2, p, training: not p, "With p = 0 nothing is dropped."),
        (
            lambda x, w1, w2, p, training: not bool((x @ w1 > 0).any()),
            "All hidden units are 0: nothing of x w1 passes relu, and dropout changes no 0.",
        ),
        (
            lambda x, w1, w2, p, training: not (F.relu(x @ w1)[..., None] * w2).any(),
            "The hidden units that are not 0 meet a 0 in w2, so nobody sees whether they drop.",
        ),
        (
            lambda x, w1, w2, p, training: p < 0.01,
            "With so small a p mostly nothing is dropped, and what is kept hardly grows.",
        ),
        (always, "In some draws what is kept, divided by 1 - p, is right by chance."),
    ],
    "loss": [
        (
            lambda logits, tokens: bool((logits[:, :-1] == logits[:, :-1, :1]).all()),
            "With equal logits every softmax gives the same, once or twice.",
        ),
    ],
}  # fmt: skip


def promised(name, inputs):
    """What the page promises of the arguments and these break; empty where nothing is seen."""
    for argument, value in zip(NAMES[name].split(), inputs, strict=True):
        if (argument in NO_TENSORS) is isinstance(value, torch.Tensor):
            kind = NO_TENSORS.get(argument, "a tensor")
            return f"as {argument}, the page takes {kind}, and yours is {kind_name(value)}"
        if argument in NO_TENSORS:
            continue
        if argument == "allowed":
            if value.dtype != torch.bool:
                return "the page wants True and False in allowed, and yours holds numbers"
        elif argument == "tokens":
            whole = not value.is_floating_point() and value.dtype != torch.bool
            vocabulary = inputs[0].shape[-1]
            if not (whole and bool(((value >= 0) & (value < vocabulary)).all())):
                return "tokens are whole numbers from 0 to V - 1"
        elif not value.is_floating_point():
            return f"the page wants floats in {argument}: write 1.0 where you wrote 1"
        axes = AXES.get((name, argument))
        if axes and value.ndim != len(axes):
            said = "the page gives {} the axes {}, and yours has {} in all"
            return said.format(argument, ", ".join(axes), value.ndim)
    return next((why for is_so, why in PROMISED.get(name, ()) if is_so(*inputs)), "")


NAMES = {
    "norm": "x weight bias", "positions": "length d_model", "sublayer": "x weight bias w1 w2",
    "encoder_layer": "x w_q w_k w_v w1 w2", "causal_weights": "scores", "attend": "q k v allowed",
    "cross": "x memory w_q w_k w_v heads", "next_probabilities": "logits",
    "feed_forward": "x w1 w2 p training", "loss": "logits tokens",
}  # fmt: skip
NO_TENSORS = {
    "length": "a number", "d_model": "a number", "heads": "a number", "p": "a number",
    "training": "True or False",
}  # fmt: skip
AXES = {
    ("cross", "x"): "BTd", ("cross", "memory"): "BSm", ("cross", "w_q"): "dn",
    ("cross", "w_k"): "mn", ("cross", "w_v"): "mn", ("loss", "logits"): "BTV",
    ("loss", "tokens"): "BT", ("next_probabilities", "logits"): "BTV",
}  # fmt: skip
BELOW_ONE = "By its docstring, p is a probability below 1."
PROMISED = {
    "positions": [
        (lambda length, d_model: d_model % 2 == 1, "By its docstring, d_model is even."),
    ],
    "causal_weights": [
        (lambda scores: scores.ndim < 2, "There is an axis of queries, and one of keys."),
        (
            lambda scores: scores.shape[-2] > scores.shape[-1],
            "There are at least as many keys as queries, as the docstring says.",
        ),
    ],
    "attend": [
        (
            lambda q, k, v, allowed: not bool(allowed.any(-1).all()),
            "Every query has an allowed key, as the docstring says.",
        ),
    ],
    "cross": [
        (
            lambda x, memory, w_q, w_k, w_v, heads: heads < 1 or w_q.shape[-1] % heads,
            "The width cannot be divided among so many heads.",
        ),
    ],
    "feed_forward": [
        (lambda x, w1, w2, p, training: not 0 <= p < 1, BELOW_ONE),
        (
            lambda x, w1, w2, p, training: training,
            "In training right programs draw at random as well.",
        ),
    ],
    "loss": [
        (
            lambda logits, tokens: tokens.shape[-1] < 2,
            "A text of one token has none that follows: the mean of no numbers is NaN.",
        ),
    ],
}  # fmt: skip


def refuse(asked, what, why):
    sentence = f"What {asked} returns {what}. {why[0].upper()}{why[1:]}"
    return finding(sentence.rstrip(".?") + ("?" if why.endswith("?") else "."), seen=sentence)


def arguments(found, name, most):
    """The arguments in a learner's answer, floating tensors as float32; raises if they are none."""
    asked, count = f"symptom_{name}", ARGUMENTS[name]
    if not isinstance(found, (tuple, list)) or len(found) != count:
        got = f"{len(found)} values" if isinstance(found, (tuple, list)) else kind_name(found)
        got += ", and a tuple of one has a comma: (x,)" if count == 1 else ""
        raise refuse(asked, f"is not a tuple of {count}", f"it is {got}")
    numbers = 0
    for value in found:
        if isinstance(value, torch.Tensor):
            numbers += value.numel()
            odd = value.is_complex() or not bool((value.float().abs() <= LARGEST_NUMBER).all())
        elif isinstance(value, bool):
            odd = False
        elif isinstance(value, int):
            odd = not 0 <= value <= LARGEST_WHOLE
        else:
            odd = not isinstance(value, float) or not abs(value) <= LARGEST_NUMBER
        if odd:
            raise refuse(
                asked, "holds something else than numbers from -100 to 100", "see the page"
            )
    if name == "positions":
        if not all(type(value) is int for value in found):
            raise refuse(asked, "holds something else than whole numbers", "see the page")
        numbers = math.prod(found)
    if numbers > most:
        raise refuse(asked, f"holds {numbers} numbers", f"at most {most} are enough")
    plain = [v.detach().cpu() if isinstance(v, torch.Tensor) else v for v in found]
    return [v.float() if floats(v) else v for v in plain]


ARGUMENTS = {
    "norm": 3, "positions": 2, "sublayer": 5, "encoder_layer": 6, "causal_weights": 1,
    "attend": 4, "cross": 6, "next_probabilities": 1, "feed_forward": 5, "loss": 2,
}  # fmt: skip


def floats(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def doubled(inputs):
    return [value.double() if floats(value) else value for value in inputs]


def answer(function, inputs):
    """What a program of ours returns; None where it raises an error."""
    try:
        with torch.device("cpu"):  # a symptom is small, and its learner made it there
            found = function(*inputs)
    except (SubmissionRaised, RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError):
        return None
    return found.detach().double() if isinstance(found, torch.Tensor) else None


def differ(right, other):
    """By how much, as a part of the larger of 1 and the right answer; NaN differs from all."""
    if other is None or other.shape != right.shape or not right.numel():
        return math.inf if right.numel() else 0.0
    apart = (right - other).abs().max() / right.abs().max().clamp(min=1)
    return apart.nan_to_num(math.inf).item()


# Causes -------------------------------------------------------------------------------------------


@pytest.mark.points(5)
@pytest.mark.rests_on("names the cause of each, by one letter of A to E")
def test_causes(submission):
    """causes: the letter that explains all that was seen."""
    found = submission.causes()
    if not isinstance(found, dict):
        raise finding(f"causes returned {kind_name(found)}: a dict of letters is asked for.")
    said = {name: str(found.get(name, "")).strip().upper() for name in REASONS.LETTERS}
    wrong = [name for name, letter in REASONS.LETTERS.items() if said[name] != letter]
    if not wrong:
        return
    name, letter = wrong[0], said[wrong[0]]
    why = REASONS.NOT[name].get(letter, "One letter of A to E is asked for.")
    others = [key for key in found if key not in REASONS.LETTERS]
    if name not in found and others:
        why = f"Its key is the name of the function and nothing else, {name!r}."
    right = len(said) - len(wrong) - GUESSED
    raise finding(
        f"The cause in {name} is not {letter or 'named'}. {why}",
        seen=f"{name} {letter}",
        earned=max(0.0, right / (len(said) - GUESSED)),
    )
