"""`grader grade` into the folder of a run: it goes on, and nothing of it is lost."""

from __future__ import annotations

import csv
import json
import shutil
import signal
from dataclasses import replace

import pytest

from grader.cli import instructor
from grader.cli.files import Extras
from grader.collect import Collected
from grader.course.catalog import load_catalog
from grader.errors import GraderError
from grader.model import Conditions, ExerciseReport, Outcome, Report, Submission
from grader.runs.reading import read_run
from grader.runs.settings import read_settings
from grader.runs.texts import digests_of, read_texts

RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return x * x\n"


class Walls:
    """A sandbox that is not needed where nothing is really run."""

    isolation, layers = "full", ("seccomp",)

    def close(self):
        pass


class Course:
    """A class in a folder, and a grader that says quickly what it was asked to grade."""

    def __init__(self, root, verdict):
        self.root, self.out, self.verdict = root / "class", root / "run", verdict
        self.graded, self.stop_after, self.suites = [], None, "sha256:a"

    def hand_in(self, *names, text=RIGHT):
        for name in names:
            (self.root / name).mkdir(parents=True, exist_ok=True)
            (self.root / name / "toy.py").write_text(text)

    def conditions(self, course, sandbox, seed, devices, limits=None):
        return Conditions(seed, "full", ("seccomp",), tuple(devices), {}, {"toy": self.suites})

    def grade_all(self, course, exercises, submissions, sandbox, *, seed, devices, **how):
        for number, one in enumerate(submissions):
            if number == self.stop_after:
                raise KeyboardInterrupt
            self.graded.append(one.name)
            yield self._report(one, exercises, self.conditions(course, sandbox, seed, devices))

    def _report(self, one, exercises, conditions):
        outcome = Outcome.PASSED if one.files.get("toy") == RIGHT else Outcome.FAILED
        found = tuple(ExerciseReport(e.name, (self.verdict(outcome),)) for e in exercises)
        when = f"2026-01-02T03:04:{len(self.graded):02}Z"
        return Report(
            one.name, one.student, when, conditions, found, one.path, digests_of(one),
            one.student_id, one.late, one.handed_in,
        )  # fmt: skip

    def grade(self, folder=None, *, seed=None, feedback=False, names=(), device=None, again=False):
        """The exit status, and who was graded."""
        self.graded = []
        status = instructor.grade(
            folder or self.root, self.out, names, seed, None, device, Extras(feedback), again=again
        )
        return status, self.graded

    def marks(self):
        text = (self.out / "grades.csv").read_text(encoding="utf-8")
        return {row["submission"]: row["score"] for row in csv.DictReader(text.splitlines())}


@pytest.fixture
def course(toy, tmp_path, monkeypatch, verdict):
    course = Course(tmp_path, verdict)
    monkeypatch.setattr(instructor, "find_course", lambda: toy)
    monkeypatch.setattr(instructor, "open_sandbox", lambda isolation, gpu, memory_mib: Walls())
    monkeypatch.setattr(instructor, "conditions", course.conditions)
    monkeypatch.setattr(instructor, "grade_all", course.grade_all)
    course.hand_in("ann", "ben", "zoe")
    return course


class TestTheSameCommand:
    def test_grades_nobody_twice(self, course):
        """Where nothing has changed."""
        assert course.grade() == (0, ["ann", "ben", "zoe"])
        assert course.grade() == (0, [])
        assert course.marks() == {"ann": "1", "ben": "1", "zoe": "1"}

    def test_grades_whose_work_has_changed(self, course):
        """Their earlier report and text are kept."""
        course.grade()
        course.hand_in("ben", text=WRONG)

        assert course.grade() == (0, ["ben"])
        assert course.marks() == {"ann": "1", "ben": "0", "zoe": "1"}
        (earlier,) = (course.out / "earlier").iterdir()
        (report,) = read_run(earlier).reports
        assert (report.submission, report.score) == ("ben", 1)
        assert read_texts(report, earlier) == {"toy": RIGHT}

    def test_goes_on_under_the_same_seed(self, course):
        """A secret one is drawn once."""
        course.grade()
        first = read_settings(course.out).conditions.seed
        course.hand_in("new")
        course.grade()

        assert {report.conditions.seed for report in read_run(course.out).reports} == {first}

    def test_grades_everybody_again_when_told_to(self, course):
        """With --again; every earlier report is kept."""
        course.grade()

        assert course.grade(again=True) == (0, ["ann", "ben", "zoe"])
        (earlier,) = (course.out / "earlier").iterdir()
        assert len(read_run(earlier).reports) == 3

    def test_grades_everybody_again_under_other_suites(self, course, capsys):
        """And says what is other than before."""
        course.grade()
        course.suites = "sha256:b"

        assert course.grade() == (0, ["ann", "ben", "zoe"])
        assert "Other than before in this folder: suites (toy)." in capsys.readouterr().out

    def test_need_not_repeat_its_options(self, course):
        """Exercises and devices are the run's."""
        course.grade(names=["toy"], device="all")
        course.grade()

        assert read_settings(course.out).exercises == ("toy",)
        assert read_settings(course.out).conditions.devices == ("cpu", "cuda")

    def test_takes_no_other_seed(self, course):
        """What to do instead is said, and everything stays."""
        course.grade(seed=5)

        with pytest.raises(GraderError, match="Leave --seed out"):
            course.grade(seed=6)
        assert course.grade(seed=5) == (0, [])

    def test_writes_pages_of_whom_it_does_not_grade(self, course):
        """Asked for later, and once."""
        course.grade()

        assert course.grade(feedback=True) == (0, [])
        pages = sorted((course.out / "feedback").iterdir())
        assert [path.stem for path in pages] == ["ann", "ben", "zoe"]
        pages[0].write_text("kept")
        course.grade(feedback=True)
        assert pages[0].read_text() == "kept"

    def test_keeps_settings_before_anything_is_graded(self, course, monkeypatch):
        """A kill while the first submission is graded must not cost the seed."""
        there = []
        real = course.grade_all

        def grade_all(*arguments, **options):
            there.append(read_settings(course.out).conditions.seed == options["seed"])
            return real(*arguments, **options)

        monkeypatch.setattr(instructor, "grade_all", grade_all)
        course.grade()

        assert there == [True]


