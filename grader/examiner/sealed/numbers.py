"""What may be computed with numbers and words that answers gave, by names that a file can hold."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}
COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
OF_NUMBERS: Mapping[str, Callable[..., Any]] = {
    **ARITHMETIC,
    **COMPARISONS,
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "round": round,
}
OF_WORDS: Mapping[str, Callable[..., Any]] = {
    **COMPARISONS,
    "contains": operator.contains,
    "getitem": operator.getitem,
    "upper": str.upper,
    "lower": str.lower,
    "strip": str.strip,
    "count": str.count,
}


def _whole(named: Mapping[str, torch.Tensor]) -> torch.Tensor:
    return torch.cat([torch.zeros(0), *(one.detach().flatten() for one in named.values())])


_OTHERS: Mapping[str, Callable[..., Any]] = {
    "format": format, "repr": repr, "float": float, "int": int, "len": len, "join": ", ".join,
    "whole": _whole,
}  # fmt: skip
_FUNCTIONS = {**OF_NUMBERS, **OF_WORDS, **_OTHERS}
_LARGEST_POWER = 64


def computed(name: str, *args: Any) -> Any:
    """One of these functions; raises ``LookupError`` for others."""
    if name not in _FUNCTIONS:
        raise LookupError(f"a script has no use for {name}")
    if name == "pow" and abs(args[1]) > _LARGEST_POWER:
        raise LookupError("a script has no use for such a power")
    return _FUNCTIONS[name](*args)
