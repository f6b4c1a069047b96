"""Where two tensors differ, and how: which rows, which positions, the first wrong element, and
whether the wrong numbers are the right ones times a factor, moved, or turned round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from grader.model import Fact

_SHOWN = 6
_DIGITS = (4, 7, 10, 17)  # as many as it takes to see a difference
_MOST_DISTINCT = 100
LEAST_NUMBERS = 4  # below that a form may be an accident
_SAME = 1e-3  # relative: far above rounding in float32, far below any wrong factor
_MOST_DIGITS = 6
_LAST_DIGIT = 1e-6  # relative: what float32 leaves of a decimal fraction
_NEAR = 2e-2  # of the largest number
_SMALL = 1e-2  # of the largest number: a quotient with less is inaccurate


@dataclass(frozen=True)
class Tensors:
    """An expected tensor, an actual one of the same shape, and which elements are wrong."""

    expected: torch.Tensor
    actual: torch.Tensor
    wrong: torch.Tensor


def where_they_differ(tensors: Tensors) -> dict[str, Fact]:
    """How many elements differ, of how many, which first, along which axes not everywhere; how many
    ``distinct`` numbers there are among the wrong ones, up to 100; and their ``form``.
    """
    wrong = tensors.wrong
    axes = [found for axis in range(wrong.ndim) if (found := _along(wrong, axis))]
    return {
        "count": int(wrong.sum()),
        "total": wrong.numel(),
        "first": tuple(wrong.nonzero()[0].tolist()),
        "axes": tuple(axes),
        "distinct": _distinct(tensors),
        "form": form_of(tensors),
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
        "size": wrong.shape[axis],
    }


def _distinct(tensors: Tensors) -> int:
    """How many different wrong numbers there are. Of truth values, of which there are only two,
    how often the rarer one is given.
    """
    actual = tensors.actual
    if actual.dtype == torch.bool:
        rarer = min(int(actual.sum()), int((~actual).sum()))
        return min(rarer, _MOST_DISTINCT)
    return _different(actual[tensors.wrong])


def _different(numbers: torch.Tensor) -> int:
    """To four digits of the largest; 0, NaN and infinities, which are in many, do not count."""
    numbers = numbers.double()
    numbers = numbers[numbers.isfinite()]
    if not numbers.numel() or not numbers.any():
        return 0
    rounded = (numbers / numbers.abs().max() * 1e4).round()
    return min(len(torch.unique(rounded[rounded != 0])), _MOST_DISTINCT)


# How the wrong numbers come from the right ones ---------------------------------------------------


def form_of(tensors: Tensors) -> dict[str, Fact]:
    """The first ``form`` that is true of all numbers, with what belongs to it; mostly nothing."""
    exact, actual = tensors.expected.double(), tensors.actual.double()
    if exact.numel() < LEAST_NUMBERS:
        return {}
    if actual.isnan().any():
        return {"form": "nan_for_zero"} if _nan_for_zero(exact, actual) else {}
    if not (exact.isfinite().all() and actual.isfinite().all()):
        return {}
    if len(set(exact.flatten()[: 4 * LEAST_NUMBERS].tolist())) > 1:
        for name, find in _FORMS.items():
            found = find(exact, actual)
            if found is not None:
                return {"form": name, **found}
    return {}


def _nan_for_zero(exact: torch.Tensor, actual: torch.Tensor) -> bool:
    """NaN throughout the rows that should be 0 throughout, and nowhere else."""
    if exact.ndim < 2:
        return False
    empty = (exact == 0).all(dim=-1)
    strange = actual.isnan()
    return bool(empty.any() and not empty.all() and strange.equal(empty[..., None] & _all(strange)))


def _all(where: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(where)


def _zeros(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    return None if actual.any() else {}


def _rounded(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    """The right numbers with a few decimals each: all of them, and to the last digit. Whole
    numbers may have another reason.
    """
    for digits in range(1, _MOST_DIGITS + 1):
        near = exact.round(decimals=digits)
        if bool(near.any()) and bool(((actual - near).abs() <= _LAST_DIGIT * near.abs()).all()):
            return {"digits": float(digits)}
    return None


def _constant(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    return {} if bool((actual == actual.flatten()[0]).all()) else None


def _turned(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    """0 exactly where there should be another number, and another number where 0 should be."""
    zero = exact == 0
    return {} if zero.any() and zero.equal(actual != 0) else None


def _factor(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    large = exact.abs() > _SMALL * exact.abs().max()
    if large.sum() < LEAST_NUMBERS:
        return None
    factor = float((actual[large] / exact[large]).median())
    telling = abs(factor) > _SMALL and abs(factor - 1) > _SMALL  # 1.0001 is no factor, but rounding
    return {"factor": factor} if telling and _alike(factor * exact, actual) else None


def _offset(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    apart = float((actual - exact).median())
    return {"offset": apart} if abs(apart) > _SMALL and _alike(exact + apart, actual) else None


def _transposed(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    square = exact.ndim > 1 and exact.shape[-1] == exact.shape[-2]
    return {} if square and _alike(exact.mT, actual) else None


def _moved(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    """The very same numbers in other places: only of many different ones can that be said, and of
    none that are nearly right where they stand.
    """
    if _different(exact) < 2 * LEAST_NUMBERS or _alike(actual, exact, _NEAR):
        return None
    same = _alike(exact.flatten().sort().values, actual.flatten().sort().values, _SAME / 10)
    return {} if same else None


def _nearly(exact: torch.Tensor, actual: torch.Tensor) -> dict[str, Fact] | None:
    return {} if _alike(actual, exact, _NEAR) else None


_FORMS: Mapping[str, Callable[[torch.Tensor, torch.Tensor], dict[str, Fact] | None]] = {
    "zeros": _zeros,
    "rounded": _rounded,
    "constant": _constant,
    "turned": _turned,
    "factor": _factor,
    "offset": _offset,
    "transposed": _transposed,
    "moved": _moved,
    "nearly": _nearly,
}


def _alike(one: torch.Tensor, other: torch.Tensor, within: float = _SAME) -> bool:
    return bool(((one - other).abs() <= within * other.abs().max()).all())


# In words -----------------------------------------------------------------------------------------


def describe_values(tensors: Tensors) -> tuple[str, str]:
    """The stretch of the last axis that holds the first wrong element: expected and actual. Where
    there is NaN, the first of these.
    """
    strange = tensors.wrong & tensors.actual.isnan()
    wrong = strange if strange.any() else tensors.wrong
    for digits in _DIGITS:
        expected, actual = (
            _stretch(tensors.expected, wrong, digits),
            _stretch(tensors.actual, wrong, digits),
        )
        if expected != actual:
            break
    return expected, actual


def _stretch(values: torch.Tensor, wrong: torch.Tensor, digits: int) -> str:
    if wrong.ndim == 0:
        return _number(values, digits)
    *row, column = wrong.nonzero()[0].tolist()
    start = max(0, column - _SHOWN + 1) if column >= _SHOWN else 0
    at = f"[{', '.join(map(str, row))}]: " if row else ""
    return at + _row(values[tuple(row)], start, digits)


def _row(row: torch.Tensor, start: int, digits: int) -> str:
    shown = [_number(value, digits) for value in row[start : start + _SHOWN]]
    before = "... " if start else ""
    after = " ..." if start + _SHOWN < len(row) else ""
    return f"{before}{' '.join(shown)}{after}"


def _number(value: torch.Tensor, digits: int) -> str:
    number = value.item()
    return f"{number:.{digits}g}" if isinstance(number, float) else str(number)
