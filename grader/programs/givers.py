"""Which call returned a value, and where in its result that stands: a probe may return several."""

from __future__ import annotations

from typing import Any, TypeAlias

from grader.model import Fact

Path: TypeAlias = tuple[tuple[str, Fact], ...]  # as ("item", 0) or ("key", "'loss'"), from outside
Call: TypeAlias = dict[str, Fact]

_SHARED = (int, bool, str, bytes, type(None))  # equal ones may be one object, whoever returned them


class Givers:
    """Values are known by identity, so whoever notes one keeps it as well."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Call, Path]] = {}
        self._plain: list[tuple[Any, Call]] = []

    def clear(self) -> None:
        self._known.clear()
        self._plain.clear()

    def note(self, value: Any, call: Call, at: Path) -> None:
        """That ``value`` stands ``at`` a place in what the call returned."""
        if type(value) not in _SHARED:
            self._known[id(value)] = call, at
        elif not at:
            self._plain.append((value, call))

    def of(self, whole: Any, at: Path = ()) -> tuple[Call, Path] | None:
        """Who returned what stands ``at`` a place in ``whole``, or else the innermost part of it on
        the way there; None where that is not known.
        """
        parts = _along(whole, at)
        for depth in range(len(at), -1, -1):
            if known := self._known.get(id(parts[depth])):
                call, inside = known
                return call, (*inside, *at[depth:])
        if whole is None:  # nothing, or what nobody returned
            return None
        alike = [call for plain, call in self._plain if _is_same(plain, parts[-1])]
        return (alike[0], ()) if len(alike) == 1 else None


def _along(whole: Any, at: Path) -> list[Any]:
    """The whole, its part on the way to a place, and so on; the last one stands there."""
    parts = [whole]
    for kind, place in at:
        inside = parts[-1]
        named = {repr(key): key for key in inside} if kind == "key" else {}
        parts.append(inside[named.get(str(place), place)])
    return parts


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
