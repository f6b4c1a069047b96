"""Until when a worker may take its time."""

from __future__ import annotations

import contextlib
import time

from grader.sandbox.process_stats import ProcessStats

MOST_WAITING = 10.0  # times the seconds allowed: then a deadline passes on the busiest machine


class Deadline:
    """Passes after ``seconds``. What the worker had to wait for a core meanwhile is given back, so
    that a busy machine fails nobody; where the kernel does not tell, nothing is.
    """

    def __init__(self, seconds: float, stats: ProcessStats | None = None) -> None:
        self.seconds = seconds
        self._stats = stats if stats is not None and stats.works else None
        self._begun, self._waited = time.monotonic(), self._waited_so_far()

    def left(self) -> float:
        """Seconds; none or less when it has passed."""
        left = self.seconds - (time.monotonic() - self._begun)
        return left if left > 0 else left + min(self.waited(), MOST_WAITING * self.seconds)

    def waited(self) -> float:
        """How many seconds the worker had to wait for a core since."""
        return max(self._waited_so_far() - self._waited, 0.0)

    def spent(self) -> float:
        """How many seconds went by since, less those."""
        return time.monotonic() - self._begun - self.waited()

    def _waited_so_far(self) -> float:
        if self._stats is not None:
            with contextlib.suppress(OSError):  # it has ended
                return self._stats.waited_seconds()
        return 0.0
