"""Cores of this machine, lent to jobs that need one of their own for what is clocked."""

from __future__ import annotations

import os


def core_for(job: int = 0) -> int | None:
    """The core that the ``job``-th of several jobs may pin its clocked work to; None where this
    system cannot pin. Jobs get different ones as long as there are enough, the last core first:
    the others are where everything else begins to run.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0), reverse=True)
    return cores[job % len(cores)]
