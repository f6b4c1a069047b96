"""What marks are read from: reports weighted by the assignment that lies beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.errors import AssignmentError
from grader.model import Outcome
from grader.runs.reading import read_raw, read_run

TEXT = """\
title = "Problem set 1"
exercises = ["softmax"]
due = 2026-11-20T23:59:00+01:00
weights = { softmax = 10 }
late = { percent_per_day = 10 }
[checks]
drop = ["softmax.test_b"]
"""


@pytest.fixture
def ann(report, verdict):
    checks = [verdict(name="test_a"), verdict(Outcome.FAILED, name="test_b")]
    return replace(
        report("ann", softmax=checks, masks=[verdict()]), handed_in="2026-11-21T12:00:00Z"
    )


@pytest.fixture
def graded(run):
    """``graded(text, *reports)``: the folder of a run with this assignment."""

    def graded(text, *reports):
        folder = run(*reports)
        (folder / "assignment.toml").write_text(text)
        return folder

    return graded


class TestMarks:
    def test_are_those_of_the_assignment(self, graded, ann):
        """Its exercises, its checks, its points, its late rule."""
        found = read_run(graded(TEXT, ann))
        (one,) = found.reports

        assert [(e.name, e.score, e.max_score) for e in one.exercises] == [("softmax", 10, 10)]
        assert (one.score, one.deducted) == (9, 1)
        assert (found.assignment.title, found.problems, found.remarks) == ("Problem set 1", (), ())

    def test_are_made_of_reports_that_stay_raw(self, graded, ann):
        """Another assignment makes other marks of them, and nothing is run."""
        folder = graded(TEXT, ann)

        assert read_raw(folder).reports == (ann,)
        (folder / "assignment.toml").write_text(TEXT.replace("= 10 }", "= 20 }", 1))
        assert read_run(folder).reports[0].max_score == 20

    def test_are_raw_without_one(self, run, ann):
        """As they are kept."""
        assert read_run(run(ann)).reports == (ann,)


class TestReportsAndAssignment:
    def test_without_a_common_exercise_are_refused(self, graded, ann):
        """Rather than giving marks by other weights."""
        text = TEXT.replace('["softmax"]', '["softmax", "mask"]')
        with pytest.raises(
            AssignmentError, match=r"'mask' is in no report of this run. Did you mean"
        ):
            read_run(graded(text, ann))

    def test_without_a_common_check_are_refused(self, graded, ann):
        """A drop that drops nothing is a slip."""
        with pytest.raises(AssignmentError, match=r"'softmax.test_c' is not a check"):
            read_run(graded(TEXT.replace("test_b", "test_c"), ann))

    def test_are_a_problem_where_one_report_lacks_something(self, graded, ann, report, verdict):
        """It has no mark, and the others have theirs."""
        ben = report("ben", masks=[verdict()])
        found = read_run(graded(TEXT, ann, ben))

        assert [one.submission for one in found.reports] == ["ann"]
        assert found.problems == ("ben: softmax was not graded, which the assignment asks for",)

    def test_are_refused_where_it_cannot_be_read(self, graded, ann):
        """Raw marks would be wrong ones."""
        with pytest.raises(AssignmentError, match="is not TOML"):
            read_run(graded("title = ", ann))
