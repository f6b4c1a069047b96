"""What the main screen says of a result."""

from __future__ import annotations

from grader.learner.view import tally
from grader.model import Check, ExerciseReport, Outcome, Verdict


def report(*outcomes):
    check = Check("toy", "test_a", "A.", 2.0)
    return ExerciseReport("toy", tuple(Verdict(check, outcome) for outcome in outcomes))


class TestTheTally:
    def test_counts_checks_and_points(self):
        """Both, since checks are worth different points."""
        said = tally(report(Outcome.PASSED, Outcome.FAILED))

        assert said == "1 of 2 checks pass, 2 of 4 points"

    def test_counts_what_was_left_out(self):
        """A loop that never ends in the first check makes an exercise no smaller."""
        left_out = [Check("toy", "test_b", "B.", 3.0), Check("toy", "test_c", "C.", 1.0)]

        assert tally(report(Outcome.TIMEOUT), left_out) == "0 of 3 checks pass, 0 of 6 points"

    def test_has_no_points_without_a_verdict(self):
        """What is not known is not shown as a number."""
        said = tally(report(Outcome.PASSED, Outcome.INTERNAL))

        assert said == "1 of 2 checks pass, – of 4 points"
