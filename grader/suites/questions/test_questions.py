"""Hidden checks of ``questions``; ``truth.py`` says which statements hold."""

from __future__ import annotations

import inspect
import math
from pathlib import Path

import pytest

from grader.check import CheckFailed, finding, kind_name, load_by_path

TRUTH = load_by_path(Path(__file__).with_name("truth.py"))

# What is asked ------------------------------------------------------------------------------------


def number(draw, low, high):
    """A whole number, low <= n <= high."""
    return int(draw.integers(low, high + 1, ()))


def real(draw, low, high):
    """A number with three decimals, so that a message can print it whole."""
    return round(float(draw.uniform(low=low, high=high)), 3)


def one_of(draw, *options):
    return options[number(draw, 0, len(options) - 1)]


def shuffled(draw, cases):
    return [cases[index] for index in draw.permutation(len(cases)).tolist()]


def scaling_cases(draw):
    low, high = (16, 25, 36, 48, 64, 80), (512, 576, 768, 1024)
    groups = low, (144, 160), (184, 192, 196), (208, 216), high  # thresholds: 100, 200
    return [(one_of(draw, *group),) for group in groups]


def similarity_cases(draw):
    x, y = (real(draw, 4.0, 6.0) for _ in range(2))
    cosine, less = real(draw, 0.6, 0.9), real(draw, 0.7, 0.9)
    return [
        (round(y * cosine * less, 3), y, cosine),
        (x, round(x * cosine * less, 3), cosine),
        (x, round(x * 1.05, 3), cosine),
        (y, round(y * cosine * less, 3), -cosine),
        (2 * x, round(2.2 * x / cosine, 3), cosine),
        (round(2.2 * x / cosine, 3), 2 * x, cosine),
        (round(y * cosine * less, 3), y, -cosine),
    ]


def long_context_cases(draw):
    few, some, more, many = (number(draw, *c) for c in ((4, 9), (20, 90), (200, 900), (2000, 9000)))
    return [
        (few, round(math.log(few - 0.5), 3)),
        (few, round(math.log(few - 1.5), 3)),
        (some, round(math.log(some) + real(draw, 0.2, 1.8), 3)),
        (more, round(math.log(more) - real(draw, 0.2, 2.0), 3)),
        (more, round(math.log(8 * more) + real(draw, 0.3, 3.0), 3)),
        (some, round(math.log(9 * some), 3)),
        (many, round(math.log(7 * many), 3)),
        (few, round(real(draw, 0.2, 0.8), 3)),  # a small gap is a gap
    ]


def temperature_cases(draw):
    ranges = (0.2, 0.85), (0.95, 0.98), (1.05, 1.9), (2.5, 6.0)  # thresholds: 0.910 and 1
    return [(real(draw, *low_and_high),) for low_and_high in ranges]


def family_cases(draw):
    return [(family,) for family in ("encoder-only", "decoder-only", "encoder-decoder")]


def parallel_cases(draw):
    return [
        (part, phase) for part in ("encoder", "decoder") for phase in ("training", "generation")
    ]


def distance_cases(draw):
    short, wide = number(draw, 4, 9), number(draw, 15, 40)
    return [
        (4 * short - 4, short),
        (4 * short - 3, short),
        (4 * wide - 4 - number(draw, 1, 4), wide),
        (4 * wide - 4 + number(draw, 1, 4), wide),
        (number(draw, 34, 42), number(draw, 15, 30)),
        (number(draw, 46, 60), number(draw, 3, 9)),
    ]


def cost_cases(draw):
    return [
        (number(draw, 380, 490), one_of(draw, 512, 576, 640)),
        (number(draw, 530, 700), one_of(draw, 960, 1024, 1280)),
        (number(draw, 270, 490), 256),
        (number(draw, 540, 990), 512),
        (number(draw, 130, 158), 64),
        (number(draw, 530, 1200), one_of(draw, 96, 128, 192)),
    ]


def heads_cases(draw):
    return [
        one_of(draw, (64, 1), (128, 2)),
        one_of(draw, (256, 4), (384, 6), (512, 8), (768, 12), (1024, 16)),
        one_of(draw, (256, 8), (128, 4), (192, 6), (256, 16)),
        one_of(draw, (512, 4), (1024, 8), (512, 2), (1024, 32)),
    ]


