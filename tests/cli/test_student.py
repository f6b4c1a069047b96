"""`grader check`: what is printed of one's own work, and the exit status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from grader.course.course import find_course
from grader.course.suite_text import suite_points

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
TIED = "self.head.weight = self.token_embedding.weight\n"
POINTS = suite_points(COURSE, "softmax")


class TestCheck:
    def test_a_right_answer_passes(self, tmp_path, grader):
        """Exit status 0 and full marks, in a folder with spaces and letters of any kind."""
        folder = tmp_path / "meine Übung λ"
        folder.mkdir()
        shutil.copy(SAMPLES / "perfect" / "softmax.py", folder)
        done = grader("check", "softmax", cwd=folder)

        assert done.returncode == 0, done.stdout + done.stderr
        assert "20 of 20 points." in done.stdout

    def test_a_stub_says_what_to_do(self, grader):
        """Exit status 1, the file and the line, and no traceback."""
        done = grader("check", "softmax", cwd=COURSE.exercises)

        assert done.returncode == 1
        assert "Not written yet: softmax.py, line" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr

    def test_a_misconception_is_named(self, grader):
        """The sentence of the misconception stands under the failed check."""
        done = grader("check", "softmax", "--folder", SAMPLES / "wrong_axis")
        said = " ".join(done.stdout.split())

        assert done.returncode == 1
        assert "→ Your output always normalises the last axis" in said

    def test_says_with_which_step_to_go_on(self, grader):
        """The first one of the core that is not right."""
        done = grader("check", "softmax", cwd=COURSE.exercises)

        assert "→ softmax: go on with step 1 of 4, softmax." in done.stdout

    def test_says_what_is_left_once_the_core_is_right(self, tmp_path, grader):
        """No step is left then, and still not everything is done."""
        text = (SAMPLES / "perfect" / "softmax.py").read_text(encoding="utf-8")
        (tmp_path / "softmax.py").write_text(text.replace("x - x.amax(dim, keepdim=True)", "x"))
        done = grader("check", "softmax", cwd=tmp_path)

        assert "→ softmax: the core is right, and " in done.stdout
        assert "left." in done.stdout

    def test_a_core_is_not_called_right_because_of_what_is_carried(self, tmp_path, grader):
        """What follows from a mistake in a robust check is not right yet."""
        for page in (SAMPLES / "perfect").glob("*.py"):
            text = page.read_text(encoding="utf-8")
            if page.stem == "gpt":
                assert text.count(TIED) == 1
                text = text.replace(TIED, TIED.replace(".weight", ".weight.data"))
            (tmp_path / page.name).write_text(text, encoding="utf-8")
        done = grader("check", "gpt", cwd=tmp_path)

        assert "→ gpt: mend what is told above: all " in done.stdout

    def test_what_the_code_printed_is_shown(self, tmp_path, grader):
        """A student's own print() appears under the check that failed."""
        page = tmp_path / "softmax.py"
        page.write_text("def softmax(x, dim=-1):\n    print('hello', x.shape)\n    return x\n")
        done = grader("check", "softmax", cwd=tmp_path)

        assert "| hello torch.Size([3])" in done.stdout

    def test_lines_fit_the_terminal(self, grader):
        """Nothing is wider than 80 columns."""
        done = grader("check", "softmax", "--folder", SAMPLES / "wrong_types")

        assert max(map(len, done.stdout.splitlines())) <= 80

    def test_an_unknown_exercise_is_refused_in_a_sentence(self, grader):
        """Exit status 2, with the nearest name."""
        done = grader("check", "softmx")

        assert done.returncode == 2
        assert done.stderr.strip() == (
            "grader: 'softmx' is not an exercise. Did you mean 'softmax'? "
            "`grader list` shows them all."
        )

    def test_the_portable_worker_does_it_too(self, tmp_path, grader):
        """`--isolation process` gives the same answer without any kernel feature."""
        shutil.copy(SAMPLES / "wrong_axis" / "softmax.py", tmp_path)
        done = grader("check", "softmax", "--isolation", "process", cwd=tmp_path)

        assert done.returncode == 1
        assert "the caller chose `dim`" in " ".join(done.stdout.split())


