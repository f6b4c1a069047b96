"""Files are made from Reports alone, whole, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import os
from dataclasses import replace

import pytest

from grader.model import (
    Check,
    Conditions,
    ExerciseReport,
    Measured,
    Outcome,
    Report,
    Submission,
    Verdict,
)
from grader.report.export import NOT_YET, write_grades, write_not_graded

VERSIONS = {"grader": "1", "course": "toys 1.2", "torch": "2"}
BY = ["1", "toys 1.2"]
CONDITIONS = Conditions(7, "full", ("process", "limits"), ("cpu",), VERSIONS)
ALL_SAID = ["7", "full", *BY, *8 * [""]]
LAST = "strict follow_through seed isolation grader course no_verdict refused suspicious".split()
LAST += "student_id late handed_in path digest".split()


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


class TestGrades:
    def test_are_a_row_per_submission_and_a_column_per_exercise(self, tmp_path):
        """What one submission lacks is left empty, not counted as zero."""
        ann = report("ann", softmax=[verdict(points=2.5)], masks=[verdict(Outcome.FAILED)])
        ben = report("ben", masks=[verdict()], heads=[verdict(points=3.0)])
        path = write_grades([ann, ben], tmp_path / "new" / "folder")

        assert rows(path) == [
            "submission student score max_score softmax masks heads deducted".split() + LAST,
            [
                "ann",
                "ann",
                "2.5",
                "3.5",
                "2.5",
                "0",
                "",
                "0",
                "2.5",
                "2.5",
                "7",
                "full",
                *BY,
                *8 * [""],
            ],
            ["ben", "ben", "4", "4", "", "1", "3", "0", "4", "4", *ALL_SAID],
        ]

    def test_have_a_row_for_whoever_is_not_graded_yet(self, tmp_path):
        """Without any mark, so that nobody takes it for a zero."""
        zoe = Submission("zoe", "=Zoe", {}, path="class/zoe")
        path = write_grades([report(softmax=[verdict()])], tmp_path, [zoe])

        head, _, row = rows(path)

        assert {name: text for name, text in zip(head, row, strict=True) if text} == {
            "submission": "zoe",
            "student": "'=Zoe",
            "no_verdict": NOT_YET,
            "path": "class/zoe",
        }

    @pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "＝1", "＠x"])
    def test_are_no_formulas(self, tmp_path, name):
        """A name that a spreadsheet would calculate is marked as text."""
        path = write_grades([report(name)], tmp_path)

        assert rows(path)[1][:2] == [f"'{name}", f"'{name}"]

    @pytest.mark.parametrize(
        ("name", "shown"),
        [('Lee, "Ann"', 'Lee, "Ann"'), ("two\nlines", "two⏎lines"), ("Zoë", "Zoë")],
    )
    def test_survive_odd_names(self, tmp_path, name, shown):
        """Commas, quotes and line ends in a name do not move a mark to another column or row."""
        path = write_grades([report(name, softmax=[verdict()])], tmp_path)

        assert rows(path)[1] == [shown, shown, "1", "1", "1", "0", "1", "1", *ALL_SAID]

    def test_stay_whole_where_semicolons_part_cells(self, tmp_path):
        """In many countries a spreadsheet splits there, and would calculate what follows."""
        path = write_grades([report("ann;=1+1")], tmp_path)

        assert '"ann;=1+1"' in path.read_text(encoding="utf-8")

    def test_say_what_the_platform_says(self, tmp_path):
        """Whose it is there, when it was handed in, and that it was late."""
        ann = replace(report(), student_id="007", late=True, handed_in="2026-01-31T23:59:00Z")
        found = rows(write_grades([ann, report("ben")], tmp_path))[1:]

        assert [row[-5:-2] for row in found] == [["007", "late", "2026-01-31T23:59:00Z"], 3 * [""]]

    def test_say_what_was_graded(self, tmp_path):
        """The path as it was, to match a roster with, and a digest of all that was graded."""
        texts = {"softmax": "sha256:1", "masks": "sha256:2"}
        ann = replace(report(), path="/class/A(nn).zip", digests=texts)
        same = replace(ann, path="=x", digests=dict(reversed(texts.items())))
        other = replace(ann, digests=texts | {"masks": "sha256:3"})
        found = rows(write_grades([ann, same, other, report()], tmp_path))[1:]
        paths, digests = zip(*(row[-2:] for row in found), strict=True)

        assert paths == ("/class/A(nn).zip", "'=x", "/class/A(nn).zip", "")
        assert digests[0] == digests[1] != digests[2]
        assert digests[3] == ""

    def test_are_whole_or_not_there(self, tmp_path, monkeypatch):
        """A disk that is full in the middle leaves the table of before."""
        before = write_grades([report()], tmp_path).read_bytes()

        def fail(*names):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="No space"):
            write_grades([report("ben")], tmp_path)

        assert (tmp_path / "grades.csv").read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]

    def test_of_nobody_are_a_heading(self, tmp_path):
        """A class without submissions has a table without rows."""
        path = write_grades([], tmp_path)

        assert rows(path) == ["submission student score max_score deducted".split() + LAST]

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

    def test_have_no_number_where_there_is_no_verdict(self, tmp_path):
        """Neither for the exercise nor for the total, and a column says which check must be
        repeated; what has a verdict keeps its number.
        """
        ann = report(softmax=[verdict(), verdict(Outcome.INTERNAL)], masks=[verdict(points=3.0)])
        path = write_grades([ann, report("ben", softmax=[verdict(), verdict()])], tmp_path)
        first, second = (dict(zip(rows(path)[0], row, strict=True)) for row in rows(path)[1:])

        assert (first["score"], first["softmax"], first["masks"]) == ("", "", "3")
        assert (first["max_score"], first["no_verdict"]) == ("5", "softmax: test_it")
        assert (second["score"], second["no_verdict"]) == ("2", "")

    def test_suspect_nobody_who_is_only_fast(self, tmp_path):
        """A better program than ours is no finding."""
        fast = verdict(measured=measured(0.4, suspicious=False))
        path = write_grades([report(softmax=[fast])], tmp_path)

        assert rows(path)[1][-1] == ""


def test_what_is_not_graded_is_a_table_too(tmp_path):
    """Where it lies and why, safe to open."""
    path = write_not_graded([("=x.rar", "of archives only .zip is read")], tmp_path)

    assert rows(path) == [["path", "reason"], ["'=x.rar", "of archives only .zip is read"]]
