"""How a check says that it did not pass, and what evidence it leaves for the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.errors import GraderError
from grader.model import Cause
from grader.programs.sketch import sketched
from grader.report.words import said, told


@dataclass(frozen=True)
class Evidence:
    """What a failure looked like: ``kind`` of difference, in which comparison, and the value, of
    which only a sketch of bounded size is kept. A ``step`` is a number, or a number and the ways in
    which the comparison was repeated.
    """

    kind: str
    step: int | tuple[int | str, ...]
    actual: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "actual", sketched(self.actual))


class CheckFailed(GraderError):
    """The submission's answer is not the right one; without ``evidence`` it tells no method."""

    def __init__(self, cause: Cause, evidence: Evidence | None = None) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause
        self.evidence = evidence


class CheckSkipped(GraderError):
    """The check cannot be made here."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause


class NotHandedIn(GraderError):
    """The submission holds no readable module for the exercise."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause


class BudgetSpent(GraderError):
    """The submission has taken all that an exercise, or the whole of it, may take."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause


def finding(
    rationale: str, expected: str = "", actual: str = "", help: str = "", *, seen: Any = None
) -> CheckFailed:
    """A check's own words, to be raised. ``seen`` is what a misconception must show as well to be
    the diagnosis; without it, the words are.
    """
    evidence = Evidence("finding", 0, rationale if seen is None else seen)
    return CheckFailed(said(rationale, expected, actual, help), evidence)


def finding_of(error: AssertionError) -> str:
    """What a check said, without the details another pytest around this one may have added."""
    return str(error).partition("\nassert ")[0]
