"""Values as Python text that gives the very same values."""

from __future__ import annotations

import base64
import math
import textwrap
import zlib
from typing import Any

import numpy as np
import torch

_MOST_SPELLED = 64  # numbers; of more, nobody reads them one by one
_WIDTH = 92


def literal(value: Any) -> str:
    """A tensor, an array or a plain value."""
    if isinstance(value, np.ndarray):
        return f"{literal(torch.from_numpy(value))}.numpy()"
    if isinstance(value, torch.Tensor):
        return _tensor(value.detach())
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {literal(item)}' for key, item in value.items())}}}"
    return repr(value)


def _tensor(value: torch.Tensor) -> str:
    shape, device = tuple(value.shape), value.device.type
    if device == "meta":
        return f'torch.empty({shape}, dtype={value.dtype}, device="meta")'
    moved = "" if device == "cpu" else f".to({device!r})"
    value = value.cpu()
    if value.is_contiguous() or not value.numel():
        return f"{_dense(value)}{moved}"
    reach = 1 + sum((n - 1) * s for n, s in zip(shape, value.stride(), strict=True))
    memory = value.as_strided((reach,), (1,))
    return f"{_dense(memory)}{moved}.as_strided({shape}, {value.stride()})"


def _dense(value: torch.Tensor) -> str:
    if value.numel() <= _MOST_SPELLED:
        text = f"torch.tensor({_spelled(value)}, dtype={value.dtype})"
        return text if value.numel() else f"{text}.reshape({tuple(value.shape)})"
    raw = value.contiguous().flatten().view(torch.uint8).numpy().tobytes()
    data = base64.b85encode(zlib.compress(raw, 9)).decode()
    lines = "\n".join(f"    {part!r}" for part in textwrap.wrap(data, _WIDTH))
    return f"packed({value.dtype}, {tuple(value.shape)},\n{lines})"


def _spelled(value: torch.Tensor, depth: int = 1) -> str:
    if value.ndim == 0:
        return _number(value.item(), value.dtype)
    parts = [_spelled(item, depth + 1) for item in value]
    one = f"[{', '.join(parts)}]"
    if len(one) <= _WIDTH or value.ndim == 1:
        return one
    between = ",\n" + "    " * depth
    return f"[{between.join(parts)}]"


def _number(value: Any, dtype: torch.dtype = torch.float64) -> str:
    """``inf`` and ``nan`` are names in a script; of a float32 the fewest digits that tell it."""
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    short = str(np.float32(value)) if dtype is torch.float32 else repr(value)
    return short if torch.tensor(float(short), dtype=dtype).item() == value else repr(value)
