"""The form of what is said of a cause."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """A cause in words: what happened, what was expected, what came, what to do about it."""

    rationale: str
    expected: str = ""
    actual: str = ""
    help: str = ""
