"""What to predict about the Transformer before writing it."""

from __future__ import annotations

import torch

from grader.check import Answer, Predictions

predict = Predictions()

SMALL = {"d_model": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "d_ff": 12}


def _model(page, src_vocab=11, tgt_vocab=13):
    torch.manual_seed(0)
    return page.Transformer(src_vocab, tgt_vocab, **SMALL).eval()


@predict(source=(5, 6), target=(3, 4), vocab=(13, 17, 19))
def shape_of_logits(page, source, target, vocab):
    """Two pairs of sentences: sources of {source} tokens (11 words in the vocabulary), targets of
    {target} ({vocab} words). What is the shape of the logits?"""
    src = torch.ones(2, source, dtype=torch.int64)
    tgt = torch.ones(2, target, dtype=torch.int64)
    return Answer(
        tuple(_model(page, 11, vocab)(src, tgt).shape),
        "At every place of the target a logit for each word of the target's vocabulary.",
        {
            (2, source, vocab): "Words are predicted at the places of the target.",
            (2, target, 11): "What is predicted are words of the target's vocabulary.",
            (2, target, 8): "So wide is what leaves the decoder. The generator makes logits of it.",
            (2, vocab): "A word is predicted at every place, all in one pass.",
        },
    )


@predict(pads=(2, 3, 5))
def pads_behind(page, pads):
    """{pads} pads are added behind a source. Do the logits change?"""
    model = _model(page)
    src, tgt = torch.tensor([[5, 9, 2]]), torch.tensor([[1, 7, 4]])
    more = torch.cat([src, torch.zeros(1, pads, dtype=torch.int64)], dim=1)
    return Answer(
        not torch.allclose(model(src, tgt), model(more, tgt), atol=1e-5),
        "A mask hides them in the encoder and in the cross-attention.",
        {True: "Pads only fill up a batch. The padding mask hides them wherever they are keys."},
    )


@predict(place=(1, 2, 3))
def future_of_the_target(page, place):
    """The target's token at place {place} (counted from 0) is replaced. Do the logits at place 0
    change?"""
    model = _model(page)
    src, tgt = torch.tensor([[5, 9, 2]]), torch.tensor([[1, 7, 4, 6]])
    other = tgt.clone()
    other[0, place] = 12
    return Answer(
        not torch.allclose(model(src, tgt)[:, 0], model(src, other)[:, 0], atol=1e-6),
        "The causal mask hides it. Otherwise training could read the answer off its own input.",
        {True: "At place 0 the word for place 1 is predicted: it must not be seen there."},
    )


@predict(words=(4, 6, 9))
def passes_of_the_encoder(page, words):
    """A translation of {words} words is written, one after another. How often must the encoder run
    for it, at least?"""
    runs, model = [], _model(page)
    model.encoder.register_forward_hook(lambda *_: runs.append(1))
    memory = model.encode(torch.tensor([[5, 9, 2]]))
    for length in range(1, words + 1):
        model.decode(torch.ones(1, length, dtype=torch.int64), memory)
    return Answer(
        len(runs),
        "Once: the source does not change. The decoder runs once for each word.",
        {
            words: "So often runs the decoder. The memory of the source is kept.",
            words + 1: "The decoder runs for each word; the encoder only before the first.",
        },
    )


@predict(sentence=(4, 6, 8))
def shifted_target(page, sentence):
    """A target sentence has {sentence} words; a start token is put before it and an end token
    behind it. How many tokens go into the decoder in training?"""
    whole = torch.ones(1, sentence + 2, dtype=torch.int64)
    return Answer(
        whole[:, :-1].shape[1],
        "All but the last: what comes after the end token is never asked.",
        {
            sentence: "The start token goes in as well: at its place the first word is predicted.",
            sentence + 2: "Nothing is to be predicted after the end token, so it does not go in.",
        },
    )
