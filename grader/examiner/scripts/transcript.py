"""What a check asks, made again: the very requests that a submission was sent, and what is right.

Everything a check draws comes from its seed, and everything it asks goes through a client. So the
check is run once more here, by the reference, and what its client is asked is kept. The same
requests, performed by the reference in float64 and on nudged inputs, say how accurate an answer
must be; and performed under another seed, what in an answer is left to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch

from grader.errors import GraderError
from grader.examiner.check_run import CheckCase, CheckRun
from grader.examiner.collection import undisturbed
from grader.examiner.expected import Readings, tensors_of
from grader.examiner.question import Known, Question
from grader.examiner.rehearsal import NoRace
from grader.model import Cause
from grader.programs.again import FIRST, How, Probe, Repeated
from grader.programs.client import Client
from grader.programs.program import LocalProgram, Opening, worker_seed
from grader.programs.proxy import Implementation, performer_of
from grader.programs.random_numbers import RandomNumbers
from grader.sandbox.engine import Engine
from grader.sandbox.inputs import copied
from grader.sandbox.protocol import Leaf, Result

_OF_RACES = ("give_back", "carry")
_ANOTHER_SEED = 1


@dataclass(frozen=True)
class Exchange:
    """A request, and what the reference replied: read as a tolerance needs it. ``varies`` where it
    replies otherwise under another seed.
    """

    request: Mapping[str, Any]
    reply: Readings[Mapping[str, Any]]
    varies: bool = False


@dataclass(frozen=True)
class Transcript:
    """The requests of one comparison, or of a whole check where its failure is of none.

    ``judged`` are the parts of results that the comparison looked at, None for all; ``seed`` is
    that of the random numbers of whoever answers.
    """

    exchanges: tuple[Exchange, ...]
    of_one_comparison: bool
    judged: frozenset[Result] | None
    seed: int


@dataclass(frozen=True)
class Target:
    """Of which comparison a failure is, if of any, and in which ways it was asked again."""

    step: int | None = None
    how: How = FIRST

    @classmethod
    def of(cls, cause: Cause | None) -> Target:
        """What a report's cause says; that of a blocked check is the one behind it."""
        while cause is not None and cause.because is not None and "step" not in cause.facts:
            cause = cause.because
        facts: Mapping[str, Any] = {} if cause is None else cause.facts
        step = facts.get("step")
        how = tuple(facts.get("asked_again", ()))
        return cls(step if isinstance(step, int) else None, how)


def transcript_of(case: CheckCase, cause: Cause | None) -> Transcript:
    """What was asked when ``cause`` was found; without a comparison to be found again, all that the
    check asks.
    """
    target = Target.of(cause)
    with undisturbed():
        run = _recorded(case, target)
        if target.step is not None and not run.tape.requests:
            target = Target()
            run = _recorded(case, target)
        exchanges = _read(case, run.tape)
    judged = run.judged if target.step is not None else None
    return Transcript(exchanges, target.step is not None, judged, worker_seed(case.seed))


# Recording ----------------------------------------------------------------------------------------


