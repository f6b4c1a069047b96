"""The bends of activations, and of the networks made with them."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, shaped
from grader.programs.proxy import Implementation

_X = torch.linspace(-4, 4, 81)
_POINTS = Axis("x", values=tuple(_X.tolist()))
_RELU = (tuple(_X.relu().tolist()),)


def _gelus(impl: Implementation, props: Props) -> Any:
    exact, by_tanh = impl.gelu(_X), impl.gelu(2 * _X, approximate="tanh")
    return torch.stack([shaped(exact, 81), shaped(by_tanh, 81) / 2])


def _networks(impl: Implementation, props: Props) -> Any:
    """One number in and out, and six inside: relu bends the line at most six times."""
    inner, bends = torch.tensor([1.0, 1, 1, -1, -1, -1]), torch.tensor([3.0, 0, -2, 2, -1, -3])
    given = {
        "w_1.weight": inner[:, None],
        "w_1.bias": bends,
        "w_2.weight": torch.tensor([[1.0, -2, 2, 1, -2, 2]]),
        "w_2.bias": torch.tensor([-1.0]),
    }
    found = []
    for activation in ("relu", "gelu"):
        layer = impl.PositionwiseFeedForward(1, 6, dropout=0.0, activation=activation)
        layer.load(given)
        found.append(shaped(layer(_X[:, None]), 81, 1)[:, 0])
    return torch.stack(found)


def _swiglu(impl: Implementation, props: Props) -> Any:
    layer = impl.SwiGLU(1, 2)
    layer.load(
        {
            "w1.weight": torch.tensor([[2.0], [-2.0]]),
            "w3.weight": torch.tensor([[0.5], [1.0]]),
            "w2.weight": torch.tensor([[1.0, 1.0]]),
        }
    )
    return shaped(layer(_X[:, None]), 81, 1).T


SCENE = Scene(
    "The bend between two linear layers. Faint: relu.",
    (
        Panel(
            "gelu(x), and gelu(2x)/2 by tanh",
            PanelKind.CURVES,
            _gelus,
            _POINTS,
            Axis("value"),
            ("gelu", "tanh"),
            _RELU,
        ),
        Panel(
            "silu(x)",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.silu(_X), 81)[None],
            _POINTS,
            Axis("value"),
            ("silu",),
            _RELU,
        ),
        Panel(
            "PositionwiseFeedForward: six units, up to six bends",
            PanelKind.CURVES,
            _networks,
            _POINTS,
            Axis("output"),
            ("relu", "gelu"),
        ),
        Panel(
            "SwiGLU: gate times value",
            PanelKind.CURVES,
            _swiglu,
            _POINTS,
            Axis("output"),
            ("SwiGLU",),
        ),
    ),
)
