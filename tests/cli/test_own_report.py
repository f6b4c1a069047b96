"""What students read of their own work."""

from __future__ import annotations

from grader.cli.own_report import own_report
from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Report,
    Verdict,
)

FAST = Measured("time", 0.0417, 0.04, 0.05, 1.5, suspicious=True)


CHECK = Check("gpt", "test_is_fast", "It is fast.", 2.0)


def report(*verdicts):
    conditions = Conditions(1, "full", (), ("cpu",), {})
    return Report("ann", "ann", "now", conditions, (ExerciseReport("gpt", verdicts),))


def test_a_student_is_not_told_of_the_suspicion(capsys):
    """It is for a person to judge."""
    own_report(report(Verdict(CHECK, Outcome.PASSED, measured=FAST)))

    assert "suspicious" not in capsys.readouterr().out


def test_a_check_without_a_verdict_is_no_number(capsys):
    """Not even 0, and the student reads whose fault it is."""
    own_report(report(Verdict(CHECK, Outcome.INTERNAL, cause=Cause("internal", {"said": "gone"}))))
    said = capsys.readouterr().out

    assert "gpt  – / 2\n" in said
    assert "– of 2 points." in said
    assert "No verdict on gpt: test_is_fast: the grader itself failed, not your code." in said
