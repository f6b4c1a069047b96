"""What is said of lost points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.exports.students import for_students
from grader.model import Cause, Check, Conditions, ExerciseReport, Outcome, Report, Verdict
from grader.report.feedback import exercise_lines, standing_lines
from grader.report.feedback_page import feedback_page
from grader.report.lost import lost_line, lost_words
from grader.report.record import from_json, to_json
from grader.report.words import said

SAID = "Lost: 2 of 8 points, for the scale (2 of 4)."


def verdict(idea, outcome=Outcome.FAILED, points=2.0, **fields):
    cause = None if outcome is Outcome.PASSED else said("No.")
    check = Check("attention", "test_it", "It holds.", points, idea=idea)
    return Verdict(check, outcome, cause=cause, **fields)


def exercise(*verdicts):
    return ExerciseReport("attention", verdicts)


def report(*exercises):
    return Report("ann", "ann", "now", Conditions(7, "full", (), ("cpu",), {}), exercises)


PASSED = verdict("the weights", Outcome.PASSED, points=4.0)
ONE_WRONG = exercise(verdict("the scale"), verdict("the scale", Outcome.PASSED), PASSED)


def test_what_the_lost_points_are_for():
    assert lost_words(ONE_WRONG) == [SAID]


def test_what_costs_most_comes_first():
    """And of equals the first on the page."""
    told = lost_line(exercise(verdict("a", points=1.0), verdict("b"), verdict("c"), PASSED))

    assert told == "Lost: 5 of 9 points, for b (2 of 2), c (2 of 2) and a (1 of 1)."


def test_more_than_three_are_counted():
    """Whoever has lost that much has others to read first."""
    four = [verdict(idea) for idea in "abcd"]

    assert lost_line(exercise(*four, PASSED)).endswith("b (2 of 2), c (2 of 2) and one thing more.")
    five = lost_line(exercise(*four, verdict("e"), PASSED))
    assert five.endswith("c (2 of 2) and 2 things more.")


def test_what_is_carried_is_not_lost():
    """Only what pays is; the mistake itself is told next."""
    named = verdict("the scale", misconception="no_scale", lesson="Divide by the root.")
    carried = verdict("the masks", Outcome.CARRIED, misconception="no_scale", carried=1.0)

    assert lost_words(exercise(named, carried, PASSED)) == [
        "Lost: 2 of 8 points, for the scale (2 of 2).",
        "One thing is wrong: Divide by the root.",
        "That alone makes 1 more check fail just so; it costs nothing. Strictly: 4 of 8 points.",
    ]


def test_what_pays_the_rest_is_lost_in_part():
    """Then not all that is carried costs nothing."""
    named = verdict("the scale", misconception="no_scale", lesson="Divide by the root.")
    carried = verdict("the masks", Outcome.CARRIED, misconception="no_scale", carried=0.75)
    first, _, last = lost_words(exercise(named, carried, PASSED))

    assert first == "Lost: 2.5 of 8 points, for the scale (2 of 2) and the masks (0.5 of 2)."
    assert "costs nothing" not in last


def test_a_course_that_does_not_say_what_points_are_for():
    """How much was lost stands beside the score."""
    assert lost_words(exercise(verdict(""), PASSED)) == []
    named = verdict("", misconception="no_scale", lesson="Divide by the root.")
    carried = verdict("", Outcome.CARRIED, misconception="no_scale", carried=1.0)
    assert lost_line(exercise(named, carried, PASSED)) == "Lost: 2 of 8 points."


@pytest.mark.parametrize(
    "verdicts",
    [
        [PASSED],
        [verdict("the scale"), verdict("the weights")],
        [verdict("the scale"), verdict("the weights", Outcome.INTERNAL), PASSED],
        [verdict("the scale", Outcome.SKIPPED), PASSED],
    ],
    ids=["nothing is lost", "nothing is there", "something has no verdict", "one was skipped"],
)
def test_where_nothing_is_said(verdicts):
    assert lost_line(exercise(*verdicts)) == ""


def test_what_is_not_written_yet_is_not_lost():
    """Who has begun well has not failed."""
    wrong, right = ONE_WRONG.verdicts[:2]
    waits = replace(verdict("the masks"), cause=Cause("unwritten", {}))

    assert lost_line(exercise(wrong, right, waits, PASSED)) == (
        "Lost: 2 of 10 points, for the scale (2 of 4); 2 wait with later steps."
    )
    assert lost_line(exercise(right, waits, PASSED)) == ""


def test_a_part_that_is_there_already_waits_no_more():
    """What is got, what is lost and what waits are all there is."""
    half = replace(verdict("the masks"), cause=Cause("unwritten", {"earned": 0.25}))
    found = exercise(*ONE_WRONG.verdicts, half)

    assert lost_line(found).endswith("; 1.5 wait with later steps.")
    assert found.score == 6.5


WAITS = replace(verdict("the masks"), cause=Cause("unwritten", {}))
NAMED = verdict("the scale", misconception="no_scale", lesson="Divide by the root.")


def test_one_mistake_on_a_page_that_is_not_written_to_the_end():
    """Nothing is carried there yet; what fails because of it is not listed as if it were lost."""
    last = "what fails only because of it costs nothing."
    told = lost_line(exercise(NAMED, NAMED, WAITS, PASSED))

    assert told == (
        "Lost so far: 4 of 10 points, all for one thing; 2 wait with later steps. "
        f"Once all is written, {last}"
    )
    other = replace(NAMED, misconception="no_mask")
    two = lost_line(exercise(NAMED, NAMED, other, WAITS, PASSED))
    assert two.startswith("Lost so far: 6 of 12 points, all for two things; ")
    assert two.endswith("what fails only because of them costs nothing.")


@pytest.mark.parametrize(
    "wrong",
    [
        [NAMED],
        [NAMED, verdict("the masks"), NAMED],
        [NAMED, *(replace(NAMED, misconception=f"another_{n}") for n in (1, 2)), NAMED],
        [replace(NAMED, strict=True), replace(NAMED, strict=True)],
        [NAMED, replace(NAMED, outcome=Outcome.TIMEOUT), NAMED],
        [NAMED, replace(NAMED, refused=("open",)), NAMED],
    ],
    ids=[
        "nothing else fails",
        "one has no name",
        "three have names",
        "strict marks",
        "it hangs",
        "something was refused",
    ],
)
def test_where_nothing_will_be_given_back(wrong):
    told = lost_line(exercise(*wrong, WAITS, PASSED))

    assert told.startswith("Lost: ")
    assert "for the scale" in told


def test_points_are_told_to_the_hundredth():
    """A check may be worth a part of its points: a third has no end."""
    part = replace(verdict("the scale", points=10.0), cause=Cause("said", {"earned": 2 / 3}))

    assert (
        lost_line(exercise(part, PASSED)) == "Lost: 3.33 of 14 points, for the scale (3.33 of 10)."
    )


def test_it_is_said_wherever_a_score_is():
    """In a terminal and a notebook, in one that an instructor fills, on the page, in exports."""
    assert exercise_lines(ONE_WRONG)[1] == f"  {SAID}"
    assert standing_lines(ONE_WRONG)[1] == f"  {SAID}"
    assert SAID in feedback_page(report(ONE_WRONG))
    assert for_students(report(ONE_WRONG)).exercises[0].followed == (SAID,)


def test_a_report_keeps_what_points_are_for():
    """One of an older version does not say it."""
    kept = to_json(report(ONE_WRONG))

    assert from_json(kept) == report(ONE_WRONG)
    for check in kept["exercises"][0]["checks"]:
        del check["idea"]
    assert lost_words(from_json(kept).exercises[0]) == []
