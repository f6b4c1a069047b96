"""What may cross the wall: plain values and raw tensor bytes, never a pickle.

A value is a tree of plain ones, whose tensors lie in a payload of raw bytes, one after another in
the tree's order. The trusted side believes none of it: every dtype and shape is checked before a
byte is used, every byte is used once, and whatever does not fit is a ``ProtocolViolation``.

Both sides import this file; it holds nothing secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from grader.errors import ProtocolViolation

MAX_AXES = 8
MAX_DEPTH = 32

# What may come back from a worker. A right submission of all exercises sends at most 3.8 MiB of
# tensors, 18 KiB of header and 1,842 values in one frame, and 7.5 MiB in one check; a race that is
# run to its end, 32 MiB. Reading 1 MiB of the worst JSON takes 0.05 s.
MAX_HEADER_BYTES = 1 << 20
MAX_PAYLOAD_BYTES = 32 << 20
MAX_VALUES = 1 << 16
MAX_CHECK_BYTES = 128 << 20
MAX_PLAIN_KEYS = 1 << 10  # of a dict; numbers can be chosen so that looking them up is slow
MAX_KEY_PARTS = 8  # of a key that is a tuple, all of them plain: so comparing two is short
PLAIN_KEYS = (type(None), bool, int, float, str, bytes)
ALIGNMENT = 16  # bytes: every tensor of a payload begins at a multiple of it

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
class Asked:
    """A function that the far side may call and that is answered here, by ``answer``, which stays
    here.
    """

    number: int
    answer: Callable[[dict[str, Any]], dict[str, Any]] | None = field(default=None, compare=False)

    def __deepcopy__(self, memo: Any) -> Asked:
        return self


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


EXCEPTION = "the exception "  # begins what is said of one that was returned
KEY = "a dict with a key "  # and of one that cannot be named


@dataclass(frozen=True)
class Refused:
    """A value that does not cross: a tensor subclass, a generator, a function ..."""

    type_name: str


def require(condition: bool, what: str) -> None:
    """Raise ``ProtocolViolation`` unless ``condition`` holds of what came in."""
    if not condition:
        raise ProtocolViolation(f"the worker's reply does not follow the protocol: {what}")


def may_be_key(key: Any) -> bool:
    """Whether a dict with this key may cross: a plain value, or a short tuple of such."""
    if isinstance(key, tuple):
        return len(key) <= MAX_KEY_PARTS and all(type(part) in PLAIN_KEYS for part in key)
    return type(key) in PLAIN_KEYS


def padding(size: int) -> int:
    """How many bytes follow a tensor of ``size`` bytes before the next one begins."""
    return -size % ALIGNMENT


# Letters and marks that nothing is seen of, though Unicode calls them printable.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_MARKS = {"\n": "⏎"}


def printable(text: str, limit: int, *, lines: bool = False) -> str:
    """Untrusted text made safe to show: one line, unless it may be several ``lines``, and no longer
    than ``limit``. What breaks lines, turns them round or is not seen becomes a mark.
    """
    kept = {"\n": "\n"} if lines else _MARKS
    clean = "".join(kept.get(c, c if _is_seen(c) else "\ufffd") for c in text[: limit + 1])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def _is_seen(character: str) -> bool:
    return character.isprintable() and character not in _UNSEEN
