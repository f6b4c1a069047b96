"""`grader regrade`: after a suite was mended, whose marks move is shown before it is written."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from grader.cli import instructor, regrading
from grader.cli.files import Extras
from grader.errors import ReportError
from grader.model import Outcome
from grader.runs.reading import read_run
from grader.runs.settings import Settings, read_settings
from grader.runs.texts import folder_of

WRONG = "def double(x):\n    return x * x\n"
UNFAIR = '''

def test_is_unfair(submission, draw):
    """Nobody can pass this."""
    assert submission.double(draw.normal(2)) is None, "it is something"
'''
FAIR = UNFAIR.replace("is None", "is not None")


@pytest.fixture(scope="module")
def graded(tmp_path_factory, toy_in):
    """A class that was graded with an unfair check, which was mended afterwards: the course, and
    the folder of class and run.
    """
    root = tmp_path_factory.mktemp("mended")
    toy = toy_in(root / "toy")
    suite = toy.suite("toy")
    fair = suite.read_text()
    suite.write_text(fair + UNFAIR)
    for name, text in {"ann": "def double(x):\n    return 2 * x\n", "zoe": ""}.items():
        (root / "class" / name).mkdir(parents=True)
        (root / "class" / name / "toy.py").write_text(text)
    (root / "class" / "utf").mkdir()
    (root / "class" / "utf" / "toy.py").write_bytes(b"\xff")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instructor, "find_course", lambda: toy)
        instructor.grade(
            root / "class", root / "run", [], None, "process", None, Extras(feedback=True)
        )
    suite.write_text(fair + FAIR)
    return toy, root


@pytest.fixture
def run(graded, tmp_path):
    """A copy of that run."""
    return shutil.copytree(graded[1] / "run", tmp_path / "run")


@pytest.fixture
def regrade(graded, run, monkeypatch):
    """``regrade(...)``: its exit status."""
    monkeypatch.setattr(regrading, "find_course", lambda: graded[0])
    return lambda write=False: regrading.regrade(run, write)


def files(run):
    """What lies in a run, but for locks and the journal."""
    paths = (path for path in sorted(run.rglob("*")) if path.is_file())
    return {str(path): path.read_bytes() for path in paths if path.name != ".grader.lock"}


def marks(run):
    rows = csv.DictReader((run / "grades.csv").read_text(encoding="utf-8").splitlines())
    return {row["submission"]: (row["score"], row["max_score"]) for row in rows}


def lines(text):
    return " ".join(text.split())


OTHER = """
[other]
title = "Another"
source = "nowhere"
hints = ["One."]
"""


@pytest.fixture(scope="module")
def of_two(tmp_path_factory, toy_in):
    """A class that was graded in two exercises; the suite of one was mended afterwards: the course,
    and the folder of class and run.
    """
    root = tmp_path_factory.mktemp("two")
    toy = toy_in(root / "toy")
    toy.catalog.write_text(toy.catalog.read_text() + OTHER)
    for path in (toy.solution("toy"), toy.suite("toy")):
        other = path.relative_to(toy.root).as_posix().replace("toy", "other")
        (toy.root / other).parent.mkdir(exist_ok=True)
        (toy.root / other).write_text(path.read_text())
    toy.misconceptions("other").write_text("")
    (root / "class" / "ann").mkdir(parents=True)
    for name in ("toy", "other"):
        (root / "class" / "ann" / f"{name}.py").write_text("def double(x):\n    return 2 * x\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instructor, "find_course", lambda: toy)
        instructor.grade(root / "class", root / "run", [], 5, "process", None, Extras())
    toy.suite("toy").write_text(toy.suite("toy").read_text() + FAIR)
    return toy, root


def times(run):
    """How long each exercise took, in a report: nobody measures the same twice."""
    (report,) = read_run(run).reports
    return {e.name: [verdict.seconds for verdict in e.verdicts] for e in report.exercises}


class TestAnUntouchedExercise:
    def test_is_not_graded_again(self, of_two, tmp_path, monkeypatch, capsys):
        """Neither by `regrade`, nor by `grade`; both grade the other one."""
        toy, root = of_two
        before = times(root / "run")
        for command in ("regrade", "grade"):
            run = shutil.copytree(root / "run", tmp_path / command)
            monkeypatch.setattr(regrading, "find_course", lambda: toy)
            monkeypatch.setattr(instructor, "find_course", lambda: toy)
            if command == "regrade":
                assert regrading.regrade(run, True) == 0
            else:
                instructor.grade(root / "class", run, [], None, "process", None, Extras())
            now = times(run)

            assert list(now) == list(before) == ["toy", "other"]
            assert now["other"] == before["other"]
            assert len(now["toy"]) == len(before["toy"]) + 1
            assert regrading.regrade(run, True) == 0
            assert "for nothing has changed: 1" in lines(capsys.readouterr().out)

    def test_is_graded_when_told_to(self, of_two, tmp_path, monkeypatch):
        """With --again."""
        toy, root = of_two
        run = shutil.copytree(root / "run", tmp_path / "run")
        monkeypatch.setattr(regrading, "find_course", lambda: toy)
        regrading.regrade(run, True, everything=True)

        assert times(run)["other"] != times(root / "run")["other"]


class TestRegrade:
    def test_shows_whose_marks_move_and_why(self, regrade, run, capsys):
        """From what to what, because of which check; nothing is written."""
        before = files(run)
        status = regrade()
        said = lines(capsys.readouterr().out)

        assert status == 0
        assert "ann 2/3 -> 3/3: toy: test_is_unfair failed -> passed" in said
        assert "Marks that move: 1 of 3." in said
        assert "Nothing was written: add --write" in said
        assert files(run) == before

    def test_writes_nothing_when_it_is_ended(self, regrade, run, monkeypatch, capsys):
        """With Ctrl-C."""
        before = files(run)

        def grade_all(*arguments, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(regrading, "grade_all", grade_all)

        assert regrade() == 130
        assert "nothing was written" in capsys.readouterr().out
        assert files(run) == before

    def test_writes_nothing_when_somebody_says_no(self, regrade, run, monkeypatch):
        """On a terminal it asks."""
        asked = []
        monkeypatch.setattr(regrading, "is_terminal", lambda: True)
        monkeypatch.setattr(regrading.typer, "confirm", lambda text: asked.append(text))
        before = files(run)

        assert regrade() == 0
        assert len(asked) == 1
        assert files(run) == before

    def test_tells_whose_text_is_not_the_one_that_was_graded(self, regrade, run, capsys):
        """Nobody gets a mark for what somebody else wrote there."""
        path = folder_of(run, "ann") / "toy.py"
        text = path.read_text()
        path.write_text(WRONG)
        status = regrade()
        path.write_text(text)

        assert status == 3
        assert "not graded again ann:" in lines(capsys.readouterr().out)

    def test_writes_and_keeps_what_was(self, regrade, run, capsys):
        """Marks, pages and settings are today's, under the same seed; the earlier ones are kept."""
        old = {report.submission: report for report in read_run(run).reports}
        seed, suites = read_settings(run).conditions.seed, read_settings(run).conditions.suites
        status = regrade(write=True)
        (earlier,) = (run / "earlier").iterdir()
        now = read_settings(run).conditions

        assert status == 0
        assert marks(run) == {"ann": ("3", "3"), "utf": ("0", "3"), "zoe": ("0", "3")}
        assert {one.submission: one for one in read_run(earlier).reports} == old
        assert {one.conditions.seed for one in read_run(run).reports} == {seed} == {now.seed}
        assert now.suites["toy"] != suites["toy"]
        assert len(list((run / "feedback").iterdir())) == 3
        assert json.loads((run / "journal.jsonl").read_text().splitlines()[-1])["graded"] == 3

    def test_is_what_grading_goes_on_with(self, regrade, run, graded, monkeypatch, capsys):
        """The next `grader grade` has nothing to do."""
        toy, root = graded
        regrade(write=True)
        monkeypatch.setattr(instructor, "find_course", lambda: toy)
        status = instructor.grade(
            root / "class", run, [], None, "process", None, Extras(feedback=True)
        )

        assert status == 0
        assert "nothing has changed: 3" in capsys.readouterr().out


def test_another_folder_is_refused(tmp_path):
    """And not made."""
    with pytest.raises(ReportError, match=r"holds no settings\.json"):
        regrading.regrade(tmp_path / "new", False)

    assert not (tmp_path / "new").exists()


def test_a_mark_is_not_replaced_by_none(report, verdict):
    """What failed for our own reasons says nothing about a mark."""
    judged, without = report(toy=[verdict()]), report(toy=[verdict(Outcome.INTERNAL)])
    settings = Settings(judged.conditions, ("toy",))
    again = regrading.Again(settings, before={"ann": judged})
    regrading._take(again, without)

    assert again.after == []
    assert again.missing == ["no verdict  ann: the earlier report stays"]
