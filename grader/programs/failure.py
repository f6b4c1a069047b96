"""How a check says that it did not pass, and what evidence it leaves for the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from grader.errors import GraderError
from grader.model import Cause, Fact
from grader.programs.sketch import sketched
from grader.report.words import said, told
from grader.sandbox.protocol import MAX_PAYLOAD_BYTES, MAX_VALUES


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

    @property
    def is_repeated(self) -> bool:
        """Whether it was right when it was asked first."""
        return isinstance(self.step, tuple)


class CheckFailed(GraderError):
    """The submission's answer is not the right one; without ``evidence`` it tells no method.

    ``by_chance`` says that it would be another one if the same were asked again.
    """

    by_chance = False

    def __init__(self, cause: Cause, evidence: Evidence | None = None) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause
        self.evidence = evidence


class _ForACause(GraderError):
    """Says its cause in words."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(told(cause).rationale)
        self.cause = cause


class CheckSkipped(_ForACause):
    """The check cannot be made here."""


class NotHandedIn(_ForACause):
    """The submission holds no readable module for the exercise."""


class BudgetSpent(_ForACause):
    """The submission has taken all that an exercise, or the whole of it, may take."""


def too_much(call: Fact) -> CheckFailed:
    """Of a ``call`` whose answer is larger than what may come back."""
    facts: dict[str, Fact] = {"call": call, "mib": MAX_PAYLOAD_BYTES >> 20, "values": MAX_VALUES}
    return CheckFailed(Cause("too_much", facts), Evidence("too_much", 0, None))


def finding(
    rationale: str,
    expected: str = "",
    actual: str = "",
    help: str = "",
    *,
    seen: Any = None,
    earned: float = 0.0,
    of_all: bool = False,
) -> CheckFailed:
    """A check's own words, to be raised. ``seen`` is what a misconception must show as well to be
    the diagnosis; without it, the words are. ``earned`` is the part of the check's points that the
    answer is worth all the same, 0 <= earned < 1. ``of_all`` says that it is about no function more
    than about the others; else it is about the one that was asked last.
    """
    evidence = Evidence("finding", 0, rationale if seen is None else seen)
    cause = said(rationale, expected, actual, help)
    facts: dict[str, Fact] = {"earned": earned} if earned else {}
    facts |= {"of_all": True} if of_all else {}
    return CheckFailed(replace(cause, facts={**cause.facts, **facts}), evidence)


def finding_of(error: AssertionError) -> str:
    """What a check said, without the details another pytest around this one may have added."""
    return str(error).partition("\nassert ")[0]
