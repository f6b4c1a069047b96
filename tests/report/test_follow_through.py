"""What is said of a mistake that costs once."""

from __future__ import annotations

from dataclasses import replace

from grader.model import Cause, Check, ExerciseReport, Outcome, Verdict
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


def test_two_things_are_told_together():
    """What fails because of either is counted once."""
    other = verdict(Outcome.FAILED, misconception="no_mask", lesson="Hide the future.")
    told = follow_words(ExerciseReport("attention", (FAILED, other, CARRIED, PASSED)))

    assert told[0] == "Two things are wrong: Divide by the root. Hide the future."
    assert told[1].startswith("Those alone make 1 more check fail just so; it costs nothing.")


def test_a_step_that_is_not_done_is_missing_and_not_wrong():
    """Unless something that is done is wrong as well: then that is told alone."""
    cause = Cause("other_value", {"not_done_after": "attention: the mask"})
    to_do = verdict(Outcome.FAILED, misconception="no_options", lesson="Use scale.")
    to_do = replace(to_do, cause=cause)
    (first, _) = follow_words(ExerciseReport("attention", (to_do, CARRIED, PASSED)))
    (beside, _) = follow_words(ExerciseReport("attention", (to_do, FAILED, CARRIED, PASSED)))

    assert first == "One thing is missing: Use scale."
    assert beside == "One thing is wrong: Divide by the root."


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


def test_a_check_that_pays_nothing_is_not_said_to():
    """It is another idea, and that one is not there."""
    whole = verdict(Outcome.CARRIED, misconception="no_scale", carried=0.0)

    assert "costs" not in words_of(whole).rationale


def test_nothing_is_said_where_nothing_is_carried():
    """Nor where only what is right counts: then it has failed."""
    assert follow_words(ExerciseReport("attention", (FAILED, PASSED))) == []
