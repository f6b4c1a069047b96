"""Numbers that know which step gave them: what a check computes with them is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from grader.examiner.sealed.numbers import ARITHMETIC, COMPARISONS, OF_ONE
from grader.examiner.sealed.script import Given, hole

_PLAIN = (bool, int, float)


class Notes(Protocol):
    """Where it is written down."""

    @property
    def is_listening(self) -> bool: ...

    def computed_number(self, name: str, args: tuple[Any, ...], value: Any) -> Any: ...


class TracedFloat(float):
    """A number that a step gave."""

    notes: Notes
    given: Given

    __hash__ = float.__hash__


class TracedInt(int):
    """A whole number that a step gave."""

    notes: Notes
    given: Given

    __hash__ = int.__hash__


Traced = (TracedFloat, TracedInt)


def traced(value: Any, given: Given, notes: Notes) -> Any:
    """The same number; what is none stays as it is."""
    if type(value) not in (int, float, *Traced):
        return value
    one: Any = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    one.notes, one.given = notes, given
    return one


def plain(value: Any) -> Any:
    """A value without knowledge of steps, through lists and the like."""
    if isinstance(value, Traced):
        return int(value) if isinstance(value, int) else float(value)
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def _method(name: str, function: Callable[..., Any], *, turned: bool = False) -> Any:
    def method(self: Any, *others: Any) -> Any:
        if not all(isinstance(other, _PLAIN) for other in others):
            return NotImplemented
        args = (*others, self) if turned else (self, *others)
        value = function(*map(plain, args))
        return self.notes.computed_number(name, args, value) if self.notes.is_listening else value

    return method


def _formatted(self: Any, spec: str) -> str:
    text = format(plain(self), spec)
    if not self.notes.is_listening:
        return text
    noted = self.notes.computed_number("format", (self, spec), text)
    return hole(noted.step)


for _kind in Traced:
    for _name, _function in (ARITHMETIC | OF_ONE | COMPARISONS).items():
        setattr(_kind, f"__{_name}__", _method(_name, _function))
    for _name, _function in ARITHMETIC.items():
        setattr(_kind, f"__r{_name}__", _method(_name, _function, turned=True))
    _kind.__format__ = _formatted  # type: ignore[assignment]
