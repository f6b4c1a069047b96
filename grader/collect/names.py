"""What somebody called a file -> a name that file systems, terminals and tables can take.

As much as possible stays as it was, so that a roster can still be matched.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.model import Submission

_NO_FILE_SYSTEM_TAKES = '/\\:*?"<>|'  # on Linux the first, on Windows all of them
_JOINERS = "\u200c\u200d"  # invisible, and part of correct Persian and Indic spelling
# Control, format (which could turn the direction of a line), surrogate, private, unassigned; and
# separators of lines and paragraphs.
_NO_TERMINAL_TAKES = frozenset("Cc Cf Cs Co Cn Zl Zp".split())


def clean_name(name: str) -> str:
    """``name`` composed (NFC), and with ``_`` for whatever a name cannot hold."""
    composed = unicodedata.normalize("NFC", name)
    clean = "".join(map(_clean, composed)).strip()
    return f"_{clean[1:]}" if clean[:1] in (".", "") else clean


def _clean(character: str) -> str:
    if character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category == "Zs":
        return " "  # there are 17 kinds of spaces
    harmful = character in _NO_FILE_SYSTEM_TAKES or category in _NO_TERMINAL_TAKES
    return "_" if harmful else character


def shown(path: str | os.PathLike[str]) -> str:
    """A path as text that can be written anywhere: bytes that are no text are spelled out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def told_apart(submissions: Iterable[Submission]) -> Iterator[Submission]:
    """``alice`` and ``alice.zip`` must not share one report, however a file system spells them;
    two of one name on a platform are told apart by their ids.
    """
    several = list(submissions)
    counts = Counter(folded(submission.name) for submission in several)
    taken: set[str] = set()
    for submission in several:
        name = submission.name
        if counts[folded(name)] > 1 and submission.student_id:
            name = f"{name} {clean_name(submission.student_id)}"
        first, number = name, 1
        while folded(name) in taken:
            number += 1
            name = f"{first} {number}"
        taken.add(folded(name))
        yield replace(submission, name=name)


def folded(name: str) -> str:
    """A name as file systems compare that mind neither case nor how letters are composed."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
