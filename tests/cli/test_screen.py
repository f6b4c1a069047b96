"""What instructors read below the class table."""

from __future__ import annotations

from grader.cli import screen
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

CHECK = Check("gpt", "test_is_fast", "It is fast.", 2.0)
FAST = Measured("time", 0.0417, 0.04, 0.05, 1.5, suspicious=True)


def report(outcome=Outcome.PASSED, *, path="", **fields):
    verdict = Verdict(CHECK, outcome, **fields)
    conditions = Conditions(1, "full", (), ("cpu",), {})
    return Report("ann", "ann", "now", conditions, (ExerciseReport("gpt", (verdict,)),), path)


class TestTheClassTable:
    def test_names_who_is_suspiciously_fast(self, capsys):
        """Who, in which exercise, and the ratio; the marks stay as they are."""
        screen.class_table([report(measured=FAST)])
        said = capsys.readouterr().out

        assert "suspiciously fast  ann: gpt: 0.04 times the reference's time" in said
        assert "2/2" in said

    def test_names_what_was_refused(self, capsys):
        """Who tried what."""
        screen.class_table([report(refused=("os.fork()",))])

        assert "refused  ann: os.fork()" in capsys.readouterr().out

    def test_shows_no_number_without_a_verdict(self, capsys):
        """But who has none in what, why, and the command that repeats it."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        screen.class_table([report(Outcome.INTERNAL, cause=cause, path="/class/ann lee")])
        said = capsys.readouterr().out

        assert "–/2" in said
        assert "! no verdict  ann: gpt: test_is_fast: SandboxError: gone" in said
        assert "grader grade '/class/ann lee' --exercises gpt --seed 1\n" in said

    def test_says_nothing_where_nothing_is_odd(self, capsys):
        """No empty headings."""
        screen.class_table([report()])

        assert "ann:" not in capsys.readouterr().out
