"""A plain formula, as a page holds it, typeset: as MathML for browsers, as TeX for notebooks.

``softmax(Q K^T / sqrt(d_k)) V`` gets its fraction, its root and its indices. Behind a sign of
equality, words are set between the signs. What is a sentence, or holds anything unknown here, is
left as it stands: better plain than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from grader.pages.notation import MathML, Notation, Tex

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z]\w*(?:,[A-Za-z0-9](?=\^|\b))?(?<!_))"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<sub>_\w+)|(?P<dots>\.\.\.?)"
    r"|(?P<sign>_\{|->|(?<=\s)\.(?=\s)|[-+=<>*/@^()\[\]},]))"
)
_WORDS = frozenset(
    "an all along and any as axis between by cut each every for from if in is it of on once or"
    " otherwise over stored that the to where which with without".split()
)
_HYPHEN = re.compile(r"[a-z]{2}-[a-z]|[a-z]-[a-z]{2}")  # `t-k` is a difference
_GAP = re.compile(r"\s{2,}(?![\s=])")  # between two formulas; before a sign of equality it lines up
_LABEL = re.compile(r"[A-Za-z][\w ()-]*:")
_CLOSING = {"(": ")", "[": "]"}
_RELATIONS, _SUMS, _PRODUCTS = ("=", "<", ">", ",", "->"), ("+", "-"), ("*", ".", "@", "/")
_FACTORS = ("name", "number", "dots", "words")
_SHORT = 3  # letters: `log_p` has an index, `feed_forward` is one word


class _NoFormulaError(Exception):
    """What there is, is no formula."""


def mathml(text: str) -> str | None:
    """One formula as a MathML element; None if it is none that can be read."""
    body = _written(text, MathML())
    return None if body is None else f'<math displaystyle="true">{body}</math>'


def tex(line: str) -> str | None:
    """A line of formulas, with gaps between them, in TeX; None if not all can be read. It may begin
    with a label, which ends in a colon.
    """
    label, *formulas = _GAP.split(line.strip())
    is_labelled = len(formulas) == 1 and _LABEL.fullmatch(label)  # more of them are a table
    first = Tex().words(label) if is_labelled else _written(label, Tex())
    parts = [first, *(_written(part, Tex()) for part in formulas)]
    known = [part for part in parts if part is not None]
    return r"\quad ".join(known) if len(known) == len(parts) else None


def _written(text: str, notation: Notation) -> str | None:
    try:
        tokens = [] if _HYPHEN.search(text) else list(_tokens(text))
        if not tokens or _is_a_sentence(tokens):
            return None
        return _Reader(list(_with_phrases(tokens)), notation).relations(end="")
    except _NoFormulaError:
        return None


def _is_a_sentence(tokens: Iterable[tuple[str, str]]) -> bool:
    """Words before any sign of equality: it would be hard to read as a formula, and cannot wrap."""
    before = {token for _, token in takewhile(lambda token: token[1] != "=", tokens)}
    return not _WORDS.isdisjoint(before)


def _with_phrases(tokens: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Words that stand side by side are one token; behind one, ``a`` is an article."""
    phrase = ""
    for kind, token in tokens:
        if token in _WORDS or (phrase and token == "a"):
            phrase = f"{phrase} {token}".strip()
            continue
        if phrase:
            yield "words", phrase
        phrase = ""
        yield kind, token
    if phrase:
        yield "words", phrase


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place, text = 0, text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise _NoFormulaError
        place = found.end()
        kind = found.lastgroup or ""
        yield kind, found[kind]