class TestCheckInAFolderOfOnesOwn:
    def test_without_names_what_was_touched_is_checked(self, own, grader, hand_in):
        """An untouched page is neither checked nor held against anybody."""
        hand_in("perfect", own)
        done = grader("check", cwd=own)

        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[0] == f"softmax  {POINTS:g} / {POINTS:g}"
        assert f"{POINTS:g} of {POINTS:g} points." in done.stdout

    def test_nothing_touched_is_said(self, own, grader):
        """Exit status 2: there was nothing to check."""
        done = grader("check", cwd=own)

        assert done.returncode == 2
        assert "has been changed yet. Open softmax.py" in done.stderr

    def test_json_is_the_report_and_nothing_else(self, own, grader, hand_in):
        """For scripts; the exit status is the same."""
        hand_in("wrong_axis", own)
        done = grader("check", "softmax", "--json", cwd=own)
        report = json.loads(done.stdout)

        assert done.returncode == 1
        assert report["schema"] == "report/v2"
        assert [e["name"] for e in report["exercises"]] == ["softmax"]

    def test_a_page_that_is_gone_can_be_brought_back(self, own, grader):
        """By the command that is named."""
        (own / "softmax.py").unlink()
        done = grader("check", "softmax", cwd=own)

        assert done.returncode == 1
        assert "softmax.py is not in the submission" in done.stdout
        assert done.stderr == "! `grader reset softmax` puts a fresh softmax.py there.\n"

    def test_an_isolation_that_is_none_is_refused(self, own, grader):
        """Rather than understood as the usual one."""
        done = grader("check", "softmax", "--isolation", "none", cwd=own)

        assert done.returncode == 2
        assert "'process'" in done.stderr

    @pytest.mark.parametrize("command", [["check"], []], ids=["check", "no command"])
    def test_a_page_may_be_named_with_its_folder(self, tmp_path, grader, hand_in, command):
        """As shells complete it, from any place."""
        hand_in("perfect", tmp_path)
        done = grader(*command, f"{tmp_path.name}/softmax.py", cwd=tmp_path.parent)

        assert f"{POINTS:g} of {POINTS:g} points." in done.stdout, done.stderr

    def test_parts_that_do_not_lie_beside_it_are_ones_own(self, own, grader):
        """A version that is tried out elsewhere rests on what is finished at home."""
        for name in ("feed_forward", "multi_head_attention", "residual"):
            shutil.copy(SAMPLES / "perfect" / f"{name}.py", own)
        (own / "tried").mkdir()
        shutil.copy(SAMPLES / "perfect" / "encoder.py", own / "tried")
        done = grader("check", "tried/encoder.py", cwd=own)

        assert done.returncode == 0, done.stdout
        parts = "multi_head_attention, feed_forward, residual"
        assert f"from {own}: {parts}." in done.stderr
        assert [path.name for path in (own / "tried").iterdir()] == ["encoder.py"]

    def test_pages_of_two_folders_are_not_checked_at_once(self, tmp_path, grader):
        """Nobody would know which of them helps the other."""
        done = grader("check", "here/softmax.py", "there/masks.py", cwd=tmp_path)

        assert (done.returncode, "several folders" in done.stderr) == (2, True)

    def test_other_folders_are_left_without_a_trace(self, tmp_path, grader, hand_in):
        """Only where exercises were started is progress kept."""
        hand_in("perfect", tmp_path)
        grader("check", "softmax", cwd=tmp_path)

        assert [path.name for path in tmp_path.iterdir()] == ["softmax.py"]


def test_without_fork_a_check_is_the_same(own, hand_in):
    """As on Windows: no os.fork, ordinary processes instead."""
    hand_in("perfect", own)
    program = (
        "import os, sys; del os.fork; sys.argv = ['grader', 'check', '--isolation', 'process']\n"
        "from grader.cli import main; main()"
    )
    settings = {"COLUMNS": "80", "PYTHONPATH": str(COURSE.root)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=own, env=os.environ | settings, capture_output=True,
        text=True, check=False,
    )  # fmt: skip

    assert f"{POINTS:g} of {POINTS:g} points." in done.stdout, done.stderr
