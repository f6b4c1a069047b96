"""Values as plain data, for causes: what kind a value is, and what a call was given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grader.errors import ProtocolViolation
from grader.model import Fact
from grader.programs.draw import SeededGenerator
from grader.programs.proxy import ModuleProxy, TorchModule, object_of
from grader.programs.under_test import UnderTest
from grader.report.words import kind_words
from grader.sandbox.protocol import printable

PLACE = "argument {}"  # one that is handed over without its name, counted from 1
_MOST_ITEMS = 4
_MOST_LETTERS = 60  # of a class's name, which the submission has chosen


def kind_of(value: Any) -> tuple[Fact, ...]:
    """For example ``("tensor",)``, ``("sequence", "list", 3)`` or ``("plain", "int")``."""
    if isinstance(value, torch.Tensor):
        return ("tensor",)
    if isinstance(value, np.ndarray):
        return ("array",)
    if isinstance(value, (list, tuple)):
        return ("sequence", type(value).__name__, len(value))
    if isinstance(value, ModuleProxy):
        return ("plain", printable(object_of(value).type_name, _MOST_LETTERS))
    return ("nothing",) if value is None else ("plain", type(value).__name__)


def kind_name(value: Any) -> str:
    """What a student would call this value."""
    return kind_words(kind_of(value))


def call_of(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], of: str = ""
) -> dict[str, Fact]:
    """A call by what it was given; ``of`` is the public name that it belongs to: the function, or
    for a module's method the class.
    """
    named = {key: _argument(value) for key, value in kwargs.items()}
    return {"name": name, "args": tuple(map(_argument, args)), "kwargs": named, "of": of or name}


def kinds_in(call: Mapping[str, Any]) -> frozenset[tuple[Any, ...]]:
    """What there is to try in a call: each argument by its place or name, what sort of value it is,
    and how many there are; numbers and sizes apart, but not the axes of tensors, nor whose call it
    is. So two calls have what is common to both, and not what only one of them is given.
    """
    whose = call.get("of", ""), call["name"]
    named = (*enumerate(call["args"]), *call["kwargs"].items())
    count = (len(call["args"]), len(call["kwargs"]))
    return frozenset([(*whose, count), *((*whose, at, _sort(value)) for at, value in named)])


def labels_of(told: Any, count: int, kwargs: Mapping[str, Any]) -> set[str]:
    """The names of arguments that a worker tells by place, from 0, or by name."""
    labels = {place: PLACE.format(place + 1) for place in range(count)} | {k: k for k in kwargs}
    plain = type(told) is list and all(type(key) in (int, str) and key in labels for key in told)
    if not plain:
        raise ProtocolViolation("the worker did not say which inputs changed")
    return {labels[key] for key in told}


def _argument(value: Any) -> tuple[Fact, ...]:
    if isinstance(value, np.ndarray):
        return ("array", tuple(value.shape))
    if isinstance(value, torch.Tensor):
        return ("bool" if value.dtype == torch.bool else "tensor", tuple(value.shape))
    if isinstance(value, SeededGenerator):
        return ("generator",)
    if isinstance(value, TorchModule):
        return ("module", value.type_name)
    if isinstance(value, ModuleProxy):
        return ("module", printable(object_of(value).type_name, _MOST_LETTERS))
    if isinstance(value, (list, tuple)) and len(value) > _MOST_ITEMS:
        return ("items", len(value))
    held = {_sole(_argument(item)) for item in value} if isinstance(value, (list, tuple)) else set()
    if held - {"plain"}:  # nobody reads the numbers of tensors
        return ("sequence", type(value).__name__, held.pop() if len(held) == 1 else "value")
    if isinstance(value, dict):
        return ("dict", len(value))
    if isinstance(value, UnderTest):
        return ("function",)
    return ("plain", repr(value))


def _sole(argument: tuple[Any, ...]) -> str:
    """What several such arguments are several of."""
    kind, *more = argument
    return str(more[0]) if kind in ("module", "sequence") else str(kind)


def _sort(argument: tuple[Any, ...]) -> tuple[Any, ...]:
    kind, *more = argument
    if kind in ("tensor", "bool"):
        return kind, len(more[0])
    return (kind, re.sub(r"[\d.]+", "", more[0])) if kind in ("plain", "module") else (kind,)
