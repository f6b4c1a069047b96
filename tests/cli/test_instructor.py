"""`grader grade`: the class table, and the files beside it."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from grader.cli import instructor
from grader.cli.files import Extras
from grader.course.course import Course, find_course
from grader.errors import GraderError
from grader.runs import store

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
            extras = Extras(feedback=True)
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
        assert "The same command grades them again" in said

    def test_is_repeated_by_the_same_command(self, broken, toy, capsys):
        """And by nothing else: who has a verdict on everything keeps it."""
        _, out = broken()
        suite = toy.suite("toy")
        suite.write_text(suite.read_text().replace("raise OSError", "return OSError"))
        status, _ = broken()
        report = json.loads((out / "reports" / "ann.json").read_text(encoding="utf-8"))

        assert status == 0
        assert report["score"] == 2


RIGHT = "def double(x):\n    return 2 * x\n"
LONG = "ü" * 127 + "x"  # 255 bytes, all that a file system takes


class TestBadInput:
    """It costs itself alone: everybody else has marks, and every file is there."""

    @pytest.fixture
    def grade(self, toy, tmp_path, monkeypatch):
        """``grade()`` grades ``tmp_path/class`` in the toy course, into ``tmp_path/out``."""
        monkeypatch.setattr(instructor, "find_course", lambda: toy)

        def grade():
            extras = Extras(feedback=True)
            out = tmp_path / "out"
            return instructor.grade(tmp_path / "class", out, [], 5, "process", "cpu", extras)

        return grade

    @pytest.fixture
    def hand_in(self, tmp_path):
        def hand_in(*names):
            for name in names:
                (tmp_path / "class" / name).mkdir(parents=True)
                (tmp_path / "class" / name / "toy.py").write_text(RIGHT)

        return hand_in

    @pytest.mark.timeout(120)
    def test_of_every_kind(self, grade, hand_in, tmp_path, capsys):
        """A pipe, a long name, markup for a name, an archive that is none, a link."""
        hand_in("zoe", LONG, "[bold]x[", "=1+1")
        os.mkfifo(tmp_path / "class" / "pipe.py")
        os.mkfifo(tmp_path / "class" / "zoe" / "other.py")
        (tmp_path / "class" / "bad.zip").write_bytes(b"PK")
        (tmp_path / "class" / "link").symlink_to("/etc")
        status = grade()
        rows = marks(tmp_path / "out")
        said = capsys.readouterr().out
        table = (tmp_path / "out" / "not_graded.csv").read_text(encoding="utf-8")

        assert status == 0
        assert {row["student"]: row["score"] for row in rows} == {
            "zoe": "2", LONG: "2", "[bold]x[": "2", "'=1+1": "2", "bad": "0",
        }  # fmt: skip
        assert [row["path"] for row in rows] == sorted(row["path"] for row in rows)
        assert all(row["digest"].startswith("sha256:") for row in rows if row["score"] == "2")
        assert "[bold]x[" in said
        assert {Path(path).name: reason for path, reason in csv.reader(table.splitlines()[1:])} == {
            "pipe.py": "it is a named pipe",
            "other.py": "it cannot be read: it is a named pipe, not a file",
            "link": "it is a link; links are not followed",
        }
        assert [p for p in (tmp_path / "out").rglob("*") if p.suffix in (".part", ".try")] == []
        for folder in ("reports", "feedback"):
            assert len(list((tmp_path / "out" / folder).iterdir())) == len(rows)

    def test_costs_no_more_than_one_file(self, grade, hand_in, tmp_path, monkeypatch, capsys):
        """A report that cannot be written is named, the class goes on, and a script hears of it."""
        hand_in("ann", "zoe")
        real = store.write_report

        def write_report(report, out):
            if report.submission == "ann":
                raise OSError(28, "No space left on device")
            return real(report, out)

        monkeypatch.setattr(store, "write_report", write_report)
        status = grade()

        assert status == 3
        assert [row["score"] for row in marks(tmp_path / "out")] == ["2", "2"]
        assert [path.name for path in (tmp_path / "out" / "reports").iterdir()] == ["zoe.json"]
        assert "not written  the report on ann: No space left on device" in capsys.readouterr().out

    def test_may_bring_a_course_with_it(self, toy, tmp_path, monkeypatch):
        """Whose suites, and anything else in them, would run here."""
        monkeypatch.chdir(toy.root)
        monkeypatch.delenv("GRADER_COURSE", raising=False)
        with pytest.raises(GraderError, match="lies in what you grade"):
            instructor.grade(tmp_path, None, (), None, None, None, Extras())

    def test_is_a_course_that_was_given_away(self, tmp_path):
        """Of what was let out everybody knows the answers."""
        (tmp_path / "release.toml").touch()
        with (
            pytest.raises(GraderError, match="what students get"),
            instructor.walls(Course(tmp_path), None, ()),
        ):
            raise AssertionError("marks are given")

    def test_of_the_instructor_is_found_before_anything_runs(self, grade, hand_in, tmp_path):
        """Where --out is a file, nobody waits for the class first."""
        hand_in("ann")
        (tmp_path / "out").write_text("mine")

        with pytest.raises(GraderError, match="cannot be written to"):
            grade()

        assert (tmp_path / "out").read_text() == "mine"


def marks(out):
    table = (out / "grades.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(table.splitlines()))


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
