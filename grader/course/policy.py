"""What of torch an exercise forbids or welcomes: in the catalog, and on the page in one form.

Workers are told by the catalog (``sandbox/forbidden.py``), learners by the page; this is how one is
compared with the other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from grader.model import Exercise

_NAME = r"``[\w.]+``"
_NAMES = rf"{_NAME}(?:, {_NAME})*(?: and {_NAME})?"
_SENTENCE = re.compile(
    rf"Write it yourself: {_NAMES} (?:is|are) not available here, under any name\."
    rf"|{_NAMES} (?:is|are) welcome here\."
)


def policy_of(exercise: Exercise) -> list[str]:
    """What the page must say, a sentence each; nothing where torch has nothing of the kind."""
    sentences = []
    if names := exercise.forbids:
        listed = f"{_listed(names)} {_are(names)}"
        sentences.append(f"Write it yourself: {listed} not available here, under any name.")
    if names := exercise.welcomes:
        sentences.append(f"{_listed(names)} {_are(names)} welcome here.")
    return sentences


def policy_on(page: Path) -> list[str]:
    """What a page says at its top."""
    text = ast.get_docstring(ast.parse(page.read_text(encoding="utf-8"))) or ""
    return _SENTENCE.findall(" ".join(text.split()))


def _listed(names: Sequence[str]) -> str:
    *others, last = (f"``{name}``" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
