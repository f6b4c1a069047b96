"""A small matrix in a terminal: yours, expected, and where they differ, in blocks or in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grader.pictures import words
from grader.pictures.panels import Axis, PanelKind
from grader.pictures.seen import Seen

MOST_ROWS = 16  # as many as a terminal of 24 lines can show beside its words
_LABEL = 9  # characters for the name of a row
_NAME = 4  # characters for the name of a column
_SHADES = "░▒▓█"
_BETWEEN = "   "


class Row(NamedTuple):
    """A line of text, and whether anything in it is wrong."""

    text: str
    wrong: bool = False


def block_rows(seen: Seen, width: int) -> list[Row]:
    """The three matrices, side by side where there is room; nothing where they cannot be shown:
    where they are larger than a terminal, or are drawn as curves.
    """
    if seen.yours is None or seen.difference is None or seen.panel.kind is PanelKind.CURVES:
        return []
    tables = [[head, *table] for head, table in zip(_HEADS, _tables(seen), strict=True)]
    wide = max(len(line) for table in tables for line in table)
    rows = len(seen.expected)
    if rows > MOST_ROWS or _LABEL + wide > width:
        return []
    names = ["", "", *(_named(seen.panel.y, row)[: _LABEL - 1] for row in range(rows))]
    wrong = [False, False, *map(any, _wrong(seen))]
    at_once = max(1, (width - _LABEL) // (wide + len(_BETWEEN)))
    found: list[Row] = []
    for first in range(0, len(tables), at_once):
        beside = tables[first : first + at_once]
        for line, (name, bad) in enumerate(zip(names, wrong, strict=True)):
            text = _BETWEEN.join(table[line].ljust(wide) for table in beside)
            found.append(Row(f"{name:<{_LABEL}}{text}".rstrip(), bad))
    return [*found, *map(Row, _legend(seen))]


_HEADS = (words.YOURS, words.EXPECTED, words.WRONG_HERE)


def _tables(seen: Seen) -> list[list[str]]:
    """Each as its lines; the first line names the columns."""
    assert seen.yours is not None
    cells = [_cells(seen, part) for part in (seen.yours, seen.expected)]
    cells.append([["✗" if one else "·" for one in row] for row in _wrong(seen)])
    names = [_named(seen.panel.x, column)[:_NAME] for column in range(seen.expected.shape[1])]
    wide = max(len(text) for rows in [*cells, [names]] for row in rows for text in row)
    return [[_line(row, wide, seen.panel.x.every) for row in [names, *rows]] for rows in cells]


def _line(texts: Sequence[str], wide: int, every: int) -> str:
    """Cells in their columns, with a line between two groups."""
    shown = [text * wide if text in _SHADES else text.rjust(wide) for text in texts]
    groups = [shown[at : at + (every or len(shown))] for at in range(0, len(shown), every or 99)]
    return " │ ".join(" ".join(group) for group in groups)


def _cells(seen: Seen, matrix: np.ndarray) -> list[list[str]]:
    if seen.panel.kind is PanelKind.NUMBERS:
        return [[_number(value) for value in row] for row in matrix]
    high = _high(seen)
    return [[_shade(value, high) for value in row] for row in matrix]


def _high(seen: Seen) -> float:
    """What is as dark as can be: the largest number that is expected."""
    right = np.abs(seen.expected[np.isfinite(seen.expected)]).max(initial=0.0)
    return float(right) or 1.0


def _shade(value: float, high: float) -> str:
    if not np.isfinite(value):
        return _number(value)
    level = min(abs(value) / high, 1.0)
    if level < 0.02:  # what is nearly nothing would look like a quarter
        return "·"
    shade = _SHADES[min(int(level * len(_SHADES)), len(_SHADES) - 1)]
    return shade if value > 0 else f"-{shade}"


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−") if np.isfinite(value) else words.NAN_OR[np.isnan(value)]


def _wrong(seen: Seen) -> list[list[bool]]:
    assert seen.difference is not None
    return [[not abs(one) <= seen.negligible for one in row] for row in seen.difference]  # or NaN


def _named(axis: Axis, place: int) -> str:
    return axis.ticks[place] if axis.ticks else str(place)


def _legend(seen: Seen) -> list[str]:
    kind = seen.panel.kind
    if kind is PanelKind.NUMBERS:
        return []
    return [words.MASK_LEGEND if kind is PanelKind.MASK else _shades(seen)]


def _shades(seen: Seen) -> str:
    return words.SHADE_LEGEND.format(high=_high(seen))
