"""What may cross the wall: plain values and raw tensor bytes, never a pickle.

A value is a tree of plain ones, whose tensors lie in a payload of raw bytes. The trusted side
believes none of it: every dtype, shape and offset is checked before a byte is used, and whatever
does not fit is a ``ProtocolViolation``.

Both sides import this file; it holds nothing secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.errors import ProtocolViolation

MAX_AXES = 8
MAX_DEPTH = 32

TORCH_DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool".split()
}
NUMPY_DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(name)
    for name in "float16 float32 float64 int8 int16 int32 int64 uint8 bool".split()
}


@dataclass(frozen=True)
class Leaf:
    """An input. Sent once with its value, afterwards by ``number`` alone, so it is one leaf."""

    number: int
    value: Any = None
    requires_grad: bool = False


@dataclass(frozen=True)
class Generator:
    """A ``torch.Generator`` seeded with ``seed``; ``number`` tells one from another."""

    number: int
    seed: int
    device: str = "cpu"


@dataclass(frozen=True)
class Built:
    """A module of ``torch.nn`` made on the far side, which records what it is called with."""

    number: int
    type_name: str
    args: tuple[Any, ...] = ()
    weights: tuple[Any, ...] = ()
    device: str = "cpu"


@dataclass(frozen=True)
class Result:
    """A part of what an earlier call returned, by the keys that lead to it."""

    number: int
    path: tuple[int | str, ...] = ()


@dataclass(frozen=True)
class Object:
    """Something that stays on the far side, such as a module."""

    number: int
    type_name: str


@dataclass(frozen=True)
class Refused:
    """A value that does not cross: a tensor subclass, a generator, a function ..."""

    type_name: str


def require(condition: bool, what: str) -> None:
    """Raise ``ProtocolViolation`` unless ``condition`` holds of what came in."""
    if not condition:
        raise ProtocolViolation(f"the worker's reply does not follow the protocol: {what}")


def printable(text: str, limit: int) -> str:
    """Untrusted text made safe to show: control characters replaced, length capped."""
    clean = "".join(c if c.isprintable() or c == "\n" else "�" for c in text[: limit + 1])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
