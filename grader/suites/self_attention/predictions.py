"""What to predict about self-attention with projections before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(d_in=range(3, 7), d_out=range(7, 11))
def parameters(page, d_in, d_out):
    """How many parameters does SelfAttention_v2({d_in}, {d_out}) have, without biases?"""
    layer = page.SelfAttention_v2(d_in, d_out)
    return Answer(
        sum(weight.numel() for weight in layer.parameters()),
        "Three matrices of d_in times d_out: for queries, keys and values.",
        {
            d_in * d_out: "That is one matrix. Queries, keys and values have one each.",
            3 * (d_in * d_out + d_out): "Without biases there are only the three matrices.",
            3 * d_in * d_in: "The matrices lead from d_in to d_out numbers.",
        },
    )


@predict(d_in=range(3, 6), d_out=range(7, 10))
def shape_of_a_linear_weight(page, d_in, d_out):
    """What is the shape of W_query.weight, of an nn.Linear from {d_in} to {d_out}?"""
    layer = page.SelfAttention_v2(d_in, d_out)
    return Answer(
        tuple(layer.W_query.weight.shape),
        "(d_out, d_in): nn.Linear computes x @ weight.T.",
        {(d_in, d_out): "So lies a matrix for x @ W. nn.Linear keeps the transpose of it."},
    )


@predict(tokens=range(4, 9), d_out=(2, 5))
def shape_of_the_result(page, tokens, d_out):
    """Two sentences of {tokens} tokens with 3 numbers each go into CausalAttention(d_in=3,
    d_out={d_out}, ...). What shape comes out?"""
    layer = page.CausalAttention(3, d_out, tokens, 0.0)
    return Answer(
        tuple(layer(torch.ones(2, tokens, 3)).shape),
        "A context for each token of each sentence, as wide as the values.",
        {
            (2, tokens, 3): "The values are projected to d_out numbers, and contexts are made of "
            "values.",
            (2, tokens, tokens): "That is the shape of the weights.",
            (tokens, d_out): "The sentences stay apart: the first axis stays.",
        },
    )


@predict(tokens=range(4, 8))
def the_last_token(page, tokens):
    """In CausalAttention the last of {tokens} tokens is replaced by another. Does the context of
    the first token change?"""
    torch.manual_seed(0)
    layer = page.CausalAttention(3, 2, tokens, 0.0).eval()
    x = torch.randn(1, tokens, 3)
    other = torch.cat([x[:, :-1], x[:, -1:] + 1], dim=1)
    return Answer(
        not torch.allclose(layer(x)[:, 0], layer(other)[:, 0]),
        "The first token sees itself alone, so its context is its own value.",
        {True: "The mask hides all later tokens: nothing of them may reach an earlier one."},
    )


@predict(tokens=(5, 6))
def both_directions(page, tokens):
    """With W_query and W_key of their own: is the score of token 0 for token 1 always that of token
    1 for token 0?"""
    torch.manual_seed(0)
    layer, x = page.SelfAttention_v2(3, 2), torch.randn(tokens, 3)
    scores = layer.W_query(x) @ layer.W_key(x).mT
    return Answer(
        torch.allclose(scores, scores.mT),
        "A query of one meets a key of the other. So a verb may look for its noun without the "
        "noun looking for the verb.",
        {True: "So it was without projections. Query and key of a token are two vectors now."},
    )
