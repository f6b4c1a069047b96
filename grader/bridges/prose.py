"""A docstring as Markdown: examples become Python, plain formulas become typeset ones.

A formula that holds words, or anything unknown here, is shown as it stands: better plain than
wrong.
"""

from __future__ import annotations

import re
import textwrap

_TOKEN = re.compile(
    r"(?P<gap>,?\s{2,})|(?P<space>\s)|(?P<name>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<sub>_[A-Za-z0-9]+)|(?P<dots>\.\.\.)|(?P<sign>[-+=<>*/@^()\[\]]|,(?=\s))"
)
_FUNCTIONS = frozenset("exp log sin cos tanh max min".split())
_WORDS = frozenset("for of over the with without where all in once along and by axis an".split())
_SIGNS = {"*": r"\cdot ", "@": r"\,"}


def markdown(docstring: str) -> str:
    """The paragraphs of a cleaned docstring; no paragraph is lost."""
    return "\n\n".join(_paragraph(p) for p in re.split(r"\n\s*\n", docstring.strip("\n")))


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```python\n{text}\n```"
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


def tex(line: str) -> str | None:
    """One line of a formula in TeX; None if it holds more than names, numbers and signs."""
    parts: list[str] = []
    closing: list[str] = []  # what each open bracket is closed with
    place, before, opens = 0, "", ""
    for found in _TOKEN.finditer(line):
        kind, text = found.lastgroup or "", found.group()
        if found.start() != place or text in _WORDS:
            return None
        place = found.end()
        if kind == "space":
            continue
        if text == "(":
            parts.append("{" if opens else "(")
            closing.append("}" if opens else ")")
        elif text == ")":
            parts.append(closing.pop() if closing else "?")
        elif text == "sqrt" or text == "^":
            parts.append(r"\sqrt" if text == "sqrt" else "^")
        else:
            side_by_side = (
                kind == "name"
                and before in ("name", "number", ")")
                and " " in (line[found.start() - 1 : found.start()])
            )
            shown = _shown(kind, text)
            shown = f"{{{shown}}}" if opens == "^" else shown
            parts.append(rf"\, {shown}" if side_by_side else shown)
        opens = text if text in ("sqrt", "^") else ""
        before = ")" if text in (")", "]") else "" if text in _FUNCTIONS or _is_sum(text) else kind
    return None if place != len(line) or closing or opens else "".join(parts).strip()


def _shown(kind: str, text: str) -> str:
    if kind == "name":
        return _name(text)
    if kind == "gap":
        return r",\quad " if "," in text else r"\quad "
    if kind == "sub":
        return f"_{{{text[1:]}}}"
    return {"dots": r"\dots "}.get(kind, _SIGNS.get(text, text))


def _is_sum(text: str) -> bool:
    return text.partition("_")[0] in ("sum", "max", "log", "exp")


def _name(text: str) -> str:
    head, _, tail = text.rpartition("_")
    if head and (len(tail) == 1 or len(head) == 1):
        return f"{_upright(head)}_{{{_upright(tail)}}}"
    return _upright(text)


def _upright(text: str) -> str:
    if text in _FUNCTIONS or text == "sum":
        return rf"\{text} "
    if len(text) == 1 or text.isdigit():
        return text
    return rf"\mathrm{{{text}}}".replace("_", r"\_")
