"""What a picture is made of: panels, each one question to the learner's code and a way to draw it.

A scene is the panels of one exercise. Everything in them is fixed: the same picture every time, of
inputs that were chosen to be looked at and that no hidden check uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch

from grader.model import Cause
from grader.programs.failure import CheckFailed
from grader.programs.kinds import kind_of
from grader.programs.observe import gradient, parameter_gradient
from grader.programs.proxy import Implementation, ModuleProxy


class PanelKind(StrEnum):
    """How numbers become a picture."""

    SHARES = "shares"  # a map, from white at 0 to dark
    SIGNED = "signed"  # a map, white at 0, one hue on either side
    MASK = "mask"  # a map of two values
    NUMBERS = "numbers"  # a map with its numbers written in
    CURVES = "curves"  # one line per row


@dataclass(frozen=True)
class Axis:
    """``ticks`` name each row or column of a map, or some of them; ``every`` so many columns a
    line is drawn, and each part is one ``group``: a head. ``values`` are where the points of curves
    are.
    """

    label: str
    ticks: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    every: int = 0
    group: str = ""


@dataclass(frozen=True)
class Panel:
    """One row of a picture. ``ask`` gets the implementation and the props, and returns a matrix.

    Curves have ``lines``, their names, and may have faint lines ``before`` behind them. What is
    ``free`` has more than one right answer, so its difference means nothing. Differences up to
    ``tolerance``, relative to the largest expected number, are none. In a mask whose rows each
    choose a column, ``verb`` says what a row does then: predicts.
    """

    title: str
    kind: PanelKind
    ask: Callable[[Implementation, Props], Any]
    x: Axis
    y: Axis
    lines: tuple[str, ...] = ()
    before: tuple[tuple[float, ...], ...] = ()
    free: bool = False
    tolerance: float = 1e-4
    verb: str = ""


@dataclass(frozen=True)
class Scene:
    """What one exercise looks like; ``lesson`` is the sentence under the title."""

    lesson: str
    panels: tuple[Panel, ...]


class Props:
    """What both sides are given: weights, the same for the reference and the learner's module.

    The reference comes first; the shapes of its parameters say which weights there are.
    """

    def __init__(
        self,
        reference: Mapping[str, Any],
        weights: Mapping[str, dict[str, torch.Tensor]] | None = None,
    ) -> None:
        self.reference = reference
        self.weights: dict[str, dict[str, torch.Tensor]] = dict(weights or {})

    def load(self, layer: ModuleProxy, name: str = "", gain: float = 2.0) -> ModuleProxy:
        """Fills ``layer`` with fixed weights; ``name`` tells several layers of a panel apart."""
        if name not in self.weights:
            shapes = {key: value.shape for key, value in layer.parameters().items()}
            self.weights[name] = _weights(shapes, gain)
        layer.load(self.weights[name])
        return layer


def normal(*shape: int, seed: int) -> torch.Tensor:
    """Fixed numbers, drawn once and for all."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _weights(shapes: Mapping[str, torch.Size], gain: float) -> dict[str, torch.Tensor]:
    """Norms that do nothing, no biases, and matrices that keep the size of what they multiply."""
    made = {}
    for seed, (name, shape) in enumerate(sorted(shapes.items()), start=100):
        one = len(shape) == 1 and name.endswith("weight")
        vector = torch.ones(shape) if one else torch.zeros(shape)
        matrix = len(shape) > 1
        made[name] = normal(*shape, seed=seed) * gain / shape[-1] ** 0.5 if matrix else vector
    return made


def shaped(value: Any, *shape: int) -> torch.Tensor:
    """``value``, if it is a tensor of this shape; otherwise the learner is told."""
    if not isinstance(value, torch.Tensor):
        got = kind_of(value)
        raise CheckFailed(Cause("no_tensor_of_shape", {"got_kind": got, "wanted": str(shape)}))
    if value.shape != shape:
        raise CheckFailed(other_shape(value.shape, shape))
    return value


def other_shape(got: Sequence[int], wanted: Sequence[int]) -> Cause:
    """Why something of another shape cannot stand beside what is expected."""
    return Cause("other_shape", {"got": str(tuple(got)), "wanted": str(tuple(wanted))})


def part(value: Any, index: int, names: str) -> Any:
    """One of the several values that a function returns as a tuple, whose ``names`` are known."""
    if not isinstance(value, tuple) or len(value) != names.count(",") + 1:
        raise CheckFailed(Cause("no_tuple", {"got_kind": kind_of(value), "wanted": names}))
    return value[index]


def reach(
    impl: Implementation, call: Callable[[torch.Tensor], Any], x: torch.Tensor, rows: int = 0
) -> torch.Tensor:
    """How strongly row i of ``call(x)`` depends on row j of ``x``: the norm of the derivative.

    ``x`` is (T, d); the result is (``rows`` or T, d) too. One copy of ``x`` per column of the
    result lets a single pass backward find all derivatives of a row.
    """
    length, width = x.shape
    copies = x.expand(width, length, width).clone().requires_grad_()
    out = shaped(call(copies), width, rows or length, width)
    found = []
    for row in range(out.shape[1]):
        cotangent = torch.zeros(out.shape)
        cotangent[range(width), row, range(width)] = 1
        found.append(gradient(impl, out, cotangent, copies))
    return torch.stack([_attached(g).square().sum((0, 2)).sqrt() for g in found])


def reach_of_tokens(
    model: ModuleProxy, logits: torch.Tensor, table: str, ids: list[int]
) -> torch.Tensor:
    """How strongly the logits of each position depend on the vectors of the tokens ``ids``, rows
    of the parameter ``table``.
    """
    signs = normal(logits.shape[-1], seed=3).sign()
    found = []
    for row in range(logits.shape[1]):
        cotangent = torch.zeros(logits.shape)
        cotangent[0, row] = signs
        found.append(_attached(parameter_gradient(model, logits, cotangent, table)))
    return torch.stack([grad[ids].norm(dim=-1) for grad in found])


def _attached(grad: torch.Tensor | None) -> torch.Tensor:
    if grad is None:
        raise CheckFailed(Cause("no_way_back"))
    return grad
