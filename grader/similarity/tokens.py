"""A text in Python -> its tokens, as they are compared.

What changes nothing is left out: comments, docstrings, annotations, imports, layout. What can be
chosen freely is made equal: names, numbers and strings. What cannot be renamed stays: keywords,
builtins, and attributes that the text does not define itself, like ``.masked_fill``.

Nothing is parsed, which a hostile text can crash; a text with errors in it has tokens as well.
"""

from __future__ import annotations

import builtins
import itertools
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grader.sandbox.own_text import own_lines

MOST = 20_000  # tokens of a text; the longest solution has a tenth of these
_RESTARTS = 20  # of one text, after places that are no Python
_NAME, _NUMBER, _STRING = "n", "0", '""'
_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
# From Python 3.12 on an f-string comes in pieces, and from 3.14 on a t-string.
_OPENS = tuple(getattr(tokenize, f"{kind}STRING_START", -1) for kind in "FT")
_CLOSES = tuple(getattr(tokenize, f"{kind}STRING_END", -1) for kind in "FT")
_BUILTINS = frozenset(dir(builtins))


class Token(NamedTuple):
    """``word`` is what is compared; it stands in the lines ``first`` to ``last``, from 1 on."""

    word: str
    first: int
    last: int


class _Raw(NamedTuple):
    kind: int
    text: str
    first: int
    last: int


def tokens(text: str) -> list[Token]:
    """At most ``MOST`` of them; whoever needs to know asks ``is_cut``."""
    statements = [_bare(statement) for statement in _statements(text)]
    own = {name for statement in statements for name in _defined(statement)}
    return [token for statement in statements for token in _words(statement, own)][:MOST]


def is_cut(found: Sequence[Token]) -> bool:
    """Whether the text may go on after these tokens."""
    return len(found) == MOST


def _statements(text: str) -> Iterator[list[_Raw]]:
    statement: list[_Raw] = []
    for raw in itertools.islice(_whole_strings(_raw(text)), 4 * MOST):  # with layout
        if raw.kind == tokenize.NEWLINE or raw.text == ";":
            yield statement
            statement = []
        elif raw.kind not in _LAYOUT and not raw.text.isspace():
            statement.append(raw)
    yield statement


def _raw(text: str) -> Iterator[_Raw]:
    """As Python's own tokenizer reads it; after an error it begins anew in that line, or after."""
    lines = [f"{line}\n" for line in own_lines(text.replace("\0", " "))]
    start = 0
    for _ in range(_RESTARTS):
        rest = itertools.islice(lines, start, None)
        try:
            for kind, word, (first, _), (last, _), _ in tokenize.generate_tokens(rest.__next__):
                yield _Raw(kind, word, start + first, start + last)
            return
        except (tokenize.TokenError, SyntaxError) as error:
            yield _Raw(tokenize.NEWLINE, "", start, start)
            start += max(_row(error) - 1, 1)


def _row(error: tokenize.TokenError | SyntaxError) -> int:
    return (error.lineno or 0) if isinstance(error, SyntaxError) else int(error.args[1][0])


def _whole_strings(raw: Iterator[_Raw]) -> Iterator[_Raw]:
    """A string in pieces is one string."""
    depth, first = 0, 0
    for one in raw:
        if one.kind in _OPENS:
            first = first if depth else one.first
            depth += 1
        if depth == 0:
            yield one
        elif one.kind in _CLOSES:
            depth -= 1
            if depth == 0:
                yield _Raw(tokenize.STRING, _STRING, first, one.last)


def _bare(statement: list[_Raw]) -> list[_Raw]:
    """Without annotations; nothing of what is a docstring, an import, or does nothing."""
    if not statement or all(raw.kind == tokenize.STRING for raw in statement):
        return []
    first = statement[0].text
    if first in ("import", "from") or (len(statement) == 1 and first in ("pass", "...")):
        return []
    defines = "def" in (first, statement[min(1, len(statement) - 1)].text)
    return _signature(statement) if defines else _assignment(statement)


def _assignment(statement: list[_Raw]) -> list[_Raw]:
    """``x: T = y`` without ``: T``; without a value it does nothing."""
    place = 1
    while place + 1 < len(statement) and statement[place].text == ".":
        place += 2
    is_name = statement[0].kind == tokenize.NAME and not keyword.iskeyword(statement[0].text)
    if not is_name or place >= len(statement) or statement[place].text != ":":
        return statement
    rest = itertools.dropwhile(lambda raw: raw.text != "=", statement[place:])
    value = list(rest)
    return [*statement[:place], *value] if value else []


def _signature(statement: list[_Raw]) -> list[_Raw]:
    """``def f(x: T = y) -> T:`` without ``: T`` and ``-> T``, and all that follows."""
    kept: list[_Raw] = []
    depth, in_type, in_lambda, is_over = 0, False, False, False
    for place, raw in enumerate(statement):
        word = raw.text
        depth -= word in (")", "]", "}")
        if depth == 0 and word == ":":
            return [*kept, *statement[place:]]
        is_over = is_over or (depth == 0 and word == "->")
        if (depth == 0 and word == ")") or (depth == 1 and word in (",", "=")):
            in_type = False
        in_type = in_type or (depth == 1 and word == ":" and not in_lambda)
        if not in_type and not is_over:
            kept.append(raw)
        in_lambda = word == "lambda" or (in_lambda and word != ":")
        depth += word in ("(", "[", "{")
    return kept


def _defined(statement: Sequence[_Raw]) -> Iterator[str]:
    """What a statement gives a name to that may stand after a dot: a method, ``self.x``."""
    for before, raw, after in zip(statement, statement[1:], [*statement[2:], None], strict=False):
        assigned = before.text == "." and after is not None and after.text == "="
        if assigned or before.text in ("def", "class"):
            yield raw.text


def _words(statement: Sequence[_Raw], own: set[str]) -> Iterator[Token]:
    """A dot and its attribute are one token; a comma before a closing bracket is none."""
    before = ""
    following = [*(raw.text for raw in statement[1:]), ""]
    for raw, after in zip(statement, following, strict=False):
        is_dot = raw.text == "." and after.isidentifier()
        is_last_comma = raw.text == "," and after in (")", "]", "}")
        if not is_dot and not is_last_comma:
            yield Token(_word(raw, before, own), raw.first, raw.last)
        before = raw.text


def _word(raw: _Raw, before: str, own: set[str]) -> str:
    if raw.kind == tokenize.NUMBER:
        return _NUMBER
    if raw.kind == tokenize.STRING:
        return _STRING
    if raw.kind != tokenize.NAME or keyword.iskeyword(raw.text):
        return raw.text
    if before == ".":
        return f".{_NAME if raw.text in own else raw.text}"
    return raw.text if raw.text in _BUILTINS and raw.text not in own else _NAME
