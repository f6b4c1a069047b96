"""Where two tensors differ, in words: which rows, which positions, the first wrong element."""

from __future__ import annotations

from dataclasses import dataclass

import torch

_SHOWN = 6


@dataclass(frozen=True)
class Tensors:
    """An expected tensor, an actual one of the same shape, and which elements are wrong."""

    expected: torch.Tensor
    actual: torch.Tensor
    wrong: torch.Tensor


def where_they_differ(tensors: Tensors) -> str:
    """For example: ``12 of 30 values differ, only at 1 to 4 along axis 1; first at [0, 1, 2]``."""
    wrong = tensors.wrong
    if wrong.ndim == 0:
        return "the value differs"
    count, total = int(wrong.sum()), wrong.numel()
    first = wrong.nonzero()[0].tolist()
    amount = f"all {total} values differ" if count == total else f"{count} of {total} values differ"
    axes = [text for axis in range(wrong.ndim) if (text := _along(wrong, axis))]
    places = f", only at {' and '.join(axes)}" if axes else ""
    return f"{amount}{places}; first at {first}"


def _along(wrong: torch.Tensor, axis: int) -> str:
    """The indices along ``axis`` where anything is wrong, if that is not everywhere."""
    others = [a for a in range(wrong.ndim) if a != axis]
    hit = wrong.any(dim=others) if others else wrong
    where = hit.nonzero().flatten().tolist()
    if len(where) == wrong.shape[axis]:
        return ""
    name = "the last axis" if axis == wrong.ndim - 1 and axis else f"axis {axis}"
    if where == list(range(where[0], where[-1] + 1)) and len(where) > 2:
        return f"{where[0]} to {where[-1]} along {name}"
    listed = ", ".join(map(str, where[:_SHOWN])) + (" ..." if len(where) > _SHOWN else "")
    return f"{listed} along {name}"


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
