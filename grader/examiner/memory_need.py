"""How much memory one call needs, by the accounts of the kernel or of a GPU's driver.

What a process holds already when the call begins could serve the call without a trace. So what it
holds beyond the reference's process counts as well, less what libraries take that it may import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.examiner.gpu_memory import taken_meanwhile
from grader.sandbox.process_stats import ProcessStats

_UNCERTAIN_BYTES = 4 << 20  # of the kernel's accounts: it may give memory in pages of 2 MiB
# torch takes a GPU's memory in blocks of up to 20 MiB, and the driver gives it in pieces of 2: who
# needs 2 MiB and who needs 8 may take the same, or one four times as much as the other.
_UNCERTAIN_GPU_BYTES = 32 << 20
_LIBRARIES_BYTES = 64 << 20  # held once imported: matplotlib 25 MiB, sympy another 40


@dataclass(frozen=True)
class Need:
    """In bytes: what a call needed, at ``least`` and at ``most``, and what was ``held`` before;
    what is below ``uncertain`` the accounts cannot tell from nothing.
    """

    least: int
    most: int
    held: int
    uncertain: int = _UNCERTAIN_BYTES


def need_of_process(stats: ProcessStats, call: Callable[[], object]) -> Need:
    """By how much ``call`` raises the peak of the process's resident memory.

    Where the kernel does not let an ordinary user forget the peak so far, it says nothing of a call
    that stays below it: then the need is known from below, by what was resident meanwhile.
    """
    forgotten = stats.forget_peak()
    before, held, old_peak = stats.resident_bytes(), stats.held_bytes(), stats.peak_bytes()
    if forgotten:
        call()
    else:
        seen = taken_meanwhile(lambda: -stats.resident_bytes(), call)
    peak = stats.peak_bytes()
    most = max(peak - before, 0)
    return Need(most if forgotten or peak > old_peak else seen, most, held)


def need_of_gpu(
    free_bytes: Callable[[], int], free_at_first: int, call: Callable[[], object]
) -> Need:
    """How much of a GPU's memory ``call`` takes; ``free_at_first`` was free before its worker."""
    held = free_at_first - free_bytes()
    taken = taken_meanwhile(free_bytes, call)
    return Need(taken, taken, held, _UNCERTAIN_GPU_BYTES)


def ratios(mine: Need, theirs: Need) -> tuple[float, float]:
    """How many times the reference's memory a call needs, at least and at most."""
    ahead = max(mine.held - theirs.held - _LIBRARIES_BYTES, 0)
    right = max(theirs.most, theirs.uncertain)
    least, most = (max(need + ahead, mine.uncertain) / right for need in (mine.least, mine.most))
    return least, most
