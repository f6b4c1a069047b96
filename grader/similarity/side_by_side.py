"""Two texts -> the lines of each that hold what they share, with a little of what is around."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.sandbox.own_text import own_lines
from grader.similarity.tokens import Token, tokens
from grader.similarity.winnowing import K, grams

MOST_LINES = 40  # of one side
_AROUND = 1  # a line that is not shared, between those that are
_WIDEST = 120  # characters of a line


@dataclass(frozen=True)
class Line:
    """One line; ``number`` counts from 1, and 0 stands for lines that are left out."""

    number: int
    text: str
    is_shared: bool = False


LEFT_OUT = Line(0, "⋮")


def side(text: str, other: str, stub: str) -> tuple[Line, ...]:
    """The lines of ``text`` that hold what ``other`` holds as well, and the stub does not."""
    found = tokens(text)
    theirs = set(grams(tokens(other))) - set(grams(tokens(stub)))
    given = {line.strip() for line in own_lines(stub)}
    own = {
        number: line for number, line in enumerate(own_lines(text), 1) if line.strip() not in given
    }
    return tuple(_shown(own, _lines(found, theirs) & own.keys()))


def _lines(found: Sequence[Token], theirs: set[int]) -> set[int]:
    lines: set[int] = set()
    for place, gram in enumerate(grams(found)):
        if gram in theirs:
            for token in found[place : place + K]:
                lines.update((token.first, token.last))
    return lines


def _shown(own: Mapping[int, str], shared: set[int]) -> Iterator[Line]:
    near = {number + step for number in shared for step in range(-_AROUND, _AROUND + 1)}
    shown, last = sorted(near & own.keys()), 0
    for number in shown[:MOST_LINES]:
        if number > last + 1:
            yield LEFT_OUT
        yield Line(number, cut(own[number]), number in shared)
        last = number
    if len(shown) > MOST_LINES:
        yield LEFT_OUT


def cut(text: str) -> str:
    """A line as it is shown: a minified one is long."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
