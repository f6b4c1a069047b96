"""A core check that is only wrong when it is asked again earns nothing, and the idea is there."""

from __future__ import annotations

import pytest

from grader.examiner.examination import examine
from grader.model import Outcome
from grader.programs.program import LocalProgram

CHECKS = '''
import pytest


{mark}
def test_doubles(compare, draw):
    """Every number is doubled."""
    x, column = draw.normal(2, 3), draw.normal(4, 1)
    compare.double(x)
    compare.double(column)
'''


def by_its_place(x):
    """Right, but for inputs that do not lie in order."""
    return (2 * x.view(-1)).view(x.shape)


def wrong_for_columns(x):
    """Right for the first probe alone, and there only in order."""
    return by_its_place(x) if x.shape[-1] > 1 else x


def kept():
    """Gives the first answer for ever, whatever the values."""
    answers = {}
    return lambda x: answers.setdefault(x.shape, 2 * x)


@pytest.fixture
def verdict_on(suite_of):
    """``verdict_on(f)``: of the check, marked as core or not."""

    def verdict_on(f, mark="@pytest.mark.core"):
        suite = suite_of(CHECKS.format(mark=mark))
        (found,) = examine(suite, LocalProgram({"double": f}), 3)
        return found

    return verdict_on


class TestACoreCheck:
    def test_is_right_at_first_if_only_other_ways_of_asking_fail(self, verdict_on):
        """A view that is transposed is rigour."""
        found = verdict_on(by_its_place)

        assert (found.outcome, found.points, found.right_at_first) == (Outcome.ERROR, 0, True)

    def test_is_not_if_a_later_probe_is_wrong(self, verdict_on):
        """The first one that failed hid it."""
        assert not verdict_on(wrong_for_columns).right_at_first

    def test_is_not_if_other_values_are_wrong(self, verdict_on):
        """The first ones were right by luck."""
        assert not verdict_on(kept()).right_at_first

    def test_is_not_if_it_is_wrong(self, verdict_on):
        """At once."""
        assert not verdict_on(lambda x: x).right_at_first

    def test_is_alone_in_this(self, verdict_on):
        """A robust check is right or not."""
        assert not verdict_on(by_its_place, mark="").right_at_first
