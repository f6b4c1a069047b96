"""What the predictions of an untrained model rest on."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, reach_of_tokens, shaped
from grader.pictures.sentence import T
from grader.programs.proxy import Implementation, ModuleProxy

_SOURCE = ("ein", "Hund", "biss", "ihn", "·")
_TARGET = ("«", "a", "dog", "bit", "him")
_SRC, _TGT = [3, 4, 5, 6, 0], [1, 2, 4, 6, 7]
_VOCABULARY = ("·", "«", "a", "the", "dog", "cat", "bit", "him")


def _transformer(impl: Implementation, props: Props) -> tuple[ModuleProxy, Any]:
    model = impl.Transformer(
        7,
        8,
        d_model=8,
        num_heads=2,
        num_encoder_layers=2,
        num_decoder_layers=2,
        d_ff=16,
        dropout=0.0,
        max_len=16,
    )
    props.load(model, gain=1.5)
    return model, shaped(model(torch.tensor([_SRC]), torch.tensor([_TGT])), 1, T, 8)


def _looks_at(table: str, ids: list[int]) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        model, logits = _transformer(impl, props)
        return reach_of_tokens(model, logits, table, ids)

    return ask


_NEXT = Axis("next", ticks=_VOCABULARY)
SCENE = Scene(
    "What each prediction rests on: « begins a sentence, · is padding.",
    (
        Panel(
            "the target: what is written so far",
            PanelKind.SHARES,
            _looks_at("tgt_embedding.embedding.weight", _TGT),
            Axis("depends on", ticks=_TARGET),
            Axis("after", ticks=_TARGET),
        ),
        Panel(
            "the source: all of it, but for the padding",
            PanelKind.SHARES,
            _looks_at("src_embedding.embedding.weight", _SRC),
            Axis("depends on", ticks=_SOURCE),
            Axis("after", ticks=_TARGET),
        ),
        Panel(
            "softmax of the logits (nobody trained this model)",
            PanelKind.SHARES,
            lambda impl, props: _transformer(impl, props)[1][0].softmax(-1),
            _NEXT,
            Axis("after", ticks=_TARGET),
        ),
    ),
)
