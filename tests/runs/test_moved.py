"""Whose marks move, and because of which checks."""

from __future__ import annotations

import pytest

from grader.model import Outcome
from grader.runs.moved import moved


@pytest.fixture
def told(report, verdict):
    """``told(a=(Outcome.PASSED, 2.0), ...)``: a report with these checks in softmax."""

    def told(**checks):
        found = [verdict(outcome, points, name) for name, (outcome, points) in checks.items()]
        return report(softmax=found)

    return told


PASSED, FAILED, ERROR = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR


class TestAMark:
    def test_stays_where_nothing_has_changed(self, told):
        """Other words of a failure move nothing."""
        before, after = told(a=(PASSED, 1), b=(FAILED, 2)), told(a=(PASSED, 1), b=(ERROR, 2))

        assert moved(before, after) is None

    def test_moves_with_its_checks(self, told):
        """Only those are named that changed."""
        move = moved(told(a=(PASSED, 1), b=(FAILED, 2)), told(a=(PASSED, 1), b=(PASSED, 2)))
        (check,) = move.checks

        assert (move.before.score, move.after.score) == (1, 3)
        assert (check.exercise, check.name, check.device) == ("softmax", "b", "cpu")
        assert (check.before.outcome, check.after.outcome) == (FAILED, PASSED)

    def test_moves_with_what_checks_are_worth(self, told):
        """Also of one that still fails: less could be reached."""
        move = moved(told(a=(PASSED, 1), b=(FAILED, 2)), told(a=(PASSED, 1), b=(FAILED, 5)))

        assert (move.before.max_score, move.after.max_score) == (3, 6)
        assert [check.name for check in move.checks] == ["b"]

    def test_moves_with_checks_that_come_and_go(self, told):
        """The new ones first, in the suite's order."""
        move = moved(told(old=(PASSED, 1), a=(PASSED, 1)), told(a=(PASSED, 1), new=(FAILED, 2)))
        found = [(one.name, one.before is None, one.after is None) for one in move.checks]

        assert found == [("new", True, False), ("old", False, True)]

    def test_that_is_none_has_moved(self, told):
        """A check without a verdict takes the number away, and gives it back."""
        without, judged = told(a=(Outcome.INTERNAL, 1)), told(a=(FAILED, 1))

        assert [check.name for check in moved(judged, without).checks] == ["a"]
        assert [check.name for check in moved(without, judged).checks] == ["a"]
