"""What to predict about positional encodings before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(d_model=(6, 8, 12, 64))
def first_row(page, d_model):
    """What is the sum of the {d_model} numbers in row 0 of the sinusoidal table?"""
    return Answer(
        round(float(page.sinusoidal_encoding(1, d_model).sum())),
        "sin 0 is 0 and cos 0 is 1: every second column has a 1.",
        {
            0: "The sines are 0 at position 0. The cosines are 1.",
            d_model: "Only the cosines are 1 at position 0.",
        },
    )


@predict(shift=range(2, 9))
def distance_alone(page, shift):
    """Is the dot product of the rows p and p + {shift} of the table the same for every p?"""
    table = page.sinusoidal_encoding(60, 8).double()
    products = (table[:-shift] * table[shift:]).sum(-1)
    return Answer(
        bool(products.max() - products.min() < 1e-4),
        "sin a sin b + cos a cos b = cos(a - b): each pair of columns knows the distance only.",
        {False: "Take one pair of columns: sin a sin b + cos a cos b = cos(a - b)."},
    )


@predict(d_model=(64, 256, 512))
def factor(page, d_model):
    """By which number does TokenEmbedding(1000, {d_model}) multiply its rows?"""
    with torch.no_grad():
        layer = page.TokenEmbedding(1000, d_model)
        layer.embedding.weight.fill_(1.0)
        found = float(layer(torch.tensor([0]))[0, 0])
    return Answer(
        found,
        "The root of the width.",
        {
            1 / math.sqrt(d_model): "Attention divides by a root. Here it is a product.",
            float(d_model): "Its root.",
            1.0: "There is a factor, unless `scale` is False.",
        },
    )


@predict(first=(0, 1), second=(3, 5))
def the_same_word(page, first, second):
    """A word stands at position {first} and again at {second}. After PositionalEncoding (in eval
    mode), are both vectors the same?"""
    out = page.PositionalEncoding(8, dropout=0.0).eval()(torch.ones(1, 6, 8))
    return Answer(
        torch.allclose(out[0, first], out[0, second]),
        "A row of its own was added to each. So attention can tell them apart.",
        {True: "Before it they are. Each position adds a row of its own."},
    )


@predict(length=(100, 5000), d_model=(16, 64))
def to_learn(page, length, d_model):
    """How many parameters does PositionalEncoding({d_model}, max_len={length}) have?"""
    layer = page.PositionalEncoding(d_model, max_len=length)
    return Answer(
        sum(weight.numel() for weight in layer.parameters()),
        "None: the table is computed. LearnedPositionalEmbedding learns one.",
        {length * d_model: "That is the size of the table. It is computed, and never learned."},
    )
