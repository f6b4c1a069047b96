"""The renderer: yours, expected and the difference side by side, a row per panel, as a PNG.

Both sides share one scale; the difference has its own, with white where there is none. The colours
are told apart by colour-blind readers and in grey, and no meaning hangs on colour alone. Sizes are
in inches and chosen so that the picture can still be read when it is 80 mm wide.
"""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.errors import GraderError
from grader.pictures import words
from grader.pictures.cells import INK, Curves, Map
from grader.pictures.panels import Axis, Panel, PanelKind
from grader.pictures.seen import Seen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 4.9
_CELL = 1.05
_LEFT, _YOURS_TO_EXPECTED, _BAR_GAP, _BAR = 0.66, 0.1, 0.06, 0.07
_COLUMNS = (_LEFT, _LEFT + _CELL + _YOURS_TO_EXPECTED, _WIDTH - _CELL - 0.5)
_TOP, _BOTTOM, _BETWEEN = 0.56, 0.06, 0.12
_LINE = 0.165  # of words
_MOST_LINES = 4
_CHARACTERS = 68  # in a line of words
_MANY_NAMES = 8  # of columns: more need smaller letters

_DPI = 200
_SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#555555",
    "axes.labelpad": 2.0,
    "xtick.major.size": 2.0,
    "ytick.major.size": 2.0,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "axes.unicode_minus": True,
    "text.parse_math": False,  # a learner's dollar sign is a dollar sign
}
_HEADINGS = (words.YOURS, words.EXPECTED, words.DIFFERENCE)
_GOOD, _BAD = "#00664b", "#b34700"


def draw(title: str, lesson: str, seen: Sequence[Seen]) -> bytes:
    """The picture; raises ``GraderError`` without matplotlib."""
    matplotlib = require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    seen, folded = _folded(seen)
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # what the font lacks becomes a box
        lines = textwrap.wrap(lesson, _CHARACTERS)
        height = _TOP + _LINE * (len(lines) + len(folded)) + sum(map(_height, seen)) + _BOTTOM
        height += 2 * _BETWEEN if folded else 0.0
        figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white")
        FigureCanvasAgg(figure)
        page = _Page(figure, height)
        page.heading(title, lines)
        for one in seen:
            page.row(one)
        page.ending(folded)
        image = io.BytesIO()
        figure.savefig(image, format="png", metadata={"Software": None})
    return image.getvalue()


def _folded(seen: Sequence[Seen]) -> tuple[list[Seen], list[str]]:
    """What is drawn; and lines that name what need not be, where anything is to be mended: what is
    right, and what has no answer for a reason that is told already.
    """
    if not any(one.differs for one in seen):
        return list(seen), []
    reasons: set[str] = set()
    shown: list[Seen] = []
    same: list[Seen] = []
    for one in seen:
        told = one.yours is None and one.why in reasons
        reasons |= {one.why} if one.yours is None else set()
        (same if told else shown).append(one)
    right = [one for one in shown if one.right]
    texts = [
        form.format(titles="; ".join(one.panel.title for one in part))
        for form, part in ((words.SAME_REASON, same), (words.ALSO_RIGHT, right))
        if part
    ]
    lines = [line for text in texts for line in _wrapped(text)]
    return [one for one in shown if not one.right], lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _CHARACTERS, subsequent_indent="   ")


def require_matplotlib() -> Any:
    """The library, which is an extra; raises ``GraderError`` without it."""
    try:
        import matplotlib
    except ImportError:
        raise GraderError(words.NO_MATPLOTLIB) from None
    return matplotlib


def _words(seen: Seen) -> list[str]:
    lines = _wrapped(f"{seen.sign} {seen.verdict}")
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: _CHARACTERS - 2] + " …"]
    return lines


def _cell_height(panel: Panel, expected: np.ndarray) -> float:
    if panel.kind is PanelKind.CURVES:
        return 0.95
    rows, columns = expected.shape
    return float(np.clip(_CELL * rows / columns, 0.15 * min(rows, 8), 1.25))


def _height(seen: Seen) -> float:
    """The row's: title, words, the cells, and what is written under them."""
    above = 0.2 + _LINE * len(_words(seen))
    return above + _cell_height(seen.panel, seen.expected) + _below(seen.panel) + _BETWEEN


def _below(panel: Panel) -> float:
    longest = max(map(len, panel.x.ticks), default=0)
    return 0.32 + (0.07 * longest if _upright(panel.x) else 0.0)


def _upright(axis: Axis) -> bool:
    """Whether the names of the columns have to stand."""
    return sum(len(tick) + 1 for tick in axis.ticks if tick) > 14


