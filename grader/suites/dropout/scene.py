"""What falls out, and what becomes of the rest."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.programs.proxy import Implementation

_RATES = (0.0, 0.2, 0.4, 0.6, 0.8)


def _dropped(impl: Implementation, props: Props) -> Any:
    """For each rate: how many survive, what they have become, and what a number is on average."""
    ones, found = torch.ones(20_000), []
    for rate in _RATES:
        y = shaped(impl.dropout(ones, rate, True), 20_000)
        alive = y[y != 0]
        found.append(torch.stack([(y != 0).float().mean(), alive.mean(), y.mean()]))
    return torch.stack(found).T


SCENE = Scene(
    "Some numbers fall out, the others grow, and the average stays.",
    (
        Panel(
            "dropout(ones, 0.25): a fresh mask every time",
            PanelKind.SHARES,
            lambda impl, props: impl.dropout(torch.ones(10, 12), 0.25, True),
            Axis("column"),
            Axis("row"),
            free=True,
        ),
        Panel(
            "what becomes of 20,000 ones",
            PanelKind.CURVES,
            _dropped,
            Axis("p", values=_RATES),
            Axis("value"),
            ("kept", "size", "mean"),
            tolerance=0.02,
        ),
        Panel(
            "training=False: as they came",
            PanelKind.SIGNED,
            lambda impl, props: impl.dropout(normal(4, 6, seed=5), 0.5, False),
            Axis("column"),
            Axis("row"),
        ),
    ),
)
