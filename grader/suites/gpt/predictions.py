"""What to predict about GPT before writing it."""

from __future__ import annotations

import itertools
import math

import torch

from grader.check import Answer, Predictions

predict = Predictions()


def _model(page, **options):
    torch.manual_seed(0)
    sizes = {"vocab_size": 10, "block_size": 8, "n_layer": 2, "n_head": 2, "n_embd": 8}
    return page.GPT(**(sizes | options)).eval()


@predict(vocabulary=(50, 100, 1000))
def first_loss(page, vocabulary):
    """All weights of a model with {vocabulary} tokens are zero. What is its loss?"""
    model, idx = _model(page, vocab_size=vocabulary), torch.tensor([[3, 1, 4]])
    for weights in model.parameters():
        torch.nn.init.zeros_(weights)
    return Answer(
        float(model(idx, idx)[1].detach()),
        "Every token has the same probability, 1 / V, and -log(1 / V) is log V. A new model is near"
        " it: whoever starts far above has a mistake in the start.",
        {
            float(vocabulary): "So large is the perplexity, the exponential of the loss.",
            math.log2(vocabulary): "The natural logarithm, not that to base 2.",
            1 / vocabulary: "This is the probability. The loss is minus its logarithm.",
        },
    )


@predict(batch=(2, 3), tokens=(4, 5, 6))
def shape_of_logits(page, batch, tokens):
    """{batch} texts of {tokens} tokens go into a model with 10 tokens in its vocabulary and n_embd
    = 8. What is the shape of the logits?"""
    idx = torch.ones(batch, tokens, dtype=torch.int64)
    return Answer(
        tuple(_model(page)(idx)[0].shape),
        "At every place a logit for each token: so a text gives as many lessons as it has places.",
        {
            (batch, 10): "The next token is predicted at every place, not only at the last.",
            (batch, tokens, 8): "The last projection leads from n_embd to the vocabulary.",
        },
    )


@predict(place=(2, 3))
def later_token(page, place):
    """The token at place {place} (counted from 0) is replaced. Do the logits at place 1 change?"""
    model, idx = _model(page), torch.tensor([[3, 1, 4, 5]])
    other = idx.clone()
    other[0, place] = 9
    return Answer(
        not torch.allclose(model(idx)[0][:, 1], model(other)[0][:, 1], atol=1e-6),
        "Every block has a causal mask: place 1 sees the places 0 and 1.",
        {True: "It would see the answer that it has to predict. The causal mask hides it."},
    )


@predict(vocabulary=(100, 500))
def tied(page, vocabulary):
    """With {vocabulary} tokens and n_embd = 8: how many numbers to learn does tie_weights save?"""
    tied, free = (
        sum(w.numel() for w in _model(page, vocab_size=vocabulary, tie_weights=tie).parameters())
        for tie in (True, False)
    )
    return Answer(
        free - tied,
        "One table serves for reading and for writing: V * n_embd numbers are saved.",
        {
            vocabulary: "Each token has a row of n_embd numbers.",
            2 * vocabulary * 8: "Two tables become one: one of them is saved.",
            0: "The logits need a matrix, too; tied, it is the table of tokens.",
        },
    )


@predict(text=(4, 6, 8))
def lessons(page, text):
    """A text of {text} tokens: how many pairs of input and target does it give, the target being
    the next token?"""
    tokens = torch.arange(text)
    return Answer(
        len(list(itertools.pairwise(tokens))),
        "After the last token nothing is known.",
        {text: "What comes after the last token is not in the text."},
    )
