"""Who is examined: a submission in a worker, or a program of ours in this process."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import torch

from grader.backends.cores import Cores
from grader.errors import SubmissionRaised, WorkerFailure, WorkerLost
from grader.model import Cause, Exercise, Submission
from grader.programs.budget import LIMITS, Budget, Limits
from grader.programs.client import Client
from grader.programs.draw import derive_seed
from grader.programs.failure import NotHandedIn
from grader.programs.given import text_in
from grader.programs.hung import Hangs, WatchedClient
from grader.programs.quick_copies import copy_modules_quickly
from grader.programs.random_numbers import RandomNumbers
from grader.sandbox.engine import Engine
from grader.sandbox.launch import Sandbox
from grader.sandbox.session import Session

IMPORT_SECONDS = 10.0
SLOW_IMPORT_SECONDS = 1.0  # a page of ours takes some milliseconds

_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Opening:
    """What a program is opened for: an exercise, for ``seconds``, its modules put on ``device``.

    A ``fresh`` worker has served no other check and will serve none. One that stands ``apart`` has
    served only checks that measure.
    """

    exercise: Exercise
    seconds: float = 0.0
    seed: int = 0
    device: str = "cpu"
    fresh: bool = False
    apart: bool = False


def worker_seed(seed: int) -> int:
    """Of the random numbers of who is examined in a check: it tells nothing of the inputs' seed."""
    return derive_seed("worker", seed) % 2**32  # numpy takes no more


