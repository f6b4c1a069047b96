"""Numbers and words that know which step gave them: what a check computes with them is noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from grader.examiner.sealed.numbers import ARITHMETIC, OF_NUMBERS, OF_WORDS
from grader.examiner.sealed.script import Given, hole

_PLAIN = (bool, int, float, str)
_METHODS = ("upper", "lower", "strip", "count")  # the others are operators


class Notes(Protocol):
    """Where it is written down."""

    @property
    def is_listening(self) -> bool: ...

    def computed_plain(self, name: str, args: tuple[Any, ...], value: Any) -> Any: ...


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


class TracedStr(str):
    """Words that a step gave."""

    notes: Notes
    given: Given

    __hash__ = str.__hash__


Traced = (TracedFloat, TracedInt, TracedStr)
_KINDS: dict[type, Any] = {float: TracedFloat, int: TracedInt, str: TracedStr}


def traced(value: Any, given: Given, notes: Notes) -> Any:
    """The same number or words; what is neither stays as it is."""
    value = plain(value) if isinstance(value, Traced) else value
    if type(value) not in _KINDS:
        return value
    one = _KINDS[type(value)](value)
    one.notes, one.given = notes, given
    return one


def plain(value: Any) -> Any:
    """A value without knowledge of steps, through lists and the like."""
    if isinstance(value, Traced):
        kind = next(kind for kind in _KINDS if isinstance(value, kind))
        return kind.__str__(value) if kind is str else kind(value)
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def converting(kind: type, notes: Callable[[], Any]) -> type:
    """Stands for ``float`` or ``int`` where a check makes numbers of answers."""

    class Meta(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, kind)

    class Converting(metaclass=Meta):
        def __new__(cls, value: Any = 0) -> Any:
            return notes().converted(kind, value)

    return Converting


class TracedWork:
    """Stands for ``Work``."""

    def __init__(self, notes: Any, sums: Mapping[str, Any]) -> None:
        vars(self).update(sums)
        self._notes, self._sums = notes, sums

    def of(self, *names: str) -> Any:
        """A program may use none of these operations, and others instead."""
        given, by_name = self._sums["largest"].given, plain(self._sums["by_name"])
        value = sum(by_name.get(name, 0) for name in names)
        return self._notes.note(value, "work", "", Given(given.step, ("by_name",)), names)


def _method(name: str, function: Callable[..., Any], *, turned: bool = False) -> Any:
    def method(self: Any, *others: Any) -> Any:
        if not all(isinstance(other, (*_PLAIN, slice)) for other in others):
            return NotImplemented
        args = (*others, self) if turned else (self, *others)
        value = function(*map(plain, args))
        return self.notes.computed_plain(name, args, value) if self.notes.is_listening else value

    return method


def _formatted(self: Any, spec: str) -> str:
    return _text(self, "format", (self, spec), format(plain(self), spec))


def _represented(self: Any) -> str:
    return _text(self, "repr", (self,), repr(plain(self)))


def _text(self: Any, name: str, args: tuple[Any, ...], text: str) -> str:
    """Where the text of another program's answer will stand."""
    if not self.notes.is_listening:
        return text
    return hole(self.notes.computed_plain(name, args, text).given.step)


for _kind in Traced:
    for _name, _function in (OF_WORDS if _kind is TracedStr else OF_NUMBERS).items():
        _attribute = _name if _name in _METHODS else f"__{_name}__"
        setattr(_kind, _attribute, _method(_name, _function))
    if _kind is not TracedStr:
        for _name, _function in ARITHMETIC.items():
            setattr(_kind, f"__r{_name}__", _method(_name, _function, turned=True))
    _kind.__format__ = _formatted  # type: ignore[method-assign]
    _kind.__repr__ = _represented  # type: ignore[method-assign]
