"""The lines of a submission that a failure is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.examiner.surroundings import Surroundings
from grader.exports.kept import Kept
from grader.model import Report, Verdict
from grader.sandbox.own_text import own_lines
from grader.similarity.side_by_side import Line, cut
from grader.similarity.tokens import tokens

MOST_LINES = 12
_CLOSING = (")", "]", "}")


@dataclass(frozen=True)
class Example:
    """Whose lines, and these: where one is known to be at fault, that one is marked."""

    submission: str
    lines: tuple[Line, ...]


def example_of(report: Report, verdict: Verdict, kept: Kept) -> Example | None:
    """The line that the cause names with those around it, or the function that was called, or all
    of a short module; None where nothing is known, or its text is not kept.
    """
    module = verdict.check.exercise
    text = kept.text(report, module)
    if text is None or verdict.cause is None:
        return None
    stub = kept.given(module).stub
    place = verdict.cause.place
    if place is not None and place.file == f"{module}.py" and place.line:
        lines = _around(place.line, _own(text, stub))
    else:
        lines = _function(verdict, module, text, stub) or _all_if_few(_own(text, stub))
    return Example(report.submission, tuple(lines)) if lines else None


def _own(text: str, stub: str) -> list[Line]:
    """The lines that hold code and do not stand in the stub."""
    given = {line.strip() for line in own_lines(stub)}
    lines = own_lines(text)
    numbers = sorted({n for token in tokens(text) for n in (token.first, token.last)})
    every = (Line(number, cut(lines[number - 1])) for number in numbers if number <= len(lines))
    return [line for line in every if line.text.strip() not in given]


def _around(number: int, own: Sequence[Line]) -> list[Line]:
    """So that the line stands in the middle, where there are lines before it."""
    before = [line for line in own if line.number < number][-MOST_LINES // 2 :]
    after = [line for line in own if line.number >= number][: MOST_LINES - len(before)]
    near = [line for line in (*before, *after) if abs(line.number - number) <= MOST_LINES]
    return [Line(one.number, one.text, one.number == number) for one in near]


def _function(verdict: Verdict, module: str, text: str, stub: str) -> list[Line]:
    called = verdict.cause.facts.get("call") if verdict.cause else None
    if not isinstance(called, Mapping) or not isinstance(called.get("name"), str):
        return []
    around = Surroundings(files={module: text}, module=module)
    first = around.line_of(around.own_name(called)).line
    inside = set(_block(own_lines(text), first)) if first else set()
    return [line for line in _own(text, stub) if line.number in inside][:MOST_LINES]


def _all_if_few(own: list[Line]) -> list[Line]:
    """What a short module holds, where nobody knows which function it is about."""
    return own if len(own) <= MOST_LINES else []


def _block(lines: Sequence[str], first: int) -> Iterator[int]:
    """The numbers of the lines of what begins in line ``first``, told by indentation."""
    yield first
    margin = _margin(lines[first - 1])
    for number, line in enumerate(lines[first:], start=first + 1):
        bare = line.strip()
        if bare and _margin(line) <= margin and not bare.startswith((*_CLOSING, "#")):
            return
        yield number


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
