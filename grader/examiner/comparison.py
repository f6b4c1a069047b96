"""Is this answer the right one? Kind, shape, dtype, device, values, gradients, untouched inputs.

The reference runs in float64 on the very numbers the submission sees; once more in the
submission's own dtype; and once more in float64 on inputs moved by one rounding error. How far
the second and the third are from the first says how accurate anybody can be: tolerance is derived
from that and from the dtype, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.errors import SubmissionRaised, SuiteError
from grader.examiner.caller import Caller, Gradients
from grader.examiner.difference import Tensors, describe_values, where_they_differ
from grader.examiner.draw import Draw, derive_seed
from grader.examiner.failure import CheckFailed, Evidence
from grader.examiner.implementation import Implementation, Instance
from grader.model import Cause

Probe = Callable[[Implementation], Any]

# Relative to max(1, |expected|). float64 inputs are held to float32 accuracy, because computing
# in float32 inside is legitimate; right float32 variants agree to 4.5e-7.
_FLOOR = {torch.float64: 1e-5, torch.float32: 1e-5, torch.bfloat16: 2**-7, torch.float16: 2**-10}
_ROUNDING_ROOM = 5.0


@dataclass(frozen=True)
class Trio:
    """One value three times: exact, in the inputs' own dtype, and from nudged inputs."""

    exact: Any
    native: Any
    nudged: Any

    def item(self, key: Any) -> Trio:
        return Trio(self.exact[key], self.native[key], self.nudged[key])

    def mapped(self, function: Callable[[Any], Any]) -> Trio:
        return Trio(function(self.exact), function(self.native), function(self.nudged))


@dataclass(frozen=True)
class Expected:
    """What the reference answers to one probe, and the gradients of its differentiable outputs.

    ``attached`` are the outputs, by their place in ``tensors_of``, that a graph leads to.
    """

    value: Trio
    attached: list[int]
    cotangents: list[torch.Tensor]
    gradients: Trio
    nudged: bool


def expect(
    probe: Probe, wrt: Sequence[torch.Tensor], reference: Trio, seed: int, *, nudge: bool
) -> Expected:
    """Run the references; raises ``SuiteError`` when they cannot answer the probe.

    Without ``nudge`` the exact answer stands for the nudged one: enough for whoever is within the
    tolerance even so.
    """

    def answer(caller: Caller) -> Any:
        caller.begin(wrt)
        return probe(Implementation(caller))

    try:
        exact, native = answer(reference.exact), answer(reference.native)
        value = Trio(exact, native, answer(reference.nudged) if nudge else exact)
        expected = _with_gradients(value, wrt, reference, seed, nudge)
    except (SubmissionRaised, CheckFailed) as error:
        raise SuiteError(f"the reference cannot answer: {error}") from error
    real = [t for t in tensors_of(value.native) if t.device.type != "meta"]
    if any(t.is_floating_point() and bool(t.isnan().any()) for t in real):
        raise SuiteError("the reference answers NaN")
    return expected


