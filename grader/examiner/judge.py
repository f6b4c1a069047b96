"""Is this answer the right one? Kind, shape, dtype, device, values, gradients, untouched inputs.

Tolerance is derived from the dtype and from how far the reference's answers lie apart, never
guessed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import torch

from grader.examiner.difference import Tensors, describe_values, where_they_differ
from grader.examiner.expected import Expected, Readings
from grader.examiner.plain_values import is_shown_whole, shown
from grader.model import Cause, Fact
from grader.programs.again import Repeated
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.givers import Path
from grader.programs.gradients import Gradients
from grader.programs.kinds import kind_of
from grader.programs.proxy import ModuleProxy
from grader.sandbox.protocol import printable

Leaf: TypeAlias = tuple[str, Fact]  # an input by its number, or a parameter by its name

# Relative to max(1, |expected|). float64 inputs are held to float32 accuracy, because computing
# in float32 inside is legitimate; right float32 variants agree to 4.5e-7.
_FLOOR = {torch.float64: 1e-5, torch.float32: 1e-5, torch.bfloat16: 2**-7, torch.float16: 2**-10}
_ROUNDING_ROOM = 5.0
_NO_NUMBERS = (type(None), str, list, tuple, dict)
_MOST_KEYS, _MOST_OF_A_KEY, _MOST_OF_A_VALUE = 8, 40, 160


class Tolerance(NamedTuple):
    """A difference from the exact value x may be ``relative`` * max(1, abs(x)) + ``absolute``."""

    relative: float
    absolute: float


class Judge:
    """Compares one implementation's answer to one probe with what is expected. ``by_rounding`` says
    whether it found numbers wrong that could be right with more room for rounding.
    """

    def __init__(self, asked: Repeated, expected: Expected, step: int) -> None:
        self.asked, self.client = asked, asked.client
        self.expected, self.step = expected, step
        self.by_rounding = False

    def judge(self, actual: Any) -> None:
        """Raises ``CheckFailed`` at the first difference of ``actual``, the last answer to the
        probe, in the order of the module's title.
        """
        self.judge_value(actual)
        self._changed()
        self._gradients(_tensors_like(self.expected.value.native, actual))

    def judge_value(self, actual: Any) -> None:
        """The same of the answer alone, and not of inputs and gradients."""
        self._value(self.expected.value, actual, (), actual)

    def fail(self, kind: str, evidence: Any, **facts: Fact) -> NoReturn:
        """Told is the last call."""
        facts = {"call": self.client.call_that_gave(None), **facts}
        raise CheckFailed(Cause(kind, facts), Evidence(kind, self.step, evidence))

    # Values: ``at`` is the way there, ``whole`` the whole answer ------------------------------

    def _fail_at(self, kind: str, evidence: Any, whole: Any, at: Path, **facts: Fact) -> NoReturn:
        """Told is the call that returned what stands there, and where in its own result it does."""
        call, at = self.client.call_that_gave_part(whole, at)
        raise CheckFailed(
            Cause(kind, {"call": call, "at": at, **facts}), Evidence(kind, self.step, evidence)
        )

    def _value(self, wanted: Readings[Any], actual: Any, at: Path, whole: Any) -> None:
        native = wanted.native
        if isinstance(native, ModuleProxy):
            return
        if isinstance(native, (list, tuple)):
            self._sequence(wanted, actual, at, whole)
        elif isinstance(native, dict):
            if not isinstance(actual, dict) or actual.keys() != native.keys():
                self._whole(native, actual, at, whole)
                if isinstance(actual, dict):
                    self._keys(native, actual, at, whole)
                self._kind(("dict", tuple(map(repr, native))), actual, at, whole)
            for key in native:
                self._value(wanted.item(key), actual[key], (*at, ("key", repr(key))), whole)
        elif isinstance(native, (torch.Tensor, np.ndarray)):
            self._tensor(wanted, actual, at, whole)
        elif isinstance(native, float):
            number = _number(actual)
            if number is None:
                self._kind(("number",), actual, at, whole)
            self._numbers(wanted.mapped(_as_tensor), number, at, whole)
        elif isinstance(plain := _plain(actual), (torch.Tensor, np.ndarray)) or (
            (isinstance(native, int) and isinstance(plain, _NO_NUMBERS))
            or {type(native), type(plain)} == {str, bytes}
        ):
            self._kind(("plain", type(native).__name__), actual, at, whole)
        elif plain != native:
            told = plain if whole is actual else whole  # numpy's 3 and torch's are a plain one
            self._fail_at(
                "value",
                told,
                whole,
                at,
                wanted=repr(native),
                got=printable(repr(plain), _MOST_OF_A_VALUE),
            )

    def _sequence(self, wanted: Readings[Any], actual: Any, at: Path, whole: Any) -> None:
        length = len(wanted.native)
        if not isinstance(actual, (list, tuple)) or len(actual) != length:
            self._whole(wanted.native, actual, at, whole)
            self._kind(("values", length), actual, at, whole)
        for index, item in enumerate(actual):
            self._value(wanted.item(index), item, (*at, ("item", index)), whole)

    def _whole(self, native: Any, actual: Any, at: Path, whole: Any) -> None:
        """Two short answers of plain Python, of which one has more than the other, are shown."""
        if is_shown_whole(native) and is_shown_whole(actual):
            self._fail_at("value", whole, whole, at, wanted=shown(native), got=shown(actual))

    def _keys(self, native: Any, actual: Any, at: Path, whole: Any) -> NoReturn:
        """Which are missing and which are too many; of many the first."""
        missing = tuple(repr(key) for key in native if key not in actual)
        surplus = tuple(printable(repr(key), _MOST_OF_A_KEY) for key in actual if key not in native)
        keys = {"missing": missing[:_MOST_KEYS], "surplus": surplus[:_MOST_KEYS]}
        self._fail_at("keys", whole, whole, at, wanted=len(native), got=len(actual), keys=keys)

    def _kind(self, wanted: tuple[Fact, ...], actual: Any, at: Path, whole: Any) -> NoReturn:
        self._fail_at("kind", whole, whole, at, wanted_kind=wanted, got_kind=kind_of(actual))

    def _tensor(self, wanted: Readings[Any], actual: Any, at: Path, whole: Any) -> None:
        native = wanted.native
        if type(actual) is not type(native):
            self._kind(kind_of(native), actual, at, whole)
        for kind, of in (("shape", _shape), ("dtype", _dtype), ("device", _device)):
            if of(native) != of(actual):
                self._fail_at(kind, whole, whole, at, wanted=of(native), got=of(actual))
        if isinstance(native, np.ndarray) or native.device.type != "meta":
            self._numbers(wanted.mapped(_as_tensor), actual, at, whole)

    def _numbers(self, wanted: Readings[Any], given: Any, at: Path, whole: Any) -> None:
        actual = _as_tensor(given)
        wrong = wrong_elements(wanted, actual)
        if wrong is not None:
            nan = bool((actual.isnan() & ~wanted.exact.isnan()).any())
            tensors = Tensors(wanted.exact, actual, wrong)
            kind, told = "nan" if nan else "numbers", self._described(tensors)
            self.by_rounding = not nan
            self._fail_at(kind, whole, whole, at, **told)

    # Inputs and gradients ---------------------------------------------------------------------

    def _changed(self) -> None:
        names = self.client.changed_inputs()
        if names:
            self.fail("input_changed", names, names=tuple(names))

    def _gradients(self, outputs: list[torch.Tensor]) -> None:
        expected = self.expected
        if not expected.attached:
            return
        chosen = [outputs[i] for i in expected.attached]
        found = self.asked.gradients(chosen, expected.cotangents)
        if not all(found.attached):
            self.fail("detached", found.attached)
        failures: list[CheckFailed] = []
        calls = {id(self.client.call_that_gave(output)) for output in chosen}
        for leaf, wanted, actual in _leaves(found, expected.gradients):
            try:
                self._gradient(leaf, wanted, actual, len(calls))
            except CheckFailed as failure:
                failures.append(failure)
        if failures:
            raise _first_of_all(failures)

    def _gradient(self, leaf: Leaf, wanted: Readings[Any], actual: Any, calls: int) -> None:
        """Of what so many calls have returned, together."""
        like = next((g for g in (wanted.exact, wanted.native, actual) if g is not None), None)
        if like is None:
            return
        if not isinstance(like, torch.Tensor):
            self.fail("no_gradient", None, leaf=leaf, got_kind=kind_of(like))
        if actual is None or wanted.exact is None or wanted.native is None:
            zero = torch.zeros_like(like)
            wanted = wanted.mapped(lambda g: zero if g is None else g)
            actual = zero if actual is None else actual
        usable = isinstance(actual, torch.Tensor) and actual.device == wanted.exact.device
        if not usable:
            self.fail("no_gradient", None, leaf=leaf, got_kind=kind_of(actual))
        if actual.shape != wanted.exact.shape:
            shapes = {"wanted": _shape(wanted.exact), "got": _shape(actual)}
            self.fail("gradient_shape", None, leaf=leaf, **shapes)
        wrong = wrong_elements(wanted, actual)
        if wrong is not None:
            tensors = Tensors(wanted.exact, actual, wrong)
            self.by_rounding = True
            described = self._described(tensors)
            self.fail("gradient", actual, leaf=leaf, together=calls, **described)

    def _described(self, tensors: Tensors) -> dict[str, Fact]:
        wanted, got = describe_values(tensors)
        difference = where_they_differ(tensors)
        return {"difference": difference, "wanted": wanted, "got": got, **self._beyond(tensors)}

    def _beyond(self, tensors: Tensors) -> dict[str, Fact]:
        """Of NaN or infinity in the place of numbers: how large the inputs were, if too large for
        exp in the dtype of the answer.
        """
        if not (tensors.expected.isfinite() & ~tensors.actual.isfinite()).any():
            return {}
        largest, dtype = self.client.largest_given(), tensors.actual.dtype
        limit = math.log(torch.finfo(dtype).max)
        beyond: Fact = {"largest": largest, "limit": limit, "dtype": _dtype(tensors.actual)}
        return {"beyond": beyond} if largest > limit else {}


def _leaves(
    found: Gradients, expected: Readings[Gradients]
) -> Iterator[tuple[Leaf, Readings[Any], Any]]:
    """By input and by parameter: the gradients expected, and the one that was found."""
    inputs = expected.mapped(lambda gradients: gradients.leaves)
    for index, tensor in enumerate(found.leaves):
        yield ("input", index + 1), inputs.item(index), tensor
    named = expected.mapped(lambda gradients: gradients.parameters)
    for name in named.native:
        yield ("parameter", name.partition(".")[2]), named.item(name), found.of_parameter(name)


def _first_of_all(failures: Sequence[CheckFailed]) -> CheckFailed:
    """The first, which is told. Evidence is also whose gradients are wrong in all: one that is zero
    looks like any other.
    """
    first, leaves = failures[0], [failure.cause.facts["leaf"] for failure in failures]
    if first.evidence is not None:
        first.evidence = replace(first.evidence, actual=(leaves, first.evidence.actual))
    return first


def wrong_elements(wanted: Readings[torch.Tensor], actual: torch.Tensor) -> torch.Tensor | None:
    """Which elements of ``actual`` are further from the exact ones than rounding explains; nothing
    where none is, as of what the reference answers too in the inputs' own dtype.
    """
    if actual.dtype == wanted.native.dtype and torch.equal(actual, wanted.native):
        return None
    wrong = _wrong(wanted, actual)
    return wrong if wrong.any() else None


def _wrong(wanted: Readings[torch.Tensor], actual: torch.Tensor) -> torch.Tensor:
    if not wanted.native.is_floating_point():
        different: torch.Tensor = actual != wanted.native
        return different
    exact, actual = wanted.exact.double(), actual.double()
    error, least = (actual - exact).abs(), _FLOOR[wanted.native.dtype]
    if not error.numel() or error.max() <= least:  # which neither NaN nor two infinities are
        return torch.zeros_like(error, dtype=torch.bool)
    infinite = exact.isinf()
    floor = least * exact.abs().masked_fill(infinite, 1.0).clamp_min(1.0)
    if (error <= floor).all():
        return torch.zeros_like(infinite)
    near = error <= floor + tolerance(wanted).absolute
    return torch.where(infinite, actual != exact, ~near)


def tolerance(wanted: Readings[torch.Tensor]) -> Tolerance:
    """How far an answer may lie from the exact one, for what the references answer."""
    return Tolerance(_FLOOR[wanted.native.dtype], _ROUNDING_ROOM * tolerance_room(wanted))


def tolerance_room(wanted: Readings[torch.Tensor]) -> float:
    """How far the references' own answers lie from the exact one."""
    exact = wanted.exact.double()
    return _apart(wanted.native, exact) + max((_apart(n, exact) for n in wanted.nudged), default=0)


def _apart(other: torch.Tensor, exact: torch.Tensor) -> float:
    """The largest finite distance."""
    apart = (other.double() - exact).abs().masked_fill(exact.isinf(), 0.0)
    return float(apart.nan_to_num(0.0, 0.0, 0.0).max()) if apart.numel() else 0.0


def _tensors_like(native: Any, actual: Any) -> list[torch.Tensor]:
    """The tensors of a right answer, in the order of the reference's: one that stands for a number
    is none of them.
    """
    if isinstance(native, torch.Tensor):
        return [actual]
    if isinstance(native, dict):
        return [tensor for key in native for tensor in _tensors_like(native[key], actual[key])]
    if isinstance(native, (list, tuple)):
        pairs = zip(native, actual, strict=True)
        return [tensor for one, other in pairs for tensor in _tensors_like(one, other)]
    return []


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
