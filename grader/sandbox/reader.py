"""What the grader sent -> values. A worker believes it: there is nothing to be checked, and little
time, for every call of a submission waits for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from grader.sandbox.protocol import (
    NUMPY_DTYPES,
    TORCH_DTYPES,
    Asked,
    Built,
    Generator,
    Leaf,
    Object,
    Refused,
    Result,
    padding,
)


class Reader:
    """The inverse of ``Encoder``, on the worker's side. What the grader reads, from anybody, is
    ``Decoder``'s.
    """

    def __init__(self, payload: memoryview) -> None:
        self.payload = payload
        self.taken = 0

    def read(self, tree: Any) -> Any:
        if type(tree) is not list:
            return tree
        kind, form = tree
        return self._READERS[kind](self, form)

    def _tensor(self, form: Any) -> torch.Tensor:
        dtype, shape, device = TORCH_DTYPES[form["dtype"]], form["shape"], form["device"]
        count = 0 if device == "meta" else math.prod(shape)
        if not count:
            return torch.empty(shape, dtype=dtype, device=device)
        raw = self._bytes(count * dtype.itemsize)
        tensor = torch.frombuffer(raw, dtype=dtype).view(shape)
        return tensor if device == "cpu" else tensor.to(device)

    def _array(self, form: Any) -> np.ndarray[Any, Any]:
        dtype, shape = NUMPY_DTYPES[form["dtype"]], form["shape"]
        raw = self._bytes(math.prod(shape) * dtype.itemsize)
        return np.frombuffer(raw, dtype).reshape(shape) if raw else np.empty(shape, dtype)

    def _bytes(self, size: int) -> bytearray:
        """The next tensor's bytes, for it alone."""
        start, end = self.taken, self.taken + size
        self.taken = end + padding(size)
        return bytearray(self.payload[start:end])

    def _leaf(self, form: Any) -> Leaf:
        value: Any = self.read(form.get("value"))
        if "strides" in form:
            value = value.as_strided(form["shape"], form["strides"])
        return Leaf(form["number"], value, form["requires_grad"])

    _READERS: dict[str, Callable[[Reader, Any], Any]] = {
        "leaf": _leaf,
        "list": lambda self, form: [self.read(item) for item in form],
        "tuple": lambda self, form: tuple(self.read(item) for item in form),
        "dict": lambda self, form: {self.read(k): self.read(v) for k, v in form},
        "tensor": _tensor,
        "array": _array,
        "dtype": lambda self, form: TORCH_DTYPES[form],
        "bytes": lambda self, form: bytes(self._bytes(form)),
        "device": lambda self, form: torch.device(form),
        "asked": lambda self, form: Asked(form),
        "built": lambda self, form: Built(*self.read(form)),
        "generator": lambda self, form: Generator(*form),
        "result": lambda self, form: Result(form[0], tuple(form[1])),
        "object": lambda self, form: Object(*form),
        "refused": lambda self, form: Refused(form),
    }
