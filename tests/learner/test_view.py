"""What the main screen says of a result."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.learner.lines import Size
from grader.learner.progress import Progress
from grader.learner.view import Sight, main_lines, tally
from grader.model import Check, Exercise, ExerciseReport, Outcome, Verdict
from grader.report.words import said


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


class TestLostPoints:
    @pytest.fixture
    def sight(self):
        toy = Exercise("toy", "Toy", "", ("f",))
        half = replace(Check("toy", "test_a", "A.", 2.0), idea="the scale")
        verdicts = (Verdict(half, Outcome.PASSED), Verdict(half, Outcome.FAILED, cause=said("No.")))
        report = ExerciseReport("toy", verdicts)
        return Sight(toy, "toy.py", Progress(), ["toy"], report)

    def test_are_told_with_what_they_are_for(self, sight):
        """Below how many checks pass."""
        lines = [line.text for line in main_lines(sight, Size(80, 24))]

        assert "Lost: 2 of 4 points, for the scale (2 of 4)." in lines

    def test_are_none_before_every_check_was_taken(self, sight):
        """What was left out is no loss yet."""
        left_out = [Check("toy", "test_b", "B.", 3.0)]
        lines = main_lines(replace(sight, left_out=left_out), Size(80, 24))

        assert not any("Lost" in line.text for line in lines)
