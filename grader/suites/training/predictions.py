"""What to predict about training before writing it."""

from __future__ import annotations

import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(stream=(8, 10, 12), tokens=(3, 4, 5))
def places_to_begin(page, stream, tokens):
    """A stream has {stream} tokens, and a piece has {tokens}. At how many places may a piece begin,
    so that each of its tokens has a target?"""
    generator, data = torch.Generator().manual_seed(0), torch.arange(stream)
    inputs, _ = page.next_token_batch(data, 2000, tokens, generator)
    return Answer(
        len(inputs[:, 0].unique()),
        f"{stream} - {tokens}: with its last target a piece takes {tokens} + 1 tokens.",
        {
            stream - tokens + 1: "So many pieces there are, but the last token of the last one has "
            "no target.",
            stream // tokens: "Pieces may overlap: they begin at any place, not only at multiples "
            "of their length.",
            stream: "A piece that begins at the end of the stream has no tokens left.",
        },
    )


@predict(first=(1.0, 2.0), second=(5.0, 6.0), many=(3, 9))
def loss_of_two_batches(page, first, second, many):
    """Two batches count as one. The first has {many} targets with the mean loss {first}, the second
    has 1 target with the loss {second}. What is the loss of both together?"""
    return Answer(
        (many * first + second) / (many + 1),
        f"({many} * {first} + 1 * {second}) / {many + 1}: every target counts the same.",
        {
            (first + second) / 2: "This is the mean of the two means: the one target would count "
            f"as much as the {many} others.",
            first + second: "This is the sum; a loss is the mean over all targets.",
            many * first + second: "This is the sum over all targets: divide it by their number.",
        },
    )


@predict(tokens=(16, 64, 100))
def loss_on_noise(page, tokens):
    """A model is trained on a very long stream, every token of which is drawn at random from
    {tokens}. To what does its loss fall at best? (You may use a calculator.)"""
    return Answer(
        math.log(tokens),
        f"log({tokens}): nothing tells the next token, so all of them have the probability "
        f"1/{tokens}. If the loss falls below that, the model sees its targets.",
        {
            0.0: "For that it would have to know the next token, and it is drawn at random.",
            1 / tokens: "This is the probability of a token. Its loss is minus the logarithm.",
        },
    )


@predict(max_norm=(1.0, 2.0), norm=(4.0, 5.0, 0.5))
def length_after_clipping(page, max_norm, norm):
    """All gradients together have the norm {norm}, and max_norm is {max_norm}. What is their norm
    after clipping?"""
    return Answer(
        min(max_norm, norm),
        "What is longer than max_norm is made as long as that; what is shorter stays as it is.",
        {
            max_norm: f"{norm} is less than {max_norm}: a short gradient is not made longer.",
            max_norm / norm: "This is the factor by which every gradient is multiplied.",
            norm: f"{norm} is more than {max_norm}, so it is made shorter.",
        },
    )


@predict(length=(6, 9), batch=(2, 4))
def shape_of_the_targets(page, length, batch):
    """teacher_forcing is given {batch} sentences of {length} tokens each: what is the shape of the
    targets?"""
    tgt = torch.ones(batch, length, dtype=torch.int64)
    return Answer(
        tuple(page.teacher_forcing(tgt, 0)[1].shape),
        "The first token is nobody's target, and the last one is nobody's input.",
        {
            (batch, length): "The first token of a sentence is never a target.",
            (batch, length - 2): "Inputs and targets lack one token each, but not the same one.",
        },
    )
