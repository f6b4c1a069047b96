"""A docstring as Markdown: examples become Python, plain formulas become typeset ones.

A formula that holds words, or anything unknown here, is shown as it stands: better plain than
wrong.
"""

from __future__ import annotations

import re
import textwrap

from grader.course.figures import figure_in
from grader.pages.formula import tex


def markdown(docstring: str) -> str:
    """The paragraphs of a cleaned docstring; no paragraph is lost."""
    return "\n\n".join(_paragraph(p) for p in re.split(r"\n\s*\n", docstring.strip("\n")))


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
