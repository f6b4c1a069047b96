"""What to predict about the feed-forward network before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(d_model=(6, 8, 10), factor=(3, 4))
def parameters(page, d_model, factor):
    """How many parameters does PositionwiseFeedForward({d_model}, {factor} * {d_model}) have,
    biases included?"""
    d_ff = factor * d_model
    layer = page.PositionwiseFeedForward(d_model, d_ff, dropout=0.0)
    return Answer(
        sum(weight.numel() for weight in layer.parameters()),
        "There and back, d_model * d_ff each, and a bias for each number that comes out.",
        {
            2 * d_model * d_ff: "These are the two matrices. Each has a bias, d_ff and d_model.",
            d_model * d_ff + d_ff: "That is the way there. The way back has a matrix as well.",
            2 * (d_model * d_ff + d_ff): "The second bias is as wide as what comes out: d_model.",
        },
    )


@predict(tokens=range(4, 8))
def another_token(page, tokens):
    """One of {tokens} tokens is replaced by another. Does the feed-forward network give another
    result for the tokens beside it?"""
    torch.manual_seed(0)
    layer = page.PositionwiseFeedForward(4, 8, dropout=0.0)
    x = torch.randn(1, tokens, 4)
    other = torch.cat([x[:, :1] + 1, x[:, 1:]], dim=1)
    return Answer(
        not torch.allclose(layer(x)[:, 1:], layer(other)[:, 1:]),
        "It is applied to each token by itself. Only attention moves something between tokens.",
        {True: "Position-wise: the same network for each token, and none sees another."},
    )


@predict(layers=(2, 3, 10))
def without_activation(page, layers):
    """{layers} linear maps follow one another without anything in between. Can they compute
    something that one linear map cannot?"""
    maps = [torch.full((3, 3), 0.5) + number * torch.eye(3) for number in range(layers)]
    x = torch.tensor([1.0, 2.0, 3.0])
    one, steps = torch.linalg.multi_dot(maps), x
    for matrix in maps:
        steps = steps @ matrix
    return Answer(
        not torch.allclose(steps, x @ one),
        "Their product is one matrix. The activation in between is what makes the width useful.",
        {True: "The product of matrices is a matrix: x A B = x (A B)."},
    )


@predict(x=(-1.0, -0.5, -2.0))
def gelu_of_a_negative_number(page, x):
    """Is gelu({x}) positive, zero or negative?"""
    value = float(page.gelu(torch.tensor(x)))
    return Answer(
        "negative" if value < 0 else "zero" if value == 0 else "positive",
        "x times the probability that a standard normal number is below x: a little below zero.",
        {
            "zero": "A ReLU gives zero. GELU multiplies by a probability, which is never zero.",
            "positive": "A positive share of a negative number is negative.",
        },
    )


@predict(d_model=(4, 6), d_ff=(8, 10))
def gated(page, d_model, d_ff):
    """How many parameters does SwiGLU({d_model}, {d_ff}) have? (It has no biases.)"""
    return Answer(
        sum(weight.numel() for weight in page.SwiGLU(d_model, d_ff).parameters()),
        "Three matrices: one for the gate, one for what passes it, one back.",
        {2 * d_model * d_ff: "The gate has a matrix of its own: there are three."},
    )
