"""How strongly the target depends on itself and on the memory."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, reach
from grader.pictures.sentence import INPUTS, OUTPUTS, T
from grader.programs.proxy import Implementation, ModuleProxy

_SIZES = (8, 2, 16)  # d_model, num_heads, d_ff
_X = normal(T, 8, seed=63)
_MEMORY = normal(4, 8, seed=62)
_SOURCE = ("ein", "Hund", "biss", "·")
_PAST = torch.ones(T, T, dtype=torch.bool).tril()
_NO_PAD = torch.tensor([True, True, True, False])[None]


def _decoder_layer(impl: Implementation, props: Props) -> ModuleProxy:
    layer: ModuleProxy = impl.DecoderLayer(*_SIZES, dropout=0.0, norm_first=True)
    return props.load(layer, gain=1.5)


def _own(impl: Implementation, props: Props) -> Any:
    layer, memory = _decoder_layer(impl, props), _MEMORY.expand(8, 4, 8).contiguous()
    return reach(impl, lambda x: layer(x, memory, _PAST, None), _X)


def _across(impl: Implementation, props: Props) -> Any:
    layer, x = _decoder_layer(impl, props), _X.expand(8, T, 8).contiguous()
    return reach(impl, lambda memory: layer(x, memory, _PAST, _NO_PAD), _MEMORY, T)


def _decoder(impl: Implementation, props: Props) -> Any:
    layer = impl.DecoderLayer(*_SIZES, dropout=0.0)
    stack = props.load(impl.Decoder(layer, 3), gain=1.2)
    x = _X.expand(8, T, 8).contiguous()
    return reach(impl, lambda memory: stack(x, memory, _PAST, _NO_PAD), _MEMORY, T)


SCENE = Scene(
    "How strongly each output depends on target and memory. · is padding.",
    (
        Panel("DecoderLayer, causal: the target itself", PanelKind.SHARES, _own, INPUTS, OUTPUTS),
        Panel(
            "DecoderLayer: the memory, padding hidden",
            PanelKind.SHARES,
            _across,
            Axis("depends on", ticks=_SOURCE),
            OUTPUTS,
        ),
        Panel(
            "Decoder, 3 layers, post-norm: the memory",
            PanelKind.SHARES,
            _decoder,
            Axis("depends on", ticks=_SOURCE),
            OUTPUTS,
        ),
    ),
)
