"""How much memory some work takes, asked for from outside while it goes on.

Of a GPU's the driver tells this process: a submission's own allocator is not asked, so it can hide
nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import torch

_STILL_SECONDS, _WAIT_SECONDS, _LOOK_SECONDS = 0.5, 10.0, 0.02


def free_gpu_bytes(device: str) -> int:
    """What a GPU has left, whoever took the rest: nobody else may use it meanwhile."""
    free, _ = torch.cuda.mem_get_info(device)
    return free


def settled(free_bytes: Callable[[], int]) -> int:
    """What is left once nothing has changed for a while: what a process had that ended just now the
    driver takes back later than the kernel ends it. Something that never rests is not waited for
    longer than ten seconds.
    """
    free, since = free_bytes(), time.monotonic()
    latest = since + _WAIT_SECONDS
    while (now := time.monotonic()) < min(since + _STILL_SECONDS, latest):
        time.sleep(_LOOK_SECONDS)
        if (seen := free_bytes()) != free:
            free, since = seen, now
    return free


def taken_meanwhile(free_bytes: Callable[[], int], work: Callable[[], object]) -> int:
    """By how much less is left at the worst moment of ``work`` than before it.

    It is asked for all the time, because what was taken may be given back before the end.
    """
    before = least = free_bytes()
    done = threading.Event()

    def look() -> None:
        nonlocal least
        while not done.wait(0.0005):
            least = min(least, free_bytes())

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        work()
    finally:
        done.set()
        watcher.join()
    return max(before - min(least, free_bytes()), 0)