class Tape:
    """The requests of a client and the replies to them; inputs as they were when they were sent."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[Mapping[str, Any]] = []
        self.is_running = True

    def keeping(self, perform: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
        def kept(request: dict[str, Any]) -> dict[str, Any]:
            before = _copied(request)
            reply = perform(request)
            if self.is_running and request["op"] not in _OF_RACES:
                self.requests.append(before)
                self.replies.append(reply)
            return reply

        return kept


class _Found(GraderError):
    """The comparison that was looked for has been made."""


class _Program(LocalProgram):
    """The reference, with a tape beside it, and the random numbers that a worker would draw."""

    def __init__(self, names: Mapping[str, Any], tape: Tape, seed: int) -> None:
        super().__init__(names)
        self._own, self._tape, self._seed = names, tape, seed

    def open(self, opening: Opening) -> Client:
        RandomNumbers(self._seed).go_on()
        perform = self._tape.keeping(Engine(self._own).perform)
        return Client(perform, opening.exercise.name, list(self._own), opening.device)


class _Recording(CheckRun):
    """A run by the reference that ends with the comparison that is looked for, if there is one."""

    def __init__(self, case: CheckCase, target: Target) -> None:
        self.tape = Tape()
        self.judged: frozenset[Result] | None = None
        super().__init__(case, _Program(case.suite.reference, self.tape, worker_seed(case.seed)))
        self._target = target
        self.tape.is_running = target.step is None

    @cached_property
    def compare(self) -> _Recorded:  # type: ignore[override]
        return _Recorded(self, self._case, self._target)

    @property
    def race(self) -> NoRace:  # type: ignore[override]
        return NoRace()


class _Recorded:
    """Stands for ``compare``: makes the comparison that is looked for, or else each one once."""

    def __init__(self, run: _Recording, case: CheckCase, target: Target) -> None:
        self._run, self._case, self._target, self._step = run, case, target, 0

    def __call__(self, probe: Probe, wrt: Sequence[torch.Tensor] = ()) -> None:
        step, self._step = self._step, self._step + 1
        if self._target.step is None:
            self._asked(probe, wrt, step, FIRST)
        elif step == self._target.step:
            self._run.tape.is_running = True
            self._asked(probe, wrt, step, self._target.how)
            raise _Found

    def __getattr__(self, name: str) -> Callable[..., None]:
        def compared(*args: Any, wrt: Sequence[torch.Tensor] = (), **kwargs: Any) -> None:
            self(lambda impl: getattr(impl, name)(*args, **kwargs), wrt)

        return compared

    def _asked(self, probe: Probe, wrt: Sequence[torch.Tensor], step: int, how: How) -> None:
        """Ask and judge, as a submission is; keeps what of the last answer is looked at."""
        client, references = self._run.opened, self._case.suite.references_on(self._case.device)

        def noted(impl: Implementation) -> Any:
            value = probe(impl)
            if performer_of(impl) is client:
                self._run.judged = _origins(client, value)
            return value

        question = Question(references, probe, wrt, step, self._case.seed, Known())
        asked = Repeated(client, noted, wrt)
        question.first(asked)
        if how != FIRST and question.has_answer(how):
            question.repeat(asked, how)


def _origins(client: Client, value: Any) -> frozenset[Result] | None:
    """The results that a value consists of; None where it is no tensor, or was computed of them."""
    found = frozenset(map(client.origin, tensors_of(value)))
    return frozenset(one for one in found if one) if found and None not in found else None


def _recorded(case: CheckCase, target: Target) -> _Recording:
    run = _Recording(case, target)
    run.run()
    return run


# What is right ------------------------------------------------------------------------------------


def _read(case: CheckCase, tape: Tape) -> tuple[Exchange, ...]:
    """The replies of the tape again, by references of every accuracy, and under another seed."""
    names, seed, high = case.suite.reference, worker_seed(case.seed), torch.float64
    exact = _performed(Engine(names, high), tape, seed)
    nudged = [_performed(Engine(names, high, nudge=way), tape, seed) for way in (1, 2, 3)]
    others = _performed(Engine(names), tape, seed + _ANOTHER_SEED)
    found = []
    for at, (request, native) in enumerate(zip(tape.requests, tape.replies, strict=True)):
        replies = [replies[at] for replies in (exact, *nudged)]
        first, *rest = (reply if _alike(native, reply) else native for reply in replies)
        reading = Readings(first, native, tuple(rest))
        found.append(Exchange(request, reading, varies=_differs(native, others[at])))
    return tuple(found)


def _performed(engine: Engine, tape: Tape, seed: int) -> list[Mapping[str, Any]]:
    RandomNumbers(seed).go_on()
    return [engine.perform(_copied(request)) for request in tape.requests]


def _alike(one: Any, other: Any) -> bool:
    """Whether two replies are of one form: a float16 that overflows has no exact answer."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_alike(a, b) for a, b in pairs)
    if isinstance(one, (torch.Tensor, np.ndarray)):
        return type(one) is type(other) and one.shape == other.shape
    return (one is None) == (other is None)


def _differs(one: Any, other: Any) -> bool:
    """Whether anything in two replies is not the same."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() != other.keys() or any(_differs(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = zip(one, other, strict=False)
        return len(one) != len(other) or any(_differs(a, b) for a, b in pairs)
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape != other.shape or one.is_meta:
            return one.shape != other.shape
        return not torch.allclose(one.double(), other.double(), 1e-3, 1e-3, equal_nan=True)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _differs(torch.from_numpy(one), torch.from_numpy(other))
    return type(one) is not type(other) or bool(one != other)


def _copied(value: Any) -> Any:
    """The same request, whose inputs nobody changes any more."""
    if isinstance(value, Leaf):
        return replace(value, value=_copied(value.value))
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return copied(value)
    if type(value) in (list, tuple):
        return type(value)(_copied(item) for item in value)
    return {k: _copied(item) for k, item in value.items()} if type(value) is dict else value
