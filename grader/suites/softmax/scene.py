"""Shares of scores, and how they answer a score that grows."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.programs.proxy import Implementation


def _points(grid: torch.Tensor) -> Axis:
    return Axis("x", values=tuple(grid.tolist()))


_SCORES = torch.linspace(-6, 6, 81)
_LARGE = torch.linspace(-200, 200, 81)
_WIDE = torch.linspace(-5, 120, 81)
_CORNER = torch.stack([_WIDE, _WIDE, torch.zeros_like(_WIDE)], dim=-1)
_FAR = torch.tensor([0.0, 0, 0, 1000, 0])
_NAMES = tuple("abcde")


def _rivals(grid: torch.Tensor) -> torch.Tensor:
    """One score that moves, beside the scores 0 and 1 that stand still."""
    return torch.stack([grid, torch.zeros_like(grid), torch.ones_like(grid)], dim=-1)


def _far_rivals(grid: torch.Tensor) -> torch.Tensor:
    """So far apart that no two of their lines lie upon one another."""
    return torch.stack([grid, torch.zeros_like(grid), torch.full_like(grid, 80.0)], dim=-1)


def _jacobian(impl: Implementation, props: Props) -> Any:
    y = torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05])
    return impl.softmax_backward(torch.eye(5), y.expand(5, 5).contiguous())


SCENE = Scene(
    "Scores become shares: a score that grows takes from all the others.",
    (
        Panel(
            "softmax of the scores x, 0 and 1",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.softmax(_rivals(_SCORES)), 81, 3).T,
            _points(_SCORES),
            Axis("share"),
            ("x", "0", "1"),
        ),
        Panel(
            "softmax along dim=0; the scores of column 3 are 1000 higher",
            PanelKind.SHARES,
            lambda impl, props: impl.softmax(2 * normal(4, 5, seed=1) + _FAR, 0),
            Axis("column"),
            Axis("row"),
        ),
        Panel(
            "log_softmax of the scores x, 0 and 80: straight lines, however far",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.log_softmax(_far_rivals(_LARGE)), 81, 3).T,
            _points(_LARGE),
            Axis("log share"),
            ("x", "0", "80"),
        ),
        Panel(
            "logsumexp of x, x and 0: finite, however large",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.logsumexp(_CORNER), 81)[None],
            _points(_WIDE),
            Axis("value"),
            ("value",),
        ),
        Panel(
            "softmax_backward: how share i answers score j",
            PanelKind.SIGNED,
            _jacobian,
            Axis("score", ticks=_NAMES),
            Axis("share", ticks=_NAMES),
        ),
    ),
)
