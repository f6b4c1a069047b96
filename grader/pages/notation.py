"""How the parts of a formula are written down: as MathML for a page, as TeX for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

_CLOSING = {"(": ")", "[": "]"}
_SIGNS = {"*": "·", ".": "·", "-": "−", "->": "→"}


class Notation(Protocol):
    """One way to write formulas; ``room`` stands between two words."""

    room: str

    def row(self, parts: Sequence[str]) -> str: ...

    def sign(self, sign: str) -> str: ...

    def name(self, text: str) -> str: ...

    def words(self, text: str) -> str: ...

    def number(self, text: str) -> str: ...

    def fraction(self, above: str, below: str) -> str: ...

    def index(self, of: str, index: str) -> str: ...

    def power(self, of: str, power: str) -> str: ...

    def root(self, of: str) -> str: ...

    def bracketed(self, opening: str, inside: str) -> str: ...


class MathML:
    """What browsers typeset by themselves."""

    room = '<mspace width="0.3em"/>'

    def row(self, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def sign(self, sign: str) -> str:
        if sign == "@":
            return self.room
        return f"<mo>{escape(_SIGNS.get(sign, sign))}</mo>"

    def name(self, text: str) -> str:
        return "<mo>∑</mo>" if text == "sum" else f"<mi>{escape(text)}</mi>"

    def words(self, text: str) -> str:
        return f"<mtext>{escape(text)}</mtext>"

    def number(self, text: str) -> str:
        return f"<mn>{text}</mn>"

    def fraction(self, above: str, below: str) -> str:
        return f"<mfrac>{above}{below}</mfrac>"

    def index(self, of: str, index: str) -> str:
        return f"<msub>{of}{index}</msub>"

    def power(self, of: str, power: str) -> str:
        return f"<msup>{of}{power}</msup>"

    def root(self, of: str) -> str:
        return f"<msqrt>{of}</msqrt>"

    def bracketed(self, opening: str, inside: str) -> str:
        begins = "<mo>" if "<mfrac>" in inside else '<mo stretchy="false">'
        return f"<mrow>{begins}{opening}</mo>{inside}{begins}{_CLOSING[opening]}</mo></mrow>"


class Tex:
    """What MathJax typesets in a notebook."""

    room = r"\, "
    _KNOWN = ("exp", "log", "sin", "cos", "tanh", "max", "min", "sum")
    _SIGNS = {"*": r"\cdot ", ".": r"\cdot ", "->": r"\to ", "@": r"\,", "…": r"\dots "}

    def row(self, parts: Sequence[str]) -> str:
        return "".join(parts)

    def sign(self, sign: str) -> str:
        return self._SIGNS.get(sign, sign)

    def name(self, text: str) -> str:
        if text in self._KNOWN:
            return rf"\{text} "
        return text if len(text) == 1 else rf"\mathrm{{{text}}}".replace("_", r"\_")

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def number(self, text: str) -> str:
        return text

    def fraction(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def index(self, of: str, index: str) -> str:
        return f"{of}_{{{index}}}"

    def power(self, of: str, power: str) -> str:
        return f"{of}^{{{power}}}"

    def root(self, of: str) -> str:
        return rf"\sqrt{{{of}}}"

    def bracketed(self, opening: str, inside: str) -> str:
        left, right = (r"\left", r"\right") if r"\frac" in inside else ("", "")
        return f"{left}{opening}{inside}{right}{_CLOSING[opening]}"
