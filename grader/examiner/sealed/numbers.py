"""What may be computed with numbers that answers gave: named, so that a file can say it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}
OF_ONE: Mapping[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "round": round,
}
COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_FUNCTIONS = {**ARITHMETIC, **OF_ONE, **COMPARISONS, "sqrt": math.sqrt, "format": format}
_LARGEST_POWER = 64


def computed(name: str, *args: Any) -> Any:
    """One of these functions of numbers; raises ``LookupError`` for others."""
    if name not in _FUNCTIONS:
        raise LookupError(f"a script has no use for {name}")
    if name == "pow" and abs(args[1]) > _LARGEST_POWER:
        raise LookupError("a script has no use for such a power")
    return _FUNCTIONS[name](*args)
