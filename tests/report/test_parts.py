"""The core is told apart from what makes it robust, and leads on step by step."""

from __future__ import annotations

import pytest

from grader.model import Cause, Outcome, Place
from grader.report.feedback import exercise_lines
from grader.report.feedback_page import feedback_page
from grader.report.parts import (
    core_words,
    has_the_core,
    in_the_way,
    is_to_be_written,
    led,
    next_step,
    part_in,
    part_names,
    parts_of,
    robust_words,
    wrong_besides,
)

WRONG = Outcome.FAILED


def unwritten(line):
    return Cause("unwritten", {"code": "raise"}, Place("toy.py", line))


@pytest.fixture
def exercise(report, verdict, of_the_core):
    """``exercise(idea, again, rest)``: two core checks and a robust one, which became of these."""

    def exercise(idea=Outcome.PASSED, again=Outcome.PASSED, rest=WRONG, **fields):
        core = [
            of_the_core(verdict(idea, sentence="It is so."), "f: plain"),
            of_the_core(verdict(again, 2.0, sentence="It is such."), "g", **fields),
        ]
        (found,) = report(toy=[verdict(rest, sentence="It is fast."), *core]).exercises
        return found

    return exercise


class TestTheParts:
    def test_are_counted_apart(self, exercise):
        """Checks and points."""
        parts = parts_of(exercise(again=WRONG).verdicts)

        assert core_words(parts) == "Core: 1 of 2 right, 1 of 3 points"
        assert robust_words(parts) == "Robust: 0 of 1 right, 0 of 1 points"

    def test_say_how_many_are_carried(self, exercise):
        """They are not right, and cost nothing."""
        parts = parts_of(exercise(rest=Outcome.CARRIED).verdicts)

        assert robust_words(parts).startswith("Robust: 0 of 1 right, 1 carried, ")

    def test_are_none_where_there_is_one(self, verdict, of_the_core):
        """Older reports and courses without a core know no parts, nor does a core by itself."""
        assert parts_of([verdict()]) is parts_of([of_the_core(verdict())]) is None

    def test_have_no_points_without_a_verdict(self, exercise):
        """What is not known is no number."""
        parts = parts_of(exercise(again=Outcome.INTERNAL).verdicts)

        assert (parts.core.points, parts.robust.points) == (None, 0)

    def test_have_names(self, exercise, report, verdict):
        """Whatever became of a check; in a course without a core there are none."""
        verdicts = exercise(again=WRONG, right_at_first=True).verdicts
        whole = report(toy=verdicts)

        assert part_names(verdicts) == ["robust", "core", "core"]
        assert [part_in(whole, one) for one in verdicts] == part_names(verdicts)
        assert part_names([verdict()]) == [""]


class TestTheCore:
    def test_is_there_whatever_the_rest_says(self, exercise):
        """The idea is one thing, rigour another."""
        assert [has_the_core(exercise()), has_the_core(exercise(idea=WRONG))] == [True, False]

    def test_is_there_where_it_is_only_wrong_when_asked_again(self, exercise):
        """No points for that check, but the idea."""
        found = exercise(again=WRONG, right_at_first=True)

        assert has_the_core(found)
        assert core_words(parts_of(found.verdicts)) == (
            "Core: 2 of 2 right, 1 of 3 points (one of them is right at first, but not in every "
            "way it is asked: below)"
        )

    def test_is_not_known_where_a_check_never_ended(self, exercise):
        """Others may have been left out."""
        assert not has_the_core(exercise(rest=Outcome.TIMEOUT))

    def test_is_everything_where_none_is_marked(self, report, verdict):
        """A course without a core goes on as before."""
        (found,) = report(toy=[verdict(), verdict(WRONG)]).exercises

        assert not has_the_core(found)