class _Page:
    """Rows of axes, set from the top down."""

    def __init__(self, figure: Figure, height: float) -> None:
        self._figure, self._height, self._down = figure, height, 0.0

    def heading(self, title: str, lesson: Sequence[str]) -> None:
        self._write(0.1, 0.2, title, size=12, weight="bold")
        for number, line in enumerate(lesson):
            self._write(0.1, 0.42 + _LINE * number, line, size=8.5, color="#444444")
        self._down = _TOP + _LINE * len(lesson)
        for left, heading in zip(_COLUMNS, _HEADINGS, strict=True):
            middle = left + _CELL / 2
            self._write(middle, self._down - 0.07, heading, size=9.5, ha="center", style="italic")

    def row(self, seen: Seen) -> None:
        """Title and verdict, and under them the three."""
        panel = seen.panel
        colour = _BAD if seen.differs else _GOOD
        self._write(0.1, self._down + 0.16, panel.title, size=9, weight="bold")
        for number, line in enumerate(_words(seen), start=1):
            self._write(0.1, self._down + 0.16 + _LINE * number, line, size=8.5, color=colour)
        top = self._down + 0.2 + _LINE * len(_words(seen)) + 0.06
        tall = _cell_height(panel, seen.expected)
        yours, expected, difference = (self._axes(left, top, _CELL, tall) for left in _COLUMNS)
        bars = [self._axes(left + _CELL + _BAR_GAP, top, _BAR, tall) for left in _COLUMNS[1:]]
        cells = Curves(seen) if panel.kind is PanelKind.CURVES else Map(seen)
        cells.expected(expected, bars[0])
        if seen.yours is None:
            _nothing(yours, words.NO_ANSWER)
        else:
            cells.yours(yours)
        if seen.difference is None or not _visible(seen.difference, seen.negligible):
            _nothing(difference, _why_nothing(seen))
            bars[1].remove()
        else:
            cells.difference(difference, bars[1])
        _label(panel, yours, expected, difference)
        self._down += _height(seen)

    def ending(self, lines: Sequence[str]) -> None:
        """What is not drawn, in words."""
        for number, line in enumerate(lines, start=1):
            self._write(0.1, self._down + _BETWEEN + _LINE * number, line, size=8.5)

    def _axes(self, left: float, top: float, width: float, tall: float) -> Axes:
        bottom = self._height - top - tall
        sizes = (left / _WIDTH, bottom / self._height, width / _WIDTH, tall / self._height)
        return self._figure.add_axes(sizes)

    def _write(self, x: float, down: float, text: str, **style: Any) -> None:
        style = {"color": INK, "va": "baseline"} | style
        self._figure.text(x / _WIDTH, 1 - down / self._height, text, **style)


def _why_nothing(seen: Seen) -> str:
    """What stands where a difference would."""
    if seen.yours is None:
        return ""
    if seen.difference is None:
        return words.NOT_COMPARED
    return words.NO_DIFFERENCE if np.isfinite(seen.difference).all() else words.NO_NUMBERS


def _visible(difference: np.ndarray, negligible: float) -> bool:
    return bool((np.abs(difference[np.isfinite(difference)]) > negligible).any())


def _nothing(axes: Axes, why: str) -> None:
    """An empty frame, and why it is empty."""
    axes.set_facecolor("white" if why == words.NO_DIFFERENCE else "#f1f1f1")
    axes.set_xticks([])
    axes.set_yticks([])
    for edge in axes.spines.values():
        edge.set(color="#c4c4c4")
    axes.text(
        0.5, 0.5, why, ha="center", va="center", transform=axes.transAxes, fontsize=8,
        color="#6a6a6a",
    )  # fmt: skip


def _label(panel: Panel, yours: Axes, expected: Axes, difference: Axes) -> None:
    """Axes are named once: rows on the left, columns under each."""
    for axes in (yours, expected, difference):
        if axes.lines or axes.images:
            axes.set_xlabel(_column_label(panel.x), fontsize=8.5)
        if axes.images:
            _name(axes, panel)
    yours.set_ylabel(panel.y.label, fontsize=8.5)
    if not (yours.lines or yours.images):
        yours.set_ylim(expected.get_ylim())
        yours.set_yticks(expected.get_yticks(), [t.get_text() for t in expected.get_yticklabels()])
        yours.set_ylim(expected.get_ylim())
    expected.tick_params(axis="y", labelleft=False)
    if difference.images:
        difference.tick_params(axis="y", labelleft=False)
    yours.yaxis.set_label_coords(-0.49 / _CELL, 0.5)


def _column_label(axis: Axis) -> str:
    if not axis.group:
        return axis.label
    count = len(axis.ticks) // axis.every
    return " | ".join(f"{axis.group} {number}" for number in range(count))


def _name(axes: Axes, panel: Panel) -> None:
    """Ticks of a map: words, or a few numbers."""
    from matplotlib.ticker import MaxNLocator

    if panel.x.ticks:
        named = {place: tick for place, tick in enumerate(panel.x.ticks) if tick}
        upright = 90 if _upright(panel.x) else 0
        size = 7.0 if len(named) > _MANY_NAMES else 8.5
        axes.set_xticks(list(named), list(named.values()), rotation=upright, fontsize=size)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    if panel.y.ticks:
        axes.set_yticks(range(len(panel.y.ticks)), panel.y.ticks)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
