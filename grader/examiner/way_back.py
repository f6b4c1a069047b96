"""The way of a wrong function's values back from what it returned, as far as the reference has not
the same: to the one that is wrong and made from what is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

import torch

from grader.examiner.difference import Tensors, form_of
from grader.model import Fact
from grader.programs.intermediates import Intermediate

_CLOSE, _SMALL = 1e-4, 1e-6  # relative to a number, and to the largest
# What is made from a shape, whatever the numbers are.
_MADE = re.compile(
    r"(?:.*\.)?(?:ones|zeros|full|empty|eye|arange|linspace|tensor|new_\w+|\w+_like)"
    r"\((?:[^()]|\([^()]*\))*\)"
)
# What somebody fills afterwards.
_EMPTY = re.compile(
    r"(?:.*\.)?(?:ones|zeros|full|empty|new_(?:ones|zeros|full|empty))(?:_like)?\(.*"
)
_FORMS = ("factor", "offset", "transposed")


def are_same(some: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> bool:
    """But for rounding, one by one."""
    return len(some) == len(others) and all(map(is_same, some, others))


def is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """But for rounding; True is 1."""
    if one.shape != other.shape:
        return False
    one, other = one.detach().double(), other.detach().double()
    finite = other[other.isfinite()].abs()
    largest = float(finite.max()) if finite.numel() else 0.0
    return torch.allclose(one, other, rtol=_CLOSE, atol=_SMALL * largest, equal_nan=True)


def _holds_the_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether both hold the same numbers, wherever they stand."""
    return is_same(*(part.detach().double().flatten().sort().values for part in (one, other)))


def _parts(
    way: Sequence[Intermediate], values: Sequence[torch.Tensor | None]
) -> list[tuple[int, ...]]:
    """The places of the tensors that each value is made from, through what is none: all of them
    stand before it.
    """
    found: list[tuple[int, ...]] = []
    for one in way:
        made_from = one.made_from
        if one.is_read:
            there = [n for n in made_from if values[n] is not None]
            made_from = tuple(there[-1:]) or made_from
        parts = {m for n in made_from for m in (found[n] if values[n] is None else (n,))}
        found.append(tuple(sorted(parts)))
    return found


def _independent(way: Sequence[Intermediate], parts: Sequence[tuple[int, ...]]) -> list[bool]:
    """Whether each value would be the same whatever numbers the function is given: it is made from
    a shape, or a call is given no tensor, or from such values.
    """
    found: list[bool] = []
    for one, its in zip(way, parts, strict=True):
        alone = all(found[n] for n in its) if its else one.words.endswith(")")
        found.append(alone or _MADE.fullmatch(one.words) is not None)
    return found


class _Unclear(Exception):
    """The value of a later round of a loop is not there."""


