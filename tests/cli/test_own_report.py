"""What students read of their own work."""

from __future__ import annotations

from grader.cli.own_report import own_report
from grader.model import Check, Conditions, ExerciseReport, Measured, Outcome, Report, Verdict

FAST = Measured("time", 0.0417, 0.04, 0.05, 1.5, suspicious=True)


def test_a_student_is_not_told_of_the_suspicion(capsys):
    """It is for a person to judge."""
    check = Check("gpt", "test_is_fast", "It is fast.", 2.0)
    verdicts = (Verdict(check, Outcome.PASSED, measured=FAST),)
    conditions = Conditions(1, "full", (), ("cpu",), {})
    own_report(Report("ann", "ann", "now", conditions, (ExerciseReport("gpt", verdicts),)))

    assert "suspicious" not in capsys.readouterr().out