class TestTheWay:
    def test_leads_through_the_core_step_by_step(self, exercise):
        """In the catalog's order, and then to the rest."""
        verdicts = led(exercise(WRONG, WRONG).verdicts, ["g", "f: plain"])

        assert [v.check.step for v in verdicts] == ["g", "f: plain", ""]

    def test_goes_on_at_the_first_step_that_is_not_right(self, exercise):
        """Until there is none."""
        steps = ["f: plain", "g"]
        found = [exercise(WRONG, WRONG), exercise(again=WRONG), exercise()]

        assert [next_step(one.verdicts, steps) for one in found] == ["f: plain", "g", ""]

    def test_does_not_stop_at_what_follows_from_a_mistake_elsewhere(self, exercise):
        """Nothing is to be done there."""
        found = exercise(Outcome.CARRIED, WRONG)

        assert next_step(found.verdicts, ["f: plain", "g"]) == "g"

    def test_says_whether_a_step_is_to_be_written(self, exercise):
        """What is written and wrong may be the doing of an earlier one."""
        begun, stub = exercise(WRONG), exercise(WRONG, cause=unwritten(3))

        assert not is_to_be_written(begun.verdicts, "f: plain")
        assert [is_to_be_written(stub.verdicts, step) for step in ("f: plain", "g")] == [
            False,
            True,
        ]


class TestWhatIsNotWritten:
    """It is counted where something is wrong in what is written."""

    @pytest.fixture
    def told(self, report, verdict, of_the_core):
        """``told(*more)``: of a page of which nothing is written, and of ``more``."""

        def told(*more):
            plain, masked, later, last = (
                verdict(WRONG, sentence=f"It is {what}.", cause=unwritten(line))
                for what, line in (("plain", 3), ("masked", 5), ("exact", 7), ("fast", 7))
            )
            of_core = [of_the_core(plain, "f: plain"), of_the_core(masked, "g")]
            lines = exercise_lines(report(toy=[later, *more, last, *of_core]).exercises[0])
            return [line for line in lines if line[2:3] in set("✗·")]

        return told

    def test_is_told_once(self, told):
        """Its first line, under the head of its part."""
        assert told() == [
            "  ✗ It is plain.",
            "  · 1 check fails as where a later step is not written yet, and waits.",
            "  · 2 checks fail as where later steps are not written yet, and wait.",
        ]

    def test_comes_after_what_is_wrong(self, told, verdict):
        """Which is what a learner has just written."""
        assert told(verdict(WRONG, sentence="It is odd.")) == [
            "  · 2 checks fail as where later steps are not written yet, and wait.",
            "  ✗ It is odd.",
            "  · 2 checks fail as where later steps are not written yet, and wait.",
        ]

    def test_leaves_what_is_written_already(self, exercise):
        """Which is told beside it; not while the step at hand is wrong itself."""
        waits = exercise(again=WRONG, cause=unwritten(5))

        (fast,) = wrong_besides(waits.verdicts, "g")
        assert fast.check.sentence == "It is fast."
        assert wrong_besides(exercise(WRONG).verdicts, "f: plain") == []


class TestWhatAStudentReads:
    def test_has_the_core_first(self, exercise):
        """Each part under its own score."""
        lines = exercise_lines(exercise(again=WRONG))

        assert [line for line in lines if line[2:3].strip()] == [
            "toy  1 / 4",
            "  Core: 1 of 2 right, 1 of 3 points",
            "  ✓ It is so.",
            "  ✗ It is such.",
            "  Robust: 0 of 1 right, 0 of 1 points",
        ]

    def test_is_the_same_on_the_page(self, report, verdict, of_the_core):
        """And every check keeps its number."""
        page = feedback_page(report(toy=[verdict(), of_the_core(verdict(sentence="The idea."))]))

        assert page.index("Core: 1 of 1 right") < page.index("The idea.")
        assert page.index("The idea.") < page.index("Robust: 1 of 1 right")
        assert '<span class="number">1.2</span> The idea.' in page


class TestWhatIsInTheWay:
    def test_is_the_module_that_all_of_a_step_waits_for(self, exercise):
        """Who goes on with the step cannot make it right."""
        waits = {"cause": Cause("needs_wrong", {"other": "softmax"})}
        verdicts = exercise(again=Outcome.BLOCKED, **waits).verdicts

        assert in_the_way(verdicts, "g") == "softmax"

    def test_is_nothing_where_something_else_is_wrong(self, exercise):
        """Or all is right."""
        verdicts = exercise(WRONG, Outcome.PASSED).verdicts

        assert [in_the_way(verdicts, step) for step in ("f: plain", "g")] == ["", ""]
