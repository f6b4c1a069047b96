"""A picture is drawn of what was handed in and lost points, and costs nothing but itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.errors import GraderError
from grader.model import (
    Check,
    Conditions,
    ExerciseReport,
    Outcome,
    Report,
    Submission,
    Verdict,
)
from grader.pictures import picture, picture_of
from grader.pipeline import grade_all

COURSE = find_course()
CATALOG = load_catalog(COURSE)
REPORT = Report("m", "m", "now", Conditions(1, "full", (), ("cpu",), {}), ())


def graded(submission, sandbox, *exercises):
    """The report on a submission in these exercises."""
    chosen = [CATALOG[name] for name in exercises]
    return next(grade_all(COURSE, chosen, [submission], sandbox, seed=1))


def pictures_of(report, submission, sandbox, *more):
    found = {e.name: picture_of(COURSE, e, submission, sandbox, *more) for e in report.exercises}
    return {name: picture for name, picture in found.items() if picture is not None}


class TestOfAnExercise:
    def test_without_a_picture_is_said(self, sandbox, sample):
        """Where no picture teaches anything, a sentence says so."""
        with pytest.raises(GraderError, match=r"^There is no picture of 'questions': its answers"):
            picture(COURSE, "questions", sample("perfect"), sandbox)


class TestOfAReport:
    @pytest.fixture(autouse=True)
    def _needs_matplotlib(self):
        pytest.importorskip("matplotlib")

    def test_what_lost_points_is_drawn(self, sandbox, sample, chunks):
        """Not what is right, not what was not handed in, and nothing that has no picture."""
        right = sample("perfect").files
        files = {"softmax": sample("wrong_axis").files["softmax"], "residual": right["residual"]}
        files["parameter_counts"] = "def linear_layer():\n    return 0\n"
        submission = Submission("m", "m", files)
        report = graded(submission, sandbox, "softmax", "residual", "masks", "parameter_counts")
        pictures = pictures_of(report, submission, sandbox)

        assert [e.name for e in report.exercises if e.score < e.max_score] == [
            "softmax", "masks", "parameter_counts",
        ]  # fmt: skip
        assert list(pictures) == ["softmax"]
        assert b"IEND" in chunks(pictures["softmax"].png)

    def test_a_picture_that_fails_costs_only_itself(self, sandbox, monkeypatch, sample):
        """It is missing, the others are there, and it is said why."""

        def fails(title, *rest):
            if title == CATALOG["softmax"].title:
                raise OverflowError("too much ink")
            return b"PNG"

        monkeypatch.setattr("grader.pictures.draw", fails)
        untouched, told = sample("untouched"), []
        report = graded(untouched, sandbox, "softmax", "residual")
        pictures = pictures_of(report, untouched, sandbox, lambda *said: told.append(said))

        assert list(pictures) == ["residual"]
        assert told == [("softmax", "OverflowError: too much ink")]

    def test_what_hangs_and_crashes_is_drawn_as_words(self, sandbox, monkeypatch, sample):
        """One that never ends is waited for once; who comes next is drawn as always."""
        monkeypatch.setattr("grader.pictures.seen.SECONDS", 0.5)
        text = "import os\ndef softmax(*args):\n    os._exit(0)\n"
        text += "def log_softmax(*args):\n    while True: pass\n"
        bad = Submission("bad", "bad", {"softmax": text})
        verdicts = (Verdict(Check("softmax", "t", "It is."), Outcome.TIMEOUT),)
        report = replace(REPORT, exercises=(ExerciseReport("softmax", verdicts),))
        words = " ".join(pictures_of(report, bad, sandbox)["softmax"].lines)
        after = pictures_of(report, sample("wrong_axis"), sandbox)["softmax"]

        assert words.count("ended its own process") == 2
        assert words.count("No answer within") == 1
        assert words.count("Left out: mend the one that never ends first.") == 2
        assert any("Differs by up to" in line for line in after.lines)
