"""Is this answer the right one? Kind, shape, dtype, device, values, gradients, untouched inputs.

Tolerance is derived from the dtype and from how far the reference's answers lie apart, never
guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from grader.examiner.difference import Tensors, describe_values, where_they_differ
from grader.examiner.expected import Expected, Probe, Readings, tensors_of
from grader.model import Cause
from grader.programs.client import Client
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.kinds import kind_name
from grader.programs.proxy import Implementation, ModuleProxy

# Relative to max(1, |expected|). float64 inputs are held to float32 accuracy, because computing
# in float32 inside is legitimate; right float32 variants agree to 4.5e-7.
_FLOOR = {torch.float64: 1e-5, torch.float32: 1e-5, torch.bfloat16: 2**-7, torch.float16: 2**-10}
_ROUNDING_ROOM = 5.0


class Judge:
    """Compares one implementation's answer to one probe with what is expected."""

    def __init__(self, client: Client, expected: Expected, step: int) -> None:
        self.client, self.expected, self.step = client, expected, step

    def judge(self, probe: Probe, wrt: Sequence[torch.Tensor]) -> None:
        """Raises ``CheckFailed`` at the first difference, in the order of the module's title."""
        self.client.begin(wrt)
        actual = probe(Implementation(self.client))
        self._value(self.expected.value, actual, "", actual)
        self._changed()
        self._gradients(tensors_of(actual), wrt)

    def fail(self, kind: str, said: str, expected: str, actual: str, evidence: Any) -> None:
        call = self.client.calls[-1] if self.client.calls else "The check"
        raise CheckFailed(
            Cause(f"{call} {said}", expected, actual), Evidence(kind, self.step, evidence)
        )

    # Values -----------------------------------------------------------------------------------

    def _value(self, wanted: Readings, actual: Any, at: str, whole: Any) -> None:
        native = wanted.native
        if isinstance(native, ModuleProxy):
            return
        if isinstance(native, (list, tuple)):
            self._sequence(wanted, actual, at, whole)
        elif isinstance(native, dict):
            if not isinstance(actual, dict) or list(actual) != list(native):
                self._kind(f"a dict with the keys {list(native)}", actual, at, whole)
            for key in native:
                self._value(wanted.item(key), actual[key], f" at key {key!r}{at}", whole)
        elif isinstance(native, (torch.Tensor, np.ndarray)):
            self._tensor(wanted, actual, at, whole)
        elif isinstance(native, float):
            number = _number(actual)
            if number is None:
                self._kind("a number", actual, at, whole)
            self._numbers(wanted.mapped(_as_tensor), _as_tensor(number), at, whole)
        elif isinstance(plain := _plain(actual), (torch.Tensor, np.ndarray)):
            self._kind(f"a value of type {type(native).__name__}", actual, at, whole)
        elif plain != native:
            self.fail("value", f"returned another value{at}.", repr(native), repr(actual), whole)

    def _sequence(self, wanted: Readings, actual: Any, at: str, whole: Any) -> None:
        length = len(wanted.native)
        if not isinstance(actual, (list, tuple)) or len(actual) != length:
            self._kind(f"{length} values", actual, at, whole)
        for index, item in enumerate(actual):
            self._value(wanted.item(index), item, f" in item {index}{at}", whole)

    def _kind(self, wanted: str, actual: Any, at: str, whole: Any) -> None:
        got = kind_name(actual)
        self.fail("kind", f"returned {got} where {wanted} was expected{at}.", wanted, got, whole)

    def _tensor(self, wanted: Readings, actual: Any, at: str, whole: Any) -> None:
        native = wanted.native
        if type(actual) is not type(native):
            self._kind(kind_name(native), actual, at, whole)
        for kind, said, of in (
            ("shape", "returned shape {}, not {}", _shape),
            ("dtype", "returned dtype {}, not {}", _dtype),
            ("device", "returned a tensor on {}, not on {}", _device),
        ):
            right, got = of(native), of(actual)
            if right != got:
                self.fail(kind, said.format(got, right) + f"{at}.", right, got, whole)
        if isinstance(native, np.ndarray) or native.device.type != "meta":
            self._numbers(wanted.mapped(_as_tensor), _as_tensor(actual), at, whole)

    def _numbers(self, wanted: Readings, actual: torch.Tensor, at: str, whole: Any) -> None:
        wrong = wrong_elements(wanted, actual)
        if wrong.any():
            tensors = Tensors(wanted.exact, actual, wrong)
            kind = "NaN" if (actual.isnan() & ~wanted.exact.isnan()).any() else "value"
            said = "returned NaN" if kind == "NaN" else "returned other values"
            said = f"{said}{at}: {where_they_differ(tensors)}."
            self.fail(kind, said, *describe_values(tensors), whole)

    # Inputs and gradients ---------------------------------------------------------------------

    def _changed(self) -> None:
        names = self.client.changed_inputs()
        if names:
            listed = ", ".join(names)
            said = f"changed its input ({listed}) in place."
            self.fail("input changed", said, "inputs as they were", f"{listed} changed", names)

    def _gradients(self, outputs: list[torch.Tensor], wrt: Sequence[torch.Tensor]) -> None:
        expected = self.expected
        if not expected.attached:
            return
        chosen = [outputs[i] for i in expected.attached]
        found = self.client.gradients(chosen, expected.cotangents, wrt)
        if not all(found.attached):
            said = "returned a tensor that has left the graph: no gradient flows back through it."
            self.fail("gradient", said, "a gradient", "none (detached)", found.attached)
        leaves = expected.gradients.mapped(lambda gradients: gradients.leaves)
        for index, tensor in enumerate(found.leaves):
            self._gradient(f"input {index + 1}", leaves.item(index), tensor)
        named = expected.gradients.mapped(lambda gradients: gradients.parameters)
        for name in named.native:
            label = f"parameter {name.partition('.')[2]}"
            self._gradient(label, named.item(name), found.of_parameter(name))

    def _gradient(self, label: str, wanted: Readings, actual: Any) -> None:
        like = next((g for g in (wanted.exact, wanted.native, actual) if g is not None), None)
        if like is None:
            return
        if not isinstance(like, torch.Tensor):
            self.fail(
                "gradient", f"has no gradient for {label}.", "a tensor", kind_name(like), None
            )
        zero = torch.zeros_like(like)
        wanted = wanted.mapped(lambda g: zero if g is None else g)
        actual = zero if actual is None else actual
        usable = isinstance(actual, torch.Tensor) and actual.device == wanted.exact.device
        if not usable or actual.shape != wanted.exact.shape:
            self.fail(
                "gradient", f"has no gradient for {label}.", "a tensor", kind_name(actual), None
            )
        wrong = wrong_elements(wanted, actual)
        if wrong.any():
            tensors = Tensors(wanted.exact, actual, wrong)
            said = (
                f"has right values, but another gradient for {label}: {where_they_differ(tensors)}."
            )
            self.fail("gradient", said, *describe_values(tensors), actual)


