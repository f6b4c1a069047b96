"""The attention of three layers, made visible by their values."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Panel, PanelKind, Props, Scene, normal, shaped
from grader.pictures.sentence import KEYS, QUERIES, UNUSED, VECTORS, T
from grader.programs.proxy import Implementation

_MATRICES = {
    "W_query": torch.cat([normal(T, T, seed=22), UNUSED]),
    "W_key": torch.cat([normal(T, T, seed=23), UNUSED]),
    "W_value": torch.cat([UNUSED, torch.eye(T)]),
}
_LINEAR = {f"{name}.weight": matrix.T.contiguous() for name, matrix in _MATRICES.items()}


def _self_attention(impl: Implementation, props: Props) -> Any:
    layer = impl.SelfAttention_v1(2 * T, T)
    layer.load(_MATRICES)
    return layer(VECTORS)


def _self_attention_v2(impl: Implementation, props: Props) -> Any:
    layer = impl.SelfAttention_v2(2 * T, T)
    layer.load(_LINEAR)
    return layer(VECTORS)


def _causal_attention(impl: Implementation, props: Props) -> Any:
    layer = impl.CausalAttention(2 * T, T, context_length=8, dropout=0.0)
    layer.load(_LINEAR)
    return shaped(layer(VECTORS[None]), 1, T, T)[0]


SCENE = Scene(
    "Values that say which word they are make the attention visible.",
    tuple(
        Panel(title, PanelKind.SHARES, ask, KEYS, QUERIES)
        for title, ask in (
            ("SelfAttention_v1", _self_attention),
            ("SelfAttention_v2: the same matrices, transposed", _self_attention_v2),
            ("CausalAttention: no word sees the ones after it", _causal_attention),
        )
    ),
)
