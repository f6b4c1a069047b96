"""Is it fast enough, and does it need little enough memory? Compared with the reference, never
with seconds.

The submission runs in a worker that serves no other kind of check, and the reference in another,
with one thread each, on the core that was lent for it, call by call in turns (ABBA) on inputs that
neither has seen. The clock is here, where no submission is; the worker is held still outside its
own windows, so nothing can be computed before or after; processor time and memory are the kernel's
accounts of the worker's process. Every answer is compared. A check fails only if wall clock and
processor time are both over the limit, in three repeats, each in a fresh worker, or by far:
identical programs differ by a few per cent.

On a GPU only the wall clock counts: processor time says nothing of it. A window ends with the reply
that holds the answer, so work still queued is waited for. Memory is what the device itself has
given away, as the driver tells this process.

Programs of ours race in this process, in the same turns.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from typing import Any

import torch

from grader.examiner.evidence import alike
from grader.examiner.expected import tensors_of
from grader.examiner.memory_need import Need, ratios
from grader.examiner.runner import Probe, ReferenceRunner, Runner, Setup
from grader.examiner.timing import (
    Turn,
    is_clear,
    is_far_over,
    is_far_under,
    is_hopeless,
    is_over,
    measured,
    over,
)
from grader.model import Cause, Measured
from grader.programs.failure import CheckFailed, CheckSkipped, Evidence
from grader.programs.program import Opening, Program

Inputs = Callable[[], Sequence[Any]]

_GLANCE, _LOOKS, _EARLY, _TURNS = 2, (3, 5), 10, 20
_FIRST, _WARM_UPS = 1, 3  # turns that do not count: for a look, and where it must be exact
# At most, of calls without a pause where single ones don't decide.
_BATCH, _BATCH_SECONDS = 4, 0.008
_REPEATS = 3
_SAME = 1e-3


class Race:
    """The fixtures ``faster_than`` and ``leaner_than``.

    ``weighed`` is what the reference answered and needed in a fresh worker, once it has been asked.

    Both call ``probe(impl, *inputs())`` on the submission and on the reference; ``setup(impl)``,
    if given, makes beforehand what is passed to the probe instead, a layer for instance. What a
    probe asks for besides calls is taken for transport.
    """

    def __init__(
        self,
        program: Program,
        reference: Program,
        opening: Opening,
        weighed: list[tuple[Any, Need]],
    ) -> None:
        self._program, self._reference = program, reference
        self._opening = opening
        self._weighed = weighed
        self.measured: Measured | None = None
        self.turns: Sequence[Turn] = ()

    def faster_than(
        self,
        limit: float,
        probe: Probe,
        inputs: Inputs,
        setup: Setup = lambda impl: impl,
        *,
        shows: str | None = None,
    ) -> None:
        """Raises ``CheckFailed`` if a call takes more than ``limit`` times the reference's time;
        ``SandboxError`` if the reference's own worker fails; ``CheckSkipped`` off the CPU, where
        bringing the numbers across takes longer than computing with them: on an H200 four times the
        work was told from once the work in none of eight races.

        That something is slow does not tell why. Where the inputs are such that only one mistake
        makes it slow, ``shows`` says which: a misconception that is slow there too is named then.
        """
        if self._opening.device != "cpu":
            raise CheckSkipped(Cause("no_clock"))
        for _ in range(_REPEATS):
            turns = self.turns = self._timed(limit, probe, inputs, setup)
            found = self.measured = measured(turns, limit)
            if not is_over(turns, limit):
                return
            if is_far_over(turns, limit):
                break
        raise over(found, "slow", None if shows is None else Evidence("slow", 0, shows))

    def leaner_than(
        self, limit: float, probe: Probe, inputs: Inputs, setup: Setup = lambda impl: impl
    ) -> None:
        """Raises ``CheckFailed`` if a call needs over ``limit`` times the reference's memory;
        ``CheckSkipped`` if nobody can tell; ``SandboxError`` if the reference's worker fails.
        """
        for _ in range(_REPEATS):
            least, most = self._weigh(probe, inputs(), setup)
            found = self.measured = Measured("memory", most, least, most, limit)
            if most <= limit:
                return
            if least > limit:
                raise over(found, "large")
        self.measured = None
        raise CheckSkipped(Cause("peak_unknown"))

    def _timed(self, limit: float, probe: Probe, inputs: Inputs, setup: Setup) -> list[Turn]:
        """What calls of both sides took, side by side: a few single ones, more of them unless the
        submission is far under the limit, and if these leave it open, several in a row, of which
        waking up is a smaller part.
        """
        with self._on_a_core() as core, self._closing():
            mine, theirs = self._submissions(setup, core), self._references(setup, core)

            def turns(number: int, batch: int) -> Iterator[Turn]:
                for turn in range(number):
                    handed_in = [inputs() for _ in range(batch)]
                    yield _take_turns(mine, theirs, probe, handed_in, swapped=bool(turn % 2))

            single = turns(_EARLY, 1)
            found = list(islice(single, _GLANCE))
            if is_hopeless(found, limit):
                return found
            for look in _LOOKS:
                found += islice(single, look - len(found))
                if is_far_under(found[_FIRST:], limit):
                    found = found[_FIRST:]
                    break
            else:
                found = [*found, *single][_WARM_UPS:]
            if not is_clear(found, limit):
                once = statistics.median(turn.theirs.wall for turn in found)
                batch = max(1, min(_BATCH, round(_BATCH_SECONDS / once)))
                found = list(turns(_TURNS, batch))
            if mine.works_between_calls():
                raise CheckFailed(Cause("works_between_calls"))
        return found

    def _weigh(self, probe: Probe, handed_in: Sequence[Any], setup: Setup) -> tuple[float, float]:
        """How many times the reference's memory one call needs, at least and at most. What a check
        asks first is the same for all, so the reference is asked it once in a run. Its worker stays
        meanwhile: what a GPU gets back from one that ends comes late.
        """
        with self._closing():
            known = self._weighed if self.measured is None else []
            if not known:
                known.append(self._references(setup).weigh(probe, handed_in))
            right, theirs = known[0]
            answer, mine = self._submissions(setup).weigh(probe, handed_in)
        _require_same(answer, right)
        return ratios(mine, theirs)

    def _submissions(self, setup: Setup, core: int | None = None) -> Runner:
        """A repeat has a fresh worker, and so has everybody on a GPU, where one that has worked
        keeps memory.
        """
        first = self.measured is None and self._opening.device == "cpu"
        runner = Runner(self._program, replace(self._opening, apart=first, fresh=not first), core)
        runner.prepare(setup)
        return runner

    def _references(self, setup: Setup, core: int | None = None) -> ReferenceRunner:
        runner = ReferenceRunner(self._reference, replace(self._opening, fresh=True), core)
        runner.prepare(setup)
        return runner

    def _on_a_core(self) -> AbstractContextManager[int | None]:
        """Of which nobody else who clocks makes use; waiting for it is on nobody's account."""
        cores = self._program.cores
        return nullcontext() if cores is None else cores.leased()

    @contextmanager
    def _closing(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._reference.close()  # the submission's is closed with its check


def _take_turns(
    mine: Runner,
    theirs: ReferenceRunner,
    probe: Probe,
    batch: Sequence[Sequence[Any]],
    *,
    swapped: bool,
) -> Turn:
    """One turn each, the submission first unless ``swapped``; their answers must agree."""
    order = (theirs, mine) if swapped else (mine, theirs)
    done = {runner: runner.run(probe, batch) for runner in order}
    (answers, took), (right, reference_took) = done[mine], done[theirs]
    _require_same(answers, right)
    return Turn(took, reference_took, theirs.carry(probe, batch))


def _require_same(answers: Sequence[Any], right: Sequence[Any]) -> None:
    if not all(map(_same_answer, answers, right)):
        raise CheckFailed(Cause("wrong_when_timed"))


def _same_answer(answer: Any, right: Any) -> bool:
    mine, theirs = tensors_of(answer), tensors_of(right)
    if not theirs:  # plain Python, and None is no answer
        return right is not None and alike(answer, right)
    return len(mine) == len(theirs) and all(map(_same_numbers, mine, theirs))


def _same_numbers(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape:
        return False
    equal = a.dtype == b.dtype and torch.equal(a, b)  # mostly, and a tenth of the time
    return equal or torch.allclose(a.double(), b.double(), rtol=_SAME, atol=_SAME)
