"""Is it fast enough, and does it need little enough memory? Compared with the reference, never
with seconds.

The submission runs in a fresh worker and the reference in another, with one thread each, on the
core that was lent for it, call by call in turns (ABBA) on inputs that neither has seen. The clock
is here, where no submission is; the worker is held still outside its own windows, so nothing can be
computed before or after; processor time and memory are the kernel's accounts of the worker's
process. Every timed answer is compared. A check fails only if wall clock and processor time are
both over the limit, in three fresh repeats or by far: identical programs differ by a few per cent.

On a GPU only the wall clock counts: processor time says nothing of it. A window ends with the reply
that holds the answer, so work still queued is waited for; what it takes to bring inputs and answers
across is in both sides' windows and only ever draws the ratio towards one. Memory is what the
device itself has given away, as the driver tells this process.

Programs of ours race in this process, in the same turns.
"""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from grader.examiner.expected import tensors_of
from grader.examiner.gpu_memory import free_gpu_bytes, taken_meanwhile
from grader.model import Cause, Measured
from grader.programs.client import Client
from grader.programs.failure import CheckFailed, CheckSkipped
from grader.programs.program import Opening, Program
from grader.programs.proxy import Implementation
from grader.sandbox.process_stats import ProcessStats

Probe = Callable[..., Any]
Inputs = Callable[[], Sequence[Any]]
Setup = Callable[[Any], Any]

_WARM_UPS, _EARLY, _PAIRS = 3, 7, 20
_BATCH, _BATCH_SECONDS = (
    4,
    0.008,
)  # at most, of calls without a pause where single ones don't decide
_REPEATS = 3
_CLEARLY_UNDER, _CLEARLY_OVER = 0.8, 3.0  # of the limit: so far no noise reaches
_WALL_SHARE = 0.75
_SUSPICIOUS = 0.2  # of the reference's time: less than a better program explains
_MAX_OUTSIDE, _SLACK_SECONDS = 0.1, 0.005  # processor time between windows, per time inside
_SAME = 1e-3
_LEAST_BYTES = 1 << 20


@dataclass(frozen=True)
class Window:
    """What one call took, in seconds."""

    wall: float
    cpu: float


Pair = tuple[Window, Window]  # the submission's, the reference's


class Runner:
    """One side of a race: an implementation whose calls are timed, or weighed."""

    def __init__(self, program: Program, opening: Opening) -> None:
        self._client: Client = program.open(replace(opening, fresh=True))
        self._device, self._core = opening.device, program.core
        session = program.session
        self._stats = session.stats if session is not None and session.stats.works else None
        self._inside = self._started = 0.0
        self.thing: Any = Implementation(self._client)

    def prepare(self, setup: Setup) -> None:
        """Make, before the clock runs, what the probe is called with instead of the module."""
        if self._stats is not None and self._core is not None:
            self._stats.pin(self._core)
        self.thing = setup(self.thing)
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
        return answers, Window(took, worked if self._device == "cpu" else took)

    def _call(self, probe: Probe, inputs: Sequence[Any]) -> Any:
        self._client.begin(keep_objects=True)
        return probe(self.thing, *inputs)

    @contextmanager
    def _let_go(self) -> Iterator[None]:
        """The only time in which this side may run."""
        if self._stats is not None:
            self._stats.go()
        try:
            yield
        finally:
            self._hold()

    def _hold(self) -> None:
        if self._stats is not None:
            self._stats.hold()

    def works_between_calls(self) -> bool:
        """Whether much processor time went by outside the windows."""
        if self._stats is None:
            return False
        outside = self._cpu() - self._started - self._inside
        return outside > _MAX_OUTSIDE * self._inside + _SLACK_SECONDS

    def weigh(self, probe: Probe, inputs: Sequence[Any]) -> int:
        """By how many bytes one call raises the peak of the process's resident memory, or of what
        the GPU has given away.
        """
        if self._device == "cuda":
            free = partial(free_gpu_bytes, self._device)
            return taken_meanwhile(free, partial(self.run, probe, [inputs]))
        stats = self._stats or ProcessStats(os.getpid(), lambda number: None)
        if not stats.works:
            raise CheckSkipped(Cause("memory_unknown"))
        if self._stats is None:
            ctypes.CDLL(None).malloc_trim(0)
        before = stats.forget_peak()
        self.run(probe, [inputs])
        return max(stats.peak_bytes() - before, 0)

    def _cpu(self) -> float:
        return time.thread_time() if self._stats is None else self._stats.cpu_seconds()


