"""Inputs as an engine hands them to its module, and whether they are still the same afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

# Bound before a submission can rebind it.
_equal = torch.equal


def received(value: Any, dtype: torch.dtype | None = None, *, nudge: int = 0) -> Any:
    """A copy of ``value``; floating ones cast to ``dtype``, if one is given, and then, with
    ``nudge``, moved by about one rounding error of their own dtype; each number is another way.
    """
    if dtype is None:
        return copied(value)
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        tensor = torch.from_numpy(value.astype(np.float64))
        return received(tensor, dtype, nudge=nudge).numpy()
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return copied(value)
    cast = value.detach().to(dtype).clone()
    return cast * _nudges(value, nudge) if nudge and value.device.type != "meta" else cast


def _nudges(value: torch.Tensor, way: int) -> torch.Tensor:
    """Factors within one rounding error of 1; float64 counts as float32, which may be used inside.

    The first way is up or down by all of it. Two elements that cancel may go the same way there;
    in the others they hardly ever do, because the amounts are scattered.
    """
    eps = max(torch.finfo(value.dtype).eps, torch.finfo(torch.float32).eps)
    number = torch.arange(value.numel(), device=value.device)
    if way == 1:
        amount = number.mul(7).remainder(5).lt(2).to(torch.float64).mul(2).sub(1)
    else:
        scattered = number.to(torch.float64).mul(12.9898).add(78.233 * way).sin().mul(43758.5453)
        amount = scattered.frac()
    return amount.mul(eps).add(1).reshape(value.shape)


def copied(value: Any) -> Any:
    """A value of its own, so that a change to either is none to the other."""
    if isinstance(value, torch.Tensor):
        plain = value.is_contiguous() or value.device.type == "meta"
        return value.detach().clone() if plain else _as_laid_out(value.detach())
    return value.copy() if isinstance(value, np.ndarray) else value


def _as_laid_out(value: torch.Tensor) -> torch.Tensor:
    """A copy with the same strides, also where numbers are shared, which ``clone`` would part."""
    reach = 1 + sum((n - 1) * s for n, s in zip(value.shape, value.stride(), strict=True))
    if not value.numel():
        return value.clone()
    memory = value.as_strided((reach,), (1,)).clone()
    return memory.as_strided(value.shape, value.stride())


def same(before: Any, after: Any) -> bool:
    """Whether an input is still what was sent; NaN equals NaN."""
    if isinstance(before, torch.Tensor):
        if before.shape != after.shape or before.dtype != after.dtype:
            return False
        if before.device.type == "meta" or not before.numel():
            return True
        after = after.detach()
        return bool(_equal(before, after) or _equal(before.nan_to_num(), after.nan_to_num()))
    if isinstance(before, np.ndarray):
        return np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    return True
