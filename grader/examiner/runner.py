"""One side of a race: a program whose calls are timed, and whose memory is read, from outside."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from grader.errors import SandboxError, SubmissionRaised, WorkerFailure
from grader.examiner.gpu_memory import free_gpu_bytes, settled
from grader.examiner.memory_need import Need, need_of_gpu, need_of_process
from grader.examiner.timing import Window
from grader.model import Cause
from grader.programs.client import Client
from grader.programs.failure import CheckFailed, CheckSkipped
from grader.programs.program import Opening, Program
from grader.programs.proxy import Implementation
from grader.sandbox.process_stats import ProcessStats

Probe = Callable[..., Any]
Setup = Callable[[Any], Any]

_MAX_OUTSIDE, _SLACK_SECONDS = 0.1, 0.005  # processor time between windows, per time inside


class Runner:
    """An implementation in a worker that ``opening`` asks for, which may run in its own windows and
    at no other time, and on ``core`` alone where one was lent.

    A program of ours has no worker: it runs in this process.
    """

    def __init__(self, program: Program, opening: Opening, core: int | None = None) -> None:
        self._on_gpu = opening.device == "cuda"
        self._free_bytes = partial(free_gpu_bytes, opening.device)
        self._free_before = self._free_without_others(program, opening) if self._on_gpu else 0
        self._client: Client = program.open(opening)
        self._core = core
        session = self._session = program.session
        self._seconds_left = opening.seconds
        self._stats = session.stats if session is not None and session.stats.works else None
        self._inside = self._started = 0.0
        self._thing: Any = Implementation(self._client)

    def _free_without_others(self, program: Program, opening: Opening) -> int:
        """What a GPU has left for a worker: the one that was kept for the next check goes when
        another is opened, and would go while this one is weighed.
        """
        program.open(replace(opening, fresh=True))
        program.close()
        return settled(self._free_bytes)

    def prepare(self, setup: Setup) -> None:
        """Make, before the clock runs, what the probe is called with instead of the module."""
        if self._stats is not None and self._core is not None:
            self._stats.pin(self._core)
        self._thing = setup(self._thing)
        self._hold()
        self._started = self._cpu()

    def run(self, probe: Probe, batch: Sequence[Sequence[Any]]) -> tuple[list[Any], Window]:
        """The answers of calls in a row, and how long they took together."""
        cpu, wall = self._cpu(), time.perf_counter()
        with self._let_go():
            answers = [self._call(probe, inputs) for inputs in batch]
            took = time.perf_counter() - wall
        worked = self._cpu() - cpu
        self._inside += worked
        return answers, Window(took, worked)

    def _call(self, probe: Probe, inputs: Sequence[Any]) -> Any:
        self._client.begin(forget="inputs")
        return probe(self._thing, *inputs)

    @contextmanager
    def _let_go(self) -> Iterator[None]:
        """The only time in which this side may run, and the only time that counts for its limit:
        what the other side takes is not its own. How much may be answered counts anew each time:
        nothing is kept, and how often both are asked is not their doing.
        """
        started = time.monotonic()
        if self._session is not None:
            self._session.allow_seconds(self._seconds_left)
            self._session.allow_bytes()
        if self._stats is not None:
            self._stats.go()
        try:
            yield
        finally:
            self._hold()
            self._seconds_left -= time.monotonic() - started

    def _hold(self) -> None:
        if self._stats is not None:
            self._stats.hold()

    def works_between_calls(self) -> bool:
        """Whether much processor time went by outside the windows."""
        if self._stats is None:
            return False
        outside = self._cpu() - self._started - self._inside
        return outside > _MAX_OUTSIDE * self._inside + _SLACK_SECONDS

    def weigh(self, probe: Probe, inputs: Sequence[Any]) -> tuple[Any, Need]:
        """The answer to one call, and how much memory it needs."""
        answers: list[Any] = []

        def call() -> None:
            answers.extend(self.run(probe, [inputs])[0])

        if self._on_gpu:  # the first call also makes the driver's own state, far larger than ours
            self.run(probe, [inputs])
        self._give_back()
        if self._on_gpu:
            return answers, need_of_gpu(self._free_bytes, self._free_before, call)
        stats = self._stats or ProcessStats(os.getpid(), lambda number: None)
        if not stats.works:
            raise CheckSkipped(Cause("memory_unknown"))
        return answers, need_of_process(stats, call)

    def _give_back(self) -> None:
        """What is free and only kept for later is memory that the call needs when it takes it."""
        with self._let_go():
            self._client.ask("give_back")

    def _cpu(self) -> float:
        return time.thread_time() if self._stats is None else self._stats.cpu_seconds()


class ReferenceRunner(Runner):
    """The reference's side. Whatever goes wrong here is our accident: ``SandboxError``."""

    def __init__(self, program: Program, opening: Opening, core: int | None = None) -> None:
        with _our_accident():
            super().__init__(program, opening, core)

    def prepare(self, setup: Setup) -> None:
        with _our_accident():
            super().prepare(setup)

    def run(self, probe: Probe, batch: Sequence[Sequence[Any]]) -> tuple[list[Any], Window]:
        with _our_accident():
            return super().run(probe, batch)

    def carry(self, probe: Probe, batch: Sequence[Sequence[Any]]) -> Window:
        """How long it takes to bring inputs there and answers back: nothing is computed, and what
        the last call returned is answered again.
        """
        self._client.idle = True
        try:
            return self.run(probe, batch)[1]
        finally:
            self._client.idle = False

    def _give_back(self) -> None:
        with _our_accident():
            super()._give_back()


@contextmanager
def _our_accident() -> Iterator[None]:
    try:
        yield
    except (WorkerFailure, SubmissionRaised, CheckFailed) as error:
        raise SandboxError(f"the reference did not finish its race: {error}") from error
