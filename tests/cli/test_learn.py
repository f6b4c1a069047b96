"""Learning alone, command by command: what is printed, and the exit status."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.suite_text import suite_points

COURSE = find_course()
CATALOG = load_catalog(COURSE)
POINTS = suite_points(COURSE, "softmax")
TOTAL = sum(suite_points(COURSE, name) for name in CATALOG)


class TestStart:
    def test_a_second_start_is_refused(self, own, grader, hand_in):
        """Exit status 2, one sentence, nothing overwritten."""
        hand_in("wrong_axis", own)
        before = (own / "softmax.py").read_bytes()
        done = grader("start", own, cwd=own)

        assert done.returncode == 2
        assert "nothing was changed" in done.stderr
        assert (own / "softmax.py").read_bytes() == before


class TestTheRest:
    def test_the_list_shows_progress(self, own, grader, hand_in):
        """Points, tries, level, minutes, and what each exercise needs."""
        hand_in("perfect", own)
        grader("check", cwd=own)
        lines = grader("list", cwd=own).stdout.splitlines()
        softmax = CATALOG["softmax"]
        told = f"✓ softmax ✓ {POINTS:g}/{POINTS:g} 1 {softmax.level} {softmax.minutes} -"

        assert lines[1].split() == told.split()
        assert lines[-1] == (
            f"1 of {len(CATALOG)} cores right, 1 of {len(CATALOG)} done, "
            f"{POINTS:g} of {TOTAL:g} points."
        )
        assert max(map(len, lines)) <= 80

    def test_hints_come_one_by_one(self, own, grader):
        """Of the first function that is not written; those before are shown again, and after the
        last one nothing is left.
        """
        count = len(CATALOG["softmax"].hints_of("softmax"))
        said = [grader("hint", "softmax", cwd=own).stdout for _ in range(count + 1)]

        assert [text.count("→ Hint") for text in said] == [*range(1, count + 1), count]
        assert "Those are all." in said[-1]
        assert "grader hint softmax` then shows the next" in said[0]

    def test_hints_can_be_asked_for_by_function(self, own, grader):
        """Nobody must read those on another first."""
        done = grader("hint", "softmax", "log_softmax", cwd=own)
        wrong = grader("hint", "softmax", "logsoftmax", cwd=own)

        assert f"Hint 1 of {len(CATALOG['softmax'].hints_of('log_softmax'))} (log_" in done.stdout
        assert "`grader hint softmax log_softmax` then shows the next" in done.stdout
        assert "softmax has no function 'logsoftmax'. Did you mean 'log_softmax'?" in wrong.stderr

    def test_predictions_are_asked_and_answered(self, own, grader):
        """All of them, then one with what is said to its answer; a wrong number is told."""
        asked = grader("ask", "softmax", cwd=own).stdout
        answered = grader("ask", "softmax", "2", "no", cwd=own).stdout
        again = grader("ask", "softmax", "2", cwd=own).stdout
        refused = grader("ask", "softmax", "9", "-1", cwd=own)

        assert [line[:2] for line in asked.splitlines() if line[:1].isdigit()] == [
            "1.",
            "2.",
            "3.",
            "4.",
            "5.",
        ]
        assert "✓ no: Every exponential" in answered
        assert "✓ no: Every exponential" in again
        assert "softmax 2: no\n" in (own / "predictions.txt").read_text(encoding="utf-8")
        assert refused.returncode == 2
        assert "1 to 5, and no 9" in refused.stderr

    def test_reset_keeps_the_old_page(self, own, grader, hand_in):
        """Beside the fresh one."""
        hand_in("wrong_axis", own)
        refused = grader("reset", "softmax", cwd=own)
        done = grader("reset", "softmax", "--yes", cwd=own)

        assert refused.returncode != 0
        assert "kept as softmax.py.old-1" in done.stdout
        assert "TODO" in (own / "softmax.py").read_text(encoding="utf-8")

    def test_the_solution_is_shown_after_a_pass_only(self, own, grader, hand_in):
        """Before, it says what helps instead."""
        before = grader("solution", "softmax", cwd=own)
        hand_in("perfect", own)
        grader("check", cwd=own)
        after = grader("solution", "softmax", cwd=own)

        assert before.returncode == 2
        assert "once yours has passed" in before.stderr
        assert "│ the solution" in after.stdout

    @pytest.mark.parametrize("command", [["watch"], []])
    def test_without_a_terminal_it_says_what_to_run(self, own, command, grader):
        """`grader` and `grader watch` alike."""
        done = grader(*command, cwd=own)

        assert done.returncode == 2
        assert "needs a terminal" in done.stderr
        assert "Run `grader check`" in done.stderr

    def test_elsewhere_plain_grader_shows_its_commands(self, tmp_path, grader):
        """Exit status 0, and nothing is made."""
        done = grader(cwd=tmp_path)

        assert done.returncode == 0
        assert "watch" in done.stdout
        assert list(tmp_path.iterdir()) == []

    def test_a_damaged_progress_file_is_said_once(self, own, grader):
        """It is set aside; the next command is quiet."""
        (own / ".grader.json").write_text("{")
        first, second = grader("list", cwd=own), grader("list", cwd=own)

        assert "progress file was damaged" in first.stderr
        assert second.stderr == ""

    def test_the_command_works_like_the_module(self, own):
        """The installed script, in the same folder."""
        script = shutil.which("grader", path=os.path.dirname(sys.executable))
        if script is None:
            pytest.skip("the package is not installed")
        settings = {"COLUMNS": "80", "PYTHONPATH": str(COURSE.root)}
        done = subprocess.run(
            [script, "list"], cwd=own, env=os.environ | settings, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

        assert f"0 of {len(CATALOG)} done" in done.stdout, done.stderr


class TestList:
    def test_shows_every_exercise(self, grader):
        """`grader list` names the exercises in teaching order."""
        done = grader("list")
        names = [line.strip("✓· ").split()[0] for line in done.stdout.splitlines()[1:22]]

        assert names[:3] == ["softmax", "before_attention", "attention_by_hand"]

    def test_works_from_any_folder(self, grader):
        """Paths of the checkout are not needed to be current."""
        done = grader("list", cwd=Path(COURSE.root).anchor)

        assert done.returncode == 0, done.stderr
