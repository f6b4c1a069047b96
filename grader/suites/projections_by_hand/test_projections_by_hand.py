"""Hidden checks of ``projections_by_hand``."""

from __future__ import annotations

import pytest
import torch

from grader.check import finding, gradient, refuses

HALF_UNIT = 6e-5  # of the fourth decimal, in which all tables are printed
NAMES = ("W_query", "W_key", "W_value")
SIZES = ((5, 3, 2, 4), (3, 4, 6, 2), (6, 2, 5, 1), (4, 4, 4, 4))  # T, d_in, d_k, d_v

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
W_QUERY = torch.tensor([[0.296112, 0.516562], [0.251671, 0.688557], [0.073972, 0.866522]])
W_KEY = torch.tensor([[0.136580, 0.102479], [0.184056, 0.726447], [0.315254, 0.687107]])
W_VALUE = torch.tensor([[0.075635, 0.196638], [0.316412, 0.401740], [0.118568, 0.827395]])

QUERY = torch.tensor([0.4306, 1.4551])
SCORES = torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])
WEIGHTS = torch.tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])
CONTEXT = torch.tensor([0.3061, 0.8210])
ALL_WEIGHTS = torch.tensor(
    [
        [0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
    ]
)


def as_printed(found, printed):
    return bool((found - printed.to(found)).abs().max() <= HALF_UNIT)


def matrices(draw, d_in, d_k, d_v):
    return draw.normal(d_in, d_k), draw.normal(d_in, d_k), draw.normal(d_in, d_v)


# One word, and all of them ------------------------------------------------------------------------


@pytest.mark.core("projection")
@pytest.mark.public
@pytest.mark.points(2)
@pytest.mark.kept("the first step: what is built on it is wrong with it")
@pytest.mark.rests_on("row i of the result is row i of x, times the matrix w")
def test_projections(compare, submission, draw):
    """The query of "journey" is 0.4306, 1.4551; any rows times any matrix come out right."""
    compare.projection(JOURNEY, W_QUERY)
    query = submission.projection(JOURNEY, W_QUERY)[1]
    assert as_printed(query, QUERY), "This is not the query that the page prints."
    for tokens, d_in, _, d_out in SIZES:
        x, w = draw.normal(tokens, d_in), draw.normal(d_in, d_out)
        compare.projection(x, w, wrt=[x, w])


@pytest.mark.core("attention_scores")
@pytest.mark.public
@pytest.mark.points(2)
@pytest.mark.kept("the second step")
@pytest.mark.rests_on("scores_ij = query_i . key_j")
def test_scores(compare, submission, draw):
    """The scores of "journey" are 1.2705, 1.8524, ...: row i holds query i times every key."""
    compare.attention_scores(JOURNEY, W_QUERY, W_KEY)
    scores = submission.attention_scores(JOURNEY, W_QUERY, W_KEY)[1]
    assert as_printed(scores, SCORES), "These are not the six scores that the page prints."
    for tokens, d_in, d_k, d_v in SIZES:
        x, (w_query, w_key, _) = draw.normal(tokens, d_in), matrices(draw, d_in, d_k, d_v)
        compare.attention_scores(x, w_query, w_key, wrt=[x, w_query, w_key])


@pytest.mark.core("attention_weights")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.kept("the third step")
@pytest.mark.rests_on("weights = softmax(scores / sqrt(d_k)), along the last axis")
def test_weights(compare, submission, draw):
    """The weights of "journey" are 0.1500, 0.2264, ...: scores are divided by sqrt(d_k) first."""
    compare.attention_weights(JOURNEY, W_QUERY, W_KEY)
    weights = submission.attention_weights(JOURNEY, W_QUERY, W_KEY)[1]
    assert as_printed(weights, WEIGHTS), "These are not the six weights that the page prints."
    for tokens, d_in, d_k, d_v in SIZES:
        x, (w_query, w_key, _) = draw.normal(tokens, d_in), matrices(draw, d_in, d_k, d_v)
        compare.attention_weights(x, w_query, w_key, wrt=[x, w_query, w_key])


@pytest.mark.core("context_vectors")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.kept("the formula as a whole")
@pytest.mark.rests_on("contexts_i = sum_j weights_ij value_j")
def test_contexts(compare, submission, draw):
    """The context of "journey" is 0.3061, 0.8210: all values, mixed by its weights."""
    compare.context_vectors(JOURNEY, W_QUERY, W_KEY, W_VALUE)
    context = submission.context_vectors(JOURNEY, W_QUERY, W_KEY, W_VALUE)[1]
    assert as_printed(context, CONTEXT), "This is not the context vector that the page prints."
    for tokens, *widths in SIZES:
        given = draw.normal(tokens, widths[0]), *matrices(draw, *widths)
        compare.context_vectors(*given, wrt=list(given))


@pytest.mark.rests_on("d_k is the width of a key: neither the width of x nor the number of tokens")
def test_one_token(compare, draw):
    """A text of one token has one weight, 1, and its context vector is its own value."""
    given = draw.normal(1, 3), *matrices(draw, 3, 2, 5)
    compare.attention_scores(*given[:3])
    compare.attention_weights(*given[:3])
    compare.context_vectors(*given)
    compare.projection(given[0], given[3])


# Linear layers ------------------------------------------------------------------------------------


@pytest.mark.core("matrices_of_linears")
@pytest.mark.points(2)
@pytest.mark.rests_on(
    "it keeps its matrix as weight of shape (d_out, d_in)", "the matrix W of each, in this order"
)
def test_matrices_of_linears(compare, submission, draw):
    """Each weight of a linear layer is turned: its rows become columns, under its own name."""
    for d_in, d_out in ((3, 2), (4, 5), (4, 4)):
        linears = {f"{name}.weight": draw.normal(d_out, d_in) for name in NAMES}
        compare.matrices_of_linears(linears, wrt=list(linears.values()))
    found = list(submission.matrices_of_linears(linears))
    assert found == list(NAMES), f"The matrices come in the order {', '.join(found)}."


# The future ---------------------------------------------------------------------------------------


@pytest.mark.core("renormalized_past")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.rests_on(
    "row i keeps the weights of the tokens 0 to i, its own among them",
    "each row is divided by its sum",
)
def test_renormalized_past(compare, draw):
    """Later tokens' weights become 0, and each row is divided by what is left of its sum."""
    compare.renormalized_past(ALL_WEIGHTS)
    for tokens in (5, 3, 1):
        weights = draw.normal(tokens, tokens, scale=2.0).softmax(-1).detach()
        compare.renormalized_past(weights, wrt=[weights])


@pytest.mark.core("hide_future")
@pytest.mark.public
@pytest.mark.points(3)
@pytest.mark.kept("the idea; the other check asks for unusual scores")
@pytest.mark.rests_on("every score for a later token becomes -inf")
def test_hide_future(compare, submission, draw):
    """Scores above the diagonal become -inf, and all others stay as they are."""
    for tokens in (6, 4, 1):
        compare.hide_future(draw.normal(tokens, tokens, scale=2.0))
    scores, cotangent = draw.normal(4, 4).requires_grad_(), draw.normal(4, 4).tril()
    found = gradient(submission, submission.hide_future(scores), cotangent, scores)
    alike = found is not None and torch.allclose(found.tril(), cotangent, rtol=1e-4, atol=1e-4)
    assert alike, "no gradient, or another one, comes back to the scores of the past"


@pytest.mark.rests_on("scores may be any finite numbers, also 0")
def test_hide_future_whatever_the_scores(compare, draw):
    """A score of 0 in the past stays 0, and none in the future is too large to be hidden."""
    scores = draw.normal(5, 5)
    scores[0, 0] = scores[3, 1] = scores[1, 4] = 0.0
    scores[2, 4], scores[4, 2], scores[1, 2] = 1e4, -1e4, -1e4
    compare.hide_future(scores)


# Heads --------------------------------------------------------------------------------------------


@pytest.mark.core("heads_side_by_side")
@pytest.mark.points(3)
@pytest.mark.rests_on("a row of the result begins with the first head's context vector")
def test_heads_side_by_side(compare, draw):
    """Each token's row holds the context vectors of all heads, one after the other."""
    x = draw.normal(5, 3)
    for widths in ((2, 3), (4, 4), (2, 1, 6), (3,)):  # the first ones as wide as their keys
        heads = [matrices(draw, 3, 2 + i, d_v) for i, d_v in enumerate(widths)]
        compare.heads_side_by_side(x, heads, wrt=[x])


@pytest.mark.rests_on(
    "two heads are to give two numbers for each token", "so it is an int: 64, not 64.0"
)
def test_head_width(compare, submission):
    """Two heads that give two numbers are one number wide each; 768 columns make 12 heads of 64."""
    for width, num_heads in ((2, 2), (768, 12), (12, 3), (6, 1), (10, 10)):
        compare.head_width(width, num_heads)
    found = submission.head_width(768, 12)
    if isinstance(found, float):
        raise finding(
            f"head_width(768, 12) returned {found}, which is a float.",
            "an int: 64",
            help="/ always makes a float. // divides whole numbers.",
        )


@pytest.mark.rests_on("no whole number of columns is right")
def test_refuses_what_cannot_be_shared_out(submission):
    """Seven columns in two heads, or two in four, are refused with a ValueError."""
    refuses(
        lambda: submission.head_width(7, 2), "seven columns in two heads",
        lambda: submission.head_width(2, 4), "two columns in four heads",
    )  # fmt: skip