def block_cases(draw):
    few, many = one_of(draw, 56, 64, 80, 96), one_of(draw, 104, 112, 120)
    return [
        (few, few + number(draw, 8, few - 8)),
        (few, few * one_of(draw, 3, 4)),
        (many, many + number(draw, 8, many - 8)),
        (many, many * one_of(draw, 3, 4)),
    ]


def order_cases(draw):
    return [(positions, causal) for positions in (False, True) for causal in (False, True)]


def mask_cases(draw):
    few, many = number(draw, 3, 7), number(draw, 12, 40)
    return [
        (2 * few + 1, few),
        (2 * few + 1, few - 1),
        (2 * many + 1, many),
        (2 * many + 1, many - 1),
        (number(draw, 70, 90), 8),
        (number(draw, 70, 90), 10),
        (number(draw, 12, 40), 0),
        (many, many - 1),
    ]


def window_cases(draw):
    early = one_of(draw, (1, 3), (1, 4), (2, 4))
    late = one_of(draw, (3, 2), (4, 3), (5, 4), (7, 4), (6, 2))
    edge = one_of(draw, (1, 2), (2, 3), (3, 4))
    return [
        (*early, real(draw, 1.0, 4.0)),
        (*early, real(draw, 6.5, 20.0)),
        (*late, real(draw, 1.0, 4.0)),
        (*late, real(draw, 6.5, 20.0)),
        (*edge, real(draw, 6.5, 20.0)),
        (1, 3, real(draw, 5.55, 5.65)),  # 5.694 gives the six outside 1 %
        (1, 2, real(draw, 5.72, 5.82)),
        (*one_of(draw, (4, 3), (5, 4), (7, 4)), real(draw, 5.2, 5.8)),
    ]


def residual_cases(draw):
    return [
        (real(draw, 0.55, 0.9),),
        (real(draw, 1.1, 1.9),),
        (real(draw, 4.7, 5.4),),
        (real(draw, 5.9, 6.4),),
        (float(number(draw, 20, 2000)),),
    ]


def output_projection_cases(draw):
    return [
        one_of(draw, (48, 1), (64, 1), (96, 1)),
        one_of(draw, (256, 1), (512, 1), (512, 2), (1024, 2)),
        one_of(draw, (256, 4), (512, 8), (768, 12)),
        one_of(draw, (128, 2), (192, 2)),
        one_of(draw, (384, 3), (768, 3)),
        one_of(draw, (512, 4), (1024, 8), (2048, 16)),
    ]


def norm_place_cases(draw):
    return [(True,), (False,)]


def batch_norm_cases(draw):
    return [
        (number(draw, 2, 10), number(draw, 5, 45)),
        (number(draw, 10, 12), number(draw, 55, 80)),
        (number(draw, 20, 64), number(draw, 60, 128)),
        (number(draw, 80, 110), number(draw, 13, 16)),
    ]


def dropout_cases(draw):
    phases = "training", "evaluation"
    few, many = real(draw, 0.05, 0.3), real(draw, 0.36, 0.9)
    return [(p, phase) for p in (few, many) for phase in phases]


def divergence_cases(draw):
    return [
        (real(draw, 0.75, 0.85), real(draw, 0.62, 0.72)),
        (real(draw, 0.3, 0.4), real(draw, 0.8, 0.9)),
        (real(draw, 0.85, 0.9), real(draw, 0.93, 0.96)),
        (real(draw, 0.6, 0.7), real(draw, 0.1, 0.2)),
        (real(draw, 0.45, 0.55), real(draw, 0.64, 0.7)),
        (real(draw, 0.69, 0.71), real(draw, 0.59, 0.61)),
    ]


def prefix_cases(draw):
    few, many = number(draw, 4, 9), number(draw, 40, 90)
    return [(1, many), (many, few), (few, many), (2 * many, many), (3 * many, many), (1, 1)]


