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
from grader.pictures.panels import Axis, Kind, Panel
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
_HEADINGS = ("yours", "expected", "difference")
_LINES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."))  # Okabe and Ito's
_GOOD, _BAD, _INK, _FAINT = "#00664b", "#b34700", "#1a1a1a", "#8c8c8c"
_MAPS = {Kind.SHARES: "Blues", Kind.SIGNED: "RdBu_r", Kind.MASK: "Blues", Kind.NUMBERS: "BuPu"}
_DIFFERENCES = "PuOr_r"
_ROOM = 3.0  # times what is expected: what is larger still is as dark, and words say how large


def draw(title: str, lesson: str, seen: Sequence[Seen]) -> bytes:
    """The picture; raises ``GraderError`` without matplotlib."""
    matplotlib = require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # what the font lacks becomes a box
        words = textwrap.wrap(lesson, _CHARACTERS)
        height = _TOP + _LINE * len(words) + sum(map(_height, seen)) + _BOTTOM
        figure = Figure(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white")
        FigureCanvasAgg(figure)
        page = _Page(figure, height)
        page.heading(title, words)
        for one in seen:
            page.row(one)
        image = io.BytesIO()
        figure.savefig(image, format="png", metadata={"Software": None})
    return image.getvalue()


def require_matplotlib() -> Any:
    """The library, which is an extra; raises ``GraderError`` without it."""
    try:
        import matplotlib
    except ImportError:
        raise GraderError(
            "Pictures are drawn with matplotlib, which is not installed: `pip install matplotlib`."
        ) from None
    return matplotlib


def _words(seen: Seen) -> list[str]:
    lines = textwrap.wrap(f"{seen.sign} {seen.verdict}", _CHARACTERS, subsequent_indent="   ")
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: _CHARACTERS - 2] + " …"]
    return lines


def _cell_height(panel: Panel, expected: np.ndarray) -> float:
    if panel.kind is Kind.CURVES:
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
        cells = _Curves(seen) if panel.kind is Kind.CURVES else _Map(seen)
        cells.expected(expected, bars[0])
        if seen.yours is None:
            _nothing(yours, "no answer")
        else:
            cells.yours(yours)
        if seen.difference is None or not _visible(seen.difference, seen.negligible):
            _nothing(difference, _why_nothing(seen))
            bars[1].remove()
        else:
            cells.difference(difference, bars[1])
        _label(panel, yours, expected, difference)
        self._down += _height(seen)

    def _axes(self, left: float, top: float, width: float, tall: float) -> Axes:
        bottom = self._height - top - tall
        sizes = (left / _WIDTH, bottom / self._height, width / _WIDTH, tall / self._height)
        return self._figure.add_axes(sizes)

    def _write(self, x: float, down: float, text: str, **style: Any) -> None:
        style = {"color": _INK, "va": "baseline"} | style
        self._figure.text(x / _WIDTH, 1 - down / self._height, text, **style)


