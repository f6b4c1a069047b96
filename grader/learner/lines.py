"""Lines of text with a style each, for any size of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grader.learner import words
from grader.model import Exercise, Verdict
from grader.report.feedback import verdict_lines

STYLE_OF_SIGN = {"✓": "good", "✗": "bad", "!": "warn", "→": "hint", "·": "dim", "≈": "dim"}
MAX_WIDTH = 100


class Line(NamedTuple):
    """``style`` is one of '', bold, dim, good, bad, warn, hint."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class Size:
    """The terminal, in characters."""

    columns: int = 80
    rows: int = 24

    @property
    def width(self) -> int:
        return max(20, min(self.columns, MAX_WIDTH))


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"


def hung(text: str, width: int) -> list[Line]:
    """A line that, when it must be broken, goes on under its own beginning."""
    inner = text.lstrip()
    style = STYLE_OF_SIGN.get(inner[:1], "")
    hang = " " * (len(text) - len(inner) + 2 * bool(style))
    broken = textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)
    return [Line(part, style) for part in broken]


def wrapped(text: str, width: int, style: str) -> list[Line]:
    """Text broken between words, all in one style."""
    return [Line(part, style) for part in textwrap.wrap(text, width)]


def next_hint(exercise: Exercise, shown: Sequence[int], of: str = "") -> int | None:
    """The number, counted from 1, of the first hint that was not shown yet: of those on the
    function or class ``of`` if it has any, or else of all on the page. None if there is none.
    """
    wanted = exercise.hints_of(of) if of else exercise.hints
    for number, hint in enumerate(exercise.hints, start=1):
        if hint in (wanted or exercise.hints) and number not in shown:
            return number
    return None


def hints_shown(exercise: Exercise, shown: Sequence[int], of: str = "") -> list[int]:
    """Of the numbers of hints that were shown, those on ``of``, if that is known."""
    there = [number for number in shown if 0 < number <= len(exercise.hints)]
    wanted = exercise.hints_of(of) if of else ()
    return [n for n in there if exercise.hints[n - 1] in (wanted or exercise.hints)]


def hint_lines(exercise: Exercise, number: int, width: int, of: str = "") -> list[Line]:
    """The hint of this number, as one of those on its function, or on ``of`` which was asked for,
    or on the whole page; and whose it is where the page has functions that it is not of.
    """
    hint = exercise.hints[number - 1]
    among = exercise.hints_of(hint.of[0] if hint.of else of)
    apart = hint.of and set(hint.of) < set(exercise.names)
    about = words.HINT_ABOUT.format(names=", ".join(hint.of)) if apart else ""
    place, total = among.index(hint) + 1, len(among)
    said = words.HINT_OF.format(number=place, total=total, about=about, hint=hint.says)
    return hung(said, width)


def told(verdict: Verdict, width: int) -> list[Line]:
    """One verdict in full."""
    return [line for text in verdict_lines(verdict) for line in hung(text, width)]
