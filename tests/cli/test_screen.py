"""What instructors read below the class table."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from grader.cli import screen
from grader.collect import Collected, Ignored, Note
from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Report,
    Submission,
    Verdict,
)
from grader.report.words import said
from grader.runs.moved import moved

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
        out = capsys.readouterr().out

        assert "suspiciously fast  ann: gpt: 0.04 times the reference's time" in out
        assert "2/2" in out

    def test_names_what_was_refused(self, capsys):
        """Who tried what."""
        screen.class_table([report(refused=("os.fork()",))])

        assert "refused  ann: os.fork()" in capsys.readouterr().out

    def test_shows_every_name_as_it_is(self, capsys):
        """Markup in a name is a part of the name, and an unknown closing tag ends nothing."""
        screen.class_table([replace(report(), submission="[bold]a[/x]")])

        assert "[bold]a[/x]" in capsys.readouterr().out

    def test_cannot_be_forged(self, capsys):
        """A line end in what a worker sent would begin a line of our own."""
        screen.class_table([report(refused=("x\nrefused  zoe: open('/solutions')",))])
        lines = capsys.readouterr().out.splitlines()

        assert "refused  ann: x⏎refused  zoe: open('/solutions')" in lines
        assert not any(line.startswith("refused  zoe") for line in lines)

    @pytest.mark.parametrize("length", range(30, 80, 7))
    def test_cannot_be_forged_by_the_width_either(self, capsys, length):
        """Where a long line is broken, its rest stands further in."""
        attempt = f"{'x' * length} refused  zoe: open('/solutions')"
        screen.class_table([report(refused=(attempt,))])

        assert not any(
            line.startswith("refused  zoe") for line in capsys.readouterr().out.splitlines()
        )

    def test_keeps_untrusted_words_in_their_row(self, capsys):
        """What an exception says could look like somebody's marks."""
        cause = said("no\nmallory  20/20")
        screen.class_table([report(Outcome.FAILED, cause=cause)])

        assert not any(line.startswith("mallory") for line in capsys.readouterr().out.splitlines())

    def test_shows_no_number_without_a_verdict(self, capsys):
        """But who has none in what, why, and the command that repeats it."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        screen.class_table([report(Outcome.INTERNAL, cause=cause, path="/class/ann lee")])
        out = capsys.readouterr().out

        assert "–/2" in out
        assert "! no verdict  ann: gpt: test_is_fast: SandboxError: gone" in out
        assert "grader grade '/class/ann lee' --exercises gpt --seed 1\n" in out

    def test_says_nothing_where_nothing_is_odd(self, capsys):
        """No empty headings."""
        screen.class_table([report()])

        assert "ann:" not in capsys.readouterr().out

    def test_of_a_run_that_goes_on_needs_no_other_command(self, capsys):
        """The same one repeats what has no verdict, into the same folder."""
        cause = Cause("internal", {"said": "SandboxError: gone"})
        screen.class_table([report(Outcome.INTERNAL, cause=cause)], goes_on=True)
        out = capsys.readouterr().out

        assert "The same command grades them again, and nothing else." in out
        assert "grader grade" not in out


class TestARunThatGoesOn:
    def test_names_whose_reports_stay(self, capsys):
        """The first of them; of one student's download that is the whole class."""
        screen.kept(0, [f"student{n}" for n in range(screen.MOST_ALIKE + 5)], 0)
        out = " ".join(capsys.readouterr().out.split())

        assert "student0, student1, student2" in out
        assert out.endswith("and 5 more")

    def test_says_nothing_where_all_is_new(self, capsys):
        """No empty notes."""
        screen.kept(0, [], 0)

        assert capsys.readouterr().out == ""


