"""A docstring as Markdown: examples become Python, indented formulas become formulas."""

from __future__ import annotations

import re


def markdown(docstring: str) -> str:
    """The paragraphs of a cleaned docstring; no paragraph is lost."""
    return "\n\n".join(_paragraph(p) for p in re.split(r"\n\s*\n", docstring.strip("\n")))


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```python\n{text}\n```"
    head, _, rest = text.partition("\n")
    if head in ("Args:", "Raises:", "Returns:"):
        return f"**{head}**\n\n{rest}"
    return text.replace("``", "`")
