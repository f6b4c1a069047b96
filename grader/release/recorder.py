"""Steps are written down while a check takes them, and become scripts and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.overrides import resolve_name

from grader.errors import GraderError, SubmissionRaised
from grader.examiner.sealed.forms import form_of
from grader.examiner.sealed.playing import function_of
from grader.examiner.sealed.script import (
    Attempt,
    Given,
    Input,
    Item,
    Script,
    Step,
    hole,
)
from grader.programs.draw import SeededGenerator
from grader.programs.gradients import Gradients
from grader.programs.proxy import ModuleProxy, TorchModule, object_of
from grader.release import words
from grader.release.idle import FORMS, without_idle
from grader.release.traced import Traced, TracedDict, plain, traced
from grader.sandbox.inputs import copied

_PLAIN = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device, type(...))
_OF_NAMES = ("parameters", "buffers", "loose_tensors", "hooks")
_OF_FORM = ("call", "method", "seen", *_OF_NAMES)
_OF_NO_VALUE = ("dim", "stride", "get_device", "data_ptr", "storage_offset", "__len__")


class Unrecordable(GraderError):
    """A check that does not become data, and why."""


@dataclass
class Fork:
    """A decision as it was taken: what ``of`` gave was ``usual``, on so many inputs ``before``."""

    of: Given
    usual: bool
    before: int


class Recorder:
    """Writes down what is asked, in ``items``. Decisions go as they do, but for those ``forced``,
    and if it ``is_strict``, the form of all answers is demanded.
    """

    def __init__(self, forced: Mapping[int, int] | None = None, *, is_strict: bool = False) -> None:
        self.inputs: list[Any] = []
        self.items: list[Item | Fork] = []
        self.is_listening = True
        self._forced, self._is_strict = forced or {}, is_strict
        self._steps = self._forks = 0
        self._kept: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._origins: dict[int, Given] = {}
        self._objects: dict[int, Given] = {}
        self._plain: list[tuple[Any, Given]] = []
        self._wholes: dict[int, tuple[list[Any], Given]] = {}

    @property
    def is_beyond(self) -> bool:
        """Whether all decisions that are forced were taken."""
        return self._forks > max(self._forced, default=-1)

    def script(self, value: Any, wrt: Sequence[torch.Tensor]) -> Script:
        """All as one comparison, which ends with ``value``."""
        numbers = tuple(self._input(tensor).number for tensor in wrt)
        value = self.form(value, judged=True)
        steps = without_idle(steps_of(self.items), value)
        return Script(tuple(self.inputs), tuple(steps), value, numbers)

    def attempt(self, call: Callable[[], Any], what: str) -> Attempt:
        """What is asked until it is refused; then it is as if it had not been asked."""
        before, first = len(self.items), self._steps
        try:
            call()
        except SubmissionRaised:
            pass
        else:
            raise Unrecordable(words.NOT_REFUSED)
        steps = [step for step in steps_of(self.items[before:]) if step.does not in FORMS]
        if not steps:
            raise Unrecordable(words.NOTHING_ASKED)
        del self.items[before:]
        self._steps = first
        return Attempt(tuple(self.inputs), tuple(steps), what)

    # Steps ------------------------------------------------------------------------------------

    def note(self, value: Any, does: str, name: str = "", *args: Any, **more: Any) -> Any:
        """A step was taken and gave ``value``, which comes back with its numbers traced."""
        step = Step(self._steps, does, name, args, **more)
        self._steps += 1
        self.items.append(step)
        given = Given(step.number)
        value = self._registered(value, given)
        if does in _OF_NAMES:
            value = TracedDict(value)
            value.notes, value.given = self, given
        has_none = does in _OF_NAMES and not plain(value)  # which is a decision
        if self._is_strict and does in _OF_FORM and value is not None and not has_none:
            self._demand("like", given, form_of(plain(value)))
        return value

    def note_gradients(self, found: Gradients, asked: Any, **options: Any) -> None:
        """The same of gradients; of which inputs the graph leads to may be demanded."""
        led = [leaf is not None for leaf in found.leaves]
        value = {"leaves": found.leaves, "parameters": found.parameters, "led": led}
        self.note(value, "gradients", "", *asked, kwargs=options)
        if self._is_strict and led:
            self._demand("led", Given(self._steps - 1, ("led",)), led)

    def _demand(self, does: str, given: Given, wanted: Any) -> None:
        self.items.append(Step(self._steps, does, args=(given, wanted)))
        self._steps += 1

    def _registered(self, value: Any, given: Given) -> Any:
        self._kept.append(value)
        if isinstance(value, ModuleProxy):
            self._objects.setdefault(object_of(value).number, given)
        elif isinstance(value, (torch.Tensor, np.ndarray)):
            self._origins[id(value)] = given
        elif isinstance(value, (list, tuple, dict)):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            parts = {
                key: self._registered(item, Given(given.step, (*given.path, key)))
                for key, item in items
            }
            if type(value) in (list, tuple):
                return self._whole(type(value)(parts.values()), given)
            return parts if type(value) is dict else value
        elif isinstance(value, (bool, str, bytes)):
            self._plain.append((value, given))
        return traced(value, given, self)

    def _whole(self, value: Any, given: Given) -> Any:
        """A list or tuple that came as it is: given back whole, its length is judged too."""
        self._kept.append(value)
        self._wholes[id(value)] = list(value), given
        return value

    def _given_whole(self, value: Any) -> Given | None:
        """Where it came from, if nothing of it was changed; its parts are taken with it."""
        parts, given = self._wholes.get(id(value), ([], None))
        if given is None or list(map(id, parts)) != list(map(id, value)):
            return None
        into = len(given.path)
        self._plain = [
            (known, of)
            for known, of in self._plain
            if (of.step, of.path[:into]) != (given.step, given.path)
        ]
        return given

    def form(self, value: Any, *, judged: bool = False) -> Any:
        """A value as data; raises ``Unrecordable`` for what has no form."""
        if isinstance(value, Traced):
            return value.given if value.notes is self else plain(value)
        if isinstance(value, ModuleProxy):
            return self.object(object_of(value).number)
        if isinstance(value, (torch.Tensor, np.ndarray)) and id(value) in self._origins:
            return self._origins[id(value)]
        if isinstance(value, (torch.Tensor, np.ndarray, SeededGenerator, TorchModule)):
            if judged:
                raise Unrecordable(words.COMPUTED)
            return self._input(value)
        if isinstance(value, (list, tuple)):
            if judged and (given := self._given_whole(value)):
                return given
            kind = type(value) if type(value) in (list, tuple) else tuple
            return kind([self.form(item, judged=judged) for item in value])
        if isinstance(value, dict):
            return {key: self.form(item, judged=judged) for key, item in value.items()}
        if isinstance(value, slice):
            return slice(*map(self.form, (value.start, value.stop, value.step)))
        if not isinstance(value, _PLAIN):
            raise Unrecordable(words.NO_DATA.format(kind=type(value).__name__))
        return self._origin_of_plain(value) if judged and value is not None else value

    def _origin_of_plain(self, value: Any) -> Given:
        """The first answer of that value that is not yet taken: words, yes and no have no identity,
        but come in the order in which they were asked for.
        """
        for place, (known, given) in enumerate(self._plain):
            if type(known) is type(value) and known == value:
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
            self._numbers[id(value)] = len(self.inputs)
            self._kept.append(value)
            self.inputs.append(_kept_input(value))
        return Input(self._numbers[id(value)])

    # What is computed with answers --------------------------------------------------------------

    @contextmanager
    def own_work(self) -> Iterator[None]:
        """Within the block programs compute, and not the check."""
        before, self.is_listening = self.is_listening, False
        try:
            yield
        finally:
            self.is_listening = before

    def computed(self, function: Any, args: Any, kwargs: Any, value: Any) -> Any:
        """A function of torch was called by somebody; returns what it shall give."""
        if not self.is_listening or not self._is_of_answers((args, kwargs)):
            return value
        name = resolve_name(function) or ""
        if not _tells(name, value):
            return value
        try:
            function_of(name)
            form = self.form(tuple(args)), self.form(dict(kwargs))
        except (LookupError, AttributeError, Unrecordable):
            return value  # what is made of this has no origin, and is told where it is used
        found = self.note(value, "torch", name, *form[0], kwargs=form[1])
        given = Given(self._steps - 1)
        if isinstance(value, bool):
            return self.decided(given, value)
        return hole(given.step) if isinstance(value, str) else found

    def computed_plain(self, name: str, args: tuple[Any, ...], value: Any) -> Any:
        """The same with numbers and words."""
        found = self.note(value, "number", name, *map(self.form, args))
        return self.decided(Given(self._steps - 1), value) if isinstance(value, bool) else found

    def converted(self, kind: type, value: Any) -> Any:
        """A number made of an answer."""
        with self.own_work():
            number = kind(plain(value))
        if not self.is_listening or not self._is_of_answers(value):
            return number
        return self.computed_plain(kind.__name__, (value,), number)

    def decided(self, given: Given, value: bool) -> bool:
        """The check goes on as ``value`` says, or, if it is forced, the other way."""
        usual = value is not (self._forks in self._forced)
        self._steps = self._forced.get(self._forks, self._steps)
        self._forks += 1
        self.items.append(Fork(given, usual, len(self.inputs)))
        return usual

    def _is_of_answers(self, value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return any(map(self._is_of_answers, value))
        if isinstance(value, dict):
            return any(self._is_of_answers(item) for _, item in value.items())
        return id(value) in self._origins or isinstance(value, Traced)


def _tells(name: str, value: Any) -> bool:
    """Whether what a function gave is a value of its arguments, and not of their form."""
    last = name.rpartition(".")[2]
    if isinstance(value, (torch.Tensor, np.ndarray)) or last == "__setitem__":
        return True
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return bool(value)
    of_form = last.startswith("is_") or last == "__get__" or last in _OF_NO_VALUE
    return isinstance(value, (bool, int, float, str)) and not of_form


def steps_of(items: Sequence[Item | Fork]) -> list[Step]:
    """The steps among some items, but for those of attempts."""
    return [item for item in items if isinstance(item, Step)]


def _kept_input(value: Any) -> Any:
    """An input as it is now: the check may go on to change it."""
    if isinstance(value, torch.Tensor):
        grad = value.requires_grad
        return (
            _shortened(copied(value.detach())).requires_grad_(grad) if not value.is_meta else value
        )
    return value.copy() if isinstance(value, np.ndarray) else value


def _shortened(numbers: torch.Tensor) -> torch.Tensor:
    """Float64 as fine as float32 is, which a file keeps in half the room; what is too large for
    that stays. What was drawn is not as fine anyway.
    """
    single = numbers.float() if numbers.dtype is torch.float64 else numbers
    same = torch.equal(single.isfinite(), numbers.isfinite())
    return single.to(numbers.dtype) if same else numbers
