"""What to predict about layer norm before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(factor=(3, 10, 50))
def multiplied(page, factor):
    """All numbers of a token are multiplied by {factor}. Does its layer norm change (eps = 0)?"""
    x, one, zero = torch.tensor([1.0, 2.0, 5.0, 8.0]), torch.ones(4), torch.zeros(4)
    same = torch.allclose(
        page.layer_norm(x, one, zero, 0.0), page.layer_norm(factor * x, one, zero, 0.0)
    )
    return Answer(
        not same,
        "The standard deviation grows by the same factor, and the division takes it out.",
        {True: "The result is divided by the standard deviation, which has grown as well."},
    )


@predict(shift=(3, 10, 50))
def shifted(page, shift):
    """{shift} is added to all numbers of a token. Does its RMS norm change?"""
    x, one = torch.tensor([1.0, 2.0, 5.0, 8.0]), torch.ones(4)
    same = torch.allclose(page.rms_norm(x, one, 0.0), page.rms_norm(x + shift, one, 0.0))
    return Answer(
        not same,
        "It divides by the root of the mean square, and subtracts no mean.",
        {False: "That is the layer norm, which subtracts the mean. An RMS norm does not."},
    )


@predict(tokens=(5, 6), width=(8, 12))
def how_many_means(page, tokens, width):
    """x has the shape (2, {tokens}, {width}). How many means does a layer norm compute?"""
    x = torch.zeros(2, tokens, width)
    return Answer(
        x[..., 0].numel(),
        "One for every token of every sentence: tokens and sentences do not mix.",
        {
            width: "One for each column, over the batch, is what a batch norm has.",
            1: "One token would depend on all others, and on the rest of the batch.",
            2: "Every token has a mean of its own, not only every sentence.",
            tokens: "Every sentence has its own tokens.",
        },
    )


@predict(value=(2, 5, 7), bias=(3, 4))
def equal_numbers(page, value, bias):
    """All numbers of a token are {value}. weight is 1 and bias is {bias} everywhere. What comes
    out? (A number, or nan.)"""
    x = torch.full((4,), float(value))
    out = page.layer_norm(x, torch.ones(4), torch.full((4,), float(bias)), 1e-5)
    return Answer(
        float(out[0]),
        "0 / sqrt(eps) is 0, and the bias is added. eps is there for such rows.",
        {
            float("nan"): "The variance is 0, but eps is added to it before the division.",
            0.0: "The middle of it is 0. Then comes the bias.",
            float(value): "The mean is subtracted first: the value is gone.",
        },
    )


@predict(d_model=(12, 64, 100))
def parameters(page, d_model):
    """How many parameters does LayerNorm({d_model}) have?"""
    return Answer(
        sum(weight.numel() for weight in page.LayerNorm(d_model).parameters()),
        "A weight and a bias for every column.",
        {
            2: "Every column has a weight and a bias of its own.",
            d_model: "There is a bias beside the weight.",
        },
    )
