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
        """Those shown before are shown again; after the last one nothing is left."""
        counts = [grader("hint", "softmax", cwd=own).stdout.count("→ Hint") for _ in range(6)]

        assert counts == [1, 2, 3, 4, 5, 5]

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
        names = [line.strip("✓· ").split()[0] for line in done.stdout.splitlines()[1:20]]

        assert names[:3] == ["softmax", "attention_by_hand", "masks"]

    def test_works_from_any_folder(self, grader):
        """Paths of the checkout are not needed to be current."""
        done = grader("list", cwd=Path(COURSE.root).anchor)

        assert done.returncode == 0, done.stderr
