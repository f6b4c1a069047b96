"""`grader grade --assignment`: the file decides, and nothing that was typed decides otherwise."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from grader.cli import exporting, instructor, regrading
from grader.cli.assigning import planned
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError
from grader.programs.budget import LIMITS, Limits
from grader.runs.reading import read_run

COURSE = find_course()
SAMPLES = COURSE.root / "tests" / "submissions"
TEXT = """\
title = "Problem set 1"
exercises = ["softmax"]
seed = 5
devices = ["cpu"]
due = 2026-11-20T23:59:00+01:00
weights = { softmax = 7 }
late = { points_per_day = 1 }

[limits]
submission_seconds = 200

[checks]
drop = ["softmax.test_normalises_the_axis_asked_for"]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("assignment") / "ps1.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def plan(file):
    """``plan(seed=5)``: of the file, and what was typed beside it."""

    def plan(names=(), seed=None, device=None, path=file):
        return planned(COURSE, load_catalog(COURSE), path, names, seed, device)

    return plan


class TestAPlan:
    def test_is_that_of_the_file(self, plan):
        """Exercises, seed, devices and limits; what it does not say is as usual."""
        found = plan()

        assert [exercise.name for exercise in found.exercises] == ["softmax"]
        assert (found.seed, found.devices) == (5, ("cpu",))
        assert found.limits == Limits(LIMITS.exercise_seconds, 200)

    def test_may_be_typed_as_well(self, plan):
        """Where both say the same."""
        assert plan(["softmax"], 5, "cpu") == plan()

    @pytest.mark.parametrize(
        ("typed", "said"),
        [
            ({"names": ["masks"]}, r'says exercises = \["softmax"\], and --exercises says masks'),
            ({"seed": 6}, "says seed = 5, and --seed says 6. Leave --seed out, or change the file"),
            ({"seed": 0}, "says seed = 5, and --seed says 0"),
            ({"device": "all"}, r'says devices = \["cpu"\], and --device says all'),
        ],
    )
    def test_is_no_compromise(self, plan, typed, said):
        """Marks by other rules than those in the file would be told of by nobody."""
        with pytest.raises(GraderError, match=said):
            plan(**typed)

    def test_takes_what_the_file_leaves_open(self, plan, tmp_path):
        """A seed and a device."""
        path = tmp_path / "a.toml"
        path.write_text('title = "One"\nexercises = ["softmax"]')
        found = plan(seed=9, device="all", path=path)

        assert (found.seed, found.devices, found.limits) == (9, ("cpu", "cuda"), LIMITS)
        assert plan(path=path).devices == ("cpu",)

    def test_without_a_file_is_what_was_typed(self, plan):
        """All exercises, if none is named."""
        found = plan(seed=9, path=None)

        assert (found.seed, found.devices, found.assignment) == (9, ("cpu",), None)
        assert len(found.exercises) == len(load_catalog(COURSE))

    def test_has_devices_that_there_are(self, plan):
        """Said before anything runs."""
        with pytest.raises(GraderError, match="must be cpu, cuda or all, not 'gpu'"):
            plan(device="gpu", path=None)


