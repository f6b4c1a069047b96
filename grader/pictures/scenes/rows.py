"""Functions of rows of numbers, drawn as curves: softmax, layer norm, feed-forward, dropout."""

from __future__ import annotations

from typing import Any

import torch

from grader.pictures.panels import Axis, Panel, PanelKind, Props, Scene, normal, part, shaped
from grader.programs.proxy import Implementation


def _grid(low: float, high: float, points: int = 81) -> torch.Tensor:
    return torch.linspace(low, high, points)


def _points(grid: torch.Tensor, label: str) -> Axis:
    return Axis(label, values=tuple(grid.tolist()))


def _line(grid: torch.Tensor) -> tuple[float, ...]:
    return tuple(grid.tolist())


# Softmax ------------------------------------------------------------------------------------------

_SCORES = _grid(-6, 6)
_LARGE = _grid(-200, 200)
_WIDE = _grid(-5, 120)
_CORNER = torch.stack([_WIDE, _WIDE, torch.zeros_like(_WIDE)], dim=-1)
_FAR = torch.tensor([0.0, 0, 0, 1000, 0])
_NAMES = tuple("abcde")


def _rivals(grid: torch.Tensor) -> torch.Tensor:
    """One score that moves, beside the scores 0 and 1 that stand still."""
    return torch.stack([grid, torch.zeros_like(grid), torch.ones_like(grid)], dim=-1)


def _jacobian(impl: Implementation, props: Props) -> Any:
    y = torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05])
    return impl.softmax_backward(torch.eye(5), y.expand(5, 5).contiguous())


_SOFTMAX = Scene(
    "Scores become shares: a score that grows takes from all the others.",
    (
        Panel(
            "softmax of the scores x, 0 and 1",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.softmax(_rivals(_SCORES)), 81, 3).T,
            _points(_SCORES, "x"),
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
            "log_softmax of the scores x, 0 and 1: straight lines, however far",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.log_softmax(_rivals(_LARGE)), 81, 3).T,
            _points(_LARGE, "x"),
            Axis("log share"),
            ("x", "0", "1"),
        ),
        Panel(
            "logsumexp of x, x and 0: finite, however large",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.logsumexp(_CORNER), 81)[None],
            _points(_WIDE, "x"),
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

# Layer normalisation ------------------------------------------------------------------------------

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


_LAYER_NORM = Scene(
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
            Axis("input", ticks=_NAMES),
            Axis("output", ticks=_NAMES),
        ),
    ),
)

# Feed-forward -------------------------------------------------------------------------------------

_X = _grid(-4, 4)
_RELU = (_line(_X.relu()),)


def _gelus(impl: Implementation, props: Props) -> Any:
    exact, by_tanh = impl.gelu(_X), impl.gelu(2 * _X, approximate="tanh")
    return torch.stack([shaped(exact, 81), shaped(by_tanh, 81) / 2])


def _networks(impl: Implementation, props: Props) -> Any:
    """One number in and out, and six inside: relu bends the line at most six times."""
    inner, bends = torch.tensor([1.0, 1, 1, -1, -1, -1]), torch.tensor([3.0, 0, -2, 2, -1, -3])
    weights = {
        "w_1.weight": inner[:, None],
        "w_1.bias": bends,
        "w_2.weight": torch.tensor([[1.0, -2, 2, 1, -2, 2]]),
        "w_2.bias": torch.tensor([-1.0]),
    }
    found = []
    for activation in ("relu", "gelu"):
        layer = impl.PositionwiseFeedForward(1, 6, dropout=0.0, activation=activation)
        layer.load(weights)
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


_FEED_FORWARD = Scene(
    "The bend between two linear layers. Faint: relu.",
    (
        Panel(
            "gelu(x), and gelu(2x)/2 by tanh",
            PanelKind.CURVES,
            _gelus,
            _points(_X, "x"),
            Axis("value"),
            ("gelu", "tanh"),
            _RELU,
        ),
        Panel(
            "silu(x)",
            PanelKind.CURVES,
            lambda impl, props: shaped(impl.silu(_X), 81)[None],
            _points(_X, "x"),
            Axis("value"),
            ("silu",),
            _RELU,
        ),
        Panel(
            "PositionwiseFeedForward: six units, up to six bends",
            PanelKind.CURVES,
            _networks,
            _points(_X, "x"),
            Axis("output"),
            ("relu", "gelu"),
        ),
        Panel(
            "SwiGLU: gate times value",
            PanelKind.CURVES,
            _swiglu,
            _points(_X, "x"),
            Axis("output"),
            ("SwiGLU",),
        ),
    ),
)

# Dropout ------------------------------------------------------------------------------------------

_RATES = (0.0, 0.2, 0.4, 0.6, 0.8)


def _dropped(impl: Implementation, props: Props) -> Any:
    """For each rate: how many survive, what they have become, and what a number is on average."""
    ones, found = torch.ones(20_000), []
    for rate in _RATES:
        y = shaped(impl.dropout(ones, rate, True), 20_000)
        alive = y[y != 0]
        found.append(torch.stack([(y != 0).float().mean(), alive.mean(), y.mean()]))
    return torch.stack(found).T


_DROPOUT = Scene(
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

ROWS = {
    "softmax": _SOFTMAX,
    "layer_norm": _LAYER_NORM,
    "feed_forward": _FEED_FORWARD,
    "dropout": _DROPOUT,
}
