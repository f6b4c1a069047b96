"""Automatic slips tried in processes of their own: which check rejects each, if any does.

A slip may loop for ever or take all memory, so it runs in a child process. The kernel ends one that
has computed for too long in a check, or takes too much; the slip is rejected then, and another
child goes on. Processor time is counted, so a busy machine changes no result.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from grader.course.course import Course
from grader.examiner.check_run import CheckRun, case_of
from grader.examiner.collection import Suites, collected, undisturbed
from grader.examiner.suite import CollectedCheck, Suite
from grader.programs.failure import CheckSkipped
from grader.programs.page import Page
from grader.programs.program import StandIn
from grader.programs.slips.automatic import AutomaticSlip

ENDED = "ended"  # its process: it computed for too long, or took too much memory
ADVICE = "advice"  # it is told that it would fail on a GPU
_CPU_SECONDS_PER_DEADLINE = 2.0
_WALL_SECONDS = 300.0  # without a word: something sleeps, which takes no processor time
_MEMORY_BYTES = 4 << 30  # on top of what Python and torch occupy


@dataclass(frozen=True)
class Trial:
    """What is to be tried: with every seed all checks, the clocked ones at last and if asked."""

    exercise: str
    function: str
    text: str
    seeds: tuple[int, ...]
    clocked: bool


class Trials:
    """Child processes that try slips, ``jobs`` at a time; closed after use."""

    def __init__(self, course: Course, jobs: int = 1) -> None:
        self._course, self._mine = course, threading.local()
        self._threads = ThreadPoolExecutor(jobs)
        self._children: list[_Child] = []

    def rejecting(
        self, exercise: str, slips: Iterable[tuple[AutomaticSlip, bool]], seeds: tuple[int, ...]
    ) -> Iterator[str]:
        """For each slip the name of a check that rejects it, or nothing; in their order. With each
        comes whether clocked checks are to be made as well.
        """
        trials = [Trial(exercise, s.function, s.text, seeds, clocked) for s, clocked in slips]
        return self._threads.map(self._tried, trials)

    def _tried(self, trial: Trial) -> str:
        child: _Child | None = getattr(self._mine, "child", None)
        if child is None or not child.alive:
            child = self._mine.child = _Child(self._course)
            self._children.append(child)
        return child.tried(trial)

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.close()

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Child:
    """One process, which imports torch and collects suites once for many slips."""

    def __init__(self, course: Course) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(course.root, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.alive = True

    def tried(self, trial: Trial) -> str:
        with contextlib.suppress(EOFError, OSError):
            self._connection.send(trial)
            if self._connection.poll(_WALL_SECONDS):
                found: str | Exception = self._connection.recv()
                if isinstance(found, Exception):
                    raise found
                return found
        self.close()
        return ENDED

    def close(self) -> None:
        self.alive = False
        self._process.kill()
        self._process.join()
        self._connection.close()


# In the child -------------------------------------------------------------------------------------


def _serve(root: Path, connection: Connection) -> None:
    """Answer trials until the other side is gone."""
    torch.set_num_threads(1)
    _bound_memory()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    suites, benches = collected(Course(root)), dict[str, _Bench]()
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            trial: Trial = connection.recv()
            connection.send(_answer(suites, benches, trial))


def _bound_memory() -> None:
    """Where the system tells how much address space is taken already; elsewhere nothing bounds."""
    taken = Path("/proc/self/statm")
    if taken.exists():
        import resource  # which Windows has not

        most = int(taken.read_text().split()[0]) * resource.getpagesize() + _MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _answer(suites: Suites, benches: dict[str, _Bench], trial: Trial) -> str | Exception:
    name = trial.exercise
    try:
        if name not in benches:
            suite = suites.of(suites.catalog[name])
            benches[name] = _Bench(suite, Page(suites.course.solution(name)))
        with undisturbed():
            return benches[name].rejecting(trial)
    except Exception as error:  # ours: to be raised on the other side
        return type(error)(*map(str, error.args))


@dataclass
class _Bench:
    """An exercise's checks, and which of them have rejected what so far."""

    suite: Suite
    page: Page
    caught: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def rejecting(self, trial: Trial) -> str:
        """The first check that rejects the slip, those that are likely to and quick asked first;
        nothing if none does, and nobody is told that it would fail elsewhere.
        """
        try:
            with _limited(10.0):
                names = self.page.program(trial.text)
        except Exception as error:
            return f"import: {type(error).__name__}"
        checks = [c for c in self.suite.checks if not c.clocked]
        tried: list[frozenset[Any]] = []
        for seed in trial.seeds:
            for check in sorted(checks, key=partial(self._worth, trial.function), reverse=True):
                advised = seed == trial.seeds[0]
                if found := self._found(check, names, seed, tried if advised else None):
                    self.caught[trial.function, check.check.name] += 1
                    return found
        clocked = [c for c in self.suite.checks if c.clocked and trial.clocked]
        seed = trial.seeds[0]
        return next((c.check.name for c in clocked if self._found(c, names, seed, None)), "")

    def _worth(self, function: str, check: CollectedCheck) -> float:
        """How many slips of the function it has rejected, for every second it takes."""
        name = check.check.name
        seconds = self.taken.get(name, [0.01])
        return (self.caught[function, name] + 0.1) / (sum(seconds) / len(seconds) + 1e-3)

    def _found(
        self,
        check: CollectedCheck,
        names: dict[str, Any],
        seed: int,
        tried: list[frozenset[Any]] | None,
    ) -> str:
        run = CheckRun(case_of(self.suite, check, seed, "cpu", ""), StandIn(names))
        started = time.process_time()
        with _limited(_CPU_SECONDS_PER_DEADLINE * check.seconds):
            error = run.run()
            skipped = isinstance(error, CheckSkipped) or type(error).__name__ == "Skipped"
            found = check.check.name if error is not None and not skipped else ""
            trying = error is None and tried is not None and run.is_to_be_tried(tried)
            if trying and run.advice() is not None:
                found = ADVICE
        self.taken[check.check.name].append(time.process_time() - started)
        return found


@contextlib.contextmanager
def _limited(cpu_seconds: float) -> Iterator[None]:
    """The kernel ends this process if the block computes for longer."""
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