class _Map:
    """A matrix as coloured cells."""

    def __init__(self, seen: Seen) -> None:
        self._seen, self._kind = seen, seen.panel.kind
        both = [seen.expected] if seen.yours is None else [seen.expected, seen.yours]
        finite = np.concatenate([part[np.isfinite(part)] for part in both])
        right = seen.expected[np.isfinite(seen.expected)]
        room = max(_ROOM * float(np.abs(right).max(initial=0.0)), 1e-9)
        largest = min(max(float(np.abs(finite).max(initial=0.0)), 1e-9), room)
        self._low = -largest if self._kind is Kind.SIGNED or finite.min(initial=0) < 0 else 0.0
        self._high = 1.0 if self._kind is Kind.MASK else largest

    def yours(self, axes: Axes) -> None:
        assert self._seen.yours is not None
        self._cells(axes, self._seen.yours)

    def expected(self, axes: Axes, bar: Axes) -> None:
        image = self._cells(axes, self._seen.expected)
        if self._kind is Kind.NUMBERS:
            bar.remove()
        elif self._kind is Kind.MASK:
            self._legend(image, bar)
        else:
            self._bar(axes, image, bar)

    def difference(self, axes: Axes, bar: Axes) -> None:
        shown = self._seen.difference
        assert shown is not None
        span = _span(self._seen)
        image = self._image(axes, shown, _DIFFERENCES, -span, span)
        self._bar(axes, image, bar)
        if self._kind is Kind.NUMBERS and self._seen.differs:
            _numbers(axes, shown)

    def _cells(self, axes: Axes, shown: np.ndarray) -> Any:
        kind = Kind.SIGNED if self._low < 0 and self._kind is Kind.SHARES else self._kind
        high = self._high * (1.6 if kind is Kind.NUMBERS else 1.25 if kind is Kind.MASK else 1.0)
        image = self._image(axes, shown, _MAPS[kind], self._low, high)
        if kind is Kind.NUMBERS:
            _numbers(axes, shown)
        return image

    def _image(self, axes: Axes, shown: np.ndarray, colours: str, low: float, high: float) -> Any:
        from matplotlib import colormaps

        axes.set_facecolor("#c9c9c9")  # shows where there is NaN
        image = axes.imshow(
            np.ma.masked_invalid(shown),
            cmap=colormaps[colours],
            vmin=low,
            vmax=high,
            aspect="auto",
            interpolation="nearest",
        )
        rows, columns = shown.shape
        for row, column in np.argwhere(~np.isfinite(shown)) if columns <= 6 else ():
            text = "nan" if np.isnan(shown[row, column]) else "∞"
            axes.text(column, row, text, ha="center", va="center", fontsize=6)
        if max(rows, columns) <= 16:
            axes.set_xticks(np.arange(columns - 1) + 0.5, minor=True)
            axes.set_yticks(np.arange(rows - 1) + 0.5, minor=True)
            axes.grid(which="minor", color="white", linewidth=0.6)
            axes.tick_params(which="minor", length=0)
        every = self._seen.panel.x.every
        for column in range(every, columns, every) if every else ():
            axes.axvline(column - 0.5, color=_FAINT, linewidth=0.8)
        return image

    def _legend(self, image: Any, bar: Axes) -> None:
        """Two values need no scale."""
        bar.set_axis_off()
        for value, name in ((1, "True"), (0, "False")):
            bar.plot(
                [], [], "s", color=image.cmap(image.norm(value)), label=name,
                markeredgecolor=_FAINT, markeredgewidth=0.4, markersize=5,
            )  # fmt: skip
        bar.legend(
            loc="upper left", bbox_to_anchor=(-0.2, 1.0), frameon=False, fontsize=7, borderpad=0,
            handlelength=0.6, handletextpad=0.4, borderaxespad=0, labelspacing=0.3,
        )  # fmt: skip

    def _bar(self, axes: Axes, image: Any, bar: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        colourbar = axes.figure.colorbar(image, cax=bar)
        colourbar.outline.set_linewidth(0.4)
        ticks = 3 if bar.bbox.height > 0.75 * _DPI else 2
        bar.yaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
        bar.yaxis.set_major_formatter(_short)
        bar.tick_params(labelsize=7, length=1.5, width=0.5)


class _Curves:
    """The rows of a matrix as lines."""

    def __init__(self, seen: Seen) -> None:
        self._seen, self._panel = seen, seen.panel
        shown = [seen.expected, np.array(seen.panel.before)]
        if seen.yours is not None:  # far too large ones may leave the frame
            room = 2 * np.ptp(seen.expected[np.isfinite(seen.expected)]) + 1e-9
            inside = seen.yours[np.abs(seen.yours - seen.expected.mean()) < room]
            shown.append(inside)
        values = np.concatenate([part[np.isfinite(part)].ravel() for part in shown])
        margin = 0.07 * float(np.ptp(values)) + 1e-9
        self._limits = float(values.min()) - margin, float(values.max()) + margin

    def yours(self, axes: Axes) -> None:
        assert self._seen.yours is not None
        self._plot(axes, self._seen.yours)
        axes.set_ylim(self._limits)

    def expected(self, axes: Axes, bar: Axes) -> None:
        self._plot(axes, self._seen.expected)
        axes.set_ylim(self._limits)
        bar.set_axis_off()
        lines = zip(self._panel.lines, _LINES, strict=False)
        for number, (name, (colour, style)) in enumerate(lines):
            down = 0.93 - 0.3 * number
            bar.plot(
                [-0.3, 3.2], [down] * 2, color=colour, linestyle=style, linewidth=1.5,
                transform=bar.transAxes, clip_on=False,
            )  # fmt: skip
            bar.text(
                -0.3,
                down - 0.04,
                name,
                color=colour,
                fontsize=7.5,
                va="top",
                transform=bar.transAxes,
            )

    def difference(self, axes: Axes, bar: Axes) -> None:
        bar.remove()
        shown = self._seen.difference
        assert shown is not None
        span = 1.1 * _span(self._seen)
        self._plot(axes, shown, faint=False)
        axes.axhline(0, color=_FAINT, linewidth=0.5, zorder=0)
        axes.set_ylim(-span, span)
        axes.yaxis.tick_right()
        _few_ticks(axes, self._panel.x.values)
        axes.tick_params(axis="y", labelsize=7)

    def _plot(self, axes: Axes, shown: np.ndarray, *, faint: bool = True) -> None:
        x = self._panel.x.values
        colours = [colour for colour, _ in _LINES]
        for number, line in enumerate(self._panel.before if faint else ()):
            alone = len(self._panel.before) == 1
            colour = "#555555" if alone else colours[number]
            axes.plot(x, line, color=colour, linewidth=1.0, alpha=0.7, linestyle=":")
        marker = "o" if len(x) <= 10 else ""
        for line, (colour, style) in zip(shown, _LINES, strict=False):
            axes.plot(
                x, line, color=colour, linestyle=style, linewidth=1.4, marker=marker, markersize=2.2
            )
        edge = 0.03 * (max(x) - min(x)) if marker else 0.0
        axes.set_xlim(min(x) - edge, max(x) + edge)
        _few_ticks(axes, self._panel.x.values)


def _span(seen: Seen) -> float:
    """The difference's own scale, the same up and down."""
    assert seen.difference is not None
    finite = seen.difference[np.isfinite(seen.difference)]
    right = seen.expected[np.isfinite(seen.expected)]
    room = max(_ROOM * float(np.abs(right).max(initial=0.0)), 1e-9)
    return min(max(float(np.abs(finite).max(initial=0.0)), seen.negligible), room)


def _numbers(axes: Axes, shown: np.ndarray) -> None:
    for (row, column), value in np.ndenumerate(shown):
        if np.isfinite(value):
            colour = "white" if _is_dark(axes.images[0], value) else _INK
            axes.text(
                column, row, _short(value), ha="center", va="center", fontsize=7.5, color=colour
            )


def _is_dark(image: Any, value: float) -> bool:
    red, green, blue, _ = image.cmap(image.norm(value))
    return bool(0.3 * red + 0.6 * green + 0.1 * blue < 0.45)


def _why_nothing(seen: Seen) -> str:
    """What stands where a difference would."""
    if seen.yours is None:
        return ""
    if seen.difference is None:
        return "not compared"
    return "none" if np.isfinite(seen.difference).all() else "no numbers"


def _visible(difference: np.ndarray, negligible: float) -> bool:
    return bool((np.abs(difference[np.isfinite(difference)]) > negligible).any())


def _short(value: float, _: float = 0.0) -> str:
    return f"{value:.3g}".replace("-", "−")


def _nothing(axes: Axes, words: str) -> None:
    """An empty frame, and why it is empty."""
    axes.set_facecolor("white" if words == "none" else "#f1f1f1")
    axes.set_xticks([])
    axes.set_yticks([])
    for edge in axes.spines.values():
        edge.set(color="#c4c4c4")
    axes.text(
        0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes, fontsize=8,
        color="#6a6a6a",
    )  # fmt: skip


def _label(panel: Panel, yours: Axes, expected: Axes, difference: Axes) -> None:
    """Axes are named once: rows on the left, columns under each."""
    for axes in (yours, expected, difference):
        if axes.lines or axes.images:
            axes.set_xlabel(panel.x.label, fontsize=8.5)
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


def _name(axes: Axes, panel: Panel) -> None:
    """Ticks of a map: words, or a few numbers."""
    from matplotlib.ticker import MaxNLocator

    if panel.x.ticks:
        named = {place: tick for place, tick in enumerate(panel.x.ticks) if tick}
        upright = 90 if _upright(panel.x) else 0
        axes.set_xticks(list(named), list(named.values()), rotation=upright)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    if panel.y.ticks:
        axes.set_yticks(range(len(panel.y.ticks)), panel.y.ticks)
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))


def _few_ticks(axes: Axes, points: Sequence[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    if len(points) < 7:
        axes.set_xticks(points[::2], list(map(_short, points[::2])))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, prune="both"))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(_short)
