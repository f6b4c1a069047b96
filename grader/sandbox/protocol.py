"""What may cross the wall: plain values and raw tensor bytes, never a pickle.

A value is a tree of plain ones, whose tensors lie in a payload of raw bytes. The trusted side
believes none of it: every dtype, shape and offset is checked before a byte is used, and whatever
does not fit is a ``ProtocolViolation``.

Both sides import this file; it holds nothing secret.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.errors import ProtocolViolation
from grader.sandbox.devices import DEVICES, is_here

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


class Encoder:
    """Values -> JSON-able tree and payload. Total: what has no form becomes ``Refused``."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
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
        data = value.detach().resolve_conj().resolve_neg().cpu().contiguous()
        raw = (
            data.reshape(-1).view(torch.uint8)
            if data.numel()
            else torch.empty(0, device="cpu").byte()
        )
        return ["tensor", form | {"offset": self._add(raw.numpy().tobytes())}]

    def _array(self, value: Any, depth: int) -> Any:
        array = np.asarray(value)
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
            return ["refused", type(value).__name__]
        if array.dtype.name not in NUMPY_DTYPES:
            return ["refused", f"an array of {array.dtype}"]
        form = {"dtype": array.dtype.name, "shape": list(array.shape)}
        return ["array", form | {"offset": self._add(array.tobytes())}]

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

    def _add(self, raw: bytes) -> int:
        offset = self.size
        padding = -len(raw) % 16
        self.chunks.append(raw + b"\0" * padding)
        self.size += len(raw) + padding
        return offset

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


class Decoder:
    """The inverse, for bytes from anybody: raises ``ProtocolViolation`` and nothing else.

    ``inputs`` is True on the worker's side only, where inputs arrive; a worker may not send them.
    """

    def __init__(self, payload: bytearray, *, inputs: bool = False) -> None:
        self.payload = payload
        self.inputs = inputs

    def decode(self, tree: Any, depth: int = 0) -> Any:
        if tree is None or type(tree) in (bool, int, float, str):
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
        if kind == "leaf" and self.inputs:
            return self._leaf(form, depth)
        if kind == "built" and self.inputs:
            return Built(*self.decode(form, depth + 1))
        reader = self._READERS.get(kind)
        require(reader is not None, f"a value of unknown kind {kind[:40]!r}")
        assert reader is not None
        return reader(self, form)

    def _dict(self, form: Any, depth: int) -> dict[Any, Any]:
        require(type(form) is list, "a dict that is none")
        require(all(type(pair) is list and len(pair) == 2 for pair in form), "a dict of no pairs")
        pairs = [(self.decode(k, depth + 1), self.decode(v, depth + 1)) for k, v in form]
        require(
            all(k is None or type(k) in (bool, int, float, str) for k, _ in pairs), "a dict key"
        )
        return dict(pairs)

    def _tensor(self, form: Any) -> torch.Tensor:
        dtype, shape = _checked_form(form, TORCH_DTYPES)
        device = form.get("device")
        require(device in DEVICES, "a device")
        if device == "meta":
            return torch.empty(shape, dtype=dtype, device="meta")
        require(is_here(device), "a device that is not here")
        raw = self._bytes(form, shape, dtype.itemsize)
        if not raw:
            return torch.empty(shape, dtype=dtype, device=device)
        if dtype is torch.bool:
            return torch.frombuffer(raw, dtype=torch.uint8).ne(0).view(shape).to(device)
        return torch.frombuffer(raw, dtype=dtype).view(shape).to(device)

    def _array(self, form: Any) -> np.ndarray[Any, Any]:
        dtype, shape = _checked_form(form, NUMPY_DTYPES)
        raw = self._bytes(form, shape, dtype.itemsize)
        array = np.frombuffer(raw, dtype=np.uint8 if dtype == np.bool_ else dtype)
        return np.array(array != 0 if dtype == np.bool_ else array).reshape(shape)

    def _bytes(self, form: Any, shape: list[int], itemsize: int) -> bytearray:
        size, offset = math.prod(shape) * itemsize, form.get("offset")
        require(type(offset) is int and offset >= 0, "an offset")
        require(offset + size <= len(self.payload), "bytes that were not sent")
        return self.payload[offset : offset + size]

    def _leaf(self, form: Any, depth: int) -> Leaf:
        value: Any = self.decode(form["value"], depth + 1) if "value" in form else None
        if "strides" in form:
            value = value.as_strided(form["shape"], form["strides"])
        return Leaf(form["number"], value, form["requires_grad"])

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
    require(all(type(n) is int and 0 <= n < 1 << 31 for n in shape), "a size")
    require(math.prod(max(n, 1) for n in shape) < 1 << 40, "a tensor that large")
    return dtypes[dtype], shape


def require(condition: bool, what: str) -> None:
    """Raise ``ProtocolViolation`` unless ``condition`` holds of what came in."""
    if not condition:
        raise ProtocolViolation(f"the worker's reply does not follow the protocol: {what}")


def printable(text: str, limit: int) -> str:
    """Untrusted text made safe to show: control characters replaced, length capped."""
    clean = "".join(c if c.isprintable() or c == "\n" else "�" for c in text[: limit + 1])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
