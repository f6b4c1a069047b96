"""The examples of a page, run on what a student's notebook defines."""

from __future__ import annotations

import doctest
import sys
from typing import Any

from grader.bridges import words
from grader.bridges.shown import show_lines
from grader.model import Cause, Check, Outcome, Verdict
from grader.report.feedback import verdict_lines

wrong: dict[str, list[str]] = {}
"""What the examples of this session said of functions that do not give what they show."""


def examples(name: str, text: str) -> None:
    """Run the examples in ``text`` on what the notebook defines, and say what came out."""
    globs = dict(vars(sys.modules["__main__"]))
    test = doctest.DocTestParser().get_doctest(text, globs, name, None, None)
    runner = _Runner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=lambda text: None)
    check = Check(name, name, words.EXAMPLES_COME_OUT.format(name=name), public=True)
    outcome = Outcome.PASSED if runner.cause is None else Outcome.FAILED
    said = verdict_lines(Verdict(check, outcome, cause=runner.cause))
    wrong.pop(name, None)
    if runner.cause is not None:
        wrong[name] = said
    show_lines(said)


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
        facts = {"source": example.source.strip(), "wanted": example.want.strip()}
        self._keep(Cause("example_differs", facts | {"got": got.strip() or repr(None)}))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        error = exc_info[1]
        if isinstance(error, NotImplementedError):
            self._keep(Cause("example_unwritten", {"name": test.name}))
        else:
            facts = {"source": example.source.strip(), "said": f"{type(error).__name__}: {error}"}
            self._keep(Cause("example_raises", facts))

    def _keep(self, cause: Cause) -> None:
        self.cause = self.cause or cause