def wrong_elements(wanted: Readings, actual: torch.Tensor) -> torch.Tensor:
    """Which elements of ``actual`` are further from the exact ones than rounding explains."""
    if not wanted.native.is_floating_point():
        wrong: torch.Tensor = actual != wanted.native
        return wrong
    exact, native, nudged, actual = (
        t.double() for t in (wanted.exact, wanted.native, wanted.nudged, actual)
    )
    infinite = exact.isinf()
    floor = _FLOOR[wanted.native.dtype] * exact.abs().masked_fill(infinite, 1.0).clamp_min(1.0)
    error = (actual - exact).abs()
    if (error <= floor).all():
        return torch.zeros_like(infinite)
    room = sum(
        (other - exact).abs().masked_fill(infinite, 0.0).nan_to_num(0.0, 0.0, 0.0).max()
        for other in (native, nudged)
        if exact.numel()
    )
    near = error <= floor + _ROUNDING_ROOM * room
    return torch.where(infinite, actual != exact, ~near)


def _shape(value: Any) -> str:
    return str(tuple(value.shape))


def _dtype(value: Any) -> str:
    return str(value.dtype).removeprefix("torch.")


def _device(value: Any) -> str:
    return str(value.device) if isinstance(value, torch.Tensor) else "cpu"


def _as_tensor(value: Any) -> torch.Tensor:
    return value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value))


def _number(value: Any) -> float | None:
    value = _plain(value)
    return float(value) if isinstance(value, (int, float)) else None


def _plain(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim == 0:
        return value.item() if _device(value) != "meta" else None
    return value
