"""Whoever has passed is told what they can do now, and never before."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.model import Check, Exercise, ExerciseReport, Measured, Outcome, Verdict
from grader.report.closing import closing_lines

PAGE = Exercise("page", "Page", "Bach 1722", ("f",), afterwards=("play", "listen"), question="Why?")
READ_ON = 'Read on: Bach 1722; and what the page names under "Look further".'


def report(*verdicts):
    return ExerciseReport("page", verdicts)


def verdict(outcome=Outcome.PASSED, **measured):
    found = Measured(**{"high": 9.0, "limit": 9.0} | measured) if measured else None
    return Verdict(Check("page", "test_f", "It plays."), outcome, measured=found)


class TestWhoHasPassed:
    def test_is_told_what_they_can_do_and_asked_a_question(self):
        told = closing_lines(PAGE, report(verdict(), verdict(Outcome.SKIPPED)))

        assert told == ["Now you can play; listen.", "To think about: Why?", READ_ON]

    def test_is_told_what_the_course_says_alone(self):
        assert closing_lines(Exercise("page", "Page", "Bach 1722", ("f",)), report(verdict())) == [
            READ_ON
        ]

    @pytest.mark.parametrize(
        ("what", "low", "said"),
        [
            ("time", 2.5, "2.5 times as long"),
            ("memory", 1.4, "1.4 times the memory"),
            ("time", 1.5, ""),
            ("memory", 1.1, ""),
        ],
    )
    def test_is_told_where_theirs_differs_in_kind(self, what, low, said):
        """By what was measured at least; small differences are luck."""
        found = verdict(what=what, ratio=low + 1, low=low)
        told = closing_lines(PAGE, report(verdict(), found))

        assert any("times" in line for line in told) == bool(said)
        assert said in " ".join(told)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CARRIED, Outcome.INTERNAL])
def test_nothing_is_said_before(outcome):
    """Nor where there is nothing to be passed."""
    assert closing_lines(PAGE, report(verdict(), verdict(outcome))) == []
    assert closing_lines(PAGE, report()) == []


@pytest.mark.parametrize("exercise", load_catalog(find_course()).values(), ids=lambda one: one.name)
def test_every_page_of_this_course_ends_with_a_question(exercise):
    assert exercise.afterwards
    assert exercise.question.endswith("?")
