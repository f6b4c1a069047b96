"""Numbers and words that know which step gave them: what a check computes with them is noted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import torch

from grader.examiner.sealed.numbers import ARITHMETIC, OF_NUMBERS, OF_WORDS
from grader.examiner.sealed.script import Given, hole

_PLAIN = (bool, int, float, str)
_METHODS = ("upper", "lower", "strip", "count")  # the others are operators


class Notes(Protocol):
    """Where it is written down."""

    @property
    def is_listening(self) -> bool: ...

    def computed_plain(self, name: str, args: tuple[Any, ...], value: Any) -> Any: ...

    def note(self, value: Any, does: str, name: str = "", *args: Any, **more: Any) -> Any: ...


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


class TracedDict(dict[str, Any]):
    """Parameters or buffers by name, of which another program may have others."""

    notes: Notes
    given: Given

    def __bool__(self) -> bool:
        return bool(self._noted("len", len(self)))

    def __iter__(self) -> Iterator[str]:
        """Where a right program has none, the names that another has are one word."""
        if len(self) or not self:
            return super().__iter__()
        return iter([hole(self._noted("join", "").given.step)])

    def values(self) -> Any:
        """All together, as one tensor of one axis: mostly they are counted."""
        if not self.notes.is_listening:
            return super().values()
        whole = [torch.zeros(0), *(one.detach().flatten() for one in super().values())]
        return [self._noted("whole", torch.cat(whole))]

    def _noted(self, name: str, value: Any) -> Any:
        if not self.notes.is_listening:
            return value
        return self.notes.note(value, "number", name, self.given)


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
    if type(value) in (dict, TracedDict):
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


def _is_not_0(self: Any) -> bool:
    value = bool(plain(self))
    return (
        bool(self.notes.computed_plain("ne", (self, 0), value))
        if self.notes.is_listening
        else value
    )


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
        _kind.__bool__ = _is_not_0  # type: ignore[method-assign, union-attr]
        for _name, _function in ARITHMETIC.items():
            setattr(_kind, f"__r{_name}__", _method(_name, _function, turned=True))
    _kind.__format__ = _formatted  # type: ignore[method-assign]
    _kind.__repr__ = _represented  # type: ignore[method-assign]
