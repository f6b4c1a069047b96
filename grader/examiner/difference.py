"""Where two tensors differ: which rows, which positions, the first wrong element."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from grader.model import Fact

_SHOWN = 6


@dataclass(frozen=True)
class Tensors:
    """An expected tensor, an actual one of the same shape, and which elements are wrong."""

    expected: torch.Tensor
    actual: torch.Tensor
    wrong: torch.Tensor


def where_they_differ(tensors: Tensors) -> dict[str, Fact]:
    """How many elements differ, of how many, which first, and along which axes not everywhere."""
    wrong = tensors.wrong
    axes = [found for axis in range(wrong.ndim) if (found := _along(wrong, axis))]
    return {
        "count": int(wrong.sum()),
        "total": wrong.numel(),
        "first": tuple(wrong.nonzero()[0].tolist()),
        "axes": tuple(axes),
    }


def _along(wrong: torch.Tensor, axis: int) -> dict[str, Fact]:
    """The indices along ``axis`` where anything is wrong, if that is not everywhere: from the first
    to the last of a ``stretch``, or some of them.
    """
    others = [a for a in range(wrong.ndim) if a != axis]
    hit = wrong.any(dim=others) if others else wrong
    where = hit.nonzero().flatten().tolist()
    if len(where) == wrong.shape[axis]:
        return {}
    in_a_row = where == list(range(where[0], where[-1] + 1)) and len(where) > 2
    return {
        "axis": axis,
        "last": axis == wrong.ndim - 1,
        "stretch": (where[0], where[-1]) if in_a_row else (),
        "indices": tuple(where[:_SHOWN]),
        "more": len(where) > _SHOWN,
    }


def describe_values(tensors: Tensors) -> tuple[str, str]:
    """The stretch of the last axis that holds the first wrong element: expected and actual."""
    if tensors.wrong.ndim == 0:
        return _number(tensors.expected), _number(tensors.actual)
    *row, column = tensors.wrong.nonzero()[0].tolist()
    start = max(0, column - _SHOWN + 1) if column >= _SHOWN else 0
    at = f"[{', '.join(map(str, row))}]: " if row else ""
    return (
        at + _row(tensors.expected[tuple(row)], start),
        at + _row(tensors.actual[tuple(row)], start),
    )


def _row(row: torch.Tensor, start: int) -> str:
    shown = [_number(value) for value in row[start : start + _SHOWN]]
    before = "... " if start else ""
    after = " ..." if start + _SHOWN < len(row) else ""
    return f"{before}{' '.join(shown)}{after}"


def _number(value: torch.Tensor) -> str:
    number = value.item()
    return f"{number:.4g}" if isinstance(number, float) else str(number)
