"""Until when a worker may take its time."""

from __future__ import annotations

import contextlib
import time

from grader.sandbox.process_stats import ProcessStats, waited_here

MOST_WAITING = 10.0  # times the seconds allowed: then a deadline passes on the busiest machine


class Deadline:
    """Passes after ``seconds`` in which something was asked of the worker.

    What it had to wait for a core meanwhile is given back, and what the grader had to wait to hear
    its answer, so that a busy machine fails nobody; where the kernel does not tell, nothing is.
    Between ``pause`` and ``go_on`` the grader works, and the worker's time stands still.
    """

    def __init__(self, seconds: float, stats: ProcessStats | None = None) -> None:
        self.seconds = seconds
        self._stats = stats if stats is not None and stats.works else None
        self._before, self._since = 0.0, time.monotonic()
        self._pauses = False
        self._waited = self._waited_so_far()

    def pause(self) -> None:
        self._before, self._pauses = self._gone_by(), True

    def go_on(self) -> None:
        self._since, self._pauses = time.monotonic(), False

    def left(self) -> float:
        """Seconds; none or less when it has passed."""
        left = self.seconds - self._gone_by()
        return left if left > 0 else left + min(self.waited(), MOST_WAITING * self.seconds)

    def waited(self) -> float:
        """How many seconds the worker or the grader had to wait for a core since."""
        return max(self._waited_so_far() - self._waited, 0.0)

    def spent(self) -> float:
        """How many seconds were asked for since, less those."""
        return max(self._gone_by() - self.waited(), 0.0)

    def _gone_by(self) -> float:
        return self._before + (0.0 if self._pauses else time.monotonic() - self._since)

    def _waited_so_far(self) -> float:
        if self._stats is None:
            return 0.0
        with contextlib.suppress(OSError):  # it has ended
            return self._stats.waited_seconds() + waited_here()
        return 0.0
