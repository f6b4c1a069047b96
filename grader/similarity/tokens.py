"""A text in Python -> its tokens, as they are compared.

What changes nothing is left out: comments, docstrings, annotations, imports, layout. What can be
chosen freely is made equal: names, numbers and strings. What cannot be renamed stays: keywords,
builtins, and attributes that the text does not define itself, like ``.masked_fill``.
"""

from __future__ import annotations

import builtins
import itertools
import keyword
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.sandbox.statements import CLOSING, MOST, OPENING, Word, statements

_NAME, _NUMBER, _STRING = "n", "0", '""'
_BUILTINS = frozenset(dir(builtins))


class Token(NamedTuple):
    """``word`` is what is compared; it stands in the lines ``first`` to ``last``, from 1 on."""

    word: str
    first: int
    last: int


def tokens(text: str) -> list[Token]:
    """At most ``MOST`` of them; whoever needs to know asks ``is_cut``."""
    bare = [_bare(statement) for statement in statements(text)]
    own = {name for statement in bare for name in _defined(statement)}
    return [token for statement in bare for token in _words(statement, own)][:MOST]


def is_cut(found: Sequence[Token]) -> bool:
    """Whether the text may go on after these tokens."""
    return len(found) == MOST


def _bare(statement: list[Word]) -> list[Word]:
    """Without annotations; nothing of what is a docstring, an import, or does nothing."""
    if not statement or all(raw.kind == "string" for raw in statement):
        return []
    first = statement[0].text
    if first in ("import", "from") or (len(statement) == 1 and first in ("pass", "...")):
        return []
    defines = "def" in (first, statement[min(1, len(statement) - 1)].text)
    return _signature(statement) if defines else _assignment(statement)


def _assignment(statement: list[Word]) -> list[Word]:
    """``x: T = y`` without ``: T``; without a value it does nothing."""
    place = 1
    while place + 1 < len(statement) and statement[place].text == ".":
        place += 2
    is_name = statement[0].kind == "name" and not keyword.iskeyword(statement[0].text)
    if not is_name or place >= len(statement) or statement[place].text != ":":
        return statement
    rest = itertools.dropwhile(lambda raw: raw.text != "=", statement[place:])
    value = list(rest)
    return [*statement[:place], *value] if value else []


def _signature(statement: list[Word]) -> list[Word]:
    """``def f(x: T = y) -> T:`` without ``: T`` and ``-> T``, and all that follows."""
    kept: list[Word] = []
    depth, in_type, in_lambda, is_over = 0, False, False, False
    for place, raw in enumerate(statement):
        word = raw.text
        depth -= word in CLOSING
        if depth == 0 and word == ":":
            return [*kept, *statement[place:]]
        is_over = is_over or (depth == 0 and word == "->")
        if (depth == 0 and word == ")") or (depth == 1 and word in (",", "=")):
            in_type = False
        in_type = in_type or (depth == 1 and word == ":" and not in_lambda)
        if not in_type and not is_over:
            kept.append(raw)
        in_lambda = word == "lambda" or (in_lambda and word != ":")
        depth += word in OPENING
    return kept


def _defined(statement: Sequence[Word]) -> Iterator[str]:
    """What a statement gives a name to that may stand after a dot: a method, ``self.x``."""
    for before, raw, after in zip(statement, statement[1:], [*statement[2:], None], strict=False):
        assigned = before.text == "." and after is not None and after.text == "="
        if assigned or before.text in ("def", "class"):
            yield raw.text


def _words(statement: Sequence[Word], own: set[str]) -> Iterator[Token]:
    """A dot and its attribute are one token; a comma before a closing bracket is none."""
    before = ""
    following = [*(raw.text for raw in statement[1:]), ""]
    for raw, after in zip(statement, following, strict=False):
        is_dot = raw.text == "." and after.isidentifier()
        is_last_comma = raw.text == "," and after in CLOSING
        if not is_dot and not is_last_comma:
            yield Token(_word(raw, before, own), raw.first, raw.last)
        before = raw.text


def _word(raw: Word, before: str, own: set[str]) -> str:
    if raw.kind == "number":
        return _NUMBER
    if raw.kind == "string":
        return _STRING
    if raw.kind != "name" or keyword.iskeyword(raw.text):
        return raw.text
    if before == ".":
        return f".{_NAME if raw.text in own else raw.text}"
    return raw.text if raw.text in _BUILTINS and raw.text not in own else _NAME
