"""What a learner opens in place of the main screen."""

from __future__ import annotations

from grader.learner.progress import Progress
from grader.learner.reading import full_lines, list_lines, summary_lines
from grader.model import Check, Exercise, ExerciseReport, Outcome, Verdict

TOY = Exercise("toy", "A toy", "nowhere", ("double",))
CHECK = Check("toy", "test_a", "A.", 2.0)
UNKNOWN = ExerciseReport("toy", (Verdict(CHECK, Outcome.PASSED), Verdict(CHECK, Outcome.INTERNAL)))


class TestWithoutAVerdict:
    def test_a_report_has_no_number(self):
        """Not the points of those checks that have one."""
        assert full_lines(UNKNOWN, TOY, 0, 80)[0].text == "toy  – of 4 points"

    def test_a_summary_has_neither_pass_nor_fail(self):
        """The grader failed, and not the learner."""
        assert summary_lines([UNKNOWN], 80)[0].text.split() == "! toy – of 4 points".split()

    def test_the_list_has_no_number(self):
        """Until the next check knows it."""
        progress = Progress().checked(UNKNOWN, "text", "now")
        line = list_lines([TOY], progress, {"toy": 4.0}, 80)[1]

        assert "–/4" in line.text
