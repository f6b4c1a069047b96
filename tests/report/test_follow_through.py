"""What is said of a mistake that costs once."""

from __future__ import annotations

from grader.model import Check, ExerciseReport, Outcome, Verdict
from grader.report.feedback import exercise_lines, words_of
from grader.report.follow_through import follow_words
from grader.report.words import said


def verdict(outcome, points=2.0, **fields):
    cause = None if outcome is Outcome.PASSED else said("No.")
    check = Check("attention", "test_it", "It holds.", points)
    return Verdict(check, outcome, cause=cause, **fields)


FAILED = verdict(Outcome.FAILED, misconception="no_scale", lesson="Divide by the root.")
CARRIED = verdict(Outcome.CARRIED, misconception="no_scale", carried=1.0)
PASSED = verdict(Outcome.PASSED)


def test_the_one_thing_comes_first_and_once():
    """What it costs, and what it would cost strictly."""
    told = follow_words(ExerciseReport("attention", (FAILED, CARRIED, CARRIED, PASSED)))

    assert told == [
        "One thing is wrong: Divide by the root.",
        "That alone makes 2 more checks fail just so; they cost nothing. Strictly: 2 of 8 points.",
    ]


def test_what_is_carried_is_folded():
    """It costs nothing, and needs no words of its own."""
    lines = exercise_lines(ExerciseReport("attention", (FAILED, CARRIED, CARRIED, PASSED)))

    assert sum(line.strip().startswith("≈") for line in lines) == 1
    assert "      The same stops 1 more check." in lines


def test_a_check_that_pays_the_rest_says_so():
    """Not all of its points are given."""
    part = verdict(Outcome.CARRIED, misconception="no_scale", carried=0.5)

    assert words_of(part).rationale.endswith("costs a part of its points.")
    assert words_of(part).points == "1 / 2"


def test_nothing_is_said_where_nothing_is_carried():
    """Nor where only what is right counts: then it has failed."""
    assert follow_words(ExerciseReport("attention", (FAILED, PASSED))) == []
