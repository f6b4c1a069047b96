"""Where numbers go when they are split into heads and merged again."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.programs.proxy import Implementation

# Tens are the token, ones the column, so that a number says where it came from.
_ADDRESSES = torch.tensor([[10.0 * t + c for c in range(6)] for t in range(2)])
_BY_HEAD = torch.stack([_ADDRESSES[:, :3], _ADDRESSES[:, 3:]])
_DISTANCES = torch.arange(-3.0, 4.0).expand(4, 7).contiguous()
_TOKENS = ("0", "1", "2", "3")


def _side_by_side(impl: Implementation, props: Props) -> Any:
    """The scores of two heads beside one another."""
    return torch.cat(list(shaped(impl.head_scores(normal(2, 4, 3, seed=26)), 2, 4, 4)), dim=-1)


def _blocks(impl: Implementation, props: Props) -> Any:
    q, k = normal(6, 4, seed=24), normal(6, 4, seed=25)
    return impl.block_diag_attention(q, k, torch.eye(6), 2)


SCENE = Scene(
    "Where each number goes. 13 is token 1, column 3.",
    (
        Panel(
            "split_heads of two tokens, six columns, two heads",
            PanelKind.NUMBERS,
            lambda impl, props: shaped(impl.split_heads(_ADDRESSES, 2), 2, 2, 3).flatten(0, 1),
            Axis("its column"),
            Axis("", ticks=("h0 t0", "h0 t1", "h1 t0", "h1 t1")),
        ),
        Panel(
            "merge_heads: and back",
            PanelKind.NUMBERS,
            lambda impl, props: impl.merge_heads(_BY_HEAD),
            Axis("column"),
            Axis("", ticks=("t0", "t1")),
        ),
        Panel(
            "head_scores: two heads beside one another",
            PanelKind.SIGNED,
            _side_by_side,
            Axis("token", ticks=_TOKENS * 2, every=4, group="head"),
            Axis("token", ticks=_TOKENS),
        ),
        Panel(
            "relative_shift: by distance becomes by position",
            PanelKind.NUMBERS,
            lambda impl, props: impl.relative_shift(_DISTANCES),
            Axis("key", ticks=_TOKENS),
            Axis("query", ticks=_TOKENS),
        ),
        Panel(
            "block_diag_attention, blocks of 2: the weights",
            PanelKind.SHARES,
            _blocks,
            Axis("key"),
            Axis("query"),
        ),
    ),
)
