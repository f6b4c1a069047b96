"""The commands as a person types them: what is printed, and the exit status."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.course import find_course

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"


def grader(*arguments, cwd=COURSE.root):
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


class TestCheck:
    def test_a_right_answer_passes(self, tmp_path):
        """Exit status 0 and full marks, in a folder with spaces and letters of any kind."""
        folder = tmp_path / "meine Übung λ"
        folder.mkdir()
        shutil.copy(SAMPLES / "perfect" / "softmax.py", folder)
        done = grader("check", "softmax", cwd=folder)

        assert done.returncode == 0, done.stdout + done.stderr
        assert "20 of 20 points." in done.stdout

    def test_a_stub_says_what_to_do(self):
        """Exit status 1, the file and the line, and no traceback."""
        done = grader("check", "softmax", cwd=COURSE.exercises)

        assert done.returncode == 1
        assert "Not written yet: softmax.py, line" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr

    def test_a_misconception_is_named(self):
        """The sentence of the misconception stands under the failed check."""
        done = grader("check", "softmax", "--folder", SAMPLES / "wrong_axis")
        said = " ".join(done.stdout.split())

        assert done.returncode == 1
        assert "→ Your output always normalises the last axis" in said

    def test_what_the_code_printed_is_shown(self, tmp_path):
        """A student's own print() appears under the check that failed."""
        page = tmp_path / "softmax.py"
        page.write_text("def softmax(x, dim=-1):\n    print('hello', x.shape)\n    return x\n")
        done = grader("check", "softmax", cwd=tmp_path)

        assert "| hello torch.Size([3])" in done.stdout

    def test_lines_fit_the_terminal(self):
        """Nothing is wider than 80 columns."""
        done = grader("check", "softmax", "--folder", SAMPLES / "wrong_types")

        assert max(map(len, done.stdout.splitlines())) <= 80

    def test_an_unknown_exercise_is_refused_in_a_sentence(self):
        """Exit status 2, with the nearest name."""
        done = grader("check", "softmx")

        assert done.returncode == 2
        assert done.stderr.strip() == (
            "grader: 'softmx' is not an exercise. Did you mean 'softmax'? "
            "`grader list` shows them all."
        )

    def test_the_portable_worker_does_it_too(self, tmp_path):
        """`--isolation process` gives the same answer without any kernel feature."""
        shutil.copy(SAMPLES / "wrong_axis" / "softmax.py", tmp_path)
        done = grader("check", "softmax", "--isolation", "process", cwd=tmp_path)

        assert done.returncode == 1
        assert "the caller chose `dim`" in " ".join(done.stdout.split())


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    folder = tmp_path_factory.mktemp("class")
    for name in ("perfect", "untouched", "wrong_axis"):
        shutil.copytree(SAMPLES / name, folder / name)
    done = grader(
        "grade", folder, "--out", out, "--exercises", "softmax", "--seed", 5, "--isolation", "full"
    )
    return done, out


class TestGrade:
    def test_the_table_is_printed(self, graded):
        """A row per submission, within 80 columns, and exit status 0 whatever the marks."""
        done, _ = graded
        lines = done.stdout.splitlines()

        assert done.returncode == 0, done.stderr
        assert any(line.split()[:2] == ["perfect", "20/20"] for line in lines)
        assert any(line.split()[:2] == ["untouched", "0/20"] for line in lines)
        assert any("softmax: ignores_dim" in line for line in lines)
        assert max(map(len, lines)) <= 80

    def test_grades_are_written(self, graded):
        """grades.csv has a row per submission with its scores."""
        _, out = graded
        with (out / "grades.csv").open(encoding="utf-8") as file:
            rows = {row["submission"]: row for row in csv.DictReader(file)}

        assert {name: row["score"] for name, row in rows.items()} == {
            "perfect": "20",
            "untouched": "0",
            "wrong_axis": rows["wrong_axis"]["softmax"],
        }

    def test_reports_are_written(self, graded):
        """reports/<submission>.json follows the schema, and says how it was made."""
        _, out = graded
        report = json.loads((out / "reports" / "wrong_axis.json").read_text(encoding="utf-8"))
        (exercise,) = report["exercises"]
        failed = [check for check in exercise["checks"] if check["outcome"] == "failed"]

        assert report["schema"] == "report/v2"
        assert (report["seed"], report["isolation"], report["devices"]) == (5, "full", ["cpu"])
        assert {"process", "limits", "landlock", "seccomp"} <= set(report["layers"])
        assert report["score"] == exercise["score"] == sum(c["points"] for c in exercise["checks"])
        assert failed[0]["misconception"] == "ignores_dim"
        assert {"rationale", "expected", "actual", "help", "kind"} <= set(failed[0]["cause"])

    def test_an_empty_folder_is_refused(self, tmp_path):
        """Grading nothing is an error, in a sentence."""
        done = grader("grade", tmp_path)

        assert done.returncode == 2
        assert "holds no submissions" in done.stderr


class TestFeedback:
    def test_is_a_page_for_each_submission(self, tmp_path):
        """With a picture where points were lost; a hang while drawing costs nobody anything."""
        pytest.importorskip("matplotlib")
        for name in ("loops_forever", "wrong_axis"):
            shutil.copytree(SAMPLES / name, tmp_path / "class" / name)
        shutil.copytree(SAMPLES / "perfect", tmp_path / "class" / "perfect")
        options = ["--exercises", "softmax", "--isolation", "full", "--feedback", "--pictures"]
        done = grader("grade", tmp_path / "class", "--out", tmp_path, *options)
        pages = {p.stem: p.read_text("utf-8") for p in (tmp_path / "feedback").iterdir()}

        assert done.returncode == 0, done.stderr
        assert {name: page.count("<img ") for name, page in pages.items()} == {
            "loops_forever": 1, "wrong_axis": 1, "perfect": 0,
        }  # fmt: skip
        assert "Your output always normalises the last axis" in pages["wrong_axis"]
        assert "no picture" not in done.stdout
        assert f"and {tmp_path / 'feedback'}" in done.stdout.replace("\n", "")

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--feedback"], "say where, with --out DIR"),
            (["--out", "x", "--pictures"], "into the pages that --feedback writes"),
        ],
    )
    def test_refuses_halves_in_a_sentence(self, tmp_path, options, says):
        """Before anything is graded for nothing."""
        done = grader("grade", SAMPLES / "perfect", *options, cwd=tmp_path)

        assert done.returncode == 2
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "x").exists()


class TestAuthors:
    def test_the_stubs_are_as_generated(self):
        """`grader dev stubs --check` finds nothing in a fresh checkout."""
        done = grader("dev", "stubs", "--check")

        assert done.returncode == 0, done.stdout

    def test_the_list_shows_every_exercise(self):
        """`grader list` names the exercises in teaching order."""
        done = grader("list")
        names = [line.strip("✓· ").split()[0] for line in done.stdout.splitlines()[1:20]]

        assert names[:3] == ["softmax", "attention_by_hand", "masks"]


def test_paths_of_the_checkout_are_not_needed_to_be_current():
    """Commands work from any folder."""
    done = grader("list", cwd=Path(COURSE.root).anchor)

    assert done.returncode == 0, done.stderr
