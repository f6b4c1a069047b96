"""The second examiner's own work."""

from __future__ import annotations

from typing import Any

from grader.examiner.check_run import CheckRun, case_of
from grader.examiner.finding import Finding, found_in, with_advice
from grader.examiner.second import Passed
from grader.examiner.suite import CollectedCheck, Suite
from grader.model import Cause
from grader.programs.program import SubmissionProgram


class Aside:
    """What a second examiner does: it runs checks of a submission on the CPU, and when there is
    nothing else to do tries what passed as if on a GPU.
    """

    def __init__(self, suite: Suite, program: SubmissionProgram, seed: int) -> None:
        self._suite, self._program, self._seed = suite, program, seed
        self._tried: list[frozenset[Any]] = []
        self._to_try: list[tuple[Finding, CheckRun]] = []

    def passed(self, collected: CollectedCheck) -> Passed | None:
        """What is to be told of a check; None where it was not passed."""
        case = case_of(self._suite, collected, self._seed, "cpu", self._program.student)
        finding, run = found_in(case, self._program)
        there = finding.case
        if not finding.passed or there is None:
            return None
        if run.is_to_be_tried(self._tried):
            self._to_try.append((finding, run))
        return Passed(finding.verdict, finding.asked, there.of, there.beside)

    def advice(self) -> dict[str, Cause]:
        """By the names of checks."""
        advised = [with_advice(finding, run, self._program) for finding, run in self._to_try]
        self._to_try.clear()
        return {one.verdict.check.name: one.verdict.advice for one in advised if one.verdict.advice}
