"""A run is read strictly: what is not whole is named, and the others are there."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from grader.errors import ReportError
from grader.model import Outcome
from grader.report.export import write_grades
from grader.runs.reading import read_run


@pytest.fixture
def ann(report, verdict):
    return report("ann", softmax=[verdict(), verdict(Outcome.FAILED, 2.0)])


@pytest.fixture
def ben(report, verdict):
    return report("ben", softmax=[verdict(Outcome.INTERNAL)])


def changed(folder, name, change):
    path = folder / "reports" / f"{name}.json"
    form = json.loads(path.read_text(encoding="utf-8"))
    change(form)
    path.write_text(json.dumps(form), encoding="utf-8")


class TestARun:
    def test_is_read_whole(self, run, ann, ben):
        """Every report as it was written, and nothing to say."""
        found = read_run(run(ann, ben))

        assert found.reports == (ann, ben)
        assert found.problems == ()

    def test_without_reports_is_refused(self, tmp_path):
        """In a sentence that says which folder is meant."""
        with pytest.raises(ReportError, match="holds no reports"):
            read_run(tmp_path)


def _no_number(form):
    form["exercises"][0]["checks"][0]["worth"] = "many"


def _nan(form):
    form["exercises"][0]["checks"][0]["seconds"] = float("nan")


def _no_text(form):
    form["student"] = 5


def _number_for_an_id(form):
    form["student_id"] = 7


def _no_time(form):
    form["handed_in"] = None


def _no_digest(form):
    form["digests"] = {"softmax": ["sha256:abc"]}


def _twice(form):
    form["exercises"] *= 2
    form["score"] *= 2
    form["max_score"] *= 2


def _half_a_character(form):
    form["student"] = "\ud800"


def _unknown_cause(form):
    form["exercises"][0]["checks"][1]["cause"] = {
        "kind": "no such kind", "facts": {}, "place": None, "because": None,
    }  # fmt: skip


def _better(form):
    form["score"] = 3


def _exercise_better(form):
    form["exercises"][0]["score"] = 3


def _other_schema(form):
    form["schema"] = "report/v9"


class TestWhatIsNotWhole:
    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (_no_number, "damaged"),
            (_nan, "holds no report"),
            (_no_text, "no text"),
            (_number_for_an_id, "no text"),
            (_no_time, "no text"),
            (_no_digest, "no text"),
            (_twice, "stands in it twice"),
            (_half_a_character, "holds no report"),
            (_unknown_cause, "cannot be told"),
            (_better, "it says 3 where its checks make 1"),
            (_exercise_better, "it says 3 where its checks make 1"),
            (_other_schema, "its schema is"),
        ],
    )
    def test_is_named_and_the_others_are_there(self, run, ann, ben, change, why):
        """Also a score that was changed by hand, and would be lost without a word."""
        folder = run(ann, ben)
        changed(folder, "ann", change)
        found = read_run(folder)

        assert found.reports == (ben,)
        assert len(found.problems) == 1
        assert found.problems[0].startswith("reports/ann.json: ")
        assert why in found.problems[0]

    def test_may_be_no_json_and_no_file(self, run, ann):
        """Half a file, and a pipe, which nobody waits for."""
        folder = run(ann)
        (folder / "reports" / "half.json").write_text('{"schema": ')
        os.mkfifo(folder / "reports" / "pipe.json")
        found = read_run(folder)

        assert found.reports == (ann,)
        assert [problem.partition(":")[0] for problem in found.problems] == [
            "reports/half.json",
            "reports/pipe.json",
        ]

    def test_may_be_a_copy(self, run, ann):
        """Two reports on one submission would be two rows: only the one in its place counts."""
        folder = run(ann)
        shutil.copy(folder / "reports" / "ann.json", folder / "reports" / "ann (1).json")
        found = read_run(folder)

        assert found.reports == (ann,)
        assert found.problems == (
            "reports/ann (1).json: it holds the report on ann, which belongs in ann.json",
        )

    def test_may_be_missing(self, run, ann, ben):
        """Who has a row in grades.csv, and no report, is named: never absent."""
        folder = run(ann, ben)
        write_grades([ann, ben], folder)
        (folder / "reports" / "ben.json").unlink()
        found = read_run(folder)

        assert found.reports == (ann,)
        assert found.problems == ("grades.csv: ben has no report",)
