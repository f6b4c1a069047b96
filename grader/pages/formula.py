"""A plain formula, as a page holds it, as MathML, which browsers typeset by themselves.

``softmax(Q K^T / sqrt(d_k)) V`` gets its fraction, its root and its indices. What holds words, or
anything unknown here, is left as it stands: better plain than wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z]\w*(?:,[A-Za-z0-9](?=\^|\b))?(?<!_))|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"|(?P<sub>_\w+)|(?P<dots>\.\.\.)|(?P<sign>[-+=<>*/@^()\[\],]))"
)
_WORDS = frozenset(
    "an all along and any as axis between by cut each every for from if in is it of on once or"
    " otherwise over stored that the to where which with without".split()
)
_HYPHEN = re.compile(r"[a-z]-[a-z]")
_CLOSING = {"(": ")", "[": "]"}
_RELATIONS, _SUMS, _PRODUCTS = ("=", "<", ">", ","), ("+", "-"), ("*", "@", "/")
_SHOWN = {"*": "·", "-": "−", "@": ""}


class _NoFormulaError(Exception):
    """What there is, is no formula."""


def mathml(text: str) -> str | None:
    """One formula as a MathML element; None if it is none that can be read."""
    try:
        tokens = [] if _HYPHEN.search(text) else list(_tokens(text))
        if not tokens or _WORDS & {token for _, token in tokens}:
            return None
        reader = _Reader(tokens)
        body = reader.relations(end="")
        return f'<math displaystyle="true">{body}</math>'
    except _NoFormulaError:
        return None


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

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens, self._place = tokens, 0
        self._raised = 0  # how many powers we are in: a fraction there would be too small to read

    @property
    def _next(self) -> str:
        return self._tokens[self._place][1] if self._place < len(self._tokens) else ""

    def _take(self) -> tuple[str, str]:
        if self._place == len(self._tokens):
            raise _NoFormulaError
        self._place += 1
        return self._tokens[self._place - 1]

    def relations(self, end: str) -> str:
        """Up to the bracket ``end``, or to the end of all."""
        parts: list[str] = []
        while self._next != end:
            if self._next in _RELATIONS:
                parts.append(_sign(self._take()[1]))
            else:
                parts.append(self._sum())
        return _row(parts)

    def _sum(self) -> str:
        parts = [_sign(self._take()[1])] if self._next in _SUMS else []
        parts.append(self._product())
        while self._next in _SUMS:
            parts += [_sign(self._take()[1]), self._product()]
        return _row(parts)

    def _product(self) -> str:
        """Side by side is times. Above a fraction's line stands all that came before it, below it
        what comes next, and no brackets around either.
        """
        parts: list[str] = []
        bare = ""
        wide = False  # whether the factor before was a word, which needs room
        while self._begins_a_factor():
            word = self._is_a_word()
            shown, bare = self._power()
            parts += [_ROOM, shown] if parts and (wide or word) else [shown]
            wide = word
            while self._next in _PRODUCTS:
                sign = self._take()[1]
                if sign != "/":
                    parts.append(_sign(sign) if _SHOWN[sign] else _ROOM)
                    wide = False
                    break
                if self._raised:
                    parts += ["<mo>/</mo>", self._power()[0]]
                    continue
                above = bare if len(parts) == 1 else _row(parts)
                parts = [f"<mfrac>{above}{self._divisor()}</mfrac>"]
                bare, wide = parts[0], False
        if not parts:
            raise _NoFormulaError
        return _row(parts)

    def _divisor(self) -> str:
        if self._next.startswith("sum_"):
            return self._product()
        return self._power()[1]

    def _begins_a_factor(self) -> bool:
        if self._place == len(self._tokens):
            return False
        kind, token = self._tokens[self._place]
        return kind in ("name", "number", "dots") or token in _CLOSING

    def _is_a_word(self) -> bool:
        """A name of several letters, whatever follows it: it needs room, as words do."""
        kind, token = self._tokens[self._place]
        return kind == "name" and len(token.partition("_")[0]) > 1 and token[:3] != "sum"

    def _power(self) -> tuple[str, str]:
        """A factor with its index and its power; the second without the brackets around it."""
        shown, bare = self._factor()
        while True:
            if self._place < len(self._tokens) and self._tokens[self._place][0] == "sub":
                shown = f"<msub>{shown}{_name(self._take()[1][1:])}</msub>"
            elif self._next == "^":
                self._take()
                self._raised += 1
                shown = f"<msup>{shown}{self._power()[1]}</msup>"
                self._raised -= 1
            else:
                return shown, (shown if shown.startswith(("<msub>", "<msup>")) else bare)
            bare = shown

    def _factor(self) -> tuple[str, str]:
        kind, token = self._take()
        if token in _CLOSING:
            inside = self._inside(token)
            return _bracketed(token, inside), inside
        if kind == "number":
            return (f"<mn>{token}</mn>",) * 2
        if kind == "dots":
            return ("<mo>…</mo>",) * 2
        if kind != "name":
            raise _NoFormulaError
        if token == "sqrt" and self._next == "(":
            self._take()
            return (f"<msqrt>{self._inside('(')}</msqrt>",) * 2
        if self._next in _CLOSING:
            opening = self._take()[1]
            called = _name(token, called=True)
            return (_row([called, _bracketed(opening, self._inside(opening))]),) * 2
        return (_name(token),) * 2

    def _inside(self, opening: str) -> str:
        inside = self.relations(_CLOSING[opening])
        self._take()
        return inside


_ROOM = '<mspace width="0.3em"/>'


def _sign(sign: str) -> str:
    return f"<mo>{escape(_SHOWN.get(sign, sign))}</mo>"


def _bracketed(opening: str, inside: str) -> str:
    tall = "<mfrac>" in inside
    begins = "<mo>" if tall else '<mo stretchy="false">'
    return f"<mrow>{begins}{opening}</mo>{inside}{begins}{_CLOSING[opening]}</mo></mrow>"


def _row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _name(text: str, *, called: bool = False) -> str:
    """``d_k`` has an index, and so has ``W_query``; ``feed_forward`` is one word."""
    head, _, tail = text.partition("_")
    if tail and (len(head) == 1 or (len(tail) <= 3 and not called) or head in ("head", "sum")):
        return f"<msub>{_name(head)}{_name(tail)}</msub>"
    if head == "sum" and not tail:
        return "<mo>∑</mo>"
    element = "mn" if text.isdigit() else "mi"
    return f"<{element}>{escape(text)}</{element}>"
