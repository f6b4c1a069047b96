"""What a target costs, how the gradient pushes, and what smoothing does to a target."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.programs.proxy import Implementation

_GRID = torch.linspace(-6, 6, 61)
_MOVED = torch.stack([_GRID, torch.zeros_like(_GRID), torch.zeros_like(_GRID)], dim=-1)
_TARGETS = torch.tensor([1, 4, -100, 0])
_TOKENS = tuple("abcde")
_POSITIONS = ("target b", "target e", "ignored", "target a")


def _losses(impl: Implementation, props: Props) -> Any:
    """The loss at each point of the grid: of a target that grows, of another, and smoothed."""
    ways = ((0, 0.0), (1, 0.0), (0, 0.3))
    curves = [
        [shaped(impl.cross_entropy(z, torch.tensor(y), label_smoothing=e)) for z in _MOVED]
        for y, e in ways
    ]
    return torch.stack([torch.stack(curve) for curve in curves])


SCENE = Scene(
    "A likely target costs little; the gradient lowers all logits but the target's.",
    (
        Panel(
            "loss against the logit z of token a; two more tokens have the logit 0",
            PanelKind.CURVES,
            _losses,
            Axis("z", values=tuple(_GRID.tolist())),
            Axis("loss"),
            ("target a", "target b", "target a, smoothed by 0.3"),
        ),
        Panel(
            "cross_entropy_backward: softmax minus target, divided by 3",
            PanelKind.SIGNED,
            lambda impl, props: impl.cross_entropy_backward(normal(4, 5, seed=3), _TARGETS),
            Axis("token", ticks=_TOKENS),
            Axis("position", ticks=_POSITIONS),
        ),
        Panel(
            "smoothed_targets with epsilon = 0.3",
            PanelKind.NUMBERS,
            lambda impl, props: impl.smoothed_targets(torch.tensor([1, 4, 0]), 5, 0.3),
            Axis("token", ticks=_TOKENS),
            Axis("target", ticks=("b", "e", "a")),
        ),
    ),
)
