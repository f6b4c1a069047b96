"""What to predict about masks before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(tokens=range(4, 10))
def pairs_allowed(page, tokens):
    """How many True are there in causal_mask({tokens})?"""
    return Answer(
        int(page.causal_mask(tokens).sum()),
        f"Token i sees itself and the i before it: 1 + 2 + ... + {tokens}.",
        {
            tokens * (tokens - 1) // 2: "You leave out the diagonal: each token sees itself, too.",
            tokens * tokens: "That is every pair. Half of them, nearly, lie in the future.",
            tokens * tokens // 2: "Half of all pairs, nearly: but the diagonal belongs to it.",
        },
    )


@predict(new=(2, 3), keys=range(6, 10))
def stored_keys(page, new, keys):
    """{keys} keys, of which the last {new} are new: causal_mask({new}, {keys}) has a row for each
    new token. How many keys does the first of these rows allow?"""
    return Answer(
        int(page.causal_mask(new, keys)[0].sum()),
        f"Its own, and those of the {keys - new} tokens before it.",
        {
            1: "So it would be if the first row belonged to the first key. It belongs to the first "
            f"new token, which has {keys - new} tokens before it.",
            keys - new: "These are the tokens before it. It may attend to itself as well.",
            keys: "The new tokens after it are its future.",
        },
    )


@predict(batch=(2, 3), length=range(5, 9))
def shape_of_padding_mask(page, batch, length):
    """ids is a ({batch}, {length}) tensor. What is the shape of padding_mask(ids, pad_id=0)?"""
    ids = torch.ones(batch, length, dtype=torch.int64)
    return Answer(
        tuple(page.padding_mask(ids, pad_id=0).shape),
        "The axes of size 1 stand for all heads and all queries: a pad is hidden from every one.",
        {
            (batch, length): "Scores have four axes: sentences, heads, queries, keys. So that the "
            "mask lines up with them, two axes of size 1 stand in between.",
            (batch, length, length): "All rows would be the same; an axis of size 1 says so, and "
            "the heads need an axis, too.",
            (batch, 1, length): "That lacks an axis: there are heads and queries in between.",
        },
    )


@predict(tokens=range(3, 7))
def turned_round(page, tokens):
    """Someone reads causal_mask({tokens}) the wrong way round and hides what is True. To how many
    keys may the last query then attend?"""
    return Answer(
        int((~page.causal_mask(tokens)[-1]).sum()),
        "None is left, and a plain softmax over none is nan. Torch's own modules read masks this "
        "way round, so it happens to everybody once.",
        {
            tokens: "So many it may attend to when the mask is read as it is meant.",
            1: "The last row of the causal mask is True throughout, its own place included.",
            tokens - 1: "The last query sees everything when the mask is read as it is meant, and "
            "its own key as well.",
        },
    )


@predict(keys=range(2, 6))
def nothing_allowed(page, keys):
    """A row of {keys} scores is -inf everywhere. What does torch.softmax make of each of them? (A
    number, or nan.)"""
    row = torch.full((keys,), -torch.inf)
    return Answer(
        float(torch.softmax(row, dim=-1)[0]),
        "0 / 0: every exponential is 0, and so is their sum. masked_softmax gives zeros instead.",
        {
            0.0: "Every exponential is 0, but so is the sum that divides it.",
            1 / keys: "Equal scores give equal weights as long as they are numbers; with -inf, 0 "
            "is divided by 0.",
        },
    )
