"""The attention of each head."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, part, shaped
from grader.pictures.sentence import KEYS, QUERIES, UNUSED, VECTORS, WORDS, T
from grader.programs.proxy import Implementation

_H = 3
_PAIR = 2  # heads beside one another: more have no room for the names of their keys
_MODEL = 12


def _head(number: int) -> Panel:
    def ask(impl: Implementation, props: Props) -> Any:
        layer = props.load(impl.MultiHeadAttention(_MODEL, _H), gain=1.6)
        found = layer(normal(1, T, _MODEL, seed=31), need_weights=True)
        return shaped(part(found, 1, "result, weights"), 1, _H, T, T)[0, number]

    return Panel(
        f"MultiHeadAttention, weights of head {number}", PanelKind.SHARES, ask, KEYS, QUERIES
    )


def _all_heads(impl: Implementation, props: Props) -> Any:
    """Values that say which word they are, and no mixing of heads."""
    w_q, w_k = (
        torch.cat([normal(_PAIR * 4, T, seed=s), torch.zeros(_PAIR * 4, T)], 1) for s in (32, 33)
    )
    w_v = torch.cat([torch.zeros(_PAIR * T, T), torch.eye(T).repeat(_PAIR, 1)], 1)
    x = VECTORS[None]
    mix = torch.eye(_PAIR * T)
    found = impl.multi_head_attention(x, x, x, w_q, w_k, w_v, mix, _PAIR, is_causal=True)
    return shaped(found, 1, T, _PAIR * T)[0]


def _wrapper(impl: Implementation, props: Props) -> Any:
    layer = impl.MultiHeadAttentionWrapper(2 * T, T, context_length=8, dropout=0.0, num_heads=_PAIR)
    given = {}
    for head in range(_PAIR):
        for name, seed in (("query", 34), ("key", 44)):
            given[f"heads.{head}.W_{name}.weight"] = torch.cat(
                [normal(T, T, seed=seed + head), UNUSED], 1
            )
        given[f"heads.{head}.W_value.weight"] = torch.cat([UNUSED, torch.eye(T)], 1)
    layer.load(given)
    return shaped(layer(VECTORS[None]), 1, T, _PAIR * T)[0]


_PAIRED = Axis("key", ticks=WORDS * _PAIR, every=T, group="head")
SCENE = Scene(
    "Every head shares out its attention in its own way.",
    (
        *map(_head, range(_H)),
        Panel(
            "multi_head_attention, is_causal=True",
            PanelKind.SHARES,
            _all_heads,
            _PAIRED,
            QUERIES,
        ),
        Panel("MultiHeadAttentionWrapper", PanelKind.SHARES, _wrapper, _PAIRED, QUERIES),
    ),
)
