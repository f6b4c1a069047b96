"""A call in words: whose it is, and what it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

_MOST_ARGUMENTS = 180  # characters of all arguments of a call, and of one
_MOST_ARGUMENT = 60
_MANY = {"bool": "bool tensors", "items": "lists"}


def call_words(call: Any) -> str:
    """For example ``softmax(tensor (2, 3), dim=0)``; a module's method is ``.name``, and its
    own call has no name, but both say of which class. A check may also fail without a call.
    """
    if call is None:
        return "The check"
    shown = [_argument(*argument) for argument in call["args"]]
    shown += options_words(call["kwargs"])
    name = call["name"]
    owner = call.get("of") or ""
    of = f"the {owner}" if owner.isidentifier() else "the module"
    called = f"{of}{name}" if name.startswith(".") or not name else name
    return f"{called}({_fitting(shown)})"


def options_words(given: Mapping[str, Any]) -> list[str]:
    """What stands by its name among the arguments of a call."""
    return [f"{key}={_argument(*argument)}" for key, argument in given.items()]


def _fitting(shown: Sequence[str]) -> str:
    """The arguments; of very many the first and the last, with an ellipsis between."""
    if sum(map(len, shown)) <= _MOST_ARGUMENTS:
        return ", ".join(shown)
    first = _within(shown, _MOST_ARGUMENTS * 2 // 3)
    last = _within(shown[len(first) :][::-1], _MOST_ARGUMENTS // 3)[::-1]
    return ", ".join([*first, "...", *last])


def _within(shown: Sequence[str], room: int) -> Sequence[str]:
    """As many as take no more than so many characters."""
    lengths = accumulate(map(len, shown))
    return shown[: sum(length <= room for length in lengths)]


def _argument(kind: str, *more: Any) -> str:
    match kind:
        case "tensor" | "array" | "bool":
            return f"{kind} {tuple(more[0])}"
        case "generator":
            return "a generator"
        case "module":
            return f"{'an' if more[0][:1] in 'AEIOU' else 'a'} {more[0]}"
        case "function":
            return "a function"
        case "items":
            return f"{more[0]} items"
        case "dict":
            return f"a dict of {more[0]}"
        case "sequence":
            return f"a {more[0]} of {_MANY.get(more[1], more[1] + 's')}"
    return cut(str(more[0]), _MOST_ARGUMENT)


def cut(said: str, most: int) -> str:
    """No more than so many characters; then an ellipsis ends it."""
    return said if len(said) <= most else f"{said[: most - 1]}…"
