"""What temperature, top-k and top-p leave of a distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_TOKENS = tuple("abcdefgh")
_SURE = torch.tensor([0.5, 4.0, 0.0, 1.5, -1.0, 0.2, 1.0, -2.0])
_UNSURE = torch.tensor([0.5, 1.0, 0.0, 0.8, -1.0, 0.2, 0.7, -2.0])
_BOTH = torch.stack([_SURE, _UNSURE])
Ask = Callable[[Implementation, Props], Any]


def _shares(ask: Callable[[Implementation], Any], rows: int) -> Ask:
    """The probabilities that are left of the logits an implementation gives."""
    return lambda impl, props: shaped(ask(impl), rows, 8).softmax(-1)


def _heated(impl: Implementation) -> Any:
    rows = [shaped(impl.apply_temperature(_SURE, t), 8) for t in (0.0, 0.5, 1.0, 2.0, 5.0)]
    return torch.stack(rows)


SCENE = Scene(
    "A model that is sure of b, and one that is not: what is left to draw from.",
    (
        Panel(
            "apply_temperature: T = 0, 0.5, 1, 2 and 5",
            PanelKind.SHARES,
            _shares(_heated, 5),
            Axis("token", ticks=_TOKENS),
            Axis("temperature", ticks=("0", "0.5", "1", "2", "5")),
        ),
        Panel(
            "top_k_filter with k = 3: as many for both",
            PanelKind.SHARES,
            _shares(lambda impl: impl.top_k_filter(_BOTH, 3), 2),
            Axis("token", ticks=_TOKENS),
            Axis("model", ticks=("sure", "unsure")),
        ),
        Panel(
            "top_p_filter with p = 0.8: few where the model is sure",
            PanelKind.SHARES,
            _shares(lambda impl: impl.top_p_filter(_BOTH, 0.8), 2),
            Axis("token", ticks=_TOKENS),
            Axis("model", ticks=("sure", "unsure")),
        ),
    ),
)
