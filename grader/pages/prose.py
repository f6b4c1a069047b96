"""A docstring, taken apart: paragraphs, lists, examples, figures, and what is indented."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from grader.course.figures import figure_in

_UNDERLINED = re.compile(r"^(\S.*)\n-{3,}$", re.M)
_ITEM = re.compile(r"(?:- |\d+\. )")
_FIELD = re.compile(r"(Args|Raises|Returns|Source):")


@dataclass(frozen=True)
class Block:
    """``kind`` is paragraph, list, example, literal, or figure.

    ``lines`` are those of the text; a list has one for each item, a figure its name and its words.
    """

    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """What stands under a heading; the first section of a page has none."""

    title: str
    blocks: tuple[Block, ...]


def sections(docstring: str) -> list[Section]:
    """The skeleton of a page, heading by heading."""
    parts = _UNDERLINED.split(docstring)
    texts = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return [Section(title, tuple(blocks(text))) for title, text in texts]


def blocks(text: str) -> list[Block]:
    """The blocks of a text. Where a figure follows what is indented, it stands in its place: the
    lines were the same, drawn with signs.
    """
    found: list[Block] = []
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        if paragraph.strip():
            block = _block(paragraph)
            if block.kind == "figure" and found and found[-1].kind == "literal":
                found.pop()
                while found and found[-1].kind == "literal":
                    found.pop()
            found.append(block)
    return _joined(found)


def _joined(found: list[Block]) -> list[Block]:
    """Indented blocks one after the other are one, with an empty line in between."""
    joined: list[Block] = []
    for block in found:
        last = joined[-1] if joined else None
        if last is not None and last.kind == block.kind == "literal":
            joined[-1] = Block("literal", (*last.lines, "", *block.lines))
        else:
            joined.append(block)
    return [_dedented(block) if block.kind == "literal" else block for block in joined]


def _dedented(block: Block) -> Block:
    return Block("literal", tuple(textwrap.dedent("\n".join(block.lines)).split("\n")))


def _block(text: str) -> Block:
    lines = tuple(text.split("\n"))
    if figure := figure_in(text):
        return Block("figure", figure)
    if text.lstrip().startswith(">>>"):
        return Block("example", tuple(textwrap.dedent(text).split("\n")))
    if _FIELD.fullmatch(lines[0]):
        return Block("list", (lines[0], *_items("\n".join(lines[1:]))))
    if text.startswith("    "):
        return Block("literal", lines)
    if _ITEM.match(text):
        return Block("list", ("", *_items(text)))
    return Block("paragraph", (" ".join(text.split()),))


def _items(text: str) -> list[str]:
    """Each begins at the margin; what is further in belongs to the one above it."""
    items: list[str] = []
    for line in textwrap.dedent(text).split("\n"):
        if line.startswith(" ") and items:
            items[-1] += f" {line.strip()}"
        else:
            items.append(_ITEM.sub("", line, count=1) if _ITEM.match(line) else line.strip())
    return items
