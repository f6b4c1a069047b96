"""What the reference answers to a probe, several times over.

It runs in float64 on the very numbers the submission sees; once more in the submission's own
dtype; and, where somebody is further off than that explains, in float64 on inputs moved by one
rounding error, in a few ways. How far these are from the first says how accurate anybody can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import torch

from grader.errors import SubmissionRaised, SuiteError
from grader.programs.again import How, Repeated, asks_for_gradients
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.gradients import Gradients

T = TypeVar("T")

_MADE_BY_THE_PROBE = (
    "the probe gives back a tensor that it made itself, as f(x)[-1] or f(x) * 2, and gradients are"
    " asked only of what a call returned. Give back the call's answer as it is, or plain numbers,"
    " f(x)[-1].tolist(), which are compared without gradients."
)


@dataclass(frozen=True)
class Readings(Generic[T]):
    """One value several times: exact, in the inputs' own dtype, and from nudged inputs, if asked
    for.
    """

    exact: T
    native: T
    nudged: tuple[T, ...] = ()

    def item(self, key: Any) -> Readings[Any]:
        return self.mapped(lambda value: value[key])  # type: ignore[index]

    def mapped(self, function: Callable[[T], Any]) -> Readings[Any]:
        exact, native = function(self.exact), function(self.native)
        return Readings(exact, native, tuple(function(value) for value in self.nudged))


NO_GRADIENTS: Readings[Any] = Readings(None, None)


@dataclass(frozen=True)
class Expected:
    """What the reference answers to one probe, and the gradients of its differentiable outputs.

    ``attached`` are the outputs, by their place in ``tensors_of``, that a graph leads to.
    """

    value: Readings[Any]
    attached: Sequence[int] = ()
    cotangents: Sequence[torch.Tensor] = ()
    gradients: Readings[Any] = NO_GRADIENTS

    def with_room(self, found: Sequence[tuple[Any, Gradients | None]]) -> Expected:
        """The same with what the nudged references answer, as ``nudged`` gives it."""
        values = tuple(value for value, _ in found)
        gradients = tuple(gradients for _, gradients in found)
        return replace(
            self,
            value=replace(self.value, nudged=values),
            gradients=replace(self.gradients, nudged=gradients),
        )


def expect(probe: Readings[Repeated], how: How, draw: Draw) -> Expected:
    """Ask the references, and for gradients under cotangents of ``draw``; raises ``SuiteError``
    when they cannot answer the probe so.
    """
    try:
        value = probe.mapped(lambda repeated: repeated.ask(how))
        expected = Expected(value)
        if asks_for_gradients(how):
            expected = _with_gradients(value, probe, draw)
    except (SubmissionRaised, CheckFailed) as error:
        in_parts = isinstance(error, CheckFailed) and error.cause.kind == "in_parts"
        said = _MADE_BY_THE_PROBE if in_parts else error
        raise SuiteError(f"the reference cannot answer: {said}") from error
    real = [t for t in tensors_of(value.native) if t.device.type != "meta"]
    if any(t.is_floating_point() and bool(t.isnan().any()) for t in real):
        raise SuiteError("the reference answers NaN")
    return expected


def nudged(probe: Repeated, how: How, expected: Expected) -> tuple[Any, Gradients | None]:
    """What one of the nudged references answers, and its gradients under the cotangents that were
    drawn for what is ``expected``; raises ``SuiteError`` as ``expect`` does.
    """
    try:
        value = probe.ask(how)
        if not expected.attached:
            return value, None
        outputs = tensors_of(value)
        chosen = [outputs[i] for i in expected.attached]
        return value, probe.gradients(chosen, expected.cotangents)
    except (SubmissionRaised, CheckFailed) as error:
        raise SuiteError(f"the reference cannot answer a nudged probe: {error}") from error


def _with_gradients(value: Readings[Any], probe: Readings[Repeated], draw: Draw) -> Expected:
    """Backward through every output that depends on an input or a parameter."""
    outputs = value.mapped(tensors_of)
    real = [t.is_floating_point() and t.device.type != "meta" for t in outputs.native]
    floating = [index for index, flag in enumerate(real) if flag]
    cotangents = [draw.normal(*outputs.native[i].shape).to(outputs.native[i]) for i in floating]
    exact, native = probe.exact, probe.native
    first = exact.gradients([outputs.exact[i] for i in floating], cotangents)
    attached = [i for i, flag in zip(floating, first.attached, strict=True) if flag]
    kept = [c for c, flag in zip(cotangents, first.attached, strict=True) if flag]

    if not attached:
        return Expected(value)
    second = native.gradients([outputs.native[i] for i in attached], kept)
    return Expected(value, attached, kept, Readings(first, second))


def tensors_of(value: Any) -> list[torch.Tensor]:
    """All tensors in a nested value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return []
