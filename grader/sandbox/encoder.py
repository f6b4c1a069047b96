"""Values -> what crosses the wall: a tree of plain values, and a payload of raw bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from grader.errors import AnswerTooLarge
from grader.sandbox.protocol import (
    MAX_DEPTH,
    MAX_PAYLOAD_BYTES,
    MAX_VALUES,
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

Form = Callable[["Encoder", Any, int], Any]
_NAMES = {dtype: name for name, dtype in TORCH_DTYPES.items()}


class Encoder:
    """Values -> JSON-able tree and payload. Total: what has no form becomes ``Refused``.

    With ``bounded``, raises ``AnswerTooLarge`` before it makes more than may come back.
    """

    def __init__(self, *, bounded: bool = False) -> None:
        self.chunks: list[bytes] = []
        self.size = 0
        self.values = 0
        self.bounded = bounded

    def encode(self, value: Any, depth: int = 0) -> Any:
        self.values += 1
        self._allow(self.values <= MAX_VALUES)
        if value is None or type(value) in (bool, int, float, str):
            return value
        if depth >= MAX_DEPTH:
            return ["refused", "a value nested too deeply"]
        form = self._FORMS.get(type(value)) or self._form_of_kin(value)
        return form(self, value, depth) if form else ["refused", type(value).__name__]

    def _form_of_kin(self, value: Any) -> Form | None:
        """That of the first type which the value is a kind of: a namedtuple is a tuple."""
        return next((form for kind, form in self._FORMS.items() if isinstance(value, kind)), None)

    def _tensor(self, value: torch.Tensor, depth: int) -> Any:
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            return ["refused", type(value).__name__]
        name, device = _NAMES.get(value.dtype), value.device
        if name is None or value.layout is not torch.strided:
            return ["refused", f"a tensor of {value.dtype} and {value.layout}"]
        form = {"dtype": name, "shape": list(value.shape), "device": str(device)}
        if device.type != "meta":
            self._allow(self.size + value.numel() * value.itemsize <= MAX_PAYLOAD_BYTES)
            self._add(_raw(value.detach()))
        return ["tensor", form]

    def _array(self, value: Any, depth: int) -> Any:
        array = np.asarray(value)
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            return ["refused", type(value).__name__]
        if array.dtype.name not in NUMPY_DTYPES:
            return ["refused", f"an array of {array.dtype}"]
        self._allow(self.size + array.nbytes <= MAX_PAYLOAD_BYTES)
        self._add(array.tobytes())
        return ["array", {"dtype": array.dtype.name, "shape": list(array.shape)}]

    def _bytes(self, value: bytes, depth: int) -> Any:
        self._allow(self.size + len(value) <= MAX_PAYLOAD_BYTES)
        self._add(bytes(value))
        return ["bytes", len(value)]

    def _sequence(self, value: Any, depth: int) -> Any:
        kind = "tuple" if isinstance(value, tuple) else "list"
        return [kind, [self.encode(item, depth + 1) for item in value]]

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        items = [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]
        return ["dict", items]

    def _leaf(self, leaf: Leaf, depth: int) -> Any:
        form: dict[str, Any] = {"number": leaf.number, "requires_grad": leaf.requires_grad}
        value = leaf.value
        if isinstance(value, torch.Tensor) and not _lies_in_order(value):
            form |= {"shape": list(value.shape), "strides": list(value.stride())}
            value = _whole_storage(value)
        if value is not None:
            form["value"] = self.encode(value, depth + 1)
        return ["leaf", form]

    def _add(self, raw: bytes) -> None:
        """Into the payload, where every tensor has bytes of its own."""
        self.chunks += raw, bytes(padding(len(raw)))
        self.size += len(raw) + padding(len(raw))

    def _allow(self, fits: bool) -> None:
        if self.bounded and not fits:
            raise AnswerTooLarge

    _FORMS: dict[type, Form] = {
        torch.Tensor: _tensor,
        torch.nn.Parameter: _tensor,
        np.ndarray: _array,
        np.generic: _array,
        bytes: _bytes,
        tuple: _sequence,
        list: _sequence,
        dict: _dict,
        Leaf: _leaf,
        Asked: lambda self, v, depth: ["asked", v.number],
        Built: lambda self, v, depth: ["built", self.encode(_fields(v), depth + 1)],
        Generator: lambda self, v, depth: ["generator", [v.number, v.seed, v.device]],
        Result: lambda self, v, depth: ["result", [v.number, list(v.path)]],
        Object: lambda self, v, depth: ["object", [v.number, v.type_name]],
        Refused: lambda self, v, depth: ["refused", v.type_name],
        torch.dtype: lambda self, v, depth: ["dtype", str(v).removeprefix("torch.")],
        torch.device: lambda self, v, depth: ["device", str(v)],
    }


def _fields(built: Built) -> tuple[Any, ...]:
    return built.number, built.type_name, built.args, built.weights, built.device


def _raw(tensor: torch.Tensor) -> bytes:
    """A tensor's numbers in order; of bfloat16, which numpy does not know, the two bytes."""
    if tensor.device.type != "cpu" or tensor.is_neg():
        tensor = tensor.cpu().resolve_neg()
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.contiguous().view(torch.int16)
    return tensor.numpy().tobytes()


def _lies_in_order(tensor: torch.Tensor) -> bool:
    return tensor.is_contiguous() or tensor.device.type == "meta"


def _whole_storage(tensor: torch.Tensor) -> torch.Tensor:
    """The stretch of memory a strided tensor looks into, as a flat tensor."""
    reach = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.detach().as_strided((reach + 1,), (1,))
