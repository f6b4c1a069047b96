"""A process's memory in pages of 2 MiB. Most of what a fork takes, and the end of the new process,
goes into one entry for each page, and of these there are 512 times fewer then. What a worker writes
to is copied in small pages as ever.

Sources: madvise(2), ``MADV_COLLAPSE``, Linux 6.1 and newer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

_COLLAPSE = 25
_HUGE = 2 << 20


def collapse() -> int:
    """Make huge pages of what is in memory, as far as the kernel will; returns how many."""
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return sum(advise(start, _HUGE, _COLLAPSE) == 0 for start in _starts())


def _starts() -> Iterator[int]:
    """Where a huge page could lie, in memory that belongs to no file."""
    with open("/proc/self/maps") as maps:
        lines = maps.read().splitlines()
    for place, access, _, _, file, *_ in map(str.split, lines):
        if access == "rw-p" and file == "0":
            start, end = (int(number, 16) for number in place.split("-"))
            yield from range(-(-start // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE)
