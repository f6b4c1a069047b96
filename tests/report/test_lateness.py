"""What being late costs is said in numbers that add up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.model import Deduction, Outcome
from grader.report.lateness import deduction_words, undecided

DUE = "2026-11-20T23:59:00+01:00"


@pytest.fixture
def late(report, verdict):
    """``late(points, ...)``: somebody who earned 12.5 points, two days late."""

    def late(points, days=2, due=DUE, **fields):
        one = report(softmax=[verdict(points=12.5)])
        return replace(one, deduction=Deduction(due, days, points, **fields))

    return late


class TestWords:
    def test_are_when_and_how_much(self, late):
        """With the zone in which the date was given."""
        assert deduction_words(late(2.5)) == (
            "Handed in late, on day 2 after 2026-11-20, 23:59 (UTC+01:00): of 12.5 points 2.5 are "
            "taken off, and 10 are left."
        )

    def test_take_off_no_more_than_there_is(self, late):
        """A mark is never below 0."""
        assert "of 12.5 points 12.5 are taken off, and 0 are left" in deduction_words(late(100))

    def test_say_that_nothing_counts(self, late):
        """Where the last day is over."""
        said = deduction_words(late(20, days=9, closed=True))

        assert said.startswith("Handed in too late to count: on day 9 after 2026-11-20")

    @pytest.mark.parametrize(
        ("due", "shown"),
        [
            ("2026-11-20T23:59:59.5+00:00", "2026-11-20, 23:59:59 (UTC)"),
            ("2026-01-02T08:00:00-03:30", "2026-01-02, 08:00 (UTC-03:30)"),
        ],
    )
    def test_have_the_date_as_it_was_given(self, late, due, shown):
        """Seconds only where they say something."""
        assert shown in deduction_words(late(1, due=due))

    def test_are_none_where_nothing_is_known(self, late, report, verdict):
        """On time, of unknown time, or without a mark yet."""
        unjudged = replace(late(1), exercises=report(a=[verdict(Outcome.INTERNAL)]).exercises)

        assert [deduction_words(r) for r in (report(), late(0, days=None), unjudged)] == [
            "",
            "",
            "",
        ]


def test_who_is_late_by_nobody_knows_how_much_is_told(late, report):
    """To a person who decides."""
    (said,) = undecided(late(0, days=None))

    assert "nothing is taken off" in said
    assert undecided(late(1)) == undecided(report()) == []
