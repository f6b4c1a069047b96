"""Suites run by hand: plain pytest, with all that its users know.

    pytest grader/suites/attention                          # the reference, in this process
    pytest grader/suites/attention --submission FOLDER      # the verdicts of `grader grade`

Here too pytest only finds the checks, and the house runs them. ``conftest.py`` beside the suites
imports these hooks. Of a submission all chosen checks of an exercise are examined together, in its
workers and under their deadlines, because what failed is diagnosed together; the reference is
examined check by check, and pytest-timeout keeps the deadlines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.collect import collect_one
from grader.course.course import course_above, find_course
from grader.examiner.assembled import Examination
from grader.examiner.check_run import FIXTURES, repeated_in
from grader.examiner.collection import MARKS, Suites
from grader.examiner.examination import examine
from grader.model import Outcome, Verdict
from grader.programs.draw import new_seed
from grader.programs.program import LocalProgram, SubmissionProgram
from grader.report.feedback import verdict_lines, words_of
from grader.sandbox.launch import Sandbox, open_sandbox


def pytest_addoption(parser: pytest.Parser) -> None:
    """Whom to examine, and how."""
    group = parser.getgroup("grader")
    group.addoption("--submission", metavar="FOLDER", help="examine this, not the reference")
    group.addoption("--seed", type=int, help="draw the inputs of an earlier run")
    group.addoption("--device", default="cpu", help="where inputs and modules are: cpu or cuda")


def pytest_configure(config: pytest.Config) -> None:
    """Marks are known, and one examination begins."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)
    config.stash[_BY_HAND] = ByHand(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The workers end with the run."""
    config.stash[_BY_HAND].close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """In place of pytest's own call: a verdict, and the words that belong to it."""
    verdict = pyfuncitem.config.stash[_BY_HAND].verdict_on(pyfuncitem)
    pyfuncitem.user_properties += [("outcome", verdict.outcome.value), ("points", verdict.points)]
    if verdict.misconception:
        pyfuncitem.user_properties.append(("misconception", verdict.misconception))
    if verdict.outcome is Outcome.SKIPPED:
        pytest.skip(words_of(verdict).rationale)
    if verdict.outcome is not Outcome.PASSED:
        pytest.fail("\n".join(verdict_lines(verdict)), pytrace=False)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """A worker's deadlines are kept by not waiting any longer: then there is nothing to set. The
    reference's clock starts when this returns.
    """
    by_hand = item.config.stash[_BY_HAND]
    if isinstance(item, pytest.Function):
        by_hand.rehearse(item)
    return True if by_hand.is_of_submission else None


class ByHand:
    """What one run of pytest examines."""

    def __init__(self, config: pytest.Config) -> None:
        self._place: str | None = config.getoption("--submission", None)
        seed: int | None = config.getoption("--seed", None)
        self._seed = new_seed() if seed is None else seed
        self._devices = (config.getoption("--device", "cpu"),)
        self._sandbox: Sandbox | None = None
        self._suites: Suites | None = None
        self._examination: Examination | None = None

    @property
    def is_of_submission(self) -> bool:
        return self._place is not None

    def rehearse(self, item: pytest.Function) -> None:
        """What the checks of its suite ask again is found out before any deadline begins."""
        repeated_in(self._collected(item).of_path(item.path), *self._devices)

    def verdict_on(self, item: pytest.Function) -> Verdict:
        """The verdict on one of the session's checks."""
        suites = self._collected(item)
        suite = suites.of_path(item.path)
        if self._place is None:
            reference = LocalProgram(suite.reference)
            (verdict,) = examine(
                suite, reference, self._seed, devices=self._devices, only=[item.name]
            )
            return verdict
        if self._examination is None:
            self._examination = self._begun(suites, Path(self._place))
        verdicts = self._examination.report_on(suite.exercise).verdicts
        return next(verdict for verdict in verdicts if verdict.check.name == item.name)

    def close(self) -> None:
        if self._sandbox is not None:
            self._sandbox.close()

    def _collected(self, item: pytest.Function) -> Suites:
        """The suites, with what pytest has found of them for this session."""
        if self._suites is None:
            course = course_above(item.path) or find_course()
            self._suites = Suites(course)
            self._suites.take(
                found
                for found in item.session.items
                if isinstance(found, pytest.Function) and course.suites in found.path.parents
            )
        return self._suites

    def _begun(self, suites: Suites, place: Path) -> Examination:
        submission = collect_one(place, suites.catalog)
        self._sandbox = open_sandbox(gpu="cuda" in self._devices)
        program = SubmissionProgram(submission, self._sandbox)
        return Examination(suites, program, self._seed, self._devices)


_BY_HAND = pytest.StashKey[ByHand]()


def _fixture(name: str) -> Any:
    @pytest.fixture(name=name)
    def given_by_the_house() -> None:
        """The check is run with the house's own, see ``check_run.FIXTURES``."""

    return given_by_the_house


globals().update({name: _fixture(name) for name in FIXTURES})
