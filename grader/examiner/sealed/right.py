"""What is right, small enough to be given away: each number once, and how accurate one must be.

At home the reference answers five times, and the distances between its answers are the tolerance
(``expected.py``). Given away is the exact answer, as float32 where that holds it, and the distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.examiner.expected import NO_GRADIENTS, Expected, Readings
from grader.examiner.judge import tolerance_room
from grader.examiner.question import Known
from grader.programs.gradients import Gradients
from grader.programs.proxy import ModuleProxy
from grader.sandbox.protocol import NUMPY_DTYPES, TORCH_DTYPES

_STEPS = {torch.bfloat16: 2.0**12, torch.float16: 2.0**14}
_OTHER_STEPS = 2.0**18


@dataclass(frozen=True)
class Near:
    """A floating tensor or array: the exact numbers, the dtype it comes in, and how far the
    reference's own answers lie apart.
    """

    exact: torch.Tensor
    dtype: str
    room: float
    is_array: bool = False


@dataclass(frozen=True)
class NearNumber:
    """The same of a Python float."""

    exact: float
    room: float


@dataclass(frozen=True)
class Exactly:
    """What is equal or is not."""

    value: Any


@dataclass(frozen=True)
class Unjudged:
    """A module, of which is only judged what it answers."""


@dataclass(frozen=True)
class Right:
    """One ``Expected``: ``leaves`` and ``parameters`` are gradients, None where none are asked."""

    value: Any
    attached: tuple[int, ...]
    cotangents: tuple[torch.Tensor, ...]
    leaves: tuple[Any, ...] | None = None
    parameters: Mapping[str, Any] | None = None


def sealed_known(known: Known) -> dict[str, Any]:
    """What is known of a comparison, as a file keeps it."""
    return {
        "right": {how: _sealed(expected) for how, expected in known.right.items()},
        "alone": {how: _sealed(expected) for how, expected in known.alone.items()},
        "rounds": known.rounds,
        "unanswered": sorted(known.unanswered),
    }


def opened_known(kept: Mapping[str, Any]) -> Known:
    """The inverse, up to rounding."""
    return Known(
        {how: _opened(right) for how, right in kept["right"].items()},
        kept["rounds"],
        frozenset(),
        {how: _opened(right) for how, right in kept["alone"].items()},
        set(kept["unanswered"]),
    )


# Sealing ------------------------------------------------------------------------------------------


def _sealed(expected: Expected) -> Right:
    value, gradients = _small(expected.value), expected.gradients
    attached, cotangents = tuple(expected.attached), tuple(expected.cotangents)
    if not attached:
        return Right(value, attached, cotangents)
    leaves = gradients.mapped(lambda one: one.leaves)
    named = gradients.mapped(lambda one: one.parameters)
    return Right(
        value,
        attached,
        cotangents,
        tuple(_gradient(leaves.item(place)) for place in range(len(leaves.native))),
        {name: _gradient(named.item(name)) for name in named.native},
    )


def _small(wanted: Readings[Any]) -> Any:
    native = wanted.native
    if isinstance(native, ModuleProxy):
        return Unjudged()
    if isinstance(native, (list, tuple)):
        return type(native)([_small(wanted.item(place)) for place in range(len(native))])
    if isinstance(native, dict):
        return {key: _small(wanted.item(key)) for key in native}
    if isinstance(native, np.ndarray) and native.dtype.kind == "f":
        exact, room = _narrowed(wanted.mapped(torch.from_numpy))
        return Near(exact, native.dtype.name, room, is_array=True)
    if isinstance(native, torch.Tensor) and native.is_floating_point() and not native.is_meta:
        exact, room = _narrowed(wanted)
        return Near(exact, str(native.dtype).removeprefix("torch."), room)
    if isinstance(native, float):
        exact, room = _narrowed(wanted.mapped(lambda x: torch.tensor(x, dtype=torch.float64)))
        return NearNumber(float(wanted.exact), room)
    return Exactly(native)


def _gradient(wanted: Readings[Any]) -> Any:
    """None counts as zeros where another reading has numbers."""
    like = next((g for g in (wanted.exact, wanted.native) if g is not None), None)
    if like is None:
        return None
    return _small(wanted.mapped(lambda g: torch.zeros_like(like) if g is None else g))


def _narrowed(wanted: Readings[torch.Tensor]) -> tuple[torch.Tensor, float]:
    """The exact numbers in float32, unless they are too large for it; and the readings' room, and
    that for which they were rounded, less what a copy of them will show again.
    """
    exact = wanted.exact.detach().double()
    single = exact.float()
    steps = _STEPS.get(wanted.native.dtype, _OTHER_STEPS)
    kept = rounded(single, steps) if torch.equal(single.isinf(), exact.isinf()) else exact
    again = Readings(kept, kept.to(wanted.native.dtype))
    moved = tolerance_room(Readings(exact, kept))
    return kept.contiguous(), max(0.0, tolerance_room(wanted) + moved - tolerance_room(again))


def rounded(numbers: torch.Tensor, steps: float = _OTHER_STEPS) -> torch.Tensor:
    """Float32 numbers to multiples of 1 / ``steps``, or so much of the power of two below them: a
    fifth or less of what is least allowed (1e-5, 2**-7 in bfloat16, 2**-10 in float16), and the
    zeros at their ends take no room in a file.
    """
    _, exponent = torch.frexp(numbers)
    scale = torch.ldexp(torch.ones_like(numbers), (exponent - 1).clamp_min(0))
    whole = (numbers / scale * steps).round() / steps * scale
    return torch.where(numbers.isfinite(), whole, numbers)


# Opening ------------------------------------------------------------------------------------------


def _opened(right: Right) -> Expected:
    value = _readings(right.value)
    if right.leaves is None or right.parameters is None:
        return Expected(value, right.attached, right.cotangents)
    leaves, named = _readings(list(right.leaves)), _readings(dict(right.parameters))

    def gradients(at: int) -> Gradients:
        every = [(one.exact, one.native, *one.nudged)[at] for one in (leaves, named)]
        return Gradients([], every[0], every[1], {})

    found = Readings(gradients(0), gradients(1), (gradients(2),)) if right.attached else None
    return Expected(value, right.attached, right.cotangents, found or NO_GRADIENTS)


def _readings(small: Any) -> Readings[Any]:
    exact, native, nudged = (_taken(small, at) for at in range(3))
    return Readings(exact, native, (nudged,))


def _taken(small: Any, at: int) -> Any:
    """The exact answer, the one in its own dtype, or one as far away as there is room."""
    if isinstance(small, (list, tuple)):
        return type(small)([_taken(item, at) for item in small])
    if isinstance(small, dict):
        return {key: _taken(item, at) for key, item in small.items()}
    if isinstance(small, Near):
        tensor = _near(small, at)
        return tensor.numpy() if small.is_array else tensor
    if isinstance(small, NearNumber):
        return (small.exact, small.exact, small.exact + small.room)[at]
    if isinstance(small, Unjudged):
        return ModuleProxy(None, -1, "")  # type: ignore[arg-type]
    return small.value if isinstance(small, Exactly) else small


def _near(small: Near, at: int) -> torch.Tensor:
    if at == 1:
        dtype = TORCH_DTYPES[small.dtype]
        assert not small.is_array or small.dtype in NUMPY_DTYPES
        return small.exact.to(dtype)
    exact = small.exact.double()
    return exact + small.room if at == 2 else exact
