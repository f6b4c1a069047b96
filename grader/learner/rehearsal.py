"""The reference is asked in advance, so that its answers are known when the next save comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from grader.examiner.examination import examine
from grader.examiner.suite import Suite
from grader.programs.program import LocalProgram


class Waiting(Protocol):
    """Knows whether somebody waits."""

    @property
    def any(self) -> bool: ...


def rehearse(suite: Suite, seed: int, events: Waiting) -> bool:
    """Have the reference pass every check; False where it was left off, for something has happened
    that somebody waits for.
    """
    try:
        examine(suite, _UntilSomethingComes(suite.reference, events), seed)
    except _SomethingCame:
        return False
    return True


class _SomethingCame(BaseException):
    """Ends a check wherever it is, and is nobody's failure."""


class _UntilSomethingComes(LocalProgram):
    def __init__(self, names: Mapping[str, Any], events: Waiting) -> None:
        super().__init__(names)
        self._events = events

    def heed(self) -> None:
        if self._events.any:
            raise _SomethingCame
