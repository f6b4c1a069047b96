"""How a class is graded side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.backends.processes import begin

WORTH_A_PROCESS = 4  # submissions: to start takes 4 s, and each of them up to 2


@dataclass(frozen=True)
class Many:
    """How submissions are graded side by side: in ``jobs`` processes, or by a ``scheduler``'s.

    Without a number there are as many as there are cores, but none for so few submissions that
    starting it takes longer than they do. On a GPU it is one at a time: while one is measured
    there, all others wait.
    """

    jobs: int | None = None
    scheduler: str | None = None

    def jobs_for(self, submissions: int, devices: Sequence[str] = ("cpu",)) -> int:
        if self.jobs is not None or "cuda" in devices:
            return self.jobs or 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return max(1, min(cores or 1, submissions // WORTH_A_PROCESS))

    def begin(self, folder: Path) -> None:
        """Where several processes will be needed, by what lies in ``folder``, start to make them:
        before anything slow is imported here, so that both import it at the same time.
        """
        if self.scheduler is None and self.jobs_for(_entries(folder)) > 1:
            begin(("grader.pipeline",))


def _entries(folder: Path) -> int:
    """How many there are; none in what is no folder, or one that must not be read."""
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0
