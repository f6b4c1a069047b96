"""Hidden checks of ``attention_by_hand``."""

from __future__ import annotations

import numpy as np
import pytest
import torch

HALF_UNIT = 5.1e-5  # of the fourth decimal, in which all tables are printed

THREE_WORDS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
THREE_WEIGHTS = np.array(
    [
        [0.45552749, 0.31986617, 0.22460634],
        [0.33333333, 0.33333333, 0.33333333],
        [0.22460634, 0.31986617, 0.45552749],
    ]
)
THREE_OUTPUTS = np.array([[0.61546057, 0.38453943], [0.5, 0.5], [0.38453943, 0.61546057]])

JOURNEY = np.array(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
JOURNEY_SCORES = np.array(
    [
        [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
        [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
        [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
        [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
        [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
    ]
)
JOURNEY_SHARES = np.array([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
JOURNEY_WEIGHTS = np.array(
    [
        [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
        [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
        [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
        [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
        [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
        [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
    ]
)
JOURNEY_CONTEXTS = np.array(
    [
        [0.4421, 0.5931, 0.5790],
        [0.4419, 0.6515, 0.5683],
        [0.4431, 0.6496, 0.5671],
        [0.4304, 0.6298, 0.5510],
        [0.4671, 0.5910, 0.5266],
        [0.4177, 0.6503, 0.5645],
    ]
)


def as_printed(found, printed):
    return bool(np.abs(np.asarray(found) - printed).max() <= HALF_UNIT)


def number(found):
    """One number of numpy's is as good as one of Python's."""
    return float(found) if isinstance(found, np.ndarray) and found.ndim == 0 else found


def as_array(x):
    """The same numbers as numpy's; what is asked of a tensor is asked of an array too."""
    return x.detach().double().cpu().numpy()


@pytest.mark.core("attention_scores")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> attention_scores(JOURNEY)[1].round(4) array([0.9544, 1.495 , 1.4754, 0.8434, 0.707 , "
    "1.0865])"
)
def test_scores_of_the_printed_examples(compare, submission):
    """Three words and "Your journey starts with one step": every score as printed."""
    compare.attention_scores(THREE_WORDS)
    compare.attention_scores(JOURNEY)
    scores = submission.attention_scores(JOURNEY)
    assert as_printed(scores, JOURNEY_SCORES), "These are not the 36 scores of the page."


@pytest.mark.core("normalize_by_sum")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("array([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])")
def test_shares_of_the_printed_example(compare, submission):
    """The scores of "journey", each divided by their sum, are 0.1455, 0.2278, 0.2249, ..."""
    row = JOURNEY_SCORES[1]
    compare.normalize_by_sum(row)
    shares = submission.normalize_by_sum(row)
    assert as_printed(shares, JOURNEY_SHARES), "These are not the six shares of the page."


@pytest.mark.core("attention_weights")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(
    ">>> attention_weights(JOURNEY)[1].round(4) array([0.1385, 0.2379, 0.2333, 0.124 , 0.1082, "
    "0.1581])"
)
def test_weights_of_the_printed_examples(compare, submission):
    """Three words, scaled by 1/sqrt(2), and the journey, unscaled: every weight as printed."""
    compare.attention_weights(JOURNEY)
    compare.attention_weights(THREE_WORDS, scale=2**-0.5)
    weights = submission.attention_weights(JOURNEY)
    assert as_printed(weights, JOURNEY_WEIGHTS), "These are not the 36 weights of the page."
    weights = submission.attention_weights(THREE_WORDS, scale=2**-0.5)
    assert as_printed(weights, THREE_WEIGHTS), "These are not the nine weights of the page."


@pytest.mark.core("context_vectors")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on(">>> context_vectors(JOURNEY).round(4) array([[0.4421, 0.5931, 0.579 ]")
def test_contexts_of_the_printed_example(compare, submission):
    """The context vector of "journey" is (0.4419, 0.6515, 0.5683), and so on for all six."""
    compare.context_vectors(JOURNEY)
    contexts = submission.context_vectors(JOURNEY)
    assert as_printed(contexts, JOURNEY_CONTEXTS), "These are not the six vectors of the page."


@pytest.mark.core("dictionary_lookup")
@pytest.mark.public
@pytest.mark.kept("the page's own example, for a first answer")
@pytest.mark.rests_on("it answers 0.6 * 10 + 0.4 * 5 + 0 * 2 = 8")
def test_lookups_of_the_printed_examples(compare, submission):
    """0.6 apple and 0.4 banana cost 8, and the three words come out mixed as printed."""
    fruit, prices = np.array([0.6, 0.4, 0.0]), np.array([10.0, 5.0, 2.0])
    compare(lambda impl: number(impl.dictionary_lookup(fruit, prices)))
    for weights in THREE_WEIGHTS:
        compare.dictionary_lookup(weights, THREE_WORDS)
    price = submission.dictionary_lookup(fruit, prices)
    assert as_printed(price, 8.0), "0.6 * 10 + 0.4 * 5 + 0 * 2 is 8."
    for weights, printed in zip(THREE_WEIGHTS, THREE_OUTPUTS, strict=True):
        output = submission.dictionary_lookup(weights, THREE_WORDS)
        assert as_printed(output, printed), "These are not the outputs of the page."


@pytest.mark.core("attention_scores")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "the dot products of all rows with all rows",
    "tensors keep dtype, device and graph, so gradients flow back",
)
def test_scores_of_any_sentence(compare, draw):
    """Scores are dot products of rows, for any number of tokens and features, with gradients."""
    for shape in ((5, 3), (3, 7), (1, 4), (4, 1), (4, 4)):
        x = draw.normal(*shape)
        compare.attention_scores(x, wrt=[x])
        compare.attention_scores(as_array(x))


@pytest.mark.core("normalize_by_sum")
@pytest.mark.points(2)
@pytest.mark.rests_on("divide every row by its sum, along the last axis")
def test_shares_along_the_last_axis(compare, draw):
    """Every row is divided by its own sum: one row, a matrix, or a stack of matrices."""
    for shape in ((7,), (4, 7), (6, 6), (2, 3, 7), (5, 1)):
        s = draw.uniform(*shape, low=1.0, high=2.0)
        compare.normalize_by_sum(s, wrt=[s])
        compare.normalize_by_sum(as_array(s))


@pytest.mark.rests_on("a negative score gets a negative share", "shares_j = s_j / sum_k s_k")
def test_shares_of_negative_scores(compare, draw):
    """Negative scores get negative shares; a row may even have a negative sum, or a tiny one."""
    s = draw.uniform(4, 7, low=1.0, high=2.0)
    s[:, 2] *= -1
    s[1] *= -1
    compare.normalize_by_sum(s, wrt=[s])
    compare.normalize_by_sum(as_array(s))
    compare.normalize_by_sum(s * 2**-30)


@pytest.mark.core("attention_weights")
@pytest.mark.points(2)
@pytest.mark.kept("the formula of the weights, with gradients and without a scale")
@pytest.mark.rests_on(
    "weights = softmax(scale * x x^T), along the last axis",
    "none means the scores as they are",
)
def test_weights_of_any_sentence(compare, draw):
    """Without a scale, weights are the softmax of the scores along each row, with gradients."""
    for shape in ((5, 3), (3, 7), (1, 4), (6, 1), (4, 4)):
        x = draw.normal(*shape)
        compare.attention_weights(x, wrt=[x])
        compare.attention_weights(as_array(x))


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "scale multiplies the scores before the softmax",
    "any number counts as a scale: a negative one, and also 0, which makes all weights equal",
)
def test_scale_multiplies_the_scores(compare, draw):
    """A scale multiplies the scores before the softmax; 0 is a scale like any other, and so is a
    negative one. Gradients are scaled as well."""
    x = draw.normal(5, 3)
    for scale in (2.5, 3**-0.5, 0.0, -1.5):
        compare.attention_weights(x, scale=scale, wrt=[x])
        compare.attention_weights(as_array(x), scale=scale)


@pytest.mark.points(2)
@pytest.mark.kept("tells apart that no maximum is subtracted, and that a wrong one is")
@pytest.mark.rests_on("weights must come out finite for scores of any size")
def test_large_rows_do_not_overflow(compare, draw):
    """Scores near 900 give finite weights, for tensors and for arrays, with a scale and without."""
    x = draw.normal(5, 3)
    x[:, 1] = 30.0
    compare.attention_weights(x)
    a = draw.array(4, 3)
    a[:, 0] = 30.0
    compare.attention_weights(a)
    compare.attention_weights(x, scale=0.1)
    compare.attention_weights(a, scale=0.1)


@pytest.mark.rests_on(
    "weights must come out finite for scores of any size",
    "a token need not attend most to itself",
)
def test_long_and_short_rows_together(compare, draw):
    """A token's own score need not be the largest: very long and very short rows side by side."""
    lengths = torch.tensor([[1.0], [1000.0], [0.001], [30.0]], device=draw.normal(1).device)
    x = draw.uniform(4, 3, low=0.5, high=1.0) * lengths
    compare.attention_weights(x)
    compare.attention_weights(as_array(x))


@pytest.mark.points(2)
@pytest.mark.rests_on(
    "contexts_i = sum_j weights_ij * x_j",
    "tensors keep dtype, device and graph, so gradients flow back",
)
def test_contexts_of_any_sentence(compare, draw):
    """Contexts are the rows of x mixed by the unscaled weights, with gradients."""
    for shape in ((5, 3), (3, 7), (1, 4), (6, 1), (4, 4)):
        x = draw.normal(*shape)
        compare.context_vectors(x, wrt=[x])
        compare.context_vectors(as_array(x))


@pytest.mark.rests_on("weights must come out finite for scores of any size")
def test_contexts_of_large_rows(compare, draw):
    """Contexts are finite also where scores are near 900."""
    x = draw.normal(5, 3)
    x[:, 2] = -30.0
    compare.context_vectors(x)
    compare.context_vectors(as_array(x))


@pytest.mark.points(2)
@pytest.mark.rests_on("values of shape (n, d) give a vector of shape (d,)")
def test_lookup_of_vectors(compare, draw):
    """Values of shape (n, d) are mixed row by row into one vector of shape (d,)."""
    for n, d in ((5, 3), (3, 3), (2, 6), (1, 4), (4, 1)):
        weights, values = draw.normal(n), draw.normal(n, d)
        weights[0] = -1.5
        compare.dictionary_lookup(weights, values, wrt=[weights, values])
        compare.dictionary_lookup(as_array(weights), as_array(values))


@pytest.mark.rests_on(
    "the weights are used as they are, also when they do not sum to one",
    "values of shape (n,) give one number",
)
def test_lookup_of_numbers(compare, draw):
    """Any weights, also negative ones and ones that do not sum to one, mix any numbers."""
    for n in (5, 1):
        weights, values = draw.normal(n), draw.normal(n, scale=4.0)
        weights[0] = -1.5
        compare.dictionary_lookup(weights, values, wrt=[weights, values])
        arrays = as_array(weights), as_array(values)
        compare(lambda impl: number(impl.dictionary_lookup(*arrays)))
