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


class ProcessStats:
    """Reads one process's accounts, holds it still and lets it go on.

    ``send_signal`` reaches the process and never another one with its number.
    """

    def __init__(self, pid: int, send_signal: Callable[[int], None]) -> None:
        self._pid, self._send_signal = pid, send_signal

    @property
    def works(self) -> bool:
        """Only Linux keeps these accounts where they can be read."""
        return self._pid > 0 and sys.platform == "linux"

    def cpu_seconds(self) -> float:
        """CPU time of all the process's threads so far; its clock is named by its number."""
        return time.clock_gettime((~self._pid << 3) | 2)

    def waited_seconds(self) -> float:
        """For how long the process's first thread could have run but had no core."""
        return int(Path(f"/proc/{self._pid}/schedstat").read_text().split()[1]) / 1e9

    def is_stopped(self) -> bool:
        """Whether somebody holds it still."""
        return Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"

    def hold(self) -> None:
        """No thread of the process runs until ``go``."""
        self._send_signal(signal.SIGSTOP)

    def go(self) -> None:
        self._send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End the process; may be asked for by any thread."""
        self._send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def pin(self, core: int) -> None:
        """Run on ``core`` only, so that one core's speed decides nothing."""
        with contextlib.suppress(OSError):
            os.sched_setaffinity(self._pid, {core})

    def forget_peak(self) -> int:
        """Set the peak of resident memory back to what is resident now; returns that, in bytes."""
        with contextlib.suppress(OSError):  # not ours to clear: then it is the peak so far
            Path(f"/proc/{self._pid}/clear_refs").write_text("5")
        return self._status("VmRSS")

    def peak_bytes(self) -> int:
        """The largest resident memory since ``forget_peak``."""
        return self._status("VmHWM")

    def _status(self, field: str) -> int:
        text = Path(f"/proc/{self._pid}/status").read_text()
        found = re.search(rf"^{field}:\s+(\d+) kB", text, re.M)
        return int(found[1]) * 1024 if found else 0
