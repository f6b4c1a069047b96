"""What one submission may take altogether, counted where it cannot reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from grader.course.assignment import Assignment
from grader.errors import WorkerLost
from grader.model import Cause
from grader.programs.failure import BudgetSpent
from grader.sandbox.session import DEFAULT_MEMORY_MIB, Session


@dataclass(frozen=True)
class Limits:
    """All checks together. The slowest exercise of a right submission takes two seconds, all of
    them take ten and send 22 MB. ``memory_mib`` is a worker's, on top of Python and torch.
    """

    exercise_seconds: float = 60.0
    submission_seconds: float = 300.0
    submission_bytes: int = 2 << 30
    memory_mib: int = DEFAULT_MEMORY_MIB


LIMITS = Limits()


def limits_of(assignment: Assignment | None) -> Limits:
    """Those that it sets; the others are as usual."""
    return limits_from({} if assignment is None else assignment.limits)


def limits_from(given: Mapping[str, Any]) -> Limits:
    """By name, as reports and settings keep them."""
    known = {field.name for field in fields(Limits)}
    return replace(LIMITS, **{name: most for name, most in given.items() if name in known})


class Budget:
    """What is left of it. Time that a worker had to wait for a core is not counted, nor is the time
    of one that was lost.
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._seconds: dict[str, float] = {}
        self._bytes = 0

    def charge(self, name: str, session: Session) -> None:
        """For what a session with the exercise ``name`` has taken."""
        self._bytes += session.received_bytes
        if not isinstance(session.failed, WorkerLost):
            self._seconds[name] = self._seconds.get(name, 0.0) + session.spent_seconds

    def require(self, name: str) -> None:
        """Raises ``BudgetSpent`` when nothing is left for the exercise ``name``."""
        limits = self._limits
        for spent, seconds, what in (
            (self._seconds.get(name, 0.0), limits.exercise_seconds, "exercise"),
            (sum(self._seconds.values()), limits.submission_seconds, "submission"),
        ):
            if spent > seconds:
                raise BudgetSpent(Cause("budget", {"what": what, "seconds": seconds}))
        if self._bytes > limits.submission_bytes:
            raise BudgetSpent(Cause("budget_of_bytes", {"gib": limits.submission_bytes >> 30}))
