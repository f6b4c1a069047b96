"""What to predict about the decoder before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()


@predict(target=(3, 4), source=(5, 6, 7))
def shape(page, target, source):
    """The target has {target} tokens, the memory {source}, both 8 numbers wide; one sentence. What
    shape comes out of a decoder layer?"""
    layer = page.DecoderLayer(8, 2, 16, dropout=0.0)
    return Answer(
        tuple(layer(torch.ones(1, target, 8), torch.ones(1, source, 8)).shape),
        "A vector for every token of the target: the memory is only looked up.",
        {
            (1, source, 8): "The queries come from the target, and there is a result for a query.",
            (1, target + source, 8): "The memory is not put beside the target: it is attended to.",
        },
    )


@predict(target=(3, 4), source=(5, 6, 7))
def weights_of_cross_attention(page, target, source):
    """The target has {target} tokens, the memory {source}. What is the shape of the matrix of
    weights in one head of the cross-attention?"""
    q, k = torch.ones(target, 8), torch.ones(source, 8)
    return Answer(
        tuple((q @ k.mT).shape),
        "A row for every query, from the target; a column for every key, from the memory.",
        {
            (source, target): "Queries come from the target: they are the rows.",
            (target, target): "That is the self-attention of the target.",
            (source, source): "That is the self-attention of the encoder.",
        },
    )


@predict(d_model=(8, 12))
def norms(page, d_model):
    """How many layer norms does one DecoderLayer({d_model}, 2, 16) have?"""
    layer = page.DecoderLayer(d_model, 2, 16)
    return Answer(
        sum(isinstance(part, torch.nn.LayerNorm) for part in layer.modules()),
        "One for each sub-layer: self-attention, cross-attention, feed-forward network.",
        {2: "So many has an encoder layer. Here cross-attention comes between."},
    )


@predict(source=(4, 5, 6))
def last_word_of_the_source(page, source):
    """The last of the {source} vectors of the memory changes. May the result for the first token of
    the target change, although the target has a causal mask?"""
    torch.manual_seed(0)
    layer = page.DecoderLayer(8, 2, 16, dropout=0.0).eval()
    tgt, memory = torch.randn(1, 3, 8), torch.randn(1, source, 8)
    other = torch.cat([memory[:, :-1], memory[:, -1:].flip(-1)], dim=1)
    causal = torch.ones(3, 3).tril().bool()
    return Answer(
        not torch.allclose(layer(tgt, memory, causal)[:, 0], layer(tgt, other, causal)[:, 0]),
        "The whole source is known before the first word is written: nothing of it is future.",
        {False: "The causal mask hides later tokens of the target. The source is all known."},
    )
