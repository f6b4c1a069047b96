"""Another examiner, elsewhere, who takes checks from the last one on, and what is told of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.examiner.suite import Suite
from grader.model import Cause, Verdict
from grader.programs.program import SubmissionProgram


@dataclass(frozen=True)
class Passed:
    """What is told of a check that was passed elsewhere: a Finding without what only this process
    can hold.
    """

    verdict: Verdict
    asked: frozenset[str]
    of: str
    beside: frozenset[str]


class Second(Protocol):
    """Another examiner, elsewhere, who takes checks from the last one on."""

    def begin(self, suite: Suite, program: SubmissionProgram, checks: Sequence[str]) -> None: ...

    def leaves(self, place: int) -> bool: ...

    def passes(self, is_enough: Callable[[], bool]) -> Mapping[int, Passed]: ...

    def advise(self) -> None: ...

    def advice(self, is_enough: Callable[[], bool]) -> Mapping[str, Cause]: ...

    def leave_off(self) -> None: ...
