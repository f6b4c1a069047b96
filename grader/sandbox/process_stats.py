"""What the kernel knows of one worker, read from outside it: CPU time and memory.

A submission can change neither: both are the kernel's own accounts of its process, and it can
move no work to another process, because it may start none.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

_IN_KIB = re.compile(r"^(\w+):\s+(\d+) kB", re.M)
_PASSES = 10
_MOST_BYTES = 1 << 14  # `status` has about 1,500


class ProcessStats:
    """Reads one process's accounts, holds it still and lets it go on.

    ``send_signal`` reaches the process and never another one with its number.
    """

    def __init__(self, pid: int, send_signal: Callable[[int], None]) -> None:
        self._pid, self._send_signal = pid, send_signal
        self.is_held = False  # by us

    @property
    def works(self) -> bool:
        """Only Linux keeps these accounts where they can be read."""
        return self._pid > 0 and sys.platform == "linux"

    def cpu_seconds(self) -> float:
        """CPU time of all the process's threads so far; its clock is named by its number."""
        return time.clock_gettime((~self._pid << 3) | 2)

    def waited_seconds(self) -> float:
        """For how long the process's first thread could have run but had no core."""
        return _waited(self._account("schedstat"))

    def is_stopped(self) -> bool:
        """Whether somebody holds it still."""
        return self._account("stat").rpartition(b")")[2].split()[0] in b"Tt"

    def hold(self) -> None:
        """No thread of the process runs until ``go``."""
        self._send_signal(signal.SIGSTOP)
        self.is_held = True

    def go(self) -> None:
        self._send_signal(signal.SIGCONT)
        self.is_held = False

    def end(self) -> None:
        """End the process; may be asked for by any thread."""
        self._send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def pin(self, core: int) -> None:
        """Every thread runs on ``core`` only, so that neither one core's speed nor a second core
        decides anything; threads it starts later do so too.
        """
        for _ in range(_PASSES):  # a thread not yet pinned may have started another meanwhile
            loose = [thread for thread in self._threads() if not self._is_on(thread, core)]
            if not loose:
                return
            for thread in loose:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(thread, {core})

    def _threads(self) -> list[int]:
        try:
            return [int(name) for name in os.listdir(f"/proc/{self._pid}/task")]
        except OSError:  # it has ended
            return []

    def _is_on(self, thread: int, core: int) -> bool:
        try:
            return os.sched_getaffinity(thread) == {core}
        except OSError:  # that thread has ended
            return True

    def forget_peak(self) -> bool:
        """Set the peak of resident memory back to what is resident now, and say whether the kernel
        let us: to an ordinary user it refuses this of a process that nobody may look into.
        """
        try:
            Path(f"/proc/{self._pid}/clear_refs").write_text("5")
        except OSError:
            return False
        return True

    def peak_bytes(self) -> int:
        """The largest resident memory since ``forget_peak``, or so far where that was refused."""
        return self._status()["VmHWM"]

    def resident_bytes(self) -> int:
        """What is in memory now."""
        return self._status()["VmRSS"]

    def held_bytes(self) -> int:
        """What of it is the process's own, and not the content of files such as libraries."""
        status = self._status()
        return status["VmRSS"] - status["RssFile"]

    def _status(self) -> dict[str, int]:
        """The kernel's account in bytes; 0 of a process that has ended."""
        found = _IN_KIB.findall(self._account("status").decode())
        return {"VmHWM": 0, "VmRSS": 0, "RssFile": 0} | {n: int(kib) * 1024 for n, kib in found}

    def _account(self, name: str) -> bytes:
        """One of the kernel's files, of a few lines. Some are read for every call of a check, and
        without Python's layers that takes a quarter of the time.
        """
        return _read(f"/proc/{self._pid}/{name}")


def waited_here() -> float:
    """For how many seconds this thread of our own could have run but had no core. Only on Linux."""
    return _waited(_read("/proc/thread-self/schedstat"))


def _waited(schedstat: bytes) -> float:
    return int(schedstat.split()[1]) / 1e9


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, _MOST_BYTES)
    finally:
        os.close(file)