class WayBack:
    """A function's way, with what is there of its values and what the reference has ``noted``."""

    def __init__(
        self,
        way: Sequence[Intermediate],
        values: Sequence[torch.Tensor | None],
        noted: Sequence[torch.Tensor],
    ) -> None:
        self._way, self._values, self._noted = way, values, noted
        self._parts = _parts(way, values)
        self._independent = _independent(way, self._parts)
        self._of_numbers = True
        self._right: dict[int, int] = {}
        for n, value in enumerate(values):
            self._right[n] = -1 if value is None else self._find(value)

    def _find(self, value: torch.Tensor) -> int:
        """Where the reference has it for the last time; -1 if nowhere. A mask of what is left out
        is as good as one of what is kept.
        """
        alike = [value, ~value] if value.dtype == torch.bool else [value]
        for n in range(len(self._noted) - 1, -1, -1):
            if any(is_same(one, self._noted[n]) for one in alike):
                return n
        return -1

    def told(self) -> dict[str, Fact]:
        """What is known of the one value that is to be told: where NaN begins, where a form is seen
        that explains all that is wrong, or the one that is not right and made from what is.
        """
        results = self._results()
        self._of_numbers = not all(self._independent[n] for n in results)
        wrong = [n for n in results if not self._is_right(n)]
        if len(results) == 1 and not wrong:
            given = self._is_given(results[0])
            return {} if given else {"kind": "goes_on", **self._at(results[0])}
        with suppress(_Unclear):
            begins, _ = self._first(wrong, lambda n: not self._has_nan(n))
            if len(begins) == 1:
                return {"kind": "nan_begins", **self._at(*begins), **self._infinite(*begins)}
            found, seen = self._first(wrong, self._is_good)
            last = max(found, default=len(self._way))
            for n in sorted(n for n in seen if n >= last and found <= self._below(n)):
                if form := self._form(n):
                    made_from = self._after(n) if n in found else self._begun(found)
                    kind = "leaves" if n in found else "comes_near"
                    return {"kind": kind, **self._at(n), **made_from, **form}
            if len(found) == 1 and self._is_comparable(last) and not self._is_filled(last):
                at, after = self._at(last), self._after(last) | self._beside(last)
                kind = "changes" if at["name"] == after.get("after") else "leaves"
                return {"kind": kind, **at, **after}
        return {}

    def _is_given(self, place: int) -> bool:
        """Whether it is what the function was given: what was to be done with it did nothing."""
        value = self._values[place]
        read = [v for one, v in zip(self._way, self._values, strict=True) if not one.made_from]
        return value is not None and any(v is not None and is_same(v, value) for v in read)

    def _is_comparable(self, place: int) -> bool:
        """Whether the reference has one of this shape. If it has one with the same numbers in other
        places, these must have been moved here, and not earlier: otherwise it goes another way.
        """
        value = self._values[place]
        assert value is not None
        alike = [noted for noted in self._noted if noted.shape == value.shape]
        if not any(_holds_the_same(value, noted) for noted in alike):
            return bool(alike)
        parts = [self._values[n] for n in self._parts[place]]
        return any(part is not None and _holds_the_same(value, part) for part in parts)

    def _is_filled(self, place: int) -> bool:
        """Whether it is one number throughout, to be filled later: that is no mistake."""
        return bool(_EMPTY.fullmatch(self._way[place].words))

    def _is_right(self, place: int) -> bool:
        return self._right[place] >= 0

    def _is_good(self, place: int) -> bool:
        """Whether it is right, or speaks of places alone where the result is made from numbers: a
        mask may be made and used in many ways.
        """
        return self._is_right(place) or (self._of_numbers and self._independent[place])

    def _has_nan(self, place: int) -> bool:
        value = self._values[place]
        return value is not None and bool(value.isnan().any())

    def _results(self) -> list[int]:
        """The places of what was returned: of the last ``return`` that was come to."""
        returned = [n for n, one in enumerate(self._way) if one.is_returned]
        there = [n for n in returned if self._values[n] is not None]
        return [n for n in there if self._way[n].line == self._way[there[-1]].line]

    def _first(
        self, results: Sequence[int], is_good: Callable[[int], bool]
    ) -> tuple[set[int], set[int]]:
        """The values that are not good, and made from what is; and all that are not, on the way
        from these to the ``results``.
        """
        found, seen = set[int](), set[int]()
        waiting = [n for n in results if not is_good(n)]
        while waiting:
            place = waiting.pop()
            parts = self._parts[place]
            bad = [n for n in parts if not is_good(n)]
            later = not self._way[place].in_loop and any(self._way[n].in_loop for n in parts)
            if later and not bad:  # the last round's value is made from other ones
                raise _Unclear
            found |= set() if bad else {place}
            waiting += [n for n in bad if n not in seen and n not in waiting]
            seen.add(place)
        return found, seen

    def _below(self, place: int) -> set[int]:
        """A value, and all tensors that it is made from, as far as they are not right."""
        found, waiting = {place}, [place]
        while waiting:
            parts = {n for n in self._parts[waiting.pop()] if not self._is_right(n)} - found
            found |= parts
            waiting += parts
        return found

    def _after(self, place: int) -> dict[str, Fact]:
        """The last right value that it is made from, if that is one that was computed."""
        right = [n for n in self._parts[place] if self._is_right(n) and self._way[n].made_from]
        return {"after": self._way[max(right)].words} if right else {}

    def _beside(self, place: int) -> dict[str, Fact]:
        """The last call that it is made with, of those that speak of places alone and give what the
        reference has not: that may be made in many ways, and be wrong.
        """
        made_with = sorted(self._below(place) - {place}) if self._of_numbers else []
        alone = [self._way[n] for n in made_with if self._independent[n]]
        calls = [one for one in alone if one.words.endswith(")")]
        return {"beside": calls[-1].words, "beside_line": calls[-1].line} if calls else {}

    def _begun(self, found: set[int]) -> dict[str, Fact]:
        """The one value with which another way begins, if there is one only."""
        if len(found) > 1:
            return {}
        (one,) = found
        return {"first": self._way[one].words, "first_line": self._way[one].line}

    def _infinite(self, place: int) -> dict[str, Fact]:
        """The first value that it is made from and that holds +inf: -inf is meant, mostly."""
        parts = [(n, self._values[n]) for n in self._parts[place]]
        found = [n for n, value in parts if value is not None and bool((value == torch.inf).any())]
        return {"infinite": self._way[min(found)].words} if found else {}

    def _form(self, place: int) -> dict[str, Fact]:
        """How a value comes from one that the reference has later than what it is made from, and
        that the function has not.
        """
        value = self._values[place]
        assert value is not None
        right = [self._right[n] for n in self._below(place) for n in self._parts[n]]
        begin = min((n for n in right if n >= 0), default=0)
        own = [self._noted[n] for n in set(self._right.values()) if n >= 0]
        for noted in self._noted[begin:]:
            if noted.shape != value.shape or any(is_same(noted, one) for one in own):
                continue
            form = form_of(Tensors(noted, value, torch.ones_like(value, dtype=torch.bool)))
            if form.get("form") in _FORMS:
                return form
        return {}

    def _at(self, place: int) -> dict[str, Fact]:
        return {"name": self._way[place].words, "line": self._way[place].line}