def _with_gradients(
    value: Trio, wrt: Sequence[torch.Tensor], reference: Trio, seed: int, nudge: bool
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

    def backward(caller: Caller, tensors: list[torch.Tensor]) -> Gradients | None:
        chosen = [tensors[i] for i in attached]
        return caller.gradients(chosen, kept, wrt) if attached else None

    exact = first if attached else None
    native = backward(reference.native, outputs.native)
    nudged = backward(reference.nudged, outputs.nudged) if nudge else exact
    return Expected(value, attached, kept, Trio(exact, native, nudged), nudge)


class Judge:
    """Compares one implementation's answer to one probe with what is expected."""

    def __init__(self, caller: Caller, expected: Expected, step: int) -> None:
        self.caller, self.expected, self.step = caller, expected, step

    def judge(self, probe: Probe, wrt: Sequence[torch.Tensor]) -> None:
        """Raises ``CheckFailed`` at the first difference, in the order of the module's title."""
        self.caller.begin(wrt)
        actual = probe(Implementation(self.caller))
        self._value(self.expected.value, actual, "", actual)
        self._changed()
        self._gradients(tensors_of(actual), wrt)

    def fail(self, kind: str, said: str, expected: str, actual: str, evidence: Any) -> None:
        call = self.caller.calls[-1] if self.caller.calls else "The check"
        raise CheckFailed(
            Cause(f"{call} {said}", expected, actual), Evidence(kind, self.step, evidence)
        )

    # Values -----------------------------------------------------------------------------------

    def _value(self, wanted: Trio, actual: Any, at: str, whole: Any) -> None:
        native = wanted.native
        if isinstance(native, Instance):
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

    def _sequence(self, wanted: Trio, actual: Any, at: str, whole: Any) -> None:
        length = len(wanted.native)
        if not isinstance(actual, (list, tuple)) or len(actual) != length:
            self._kind(f"{length} values", actual, at, whole)
        for index, item in enumerate(actual):
            self._value(wanted.item(index), item, f" in item {index}{at}", whole)

    def _kind(self, wanted: str, actual: Any, at: str, whole: Any) -> None:
        got = kind_name(actual)
        self.fail("kind", f"returned {got} where {wanted} was expected{at}.", wanted, got, whole)

    def _tensor(self, wanted: Trio, actual: Any, at: str, whole: Any) -> None:
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

    def _numbers(self, wanted: Trio, actual: torch.Tensor, at: str, whole: Any) -> None:
        wrong = wrong_elements(wanted, actual)
        if wrong.any():
            tensors = Tensors(wanted.exact, actual, wrong)
            kind = "NaN" if (actual.isnan() & ~wanted.exact.isnan()).any() else "value"
            said = "returned NaN" if kind == "NaN" else "returned other values"
            said = f"{said}{at}: {where_they_differ(tensors)}."
            self.fail(kind, said, *describe_values(tensors), whole)

    # Inputs and gradients ---------------------------------------------------------------------

    def _changed(self) -> None:
        names = self.caller.changed_inputs()
        if names:
            listed = ", ".join(names)
            said = f"changed its input ({listed}) in place."
            self.fail("input changed", said, "inputs as they were", f"{listed} changed", names)

    def _gradients(self, outputs: list[torch.Tensor], wrt: Sequence[torch.Tensor]) -> None:
        expected = self.expected
        if not expected.attached:
            return
        chosen = [outputs[i] for i in expected.attached]
        found = self.caller.gradients(chosen, expected.cotangents, wrt)
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

    def _gradient(self, label: str, wanted: Trio, actual: Any) -> None:
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


class Compare:
    """The fixture: ``compare(probe, wrt=...)`` asks the submission and the reference the same."""

    def __init__(
        self,
        subject: Caller,
        reference: Trio,
        seed: int,
        known: dict[int, Expected],
    ) -> None:
        self._subject, self._reference = subject, reference
        self._seed, self._known = seed, known
        self._step = 0
        self.first: tuple[Probe, frozenset[str]] | None = None

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        """Raises ``CheckFailed`` when the answers differ.

        ``probe`` calls the implementation it is given. ``wrt`` lists inputs whose gradients are
        compared too, under a random cotangent; parameters of modules always are.
        """
        step, self._step = self._step, self._step + 1
        if step not in self._known:
            self._known[step] = self._expected(probe, wrt, step, nudge=False)
        state = torch.get_rng_state()
        try:
            Judge(self._subject, self._known[step], step).judge(probe, wrt)
        except CheckFailed:
            if self._known[step].nudged:
                raise
            self._known[step] = self._expected(probe, wrt, step, nudge=True)
            torch.set_rng_state(state)
            Judge(self._subject, self._known[step], step).judge(probe, wrt)
        self.first = self.first or (probe, self._subject.kinds_of_calls())

    def _expected(
        self, probe: Probe, wrt: Sequence[torch.Tensor], step: int, *, nudge: bool
    ) -> Expected:
        state = torch.get_rng_state()
        seed = derive_seed(self._seed, "cotangent", step)
        expected = expect(probe, wrt, self._reference, seed, nudge=nudge)
        torch.set_rng_state(state)  # a program of ours draws the same whoever was first
        return expected


def wrong_elements(wanted: Trio, actual: torch.Tensor) -> torch.Tensor:
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


def tensors_of(value: Any) -> list[torch.Tensor]:
    """All tensors in a nested value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return []


def kind_name(value: Any) -> str:
    """What a student would call this value."""
    if isinstance(value, torch.Tensor):
        return "a tensor"
    if isinstance(value, np.ndarray):
        return "a numpy array"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)} values"
    return {"NoneType": "None (is a `return` missing?)"}.get(
        type(value).__name__, f"a value of type {type(value).__name__}"
    )


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
