"""What to predict about multi-head attention before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(heads=(2, 4), width=(3, 5, 6))
def parameters(page, heads, width):
    """How many parameters does MultiHeadAttention(d_model={heads} * {width}, num_heads={heads},
    bias=False) have?"""
    d_model = heads * width
    layer = page.MultiHeadAttention(d_model, heads, bias=False)
    return Answer(
        sum(weight.numel() for weight in layer.parameters()),
        f"Four matrices of {d_model} times {d_model}, for q, k, v and the output.",
        {
            3 * d_model * d_model: "Beside queries, keys and values, the output has a matrix.",
            heads * 4 * d_model * d_model: "The heads share out the columns of the four matrices; "
            "there are not four for each head.",
            4 * width * width: "Each head reads all d_model numbers of a token.",
        },
    )


@predict(d_model=(24, 48))
def twice_the_heads(page, d_model):
    """d_model stays {d_model}, and there are 4 heads in the place of 2. Are there more numbers to
    learn?"""
    few, many = (
        sum(weight.numel() for weight in page.MultiHeadAttention(d_model, heads).parameters())
        for heads in (2, 4)
    )
    return Answer(
        many > few,
        "Each head is half as wide. The matrices are cut in other places, and stay as large.",
        {True: "More heads are narrower heads: together they have the same d_model columns."},
    )


@predict(batch=(2, 3), heads=(2, 4), tokens=(5, 6, 7))
def shape_of_weights(page, batch, heads, tokens):
    """{batch} sentences of {tokens} tokens, {heads} heads. What is the shape of the weights?"""
    layer = page.MultiHeadAttention(8, heads)
    x = torch.ones(batch, tokens, 8)
    return Answer(
        tuple(layer(x, need_weights=True)[1].shape),
        "Every head of every sentence has a matrix of weights of its own.",
        {
            (batch, tokens, tokens): "Each head has its own weights: an axis is missing.",
            (heads, tokens, tokens): "Each sentence has its own weights: an axis is missing.",
            (batch, tokens, heads, tokens): "Heads stand before tokens, so that the last two axes "
            "are a matrix for each head.",
        },
    )


@predict(heads=(4, 8), width=(16, 64))
def scale(page, heads, width):
    """d_model is {heads} * {width}, with {heads} heads. By which number are the scores divided?"""
    d_model = heads * width
    return Answer(
        math.sqrt(width),
        f"By the root of the width of one head: a score adds up {width} products, not {d_model}.",
        {
            math.sqrt(d_model): "A score is a dot product inside one head, which has d_model / "
            "num_heads columns only.",
            float(width): "By its root: the standard deviation grows with the root of the width.",
            float(heads): "The number of heads matters only for how wide a head is.",
        },
    )


@predict(heads=(2, 3, 4), d_out=(2, 5))
def wrapper(page, heads, d_out):
    """MultiHeadAttentionWrapper(3, {d_out}, ..., num_heads={heads}) puts whole heads side by side.
    How wide is what comes out?"""
    layer = page.MultiHeadAttentionWrapper(3, d_out, 4, 0.0, heads)
    return Answer(
        layer(torch.ones(1, 4, 3)).shape[-1],
        "Each head gives d_out numbers, and they stand side by side.",
        {
            d_out: "d_out is the width of one head here, and the heads are put side by side.",
            3: "The width changes: values have d_out numbers in each head.",
        },
    )
