"""Programs that are right but for one function, which does not do its work.

The right function is asked first, uncounted, so that a lazy answer can be told from a right one:
what is lazy in general may be right in one call, as zeros are for an input of zeros.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

from grader.programs.client import Client
from grader.programs.program import LocalProgram, Opening

Trick = Callable[["Call"], Any]


@dataclass
class Call:
    """One call: its arguments, the right answer, and the right answers of earlier calls."""

    args: tuple[Any, ...]
    right: Any
    earlier: list[Any]


class Idle(Exception):
    """What a lazy function raises that refuses to work at all."""


def _filled(value: float) -> Trick:
    return lambda call: _mapped(call.right, lambda t: torch.full_like(t, value), lambda x: value)


def _bare(tensor: torch.Tensor) -> Trick:
    return lambda call: tensor.clone()


def _cast(dtype: torch.dtype) -> Trick:
    return lambda call: _mapped(call.right, lambda t: t.to(dtype) if t.is_floating_point() else t)


def _raises(call: Call) -> Any:
    raise Idle("too tired")


def _first_tensor(call: Call) -> Any:
    return next((arg for arg in call.args if isinstance(arg, torch.Tensor)), None)


def _random(tensor: torch.Tensor) -> torch.Tensor:
    return torch.randn(tensor.shape, device=tensor.device).to(tensor.dtype)


TRICKS: Mapping[str, Trick] = {
    "nothing": lambda call: None,
    "first tensor": _first_tensor,
    "empty": _bare(torch.empty(0)),
    "one zero": _bare(torch.tensor(0.0)),
    "one NaN": _bare(torch.tensor(torch.nan)),
    "zeros": _filled(0.0),
    "ones": _filled(1.0),
    "NaN": _filled(torch.nan),
    "infinity": _filled(torch.inf),
    "minus infinity": _filled(-torch.inf),
    "random": lambda call: _mapped(call.right, _random, lambda x: 0.37),
    "transposed": lambda call: _mapped(call.right, lambda t: t.mT if t.ndim > 1 else t),
    "float64": _cast(torch.float64),
    "float16": _cast(torch.float16),
    "detached": lambda call: _mapped(call.right, torch.Tensor.detach),
    "stale": lambda call: call.earlier[-1] if call.earlier else call.right,
    "the first": lambda call: call.earlier[0] if call.earlier else call.right,
    "raises": _raises,
}


@dataclass
class Seen:
    """What one lazy function did during one check."""

    calls: int = 0
    wrong: int = 0  # calls that were answered otherwise than by the right function
    detached: int = 0  # calls whose answer should have had a graph, and had none
    differentiated: bool = False  # whether the check asked for a gradient
    answers: list[Any] = field(default_factory=list)


class LazyProgram(LocalProgram):
    """The program ``names`` with a trick in the place of ``target``: a function, or
    ``Class.method``. Without a trick it only looks on.
    """

    def __init__(self, names: Mapping[str, Any], target: str, trick: Trick | None) -> None:
        self.seen = Seen()
        super().__init__({**names, target.partition(".")[0]: self._replaced(names, target, trick)})

    def open(self, opening: Opening) -> Client:
        """A fresh start, as the worker's import is."""
        self.seen.__init__()
        client = super().open(opening)
        perform = client._perform

        def watched(request: dict[str, Any]) -> dict[str, Any]:
            self.seen.differentiated |= request["op"] == "differentiate"
            return perform(request)

        client._perform = watched
        return client

    def _replaced(self, names: Mapping[str, Any], target: str, trick: Trick | None) -> Any:
        owner, _, method = target.partition(".")
        if not method:
            return self._lazily(names[owner], trick)
        body = {method: self._lazily(getattr(names[owner], method), trick)}
        return type(owner, (names[owner],), body)

    def _lazily(self, right: Callable[..., Any], trick: Trick | None) -> Callable[..., Any]:
        def lazy(*args: Any, **kwargs: Any) -> Any:
            self.seen.calls += 1
            if trick is None:
                return right(*args, **kwargs)
            return self._answered(right, trick, args, kwargs)

        return lazy

    def _answered(self, right: Any, trick: Trick, args: Any, kwargs: Any) -> Any:
        seen = self.seen
        try:
            with _disable_current_modes():
                wanted = right(*args, **kwargs)
        except Exception as error:
            seen.wrong += trick is not _raises
            if trick is _raises:
                raise error
            return None
        with torch.no_grad(), _disable_current_modes():
            kept = _mapped(wanted, lambda t: t.clone())
        try:
            answer = trick(Call((*args, *kwargs.values()), wanted, seen.answers))
        except Idle:
            seen.wrong += 1
            raise
        seen.answers.append(wanted)
        with torch.no_grad(), _disable_current_modes():
            seen.wrong += not _same(answer, kept)
            seen.detached += _has_graph(wanted) and not _has_graph(answer)
        return answer


def targets_of(names: Mapping[str, Any], public: tuple[str, ...]) -> Iterator[str]:
    """The functions of a page, and the public methods of its classes, each by name."""
    for name in public:
        if not inspect.isclass(names[name]):
            yield name
            continue
        for method, value in vars(names[name]).items():
            if inspect.isfunction(value) and not method.startswith("_"):
                yield f"{name}.{method}"


def _mapped(
    value: Any,
    of_tensor: Callable[[torch.Tensor], torch.Tensor],
    of_number: Callable[[Any], Any] = lambda x: x,
) -> Any:
    """The same structure with other tensors and numbers in it."""
    if isinstance(value, torch.Tensor):
        return of_tensor(value)
    if isinstance(value, np.ndarray):
        return of_tensor(torch.from_numpy(value.copy())).numpy()
    if isinstance(value, (list, tuple)):
        return type(value)([_mapped(item, of_tensor, of_number) for item in value])
    if isinstance(value, dict):
        return {key: _mapped(item, of_tensor, of_number) for key, item in value.items()}
    return of_number(value)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        alike = (one.shape, one.dtype, one.device) == (other.shape, other.dtype, other.device)
        return alike and (one.is_meta or torch.allclose(one, other, 1e-3, 1e-5, equal_nan=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _same(torch.from_numpy(one), torch.from_numpy(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (torch.Tensor, np.ndarray)) or isinstance(other, (torch.Tensor, np.ndarray)):
        return False
    return bool(one == other)


def _has_graph(value: Any) -> bool:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(part, torch.Tensor) and part.requires_grad for part in parts)
