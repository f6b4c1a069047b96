"""Cells that a student added are not graded; what they define is told where it is missed.

Their text is untrusted and never parsed: a few patterns find the names that a cell binds for all
others, at the beginning of its lines or one block further in (``try: import ...``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set

from grader.bridges import words
from grader.course.markers import REPLACE
from grader.model import Cause, Verdict

MAX_LINE_CHARACTERS = 1000  # no line typed by hand is longer
MAX_NAMES = 10_000
# Kinds of causes with the fact ``name``.
_UNDEFINED = ("undefined_name", "undefined_near", "undefined_of_math")

_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_IMPORTED = re.compile(r"(?:from\s+\S+\s+)?import\s+\(?([^;]*)")
_TARGETS = re.compile(r"[\w\s,*]+")
_COMMENT = re.compile(r"#[^\n]*")
_IN_ONE = re.compile(r"\(\s*\n|,\s*\n|\\\n")


def names_defined_in(texts: Iterable[str]) -> frozenset[str]:
    """Functions, classes, imports and variables, as far as a look at each line shows them."""
    found: set[str] = set()
    for text in texts:
        code = _COMMENT.sub("", text)
        for line in _IN_ONE.sub(lambda match: match[0].rstrip("\\\n") + " ", code).split("\n"):
            if len(found) < MAX_NAMES:
                found |= _names(line[:MAX_LINE_CHARACTERS])
    return frozenset(found)


def _names(line: str) -> set[str]:
    code = line.lstrip()
    if defined := _DEFINED.match(code):
        # One block further in, a function is a method.
        return {defined[1]} if code == line else set()
    if imported := _IMPORTED.match(code):
        parts = [part.split() for part in imported[1].replace(")", "").split(",")]
        return {part[-1].partition(".")[0] for part in parts if part}
    return _assigned(code) if code == line else set()


def _assigned(code: str) -> set[str]:
    left, sign, right = code.partition("=")
    targets = left.partition(":")[0].strip("()[] ")
    if not sign or right.startswith("=") or not _TARGETS.fullmatch(targets):
        return set()
    return {name for name in re.findall(r"\w+", targets) if name.isidentifier()}


def told_of_missed(verdict: Verdict, own_names: Set[str]) -> list[str]:
    """What to do about each name that the check missed and that stands in such a cell."""
    missed = sorted(_missed(verdict.cause) & own_names)
    return [words.DEFINED_ELSEWHERE.format(name=name) for name in missed]


def told_of_solved(cells: Mapping[str, str], own_names: Set[str]) -> dict[str, str]:
    """By solution cell, those whose function stands in such a cell, and not in its own."""
    return {
        name: words.SOLVED_ELSEWHERE.format(name=name)
        for name, text in cells.items()
        if name in own_names and (REPLACE in text or name not in names_defined_in([text]))
    }


def _missed(cause: Cause | None) -> set[str]:
    found: set[str] = set()
    while cause is not None:
        if cause.kind in _UNDEFINED:
            found.add(str(cause.facts["name"]))
        cause = cause.because
    return found
