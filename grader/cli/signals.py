"""What the system tells a program that has somebody's terminal: end, or make room."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from grader.learner.events import END, SUSPEND

_ENDS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_ASKED_FOR = (signal.SIGINT,)


@contextlib.contextmanager
def not_interrupted() -> Iterator[None]:
    """While files are written that belong together, another Ctrl-C is not heeded."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Ended(BaseException):
    """A signal told us to end before anybody waited for events.

    No ``KeyboardInterrupt``: Python ends a program with SIGINT, whatever status it asks for, once
    one has come through the ``exec`` of a text, as imports of torch are full of.
    """


class Signals:
    """Signals as events, so that everything ends in good order whatever is going on.

    ``ended_by`` is the signal that ended us from outside; 0 when the learner did.
    """

    def __init__(self) -> None:
        self.ended_by = 0
        self._put: Callable[[str], None] | None = None

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """While nobody waits for events yet, an end is ``Ended``."""
        answers = dict.fromkeys(_ENDS, self._end) | {"SIGTSTP": self._suspend}
        known = {getattr(signal, n): a for n, a in answers.items() if hasattr(signal, n)}
        before = {number: signal.signal(number, answer) for number, answer in known.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def go_to(self, put: Callable[[str], None]) -> None:
        """From now on ``put`` takes the events."""
        self._put = put

    def _end(self, number: int, frame: FrameType | None) -> None:
        if number not in _ASKED_FOR:
            self.ended_by = number
        if self._put is None:
            self._put = _nowhere  # once: what is cleaning up then is not to be disturbed
            raise Ended
        self._put(END)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        if self._put is not None:
            self._put(SUSPEND)


def _nowhere(event: str) -> None:
    pass
