"""One drawing, from the top left corner, in units that are pixels on a phone.

The same calls give the same bytes. Colours are Okabe and Ito's, in a light and in a dark form, and
no meaning hangs on a colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

WIDTH = 340.0  # a phone is 360 pixels wide or more, and a page leaves a margin
CELL = 30.0
_LINE = 16.0  # from one line of text to the next
_DARK_SHARE = 0.55  # from here on, ink on a cell would not be read
_STYLE = """\
.figure{--ink:#1b1b1b;--soft:#5c5c5c;--paper:#fff;--a:#0072b2;--b:#c04a00;--c:#007a5a;--d:#8f3f7c}
@media (prefers-color-scheme:dark){.figure{--ink:#ececec;--soft:#b0b0b0;--paper:#16181c;\
--a:#6cb8f2;--b:#ff9f63;--c:#52cfa6;--d:#e694d2}}
.figure text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink)}
.figure .small{font-size:11.5px}.figure .soft{fill:var(--soft)}.figure .strong{font-weight:650}
.figure .on{fill:var(--paper)}.figure .paper{fill:var(--paper)}
.figure .shape{stroke:var(--soft);fill:var(--soft);fill-opacity:.08}
.figure .way{fill:none;stroke:var(--ink);stroke-width:1.4}.figure .dashed{stroke-dasharray:4 3}
.figure .tip{fill:var(--ink)}.figure .thick{stroke-width:3}
.figure .ta{fill:var(--a)}.figure .tb{fill:var(--b)}.figure .tc{fill:var(--c)}
.figure .td{fill:var(--d)}
.figure .sa{stroke:var(--a)}.figure .sb{stroke:var(--b)}.figure .sc{stroke:var(--c)}
.figure .sd{stroke:var(--d)}"""


class Figure:
    """Shapes and words on paper. A ``tone`` is one of a, b, c, d, or empty: grey."""

    def __init__(self, height: float) -> None:
        self._height = height
        self._parts: list[str] = []

    def svg(self, alt: str) -> str:
        """The file; ``alt`` says in words what is to be seen."""
        size = f'viewBox="0 0 {number(WIDTH)} {number(self._height)}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" {size} role="img">',
                f"<title>{escape(alt, quote=False)}</title>",
                f"<style>\n{_STYLE}\n</style>",
                f'<rect class="paper" width="{number(WIDTH)}" height="{number(self._height)}"/>',
                *self._parts,
                "</svg>\n",
            ]
        )

    def text(
        self, x: float, y: float, text: str, *, kind: str = "", anchor: str = "middle"
    ) -> None:
        """Words whose baseline is at ``y``. ``kind``: of small, soft, strong, on, and a tone as
        ``ta``; ``anchor``: start, middle or end.
        """
        kinds = f' class="{kind}"' if kind else ""
        place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
        self._parts.append(f"<text{kinds} {place}>{escape(text, quote=False)}</text>")

    def box(
        self, x: float, y: float, wide: float, tall: float, text: str = "", tone: str = ""
    ) -> None:
        """A rounded frame with words in its middle, line by line."""
        self._rectangle(x, y, wide, tall, _tone("shape", tone), ' rx="5"')
        lines = text.split("\n") if text else []
        top = y + tall / 2 - _LINE * (len(lines) - 1) / 2 + 4.5
        for place, line in enumerate(lines):
            self.text(x + wide / 2, top + _LINE * place, line)

    def frame(self, x: float, y: float, wide: float, tall: float, tone: str = "") -> None:
        """A thick frame around what is there."""
        kind = f"way thick s{tone}" if tone else "way thick"
        self._rectangle(x, y, wide, tall, f'class="{kind}"', ' rx="4"')

    def line(self, *points: tuple[float, float], kind: str = "") -> None:
        """Straight from point to point. ``kind``: of dashed, thick, and a tone as ``sa``."""
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        kinds = f"way {kind}".strip()
        self._parts.append(f'<polyline class="{kinds}" points="{places}"/>')

    def arrow(self, *points: tuple[float, float]) -> None:
        """A line with a tip; the last stretch is upright or level."""
        (x0, y0), (x, y) = points[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        self.line(*points[:-1], (x - 3 * dx, y - 3 * dy))
        back, aside = (x - 7 * dx, y - 7 * dy), (4 * dy, 4 * dx)
        corners = [
            (x, y),
            (back[0] + aside[0], back[1] + aside[1]),
            (back[0] - aside[0], back[1] - aside[1]),
        ]
        places = " ".join(f"{number(a)},{number(b)}" for a, b in corners)
        self._parts.append(f'<polygon class="tip" points="{places}"/>')

    def plus(self, x: float, y: float) -> None:
        """Two ways are added."""
        self._parts.append(
            f'<circle class="way paper" style="fill:var(--paper)" '
            f'cx="{number(x)}" cy="{number(y)}" r="9"/>'
        )
        self.line((x - 5, y), (x + 5, y))
        self.line((x, y - 5), (x, y + 5))

    def cells(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[str]],
        *,
        tones: Sequence[Sequence[str]] | None = None,
        wide: float = CELL,
        tall: float = CELL,
    ) -> None:
        """A matrix with words in it, each cell in its tone."""
        for row, words in enumerate(rows):
            for column, word in enumerate(words):
                tone = tones[row][column] if tones else ""
                left, top = x + column * wide, y + row * tall
                self._rectangle(left, top, wide, tall, _tone("shape", tone))
                if word:
                    self.text(left + wide / 2, top + tall / 2 + 4.5, word, kind="small")

    def shares(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[float]],
        *,
        wide: float = CELL,
        tall: float = CELL,
        numbers: bool = True,
    ) -> None:
        """A matrix of numbers from -1 to 1: the larger the darker, negative ones in orange."""
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                left, top = x + column * wide, y + row * tall
                tone, opacity = "b" if value < 0 else "a", f"{min(abs(value), 1.0):.2f}"
                style = f'class="shape" style="fill:var(--{tone});fill-opacity:{opacity}"'
                self._rectangle(left, top, wide, tall, style)
                if numbers:
                    kind = "small on" if abs(value) > _DARK_SHARE else "small"
                    self.text(left + wide / 2, top + tall / 2 + 4.5, f"{value:.2f}", kind=kind)

    def bar(self, x: float, y: float, wide: float, tall: float, tone: str) -> None:
        """A filled bar, without a frame."""
        self._rectangle(x, y, wide, tall, f'class="t{tone}"')

    def _rectangle(
        self, x: float, y: float, wide: float, tall: float, style: str, more: str = ""
    ) -> None:
        place = f'x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(tall)}"'
        self._parts.append(f"<rect {style} {place}{more}/>")


def number(value: float) -> str:
    """At most one decimal: rounded far above what machines differ by."""
    return f"{value:.1f}".removesuffix(".0")


def _tone(kind: str, tone: str) -> str:
    if not tone:
        return f'class="{kind}"'
    return f'class="{kind} s{tone}" style="fill:var(--{tone});fill-opacity:.16"'
