"""Pairs of options: few calls in which every two values of two options meet."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

Option = tuple[str, int]


def pairs(**options: Sequence[Any]) -> list[dict[str, Any]]:
    """Choices of one value for each option, such that every value of one meets every value of
    another: a covering array of strength 2, made greedily (Cohen et al. 1997, "The AETG system").

    ``pairs(scale=(None, 1.7), is_causal=(False, True), mask=(None, bias))`` is four choices instead
    of eight. The first one holds the first value of every option.
    """
    names = list(options)
    whole = [dict(zip(names, row, strict=True)) for row in _rows(options)]
    open_pairs = {pair for row in whole for pair in _met(row)}
    found: list[dict[str, int]] = []
    while open_pairs:
        best = max(whole, key=lambda row: len(open_pairs & _met(row))) if found else whole[0]
        found.append(best)
        open_pairs -= _met(best)
    return [{name: options[name][at] for name, at in row.items()} for row in found]


def _rows(options: dict[str, Sequence[Any]]) -> itertools.product[tuple[int, ...]]:
    return itertools.product(*(range(len(values)) for values in options.values()))


def _met(row: dict[str, int]) -> set[tuple[Option, ...]]:
    """The pairs in a choice; of a single option, its value."""
    return set(itertools.combinations(row.items(), min(2, len(row))))
