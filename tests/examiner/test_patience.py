"""A known mistake that does not end is ended, in whatever thread it runs, and nothing else is."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from grader.examiner.assembled import Examination
from grader.examiner.collection import collected
from grader.examiner.patience import TookTooLong, patience_for
from grader.model import Submission
from grader.programs.program import SubmissionProgram

SHORT, LONG = 0.1, 1e3


def endless():
    while True:
        pass


def stubborn():
    """Catches what ends it, a few times."""
    for _ in range(3):
        try:
            endless()
        except BaseException:
            continue


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join(30)
    return found[0]


def here(function):
    return function()


@pytest.mark.parametrize("run", [here, in_a_thread])
class TestPatience:
    @pytest.mark.parametrize("block", [endless, stubborn])
    def test_ends_what_does_not_end(self, run, block):
        """Also what catches everything, for it is raised again."""

        def attempt():
            with patience_for(SHORT) as patience:
                block()
            return patience.is_over

        assert run(attempt)

    def test_leaves_alone_what_ends(self, run):
        """With its exceptions, and what comes after it."""

        def attempt():
            with pytest.raises(ZeroDivisionError), patience_for(LONG):
                _ = 1 / 0
            with patience_for(SHORT) as patience:
                pass
            until = time.process_time() + 3 * SHORT
            while time.process_time() < until:
                pass
            return patience.is_over

        assert not run(attempt)


def test_the_timer_of_others_goes_on():
    """Who has set one gets it back."""
    before = signal.signal(signal.SIGVTALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONG)
    try:
        with patience_for(SHORT):
            endless()
        left, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)

    assert LONG / 2 < left < 2 * LONG


SUITE = '''\
import pytest


@pytest.mark.timeout(0.5)
def test_counts_down(compare):
    """It counts down to nothing."""
    compare.left(3)
    compare.left(7)
'''
SOLUTION = '''\
"""Counting down."""


def left(n):
    """What is left of n."""
    # BEGIN SOLUTION
    while n > 0:
        n -= 1
    return n
    # END SOLUTION
'''
BANK = """\
from grader.check import Bank

wrong = Bank()
wrong("left", "never_ends", "counts_down", "You do not count.", "n -= 1", "n += 0")
wrong("left", "ends_too_soon", "counts_down", "You leave one.", "n > 0", "n > 1")
"""


def test_a_mistake_that_does_not_end_hides_no_other(toy, sandbox):
    """The one that fits is named."""
    toy.solution("toy").write_text(SOLUTION)
    toy.suite("toy").write_text(SUITE)
    toy.misconceptions("toy").write_text(BANK)
    suites = collected(toy)
    (exercise,) = suites.catalog.values()
    wrong = Submission("s", "s", {"toy": "def left(n):\n    return min(n, 1)\n"})
    report = Examination(suites, SubmissionProgram(wrong, sandbox), 7).report_on(exercise)

    assert [verdict.misconception for verdict in report.verdicts] == ["ends_too_soon"]


def test_it_is_no_exception_that_code_may_catch():
    assert not issubclass(TookTooLong, Exception)
