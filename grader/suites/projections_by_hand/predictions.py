"""What to predict about projections, and about hiding the future, before writing them."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=(5, 6), d_in=(7, 8), d_v=(2, 3, 4))
def shape_of_contexts(page, tokens, d_in, d_v):
    """x holds {tokens} tokens of {d_in} numbers. W_query and W_key are ({d_in}, 9), W_value is
    ({d_in}, {d_v}). What is the shape of all context vectors?"""
    x, w = torch.zeros(tokens, d_in), torch.zeros(d_in, 9)
    return Answer(
        tuple(page.context_vectors(x, w, w, torch.zeros(d_in, d_v)).shape),
        "A context vector is a mixture of values: one for each token, as wide as a value.",
        {
            (tokens, 9): "That is the shape of queries and keys. What is mixed are the values.",
            (tokens, d_in): "x itself is not mixed, but the values that W_value makes of it.",
            (tokens, tokens): "That is the shape of the weights, before they mix the values.",
        },
    )


@predict(d_in=(4, 9, 16), d_k=(25, 36), tokens=(5, 7))
def divisor_of_scores(page, d_in, d_k, tokens):
    """x is ({tokens}, {d_in}), W_query and W_key are ({d_in}, {d_k}). By which number are the
    scores divided before the softmax?"""
    keys = page.projection(torch.zeros(tokens, d_in), torch.zeros(d_in, d_k))
    return Answer(
        keys.shape[-1] ** 0.5,
        f"sqrt(d_k), the root of the width of a key: sqrt({d_k}).",
        {
            float(d_k): "The sum of d_k products grows like the root of d_k, so by the root.",
            d_in**0.5: "A score is a dot product of a query and a key: their width counts, and "
            "no more that of x.",
            tokens**0.5: "The number of tokens is how many scores there are, not how large.",
        },
    )


@predict(tokens=range(3, 8))
def first_weight(page, tokens):
    """All {tokens} tokens have the weight 1/{tokens} in every row. Then the future is hidden, and
    the rows are divided by their sums. What is the first weight of the first row?"""
    weights = torch.full((tokens, tokens), 1 / tokens)
    return Answer(
        float(page.renormalized_past(weights)[0, 0]),
        "The first token sees nothing but itself, so all of its weight goes there.",
        {
            1 / tokens: "So it was before. Divided by what is left of its row, which is this very "
            "number, it becomes 1.",
            1 / 2: "The second token shares its weight between two. The first has itself only.",
        },
    )


@predict(later=(5, 50, 500))
def later_score(page, later):
    """Scores of later tokens become -inf before the softmax. The first token's score for the
    second one was {later}. Now somebody makes it {later} larger. Does any weight change?"""
    scores = torch.tensor([[1.0, later], [2.0, 3.0]])
    larger = torch.tensor([[1.0, 2.0 * later], [2.0, 3.0]])
    before, after = (torch.softmax(page.hide_future(one), dim=-1) for one in (scores, larger))
    return Answer(
        not torch.equal(before, after),
        "Whatever stood there, -inf takes its place, and exp(-inf) is 0.",
        {True: "The score is replaced before softmax sees it, so it cannot matter."},
    )


@predict(score=(2, 3, 4))
def zero_instead(page, score):
    """Somebody writes 0 in place of -inf for later tokens, before the softmax. The first of two
    tokens has the score {score} for itself. Is its weight for the later token still 0?"""
    hidden = page.hide_future(torch.tensor([[float(score), 9.0], [1.0, 1.0]]))
    weights = torch.softmax(hidden.masked_fill(hidden.isneginf(), 0.0), dim=-1)
    return Answer(
        bool(weights[0, 1] == 0),
        f"exp(0) is 1: the later token gets 1 / (1 + exp({score})) of the weight.",
        {True: "A score of 0 is a score like any other: exp(0) is 1. Only exp(-inf) is 0."},
    )