class TestMarksThatMove:
    def moved(self, *outcomes, name="ann", worth=2.0):
        before, after = (
            replace(
                report(outcome, cause=said("no")),
                submission=name,
                exercises=(
                    ExerciseReport(
                        "gpt",
                        (Verdict(replace(CHECK, max_points=points), outcome, cause=said("no")),),
                    ),
                ),
            )
            for outcome, points in zip(outcomes, (2.0, worth), strict=True)
        )
        return moved(before, after)

    def test_are_told_with_their_checks(self, capsys):
        """From what to what, and because of which."""
        screen.moved([self.moved(Outcome.FAILED, Outcome.PASSED)], 5)
        out = " ".join(capsys.readouterr().out.split())

        assert "ann 0/2 -> 2/2: gpt: test_is_fast failed -> passed" in out
        assert "Marks that move: 1 of 5." in out

    def test_say_what_checks_are_worth_now(self, capsys):
        """Also where the outcome stays."""
        screen.moved([self.moved(Outcome.PASSED, Outcome.PASSED, worth=5.0)], 1)

        assert "passed -> passed (2 -> 5 points)" in " ".join(capsys.readouterr().out.split())

    def test_are_counted_by_check(self, capsys):
        """Of a class the checks are what somebody looks at first."""
        moves = [self.moved(Outcome.PASSED, Outcome.INTERNAL, name=f"s{n}") for n in range(3)]
        screen.moved(moves, 3)
        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

        assert lines[0] == "s0 2/2 -> –/2: gpt: test_is_fast passed -> internal"
        assert lines[-1] == "3 gpt: test_is_fast passed -> internal"


class TestProgress:
    def test_takes_any_name(self, monkeypatch):
        """Markup in a name would end the class, on a terminal."""
        shown = io.StringIO()
        monkeypatch.setattr(screen, "_console", Console(file=shown, force_terminal=True))
        found = screen.progress([report()], [Submission("[/x]", "[/x]", {})])

        assert list(found) == [report()]
        assert "[/x]" in shown.getvalue()


class TestNotGraded:
    def test_is_named_up_to_a_limit(self, capsys):
        """The rest is counted; the file beside the grades has all of it."""
        screen.not_graded([Ignored(f"{n}.rar", "why") for n in range(screen.MOST_IGNORED + 3)])
        lines = capsys.readouterr().out.splitlines()

        assert lines[0] == "not graded  0.rar: why"
        assert lines[-1] == "not graded  and 3 more"
        assert len(lines) == screen.MOST_IGNORED + 1


class TestCollected:
    def test_shows_names_as_they_are(self, capsys):
        """Neither markup nor a line end in a name makes a line of ours."""
        evil = Submission("[bold]a[/x]", "b\nnot graded  zoe", {"softmax": ""})
        screen.collected(Collected((evil,)), ["softmax", "masks"])
        out = capsys.readouterr().out

        assert "[bold]a[/x]" in out
        assert not any(line.startswith("not graded") for line in out.splitlines())

    def test_says_which_modules_are_there(self, capsys):
        """And which of them cannot be read."""
        problem = {"masks": Cause("not_utf8", {"module": "masks", "name": "masks.py", "byte": 1})}
        some = Submission("ann", "ann", {"softmax": ""}, problem, late=True)
        none = Submission("ben", "ben", {}, problem | {"softmax": problem["masks"]})
        found = Collected((some, none, Submission("cleo", "cleo", {"other": ""})))
        screen.collected(found, ["softmax", "masks"])
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]

        assert ["ann", "late", "softmax;", "not", "read:", "masks"] in lines
        assert ["ben", "none", "can", "be", "read"] in lines
        assert ["cleo", "—"] in lines

    def test_counts_what_is_alike(self, capsys):
        """Of a class of clones nobody reads every picture; a reason of its own is never lost."""
        pictures = [Ignored(f"{n}.png", "it is no Python file") for n in range(500)]
        screen.collected(Collected((), (*pictures, Ignored("x.rar", "an archive"))), ["softmax"])
        lines = capsys.readouterr().out.splitlines()
        told = [line for line in lines if line.startswith("not graded")]

        assert told[-1] == "not graded  x.rar: an archive"
        assert told[-2] == f"not graded  and {500 - screen.MOST_ALIKE} more: it is no Python file"
        assert len(told) == screen.MOST_ALIKE + 2

    def test_may_be_told_in_part(self, capsys):
        """Below the table of marks, where there is a command that shows the rest."""
        screen.notes([Note(f"{n}.py", "graded as softmax.py") for n in range(5)], most=3)
        lines = capsys.readouterr().out.splitlines()

        assert lines[-1] == "note  and 2 more: `grader collect` shows them all"
        assert len(lines) == 4
