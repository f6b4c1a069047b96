"""Steps are written down while a check takes them, and become scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode, resolve_name

from grader.errors import GraderError, SubmissionRaised
from grader.examiner.sealed.script import (
    Attempt,
    Comparison,
    Event,
    Given,
    Input,
    Script,
    Step,
    function_of,
)
from grader.programs.draw import SeededGenerator
from grader.programs.proxy import ModuleProxy, TorchModule, object_of
from grader.release import words
from grader.sandbox.inputs import copied

_PLAIN = (bool, int, float, str, type(None), torch.dtype, torch.device, type(...))
_JUDGED = ("call", "method", "gradients", "seen", "parameters", "buffers", "loose_tensors")
_NUMBERS = (bool, int, float, str)


class Unrecordable(GraderError):
    """A check that does not become data, and why."""


class Recorder:
    """Writes steps down; ``events`` are those that are complete."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._kept: list[Any] = []
        self._own_work = False
        self._begin()

    def _begin(self) -> None:
        self._inputs: list[Any] = []
        self._steps: list[Step] = []
        self._numbers: dict[int, int] = {}
        self._origins: dict[int, Given] = {}
        self._objects: dict[int, Given] = {}
        self._answers: list[Given] = []
        self._plain: list[tuple[Any, Given]] = []

    def start(self) -> None:
        """A script begins; what was asked before, outside of any comparison, is one: all that was
        answered is judged.
        """
        if self._answers:
            self.events.append(Comparison(self._script(tuple(self._answers)), is_loose=True))
        self._begin()

    def finish(self, value: Any, wrt: Sequence[torch.Tensor]) -> Script:
        """The script that ends with ``value``."""
        numbers = tuple(self._input(tensor).number for tensor in wrt)
        script = self._script(self.form(value, judged=True), numbers)
        self._begin()
        return script

    def _script(self, value: Any, wrt: tuple[int, ...] = ()) -> Script:
        return _without_idle(Script(tuple(self._inputs), tuple(self._steps), value, wrt))

    def attempt(self, call: Callable[[], Any], what: str) -> Attempt:
        """What is asked until it is refused; then it is as if it had not been asked."""
        before = len(self._steps)
        try:
            call()
        except SubmissionRaised:
            pass
        else:
            raise Unrecordable(words.NOT_REFUSED)
        if len(self._steps) == before:
            raise Unrecordable(words.NOTHING_ASKED)
        script = self._script(Given(len(self._steps) - 1))
        after = len(self._steps) - before
        del self._steps[before:]
        self._answers = [given for given in self._answers if given.step < before]
        return Attempt(script, len(script.steps) - after, what)

    # Steps ------------------------------------------------------------------------------------

    def note(self, step: Step, value: Any) -> None:
        """A step was taken, and gave ``value``."""
        self._steps.append(step)
        given = Given(len(self._steps) - 1)
        self._register(value, given)
        if step.does in _JUDGED and not isinstance(value, ModuleProxy):
            self._answers.append(given)

    def _register(self, value: Any, given: Given) -> None:
        self._kept.append(value)
        if isinstance(value, ModuleProxy):
            self._objects.setdefault(object_of(value).number, given)
        elif isinstance(value, (torch.Tensor, np.ndarray)):
            self._origins[id(value)] = given
        elif isinstance(value, (list, tuple, dict)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in items:
                self._register(item, Given(given.step, (*given.path, key)))
        elif isinstance(value, _NUMBERS):
            self._plain.append((value, given))

    def form(self, value: Any, *, judged: bool = False) -> Any:
        """A value as data; raises ``Unrecordable`` for what has no form."""
        if isinstance(value, ModuleProxy):
            return self.object(object_of(value).number)
        if isinstance(value, (torch.Tensor, np.ndarray)) and id(value) in self._origins:
            return self._origins[id(value)]
        if isinstance(value, (torch.Tensor, np.ndarray, SeededGenerator, TorchModule)):
            if judged:
                raise Unrecordable(words.COMPUTED)
            return self._input(value)
        if isinstance(value, (list, tuple)):
            return type(value)([self.form(item, judged=judged) for item in value])
        if isinstance(value, dict):
            return {key: self.form(item, judged=judged) for key, item in value.items()}
        if isinstance(value, slice):
            return value
        if not isinstance(value, _PLAIN):
            raise Unrecordable(words.NO_DATA.format(kind=type(value).__name__))
        return self._origin_of_plain(value) if judged and value is not None else value

    def _origin_of_plain(self, value: Any) -> Given:
        """The first answer of that value that is not yet taken: numbers and words have no identity,
        but come in the order in which they were asked for.
        """
        for place, (known, given) in enumerate(self._plain):
            if type(known) is type(value) and (known == value or known != known):
                del self._plain[place]
                return given
        raise Unrecordable(words.COMPUTED)

    def object(self, number: int) -> Given:
        """The step that made an object."""
        if number not in self._objects:
            raise Unrecordable(words.EARLIER_OBJECT)
        return self._objects[number]

    def _input(self, value: Any) -> Input:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._inputs)
            self._kept.append(value)
            self._inputs.append(_kept_input(value))
        return Input(self._numbers[id(value)])

    # What torch is asked to do with answers -----------------------------------------------------

    @contextmanager
    def own_work(self) -> Iterator[None]:
        """Within the block torch's functions are called by programs, and not by the check."""
        before, self._own_work = self._own_work, True
        try:
            yield
        finally:
            self._own_work = before

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Within the block what the check computes with answers is written down."""
        with _Listener(self):
            yield

    def computed(self, function: Any, args: Any, kwargs: Any, value: Any) -> None:
        """A function of torch was called by somebody."""
        if self._own_work or not self._is_of_answers((args, kwargs)):
            return
        parts = value if isinstance(value, (list, tuple)) else (value,)
        if not any(isinstance(part, torch.Tensor) for part in parts):
            return
        name = resolve_name(function) or ""
        try:
            function_of(name)
            step = Step("torch", name, self.form(tuple(args)), self.form(dict(kwargs)))
        except (LookupError, AttributeError, Unrecordable):
            return  # what is made of this has no origin, and is told where it is used
        self.note(step, value)

    def _is_of_answers(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return any(map(self._is_of_answers, value))
        if isinstance(value, dict):
            return any(map(self._is_of_answers, value.values()))
        return id(value) in self._origins


def _kept_input(value: Any) -> Any:
    """An input as it is now: the check may go on to change it."""
    if isinstance(value, torch.Tensor):
        grad = value.requires_grad
        return copied(value.detach()).requires_grad_(grad) if not value.is_meta else value
    return value.copy() if isinstance(value, np.ndarray) else value


def _without_idle(script: Script) -> Script:
    """Without what the check computed and nothing needs: its own assertions."""
    needed: set[int] = set(_steps_in(script.value))
    for number in reversed(range(len(script.steps))):
        step = script.steps[number]
        if step.does != "torch" or number in needed:
            needed |= {number, *_steps_in((step.args, dict(step.kwargs), step.of))}
    order = sorted(needed)
    places = {number: place for place, number in enumerate(order)}
    steps = tuple(_renumbered(script.steps[number], places) for number in order)
    return Script(script.inputs, steps, _moved(script.value, places), script.wrt)


def _steps_in(value: Any) -> Iterator[int]:
    if isinstance(value, Given):
        yield value.step
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _steps_in(item)
    elif isinstance(value, dict):
        yield from _steps_in(list(value.values()))


def _renumbered(step: Step, places: Mapping[int, int]) -> Step:
    args, kwargs, of = _moved((step.args, dict(step.kwargs), step.of), places)
    return Step(step.does, step.name, args, kwargs, of, step.device, step.autocast)


def _moved(value: Any, places: Mapping[int, int]) -> Any:
    if isinstance(value, Given):
        return Given(places[value.step], value.path)
    if isinstance(value, (list, tuple)):
        return type(value)([_moved(item, places) for item in value])
    if isinstance(value, dict):
        return {key: _moved(item, places) for key, item in value.items()}
    return value


class _Listener(TorchFunctionMode):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        value = func(*args, **(kwargs or {}))
        self._recorder.computed(func, args, kwargs or {}, value)
        return value
