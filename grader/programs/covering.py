"""Pairs of options: few calls in which every two values of two options meet."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from functools import cache
from typing import Any

Pair = tuple[tuple[int, int], ...]  # options and their values, by their places


def pairs(**options: Sequence[Any]) -> list[dict[str, Any]]:
    """Choices of one value for each option, such that every value of one meets every value of
    another: a covering array of strength 2, made greedily (Cohen et al. 1997, "The AETG system").

    ``pairs(scale=(None, 1.7), is_causal=(False, True), mask=(None, bias))`` is four choices instead
    of eight. The first one holds the first value of every option.
    """
    counts = tuple(len(values) for values in options.values())
    rows = (map(operator.getitem, options.values(), row) for row in _rows(counts))
    return [dict(zip(options, row, strict=True)) for row in rows]


@cache
def _rows(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Which value of each option, row by row, if there are so many of each."""
    whole = {row: _met(row) for row in itertools.product(*map(range, counts))}
    open_pairs = set[Pair]().union(*whole.values())
    first = (0,) * len(counts)
    found: list[tuple[int, ...]] = []
    while open_pairs:
        best = max(whole, key=lambda row: len(open_pairs & whole[row])) if found else first
        found.append(best)
        open_pairs -= whole[best]
    return found


def _met(row: tuple[int, ...]) -> set[Pair]:
    """The pairs in a choice; of a single option, its value."""
    return set(itertools.combinations(enumerate(row), min(2, len(row))))