def sliding_window_cases(draw):
    window, layers = number(draw, 20, 40), number(draw, 4, 9)
    reach = 1 + layers * (window - 1)
    return [
        (reach, window, layers),
        (reach + 1, window, layers),
        (14 * window, window, 15),
        (14 * window, window, 3),
        (7 * window, window, 8),
        (7 * window, window, 2),
        (94 * window // 10, window, 10),
        (10 * window, window, 2),
    ]


def position_cases(draw):
    most, words = 2 ** number(draw, 9, 11), number(draw, 5_000, 60_000)
    letters = number(draw, 60, 400)
    return [
        (most, most, words),
        (most + 1, most, letters),
        (number(draw, 20, 500), most, letters),
        (number(draw, 3_000, 9_000), most, words),
    ]


ALL_FIVE = (
    "All five letters are in each of your answers. `letters` takes True or False: any text counts "
    'as true, "no" as well.'
)


def choose(submission, draw, truth, cases):
    """Ask a choice question for every case, then go through its statements one by one.

    Of the points, each wrong letter takes a part, one of as many as there are statements that
    depend on the numbers: so whoever answers the same in every case earns nothing.
    """
    question, names = truth.__name__, list(inspect.signature(truth).parameters)
    asked = shuffled(draw, cases)
    answers = [chosen(submission, question, case) for case in asked]
    everything = all(len(answer) == 5 for answer in answers)
    for letter in "ABCDE":
        for case, answer in zip(asked, answers, strict=True):
            holds, named = truth(*case)[letter], letter in answer
            if holds is not named:
                given = ", ".join(f"{n} = {value}" for n, value in zip(names, case, strict=True))
                wrong = f"leaves out {letter}, which holds"
                if named:
                    wrong = f"includes {letter}, which does not hold"
                said = f"{question}: for {given} your answer {wrong}."
                wanted = f"{letter} {'in' if holds else 'not in'} it"
                earned = share(list(zip([truth(*case) for case in asked], answers, strict=True)))
                seen = (question, letter, "everything") if everything else (question, letter)
                help_ = ALL_FIVE if everything else ""
                raise finding(said, wanted, repr(answer), help_, seen=seen, earned=earned)


def share(found):
    """The part of the points that answers earn of which a letter is wrong; ``found`` are pairs of
    what holds and what was answered.
    """
    moving = sum(len({holds[letter] for holds, _ in found}) == 2 for letter in "ABCDE")
    wrong = sum(
        any(holds[letter] != (letter in "".join(answer)) for holds, answer in found)
        for letter in "ABCDE"
    )
    return max(0.0, 1 - wrong / moving)


def chosen(submission, question, case):
    """The letters of one answer, in upper case, if it is an answer at all."""

    def refuse(said, evidence, answer=""):
        wanted = 'the letters of all true statements as one string, like "ACE"'
        help_ = "`letters` makes such a string: see the top of the page."
        return finding(f"{question} returned {said}.", wanted, answer, help_, seen=evidence)

    try:
        answer = getattr(submission, question)(*case)
    except CheckFailed as error:
        if error.evidence.kind == "refused":
            name = error.evidence.actual
            raise refuse(name if " " in name else f"a {name}", name) from error
        raise
    if not isinstance(answer, str):
        raise refuse(kind_name(answer), type(answer).__name__)
    strange = answer.upper().strip("ABCDE")
    if strange != "":
        sign = strange[0]
        said = f"{sign!r}, which is none of A to E; nothing else stands in an answer"
        raise refuse(said, sign, repr(answer))
    answer = answer.upper()
    for letter in "ABCDE":
        if answer.count(letter) > 1:
            raise refuse(f"{letter} more than once", "twice", repr(answer))
    return answer


# Numeric questions --------------------------------------------------------------------------------


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on(">>> round(largest_weight(4, gap=math.log(9)), 4) # 9 shares of 12 0.75")
def test_examples_of_scores(compare):
    """The examples of the standard deviation, the weight, the gap and the entropy come out."""
    compare.score_standard_deviation(64, 1.0, scaled=False)
    compare.score_standard_deviation(64, 1.0, scaled=True)
    compare.largest_weight(4, gap=math.log(9))
    compare.gap_for_weight(4, weight=0.75)
    compare.entropy_of_weights(3, largest=0.5)


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on(">>> wrapper_d_out(12, num_heads=3) 4")
def test_examples_of_models(compare):
    """The examples of the perplexity, the wrapper and the memory of training come out."""
    compare.perplexity(0.5, tokens=2, vocabulary=16)
    compare.wrapper_d_out(12, num_heads=3)
    compare.training_bytes(1_000, "adam", mixed=True)
    compare.training_operations(1_000, tokens=10, part="both")


@pytest.mark.public
@pytest.mark.kept("the page's own examples, for a first answer")
@pytest.mark.rests_on('>>> operations_per_layer("convolution", tokens=10, width=4, kernel=3) 480')
def test_examples_of_counting(compare):
    """The examples of the steps, the path and the operations come out."""
    compare.sequential_steps("recurrent", "generation", source=5, target=7)
    compare.path_length("convolution", distance=7, kernel=3)
    compare.operations_per_layer("convolution", tokens=10, width=4, kernel=3)


@pytest.mark.core("score_standard_deviation")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("the standard deviation of a score q . k, divided by sqrt(d_k) if scaled")
def test_score_standard_deviation(compare, draw):
    """The standard deviation of a score, for your d_k and sigma, with and without the scaling."""
    for d_k in (number(draw, 10, 90), number(draw, 100, 900)):
        for sigma in (real(draw, 0.3, 0.7), real(draw, 1.5, 3.0), 1.0):
            for scaled in (False, True):
                compare.score_standard_deviation(d_k, sigma, scaled)


@pytest.mark.core("largest_weight")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("the softmax weight of a score that stands gap above the tokens - 1 others")
def test_largest_weight(compare, draw):
    """The softmax weight of one outstanding score, for your numbers of tokens and gaps."""
    for low, high in ((2, 9), (20, 90), (200, 900)):
        tokens = number(draw, low, high)
        for gap in (0.0, real(draw, 0.3, 3.0), real(draw, 4.0, 12.0)):
            compare.largest_weight(tokens, gap)
    compare.largest_weight(3, 50.0)


@pytest.mark.core("gap_for_weight")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("how far above the others must a score stand for this weight")
def test_gap_for_weight(compare, draw):
    """The gap that gives a score your weight among your number of tokens."""
    for low, high in ((2, 9), (20, 90), (200, 900)):
        tokens = number(draw, low, high)
        for weight in (real(draw, 0.02, 0.1), 0.5, real(draw, 0.6, 0.99)):
            compare.gap_for_weight(tokens, weight)


@pytest.mark.core("entropy_of_weights")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("the entropy -sum_j w_j log w_j of weights of which one is largest, in nats")
def test_entropy_of_weights(compare, draw):
    """The entropy in nats, for your numbers: from equal weights to a single one."""
    for low, high in ((2, 9), (20, 90), (200, 900)):
        tokens = number(draw, low, high)
        for largest in (real(draw, 0.55, 0.75), real(draw, 0.8, 0.99), 1 / tokens, 1.0):
            compare.entropy_of_weights(tokens, largest)


@pytest.mark.core("sequential_steps")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("how many steps must follow one another to process a pair of sentences")
def test_sequential_steps(compare, draw):
    """What can be parallel, and what cannot: steps for sentences of your lengths."""
    source, target = number(draw, 5, 20), number(draw, 25, 60)
    for lengths in ((source, target), (target, source), (1, 3)):
        for model in ("recurrent", "transformer"):
            for phase in ("training", "generation"):
                compare.sequential_steps(model, phase, *lengths)


@pytest.mark.core("path_length")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the fewest hops that bring information from position i to position i + distance"
)
def test_path_length(compare, draw):
    """Hops between two tokens at your distances, for layers of three kinds."""
    kernel = number(draw, 3, 7)
    whole = (kernel - 1) * number(draw, 3, 9)
    for distance in (1, whole, whole + 1, whole + kernel - 2, number(draw, 100, 400)):
        for layer in ("recurrent", "convolution", "self-attention"):
            compare.path_length(layer, distance, kernel)
    compare.path_length("convolution", whole, 2)