@pytest.fixture(scope="module")
def graded(tmp_path_factory, file):
    """The folder of a class graded by the file."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out") / "run"
    for name in ("perfect", "wrong_axis"):
        shutil.copytree(SAMPLES / name, folder / name)
    extras = instructor.Extras(feedback=True)
    instructor.grade(folder, out, [], None, "process", None, extras, assignment=file)
    return out


class TestARun:
    def test_has_weighted_marks(self, graded):
        """Whoever passes all checks has all points; what was dropped is nowhere."""
        with (graded / "grades.csv").open(encoding="utf-8") as file:
            rows = {row["submission"]: row for row in csv.DictReader(file)}

        assert (rows["perfect"]["score"], rows["perfect"]["max_score"]) == ("7", "7")
        assert 0 < float(rows["wrong_axis"]["score"]) < 7
        assert rows["perfect"]["seed"] == "5"
        page = (graded / "feedback" / "wrong_axis.html").read_text(encoding="utf-8")
        assert "of 7 points" in page
        assert "whichever axis that is" not in page

    def test_keeps_the_file_and_raw_reports(self, graded, file):
        """Exports read both."""
        raw = json.loads((graded / "reports" / "perfect.json").read_text(encoding="utf-8"))

        assert (graded / "assignment.toml").read_bytes() == file.read_bytes()
        assert raw["score"] == raw["max_score"] == 20
        assert [one.max_score for one in read_run(graded).reports] == [7, 7]

    def test_says_of_whom_no_time_is_known(self, graded):
        """The late rule says nothing about them."""
        assert "about 2 of 2 submissions" in read_run(graded).remarks[0]


def lines(text):
    return " ".join(text.split())


class TestAFileThatWasChangedInTheRun:
    @pytest.fixture
    def changed(self, toy, toy_class, tmp_path, monkeypatch):
        """A class of two whose weight was changed after it was graded, pages and all."""
        monkeypatch.setattr(regrading, "find_course", lambda: toy)
        shutil.copytree(toy_class / "ann", toy_class / "ben")
        path, out = tmp_path / "first.toml", tmp_path / "out"
        path.write_text('title = "One"\nexercises = ["toy"]\nweights = { toy = 7 }')
        extras = instructor.Extras(feedback=True, appeal="Write to us.")
        instructor.grade(toy_class, out, [], None, "process", None, extras, None, path)
        kept = out / "assignment.toml"
        kept.write_text(kept.read_text().replace("7", "9"))
        return out

    def test_is_told_to_whoever_reads(self, changed, tmp_path, capsys):
        """An export is right, and grades.csv is not."""
        status = exporting.export("csv", changed, tmp_path / "m.csv", exporting.Column())

        assert status == 0
        assert "older than its assignment.toml" in lines(capsys.readouterr().err)
        assert '"9"' in (tmp_path / "m.csv").read_text()

    @pytest.mark.parametrize("command", ["grade", "grade one", "regrade"])
    def test_is_followed_by_whatever_writes(self, changed, toy_class, command, capsys):
        """Tables and pages of all, with what they said of mistakes; nobody is graded."""
        if command == "regrade":
            regrading.regrade(changed, write=True)
        else:
            folder = toy_class / "ben" if command == "grade one" else toy_class
            extras = instructor.Extras()
            instructor.grade(folder, changed, [], None, "process", None, extras)
        said = lines(capsys.readouterr().out)

        assert "nothing has changed" in said
        assert read_run(changed).remarks == ()
        assert '"9"' in (changed / "grades.csv").read_text()
        for name in ("ann", "ben"):
            page = (changed / "feedback" / f"{name}.html").read_text(encoding="utf-8")
            assert "of 9 points" in page
            assert "Write to us." in page

    def test_is_told_before_it_is_followed(self, changed, capsys):
        """Who only looks writes nothing."""
        regrading.regrade(changed, write=False)

        assert "older than its assignment.toml" in lines(capsys.readouterr().out)
        assert '"9"' not in (changed / "grades.csv").read_text()


def test_the_same_folder_goes_on_by_its_file(toy_class, tmp_path):
    """It need not be named again; another one takes its place, and what was graded stands."""
    path, out = tmp_path / "first.toml", tmp_path / "out"
    path.write_text('title = "One"\nexercises = ["toy"]\nweights = { toy = 7 }')
    extras = instructor.Extras(feedback=True)
    instructor.grade(toy_class, out, [], None, "process", None, extras, None, path)
    first = read_run(out).reports[0]
    instructor.grade(toy_class, out, [], None, "process", None, extras)
    path.write_text(path.read_text().replace("7", "9"))
    instructor.grade(toy_class, out, [], None, "process", None, extras, None, path)
    found = read_run(out).reports[0]

    assert (first.max_score, found.max_score) == (7, 9)
    assert first.graded_at == found.graded_at
    assert "of 9 points" in (out / "feedback" / "ann.html").read_text(encoding="utf-8")


@pytest.fixture
def toy_class(toy, monkeypatch, tmp_path):
    """A class of one, in the course of one exercise."""
    monkeypatch.setattr(instructor, "find_course", lambda: toy)
    (tmp_path / "class" / "ann").mkdir(parents=True)
    shutil.copy(toy.solution("toy"), tmp_path / "class" / "ann" / "toy.py")
    return tmp_path / "class"


def test_limits_are_kept_by_the_workers(toy_class, tmp_path):
    """After the first check nothing is left of a millionth of a second."""
    path, out = tmp_path / "assignment.toml", tmp_path / "out"
    path.write_text('title = "One"\nexercises = ["toy"]\nlimits = { exercise_seconds = 1e-6 }')
    instructor.grade(toy_class, out, [], None, "process", None, instructor.Extras(), None, path)
    (report,) = read_run(out).reports

    assert [v.cause and v.cause.kind for v in report.verdicts] == [None, "budget"]
