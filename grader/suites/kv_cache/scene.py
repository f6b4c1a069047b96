"""What a chunk sees behind stored tokens, and what is in the store."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_STORED, _NEW = ("this", "is", "stored"), ("and", "new")
_LENGTH = len(_STORED) + len(_NEW)


def _seen(impl: Implementation, props: Props) -> Any:
    """Which tokens have a share in what two new ones find. All scores are equal, and value j is a
    one in column j, so the results are the weights."""
    layer = impl.CachedAttention(_LENGTH, 1, bias=False)
    zeros, one = torch.zeros(_LENGTH, _LENGTH), torch.eye(_LENGTH)
    layer.load({"w_q.weight": zeros, "w_k.weight": one, "w_v.weight": one, "w_o.weight": one})
    cache = impl.KVCache(1, 1, 8, _LENGTH)
    layer(one[None, : len(_STORED)].clone(), cache)
    found = layer(one[None, len(_STORED) :].clone(), cache)
    return shaped(found, 1, len(_NEW), _LENGTH)[0]


def _reordered(impl: Implementation, props: Props) -> Any:
    """Keys of three texts, one number for each token, after reorder([2, 2, 0]) and one more."""
    cache = impl.KVCache(3, 1, 6, 1)
    keys = torch.arange(3.0)[:, None] * 10 + torch.arange(1.0, 4.0)
    stored = keys.view(3, 1, 3, 1)
    cache.append(stored, stored)
    cache.reorder(torch.tensor([2, 2, 0]))
    new = torch.tensor([7.0, 8.0, 9.0])[:, None, None, None]
    found = cache.append(new, new)
    return shaped(found[0], 3, 1, 4, 1)[:, 0, :, 0]


SCENE = Scene(
    "Three tokens are stored, two come at once: each sees what is stored, and not its future.",
    (
        Panel(
            "CachedAttention: what two new tokens see",
            PanelKind.SHARES,
            _seen,
            Axis("key", ticks=_STORED + _NEW),
            Axis("query", ticks=_NEW),
        ),
        Panel(
            "reorder([2, 2, 0]), and one more token each",
            PanelKind.NUMBERS,
            _reordered,
            Axis("token", ticks=("0", "1", "2", "new")),
            Axis("row", ticks=("was 2", "was 2", "was 0")),
        ),
    ),
)
