"""Programs that are right but for one function, which does not do its work.

The right function is asked first, uncounted, so that a lazy answer can be told from a right one:
what is lazy in general may be right in one call, as zeros are for an input of zeros. A function
that returns nothing has done its work by then, and what is returned in its place is left open.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

from grader.programs.client import Client
from grader.programs.program import LocalProgram, Opening
from grader.sandbox.engine import Engine


@dataclass(frozen=True)
class Call:
    """One call: its arguments, the right answer, and the right answers of earlier calls."""

    args: tuple[Any, ...]
    right: Any
    earlier: list[Any]


Trick = Callable[[Call], Any]


class Idle(Exception):
    """What a function raises that refuses to work at all."""


class Yes(torch.nn.Module):
    """A module that says yes to whatever it is asked."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: True


def _filled(value: float) -> Trick:
    return lambda call: _mapped(call.right, lambda t: torch.full_like(t, value), lambda x: value)


def _cast(dtype: torch.dtype) -> Trick:
    return lambda call: _mapped(call.right, lambda t: t.to(dtype) if t.is_floating_point() else t)


def _first_tensor(call: Call) -> Any:
    return next((arg for arg in call.args if isinstance(arg, torch.Tensor)), None)


def _random(tensor: torch.Tensor) -> torch.Tensor:
    return torch.randn(tensor.shape, device=tensor.device).to(tensor.dtype)


def _raises(call: Call) -> Any:
    raise Idle("not today")


TRICKS: Mapping[str, Trick] = {
    "nothing": lambda call: None,
    "first tensor": _first_tensor,
    "empty": lambda call: torch.empty(0),
    "one zero": lambda call: torch.tensor(0.0),
    "one NaN": lambda call: torch.tensor(torch.nan),
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
    "a yes to everything": lambda call: Yes(),
    "raises": _raises,
}


@dataclass
class Seen:
    """What the lazy function did in one check, where the check itself had asked for it."""

    wrong: int = 0  # answers that are not those of the right function
    detached: int = 0  # answers that should have had a graph, and had none
    differentiated: bool = False  # whether the check asked for gradients

    @property
    def lazy(self) -> bool:
        """Whether the check was given something else than it had asked for."""
        return self.wrong > 0 or (self.detached > 0 and self.differentiated)


class LookedAt(LocalProgram):
    """The program ``names``, of which is noted which of ``targets`` a check itself has asked."""

    def __init__(self, names: Mapping[str, Any], targets: Iterable[str]) -> None:
        self.asked: set[str] = set()
        self._waiting: set[str] = set()
        self._targets = tuple(targets)
        looking = dict(names)
        for target in self._targets:
            looking = _replaced(looking, target, partial(self._noting, target))
        super().__init__(looking)

    def open(self, opening: Opening) -> Client:
        """A fresh start, as the import in a worker is."""
        self.asked.clear()
        return _watched(super().open(opening), Engine(self.names), self._wait_for)

    def _wait_for(self, request: dict[str, Any], engine: Engine) -> None:
        calls = (target for target in self._targets if _calls(request, engine, target))
        self._waiting = set(calls)

    def _noting(self, target: str, right: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(right)  # its text is still the right function's
        def noting(*args: Any, **kwargs: Any) -> Any:
            if target in self._waiting:
                self.asked.add(target)
            self._waiting.discard(target)
            return right(*args, **kwargs)

        return noting


class LazyProgram(LocalProgram):
    """The program ``names`` with a trick in the place of ``target``, which is a function or
    ``Class.method``.
    """

    def __init__(self, names: Mapping[str, Any], target: str, trick: Trick) -> None:
        self.seen = Seen()
        self._target, self._trick, self._earlier, self._asked = target, trick, [], False
        super().__init__(_replaced(names, target, self._lazily))

    def open(self, opening: Opening) -> Client:
        """A fresh start, as the import in a worker is."""
        self.seen, self._earlier = Seen(), []
        return _watched(super().open(opening), Engine(self.names), self._wait)

    def _wait(self, request: dict[str, Any], engine: Engine) -> None:
        self.seen.differentiated |= request["op"] == "differentiate"
        self._asked = _calls(request, engine, self._target)

    def _lazily(self, right: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(right)
        def lazy(*args: Any, **kwargs: Any) -> Any:
            asked, self._asked = self._asked, False
            return self._answered(asked, self._trick, right, args, kwargs)

        return lazy

    def _answered(self, asked: bool, trick: Trick, right: Any, args: Any, kwargs: Any) -> Any:
        wanted, refused = None, None
        try:
            with _disable_current_modes():
                wanted = right(*args, **kwargs)
        except Exception as error:
            refused = error
        if refused is not None and trick is _raises:
            raise refused
        asked = asked and (wanted is not None or refused is not None)
        before = _copied(wanted)
        self.seen.wrong += asked
        answer = trick(Call((*args, *kwargs.values()), wanted, self._earlier))
        if refused is None:
            self._earlier.append(wanted)
            self.seen.wrong -= asked and _same(answer, before)
            self.seen.detached += asked and _has_graph(wanted) and not _has_graph(answer)
        return answer


def _replaced(
    names: Mapping[str, Any],
    target: str,
    made: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> dict[str, Any]:
    """The names with what is ``made`` of a function, or of a method, in its place."""
    owner, _, method = target.partition(".")
    right = names[owner]
    if not method:
        return {**names, owner: made(right)}
    return {**names, owner: type(owner, (right,), {method: made(getattr(right, method))})}


def _watched(
    client: Client, engine: Engine, watch: Callable[[dict[str, Any], Engine], None]
) -> Client:
    """The client, of which every request is shown to ``watch`` before ``engine`` performs it."""

    def watched(request: dict[str, Any]) -> dict[str, Any]:
        watch(request, engine)
        return engine.perform(request)

    client._perform = watched
    return client


def _calls(request: dict[str, Any], engine: Engine, target: str) -> bool:
    """Whether a request calls the target itself, and not what may call it in turn."""
    owner, _, method = target.partition(".")
    if not method:
        return bool(request["op"] == "call" and request["name"] == owner)
    wanted = "__call__" if method == "forward" else method
    return bool(
        request["op"] == "call_object"
        and request["name"] == wanted
        and isinstance(engine.store.objects[request["number"]], engine.names[owner])
    )


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
    return value if value is None else of_number(value)


def _copied(value: Any) -> Any:
    with torch.no_grad(), _disable_current_modes():
        return _mapped(value, torch.Tensor.clone)


def _same(one: Any, other: Any) -> bool:
    """Whether one value would do in the place of the other, but for its graph."""
    if isinstance(one, (torch.Tensor, np.ndarray)) and type(one) is type(other):
        alike = (one.shape, one.dtype) == (other.shape, other.dtype)
        return alike and _near(torch.as_tensor(one), torch.as_tensor(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (torch.Tensor, np.ndarray)) or isinstance(other, (torch.Tensor, np.ndarray)):
        return False
    return bool(one == other)


def _near(one: torch.Tensor, other: torch.Tensor) -> bool:
    with torch.no_grad(), _disable_current_modes():
        return one.is_meta or torch.allclose(one, other, 1e-3, 1e-5, equal_nan=True)


def _has_graph(value: Any) -> bool:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(part, torch.Tensor) and part.requires_grad for part in parts)
