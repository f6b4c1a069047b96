"""What a recording needs, and what was computed in it for nothing: the check's own assertions."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from grader.examiner.sealed.script import Decision, Given, Item, Path, Step

FORMS = ("like", "led")  # demands that other right programs may not meet


def without_idle(steps: Sequence[Step], *needed: Any) -> list[Step]:
    """Without what was computed and nothing needs, neither a later step nor ``needed``."""
    numbers = set(numbers_in(needed))
    kept: list[Step] = []
    for step in reversed(steps):
        if step.does in FORMS:  # of what nobody looks at any form is right
            kept += [step] if step.args[0].step in numbers or is_of_names(step.args[1]) else []
        elif not is_idle(step) or step.number in numbers:
            kept.append(step)
            numbers |= set(numbers_in((step.args, dict(step.kwargs), step.of)))
    return kept[::-1]


def without_forms(path: Path) -> Path:
    """What a check does, with nothing demanded of the form of answers; the same path if nothing
    is anyway.
    """
    items = [_loose(item) for item in path.items if not is_form(item)]
    same = len(items) == len(path.items) and all(map(operator.is_, items, path.items))
    return path if same else Path(tuple(items), path.said)


def _loose(item: Item) -> Item:
    if not isinstance(item, Decision) or item.otherwise is None:
        return item
    otherwise = without_forms(item.otherwise)
    return item if otherwise is item.otherwise else replace(item, otherwise=otherwise)


def is_form(item: Any) -> bool:
    """Whether it is such a demand."""
    return isinstance(item, Step) and item.does in FORMS


def is_of_names(form: Any) -> bool:
    """Of names nobody tells whether they are looked at."""
    words = form[:1] == ("items",) and all(part == ("text",) for part in form[1:])
    return words or form[:1] == ("keys",)


def is_idle(step: Step) -> bool:
    """Whether it does nothing but give a value: torch's functions in place change something."""
    last = step.name.rpartition(".")[2]
    changes = last == "__setitem__" or (last.endswith("_") and not last.endswith("__"))
    return step.does in ("torch", "number") and not changes


def numbers_in(value: Any) -> Iterator[int]:
    """The numbers of the steps that a form speaks of."""
    if isinstance(value, Given):
        yield value.step
    elif isinstance(value, slice):
        yield from numbers_in((value.start, value.stop, value.step))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, Mapping):
        yield from numbers_in(list(value.values()))