class Program(Protocol):
    """Opened once for every check; closed after it."""

    def open(self, opening: Opening) -> Client: ...

    def close(self) -> None: ...

    def beside(self, names: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
        """The reference as a subject of the same kind, to be compared with."""
        ...

    @property
    def session(self) -> Session | None: ...

    @property
    def student(self) -> str:
        """What inputs of its own are drawn from."""
        ...

    @property
    def cores(self) -> Cores | None:
        """Who lends the core that its workers are pinned to while they are clocked."""
        ...


Names = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class LocalProgram:
    """The reference, a misconception or a variant: never untrusted code.

    ``names`` may be a function that makes them afresh for every check, as a worker does. Its random
    numbers are its own: what others in this process draw meanwhile does not move them.
    """

    session = None
    student = ""
    cores = None

    def __init__(self, names: Names, dtype: torch.dtype | None = None, *, nudge: int = 0) -> None:
        self.names, self.dtype, self.nudge = names, dtype, nudge

    def open(self, opening: Opening) -> Client:
        copy_modules_quickly()
        numbers = RandomNumbers(self._seed_for(opening))
        numbers.go_on()
        names = self.names() if callable(self.names) else self.names
        engine = Engine(names, self.dtype, nudge=self.nudge)

        def perform(request: dict[str, Any]) -> dict[str, Any]:
            self.heed()
            numbers.go_on()
            return engine.perform(request)

        client = Client(perform, opening.exercise.name, list(names), opening.device)
        client.text_of = partial(text_in, names)
        return client

    def heed(self) -> None:
        """Before every request. Whoever may stand in the way raises what ends the check."""

    def _seed_for(self, opening: Opening) -> int:
        return opening.seed

    def close(self) -> None:
        pass

    def beside(self, names: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
        return LocalProgram(names)


class StandIn(LocalProgram):
    """A program of ours in a submission's place. It draws what it would draw in a worker: where a
    submission makes the same mistake, chance makes the same of both.
    """

    def _seed_for(self, opening: Opening) -> int:
        return worker_seed(opening.seed)


class SubmissionProgram:
    """A submission. One worker serves an exercise, importing the module afresh for every check; a
    check that crashes, hangs or misbehaves costs the worker, and the next gets a fresh one.

    A module that cannot be loaded is loaded once: the failure is remembered for its other checks.
    So is one that is slow to import a second time, when the libraries it needs are there: it is
    not imported afresh while its worker lives. What hung twice is called no more.
    """

    def __init__(
        self,
        submission: Submission,
        sandbox: Sandbox,
        cores: Cores | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        self.submission, self.memory_mib = submission, limits.memory_mib
        self.cores = cores or Cores()  # one may be slower than another
        self.most_seconds = math.inf  # of a check, if it is to be in a hurry
        self.student = submission.drawn_for
        self.session: Session | None = None
        self._sandbox = sandbox
        self._failures: dict[str, SubmissionRaised | WorkerFailure] = {}
        self._owner = f"{submission.name}#{next(_NUMBERS)}"  # two of one name share nothing
        self._interrupted = False
        self._budget, self._hangs, self._limits = Budget(limits), Hangs(), limits
        self.slow_imports: dict[str, float] = {}

    def open(self, opening: Opening) -> Client:
        """Load the exercise's module in a worker; raises what the submission's own code raised, and
        ``BudgetSpent`` when nothing is left of what it may take.
        """
        name = opening.exercise.name
        problem = self.submission.problems.get(name)
        if problem is not None:
            raise NotHandedIn(problem)
        if name not in self.submission.files:
            raise NotHandedIn(Cause("absent", {"module": name}))
        if name in self._failures:
            raise self._failures[name]
        self.close()
        self._budget.require(name)
        kept = f"{self._owner}/{name}" + "/apart" * opening.apart
        owner = "" if opening.fresh else kept
        forbids = opening.exercise.forbids
        session = self.session = self._sandbox.open(owner, opening.device, forbids)
        self._at = name
        session.allow_seconds(IMPORT_SECONDS)
        if self._interrupted:  # while the worker was being started
            session.interrupt()
        try:
            seed, again = worker_seed(opening.seed), name in self.slow_imports
            names = session.load(self.submission.files, name, forbids, seed, again=again)
        except (SubmissionRaised, WorkerFailure) as failure:
            if session.gave_up and session.reloaded:  # over something in the check before
                return self.open(opening)
            failure.importing = True
            if not isinstance(failure, WorkerLost):
                self._failures[name] = failure
            raise
        if session.spent_seconds > SLOW_IMPORT_SECONDS and session.reloaded and not again:
            self.slow_imports[name] = session.spent_seconds
        session.allow_seconds(min(opening.seconds, self.most_seconds))
        client = WatchedClient(
            session.perform, name, names, opening.device, self._hangs, opening.seconds
        )
        client.text_of = partial(self._text, name)
        return client

    def _text(self, name: str, function: str) -> str:
        """The text of a module, which a check may look at beside the answers."""
        if self.session is not None:
            self.session.spoil_tape()
        return self.submission.files[name]

    @property
    def has_hung(self) -> bool:
        """Whether something of it was waited for in vain."""
        return bool(self._hangs)

    def asked_for_a_compiler(self, name: str) -> bool:
        """Whether the module asked for torch.compile in the check at hand: it ran uncompiled."""
        return self.session is not None and self._at == name and self.session.uncompiled

    def interrupt(self) -> None:
        """From another thread: no longer wait for the check at hand, nor for a later one."""
        self._interrupted = True
        session = self.session
        if session is not None:
            session.interrupt()

    def beside(self, names: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
        """The reference in a worker of its own: of no submission's worker does it come near."""
        reference = Submission("reference", "reference", sources)
        return SubmissionProgram(reference, self._sandbox, self.cores)

    def with_text(self, name: str, text: str, seconds: float) -> SubmissionProgram:
        """The submission with another text of a module, served by the same worker, which has at
        most so many ``seconds`` for a check. What it takes is not charged to the submission.
        """
        files = {**self.submission.files, name: text}
        changed = replace(self.submission, files=files)
        other = SubmissionProgram(changed, self._sandbox, self.cores, self._limits)
        other._owner, other.most_seconds = self._owner, seconds
        return other

    def close(self) -> None:
        if self.session is not None:
            self._budget.charge(self._at, self.session)
            self.session.close()
            self.session = None
