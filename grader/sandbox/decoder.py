"""What came across the wall -> values. Nothing of it is believed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from grader.errors import DeadlinePassed, ProtocolViolation
from grader.sandbox.deadline import Deadline
from grader.sandbox.devices import DEVICES, is_here
from grader.sandbox.protocol import (
    MAX_AXES,
    MAX_DEPTH,
    MAX_PLAIN_KEYS,
    MAX_VALUES,
    NUMPY_DTYPES,
    TORCH_DTYPES,
    Generator,
    Object,
    Refused,
    Result,
    may_be_key,
    padding,
    printable,
    require,
)

_PLAIN = frozenset((bool, int, float, str))
_VALUES_AT_ONCE = 16  # are read between two looks at the deadline; a large tensor is 32 MiB


class Decoder:
    """The inverse, for bytes from anybody: raises ``ProtocolViolation``, or ``DeadlinePassed`` when
    that is over before all is read, and nothing else.

    The payload is handed out in order and each byte once, so what is made of a frame is hardly
    larger than the frame. What only a grader sends, as inputs, has no form here.
    """

    def __init__(self, payload: memoryview, *, deadline: Deadline | None = None) -> None:
        self.payload = payload
        self.deadline = deadline
        self.used = 0
        self.values = 0

    def finish(self) -> None:
        """To be called when all is decoded: no byte may be left over."""
        require(self.used == len(self.payload), "bytes that belong to no value")

    def decode(self, tree: Any, depth: int = 0) -> Any:
        self._count()
        if tree is None or type(tree) in _PLAIN:
            return tree
        require(depth <= MAX_DEPTH, "a value nested too deeply")
        require(type(tree) is list and len(tree) == 2, "a value of no known form")
        kind, form = tree
        require(type(kind) is str, "a value of no known kind")
        if kind in ("list", "tuple"):
            require(type(form) is list, "a sequence that is none")
            items = [self.decode(item, depth + 1) for item in form]
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            return self._dict(form, depth)
        reader = self._READERS.get(kind)
        require(reader is not None, f"a value of unknown kind {kind[:40]!r}")
        assert reader is not None
        return reader(self, form)

    def _dict(self, form: Any, depth: int) -> dict[Any, Any]:
        require(type(form) is list, "a dict that is none")
        require(all(type(pair) is list and len(pair) == 2 for pair in form), "a dict of no pairs")
        pairs = [(self.decode(k, depth + 1), self.decode(v, depth + 1)) for k, v in form]
        require(all(may_be_key(key) for key, _ in pairs), "a dict key")
        others = sum(type(key) is not str for key, _ in pairs)
        require(others <= MAX_PLAIN_KEYS, "a dict of so many numbers")
        return dict(pairs)

    def _tensor(self, form: Any) -> torch.Tensor:
        dtype, shape = _checked_form(form, TORCH_DTYPES)
        device = form.get("device")
        require(device in DEVICES, "a device")
        if device == "meta":
            return torch.empty(shape, dtype=dtype, device="meta")
        require(is_here(device), "a device that is not here")
        raw = self._taken(math.prod(shape) * dtype.itemsize)
        if not raw:
            return torch.empty(shape, dtype=dtype, device=device)
        if dtype is torch.bool:
            tensor = torch.frombuffer(raw, dtype=torch.uint8).ne(0).view(shape)
        else:
            tensor = torch.frombuffer(raw, dtype=dtype).view(shape)
        return tensor if device == "cpu" else tensor.to(device)

    def _array(self, form: Any) -> np.ndarray[Any, Any]:
        dtype, shape = _checked_form(form, NUMPY_DTYPES)
        raw = self._taken(math.prod(shape) * dtype.itemsize)
        array = np.frombuffer(raw, dtype=np.uint8 if dtype == np.bool_ else dtype)
        return np.array(array != 0 if dtype == np.bool_ else array).reshape(shape)

    def _count(self) -> None:
        """One value more: there may be so many, until the deadline."""
        self.values += 1
        require(self.values <= MAX_VALUES, "so many values")
        deadline = None if self.values % _VALUES_AT_ONCE else self.deadline
        if deadline is not None and deadline.left() <= 0:
            raise DeadlinePassed("the worker's reply was not read in time")

    def _bytes(self, form: Any) -> bytes:
        require(type(form) is int and 0 <= form < 1 << 31, "a size")
        return bytes(self._taken(form))

    def _taken(self, size: int) -> bytearray:
        """The next ``size`` bytes of the payload, for one value alone."""
        start, end = self.used, self.used + size
        require(end + padding(size) <= len(self.payload), "bytes that were not sent")
        self.used = end + padding(size)
        return bytearray(self.payload[start:end])

    def _dtype(self, form: Any) -> torch.dtype:
        require(type(form) is str and form in TORCH_DTYPES, "a dtype")
        return TORCH_DTYPES[form]

    def _device(self, form: Any) -> torch.device:
        require(type(form) is str and len(form) < 16, "a device")
        try:
            return torch.device(form)
        except RuntimeError:
            raise ProtocolViolation("the worker's reply holds an unknown device") from None

    def _generator(self, form: Any) -> Generator:
        require(type(form) is list and len(form) == 3, "a generator")
        require(form[2] in DEVICES or f"{form[2]}:0" in DEVICES, "a device")
        return Generator(*self._pair(form[:2], int), device=form[2])

    def _pair(self, form: Any, second: type) -> tuple[int, Any]:
        require(type(form) is list and len(form) == 2, "a pair")
        require(type(form[0]) is int and type(form[1]) is second, "a pair of other types")
        return form[0], form[1]

    def _text(self, form: Any) -> str:
        require(type(form) is str, "a name")
        return printable(form, 100)

    _READERS: dict[str, Callable[[Decoder, Any], Any]] = {
        "tensor": _tensor,
        "array": _array,
        "bytes": _bytes,
        "dtype": _dtype,
        "device": _device,
        "refused": lambda self, form: Refused(self._text(form)),
        "object": lambda self, form: Object(
            self._pair(form, str)[0], printable(self._pair(form, str)[1], 100)
        ),
        "generator": _generator,
        "result": lambda self, form: Result(
            self._pair(form, list)[0], tuple(self._pair(form, list)[1])
        ),
    }


def _checked_form(form: Any, dtypes: dict[str, Any]) -> tuple[Any, list[int]]:
    require(type(form) is dict, "a tensor without a description")
    dtype, shape = form.get("dtype"), form.get("shape")
    require(type(dtype) is str and dtype in dtypes, "a dtype")
    require(type(shape) is list and len(shape) <= MAX_AXES, "a shape")
    require(all(type(size) is int and 0 <= size < 1 << 31 for size in shape), "a size")
    require(math.prod(max(n, 1) for n in shape) < 1 << 40, "a tensor that large")
    return dtypes[dtype], shape
