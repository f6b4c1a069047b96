"""Where changed pages are tried: the checks of a suite, as they were put to a submission."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from grader.errors import SubmissionRaised, WorkerFailure
from grader.examiner.check_run import CheckCase, CheckRun, case_of
from grader.examiner.finding import Finding
from grader.examiner.suite import Suite
from grader.programs.program import Program

Changed = Callable[[str], Program]


class Answer(Enum):
    """Of a changed page to a check: what is not written yet may come after what was wrong."""

    PASSES = "passes"
    UNWRITTEN = "unwritten"
    FAILS = "fails"


@dataclass(frozen=True)
class Bench:
    """What is asked of changed pages: the checks of a suite, as a submission of ``student`` was
    asked them with ``seed``; ``changed`` is the program with another text of the page, and
    ``stop`` whether there is something more urgent.
    """

    suite: Suite
    seed: int
    student: str
    changed: Changed
    stop: Callable[[], bool] = lambda: False

    def case_of(self, finding: Finding, *, again: bool) -> CheckCase:
        """The check of a finding, as it was put to the submission."""
        check = finding.verdict.check
        collected = next(c for c in self.suite.checks if c.check.name == check.name)
        return case_of(
            self.suite, collected, self.seed, check.device, self.student, again=again, told=False
        )

    def asked(self, finding: Finding, program: Program, *, again: bool) -> Answer:
        """What a program does in the check of a finding; raises ``WorkerFailure``."""
        try:
            error = CheckRun(self.case_of(finding, again=again), program).run()
        finally:
            program.close()
        if isinstance(error, WorkerFailure):
            raise error
        if isinstance(error, SubmissionRaised) and error.raised.from_a_stub:
            return Answer.UNWRITTEN
        return Answer.PASSES if error is None else Answer.FAILS
