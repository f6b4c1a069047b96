"""Recorded checks <-> a file: a tree of plain values beside raw numbers, and nothing that runs.

Only the records listed here are read, and only tensors of the dtypes that may cross a worker's
wall: a file from anybody makes no code.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

import numpy as np
import torch

from grader.errors import SuiteError
from grader.examiner.sealed.drawn import Law, numbers_of
from grader.examiner.sealed.right import Exactly, Near, NearNumber, Right, Unjudged
from grader.examiner.sealed.script import (
    Attempt,
    Compared,
    Decision,
    Given,
    Input,
    Path,
    Recording,
    Refusals,
    Script,
    Step,
)
from grader.model import Check
from grader.programs.bank import Entry
from grader.programs.draw import SeededGenerator
from grader.programs.failure import Evidence
from grader.programs.proxy import TorchModule
from grader.programs.sketch import Fingerprint, TooMuch
from grader.sandbox.protocol import NUMPY_DTYPES, TORCH_DTYPES

_RECORDS: dict[str, type] = {
    one.__name__: one
    for one in (
        Attempt, Check, Compared, Decision, Entry, Evidence, Exactly, Fingerprint, Given, Input,
        Near, NearNumber, Path, Recording, Refusals, Right, Script, SeededGenerator, Step, TooMuch,
        TorchModule, Unjudged,
    )
}  # fmt: skip
# A byte of a number tells little of the next one, or of where it lies: 2 in 100 fewer so.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]
_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


def written(value: Any, drawn: Mapping[Law, int] | None = None) -> bytes:
    """A value as the bytes of a file; the same of equal values. What was ``drawn``, so many numbers
    by each law, takes no room. Raises ``TypeError`` for what has no form there.
    """
    laws = [[*astuple(law), count] for law, count in (drawn or {}).items()]
    writer = _Writer(_drawn(laws))
    form = [laws, writer.form(value)]
    tree = json.dumps(form, separators=(",", ":"), ensure_ascii=False).encode()
    whole = len(tree).to_bytes(8, "big") + tree + in_planes(writer.numbers)
    return lzma.compress(whole, filters=_FILTERS)


def read(raw: bytes) -> Any:
    """The inverse; raises ``SuiteError`` for bytes that were not written so."""
    try:
        whole = lzma.decompress(raw)
        end = 8 + int.from_bytes(whole[:8], "big")
        laws, form = json.loads(whole[8:end])
        return _Reader(_drawn(laws) + _out_of_planes(whole[end:])).value(form)
    except Exception as error:  # whatever a damaged file makes of it
        raise SuiteError(f"it is damaged ({type(error).__name__})") from None


def _drawn(laws: Sequence[Sequence[Any]]) -> bytes:
    """The numbers that the others follow in a writer's and a reader's memory."""
    return b"".join(numbers_of(Law(*law), count).tobytes() for *law, count in laws)


_PLANES = 4  # bytes of a float32, of which most numbers are
_LEAST_FOUND = 4 * _PLANES  # bytes: fewer take less room than saying where they stand


def in_planes(numbers: bytearray) -> bytes:
    """All first bytes of four, then all second ones, and so on: exponents resemble one another."""
    whole = bytes(numbers) + bytes(-len(numbers) % _PLANES)
    return np.frombuffer(whole, np.uint8).reshape(-1, _PLANES).T.tobytes()


def _out_of_planes(raw: bytes) -> bytes:
    return np.frombuffer(raw, np.uint8).reshape(_PLANES, -1).T.tobytes()


class _Writer:
    """Equal numbers are written once, and those that were ``drawn`` never."""

    def __init__(self, drawn: bytes) -> None:
        self.numbers = bytearray()
        self._drawn = drawn
        self._places: dict[bytes, int] = {}

    def form(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) in (list, tuple, set, frozenset):
            return [type(value).__name__, *map(self.form, value)]
        if isinstance(value, Mapping):
            return ["dict", *([self.form(k), self.form(v)] for k, v in value.items())]
        if isinstance(value, torch.Tensor):
            return ["tensor", *self._tensor(value)]
        if isinstance(value, np.ndarray):
            return ["array", value.dtype.name, list(value.shape), self._at(value.tobytes())]
        if isinstance(value, bytes):
            return ["bytes", value.hex()]
        if isinstance(value, torch.dtype):
            return ["dtype", _NAMES[value]]
        if isinstance(value, torch.device):
            return ["device", str(value)]
        if isinstance(value, slice):
            return ["slice", *map(self.form, (value.start, value.stop, value.step))]
        if value is ...:
            return ["..."]
        return self._record(value)

    def _record(self, value: Any) -> Any:
        kind: Any = type(value)
        name = kind.__name__
        if _RECORDS.get(name) is not kind:
            raise TypeError(f"{name} has no form in a file")
        parts = () if kind is TooMuch else fields(value)
        return [name, *(self.form(getattr(value, part.name)) for part in parts)]

    def _tensor(self, value: torch.Tensor) -> list[Any]:
        """The dtype, that in which its numbers are kept, the shape, where they begin, whether a
        gradient is wanted; and of one that does not lie in order the order of its axes and which of
        them are expanded.
        """
        name, shape = _NAMES[value.dtype], list(value.shape)
        if value.is_meta:
            return [name, name, shape, None, value.requires_grad]
        strides = value.stride()
        expanded = [axis for axis, n in enumerate(value.shape) if n > 1 and strides[axis] == 0]
        one = value.detach()
        for axis in expanded:
            one = one.narrow(axis, 0, 1)
        order = sorted(range(value.ndim), key=lambda axis: -strides[axis])
        if value.is_contiguous():
            expanded, order = [], list(range(value.ndim))
        raw = _narrow(one.permute(order).contiguous())
        kept = _NAMES[raw.dtype]
        raw = raw.view(torch.int16) if raw.dtype is torch.bfloat16 else raw
        form = [name, kept, shape, self._at(raw.numpy().tobytes()), value.requires_grad]
        plain = order == list(range(value.ndim)) and not expanded
        return form if plain else [*form, order, expanded]

    def _at(self, raw: bytes) -> int:
        if raw not in self._places:
            found = _found(raw, self._drawn) if len(raw) >= _LEAST_FOUND else -1
            self._places[raw] = len(self._drawn) + len(self.numbers) if found < 0 else found
            self.numbers += raw + bytes(-len(raw) % _PLANES) if found < 0 else b""
        return self._places[raw]


def _narrow(numbers: torch.Tensor) -> torch.Tensor:
    """Float64 as float32, where that holds it."""
    single = numbers.float() if numbers.dtype is torch.float64 else numbers
    return single if torch.equal(single.to(numbers.dtype), numbers) else numbers


def _found(raw: bytes, numbers: bytes) -> int:
    """Where it stands among some numbers, or -1: it begins where one of them does."""
    place = numbers.find(raw)
    while place % _PLANES and place >= 0:
        place = numbers.find(raw, place + 1)
    return place


class _Reader:
    def __init__(self, numbers: bytes) -> None:
        self._numbers = numbers

    def value(self, form: Any) -> Any:
        if type(form) is not list:
            return form
        kind, *parts = form
        if kind in _RECORDS:
            names = () if kind == TooMuch.__name__ else [f.name for f in fields(_RECORDS[kind])]
            values = map(self.value, parts)
            return _RECORDS[kind](**dict(zip(names, values, strict=True)))
        return _READS[kind](self, *parts)

    def _items(self, *parts: Any) -> list[Any]:
        return [self.value(part) for part in parts]

    def _tensor(
        self, dtype: str, kept: str, shape: list[int], at: int | None, grad: bool,
        order: list[int] | None = None, expanded: list[int] | None = None,
    ) -> torch.Tensor:  # fmt: skip
        kind = TORCH_DTYPES[kept]
        if at is None:
            return torch.empty(shape, dtype=kind, device="meta", requires_grad=grad)
        order = list(range(len(shape))) if order is None else order
        sizes = [1 if axis in (expanded or ()) else n for axis, n in enumerate(shape)]
        count = int(np.prod(sizes, dtype=np.int64))
        raw = bytearray(self._numbers[at : at + count * kind.itemsize])
        flat = torch.frombuffer(raw, dtype=kind) if count else torch.empty(0, dtype=kind)
        tensor = flat.to(TORCH_DTYPES[dtype]).view([sizes[axis] for axis in order])
        back = sorted(range(len(order)), key=lambda place: order[place])
        return tensor.permute(back).expand(shape).requires_grad_(grad)

    def _array(self, dtype: str, shape: list[int], at: int) -> np.ndarray[Any, Any]:
        kind = NUMPY_DTYPES[dtype]
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self._numbers, kind, count, at).reshape(shape).copy()


_READS: Mapping[str, Callable[..., Any]] = {
    "list": _Reader._items,
    "tuple": lambda reader, *parts: tuple(reader._items(*parts)),
    "set": lambda reader, *parts: set(reader._items(*parts)),
    "frozenset": lambda reader, *parts: frozenset(reader._items(*parts)),
    "dict": lambda reader, *parts: {reader.value(k): reader.value(v) for k, v in parts},
    "tensor": _Reader._tensor,
    "array": _Reader._array,
    "bytes": lambda reader, digits: bytes.fromhex(digits),
    "dtype": lambda reader, name: TORCH_DTYPES[name],
    "device": lambda reader, name: torch.device(name),
    "slice": lambda reader, *parts: slice(*parts),
    "...": lambda reader: ...,
}
