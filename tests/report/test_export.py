"""Files are made from Reports alone, whole, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import json
import os

import pytest

from grader.model import (
    Cause,
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Report,
    Verdict,
)
from grader.report.export import write_grades, write_report

CONDITIONS = Conditions(7, "full", ("process", "limits"), ("cpu",), {"grader": "1"})
LAST = "seed isolation refused suspicious".split()


def measured(ratio, *, suspicious=True):
    return Measured("time", ratio, ratio, ratio, 1.5, suspicious=suspicious)


def verdict(outcome=Outcome.PASSED, points=1.0, exercise="softmax", **fields):
    return Verdict(Check(exercise, "test_it", "It is.", points), outcome, **fields)


def report(name="ann", **exercises):
    """A report of these exercises, each given by its verdicts."""
    found = tuple(ExerciseReport(key, tuple(value)) for key, value in exercises.items())
    return Report(name, name, "2026-01-01T00:00:00Z", CONDITIONS, found)


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


class TestReports:
    def test_hold_everything(self, tmp_path):
        """A report on disk says all there is to know."""
        cause = Cause("It differs.", "1", "2", "Look.")
        failed = verdict(Outcome.FAILED, 2.0, cause=cause, misconception="square", seconds=0.12345)
        path = write_report(report(softmax=[verdict(), failed]), tmp_path)
        found = json.loads(path.read_text(encoding="utf-8"))

        assert path == tmp_path / "reports" / "ann.json"
        assert (found["schema"], found["submission"], found["seed"]) == ("report/v1", "ann", 7)
        assert (found["score"], found["max_score"]) == (1.0, 3.0)
        assert (found["isolation"], found["layers"]) == ("full", ["process", "limits"])
        assert found["exercises"][0]["checks"][1] == {
            "name": "test_it",
            "sentence": "It is.",
            "outcome": "failed",
            "points": 0.0,
            "max_points": 2.0,
            "device": "cpu",
            "seconds": 0.1235,
            "public": False,
            "misconception": "square",
            "cause": {"rationale": "It differs.", "expected": "1", "actual": "2", "help": "Look."},
            "output": "",
            "measured": None,
            "advice": "",
            "refused": [],
        }

    def test_count_what_was_refused_once(self, tmp_path):
        """An attempt made in every check is one attempt."""
        tried = [verdict(refused=("open('/x')", "os.fork()")), verdict(refused=("open('/x')",))]
        found = json.loads(write_report(report(softmax=tried), tmp_path).read_text("utf-8"))

        assert found["refused"] == ["open('/x')", "os.fork()"]

    def test_count_a_skipped_check_as_absent(self, tmp_path):
        """Where there was no GPU, nothing is lost."""
        path = write_report(report(softmax=[verdict(), verdict(Outcome.SKIPPED, 9.0)]), tmp_path)
        found = json.loads(path.read_text(encoding="utf-8"))

        assert (found["score"], found["max_score"]) == (1.0, 1.0)

    def test_speak_any_language(self, tmp_path):
        """Names are written as they are."""
        path = write_report(report("Zoë ☃", softmax=[]), tmp_path)

        assert path.name == "Zoë ☃.json"
        assert "Zoë ☃" in path.read_text(encoding="utf-8")

    def test_replace_earlier_ones(self, tmp_path):
        """A second run leaves one report, not two."""
        write_report(report(softmax=[verdict(Outcome.FAILED)]), tmp_path)
        path = write_report(report(softmax=[verdict()]), tmp_path)

        assert json.loads(path.read_text(encoding="utf-8"))["score"] == 1.0
        assert list(path.parent.iterdir()) == [path]

    def test_are_written_whole_or_not_at_all(self, tmp_path, monkeypatch):
        """When writing fails, the earlier report is as it was."""
        path = write_report(report(softmax=[verdict()]), tmp_path)
        before = path.read_bytes()

        def fail(*names):
            raise OSError("disk full")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            write_report(report(softmax=[verdict(Outcome.FAILED)]), tmp_path)

        assert path.read_bytes() == before

    def test_refuse_what_json_has_no_number_for(self, tmp_path):
        """A report that other programs could not read is not written."""
        with pytest.raises(ValueError, match="JSON"):
            write_report(report(softmax=[verdict(seconds=float("nan"))]), tmp_path)


class TestGrades:
    def test_are_a_row_per_submission_and_a_column_per_exercise(self, tmp_path):
        """What one submission lacks is left empty, not counted as zero."""
        ann = report("ann", softmax=[verdict(points=2.5)], masks=[verdict(Outcome.FAILED)])
        ben = report("ben", masks=[verdict()], heads=[verdict(points=3.0)])
        path = write_grades([ann, ben], tmp_path / "new" / "folder")

        assert rows(path) == [
            "submission student score max_score softmax masks heads".split() + LAST,
            ["ann", "ann", "2.5", "3.5", "2.5", "0", "", "7", "full", "", ""],
            ["ben", "ben", "4", "4", "", "1", "3", "7", "full", "", ""],
        ]

    @pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
    def test_are_no_formulas(self, tmp_path, name):
        """A name that a spreadsheet would calculate is marked as text."""
        path = write_grades([report(name)], tmp_path)

        assert rows(path)[1][:2] == [f"'{name}", f"'{name}"]

    @pytest.mark.parametrize("name", ['Lee, "Ann"', "two\nlines", "Zoë"])
    def test_survive_odd_names(self, tmp_path, name):
        """Commas, quotes and line ends in a name do not move a mark to another column."""
        path = write_grades([report(name, softmax=[verdict()])], tmp_path)

        assert rows(path)[1] == [name, name, "1", "1", "1", "7", "full", "", ""]

    def test_of_nobody_are_a_heading(self, tmp_path):
        """A class without submissions has a table without rows."""
        path = write_grades([], tmp_path)

        assert rows(path) == ["submission student score max_score".split() + LAST]

    def test_say_where_a_person_should_look(self, tmp_path):
        """What was refused and what is too fast to be true, by exercise and with the ratio; neither
        moves a mark, and neither can be a formula.
        """
        odd = [verdict(refused=("=open('/x')",), measured=measured(0.0417))]
        masks = [verdict(exercise="masks", measured=measured(0.19)), verdict(exercise="masks")]
        path = write_grades([report(softmax=odd, masks=masks)], tmp_path)
        row = dict(zip(*rows(path), strict=True))

        assert row["refused"] == "'=open('/x')"
        assert row["suspicious"] == (
            "softmax: 0.04 times the reference's time; masks: 0.19 times the reference's time"
        )
        assert (row["score"], row["softmax"], row["masks"]) == ("3", "1", "2")

    def test_suspect_nobody_who_is_only_fast(self, tmp_path):
        """A better program than ours is no finding."""
        fast = verdict(measured=measured(0.4, suspicious=False))
        path = write_grades([report(softmax=[fast])], tmp_path)

        assert rows(path)[1][-1] == ""
