"""Grading where nobody types anything: what was packed, unpacked in another place."""

from __future__ import annotations

import contextlib
import json
import zipfile

import pytest

from grader.cli import doctor, elsewhere, instructor, unattended
from grader.course.catalog import load_catalog
from grader.course.course import VARIABLE, Course
from grader.errors import IsolationRefused
from grader.release.folder import Wanted, release

RIGHT, WRONG = "def double(x):\n    return x + x\n", "def double(x):\n    return x * x\n"
WHO = {"users": [{"name": "Ann Lee", "email": "ann@x.org"}], "created_at": "2026-11-21T10:00:00Z"}
LATE = """\
title = "Toys"
exercises = ["toy"]
due = 2026-11-20T10:00:00Z
[weights]
toy = 10
[late]
points_per_day = 1
"""


class Kept:
    """A sandbox that others need, too."""

    def __init__(self, sandbox):
        self._sandbox = sandbox

    def __getattr__(self, name):
        return getattr(self._sandbox, name)

    def close(self):
        pass


@pytest.fixture
def walled(monkeypatch, sandbox):
    """Workers of the one sandbox of this test run."""
    walls = contextlib.nullcontext(sandbox)
    monkeypatch.setattr(unattended, "walls", lambda *options: walls)
    monkeypatch.setattr(unattended, "open_sandbox", lambda *_, **__: Kept(sandbox))


@pytest.fixture
def autograder(toy, tmp_path, monkeypatch):
    """``autograder(text)``: the folder of the container, in which this was handed in."""
    root = tmp_path / "autograder"

    def autograder(handed_in, assignment=LATE, metadata=WHO):
        (tmp_path / "assignment.toml").write_text(assignment)
        monkeypatch.setenv(VARIABLE, str(toy.root))
        elsewhere.gradescope(
            tmp_path / "a.zip", [], tmp_path / "assignment.toml", "visible", isolation=None
        )
        with zipfile.ZipFile(tmp_path / "a.zip") as archive:
            archive.extractall(root / "source")
        (root / "submission").mkdir()
        for name, text in handed_in.items():
            (root / "submission" / name).write_text(text)
        if metadata is not None:
            (root / "submission_metadata.json").write_text(json.dumps(metadata))
        monkeypatch.setenv(VARIABLE, str(root / "source" / "course"))
        return root

    return autograder


def results(root):
    return json.loads((root / "results" / "results.json").read_text())


class TestOnGradescope:
    def test_a_right_submission_has_its_mark(self, autograder, walled, capsys):
        """By the assignment that was packed; what being late costs is taken off and told."""
        root = autograder({"toy.py": RIGHT})
        status = unattended.gradescope(root, "visible", None)
        form = results(root)

        assert (status, form["score"]) == (0, 9.0)
        assert [(test["score"], test["max_score"]) for test in form["tests"]] == [(5.0, 5.0)] * 2
        assert "of 10 points 1 are taken off" in form["output"]
        assert "Ann Lee" in capsys.readouterr().out

    def test_a_wrong_one_is_told_why(self, autograder, walled):
        """As `grader check` says it."""
        root = autograder({"toy.py": WRONG})
        unattended.gradescope(root, "visible", None)
        first, *_ = results(root)["tests"]

        assert (first["status"], first["score"]) == ("failed", 0.0)
        assert "You square." in first["output"]

    def test_the_seed_is_the_instructors(self, autograder, walled, capsys):
        """It is printed, and stands in nothing that a student gets."""
        root = autograder({"toy.py": WRONG}, f"seed = 987654321\n{LATE}")
        unattended.gradescope(root, "visible", None)

        assert "Seed 987654321." in capsys.readouterr().out
        assert "987654321" not in (root / "results" / "results.json").read_text()

    def test_all_that_was_handed_in_is_one_students(self, autograder, walled):
        """Folders beside one another are no class."""
        root = autograder({"notes.txt": "mine"})
        for name, text in {"a/toy.py": RIGHT, "b/other.py": "x = 1\n"}.items():
            (root / "submission" / name).parent.mkdir()
            (root / "submission" / name).write_text(text)
        unattended.gradescope(root, "visible", None)

        assert results(root)["score"] == 9.0

    @pytest.mark.parametrize("handed_in", [{}, {"notes.txt": "mine"}], ids=["nothing", "notes"])
    def test_what_is_missing_is_told(self, autograder, walled, handed_in):
        """It is worth nothing, which is a mark."""
        root = autograder(handed_in, metadata=None)
        unattended.gradescope(root, "visible", None)
        form = results(root)

        assert form["score"] == 0.0
        assert "toy.py is not in the submission." in form["tests"][0]["output"]