@pytest.mark.core("operations_per_layer")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("the operations of a layer as table 1 counts them")
def test_operations_per_layer(compare, draw):
    """Operations of three layers as table 1 counts them, for your sizes."""
    few, many = number(draw, 5, 20), number(draw, 50, 250)
    for tokens, width in ((few, many), (many, few)):
        for layer in ("self-attention", "recurrent", "convolution"):
            for kernel in (number(draw, 3, 9), 1):  # with 1, a convolution is a recurrence
                compare.operations_per_layer(layer, tokens, width, kernel)


@pytest.mark.core("perplexity")
@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("the perplexity is e^loss")
def test_perplexity(compare, draw):
    """The perplexity of a model that is unsure of one token, for your text and vocabulary."""
    for tokens in (1, number(draw, 3, 9), number(draw, 20, 90)):
        for likely in (real(draw, 0.1, 0.4), real(draw, 0.6, 0.95), 1.0):
            compare.perplexity(likely, tokens, number(draw, 100, 50_000))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "puts num_heads whole heads side by side, and each of them gives d_out numbers"
)
def test_wrapper_d_out(compare, draw):
    """How wide a head must be for the contexts that you want."""
    compare.wrapper_d_out(2, 2)
    for heads in (1, number(draw, 2, 5), number(draw, 6, 16)):
        compare.wrapper_d_out(heads * number(draw, 2, 90), heads)


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("what training keeps for the parameters of a model")
def test_training_bytes(compare, draw):
    """Bytes for your numbers of parameters, each optimizer, with and without mixed precision."""
    for parameters in (number(draw, 1_000, 9_000), number(draw, 10**8, 10**9)):
        for optimizer in ("sgd", "momentum", "adam"):
            for mixed in (False, True):
                compare.training_bytes(parameters, optimizer, mixed)


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on("each number is multiplied once for each token, and the product is added")
def test_training_operations(compare, draw):
    """Operations of a training, forward, backward and both, for your models and texts."""
    for parameters in (number(draw, 1_000, 9_000), number(draw, 10**8, 10**9)):
        for part in ("forward", "backward", "both"):
            compare.training_operations(parameters, number(draw, 10**5, 10**6), part)


