"""One exercise's suite, and one run of one of its checks."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest
import torch

from grader.course.house import House
from grader.errors import GraderError, SuiteError, WorkerFailure
from grader.examiner.bank import Entry, load_bank, load_by_path
from grader.examiner.caller import Caller
from grader.examiner.comparison import Compare
from grader.examiner.diagnosis import Case, evidence_of
from grader.examiner.draw import Draw
from grader.examiner.elsewhere import advice, devices_elsewhere
from grader.examiner.expected import Expected, Trio
from grader.examiner.failure import CheckFailed, Evidence
from grader.examiner.implementation import Implementation
from grader.examiner.race import Race
from grader.examiner.subject import LocalSubject, Subject
from grader.model import Cause, Exercise, Measured
from grader.sandbox.protocol import printable

_MOST_TRIALS = 3  # of one exercise elsewhere: a meta tensor's operation is Python, and slow
FIXTURES = (
    "compare", "submission", "draw", "reference", "device", "faster_than", "leaner_than",
)  # fmt: skip


@dataclass
class Suite:
    """One exercise's reference and misconceptions, and its collected checks."""

    house: House
    exercise: Exercise
    items: list[pytest.Function] = field(default_factory=list)
    _callers: dict[str, Trio] = field(default_factory=dict)

    @cached_property
    def reference(self) -> dict[str, Any]:
        return dict(vars(load_by_path(self.house.solution(self.exercise.name))))

    @cached_property
    def misconceptions(self) -> list[Entry]:
        return load_bank(self.house.misconceptions(self.exercise.name), self.house.solutions)

    def callers_on(self, device: str) -> Trio:
        """The reference three times: in float64, as it comes, and in float64 on nudged inputs."""
        if device not in self._callers:
            names, high = self.reference, torch.float64
            trio = Trio(
                LocalSubject(names, high),
                LocalSubject(names),
                LocalSubject(names, high, nudge=True),
            )
            self._callers[device] = trio.mapped(
                lambda subject: subject.open(self.exercise, device=device)
            )
        return self._callers[device]


@dataclass
class Memory:
    """What a check's inputs, which are the same for everybody in a run, need asking only once."""

    expected: dict[int, Expected] = field(default_factory=dict)
    answers: dict[str, Evidence | None] = field(default_factory=dict)
    elsewhere: list[str] | str | None = None


class Seat:
    """One run of one check by one subject: makes the fixtures it asks for."""

    def __init__(self, bench: Bench, subject: Subject, seconds: float = 0.0) -> None:
        self._bench, self._subject, self._seconds = bench, subject, seconds

    @cached_property
    def opened(self) -> Caller:
        """The subject's module, loaded."""
        bench = self._bench
        return self._subject.open(bench.suite.exercise, self._seconds, bench.seed, bench.device)

    @property
    def measured(self) -> Measured | None:
        """What a race found, if there was one."""
        return self.race.measured if "race" in vars(self) else None

    @cached_property
    def race(self) -> Race:
        """The subject beside the reference, each in a fresh worker if the subject is in one."""
        suite, seed, device = self._bench.suite, self._bench.seed, self._bench.device
        reference = self._subject.beside(suite.reference, suite.house.solution_texts)
        return Race(self._subject, reference, suite.exercise, self._seconds, seed, device)

    @cached_property
    def compare(self) -> Compare:
        bench = self._bench
        callers = bench.suite.callers_on(bench.device)
        return Compare(self.opened, callers, bench.seed, bench.memory.expected)

    def advice(self, tried: list[frozenset[str]]) -> str:
        """Whether what was compared would fail on a GPU, in words; mostly nothing.

        Calls of kinds already ``tried`` in the exercise are not tried again, nor ever so many.
        """
        bench, first = self._bench, self.compare.first if "compare" in vars(self) else None
        if first is None or len(tried) >= _MOST_TRIALS:
            return ""
        probe, calls = first
        if calls <= frozenset().union(*tried):
            return ""
        tried.append(calls)
        memory = bench.memory
        if memory.elsewhere is None:
            memory.elsewhere = devices_elsewhere(bench.suite.callers_on("cpu").native, probe)
        try:
            right = memory.elsewhere
            return advice(devices_elsewhere(self.opened, probe), right) if right else ""
        except WorkerFailure:
            return ""

    def fixture(self, name: str) -> Any:
        bench = self._bench
        match name:
            case "compare":
                return self.compare
            case "draw":
                return Draw(bench.seed, bench.device)
            case "submission":
                self.opened.begin()
                return Implementation(self.opened)
            case "reference":
                local = LocalSubject(bench.suite.reference)
                return Implementation(local.open(bench.suite.exercise, device=bench.device))
            case "device":
                return bench.device
            case "faster_than":
                return self.race.faster_than
            case "leaner_than":
                return self.race.leaner_than
        raise SuiteError(f"{bench.item.name} asks for the unknown fixture {name!r}")


@dataclass
class Bench:
    """One check with its inputs' seed and whatever needs working out only once."""

    suite: Suite
    item: pytest.Function
    seed: int
    memory: Memory
    device: str

    def case(self, error: BaseException) -> Case:
        """The failed check, for the diagnosis."""
        return Case(self.item.name, error, self.answer_of)

    def answer_of(self, entry: Entry) -> Evidence | None:
        """How a misconception fails the check in the submission's place; worked out once a run."""
        if entry.name not in self.memory.answers:
            error = self.rerun(entry.applied_to(self.suite.reference))
            self.memory.answers[entry.name] = evidence_of(error)
        return self.memory.answers[entry.name]

    def blamed(self, error: BaseException) -> BaseException:
        """An accident in a check's own code is the submission's doing if the reference, in its
        place, lets the check pass: then it returned something the check cannot use.
        """
        if isinstance(error, pytest.fail.Exception):
            return AssertionError(str(error))
        expected = (GraderError, AssertionError, pytest.skip.Exception)
        if isinstance(error, expected) or not isinstance(error, Exception):
            return error
        if self.rerun(self.suite.reference) is not None:
            return error
        said = f"{type(error).__name__}: {printable(str(error), 200)}"
        cause = Cause(
            f"What came back cannot be used here ({said}).", help="Check its type and shape."
        )
        return CheckFailed(cause, Evidence("unusable", 0, said))

    def rerun(self, names: Mapping[str, Any]) -> BaseException | None:
        """What the check raises with another program in the submission's place."""
        seat = Seat(self, LocalSubject(names))
        parameters = self.item.callspec.params if hasattr(self.item, "callspec") else {}
        wanted = inspect.signature(self.item.function).parameters
        fixtures = {n: seat.fixture(n) for n in FIXTURES if n in wanted}
        try:
            with made_on(self.device):
                self.item.function(**fixtures, **parameters)
        except (Exception, pytest.fail.Exception) as error:
            return error
        return None


@contextlib.contextmanager
def made_on(device: str) -> Iterator[None]:
    """Within the block a check makes its tensors on ``device`` unless it says otherwise."""
    if device == "cpu":
        yield
        return
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)
