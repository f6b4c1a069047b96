"""Rows of numbers before and after they are normalised."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, part
from grader.programs.proxy import Implementation

_ROWS = normal(3, 8, seed=4) * torch.tensor([[0.4], [1.0], [2.0]]) + torch.tensor(
    [[3.0], [-1.5], [0.5]]
)
_FEATURES = Axis("feature", values=tuple(map(float, range(8))))
_BEFORE = tuple(tuple(row) for row in _ROWS.tolist())
_TOKENS = ("token 0", "token 1", "token 2")


def _norm_jacobian(impl: Implementation, props: Props) -> Any:
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 4.0])
    found = impl.layer_norm_backward(torch.eye(5), x.expand(5, 5).contiguous(), torch.ones(5), 1e-5)
    return part(found, 0, "grad_x, grad_weight, grad_bias")


SCENE = Scene(
    "Rows of any height and size come to mean 0 and variance 1. Faint: before.",
    (
        Panel(
            "layer_norm: centred and scaled, row by row",
            PanelKind.CURVES,
            lambda impl, props: impl.layer_norm(_ROWS, torch.ones(8), torch.zeros(8), 1e-5),
            _FEATURES,
            Axis("value"),
            _TOKENS,
            _BEFORE,
        ),
        Panel(
            "rms_norm: scaled only, so rows keep their height",
            PanelKind.CURVES,
            lambda impl, props: impl.rms_norm(_ROWS, torch.ones(8), 1e-6),
            _FEATURES,
            Axis("value"),
            _TOKENS,
            _BEFORE,
        ),
        Panel(
            "layer_norm_backward: how output i answers input j",
            PanelKind.SIGNED,
            _norm_jacobian,
            Axis("input", ticks=tuple("abcde")),
            Axis("output", ticks=tuple("abcde")),
        ),
    ),
)
