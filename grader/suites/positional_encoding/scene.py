"""The waves of the table of positions."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_STEP = torch.tensor([0.0] * 6 + [2.0] * 6)[None, :, None].expand(1, 12, 8).contiguous()


def _encoded(impl: Implementation, props: Props) -> Any:
    return shaped(impl.PositionalEncoding(8, dropout=0.0, max_len=16)(_STEP), 1, 12, 8)[0]


SCENE = Scene(
    "Each position has a row of its own: fast waves on the left, slow ones on the right.",
    (
        Panel(
            "sinusoidal_encoding(64, 16)",
            PanelKind.SIGNED,
            lambda impl, props: impl.sinusoidal_encoding(64, 16),
            Axis("column"),
            Axis("position"),
        ),
        Panel(
            "PositionalEncoding(x): x is 0 first, then 2",
            PanelKind.SIGNED,
            _encoded,
            Axis("column"),
            Axis("position"),
        ),
        Panel(
            "pe_shift_matrix(1, 8): turns each pair by its own angle",
            PanelKind.SIGNED,
            lambda impl, props: impl.pe_shift_matrix(1, 8),
            Axis("column"),
            Axis("row"),
        ),
    ),
)