class TestOneStudent:
    def test_is_merged(self, course, capsys):
        """The marks of all are there; who is not in this download is said, and stays."""
        course.grade()
        course.hand_in("ben", text=WRONG)

        assert course.grade(course.root / "ben") == (0, ["ben"])
        assert course.marks() == {"ann": "1", "ben": "0", "zoe": "1"}
        said = capsys.readouterr().out.replace("\n", "")
        assert "not in this download, and their reports stay: ann, zoe" in said

    def test_who_has_gone_keeps_the_report(self, course):
        """A platform lists only who is enrolled today."""
        course.grade()
        shutil.rmtree(course.root / "ann")

        assert course.grade() == (0, [])
        assert set(course.marks()) == {"ann", "ben", "zoe"}

    def test_is_compared_under_the_same_suites(self, course, capsys):
        """Whose marks are of other suites is said."""
        course.grade()
        course.suites = "sha256:b"
        course.grade(course.root / "ben")
        said = " ".join(capsys.readouterr().out.split())

        assert "graded under other settings or suites: 2. `grader regrade`" in said

    def test_takes_nobodys_place(self, course, monkeypatch):
        """A namesake with another id is somebody else."""
        ann = Submission("Ann", "Ann", {"toy": RIGHT}, student_id="1")
        other = replace(ann, files={"toy": WRONG}, student_id="2")
        for one in (ann, other):
            monkeypatch.setattr(instructor, "found_in", lambda *_, one=one: Collected((one,)))
            course.grade()

        assert course.marks() == {"Ann": "1", "Ann 2": "0"}

    def test_leaves_what_was_not_graded_of_others(self, course):
        """not_graded.csv is about the whole class."""
        (course.root / "ben" / "notes.py").mkdir()
        (course.root / "mystery.txt").write_text("?")
        course.grade()
        before = (course.out / "not_graded.csv").read_text()
        course.grade(course.root / "ben")

        assert "mystery.txt" in before
        assert (course.out / "not_graded.csv").read_text() == before


class TestCtrlC:
    def test_leaves_what_there_is(self, course, capsys):
        """The table, grades.csv in which nobody is missing, and how to go on."""
        course.stop_after = 2
        status, graded = course.grade()
        said = capsys.readouterr().out
        rows = list(csv.DictReader((course.out / "grades.csv").read_text().splitlines()))

        assert (status, graded) == (130, ["ann", "ben"])
        assert [(row["submission"], row["score"], row["no_verdict"]) for row in rows] == [
            ("ann", "1", ""), ("ben", "1", ""), ("zoe", "", "not graded yet"),
        ]  # fmt: skip
        assert "Interrupted: 2 of 3 are graded. The same command goes on from here." in said
        assert read_run(course.out).problems == ("grades.csv: zoe has no report",)

    def test_is_gone_on_from(self, course):
        """The rest, and nobody else."""
        course.stop_after = 2
        course.grade()
        course.stop_after = None

        assert course.grade() == (0, ["zoe"])
        assert course.marks() == {"ann": "1", "ben": "1", "zoe": "1"}
        assert read_run(course.out).problems == ()

    def test_leaves_no_mark_of_an_earlier_attempt(self, course):
        """Whose new work waits has none yet."""
        course.grade()
        course.hand_in("ann", "ben", text=WRONG)
        course.stop_after = 1

        assert course.grade() == (130, ["ann"])
        assert course.marks() == {"ann": "0", "ben": "", "zoe": "1"}

    def test_before_anybody_was_graded(self, course):
        """There is no report, and a row for everybody."""
        course.stop_after = 0

        assert course.grade() == (130, [])
        assert course.marks() == {"ann": "", "ben": "", "zoe": ""}

    def test_is_in_the_journal(self, course):
        """With how far it came."""
        course.stop_after = 1
        course.grade()
        last = json.loads((course.out / "journal.jsonl").read_text().splitlines()[-1])

        assert (last["event"], last["graded"], last["left"], last["interrupted"]) == (
            "ended", 1, 2, True,
        )  # fmt: skip

    def test_twice_ends_no_table(self, course, monkeypatch):
        """Somebody is impatient while the tables are written."""
        course.stop_after = 1
        real = instructor.Files.finish

        def finish(files, not_yet):
            signal.raise_signal(signal.SIGINT)
            return real(files, not_yet)

        monkeypatch.setattr(instructor.Files, "finish", finish)

        assert course.grade() == (130, ["ann"])
        assert course.marks() == {"ann": "1", "ben": "", "zoe": ""}

    def test_without_a_folder_says_what_to_do(self, course, capsys):
        """Next time."""
        course.stop_after = 1
        status = instructor.grade(course.root, None, [], None, None, None, Extras())

        assert status == 130
        assert "Interrupted: 1 of 3 are graded. With --out DIR" in capsys.readouterr().out


def test_the_catalog_is_the_toys(course, toy):
    """What these tests rest on: one exercise, which a submission holds as ``toy.py``."""
    assert list(load_catalog(toy)) == ["toy"]
