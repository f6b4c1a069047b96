"""A docstring as Markdown: examples become Python, plain formulas typeset ones, figures images.

A formula that holds anything unknown here is shown as it stands: better plain than wrong.
"""

from __future__ import annotations

import base64
import re
import textwrap
from collections.abc import Mapping
from html import escape

from grader.course.figures import figure_in
from grader.pages.formula import tex


def markdown(docstring: str, drawings: Mapping[str, str] | None = None) -> str:
    """The paragraphs of a cleaned docstring. ``drawings`` are its figures, SVG by name: each takes
    the place of what is indented right above it, as on the page in a browser. Of a figure that is
    not among them, the words are shown.
    """
    found: list[tuple[str, str]] = []
    for text in re.split(r"\n[ \t]*\n", docstring.strip("\n")):
        figure = figure_in(text)
        drawn = (drawings or {}).get(figure[0]) if figure else None
        while drawn and found and found[-1][0].startswith("    "):
            found.pop()
        shown = _image(drawn, figure[1]) if figure and drawn else _paragraph(text)
        found.append((text, shown))
    return "\n\n".join(shown for _, shown in found)


def _image(svg: str, alt: str) -> str:
    """Complete in itself. Notebooks take `<svg>` out of prose, and show no SVG that is attached."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}" width="448">'


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```python\n{text}\n```"
    if figure := figure_in(text):
        return figure[1]
    head, _, rest = text.partition("\n")
    if head in ("Args:", "Raises:", "Returns:"):
        return f"**{head}**\n\n{rest}"
    if text.startswith("    ") or _looks_like_a_formula(text):
        return _formula(textwrap.dedent(text))
    return text.replace("``", "`")


def _looks_like_a_formula(text: str) -> bool:
    return " = " in text and not text.startswith("-") and text[-1] not in ".:;" and "``" not in text


def _formula(text: str) -> str:
    lines = [tex(line) for line in text.split("\n")]
    known = [line for line in lines if line is not None]
    if len(known) < len(lines):
        return textwrap.indent(text, "    ")
    return "$$\n" + " \\\\\n".join(known) + "\n$$" if len(known) == 1 else _aligned(known)


def _aligned(lines: list[str]) -> str:
    rows = " \\\\\n".join(line.replace("=", "&=", 1) for line in lines)
    return f"$$\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n$$"
