"""Whom a word has heard after one layer, and after three."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Panel, PanelKind, Props, Scene, normal, reach
from grader.pictures.sentence import INPUTS, OUTPUTS, T
from grader.programs.observe import torch_module
from grader.programs.proxy import Implementation

_SIZES = (8, 2, 16)  # d_model, num_heads, d_ff
_X = normal(T, 8, seed=63)
_PAST = torch.ones(T, T, dtype=torch.bool).tril()
_NO_MAN = torch.tensor([True, True, True, True, False])[None]


def _encoder_layer(norm_first: bool, mask: torch.Tensor | None) -> Any:
    def ask(impl: Implementation, props: Props) -> Any:
        layer = impl.EncoderLayer(*_SIZES, dropout=0.0, norm_first=norm_first)
        props.load(layer, gain=1.2)
        return reach(impl, lambda x: layer(x, mask), _X)

    return ask


def _encoder(impl: Implementation, props: Props) -> Any:
    layer = impl.EncoderLayer(*_SIZES, dropout=0.0, norm_first=True)
    weights = {"weight": torch.ones(8), "bias": torch.zeros(8)}
    norm = torch_module("LayerNorm", 8, weights=weights)
    stack = props.load(impl.Encoder(layer, 3, norm), gain=1.2)
    return reach(impl, lambda x: stack(x, _NO_MAN), _X)


SCENE = Scene(
    "How strongly each output depends on each input: whom a word has heard.",
    (
        Panel(
            "EncoderLayer, post-norm",
            PanelKind.SHARES,
            _encoder_layer(False, None),
            INPUTS,
            OUTPUTS,
        ),
        Panel(
            "EncoderLayer, pre-norm, causal mask",
            PanelKind.SHARES,
            _encoder_layer(True, _PAST),
            INPUTS,
            OUTPUTS,
        ),
        Panel(
            "Encoder, 3 layers and a norm: nobody may attend to “man”",
            PanelKind.SHARES,
            _encoder,
            INPUTS,
            OUTPUTS,
        ),
    ),
)