class _Reader:
    """Reads from left to right: relations of sums of products of powers."""

    def __init__(self, tokens: list[tuple[str, str]], notation: Notation) -> None:
        self._tokens, self._place, self._in = tokens, 0, notation
        self._raised = 0  # how many powers we are in: a fraction there would be too small to read

    @property
    def _next(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("", "")

    def _take(self) -> tuple[str, str]:
        if self._place == len(self._tokens):
            raise _NoFormulaError
        self._place += 1
        return self._tokens[self._place - 1]

    def relations(self, end: str) -> str:
        """Up to the bracket ``end``, or to the end of all."""
        parts: list[str] = []
        while self._next[1] != end:
            if self._next[1] in _RELATIONS:
                parts.append(self._in.sign(self._take()[1]))
            else:
                parts.append(self._sum())
        return self._in.row(parts)

    def _sum(self) -> str:
        parts = [self._in.sign(self._take()[1])] if self._next[1] in _SUMS else []
        parts.append(self._product())
        while self._next[1] in _SUMS:
            parts += [self._in.sign(self._take()[1]), self._product()]
        return self._in.row(parts)

    def _product(self) -> str:
        """Side by side is times. Above a fraction's line stands all that came before it, below it
        what comes next, and no brackets around either.
        """
        parts: list[str] = []
        bare, wide = "", False  # whether the factor before was a word, which needs room
        while self._next[0] in _FACTORS or self._next[1] in _CLOSING:
            word = self._is_a_word()
            shown, bare = self._power()
            parts += [self._in.room, shown] if parts and (wide or word) else [shown]
            wide = word
            while self._next[1] == "/":
                self._take()
                parts, bare, wide = [self._over(parts, bare)], "", False
            if self._next[1] in _PRODUCTS:
                parts.append(self._in.sign(self._take()[1]))
                wide = False
        if not parts:
            raise _NoFormulaError
        return self._in.row(parts)

    def _over(self, parts: list[str], bare: str) -> str:
        """All that came before, divided by the next factor."""
        if self._raised:
            return self._in.row([*parts, self._in.sign("/"), self._power()[0]])
        above = bare if len(parts) == 1 and bare else self._in.row(parts)
        if self._next[1] == "sum":  # one told in words, which goes on to the end
            return self._in.fraction(above, self.relations(end=""))
        is_a_sum = self._next[1].startswith("sum_")
        return self._in.fraction(above, self._product() if is_a_sum else self._power()[1])

    def _is_a_word(self) -> bool:
        """A name of several letters, whatever follows it: it needs room, as words do."""
        kind, token = self._next
        if kind == "words":
            return True
        return kind == "name" and len(token.partition("_")[0]) > 1 and token[:3] != "sum"

    def _power(self) -> tuple[str, str]:
        """A factor with its index and its power; the second without the brackets around it."""
        shown, bare = self._factor()
        while self._next[0] == "sub" or self._next[1] in ("^", "_{"):
            token = self._take()[1]
            if token == "^":
                self._raised += 1
                shown = self._in.power(shown, self._power()[1])
                self._raised -= 1
            elif token == "_{":
                shown = self._in.index(shown, self._inside("_{"))
            else:
                shown = self._in.index(shown, self._named(token[1:]))
            bare = shown
        return shown, bare

    def _factor(self) -> tuple[str, str]:
        kind, token = self._take()
        if token in _CLOSING:
            inside = self._inside(token)
            return self._in.bracketed(token, inside), inside
        if kind == "words":
            return (self._in.words(token),) * 2
        if kind not in _FACTORS:
            raise _NoFormulaError
        return (self._named_or_called(kind, token),) * 2

    def _named_or_called(self, kind: str, token: str) -> str:
        if kind != "name":
            return self._in.number(token) if kind == "number" else self._in.sign("…")
        if self._next[1] not in _CLOSING:
            return self._named(token)
        opening = self._take()[1]
        inside = self._inside(opening)
        if token == "sqrt":
            return self._in.root(inside)
        called = self._named(token, called=True)
        return self._in.row([called, self._in.bracketed(opening, inside)])

    def _inside(self, opening: str) -> str:
        inside = self.relations(_CLOSING.get(opening, "}"))
        self._take()
        return inside

    def _named(self, text: str, *, called: bool = False) -> str:
        """``d_k`` has an index, and so has ``W_query``; ``feed_forward`` is one word."""
        head, _, tail = text.partition("_")
        has_index = len(head) == 1 or head == "sum" or len(tail) == 1
        if tail and (has_index or (len(tail) <= _SHORT and not called)):
            return self._in.index(self._named(head), self._named(tail))
        return self._in.number(text) if text.isdigit() else self._in.name(text)
