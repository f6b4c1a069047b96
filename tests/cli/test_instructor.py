"""`grader grade`: the class table, and the files beside it."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from grader.cli import instructor
from grader.course.course import find_course

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grader):
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

    def test_an_empty_folder_is_refused(self, tmp_path, grader):
        """Grading nothing is an error, in a sentence."""
        done = grader("grade", tmp_path)

        assert done.returncode == 2
        assert "holds no submissions" in done.stderr


BROKEN_CHECK = '''

def test_fails_itself(submission):
    """A check with a fault of its own."""
    raise OSError("out of file descriptors")
'''


class TestNoVerdict:
    @pytest.fixture
    def broken(self, toy, tmp_path, monkeypatch):
        """``grade`` for a course whose second check always fails itself."""
        suite = toy.suite("toy")
        suite.write_text(suite.read_text().partition("def test_leaves")[0] + BROKEN_CHECK)
        monkeypatch.setattr(instructor, "find_course", lambda: toy)
        (tmp_path / "class" / "ann").mkdir(parents=True)
        (tmp_path / "class" / "ann" / "toy.py").write_text("def double(x):\n    return 2 * x\n")

        def grade():
            extras = instructor.Extras(feedback=True)
            out = tmp_path / "out"
            return instructor.grade(tmp_path / "class", out, [], 5, "process", "cpu", extras), out

        return grade

    def test_is_an_exit_status_of_its_own(self, broken):
        """A script must not take an unfinished class for a graded one."""
        status, _ = broken()

        assert status == 3

    def test_is_a_number_nowhere(self, broken, capsys):
        """In no file and not on the screen, which says how to repeat it."""
        _, out = broken()
        table = (out / "grades.csv").read_text(encoding="utf-8")
        (row,) = csv.DictReader(table.splitlines())
        report = json.loads((out / "reports" / "ann.json").read_text(encoding="utf-8"))
        page = (out / "feedback" / "ann.html").read_text(encoding="utf-8")
        said = capsys.readouterr().out.replace("\n", "")

        assert (row["score"], row["toy"], row["no_verdict"]) == ("", "", "toy: test_fails_itself")
        assert (report["score"], report["exercises"][0]["score"]) == (None, None)
        assert "<strong>–</strong> of 2 points" in page
        assert "–/2" in said
        assert "! no verdict  ann: toy: test_fails_itself: OSError: out of file" in said
        assert "--exercises toy --seed 5 --isolation process" in said


class TestFeedback:
    def test_is_a_page_for_each_submission(self, tmp_path, grader):
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
    def test_refuses_halves_in_a_sentence(self, tmp_path, options, says, grader):
        """Before anything is graded for nothing."""
        done = grader("grade", SAMPLES / "perfect", *options, cwd=tmp_path)

        assert done.returncode == 2
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "x").exists()
