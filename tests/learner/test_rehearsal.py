"""The reference is asked in advance, and stands in nobody's way."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.course.catalog import load_catalog
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.learner.rehearsal import rehearse
from grader.model import Outcome
from grader.programs.program import LocalProgram


class Soon:
    """Something comes when it was asked for so often whether anything has."""

    def __init__(self, times):
        self.times = times

    @property
    def any(self):
        self.times -= 1
        return self.times < 0


@pytest.fixture
def suite(toy):
    return collected(toy).of(load_catalog(toy)["toy"])


def test_is_left_off_in_the_midst_of_a_check(suite):
    """A check may ask for a second and more, and whoever has saved waits meanwhile."""
    asked = Soon(1)

    assert not rehearse(suite, 1, asked)
    assert asked.times == -1, "it was asked again after something had come"


def test_leaves_nothing_behind_that_is_half(suite):
    """What was left off is asked again, and what is judged then is judged as ever."""
    for times in range(4):
        rehearse(suite, 1, Soon(times))
    verdicts = examine(suite, LocalProgram(suite.reference), 1)

    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASSED}


def test_is_over_when_all_was_asked(suite):
    assert rehearse(suite, 1, SimpleNamespace(any=False))
