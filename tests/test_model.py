"""The nouns say what belongs together."""

from __future__ import annotations

import unicodedata

import pytest

from grader.model import Cause, Check, Exercise, Hint, Outcome, Submission, Verdict


def of(student, student_id="", name="x"):
    return Submission(name, student, {}, student_id=student_id).drawn_for


class TestWhatIsDrawnForAStudent:
    @pytest.mark.parametrize(
        "spelling", ["josé díaz", "JOSÉ  DÍAZ ", unicodedata.normalize("NFD", "José Díaz")]
    )
    def test_depends_on_no_spelling(self, spelling):
        """Whoever renames or copies a folder changes no question."""
        assert of(spelling, name="another") == of("José Díaz")

    def test_depends_on_the_id_alone_where_there_is_one(self):
        """Also once a roster has given the name as it is written there."""
        assert of("leeann", "7") == of("Lee, Ann", "7") != of("Lee, Ann", "8")

    def test_differs_from_student_to_student(self):
        """A name is no id."""
        assert len({of("Ann"), of("Ben"), of("Anne"), of("7"), of("Ann", "7")}) == 5


class TestPoints:
    """What a check is worth to who fails it."""

    def of(self, outcome, facts):
        check = Check("toy", "test_doubles", "Doubles.", max_points=2.0)
        return Verdict(check, outcome, cause=Cause("said", facts)).points

    def test_a_wrong_answer_earns_the_part_that_the_check_says(self):
        """Nothing without one."""
        assert self.of(Outcome.FAILED, {"earned": 0.75}) == 1.5
        assert self.of(Outcome.FAILED, {}) == 0.0

    @pytest.mark.parametrize("earned", [1.0, 7.5, -1.0, float("nan"), True, "0.5"])
    def test_nobody_earns_more_than_a_part(self, earned):
        """A report from elsewhere may say anything."""
        assert self.of(Outcome.FAILED, {"earned": earned}) == 0.0

    @pytest.mark.parametrize(
        "outcome",
        [o for o in Outcome if o not in (Outcome.PASSED, Outcome.FAILED, Outcome.CARRIED)],
    )
    def test_who_gives_no_answer_earns_nothing(self, outcome):
        """An error, a timeout, no verdict."""
        assert self.of(outcome, {"earned": 0.5}) == 0.0


class TestHints:
    """The first hint of a function is shown unasked: it must not be on another step."""

    EXERCISE = Exercise(
        "attention",
        "Attention",
        "",
        ("f", "g"),
        hints=(
            Hint("Whole f.", ("f",)),
            Hint("Of the mask.", ("f",), "f: a mask"),
            Hint("g first.", ("g",)),
            Hint("g.", ("g",), unasked=True),
        ),
        steps=("f: plain", "f: a mask", "g"),
    )

    def test_is_the_first_of_a_function(self):
        """Of one that is written in one step."""
        assert self.EXERCISE.hint_of("g") == self.EXERCISE.hint_of("g", "g") == "g."

    def test_is_on_the_step(self):
        """Of one that is written in several."""
        steps = ("f: plain", "f: a mask", "")

        assert [self.EXERCISE.hint_of("f", step) for step in steps] == ["", "Of the mask.", ""]
