"""What runs past a sub-layer, forwards and backwards."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, shaped
from grader.programs.observe import gradient, torch_module
from grader.programs.proxy import Implementation, ModuleProxy

_WIDTH, _DEPTH = 6, 8
_MODES = {"pre-norm": True, "post-norm": False}


def _branch(seed: int) -> Any:
    """A linear sub-layer, a module of torch's."""
    weight = normal(_WIDTH, _WIDTH, seed=seed) / _WIDTH**0.5
    return torch_module(
        "Linear", _WIDTH, _WIDTH, weights={"weight": weight, "bias": torch.zeros(_WIDTH)}
    )


def _connection(impl: Implementation, norm_first: bool) -> ModuleProxy:
    layer: ModuleProxy = impl.SublayerConnection(_WIDTH, 0.0, norm_first=norm_first)
    layer.load({"norm.weight": torch.ones(_WIDTH), "norm.bias": torch.zeros(_WIDTH)})
    return layer


def _connected(norm_first: bool) -> Any:
    x = normal(4, _WIDTH, seed=52) * 2 + 1
    return lambda impl, props: _connection(impl, norm_first)(x, _branch(51))


def _gradients(impl: Implementation, props: Props) -> Any:
    """How much of the gradient at the end of so many connections arrives at the beginning."""
    x = normal(16, _WIDTH, seed=53).requires_grad_()
    signs = normal(16, _WIDTH, seed=54)
    found = []
    for norm_first in _MODES.values():
        layer, out, sizes = _connection(impl, norm_first), x, [1.0]
        for depth in range(_DEPTH):
            out = shaped(layer(out, _branch(510 + depth)), 16, _WIDTH)
            grad = gradient(impl, out, signs, x)
            sizes.append(0.0 if grad is None else float(grad.norm() / signs.norm()))
        found.append(sizes)
    return torch.tensor(found)


SCENE = Scene(
    "What comes in runs straight past the sub-layer, and so do gradients, backwards.",
    (
        *(
            Panel(
                f"{mode}, with a linear sub-layer",
                PanelKind.SIGNED,
                _connected(norm_first),
                Axis("feature"),
                Axis("token"),
            )
            for mode, norm_first in _MODES.items()
        ),
        Panel(
            "how much gradient gets through",
            PanelKind.CURVES,
            _gradients,
            Axis("connections", values=tuple(map(float, range(_DEPTH + 1)))),
            Axis("gradient"),
            ("pre", "post"),
        ),
    ),
)
