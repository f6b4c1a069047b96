"""What one comparison of a check asks, as data: inputs, steps, and what of the answers is judged.

A script is a probe: called with an implementation it takes its steps there. What an earlier step
gave is spoken of by that step's number and the way into its value, so gradients flow through a
chain of calls, and whatever asks a probe again in another way can do so with a script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any

import numpy as np
import torch
from torch.overrides import get_overridable_functions

from grader.errors import GraderError, ProtocolViolation
from grader.model import Cause
from grader.programs.client import Client, client_of
from grader.programs.failure import CheckFailed, Evidence
from grader.programs.kinds import kind_name
from grader.programs.observe import inputs_of
from grader.programs.proxy import Implementation, ModuleProxy
from grader.programs.refusal import refuses
from grader.sandbox.protocol import printable


@dataclass(frozen=True)
class Input:
    """One of the script's inputs, by its place among them."""

    number: int


@dataclass(frozen=True)
class Given:
    """What an earlier step gave, or a part of it by the keys that lead there."""

    step: int
    path: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing to do: ``call`` a function or class; or with the object ``of``, ``method``,
    ``load``, ``parameters``, ``buffers``, ``loose_tensors``, ``copy``; ``seen`` and ``gradients``
    are asked of the program. Here, ``torch`` computes, and ``form`` says of what form an answer is.
    """

    does: str
    name: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    of: Given | None = None
    device: str = ""
    autocast: torch.dtype | None = None


@dataclass(frozen=True)
class Script:
    """``value`` is what is judged, with ``Given`` for what steps gave; ``wrt`` are the inputs, by
    number, whose gradients are wanted.
    """

    inputs: tuple[Any, ...]
    steps: tuple[Step, ...]
    value: Any
    wrt: tuple[int, ...] = ()

    @property
    def wanted(self) -> list[torch.Tensor]:
        """The inputs whose gradients are compared."""
        return [self.inputs[number] for number in self.wrt]

    def __call__(self, impl: Implementation) -> Any:
        """Take the steps; raises ``CheckFailed`` where an answer cannot be used for the next."""
        playing = _Playing(self.inputs, impl)
        for step in self.steps:
            playing.take(step)
        return playing.filled(self.value)


@dataclass(frozen=True)
class Comparison:
    """A script whose value is judged. With ``is_loose`` it is all that a check asked outside of
    comparisons, of which only values are judged.
    """

    script: Script
    is_loose: bool = False


@dataclass(frozen=True)
class Attempt:
    """What must be refused: the steps of a script but for those ``before`` it, which make ready;
    ``what`` completes the sentence "... is accepted".
    """

    script: Script
    before: int
    what: str

    def made_ready(self, impl: Implementation) -> Callable[[], Any]:
        """Take the steps before; returns the call that must be refused."""
        playing = _Playing(self.script.inputs, impl)
        for step in self.script.steps[: self.before]:
            playing.take(step)

        def attempt() -> Any:
            for step in self.script.steps[self.before :]:
                playing.take(step)
            return playing.filled(self.script.value)

        return attempt


@dataclass(frozen=True)
class Refusals:
    """Attempts that must all be refused."""

    attempts: tuple[Attempt, ...]

    def put_to(self, impl: Implementation) -> None:
        """Raises ``CheckFailed`` for what is accepted."""
        (first, what), *others = [(one.made_ready(impl), one.what) for one in self.attempts]
        refuses(first, what, *(part for pair in others for part in pair))


Event = Comparison | Refusals


class _Playing:
    """One taking of the steps."""

    def __init__(self, inputs: Sequence[Any], impl: Implementation) -> None:
        self._inputs, self._impl = inputs, impl
        self._client: Client = client_of(impl)
        self._given: list[Any] = []

    def take(self, step: Step) -> None:
        self._client.autocast = step.autocast
        try:
            self._given.append(_DOES[step.does](self, step))
        except (GraderError, ProtocolViolation):
            raise
        except Exception as error:  # an answer was of another kind than this needs
            raise _unusable(error) from None
        finally:
            self._client.autocast = None

    def filled(self, value: Any) -> Any:
        """The same value with what the steps gave in its places."""
        if isinstance(value, Input):
            return self._inputs[value.number]
        if isinstance(value, Given):
            try:
                return reduce(_part, value.path, self._given[value.step])
            except Exception as error:
                raise _unusable(error) from None
        if type(value) in (list, tuple):
            return type(value)(map(self.filled, value))
        if type(value) is dict:
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, slice):
            return slice(*map(self.filled, (value.start, value.stop, value.step)))
        return value

    def _arguments(self, step: Step) -> tuple[list[Any], dict[str, Any]]:
        return list(self.filled(step.args)), dict(self.filled(dict(step.kwargs)))

    def _call(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        impl = Implementation(self._client, step.device) if step.device else self._impl
        return getattr(impl, step.name)(*args, **kwargs)

    def _method(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        module = self._object(step)
        method = module if step.name == "__call__" else getattr(module, step.name)
        return method(*args, **kwargs)

    def _load(self, step: Step) -> None:
        self._object(step).load(self.filled(step.args[0]))

    def _asked(self, step: Step) -> Any:
        return getattr(self._object(step), step.does)()

    def _copy(self, step: Step) -> Any:
        return self._object(step).deepcopy()

    def _seen(self, step: Step) -> Any:
        return inputs_of(self._impl, self.filled(step.args[0]))

    def _gradients(self, step: Step) -> Any:
        outputs, cotangents, wrt = self.filled(step.args)
        found = self._client.gradients(outputs, cotangents, wrt, **step.kwargs)
        return {"leaves": found.leaves, "parameters": found.parameters}

    def _form(self, step: Step) -> Any:
        return _form_of(self.filled(step.args[0]))

    def _torch(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        return function_of(step.name)(*args, **kwargs)

    def _object(self, step: Step) -> ModuleProxy:
        module = self.filled(step.of)
        if not isinstance(module, ModuleProxy):
            raise TypeError(f"{type(module).__name__} is not a module")
        return module


_DOES: Mapping[str, Callable[[_Playing, Step], Any]] = {
    "call": _Playing._call,
    "method": _Playing._method,
    "load": _Playing._load,
    "parameters": _Playing._asked,
    "buffers": _Playing._asked,
    "loose_tensors": _Playing._asked,
    "copy": _Playing._copy,
    "seen": _Playing._seen,
    "gradients": _Playing._gradients,
    "form": _Playing._form,
    "torch": _Playing._torch,
}


def function_of(name: str) -> Callable[..., Any]:
    """A function of torch by its full name; raises ``LookupError`` for what a script may not use:
    it computes with tensors, and does nothing else, whoever wrote its file.
    """
    first, *path = name.split(".")
    found: Any = reduce(getattr, path, torch) if first == torch.__name__ else None
    if found not in _of_tensors():
        raise LookupError(f"a script has no use for {name}")
    return found  # type: ignore[no-any-return]


@cache
def _of_tensors() -> frozenset[Any]:
    """What torch lets a kind of tensor do otherwise: no function that opens a file is among it, nor
    one that changes a setting.
    """
    known = get_overridable_functions().values()
    return frozenset(function for functions in known for function in functions)


def _form_of(value: Any) -> Any:
    """Shapes, dtypes and types in the places of values."""
    if isinstance(value, (torch.Tensor, np.ndarray)):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{kind_name(value)}, {dtype}, {tuple(value.shape)}"
    if isinstance(value, (list, tuple)):
        return [_form_of(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _form_of(item) for key, item in value.items()}
    return kind_name(value)


def _part(value: Any, key: int | str) -> Any:
    return value[key]


def _unusable(error: Exception) -> CheckFailed:
    said = f"{type(error).__name__}: {printable(str(error), 200)}"
    return CheckFailed(Cause("unusable", {"said": said}), Evidence("unusable", 0, said))
