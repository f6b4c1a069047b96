"""The functions of a learner's text, line by line.

Told by indentation and by words, for a hostile text must not be parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import takewhile

from grader.sandbox.own_text import own_lines

_TEXTS = re.compile(
    r"\"\"\"(?:.|\n)*?\"\"\"|\'\'\'(?:.|\n)*?\'\'\'|\"[^\"\n]*\"|\'[^\'\n]*\'|#[^\n]*"
)
_FORMATTED = re.compile(r"(?i)(?<![\w\"'])(?:f|fr|rf)$")  # what stands before its quotation mark
_DEFINED = re.compile(r"(?:async[ \t]+)?(def|class)[ \t]+(\w+)")


@dataclass(frozen=True)
class Line:
    """One that is not empty."""

    number: int  # from 1
    margin: int
    text: str  # without comments and what stands in quotation marks
    formatted: str = ""  # the words in its f-strings, from their first brace on

    @property
    def is_closed(self) -> bool:
        return all(self.text.count(a) == self.text.count(b) for a, b in ("()", "[]", "{}"))


@dataclass(frozen=True)
class Function:
    """A function or method of the text; ``lines`` hold its head and all below it."""

    name: str
    lines: tuple[Line, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """Those of the body, but for what is set, and for the names of arguments in calls."""
        text = "\n".join(f"{line.text} {line.formatted}" for line in self.body)
        return frozenset(re.findall(r"[^\W\d]\w*\b(?![ \t]*=(?!=))", text))

    @cached_property
    def body(self) -> Sequence[Line]:
        """What comes after the head, which may take several lines."""
        depth = 0
        for at, line in enumerate(self.lines):
            depth += sum(map(line.text.count, "([{")) - sum(map(line.text.count, ")]}"))
            if depth == 0:
                return self.lines[at + 1 :]
        return ()

    @cached_property
    def statements(self) -> Sequence[Line]:
        """The lines of the body in which one begins: those that go on within brackets, or after a
        backslash, are left out.
        """
        found, depth, goes_on = [], 0, False
        for line in self.body:
            if depth == 0 and not goes_on:
                found.append(line)
            depth += sum(map(line.text.count, "([{")) - sum(map(line.text.count, ")]}"))
            goes_on = line.text.endswith("\\")
        return found

    def begins_with(self, word: str) -> bool:
        """Whether it stands in the first line behind the docstring."""
        first = next((line.text for line in self.statements if line.text != '""'), "")
        return re.search(rf"\b{word}\b", first) is not None

    @property
    def falls_through(self) -> bool:
        """Whether one of its ways certainly comes to its end without a ``return``."""
        return _falls_through(self.statements)

    @property
    def holds_another(self) -> bool:
        """Whether a function is defined in it."""
        return any(_DEFINED.match(line.text) for line in self.body)

    @property
    def head(self) -> str:
        return "\n".join(line.text for line in self.lines[: len(self.lines) - len(self.body)])


@lru_cache(maxsize=16)
def functions_in(text: str) -> tuple[Function, ...]:
    """Those of the text itself, and the methods of its classes."""
    return tuple(_read(text))


def calls_in(text: str) -> dict[str, frozenset[str]]:
    """By function or class of the text, the others of it that it speaks of, directly or through one
    another.
    """
    words: dict[str, frozenset[str]] = {}
    for function in functions_in(text):
        name = function.name.partition(".")[0]
        words[name] = words.get(name, frozenset()) | function.words
    direct = {name: said & words.keys() for name, said in words.items()}
    found = dict(direct)
    for _ in direct:
        found = {name: used.union(*(direct[o] for o in used)) for name, used in found.items()}
    return {name: used - {name} for name, used in found.items()}


def _read(text: str) -> Iterator[Function]:
    bare = _TEXTS.sub(lambda found: '""' + "\n" * found[0].count("\n"), text)
    formatted = _formatted(text)
    lines = [
        Line(number, len(line) - len(line.lstrip()), line.strip(), formatted.get(number, ""))
        for number, line in enumerate(own_lines(bare), start=1)
    ]
    owners: list[tuple[int, str, str]] = []
    for at, line in enumerate(lines):
        if not (found := _DEFINED.match(line.text)):
            continue
        owners = [owner for owner in owners if owner[0] < line.margin]
        name = ".".join([*(name for _, name, _ in owners), found[2]])
        if found[1] == "def" and all(kind == "class" for _, _, kind in owners):
            yield Function(name, tuple(_block(lines, at)))
        owners.append((line.margin, found[2], found[1]))


def _falls_through(statements: Sequence[Line]) -> bool:
    margin = min((line.margin for line in statements), default=0)
    heads = [at for at, line in enumerate(statements) if line.margin == margin]
    if not heads:
        return True
    at = heads[-1]
    word, inside = _FIRST.findall(statements[at].text)[0], _branch(statements, at)
    if word in ("return", "raise", "while", "try", "except", "finally", "match"):
        return False  # of a loop, or of what is tried, nothing is certain
    if word == "with":
        return _falls_through(inside)
    if word != "else":
        return True
    for above in reversed(heads):
        if _falls_through(_branch(statements, above)):
            return True
        if (word := _FIRST.findall(statements[above].text)[0]) not in ("else", "elif"):
            return False
    return False


def _branch(statements: Sequence[Line], at: int) -> list[Line]:
    """What is done there: what stands behind the colon, or below."""
    head = statements[at]
    below = list(takewhile(lambda line: line.margin > head.margin, statements[at + 1 :]))
    one = head.text.rpartition(": ")[2]
    return below or [replace(head, text=one)]


_FIRST = re.compile(r"\w*")


def _formatted(text: str) -> dict[int, str]:
    """By the number of the line, the words in what its f-strings may compute."""
    found: dict[int, str] = {}
    number, end = 1, 0
    for one in _TEXTS.finditer(text):
        number, end = number + text.count("\n", end, one.start()), one.start()
        if _FORMATTED.search(text, max(0, end - 3), end):
            words = " ".join(re.findall(r"[^\W\d]\w*", one[0].partition("{")[2]))
            found[number] = f"{found.get(number, '')} {words}"
    return found


def _block(lines: Sequence[Line], at: int) -> Iterator[Line]:
    yield lines[at]
    for line in lines[at + 1 :]:
        if line.text and line.margin <= lines[at].margin and line.text[0] not in ")]}":
            return
        if line.text:
            yield line


def arguments(text: str) -> list[str] | None:
    """Those of a call, or of an index, given what stands behind its opening bracket; None if there
    is no end to it.
    """
    depth, begin, found = 0, 0, []
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (depth == 0 and letter == ","):
            found.append(text[begin:at].strip())
            begin = at + 1
        if depth < 0:
            return found
    return None
