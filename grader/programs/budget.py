"""What one submission may take altogether, counted where it cannot reach."""

from __future__ import annotations

from grader.errors import WorkerLost
from grader.model import Cause
from grader.programs.failure import BudgetSpent
from grader.sandbox.session import Session

# All checks together. The slowest exercise of a right submission takes two seconds, all of them
# take ten and send 22 MB.
EXERCISE_SECONDS = 60.0
SUBMISSION_SECONDS = 300.0
SUBMISSION_BYTES = 2 << 30


class Budget:
    """What is left of it. Time that a worker had to wait for a core is not counted, nor is the time
    of one that was lost.
    """

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._bytes = 0

    def charge(self, name: str, session: Session) -> None:
        """For what a session with the exercise ``name`` has taken."""
        self._bytes += session.received_bytes
        if not isinstance(session.failed, WorkerLost):
            self._seconds[name] = self._seconds.get(name, 0.0) + session.spent_seconds

    def require(self, name: str) -> None:
        """Raises ``BudgetSpent`` when nothing is left for the exercise ``name``."""
        for spent, seconds, what in (
            (self._seconds.get(name, 0.0), EXERCISE_SECONDS, "exercise"),
            (sum(self._seconds.values()), SUBMISSION_SECONDS, "submission"),
        ):
            if spent > seconds:
                raise BudgetSpent(Cause("budget", {"what": what, "seconds": seconds}))
        if self._bytes > SUBMISSION_BYTES:
            raise BudgetSpent(Cause("budget_of_bytes", {"gib": SUBMISSION_BYTES >> 30}))
