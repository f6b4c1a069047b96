"""How long a known mistake may take. It runs in the grader's own process, where nothing else would
end it: one that never ends, on inputs that were drawn for once, would end all grading.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Iterator

SHARE = 0.4  # of the seconds that a submission has for a check
_AGAIN_SECONDS = 0.2  # whoever catches it meets it again


class TookTooLong(BaseException):
    """Raised in a known mistake that does not end in time."""


class Patience:
    """Whether it has come to its end."""

    is_over = False


@contextlib.contextmanager
def patience_for(check_seconds: float) -> Iterator[Patience]:
    """Ends the block once that has computed for a share of a check's seconds: ``TookTooLong`` is
    raised in it until it has ended, and never after. What it returns says whether that was so. In
    a thread that gets no signals, the clock counts.
    """
    is_main = threading.current_thread() is threading.main_thread()
    patience, wait = Patience(), SHARE * check_seconds
    with contextlib.suppress(TookTooLong), (_signalled if is_main else _watched)(patience, wait):
        yield patience


@contextlib.contextmanager
def _signalled(patience: Patience, wait: float) -> Iterator[None]:
    waits = True

    def stop(*_: object) -> None:
        if waits:
            patience.is_over = True
            raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    left = signal.setitimer(signal.ITIMER_VIRTUAL, wait, _AGAIN_SECONDS)
    try:
        try:
            yield
        finally:
            waits = False
    finally:  # also where it was raised on the way out
        waits = False
        signal.setitimer(signal.ITIMER_VIRTUAL, *left)
        signal.signal(signal.SIGVTALRM, before)


@contextlib.contextmanager
def _watched(patience: Patience, wait: float) -> Iterator[None]:
    over, lock, thread = threading.Event(), threading.Lock(), threading.get_ident()

    def watch() -> None:
        left = wait
        while not over.wait(left):
            with lock:
                if not over.is_set():
                    patience.is_over = True
                    _raise_in(thread, ctypes.py_object(TookTooLong))
            left = _AGAIN_SECONDS

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
            _raise_in(thread, None)


def _raise_in(thread: int, error: object) -> None:
    """Raise there what is given, or nothing that was still to be raised."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
