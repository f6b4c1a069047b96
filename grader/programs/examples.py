"""The examples of a page come out as they are printed: students read them first."""

from __future__ import annotations

import doctest
from typing import Any

from grader.course.course import Course
from grader.course.fault import Fault
from grader.programs.page import load_by_path


def prove_examples(course: Course, name: str) -> list[Fault]:
    """A finding for every example of the solution's docstrings that gives something else."""
    path = course.solution(name)
    runner = _Runner(verbose=False)
    for test in doctest.DocTestFinder().find(load_by_path(path), name):
        runner.run(test, out=lambda text: None)
    return [Fault(f"{course.shown(path)}, {said}", _TO_DO) for said in runner.found]


_TO_DO = (
    "Compute the example by hand. If the page is wrong, print there what comes out; if the "
    "solution is, mend it."
)


class _Runner(doctest.DocTestRunner):
    """Keeps what differs, in sentences, and prints nothing."""

    def __init__(self, *, verbose: bool) -> None:
        super().__init__(verbose=verbose)
        self.found: list[str] = []

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        wanted, given = (text.strip() or "nothing" for text in (example.want, got))
        self._keep(test, example, f"gives {given}, and the page prints {wanted}")

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        self._keep(test, example, f"raises {exc_info[0].__name__}: {exc_info[1]}")

    def _keep(self, test: doctest.DocTest, example: doctest.Example, said: str) -> None:
        line = (test.lineno or 0) + example.lineno + 1
        self.found.append(f"line {line}: {example.source.strip()} {said}")
