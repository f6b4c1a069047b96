"""What to predict about softmax before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(rows=range(3, 8), columns=range(8, 12))
def sum_of_all_weights(page, rows, columns):
    """softmax(x, dim=-1) of a ({rows}, {columns}) matrix: what do all its weights sum to?"""
    return Answer(
        round(float(page.softmax(torch.randn(rows, columns), dim=-1).sum())),
        f"Each of the {rows} rows sums to one by itself.",
        {
            1: "One is the sum of each row: `dim=-1` runs along a row, and every row has its own.",
            columns: "This would be one for each column. dim=-1 sums along each row.",
            rows * columns: "A weight is a share, not a one: the weights of a row share one.",
        },
    )


@predict(shift=range(2, 9))
def adding_a_constant(page, shift):
    """{shift} is added to every score of a row. Do the weights of the row change?"""
    x = torch.tensor([0.0, 1.0, 3.0])
    same = torch.allclose(page.softmax(x), page.softmax(x + shift))
    return Answer(
        not same,
        f"Every exponential is multiplied by e^{shift}, and so is their sum: it cancels.",
        {
            True: f"e^(x + {shift}) = e^x * e^{shift}: the factor stands above and below the "
            "fraction, and cancels. A softmax sees only differences between scores."
        },
    )


@predict(factor=(2, 3, 4))
def multiplying(page, factor):
    """The scores 1 and 0 are both multiplied by {factor}. What is the weight of the first now?"""
    return Answer(
        float(page.softmax(torch.tensor([float(factor), 0.0]))[0]),
        f"The difference of the scores is {factor} now, so the weights are further apart.",
        {
            1 / (1 + math.exp(-1)): "This is the weight without the factor. A factor does not "
            "cancel as an added constant does: it stands in the exponent.",
            factor / (factor + 1): "Shares of the scores themselves are not what softmax gives: "
            "it takes their exponentials first.",
            0.5: "The scores differ, so the weights do.",
        },
    )


@predict(large=(100, 300, 1000))
def too_large(page, large):
    """In float32, torch.exp(x) / torch.exp(x).sum() for x = [0, {large}]: what is the last weight?
    (A number, or nan.)"""
    x = torch.tensor([0.0, float(large)])
    return Answer(
        float(torch.exp(x)[1] / torch.exp(x).sum()),
        f"e^{large} is more than float32 can hold (e^88 is about its largest number): it becomes "
        "inf, and inf / inf is nan. That is why the largest score is subtracted first.",
        {
            1.0: f"On paper, yes. But e^{large} overflows in float32 to inf, and inf / inf is no "
            "number.",
            math.inf: "Above the fraction stands inf, and below as well: inf / inf is nan.",
            0.0: "Only a finite number over inf is 0; here inf stands above the fraction too.",
        },
    )


@predict(larger=(-1, -2, -3), gap=(1, 2))
def negative_scores(page, larger, gap):
    """Two scores are both negative: {larger}, and one that is {gap} less. What is the weight of the
    first? (You may use a calculator.)"""
    weights = page.softmax(torch.tensor([float(larger), float(larger - gap)]))
    return Answer(
        float(weights[0]),
        f"Its score is {gap} larger than the other, and nothing else counts: a negative score does "
        "not mean that two tokens have nothing to do with each other.",
        {
            0.0: "No score is too small for a weight: only differences count, and one of the two "
            "must get the larger share.",
            0.5: "The scores differ, so the weights do.",
            1 - float(weights[0]): "That is the weight of the other one.",
            larger / (2 * larger - gap): "These are shares of the scores themselves. A softmax "
            "takes exponentials first.",
        },
    )
