"""What to predict about scaled dot-product attention before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(queries=(2, 3, 4), keys=(5, 6, 7), width=(8, 9), values=(10, 11))
def shape_of_result(page, queries, keys, width, values):
    """q is ({queries}, {width}), k is ({keys}, {width}), v is ({keys}, {values}). What is the shape
    of the result?"""
    q, k, v = torch.ones(queries, width), torch.ones(keys, width), torch.ones(keys, values)
    return Answer(
        tuple(page.scaled_dot_product_attention(q, k, v)[0].shape),
        "An answer for each query, as wide as a value: a weighted mean of the values.",
        {
            (queries, keys): "That is the shape of the weights, before they meet the values.",
            (keys, values): "There is an answer for each query, not for each key.",
            (queries, width): "The answer is made of values, and has their width.",
        },
    )


@predict(width=(16, 36, 64, 100))
def without_the_scale(page, width):
    """The {width} numbers of q and of k are independent, with mean 0 and variance 1. What is the
    standard deviation of their score without the division?"""
    return Answer(
        math.sqrt(width),
        f"{width} products of variance 1 are added: variance {width}. The division brings it to 1.",
        {
            float(width): "This is the variance. Its root is the standard deviation.",
            1.0: "So large is it after the division.",
            1 / math.sqrt(width): "Sums spread more than their parts do, not less.",
        },
    )


@predict(factor=(3, 5, 8))
def scale_and_weights(page, factor):
    """All scores are multiplied by {factor}, because somebody forgot the scale. The largest weight
    of a row becomes: larger, smaller, or the same?"""
    scores = torch.tensor([0.0, 0.5, 1.0])
    before, after = (torch.softmax(x, -1).max() for x in (scores, scores * factor))
    return Answer(
        "larger" if after > before else "smaller",
        "The gaps between scores grow. Soon one weight is 1, and the gradients are gone.",
        {
            "the same": "Adding the same number to all scores would change nothing. A factor makes "
            "their gaps larger.",
            "smaller": "Wider gaps between the scores mean more unequal weights.",
        },
    )


@predict(tokens=range(4, 9))
def turned_round(page, tokens):
    """The causal mask of {tokens} tokens is used the wrong way round: True hides. To how many keys
    does the first query attend then?"""
    allowed = ~torch.ones(tokens, tokens).tril().bool()
    q = torch.ones(1, 4)
    k = torch.ones(tokens, 4)
    weights = page.scaled_dot_product_attention(q, k, k, mask=allowed[:1])[1]
    return Answer(
        int((weights > 0).sum()),
        "To its whole future, and not to itself. And the last query has nothing left: nan.",
        {
            1: "To itself alone it attends when the mask is right.",
            tokens: "Its own key is hidden then, for it is True in the causal mask.",
            0: "That happens to the last query.",
        },
    )


@predict(a=(1, 2, 3), b=(5, 6, 7), c=(9, 11, 13))
def equal_keys(page, a, b, c):
    """Three keys are all equal, their values are {a}, {b} and {c}. What does a query get?"""
    values = torch.tensor([[float(a)], [float(b)], [float(c)]])
    out, _ = page.scaled_dot_product_attention(torch.ones(1, 2), torch.ones(3, 2), values)
    return Answer(
        float(out),
        "Equal keys have equal scores, so the values are averaged with equal weights.",
        {
            float(a + b + c): "The weights sum to one: it is a mean, not a sum.",
            float(c): "Weights are made of queries and keys. How large a value is plays no part.",
        },
    )
