"""What the reference answers to a probe, three times over.

It runs in float64 on the very numbers the submission sees; once more in the submission's own
dtype; and once more in float64 on inputs moved by one rounding error. How far the second and the
third are from the first says how accurate anybody can be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from grader.errors import SubmissionRaised, SuiteError
from grader.programs.client import Client, Gradients
from grader.programs.draw import Draw
from grader.programs.failure import CheckFailed
from grader.programs.proxy import Implementation

Probe = Callable[[Implementation], Any]


@dataclass(frozen=True)
class Readings:
    """One value three times: exact, in the inputs' own dtype, and from nudged inputs."""

    exact: Any
    native: Any
    nudged: Any

    def item(self, key: Any) -> Readings:
        return Readings(self.exact[key], self.native[key], self.nudged[key])

    def mapped(self, function: Callable[[Any], Any]) -> Readings:
        return Readings(function(self.exact), function(self.native), function(self.nudged))


@dataclass(frozen=True)
class Expected:
    """What the reference answers to one probe, and the gradients of its differentiable outputs.

    ``attached`` are the outputs, by their place in ``tensors_of``, that a graph leads to.
    """

    value: Readings
    attached: list[int]
    cotangents: list[torch.Tensor]
    gradients: Readings
    nudged: bool


def expect(
    probe: Probe, wrt: Sequence[torch.Tensor], reference: Readings, seed: int, *, nudge: bool
) -> Expected:
    """Run the references; raises ``SuiteError`` when they cannot answer the probe.

    Without ``nudge`` the exact answer stands for the nudged one: enough for whoever is within the
    tolerance even so.
    """

    def answer(client: Client) -> Any:
        client.begin(wrt)
        return probe(Implementation(client))

    try:
        exact, native = answer(reference.exact), answer(reference.native)
        value = Readings(exact, native, answer(reference.nudged) if nudge else exact)
        expected = _with_gradients(value, wrt, reference, seed, nudge)
    except (SubmissionRaised, CheckFailed) as error:
        raise SuiteError(f"the reference cannot answer: {error}") from error
    real = [t for t in tensors_of(value.native) if t.device.type != "meta"]
    if any(t.is_floating_point() and bool(t.isnan().any()) for t in real):
        raise SuiteError("the reference answers NaN")
    return expected


def _with_gradients(
    value: Readings, wrt: Sequence[torch.Tensor], reference: Readings, seed: int, nudge: bool
) -> Expected:
    """Backward through every output that depends on an input or a parameter."""
    draw = Draw(seed)
    outputs = value.mapped(tensors_of)
    real = [t.is_floating_point() and t.device.type != "meta" for t in outputs.native]
    floating = [index for index, flag in enumerate(real) if flag]
    cotangents = [draw.normal(*outputs.native[i].shape).to(outputs.native[i]) for i in floating]
    first = reference.exact.gradients([outputs.exact[i] for i in floating], cotangents, wrt)
    attached = [i for i, flag in zip(floating, first.attached, strict=True) if flag]
    kept = [c for c, flag in zip(cotangents, first.attached, strict=True) if flag]

    def backward(client: Client, tensors: list[torch.Tensor]) -> Gradients | None:
        chosen = [tensors[i] for i in attached]
        return client.gradients(chosen, kept, wrt) if attached else None

    exact = first if attached else None
    native = backward(reference.native, outputs.native)
    nudged = backward(reference.nudged, outputs.nudged) if nudge else exact
    return Expected(value, attached, kept, Readings(exact, native, nudged), nudge)


def tensors_of(value: Any) -> list[torch.Tensor]:
    """All tensors in a nested value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return []
