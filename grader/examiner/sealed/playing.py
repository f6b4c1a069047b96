"""Steps are taken: with an implementation, and with what earlier steps gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import Any

import torch
from torch.overrides import get_overridable_functions

from grader.errors import GraderError, ProtocolViolation
from grader.examiner.sealed.forms import require_form
from grader.examiner.sealed.numbers import computed
from grader.examiner.sealed.script import (
    Attempt,
    Decision,
    Given,
    Input,
    Refusals,
    Script,
    Step,
    without_holes,
)
from grader.model import Cause
from grader.programs.client import Client, client_of
from grader.programs.failure import CheckFailed, Evidence, finding
from grader.programs.observe import inputs_of
from grader.programs.proxy import Implementation, ModuleProxy
from grader.programs.refusal import refuses
from grader.programs.usable import usable
from grader.programs.work import Work
from grader.sandbox.protocol import printable


def probe_of(script: Script) -> Callable[[Implementation], Any]:
    """The script as a probe: it takes its steps, and returns the value. Raises ``CheckFailed``
    where an answer cannot be used for the next.
    """

    def probe(impl: Implementation) -> Any:
        playing = Playing(script.inputs, impl)
        for step in script.steps:
            playing.take(step)
        return playing.filled(script.value)

    return probe


class Absent(Exception):
    """What is spoken of is not there: another right program has no parameter of that name."""


_ABSENT = object()  # what is made of it


class Playing:
    """One taking of steps."""

    def __init__(self, inputs: Sequence[Any], impl: Implementation) -> None:
        self.inputs, self._impl = list(inputs), impl
        self._client: Client = client_of(impl)
        self._given: dict[int, Any] = {}

    def take(self, step: Step) -> None:
        """Raises what the program raised, and ``CheckFailed``."""
        self._client.autocast = step.autocast
        try:
            self._given[step.number] = _DOES[step.does](self, step)
        except Absent:
            self._given[step.number] = _ABSENT
        except (GraderError, ProtocolViolation):
            raise
        except Exception as error:  # an answer was of another kind than this needs
            raise _unusable(error) from None
        finally:
            self._client.autocast = None

    def leaves_at(self, decision: Decision) -> bool:
        """Whether it falls otherwise; of what is not there nothing can be said."""
        try:
            return bool(self.filled(decision.of)) is not decision.usual
        except Absent:
            return False

    def put(self, refusals: Refusals) -> None:
        """Raises ``CheckFailed`` for what is accepted."""
        pairs = [(self._made(attempt), attempt.what) for attempt in refusals.attempts]
        (first, what), *others = pairs
        refuses(first, what, *(part for pair in others for part in pair))

    def _made(self, attempt: Attempt) -> Callable[[], Any]:
        def attempted() -> Any:
            playing = Playing(attempt.inputs, self._impl)
            playing._given = dict(self._given)
            for step in attempt.steps:
                playing.take(step)
            return playing._given[attempt.steps[-1].number]

        return attempted

    def said(self, template: str) -> str:
        """A sentence with what steps gave in its holes."""
        return without_holes(template, lambda number: str(self._given.get(number, "")))

    def filled(self, value: Any) -> Any:
        """The same value with what the steps gave in its places."""
        if isinstance(value, Input):
            return self.inputs[value.number]
        if isinstance(value, Given):
            return self._part_of(value)
        if type(value) in (list, tuple):
            return type(value)(map(self.filled, value))
        if type(value) is dict:
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, slice):
            return slice(*map(self.filled, (value.start, value.stop, value.step)))
        return value

    def _part_of(self, given: Given) -> Any:
        value = self._given[given.step]
        for key in given.path:
            if isinstance(value, dict) and key not in value:
                raise Absent
            try:
                value = value[key]
            except Exception as error:
                raise _unusable(error) from None
        if value is _ABSENT:
            raise Absent
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
        led = [leaf is not None for leaf in found.leaves]
        pairs = zip(found.leaves, wrt, strict=True)
        leaves = [torch.zeros_like(x.detach()) if leaf is None else leaf for leaf, x in pairs]
        return {"leaves": leaves, "parameters": found.parameters, "led": led}

    def _count(self, step: Step) -> None:
        self._client.begin(forget="given")
        self._client.work = Work({}, 0)

    def _counted(self, step: Step) -> Any:
        work, self._client.work = self._client.work or Work({}, 0), None
        return sums_of(work)

    def _work(self, step: Step) -> int:
        by_name, names = self.filled(step.args)
        return sum(by_name.get(name, 0) for name in names)

    def _torch(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        return function_of(step.name)(*args, **kwargs)

    def _number(self, step: Step) -> Any:
        return computed(step.name, *self._arguments(step)[0])

    def _like(self, step: Step) -> None:
        value, form = step.args
        require_form(self._client, self.filled(value), form)

    def _led(self, step: Step) -> None:
        found, wanted = self.filled(step.args)
        if any(must and not is_led for is_led, must in zip(found, wanted, strict=True)):
            cause = Cause("detached", {"call": self._client.call_that_gave(None)})
            raise CheckFailed(cause, Evidence("detached", len(self._client.calls), list(found)))

    def _usable(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        return usable(self._impl, *args, **kwargs)

    def _finding(self, step: Step) -> Any:
        args, kwargs = self._arguments(step)
        seen = kwargs.pop("seen", None)
        said = [self.said(str(arg)) for arg in args]
        named: dict[str, Any] = {key: self.said(str(v)) for key, v in kwargs.items()}
        raise finding(*said, **named, seen=seen)

    def _object(self, step: Step) -> ModuleProxy:
        module = self.filled(step.of)
        if not isinstance(module, ModuleProxy):
            raise TypeError(f"{type(module).__name__} is not a module")
        return module


_DOES: Mapping[str, Callable[[Playing, Step], Any]] = {
    "call": Playing._call,
    "method": Playing._method,
    "load": Playing._load,
    "parameters": Playing._asked,
    "buffers": Playing._asked,
    "loose_tensors": Playing._asked,
    "hooks": Playing._asked,
    "copy": Playing._copy,
    "seen": Playing._seen,
    "gradients": Playing._gradients,
    "count": Playing._count,
    "counted": Playing._counted,
    "work": Playing._work,
    "torch": Playing._torch,
    "number": Playing._number,
    "like": Playing._like,
    "led": Playing._led,
    "usable": Playing._usable,
    "finding": Playing._finding,
}


def sums_of(work: Work) -> dict[str, Any]:
    """As a step gives it."""
    sums = {"operations": work.operations, "steps": work.steps, "by_name": dict(work.by_name)}
    return {**sums, "views": work.views, "largest": work.largest}


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
    one that changes a setting. torch forgets ``unflatten`` in its list.
    """
    known = get_overridable_functions().values()
    return frozenset({torch.Tensor.unflatten, *(one for functions in known for one in functions)})


def _unusable(error: Exception) -> CheckFailed:
    said = f"{type(error).__name__}: {printable(str(error), 200)}"
    return CheckFailed(Cause("unusable", {"said": said}), Evidence("unusable", 0, said))
