"""What the cells of a student's notebook call. Needs neither nbgrader nor a checkout."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from grader.model import Cause, Check, Outcome, Verdict
from grader.report.feedback import exercise_lines, verdict_lines


def examples(thing: Any, exercise: str) -> None:
    """Run the examples in the docstring of a function or class, and say what came out."""
    found = doctest.DocTestFinder(recurse=True).find(
        thing, thing.__name__, module=False, globs=dict(vars(sys.modules["__main__"]))
    )
    for test in found:
        if test.examples:
            _say(_verdict(test, exercise))


def _verdict(test: doctest.DocTest, exercise: str) -> Verdict:
    runner = _Runner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=lambda text: None, clear_globs=False)
    calls = len(test.examples)
    sentence = f"{test.name}: {calls} lines of examples come out as they are printed above."
    check = Check(exercise, test.name, sentence, public=True)
    if runner.cause is None:
        return Verdict(check, Outcome.PASSED)
    return Verdict(check, Outcome.FAILED, cause=runner.cause)


class _Runner(doctest.DocTestRunner):
    """Keeps the first thing that went wrong, in our words."""

    cause: Cause | None = None

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        pass

    def report_success(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        pass

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        rationale = f"{example.source.strip()} gave something else."
        self._keep(Cause(rationale, example.want.strip(), got.strip() or "nothing"))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        error = exc_info[1]
        if isinstance(error, NotImplementedError):
            self._keep(Cause(f"Not written yet: {test.name}."))
        else:
            said = f"{type(error).__name__}: {error}"
            self._keep(Cause(f"{example.source.strip()} raised an error.", actual=said))

    def _keep(self, cause: Cause) -> None:
        self.cause = self.cause or cause


def check(exercise: str) -> None:
    """In a checkout, what ``grader check`` says of the cells run so far; elsewhere, the examples."""
    from grader.course.house import find_house
    from grader.errors import CourseNotFound

    try:
        house = find_house()
    except CourseNotFound:
        for name, thing in list(vars(sys.modules["__main__"]).items()):
            if inspect.isfunction(thing) or inspect.isclass(thing):
                if thing.__module__ == "__main__" and not name.startswith("_"):
                    examples(thing, exercise)
        print("The hidden checks run after you hand in.")
        return
    _check_in_checkout(house, exercise)


def _check_in_checkout(house: Any, exercise: str) -> None:
    from grader.bridges.page import Kind, page
    from grader.course.catalog import load_catalog
    from grader.model import Submission
    from grader.pipeline import grade_all
    from grader.sandbox.launch import start

    catalog = load_catalog(house)
    cells = page(house, catalog[exercise])
    code = [c for c in cells if c.kind in (Kind.GIVEN, Kind.SOLUTION)]
    texts = [c.text if c.kind is Kind.GIVEN else _last_run(c.name) for c in code]
    mine = Submission("notebook", "notebook", {exercise: "\n\n\n".join(texts) + "\n"})
    with contextlib.closing(start()) as sandbox:
        (report,) = grade_all(house, [catalog[exercise]], [mine], sandbox)
    for line in exercise_lines(report.exercises[0]):
        print(line)


def _last_run(name: str) -> str:
    """The latest cell of this session that defines ``name``."""
    defines = re.compile(rf"^(def|class) {name}\b", re.M)
    for text in _cells_run():
        if defines.search(text):
            return text
    return ""


def _cells_run() -> Iterator[str]:
    return reversed(list(getattr(sys.modules["__main__"], "In", [])))


def _say(verdict: Verdict) -> None:
    for line in verdict_lines(verdict):
        print(line)