# Choice questions ---------------------------------------------------------------------------------


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the d_k numbers of each query and key are independent standard normal",
    "returns the letters of every statement that holds for the numbers given",
)
def test_scaling_statements(submission, draw):
    """Why scores are divided by sqrt(d_k): the right letters for each of your widths."""
    choose(submission, draw, TRUTH.scaling_statements, scaling_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "each token's weights are the softmax of its two scores",
    "returns the letters of every statement that holds for the numbers given",
)
def test_similarity_statements(submission, draw):
    """Scores and weights of two tokens: the right letters for your lengths and cosines."""
    choose(submission, draw, TRUTH.similarity_statements, similarity_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "one score stands gap > 0 above all others",
    "returns the letters of every statement that holds for the numbers given",
)
def test_long_context_statements(submission, draw):
    """What a long context does to a softmax: the right letters for your contexts."""
    choose(submission, draw, TRUTH.long_context_statements, long_context_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the softmax of the divided logits gives their probabilities",
    "returns the letters of every statement that holds for the numbers given",
)
def test_temperature_statements(submission, draw):
    """What a temperature does to two probabilities: the right letters for your temperatures."""
    choose(submission, draw, TRUTH.temperature_statements, temperature_cases(draw))


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "three families share the layers that you have built",
    "returns the letters of every statement that holds for the numbers given",
)
def test_family_statements(submission, draw):
    """Encoder, decoder, or both: the right letters for each of the three families."""
    choose(submission, draw, TRUTH.family_statements, family_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    'a Transformer\'s "encoder" or "decoder"',
    "returns the letters of every statement that holds for the numbers given",
)
def test_parallel_statements(submission, draw):
    """What is parallel when: the right letters for both parts in both phases."""
    choose(submission, draw, TRUTH.parallel_statements, parallel_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "what does it take to connect two tokens that stand distance apart",
    "returns the letters of every statement that holds for the numbers given",
)
def test_distance_statements(submission, draw):
    """What connects distant tokens: the right letters for your distances and kernels."""
    choose(submission, draw, TRUTH.distance_statements, distance_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "what does self-attention cost, for tokens tokens of width numbers",
    "returns the letters of every statement that holds for the numbers given",
)
def test_cost_statements(submission, draw):
    """What attention costs: the right letters for your lengths and widths."""
    choose(submission, draw, TRUTH.cost_statements, cost_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "each d_model / num_heads wide, no biases",
    "returns the letters of every statement that holds for the numbers given",
)
def test_heads_statements(submission, draw):
    """What the number of heads changes: the right letters for your widths and heads."""
    choose(submission, draw, TRUTH.heads_statements, heads_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "attention, feed-forward network, a layer norm for each of the two",
    "returns the letters of every statement that holds for the numbers given",
)
def test_block_statements(submission, draw):
    """What sits in an encoder layer: the right letters for your widths."""
    choose(submission, draw, TRUTH.block_statements, block_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the place of a word deciding which row",
    "returns the letters of every statement that holds for the numbers given",
)
def test_order_statements(submission, draw):
    """What attention knows of order: the right letters with and without positions and mask."""
    choose(submission, draw, TRUTH.order_statements, order_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "for tokens tokens in a decoder; positions are counted from 0",
    "returns the letters of every statement that holds for the numbers given",
)
def test_mask_statements(submission, draw):
    """What the causal mask does: the right letters for your positions."""
    choose(submission, draw, TRUTH.mask_statements, mask_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "a head made by hand that looks back window >= 2 tokens, itself included",
    "returns the letters of every statement that holds for the numbers given",
)
def test_window_statements(submission, draw):
    """A head by hand: the right letters for your positions, windows and scores."""
    choose(submission, draw, TRUTH.window_statements, window_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the network answers with the token of the larger logit",
    "returns the letters of every statement that holds for the numbers given",
)
def test_residual_statements(submission, draw):
    """Residual against branch: the right letters for each of your scales."""
    choose(submission, draw, TRUTH.residual_statements, residual_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "fewer than 100 of the d_model numbers of a result depend on the first head",
    "returns the letters of every statement that holds for the numbers given",
)
def test_output_projection_statements(submission, draw):
    """What the output projection is for: the right letters for your widths and heads."""
    choose(submission, draw, TRUTH.output_projection_statements, output_projection_cases(draw))


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "a stack of layers, all pre-norm or all post-norm",
    "returns the letters of every statement that holds for the numbers given",
)
def test_norm_place_statements(submission, draw):
    """Where the norm stands: the right letters for pre-norm and for post-norm."""
    choose(submission, draw, TRUTH.norm_place_statements, norm_place_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "takes the mean and the variance of each of the 512 columns over all tokens of the batch",
    "returns the letters of every statement that holds for the numbers given",
)
def test_batch_norm_statements(submission, draw):
    """Batch norm against layer norm: the right letters for your batches."""
    choose(submission, draw, TRUTH.batch_norm_statements, batch_norm_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "with the probability p to drop",
    "returns the letters of every statement that holds for the numbers given",
)
def test_dropout_statements(submission, draw):
    """Where dropout stands, and when: the right letters for your probabilities."""
    choose(submission, draw, TRUTH.dropout_statements, dropout_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "the model gives token 1 the probability model, and token 2 the rest",
    "returns the letters of every statement that holds for the numbers given",
)
def test_divergence_statements(submission, draw):
    """How far a model is from what is right: the right letters for your probabilities."""
    choose(submission, draw, TRUTH.divergence_statements, divergence_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "each token of the prefix may attend to the whole prefix",
    "returns the letters of every statement that holds for the numbers given",
)
def test_prefix_statements(submission, draw):
    """One stack that reads and writes: the right letters for your prefixes."""
    choose(submission, draw, TRUTH.prefix_statements, prefix_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "each token attends to itself and the window - 1 tokens before it",
    "returns the letters of every statement that holds for the numbers given",
)
def test_sliding_window_statements(submission, draw):
    """A window in place of the whole text: the right letters for your texts and windows."""
    choose(submission, draw, TRUTH.sliding_window_statements, sliding_window_cases(draw))


@pytest.mark.points(2)
@pytest.mark.per_student
@pytest.mark.rests_on(
    "looked up in a learned table of max_len rows",
    "returns the letters of every statement that holds for the numbers given",
)
def test_position_statements(submission, draw):
    """How far positions reach: the right letters for your texts and tables."""
    choose(submission, draw, TRUTH.position_statements, position_cases(draw))
