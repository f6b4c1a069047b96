"""One exercise's suite, and one run of one of its checks."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest
import torch

from grader.course.house import House
from grader.errors import GraderError, SuiteError
from grader.examiner.bank import Entry, load_bank, load_by_path
from grader.examiner.comparison import Compare, Expected, Trio
from grader.examiner.diagnosis import evidence_of
from grader.examiner.draw import Draw
from grader.examiner.failure import CheckFailed, Evidence
from grader.examiner.implementation import Caller, Implementation
from grader.examiner.subject import LocalSubject
from grader.model import Cause, Exercise
from grader.sandbox.protocol import printable

_FIXTURES = ("compare", "draw", "submission", "reference", "device")


@dataclass
class Suite:
    """One exercise's reference and misconceptions, and its collected checks."""

    house: House
    exercise: Exercise
    items: list[pytest.Function] = field(default_factory=list)

    @cached_property
    def reference(self) -> dict[str, Any]:
        return dict(vars(load_by_path(self.house.solution(self.exercise.name))))

    @cached_property
    def misconceptions(self) -> list[Entry]:
        return load_bank(self.house.misconceptions(self.exercise.name), self.house.solutions)

    @cached_property
    def callers(self) -> Trio:
        """The reference three times: in float64, as it comes, and in float64 on nudged inputs."""
        names, high = self.reference, torch.float64
        trio = Trio(
            LocalSubject(names, high), LocalSubject(names), LocalSubject(names, high, nudge=True)
        )
        return trio.mapped(lambda subject: subject.open(self.exercise))


@dataclass
class Memory:
    """What a check's inputs, which are the same for everybody in a run, need asking only once."""

    expected: dict[int, Expected] = field(default_factory=dict)
    answers: dict[str, Evidence | None] = field(default_factory=dict)


@dataclass
class Bench:
    """What one run of one check works with."""

    suite: Suite
    item: pytest.Function
    seed: int
    memory: Memory
    device: str

    def fixture(self, name: str, caller: Caller) -> Any:
        match name:
            case "compare":
                return Compare(caller, self.suite.callers, self.seed, self.memory.expected)
            case "draw":
                return Draw(self.seed, self.device)
            case "submission":
                caller.begin()
                return Implementation(caller)
            case "reference":
                return self.reference()
            case "device":
                return self.device
        raise SuiteError(f"{self.item.name} asks for the unknown fixture {name!r}")

    def reference(self) -> Implementation:
        """The reference in this process: for what a check wants to know of the right answer."""
        return Implementation(LocalSubject(self.suite.reference).open(self.suite.exercise))

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
        subject = LocalSubject(names)
        caller = subject.open(self.suite.exercise, seed=self.seed)
        parameters = self.item.callspec.params if hasattr(self.item, "callspec") else {}
        wanted = inspect.signature(self.item.function).parameters
        fixtures = {n: self.fixture(n, caller) for n in _FIXTURES if n in wanted}
        try:
            self.item.function(**fixtures, **parameters)
        except (Exception, pytest.fail.Exception) as error:
            return error
        return None
