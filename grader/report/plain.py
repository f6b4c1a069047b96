"""Untrusted text -> what a terminal and a spreadsheet show as it is, on one line."""

from __future__ import annotations

LINE_END = "⏎"
UNSEEN = "�"
_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_JOINERS = "\u200c\u200d"  # part of correct Persian and Indic spelling
# What a spreadsheet calculates, also as full-width signs.
_FORMULAS = tuple("=+-@＝＋－＠")


def one_line(text: str) -> str:
    """``text`` with a visible mark for each line end, and for whatever else is not printable."""
    return "".join(map(_marked, text.replace("\r\n", "\n")))


def _marked(character: str) -> str:
    if character in _LINE_ENDS:
        return LINE_END
    return character if character.isprintable() or character in _JOINERS else UNSEEN


def cell(text: str) -> str:
    """One cell of a table in CSV: a spreadsheet must not take what somebody wrote for a formula.

    Spaces before a formula do not stop every program from calculating it. Source: OWASP, CSV
    injection.
    """
    shown = one_line(text)
    first = shown.lstrip(f" {_JOINERS}{UNSEEN}{LINE_END}")
    return f"'{shown}" if first.startswith(_FORMULAS) else shown
