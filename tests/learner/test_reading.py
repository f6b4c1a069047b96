"""What a learner opens in place of the main screen."""

from __future__ import annotations

from dataclasses import replace

from grader.learner.progress import Progress
from grader.learner.reading import full_lines, list_lines, prospect_lines, summary_lines
from grader.model import Check, Exercise, ExerciseReport, Outcome, Verdict

TOY = Exercise("toy", "A toy", "nowhere", ("double",))
CHECK = Check("toy", "test_a", "A.", 2.0)
UNKNOWN = ExerciseReport("toy", (Verdict(CHECK, Outcome.PASSED), Verdict(CHECK, Outcome.INTERNAL)))


class TestWithoutAVerdict:
    def test_a_report_has_no_number(self):
        """Not the points of those checks that have one."""
        assert full_lines(UNKNOWN, TOY, (), 80)[0].text == "toy  – of 4 points"

    def test_a_summary_has_neither_pass_nor_fail(self):
        """The grader failed, and not the learner."""
        assert summary_lines([UNKNOWN], 80)[0].text.split() == "! toy – of 4 points".split()

    def test_the_list_has_no_number(self):
        """Until the next check knows it."""
        progress = Progress().checked(UNKNOWN, "text", "now")
        line = list_lines([TOY], progress, {"toy": 4.0}, 80)[1]

        assert "–/4" in line.text


class TestWhatAnExerciseTakes:
    HARD = replace(TOY, level=4, minutes=90, sittings=2, before=("sums",), afterwards=("add",))

    def test_stands_in_the_list_where_there_is_room(self):
        """Level and minutes; a narrow terminal keeps the points."""
        wide, narrow = (
            list_lines([self.HARD], Progress(), {"toy": 4.0}, n)[1].text for n in (80, 60)
        )

        assert wide.split() == "toy 0/4 0 4 90 -".split()
        assert narrow.split() == "toy 0/4 0 -".split()

    def test_of_the_next_exercise_is_told_in_full(self):
        """How long, what to know before, and what one can do afterwards."""
        told = " ".join(line.text for line in prospect_lines([self.HARD], Progress(), 80))

        assert "About 90 minutes in 2 sittings. Know before: sums. Afterwards you can add." in told

    def test_is_not_told_when_all_is_done_or_nothing_is_known(self):
        """Then there are no lines at all."""
        right = ExerciseReport("toy", (Verdict(CHECK, Outcome.PASSED),))
        done = Progress().checked(right, "text", "now")

        assert prospect_lines([self.HARD], done, 80) == []
        assert prospect_lines([TOY], Progress(), 80) == []
