"""How a check says that it did not pass, and what evidence it leaves for the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.errors import GraderError
from grader.model import Cause


@dataclass(frozen=True)
class Evidence:
    """What a failure looked like: ``kind`` of difference, in which comparison, and the value."""

    kind: str
    step: int
    actual: Any


class CheckFailed(GraderError):
    """The submission's answer is not the right one; without ``evidence`` it tells no method."""

    def __init__(self, cause: Cause, evidence: Evidence | None = None) -> None:
        super().__init__(cause.rationale)
        self.cause = cause
        self.evidence = evidence


def finding(
    rationale: str, expected: str = "", actual: str = "", help: str = "", *, seen: Any = None
) -> CheckFailed:
    """A check's own words, to be raised. ``seen`` is what a misconception must show as well to be
    the diagnosis; without it, the words are.
    """
    told = rationale if seen is None else seen
    return CheckFailed(Cause(rationale, expected, actual, help), Evidence("finding", 0, told))


def finding_of(error: AssertionError) -> str:
    """What a check said, without the details another pytest around this one may have added."""
    return str(error).partition("\nassert ")[0]


class NotHandedIn(GraderError):
    """The submission holds no readable module for the exercise."""
