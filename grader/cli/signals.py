"""What the system tells a program that has somebody's terminal: end, or make room."""

from __future__ import annotations

import contextlib
import os
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


class Signals:
    """Signals as events, so that everything ends in good order whatever is going on. Until somebody
    waits for events, an end is at once: the terminal is given back, no more. No exception says it,
    for it would come in the midst of imports, of which some go on after any.

    ``ended_by`` is the signal that ended us from outside; 0 when the learner did.
    """

    def __init__(self, give_back: Callable[[], None]) -> None:
        self.ended_by = 0
        self._give_back = give_back
        self._put: Callable[[str], None] | None = None

    @property
    def status(self) -> int:
        """The exit status that says what ended us."""
        return 128 + self.ended_by if self.ended_by else 0

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
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
            self._give_back()
            os._exit(self.status)
        self._put(END)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        if self._put is not None:
            self._put(SUSPEND)
