"""The texts that a run kept, and what everybody was given beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.markers import stub_text, without_markers
from grader.errors import GraderError, ReportError
from grader.model import Report
from grader.runs.texts import FOLDER, read_text
from grader.similarity.compared import Given


@dataclass(frozen=True)
class Kept:
    """The folder of a run; without a ``course`` there is no stub to subtract, and no solution."""

    run: Path
    course: Course | None = None

    @property
    def is_there(self) -> bool:
        """Whether this run kept texts at all."""
        return (self.run / FOLDER).is_dir()

    def text(self, report: Report, module: str) -> str | None:
        """What was graded; None where it is not there, or is another text now."""
        if module not in report.digests:
            return None
        try:
            return read_text(report, module, self.run)
        except ReportError:
            return None

    def given(self, module: str) -> Given:
        """The stub and the solution; empty of what is no exercise."""
        if self.course is None or module not in self._exercises:
            return Given()
        try:
            solution = self.course.solution(module).read_text(encoding="utf-8")
            return Given(stub_text(solution, module), without_markers(solution))
        except (OSError, ValueError, GraderError):
            return Given()

    @cached_property
    def _exercises(self) -> frozenset[str]:
        return frozenset() if self.course is None else frozenset(load_catalog(self.course))
