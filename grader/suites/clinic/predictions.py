"""What to predict about looking for a mistake."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=(10, 100, 1000, 50257))
def loss_before_the_first_step(page, tokens):
    """A language model of {tokens} tokens was made just now, and knows nothing. Which loss do you
    expect before the first step? (You may use a calculator.)"""
    logits = torch.zeros(1, 2, tokens)
    return Answer(
        float(page.loss(logits, torch.tensor([[0, 1]]))),
        f"Every token has the probability 1 / {tokens}, and the loss is ln {tokens}. Where a "
        "training begins far above or below, something is wrong before it has begun.",
        {
            math.log2(tokens): "This is the logarithm to base 2. The loss is measured with the "
            "natural one.",
            float(tokens): "This is the perplexity. The loss is its logarithm.",
            1 / tokens: "This is the probability of each token. The loss is minus its logarithm.",
        },
    )


@predict(steps=(8, 16, 32, 64))
def looks_in_the_middle(page, steps):
    """One of {steps} statements is wrong. After each of them you can say whether the value is still
    right, and you always look in the middle. How many looks do you need?"""
    return Answer(
        math.ceil(math.log2(steps)),
        f"Each look halves what is suspected: {steps} is halved to 1 in so many steps.",
        {
            steps: "This is a look at each statement. A look in the middle rules out half of them.",
            steps // 2: "This is one half of them. After the first look that half is halved again.",
        },
    )


@predict(rows=range(2, 5), columns=range(5, 9))
def a_softmax_along_the_wrong_axis(page, rows, columns):
    """Weights of {rows} queries and {columns} keys were made by softmax(0) instead of softmax(-1).
    What do all of them sum to?"""
    total = torch.zeros(rows, columns).softmax(0).sum()
    return Answer(
        round(float(total)),
        f"Along axis 0 each of the {columns} columns sums to 1. The right sum is {rows}.",
        {
            rows: "This is what is right: one for each query. Along axis 0 it is the columns that "
            "sum to 1.",
            1: "One is the sum of each column by itself.",
        },
    )


@predict(what=("was never used", "was used, and then multiplied by 0"))
def a_gradient_that_is_missing(page, what):
    """A weight of the model {what}. What is its gradient after the first backward()?"""
    w, x = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    (x if what == "was never used" else x + 0 * w).sum().backward()
    right, other = ("None", "0") if w.grad is None else ("0", "None")
    return Answer(
        right,
        "None says that no path leads there; 0 says that a path is there, and nothing comes along.",
        {
            other: "None stands where no path leads to the weight; 0 where one does, and nothing "
            "comes along. They are two different mistakes.",
            "NaN": "NaN is what comes of 0 / 0, inf - inf or 0 * inf. There is none of these here.",
        },
    )
