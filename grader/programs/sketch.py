"""A bounded likeness of a value, kept when the value itself may go.

What a failure looked like is compared, up to rounding, with how misconceptions fail. A large tensor
is compared by its form, by some of its numbers, and by sums over all of them: two tensors that are
alike number by number are alike here too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

MAX_WHOLE = 1 << 12  # numbers: a tensor up to that size is kept as it is
MAX_NUMBERS = 1 << 16  # in all that is kept of one value: 0.5 MiB in float64
MAX_PARTS = 1 << 12
MAX_TEXT = 2000
_BLOCKS = 64
_LOW = (torch.float16, torch.bfloat16)
_PLAIN = (bool, int, float, type(None), torch.dtype, torch.device)


class TooMuch:
    """Stands for a value of more parts than are kept; it is like no other."""


@dataclass(frozen=True)
class Sort:
    """Stands for a value that cannot be compared, such as a module, by the name of its type."""

    name: str


@dataclass(frozen=True)
class Fingerprint:
    """What is left of an answer in a bank that is given away; ``fingerprint.py`` takes it."""

    form: str
    numbers: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sketch:
    """A large tensor: some ``numbers`` of it; the ``sums`` and ``sizes`` (sums of the absolute
    values) of its parts; how many numbers are ``special``, NaN or infinite. Of whole numbers, which
    are alike only if they are equal, a ``digest``.
    """

    form: tuple[Any, ...]
    numbers: torch.Tensor
    sums: torch.Tensor
    sizes: torch.Tensor
    special: tuple[int, ...]
    digest: str = ""

    def is_like(self, other: Sketch) -> bool:
        """Whether the two tensors may be alike number by number."""
        if (self.form, self.special, self.digest) != (other.form, other.special, other.digest):
            return False
        if not close(self.numbers, other.numbers):
            return False
        relative, absolute = tolerance(self.numbers.dtype)
        *_, count = self.form
        room = relative * torch.maximum(self.sizes, other.sizes) + absolute * (count // _BLOCKS + 1)
        apart = (self.sums - other.sums).abs()
        return bool(((apart <= room) | room.isinf()).all())


def tolerance(dtype: torch.dtype) -> tuple[float, float]:
    """Relative and absolute, within which two answers of one method agree."""
    relative = 2e-2 if dtype in _LOW else 1e-4
    return relative, relative / 10


def close(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal up to rounding, number by number; NaN equals NaN."""
    if not one.is_floating_point():
        return torch.equal(one, other)
    relative, absolute = tolerance(one.dtype)
    return torch.allclose(
        one.double(), other.double(), rtol=relative, atol=absolute, equal_nan=True
    )


def sketched(value: Any) -> Any:
    """Something of bounded size that can be compared in the value's place."""
    sketcher = _Sketcher()
    kept = sketcher.kept(value)
    return TooMuch() if sketcher.is_over else kept


class _Sketcher:
    """Counts what it keeps."""

    def __init__(self) -> None:
        self.parts = self.numbers = 0

    @property
    def is_over(self) -> bool:
        return self.numbers > MAX_NUMBERS or self.parts > MAX_PARTS

    def kept(self, value: Any) -> Any:
        self.parts += 1
        if self.is_over:
            return None
        match value:
            case str() | bytes():
                return value[:MAX_TEXT]
            case list() | tuple():
                return [self.kept(item) for item in value[: MAX_PARTS + 1]]
            case dict():
                items = list(value.items())[: MAX_PARTS + 1]
                return {self._key(key): self.kept(item) for key, item in items}
            case torch.Tensor() | np.ndarray():
                return self._tensor(value)
        known = isinstance(value, (*_PLAIN, Sketch, TooMuch, Sort, Fingerprint))
        return value if known else Sort(type(value).__name__)

    def _key(self, key: Any) -> Any:
        """A tuple stays one: a list is no key."""
        kept = self.kept(key)
        return tuple(kept) if isinstance(kept, list) else kept

    def _tensor(self, value: torch.Tensor | np.ndarray[Any, Any]) -> Any:
        if isinstance(value, torch.Tensor) and value.device.type == "meta":
            return value
        tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(value)
        self.numbers += min(tensor.numel(), MAX_WHOLE)
        if tensor.numel() > MAX_WHOLE:
            return _sketch(tensor, type(value).__name__)
        return value.detach().clone() if isinstance(value, torch.Tensor) else value.copy()


def _sketch(tensor: torch.Tensor, kind: str) -> Sketch:
    flat = tensor.detach().cpu().contiguous().view(-1)
    form = (kind, str(tensor.device), tensor.dtype, tuple(tensor.shape), len(flat))
    chosen = torch.randint(len(flat), (MAX_WHOLE,), generator=torch.Generator().manual_seed(0))
    if not flat.is_floating_point():
        digest = hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()
        return Sketch(form, flat[chosen], torch.zeros(0), torch.zeros(0), (), digest)
    special = tuple(int(s.sum()) for s in (flat.isnan(), flat.isposinf(), flat.isneginf()))
    finite = flat.masked_fill(~flat.isfinite(), 0.0)
    blocks = [block.double() for block in finite.tensor_split(_BLOCKS)]
    sums, sizes = [b.sum() for b in blocks], [b.abs().sum() for b in blocks]
    return Sketch(form, flat[chosen], torch.stack(sums), torch.stack(sizes), special)
