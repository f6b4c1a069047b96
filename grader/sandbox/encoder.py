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
    Built,
    Generator,
    Leaf,
    Object,
    Refused,
    Result,
    padding,
)


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
        for kind, form in self._FORMS:
            if isinstance(value, kind):
                return form(self, value, depth)
        return ["refused", type(value).__name__]

    def _tensor(self, value: torch.Tensor, depth: int) -> Any:
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            return ["refused", type(value).__name__]
        name = str(value.dtype).removeprefix("torch.")
        if name not in TORCH_DTYPES or value.layout is not torch.strided:
            return ["refused", f"a tensor of {value.dtype} and {value.layout}"]
        form = {"dtype": name, "shape": list(value.shape), "device": str(value.device)}
        if value.device.type == "meta":
            return ["tensor", form]
        self._allow(self.size + value.numel() * value.itemsize <= MAX_PAYLOAD_BYTES)
        data = value.detach().resolve_conj().resolve_neg().cpu().contiguous()
        raw = (
            data.reshape(-1).view(torch.uint8)
            if data.numel()
            else torch.empty(0, device="cpu").byte()
        )
        self._add(raw.numpy().tobytes())
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

    def _sequence(self, value: Any, depth: int) -> Any:
        kind = "tuple" if isinstance(value, tuple) else "list"
        return [kind, [self.encode(item, depth + 1) for item in value]]

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        items = [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in value.items()]
        return ["dict", items]

    def _leaf(self, leaf: Leaf, depth: int) -> Any:
        form: dict[str, Any] = {"number": leaf.number, "requires_grad": leaf.requires_grad}
        if isinstance(leaf.value, torch.Tensor):
            form |= _storage_form(leaf.value)
            leaf = Leaf(leaf.number, _whole_storage(leaf.value))
        if leaf.value is not None:
            form["value"] = self.encode(leaf.value, depth + 1)
        return ["leaf", form]

    def _add(self, raw: bytes) -> None:
        """Into the payload, where every tensor has bytes of its own."""
        self.chunks += raw, bytes(padding(len(raw)))
        self.size += len(raw) + padding(len(raw))

    def _allow(self, fits: bool) -> None:
        if self.bounded and not fits:
            raise AnswerTooLarge

    _FORMS: list[tuple[type | tuple[type, ...], Callable[[Encoder, Any, int], Any]]] = [
        (torch.Tensor, _tensor),
        ((np.ndarray, np.generic), _array),
        ((tuple, list), _sequence),
        (dict, _dict),
        (Leaf, _leaf),
        (Built, lambda self, v, depth: ["built", self.encode(_fields(v), depth + 1)]),
        (Generator, lambda self, v, depth: ["generator", [v.number, v.seed, v.device]]),
        (Result, lambda self, v, depth: ["result", [v.number, list(v.path)]]),
        (Object, lambda self, v, depth: ["object", [v.number, v.type_name]]),
        (Refused, lambda self, v, depth: ["refused", v.type_name]),
        (torch.dtype, lambda self, v, depth: ["dtype", str(v).removeprefix("torch.")]),
        (torch.device, lambda self, v, depth: ["device", str(v)]),
    ]


def _fields(built: Built) -> tuple[Any, ...]:
    return built.number, built.type_name, built.args, built.weights, built.device


def _whole_storage(tensor: torch.Tensor) -> torch.Tensor:
    """The stretch of memory a strided tensor looks into, as a flat tensor."""
    if tensor.device.type == "meta" or tensor.is_contiguous():
        return tensor.detach()
    reach = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.detach().as_strided((reach + 1,), (1,))


def _storage_form(tensor: torch.Tensor) -> dict[str, Any]:
    """Shape and strides, when they are not those of a contiguous tensor."""
    if tensor.device.type == "meta" or tensor.is_contiguous():
        return {}
    return {"shape": list(tensor.shape), "strides": list(tensor.stride())}
