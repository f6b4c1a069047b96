"""A falling line in a terminal: dots of braille, two in width and four in height to a character."""

from __future__ import annotations

from collections.abc import Sequence

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # by column, from the top
_EMPTY = 0x2800


def curve(costs: Sequence[float], steps: int, width: int, height: int, top: float) -> list[str]:
    """``height`` lines of ``width`` characters, from ``top`` down to 0; what was not reached yet of
    the ``steps`` stays empty.
    """
    cells = [[_EMPTY] * width for _ in range(height)]
    columns, rows = 2 * width, 4 * height
    before: int | None = None
    for column in range(columns):
        here = _mean_at(costs, column, columns, steps)
        if here is None:
            continue
        row = round((1 - min(here, top) / top) * (rows - 1)) if top > 0 else rows - 1
        first = row if before is None else before
        for dot in range(min(first, row), max(first, row) + 1):
            cells[dot // 4][column // 2] |= _DOTS[column % 2][dot % 4]
        before = row
    return ["".join(map(chr, line)) for line in cells]


def smoothed(costs: Sequence[float], places: int) -> list[float]:
    """At most so many means of neighbours."""
    if len(costs) <= places:
        return list(costs)
    found = (_mean_at(costs, place, places, len(costs)) for place in range(places))
    return [one for one in found if one is not None]


def _mean_at(costs: Sequence[float], column: int, columns: int, steps: int) -> float | None:
    """The mean of the steps that fall on a column; where there are fewer steps than columns, the
    step before it.
    """
    first = column * steps // columns
    after = max(first + 1, (column + 1) * steps // columns)
    part = costs[first:after]
    return sum(part) / len(part) if part else None
