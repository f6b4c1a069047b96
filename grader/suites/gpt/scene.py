"""How far each word reaches in a block, and in a model of two."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import (
    Axis,
    Panel,
    PanelKind,
    Props,
    Scene,
    normal,
    part,
    reach,
    reach_of_tokens,
    shaped,
)
from grader.pictures.sentence import INPUTS, OUTPUTS, WORDS, T
from grader.programs.proxy import Implementation, ModuleProxy

_IDS = [0, 2, 3, 1, 4]
_LEXICON = ("a", "the", "dog", "bit", "man", "cat", "saw")


def _gpt(impl: Implementation, props: Props) -> tuple[ModuleProxy, Any]:
    model = impl.GPT(7, 8, n_layer=2, n_head=2, n_embd=8, tie_weights=False)
    props.load(model, gain=1.5)
    logits = part(model(torch.tensor([_IDS])), 0, "logits, loss")
    return model, shaped(logits, 1, T, 7)


def _gpt_reach(impl: Implementation, props: Props) -> Any:
    model, logits = _gpt(impl, props)
    return reach_of_tokens(model, logits, "token_embedding.weight", _IDS)


def _block(impl: Implementation, props: Props) -> Any:
    block = props.load(impl.Block(8, num_heads=2, d_ff=32), gain=1.5)
    return reach(impl, lambda x: block(x), normal(T, 8, seed=71))


SCENE = Scene(
    "How strongly each output depends on each word: never on a later one.",
    (
        Panel("Block", PanelKind.SHARES, _block, INPUTS, OUTPUTS),
        Panel(
            "GPT, two blocks: from word to logits", PanelKind.SHARES, _gpt_reach, INPUTS, OUTPUTS
        ),
        Panel(
            "softmax of the logits (nobody trained this model)",
            PanelKind.SHARES,
            lambda impl, props: _gpt(impl, props)[1][0].softmax(-1),
            Axis("next", ticks=_LEXICON),
            Axis("after", ticks=WORDS),
        ),
    ),
)
