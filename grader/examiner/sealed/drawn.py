"""Random numbers that need no room in a file, because whoever reads it draws them again.

They come out of the bits of Philox, of which numpy guarantees that they stay as they are, and of
what IEEE 754 prescribes to the last bit: whole numbers, a product and a sum. torch's own draws may
change with its version.

Source: Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float32]]

INPUTS, COTANGENTS = range(2)  # streams that have nothing in common
_PARTS = 12  # of 16 bits: their sum is nearly normal, and has exactly the variance of one part**2
_ONE = 1 << 16
_KEPT_BITS = 11  # of 23: distinct still, and what is made of them packs better
_DROPPED = (1 << (23 - _KEPT_BITS)) - 1


@dataclass(frozen=True)
class Law:
    """How numbers are drawn: ``normal`` with this ``scale`` and ``offset``, or ``uniform`` of this
    width, beginning at ``offset``; from which stream.
    """

    kind: str
    scale: float = 1.0
    offset: float = 0.0
    stream: int = INPUTS


def numbers_of(law: Law, end: int, start: int = 0) -> Numbers:
    """The numbers from ``start`` to ``end``, each with 12 significant bits."""
    unscaled = _UNSCALED[law.kind](_bits(law.stream, end)[start:])
    return cut((unscaled * law.scale + law.offset).astype(np.float32))


def cut(numbers: Numbers) -> Numbers:
    """Float32 towards zero, so that none leaves its interval."""
    return (numbers.view(np.int32) & ~_DROPPED).view(np.float32)


def _bits(stream: int, count: int) -> np.ndarray[Any, Any]:
    rounded = 1 << max(12, (count - 1).bit_length())  # so that few are kept
    return _all_bits(stream, rounded)[:count]


@lru_cache(maxsize=8)
def _all_bits(stream: int, count: int) -> np.ndarray[Any, Any]:
    raw = np.random.Philox(key=stream).random_raw(count * _PARTS // 4)
    parts: np.ndarray[Any, Any] = raw.astype("<u8").view("<u2").reshape(count, _PARTS)
    return parts


def _normal(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    sums: np.ndarray[Any, Any] = bits.sum(axis=1, dtype=np.int64)
    return (sums - _PARTS * (_ONE - 1) / 2) / _ONE


def _uniform(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return bits[:, 0] / _ONE


_UNSCALED: Mapping[str, Callable[..., np.ndarray[Any, Any]]] = {
    "normal": _normal,
    "uniform": _uniform,
}


def together(*drawn: Mapping[Law, int]) -> dict[Law, int]:
    """By law, how many numbers are drawn from its beginning on, if several draw so many."""
    laws = dict.fromkeys(law for one in drawn for law in one)
    return {law: max(one.get(law, 0) for one in drawn) for law in laws}