class TestWithoutAMark:
    def test_the_walls_must_stand(self, autograder, monkeypatch, capsys):
        """The student has no mark and no blame, the instructor what `grader doctor` says."""

        class Portable:
            isolation, layers = "process", ("process",)

            def close(self):
                pass

        monkeypatch.setattr(instructor, "open_sandbox", lambda *_, **__: Portable())
        monkeypatch.setattr(doctor, "open_sandbox", Portable)
        monkeypatch.setattr(doctor, "worker_milliseconds", lambda sandbox: 1.0)
        root = autograder({"toy.py": RIGHT})

        with pytest.raises(IsolationRefused, match="--isolation process"):
            unattended.gradescope(root, "visible", None)
        assert "not your fault" in results(root)["output"]
        assert "score" not in results(root)
        assert "No full isolation" in capsys.readouterr().out

    def test_whatever_else_goes_wrong_is_told_to_instructors(self, autograder, walled, capsys):
        """With a traceback, which no student gets."""
        root = autograder({"toy.py": RIGHT})
        (root / "source" / "course" / "grader" / "suites" / "toy" / "test_toy.py").write_text("def")
        with contextlib.suppress(Exception):
            unattended.gradescope(root, "visible", None)

        assert "score" not in results(root)
        assert "test_toy" not in (root / "results" / "results.json").read_text()


@pytest.fixture(scope="module")
def released(toy_in, tmp_path_factory):
    """What students have of the toy."""
    course = toy_in(tmp_path_factory.mktemp("toy"))
    folder = tmp_path_factory.mktemp("out") / "released"
    list(release(course, Wanted(list(load_catalog(course).values()), "Toys"), folder))
    return Course(folder)


class TestForClassroom50:
    CONTEXT = {"CLASSROOM": "nlp", "ASSIGNMENT": "ps1", "OWNER": "ann-gh", "USERNAME": "ann-gh"}

    @pytest.fixture
    def checkout(self, released, tmp_path, monkeypatch):
        """``checkout(text)``: of a student, beside the bundle."""

        def checkout(text):
            monkeypatch.setenv(VARIABLE, str(released.root))
            elsewhere.classroom50(tmp_path / "bundle", [], None, None, with_solutions=False)
            monkeypatch.setenv(VARIABLE, str(tmp_path / "bundle" / "course"))
            for name, value in self.CONTEXT.items():
                monkeypatch.setenv(name, value)
            (tmp_path / "checkout" / "exercises").mkdir(parents=True)
            (tmp_path / "checkout" / "exercises" / "toy.py").write_text(text)
            return tmp_path / "checkout"

        return checkout

    def test_practice_is_graded(self, checkout, walled, capsys):
        """With what was let out alone: neither solution nor suite is there."""
        place = checkout(WRONG)
        status = unattended.classroom50(place, None)
        form = json.loads((place / "result.json").read_text())

        assert (status, form["score"], form["max-score"]) == (0, 0, 2)
        assert form["owner"] == "ann-gh"
        assert "You square" in (place / "release-body.md").read_text()
        assert "Seed" not in capsys.readouterr().out

    def test_a_right_one_has_all_points(self, checkout, walled):
        """What a student committed under the same name is replaced."""
        place = checkout(RIGHT)
        (place / "result.json").write_text('{"score": 1000}')
        unattended.classroom50(place, None)

        assert json.loads((place / "result.json").read_text())["score"] == 2
