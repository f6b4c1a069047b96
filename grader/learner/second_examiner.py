"""A second examiner, in a process and on a core of its own: it takes checks from the last one while
the first takes them from the first, until they meet.

Of what it finds only passes count. What did not pass, the first examiner runs once more, who has
all that a diagnosis asks for; so whatever becomes of the second, nothing but time is lost.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

from grader.examiner.collection import Suites, undisturbed
from grader.examiner.finding import Passed, passed
from grader.examiner.suite import Suite
from grader.learner.rehearsal import rehearse
from grader.model import Submission
from grader.programs.program import SubmissionProgram
from grader.sandbox.launch import Sandbox

_MOST = 256  # checks of an exercise
_POLL_SECONDS = 0.02
_END_SECONDS = 2.0

Tried = list[frozenset[Any]]


def is_possible() -> bool:
    """Whether there is a second core, and this process has one thread, as whoever forks must."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return cores > 1 and threading.active_count() == 1


class SecondExaminer:
    """The first examiner's end of it. Which checks are taken stands in memory that both see; should
    both take the same at once, it is examined twice.

    The process is forked from this one and knows its ``suites``. So the ``sandbox``, of which the
    caller makes no use but closes it, must have been opened before there were any.
    """

    def __init__(self, suites: Suites, seed: int, sandbox: Sandbox) -> None:
        self._taken = mmap.mmap(-1, _MOST)
        self._connection, far = multiprocessing.Pipe()
        self._number = 0
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setpgid(0, 0)  # what is typed at the terminal is for the first to answer
                for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
                    signal.signal(one, signal.SIG_DFL)
                self._connection.close()
                _Desk(far, self._taken, suites, seed, sandbox).serve()
            finally:
                os._exit(0)
        far.close()

    def begin(self, suite: Suite, program: SubmissionProgram, checks: Sequence[str]) -> None:
        """Have it take these checks of a suite from the last one on."""
        self._number += 1
        self._taken[:] = bytes(_MOST)
        self._send(("find", self._number, suite.exercise.name, program.submission, checks))

    def leaves(self, place: int) -> bool:
        """Whether it has not taken the check in this place, which the caller takes then."""
        if place >= _MOST or self._taken[place]:
            return place >= _MOST
        self._taken[place] = 1
        return True

    def passes(self, is_enough: Callable[[], bool]) -> Mapping[int, Passed]:
        """Those of its checks that were passed, by their places, once it has come to an end."""
        found: dict[int, Passed] = {}
        while not is_enough():
            try:
                if not self._connection.poll(_POLL_SECONDS):
                    continue
                number, place, one = self._connection.recv()
            except (EOFError, OSError):  # it is gone
                break
            if number == self._number and place is None:
                break
            if number == self._number and one is not None:
                found[place] = one
        return found

    def leave_off(self) -> None:
        """It need not go on."""
        self._send(("rest",))

    def rehearse(self, name: str) -> None:
        """Have it ask the reference of an exercise in advance."""
        self._send(("rehearse", name))

    def close(self) -> None:
        """End it, whatever it is doing, and its sandbox with it."""
        self._connection.close()
        deadline = time.monotonic() + _END_SECONDS
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(0.005)
        self._taken.close()

    def _send(self, message: tuple[Any, ...]) -> None:
        with contextlib.suppress(OSError):  # it is gone
            self._connection.send(message)


class _Desk:
    """Where the second examiner sits. Whatever comes while it is at work makes it leave that."""

    def __init__(
        self,
        connection: Connection,
        taken: mmap.mmap,
        suites: Suites,
        seed: int,
        sandbox: Sandbox,
    ) -> None:
        self._connection, self._taken = connection, taken
        self._suites, self._seed, self._sandbox = suites, seed, sandbox
        self._waiting: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._program: SubmissionProgram | None = None
        self._tried = Tried()
        self._is_busy = False
        self._lock = threading.Lock()

    @property
    def any(self) -> bool:
        """Whether there is something else to do."""
        return not self._waiting.empty()

    def serve(self) -> None:
        gc.disable()
        threading.Thread(target=self._listen, daemon=True).start()
        while (message := self._waiting.get())[0] != "end":
            if message[0] == "find":
                self._find(*message[1:])
            elif message[0] == "rehearse":
                rehearse(self._suites.of(self._suites.catalog[message[1]]), self._seed, self)
            gc.collect()
        if self._program is not None:
            self._program.close()

    def _listen(self) -> None:
        message: tuple[Any, ...] = ()
        while message[:1] != ("end",):
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                message = ("end",)
            with self._lock:
                self._waiting.put(message)
                if self._is_busy and self._program is not None:
                    self._program.interrupt()

    def _find(self, number: int, name: str, submission: Submission, checks: Sequence[str]) -> None:
        suite = self._suites.of(self._suites.catalog[name])
        by_name = {collected.check.name: collected for collected in suite.checks}
        program = self._program_of(submission)
        with self._lock:
            self._is_busy = not self.any
        with undisturbed():
            for place in reversed(range(len(checks))):
                if self.any or self._taken[place]:
                    break
                self._taken[place] = 1
                one = passed(suite, by_name[checks[place]], program, self._seed, self._tried)
                self._connection.send((number, place, one))
        with self._lock:
            self._is_busy = False
        self._connection.send((number, None, None))

    def _program_of(self, submission: Submission) -> SubmissionProgram:
        """The one at hand, unless it was left off or is another submission's."""
        if self._program is None or self._program.submission != submission:
            if self._program is not None:
                self._program.close()
            self._program, self._tried = SubmissionProgram(submission, self._sandbox), Tried()
        return self._program
