"""What to predict about attention by hand before writing it."""

from __future__ import annotations

import numpy as np

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=range(5, 9), width=(2, 3, 4))
def shape_of_scores(page, tokens, width):
    """x holds {tokens} tokens of {width} numbers each. What is the shape of the matrix of all
    scores, every token with every token?"""
    return Answer(
        page.attention_scores(np.ones((tokens, width))).shape,
        "A row for each token that asks, a column for each token that is asked: x @ x.T.",
        {
            (tokens, width): "That is the shape of x, and of the contexts. A score belongs to a "
            "pair of tokens, so both axes count tokens.",
            (width, width): "x.T @ x compares columns with columns. Scores compare tokens.",
            (tokens,): "This is one row: the scores of one token. Every token asks.",
        },
    )


@predict(first=(2, 3, 4), second=(5, 6, 7))
def symmetric_scores(page, first, second):
    """Two tokens are [{first}, 0] and [{second}, 1]. Is the score of the first for the second the
    score of the second for the first?"""
    scores = page.attention_scores(np.array([[first, 0.0], [second, 1.0]]))
    return Answer(
        bool(scores[0, 1] == scores[1, 0]),
        "Both are the same dot product. Only projections, on the next page, make the two differ.",
        {False: "a . b = b . a: without projections, nothing tells the two directions apart."},
    )


@predict(first=(1, 2), second=(3, 4))
def symmetric_weights(page, first, second):
    """Now the weights. Two tokens are [{first}, 0] and [{second}, 1]. Is the weight of the first
    for the second that of the second for the first?"""
    weights = page.attention_weights(np.array([[first, 0.0], [second, 1.0]]))
    return Answer(
        bool(np.isclose(weights[0, 1], weights[1, 0])),
        "Every row is divided by a sum of its own, and the two sums differ.",
        {True: "The scores agree, but a softmax divides each row by the row's own sum."},
    )


@predict(longer=(2, 3, 4, 5))
def own_score(page, longer):
    """The tokens are [1, 0] and [{longer}, 0]. To which does the first token give its largest
    weight: itself, or the other?"""
    weights = page.attention_weights(np.array([[1.0, 0.0], [longer, 0.0]]))
    return Answer(
        ("itself", "the other")[int(weights[0].argmax())],
        f"Its scores are 1 and {longer}: a dot product grows with the length of both vectors.",
        {
            "itself": "A dot product measures the angle and the lengths: the other token points "
            f"the same way and is {longer} times as long."
        },
    )


@predict(last=(5, 7, 9))
def shares_of_negative_scores(page, last):
    """Scores are divided by their sum, without a softmax. What does the score -2 of the three
    scores -2, 1 and {last} become?"""
    scores = np.array([-2.0, 1.0, last])
    return Answer(
        float(page.normalize_by_sum(scores)[0]),
        "A negative share. Nobody can attend less than nothing, so weights come from a softmax.",
        {
            0.0: "Division by a positive sum keeps the sign: the share is negative, not zero.",
            float(2 / (last + 3)): "The sum takes the scores as they are, signs included.",
        },
    )
