"""What a wrong answer is recognised by, and cannot be computed back from: a form and few numbers.

A bank that is given away must not hold programs, so of each way to fail only this is left: a hash
over everything that is equal or is not (types, shapes, dtypes, words, whole numbers, where NaN and
infinities stand), and of floating tensors some elements and the sums of some stretches. Answers
that are alike number by number have fingerprints that are alike.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.programs.sketch import Fingerprint, Sketch, TooMuch, sketched, tolerance

_NUMBERS = 10  # elements of a tensor, and stretches of which the sum is kept
_TENSORS = 8  # of which so many are kept; of more in one answer fewer each


@dataclass(frozen=True)
class _Measured:
    """A number, and how far that of an answer that is alike may lie from it."""

    number: float
    room: float

    @property
    def short(self) -> float:
        """With no more digits than that room needs: a tenth of it is lost at most."""
        if not math.isfinite(self.room):
            return self.number
        return round(self.number, math.ceil(-math.log10(self.room / 5)))


def fingerprint(value: Any) -> Fingerprint:
    """That of an answer as evidence keeps it."""
    form, measured = _taken(value)
    return Fingerprint(form, tuple(one.short for one in measured))


def is_of(print_: Fingerprint, value: Any) -> bool:
    """Whether an answer as evidence keeps it is like the one that this was taken of."""
    form, measured = _taken(value)
    return form == print_.form and all(
        abs(one.number - number) <= one.room
        for one, number in zip(measured, print_.numbers, strict=True)
    )


def _taken(value: Any) -> tuple[str, list[_Measured]]:
    words: list[str] = []
    tensors: list[torch.Tensor] = []
    _walk(sketched(value), words, tensors)
    share = max(1, _NUMBERS * _TENSORS // max(len(tensors), _TENSORS))
    measured = [one for tensor in tensors for one in _measured(tensor, share)]
    digest = hashlib.sha256("\x1f".join([*words, str(len(measured))]).encode()).hexdigest()
    return digest[:16], measured


def _walk(value: Any, words: list[str], tensors: list[torch.Tensor]) -> None:
    """What must be equal goes into ``words``, what must be alike into ``tensors``."""
    if isinstance(value, Sketch):
        words.append(f"sketch {value.form} {value.special} {value.digest}")
        for part in (value.numbers, value.sums):
            _walk(part, words, tensors)
    elif isinstance(value, (list, tuple)):
        words.append(f"items {len(value)}")
        for item in value:
            _walk(item, words, tensors)
    elif isinstance(value, dict):
        words.append(f"keys {list(map(repr, value))}")
        for item in value.values():
            _walk(item, words, tensors)
    elif isinstance(value, np.ndarray):
        words.append("array")
        _walk(torch.from_numpy(value), words, tensors)
    elif isinstance(value, torch.Tensor):
        _walk_tensor(value, words, tensors)
    elif isinstance(value, float):
        words.append("float")
        _walk_tensor(torch.tensor(value, dtype=torch.float64), words, tensors)
    else:
        words.append("too much" if isinstance(value, TooMuch) else f"{type(value)} {value!r}")


def _walk_tensor(value: torch.Tensor, words: list[str], tensors: list[torch.Tensor]) -> None:
    words.append(f"{value.dtype} {tuple(value.shape)} {value.device}")
    if value.is_meta:
        return
    if not value.is_floating_point():
        words.append(_digest(value))
        return
    strange = value.isnan() * 1 + value.isposinf() * 2 + value.isneginf() * 3
    if strange.any():
        words.append(_digest(strange))
    tensors.append(value.masked_fill(strange != 0, 0.0))


def _digest(value: torch.Tensor) -> str:
    raw = value.detach().cpu().contiguous().numpy().tobytes()
    return hashlib.sha256(raw).hexdigest()


def _measured(tensor: torch.Tensor, share: int) -> Iterator[_Measured]:
    relative, absolute = tolerance(tensor.dtype)
    flat = tensor.detach().cpu().double().flatten()
    count = len(flat)
    for number in flat[_places(count, share)].tolist():
        yield _Measured(number, relative * abs(number) + absolute)
    if count > share:
        for part in flat.tensor_split(share):
            room = relative * float(part.abs().sum()) + absolute * len(part)
            yield _Measured(float(part.sum()), room)


def _places(count: int, share: int) -> list[int]:
    """Scattered elements, the same wherever it runs: Knuth's multiplicative hashing."""
    if count <= share:
        return list(range(count))
    return sorted({(place * 2_654_435_761 + 7) % count for place in range(1, share + 1)})
