"""Mends: a learner's function with one place changed, such that it may be right.

Slips make a wrong program of a right one; a mend is sought for one that is wrong, and whoever finds
one that passes knows the place, and what kind of change it needs. (Singh, Gulwani and Solar-Lezama
2013, "Automated feedback generation for introductory programming assignments", have the idea; here
candidates are tried one after another, each in one place.)

The text may be hostile, and Python's parser is not made for that: only functions that are short,
and whose brackets are not deep, are parsed.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import takewhile

from grader.programs.mends.kinds import RANK, changes
from grader.programs.mends.places import Scope
from grader.programs.slips.written import spliced, written

_MOST_LINES, _MOST_LETTERS, _LONGEST, _DEEPEST = 200, 12_000, 400, 24
_LEAST_WORDS, _MOST_ALIKE = 6, 8
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_SKIPPED = ("annotation", "returns", "msg", "decorator_list", "bases")


@dataclass(frozen=True)
class Stretch:
    """Lines of a text that hold one function or method, with its head; both counted from 1. What
    its class makes as ``layers`` it can call.
    """

    first: int
    last: int
    layers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mend:
    """One change, of a ``kind`` that ``kinds`` knows, at ``name`` in a ``line``, and the same in so
    many ``more`` places. ``text`` is the whole text with it. Where a name stands in the line more
    than once, it is that with so many ``before`` it; otherwise that is None.
    """

    kind: str
    line: int
    name: str
    text: str
    more: int = 0
    before: int | None = None


def mends_of(text: str, where: Collection[Stretch], first: Collection[int] = ()) -> list[Mend]:
    """All mends of these functions of a text, by their kinds: those that are meant most often at
    the head, and of a kind those in the lines that come ``first``. None of what cannot be read.
    """
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)
    found = [mend for stretch in where for mend in _in_function(lines, stretch)]
    found.sort(key=lambda mend: (RANK[mend.kind], mend.line not in first))
    by_text: dict[str, Mend] = {}
    for mend in found:
        by_text.setdefault(mend.text, mend)
    by_text.pop(text, None)
    return list(by_text.values())


def _in_function(lines: list[str], stretch: Stretch) -> Iterator[Mend]:
    own = lines[stretch.first - 1 : stretch.last]
    function = parsed("".join(own))
    if function is None:
        return
    scope = Scope.of(function, stretch.layers)
    for node, parent in _places(function, function):
        for kind, name, new in changes(node, parent, scope):
            try:
                changed = spliced(own, _shifted(node), written(new, parent, node))
            except (ValueError, RecursionError, IndexError):
                continue
            begin, end = node.lineno - 2, (node.end_lineno or 0) - 1
            line = stretch.first + begin
            once = "".join([*own[:begin], *changed, *own[end:]])
            for inside, more in ((once, 0), *_everywhere(own, node, once)):
                text = "".join([*lines[: stretch.first - 1], inside, *lines[stretch.last :]])
                yield Mend(kind, line, name, text, more, None if more else _before(own, node, name))


def _before(own: list[str], node: ast.expr | ast.stmt, name: str) -> int | None:
    """How often what is spoken of stands in its line before the node's place; None if just once."""
    shown, line = name.rpartition("` in `")[2], own[node.lineno - 2].encode()
    places = [found.start() for found in re.finditer(re.escape(shown.encode()), line)]
    if len(places) < 2:
        return None
    return max(sum(place <= node.col_offset for place in places) - 1, 0)


def parsed(text: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function that a text holds, one line further down; nothing if it is not read."""
    rows = text.splitlines()
    if len(rows) > _MOST_LINES or len(text) > _MOST_LETTERS or max(map(len, rows)) > _LONGEST:
        return None
    if re.search(rf"(?:[(\[{{][^()\[\]{{}}]*){{{_DEEPEST}}}", text) or "\f" in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(f"if True:\n{text}" if text[:1].isspace() else f"\n{text}")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    inside = tree.body[0].body if isinstance(tree.body[0], ast.If) else tree.body
    return inside[0] if len(inside) == 1 and isinstance(inside[0], _FUNCTION) else None


def _places(node: ast.AST, parent: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, ast.AST]]:
    """What may be changed below a node, and what each stands in."""
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED:
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, (ast.expr, ast.stmt)):
                yield part, node
            if isinstance(part, ast.AST):
                yield from _places(part, node)


def _everywhere(own: list[str], node: ast.expr | ast.stmt, once: str) -> Iterator[tuple[str, int]]:
    """The function with the same change wherever the same stands, if that is in several places, and
    in how many more.
    """
    whole = "".join(own)
    old = ast.get_source_segment(f"\n{whole}", node) or ""
    if len(old) < _LEAST_WORDS or whole.count(old) < 2 or whole.count(old) > _MOST_ALIKE:
        return
    ends = zip(reversed(whole), reversed(once), strict=False)
    before = len(whole) - sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    begin = whole.rfind(old, 0, before + len(old))
    new = once[begin : len(once) - (len(whole) - begin - len(old))]
    if once == whole[:begin] + new + whole[begin + len(old) :]:
        yield whole.replace(old, new), whole.count(old) - 1


def _shifted(node: ast.expr | ast.stmt) -> ast.expr | ast.stmt:
    """Where it stands in the lines that were parsed one line further down."""
    moved = ast.copy_location(type(node)(), node)
    moved.lineno -= 1
    assert moved.end_lineno is not None
    moved.end_lineno -= 1
    return moved
