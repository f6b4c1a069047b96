"""What to predict about the encoder before writing it."""

from __future__ import annotations

import torch
from torch import nn

from grader.check import Answer, Predictions

predict = Predictions()


@predict(batch=(2, 3), tokens=(5, 6, 7), d_model=(8, 12))
def shape(page, batch, tokens, d_model):
    """x of the shape ({batch}, {tokens}, {d_model}) goes through an encoder of 2 layers with d_ff =
    20. What shape comes out?"""
    stack = page.Encoder(page.EncoderLayer(d_model, 2, 20), 2)
    return Answer(
        tuple(stack(torch.ones(batch, tokens, d_model)).shape),
        "The same: each layer adds to x, so it keeps its shape, and another one can follow.",
        {
            (batch, tokens, 20): "20 is the width inside the feed-forward network; it leads back.",
            (batch, d_model): "Every token keeps a vector of its own.",
        },
    )


@predict(layers=(2, 3, 4))
def parameters_of_the_stack(page, layers):
    """A layer has 1184 numbers to learn. How many has Encoder(layer, {layers}), without a norm at
    the end?"""
    stack = page.Encoder(page.EncoderLayer(12, 3, 20), layers)
    return Answer(
        sum(weight.numel() for weight in stack.parameters()),
        "Each layer is a deep copy, with weights of its own.",
        {1184: "The layers are copies, not one layer used several times: each learns its own."},
    )


@predict(tokens=range(3, 8))
def shuffled(page, tokens):
    """The {tokens} tokens go in in another order, without positional encodings and without a mask.
    Are the results the same vectors, in that other order?"""
    torch.manual_seed(0)
    stack = page.Encoder(page.EncoderLayer(8, 2, 16, dropout=0.0), 2).eval()
    x, order = torch.randn(1, tokens, 8), torch.arange(tokens).roll(1)
    return Answer(
        torch.allclose(stack(x)[:, order], stack(x[:, order]), atol=1e-5),
        "Nothing in it knows an order: that is why positions are added to the embeddings.",
        {
            False: "Which part would know the order? Attention weighs by content, and the network "
            "sees one token at a time."
        },
    )


@predict(tokens=range(3, 6))
def polarity(page, tokens):
    """A mask of this course that is True everywhere, so that all may attend, is handed as it is to
    torch's nn.MultiheadAttention, as attn_mask. Does torch's module return numbers, or nan?"""
    attention = nn.MultiheadAttention(4, 1, batch_first=True)
    x = torch.ones(1, tokens, 4)
    out = attention(x, x, x, attn_mask=torch.ones(tokens, tokens, dtype=torch.bool))[0]
    return Answer(
        "nan" if out.isnan().any() else "numbers",
        "In torch's module True means hidden: nothing is left to attend to. `attend` turns it.",
        {"numbers": "In torch's module True means hidden, so here every key is hidden."},
    )


@predict(tokens=(5, 6))
def one_token_changed(page, tokens):
    """The last of {tokens} tokens is replaced by another. Does what the encoder returns for the
    first token change (yes), or stay as it was (no)?"""
    torch.manual_seed(0)
    layer = page.EncoderLayer(8, 2, 16, dropout=0.0).eval()
    x = torch.randn(1, tokens, 8)
    other = torch.cat([x[:, :-1], x[:, -1:].flip(-1)], dim=1)
    return Answer(
        not torch.allclose(layer(x)[:, 0], layer(other)[:, 0]),
        "An encoder has no causal mask: every token sees the whole sentence.",
        {False: "Only a causal mask would hide the later token, and an encoder has none."},
    )
