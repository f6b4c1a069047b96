"""What is inside the frames: a matrix as coloured cells, or its rows as lines.

Yours and expected share one scale, the difference has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.pictures.panels import PanelKind
from grader.pictures.seen import Seen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, _FAINT = "#1a1a1a", "#8c8c8c"
_LINES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."))  # Okabe and Ito's
_MAPS = {
    PanelKind.SHARES: "Blues",
    PanelKind.SIGNED: "RdBu_r",
    PanelKind.MASK: "Blues",
    PanelKind.NUMBERS: "BuPu",
}
_DIFFERENCES = "PuOr_r"
_ROOM = 3.0  # times what is expected: what is larger still is as dark, and words say how large
_TALL_BAR = 150  # pixels: a scale this long has room for another number


class Map:
    """A matrix as coloured cells."""

    def __init__(self, seen: Seen) -> None:
        self._seen, self._kind = seen, seen.panel.kind
        both = [seen.expected] if seen.yours is None else [seen.expected, seen.yours]
        finite = np.concatenate([part[np.isfinite(part)] for part in both])
        right = seen.expected[np.isfinite(seen.expected)]
        room = max(_ROOM * float(np.abs(right).max(initial=0.0)), 1e-9)
        largest = min(max(float(np.abs(finite).max(initial=0.0)), 1e-9), room)
        self._low = -largest if self._kind is PanelKind.SIGNED or finite.min(initial=0) < 0 else 0.0
        self._high = 1.0 if self._kind is PanelKind.MASK else largest

    def yours(self, axes: Axes) -> None:
        assert self._seen.yours is not None
        self._cells(axes, self._seen.yours)

    def expected(self, axes: Axes, bar: Axes) -> None:
        image = self._cells(axes, self._seen.expected)
        if self._kind is PanelKind.NUMBERS:
            bar.remove()
        elif self._kind is PanelKind.MASK:
            self._legend(image, bar)
        else:
            self._bar(axes, image, bar)

    def difference(self, axes: Axes, bar: Axes) -> None:
        shown = self._seen.difference
        assert shown is not None
        span = _span(self._seen)
        image = self._image(axes, shown, _DIFFERENCES, -span, span)
        self._bar(axes, image, bar)
        if self._kind is PanelKind.NUMBERS and self._seen.differs:
            _numbers(axes, shown)

    def _cells(self, axes: Axes, shown: np.ndarray) -> Any:
        kind = PanelKind.SIGNED if self._low < 0 and self._kind is PanelKind.SHARES else self._kind
        high = self._high * (
            1.6 if kind is PanelKind.NUMBERS else 1.25 if kind is PanelKind.MASK else 1.0
        )
        image = self._image(axes, shown, _MAPS[kind], self._low, high)
        if kind is PanelKind.NUMBERS:
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
        ticks = 3 if bar.bbox.height > _TALL_BAR else 2
        bar.yaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
        bar.yaxis.set_major_formatter(_short)
        bar.tick_params(labelsize=7, length=1.5, width=0.5)


class Curves:
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
            colour = "white" if _is_dark(axes.images[0], value) else INK
            axes.text(
                column, row, _short(value), ha="center", va="center", fontsize=7.5, color=colour
            )


def _is_dark(image: Any, value: float) -> bool:
    red, green, blue, _ = image.cmap(image.norm(value))
    return bool(0.3 * red + 0.6 * green + 0.1 * blue < 0.45)


def _short(value: float, _: float = 0.0) -> str:
    return f"{value:.3g}".replace("-", "−")


def _few_ticks(axes: Axes, points: Sequence[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    if len(points) < 7:
        axes.set_xticks(points[::2], list(map(_short, points[::2])))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, prune="both"))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(_short)
