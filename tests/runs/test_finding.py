"""A student and a check are named as people name them; what is not clear is asked back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.errors import ReportError
from grader.model import Outcome
from grader.runs.finding import check_of, report_of


@pytest.fixture
def reports(report, verdict):
    """A class of three."""
    ann = report("ann_1", "Ann Lee", softmax=[verdict()])
    bea = report("bea_2", "Béa Lee", softmax=[verdict()])
    return [replace(ann, student_id="4711"), bea, report("cem", softmax=[verdict()])]


class TestAStudent:
    @pytest.mark.parametrize("name", ["ann_1", "Ann Lee", "ann lee", "4711", "Ann"])
    def test_by_name_or_id(self, reports, name):
        """The submission's, the student's, or a part that is nobody else's."""
        assert report_of(reports, name) is reports[0]

    def test_by_letters_written_in_two_ways(self, reports):
        """An accent may stand alone."""
        assert report_of(reports, "Be\u0301a Lee") is reports[1]

    def test_nobody(self, reports):
        """Near names are proposed."""
        with pytest.raises(ReportError, match=r"no report on 'An Le'.* Did you mean 'Ann Lee'\?"):
            report_of(reports, "An Le")

    def test_more_than_one(self, reports):
        """They are listed, and none is taken."""
        with pytest.raises(ReportError, match=r"one of 2: ann_1 \(Ann Lee\), bea_2 \(Béa Lee\)"):
            report_of(reports, "lee")


@pytest.fixture
def graded(report, verdict):
    """Two exercises, in which one name of a check is the same."""
    failed = verdict(Outcome.FAILED, name="test_example")
    return report(
        softmax=[verdict(name="test_example"), verdict(Outcome.FAILED, name="test_rows")],
        masks=[failed, verdict(name="test_causal")],
    )


class TestACheck:
    @pytest.mark.parametrize(
        ("name", "number"),
        [
            ("1.2", "1.2"),
            ("test_rows", "1.2"),
            ("rows", "1.2"),
            ("softmax.test_rows", "1.2"),
            ("softmax.example", "1.1"),
            ("masks.test_example", "2.1"),
        ],
    )
    def test_by_number_or_name(self, graded, name, number):
        """With its exercise where that matters."""
        assert check_of(graded, name)[0] == number

    def test_that_failed_first(self, graded):
        """Who asks about a name that stands twice asks about the one that failed."""
        assert check_of(graded, "example")[0] == "2.1"

    def test_more_than_one(self, report, verdict):
        """With their numbers."""
        broken = [verdict(Outcome.FAILED, name="test_example")]
        with pytest.raises(ReportError, match=r"1.1 \(softmax.test_example\), 2.1 \(masks"):
            check_of(report(softmax=broken, masks=broken), "test_example")

    def test_none(self, graded):
        """Near names are proposed."""
        with pytest.raises(ReportError, match=r"no check 'test_row' .* Did you mean 'test_rows'\?"):
            check_of(graded, "test_row")
