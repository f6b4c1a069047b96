"""Two schedules, and how far AdamW's steps lead for gradients that agree and that do not."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_STEPS = 60
_SIGNS = torch.tensor([1.0, -1.0]).repeat(_STEPS // 2)
_GRADIENTS = (torch.full((_STEPS,), 0.5), _SIGNS * 0.5, torch.full((_STEPS,), 50.0))


def _schedules(impl: Implementation, props: Props) -> Any:
    """Both learning rates, step by step."""
    cosine = [float(impl.cosine_lr(step, 1.0, 12, 50, 0.1)) for step in range(_STEPS)]
    noam = [float(impl.noam_lr(step, 1, 12, 12**0.5)) for step in range(_STEPS)]
    return torch.tensor([noam, cosine])


def _paths(impl: Implementation, props: Props) -> Any:
    """A parameter that begins with 1, for each row of gradients."""
    return torch.stack([_path(impl, gradients) for gradients in _GRADIENTS])


def _path(impl: Implementation, gradients: torch.Tensor) -> torch.Tensor:
    model = impl.Slopes(())
    adam = impl.AdamW(model.weights(), lr=0.05, betas=(0.9, 0.95), weight_decay=0.0)
    seen = []
    for gradient in gradients:
        model.learn(adam, gradient.reshape(1))
        seen.append(shaped(model.weights()[0]))
    return torch.stack(seen)


SCENE = Scene(
    "The rate rises, then falls; a step is as long as gradients agree, whatever their size.",
    (
        Panel(
            "learning rate: 12 steps of warm-up, then it falls",
            PanelKind.CURVES,
            _schedules,
            Axis("step", values=tuple(range(_STEPS))),
            Axis("lr"),
            ("noam", "cosine"),
        ),
        Panel(
            "a parameter moved by AdamW, for three gradients",
            PanelKind.CURVES,
            _paths,
            Axis("step", values=tuple(range(1, _STEPS + 1))),
            Axis("parameter"),
            ("0.5", "0.5, -0.5", "50"),
        ),
    ),
)
