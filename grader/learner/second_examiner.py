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
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grader.examiner.aside import Aside
from grader.examiner.collection import Suites, undisturbed
from grader.examiner.second import Passed
from grader.examiner.suite import Suite
from grader.learner.rehearsal import rehearse
from grader.model import Cause, Submission
from grader.programs.program import SubmissionProgram
from grader.sandbox.launch import Sandbox

_MOST = 4096  # checks of an exercise
_POLL_SECONDS = 0.02
_END_SECONDS = 2.0
_IDLE_SECONDS = 0.5


def is_possible() -> bool:
    """Whether there is a second core, and this process has one thread, as whoever forks must."""
    if not Path("/proc/self/task").is_dir():
        return False
    return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1


class SecondExaminer:
    """The first examiner's end of it. Which checks are taken stands in memory that both see; should
    both take the same at once, it is examined twice.

    The process is forked from this one and knows its ``suites``. So the ``sandbox``, of which the
    caller makes no use but closes it, must have been opened before there were any.
    """

    def __init__(self, suites: Suites, seed: int, sandbox: Sandbox) -> None:
        self._taken = mmap.mmap(-1, _MOST)
        self._connection, far = multiprocessing.Pipe()
        self._number, self._known = 0, Submission("", "", {})
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
        told = None if self._known is program.submission else program.submission
        self._known = program.submission
        self._send(("find", self._number, suite.exercise.name, told, checks))

    def leaves(self, place: int) -> bool:
        """Whether it has not taken the check in this place, which the caller takes then."""
        if self._taken[place]:
            return False
        self._taken[place] = 1
        return True

    def passes(self, is_enough: Callable[[], bool]) -> Mapping[int, Passed]:
        """Those of its checks that were passed, by their places, once it has come to an end."""
        return dict(self._answers(is_enough))

    def advise(self) -> None:
        """Have it try what passed of the checks that it took as if on a GPU."""
        self._number += 1
        self._send(("advise", self._number))

    def advice(self, is_enough: Callable[[], bool]) -> Mapping[str, Cause]:
        """What came of that, by the names of checks."""
        return dict(self._answers(is_enough))

    def _answers(self, is_enough: Callable[[], bool]) -> Iterator[tuple[Any, Any]]:
        """Those to what it was asked last, until it has no more or is gone."""
        while not is_enough():
            try:
                if not self._connection.poll(_POLL_SECONDS):
                    continue
                number, answer = self._connection.recv()
            except (EOFError, OSError):
                return
            if number == self._number and answer is None:
                return
            if number == self._number:
                yield answer

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
        self._aside: Aside | None = None
        self._at_hand = "", Submission("", "", {})
        self._is_busy = False
        self._lock = threading.Lock()

    @property
    def any(self) -> bool:
        """Whether there is something else to do."""
        return not self._waiting.empty()

    def serve(self) -> None:
        gc.disable()
        threading.Thread(target=self._listen, daemon=True).start()
        gc.freeze()
        while (message := self._next())[0] != "end":
            match message:
                case ("find", *asked):
                    self._find(*asked)
                case ("advise", number):
                    self._advise(number)
                case ("rehearse", name):
                    rehearse(self._suites.of(self._suites.catalog[name]), self._seed, self)
        if self._program is not None:
            self._program.close()

    def _next(self) -> tuple[Any, ...]:
        """What is to be done next; who has nothing to do collects garbage."""
        with contextlib.suppress(queue.Empty):
            return self._waiting.get(timeout=_IDLE_SECONDS)
        gc.collect()
        return self._waiting.get()

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

    def _find(
        self, number: int, name: str, submission: Submission | None, checks: Sequence[str]
    ) -> None:
        suite = self._suites.of(self._suites.catalog[name])
        by_name = {collected.check.name: collected for collected in suite.checks}
        aside = self._aside_for(suite, submission)
        with self._at_work(number):
            for place in reversed(range(len(checks))):
                if self.any or self._taken[place]:
                    break
                self._taken[place] = 1
                one = aside.passed(by_name[checks[place]])
                if one is None:  # most likely others would not pass either
                    break
                self._connection.send((number, (place, one)))

    def _advise(self, number: int) -> None:
        with self._at_work(number):
            for answer in self._aside.advice().items() if self._aside and not self.any else ():
                self._connection.send((number, answer))

    @contextlib.contextmanager
    def _at_work(self, number: int) -> Iterator[None]:
        """What comes meanwhile interrupts it; at the end it says that there is no more."""
        with self._lock:
            self._is_busy = not self.any
        with undisturbed():
            yield
        with self._lock:
            self._is_busy = False
        self._connection.send((number, None))

    def _aside_for(self, suite: Suite, submission: Submission | None) -> Aside:
        """The one at hand, unless it is about another exercise, or another submission is told."""
        name, before = suite.exercise.name, self._at_hand
        submission = submission or before[1]
        if self._aside is None or before != (name, submission):
            if self._program is not None:
                self._program.close()
            self._program = SubmissionProgram(submission, self._sandbox)
            self._aside = Aside(suite, self._program, self._seed)
            self._at_hand = name, submission
        return self._aside