class Race:
    """The fixtures ``faster_than`` and ``leaner_than``.

    Both call ``probe(impl, *inputs())`` on the submission and on the reference; ``setup(impl)``,
    if given, makes beforehand what is passed to the probe instead, a layer for instance.
    """

    def __init__(self, program: Program, reference: Program, opening: Opening) -> None:
        self._sides = (program, reference)
        self._opening = opening
        self.measured: Measured | None = None

    def faster_than(
        self, limit: float, probe: Probe, inputs: Inputs, setup: Setup = lambda impl: impl
    ) -> None:
        """Raises ``CheckFailed`` if a call takes more than ``limit`` times the reference's time."""
        for _ in range(_REPEATS):
            pairs = self._timed(limit, probe, inputs, setup)
            measured = self.measured = _measured(pairs, limit)
            if not _is_over(pairs, limit):
                return
            if _is_over(pairs, _CLEARLY_OVER * limit):
                break
        raise _over(measured, "slow")

    def leaner_than(
        self, limit: float, probe: Probe, inputs: Inputs, setup: Setup = lambda impl: impl
    ) -> None:
        """Raises ``CheckFailed`` if a call needs over ``limit`` times the reference's memory."""
        handed_in = inputs()
        with self._runners(setup) as runners:
            weights = [max(r.weigh(probe, handed_in), _LEAST_BYTES) for r in runners]
        ratio = weights[0] / weights[1]
        measured = self.measured = Measured("memory", ratio, ratio, ratio, limit)
        if ratio > limit:
            raise _over(measured, "large")

    def _timed(self, limit: float, probe: Probe, inputs: Inputs, setup: Setup) -> list[Pair]:
        """What calls of both sides took, side by side: single ones, and if these leave it open,
        several in a row, of which waking up is a smaller part.
        """
        with self._runners(setup) as runners:

            def pairs(number: int, batch: int) -> Iterator[Pair]:
                for turn in range(number):
                    handed_in = [inputs() for _ in range(batch)]
                    yield _take_turns(runners, probe, handed_in, swapped=bool(turn % 2))

            found = list(pairs(_WARM_UPS + _EARLY, 1))[_WARM_UPS:]
            if not _is_clear(found, limit):
                once = statistics.median(theirs.wall for _, theirs in found)
                batch = max(1, min(_BATCH, round(_BATCH_SECONDS / once)))
                found = list(pairs(_PAIRS, batch))
            if runners[0].works_between_calls():
                raise CheckFailed(Cause("works_between_calls"))
        return found

    @contextmanager
    def _runners(self, setup: Setup) -> Iterator[list[Runner]]:
        try:
            runners = [Runner(program, self._opening) for program in self._sides]
            for runner in runners:
                runner.prepare(setup)
            yield runners
        finally:
            self._sides[1].close()  # the submission's is closed with its check, or by the next open


def _take_turns(
    runners: Sequence[Runner], probe: Probe, batch: Sequence[Sequence[Any]], *, swapped: bool
) -> Pair:
    """One turn each, the submission first unless ``swapped``; their answers must agree."""
    order = reversed(runners) if swapped else runners
    done = {runner: runner.run(probe, batch) for runner in order}
    (answers, mine), (right, theirs) = (done[runner] for runner in runners)
    if not all(map(_same_answer, answers, right)):
        raise CheckFailed(Cause("wrong_when_timed"))
    return mine, theirs


def _same_answer(answer: Any, right: Any) -> bool:
    pairs = list(zip(tensors_of(answer), tensors_of(right), strict=False))
    if len(tensors_of(answer)) != len(tensors_of(right)) or not pairs:
        return False
    return all(
        a.shape == b.shape and torch.allclose(a.double(), b.double(), rtol=_SAME, atol=_SAME)
        for a, b in pairs
    )


def _measured(pairs: Sequence[Pair], limit: float) -> Measured:
    ratio = _cpu_ratio(pairs)
    low, _, high = _quartiles([mine.cpu / theirs.cpu for mine, theirs in pairs])
    surely = max(ratio, _cpu_ratio(pairs, quartile=0))
    return Measured("time", ratio, low, high, limit, suspicious=surely < _SUSPICIOUS)


def _cpu_ratio(pairs: Sequence[Pair], quartile: int = 1) -> float:
    """Of the medians: what else runs hardly disturbs the kernel's account, rarely it is late."""
    mine, theirs = (_quartiles([w.cpu for w in side]) for side in zip(*pairs, strict=True))
    return mine[quartile] / theirs[quartile]


def _wall_ratio(pairs: Sequence[Pair]) -> float:
    """Of the lower quartiles: whatever else runs can only lengthen a call."""
    mine, theirs = (_quartiles([w.wall for w in side]) for side in zip(*pairs, strict=True))
    return mine[0] / theirs[0]


def _is_over(pairs: Sequence[Pair], limit: float) -> bool:
    """Both clocks must say so; the wall clock, which others' work disturbs, need not say it all."""
    return _cpu_ratio(pairs) > limit and _wall_ratio(pairs) > _WALL_SHARE * limit


def _is_clear(pairs: Sequence[Pair], limit: float) -> bool:
    """Whether more calls would change nothing: the ratios of medians and of quartiles agree."""
    under = max(_cpu_ratio(pairs), _cpu_ratio(pairs, quartile=0)) < _CLEARLY_UNDER * limit
    return under or _is_over(pairs, _CLEARLY_OVER * limit)


def _quartiles(values: Sequence[float]) -> list[float]:
    return statistics.quantiles(values, n=4)


def _over(measured: Measured, kind: str) -> CheckFailed:
    ratio, limit = measured.ratio, measured.limit
    facts = {"about": ratio, "ratio": ratio, "limit": limit}
    return CheckFailed(Cause(kind, facts | {"low": measured.low, "high": measured.high}))
