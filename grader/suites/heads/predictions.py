"""What to predict about heads before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=(5, 6, 7), heads=(2, 3, 4), width=(8, 9))
def shape_of_heads(page, tokens, heads, width):
    """x has the shape (2, {tokens}, {heads} * {width}). What is the shape of split_heads(x,
    {heads})?"""
    x = torch.zeros(2, tokens, heads * width)
    return Answer(
        tuple(page.split_heads(x, heads).shape),
        "Heads before tokens: so a matrix product works on (tokens, columns) in every head.",
        {
            (2, tokens, heads, width): "This is the first half, the reshape. Then heads and tokens "
            "change places, so that tokens and columns are the last two axes.",
            (2, heads, width, tokens): "The last axis stays the columns of a head.",
        },
    )


@predict(tokens=range(3, 8))
def reshape_alone(page, tokens):
    """x counts 0, 1, 2, ... row by row, in {tokens} rows of 4 columns. In split_heads(x, 2), what
    is the first number of head 0 for the second token?"""
    x = torch.arange(4 * tokens).reshape(tokens, 4)
    return Answer(
        int(page.split_heads(x, 2)[0, 1, 0]),
        "Row 1 of x begins with 4, and head 0 has the left half of every row.",
        {
            2: f"So x.reshape(2, {tokens}, 2) has it: a head would begin with one token and go on "
            "with pieces of it. Reshape the last axis, then move axes.",
            1: "Columns 0 and 1 both belong to head 0 of the first token.",
            6: "That is head 1 of the second token.",
        },
    )


@predict(tokens=(6, 8, 12), block=(2,))
def scores_in_blocks(page, tokens, block):
    """Attention inside blocks of {block}: how many scores are computed for {tokens} tokens?"""
    same = torch.arange(tokens) // block
    return Answer(
        int((same[:, None] == same).sum()),
        f"Each of {tokens} tokens meets the {block} of its block.",
        {
            tokens * tokens: "So many there are without blocks.",
            tokens * tokens // block: "There are T / block blocks of block * block scores each: "
            "T * block together.",
            block * block: "That is one block.",
        },
    )


@predict(tokens=range(4, 9))
def distances(page, tokens):
    """relative_shift reads scores by distance. How many columns does its input have, for {tokens}
    tokens?"""
    x = torch.zeros(tokens, 2 * tokens - 1)
    assert page.relative_shift(x).shape == (tokens, tokens)
    return Answer(
        x.shape[-1],
        f"From {tokens - 1} behind to {tokens - 1} ahead, and the distance 0.",
        {
            tokens: "A key may be ahead of the query or behind it: so many distances there are on "
            "each side, 0 included.",
            2 * tokens: "The distance 0 is there once.",
        },
    )
