"""Moodle's grading worksheet comes back with its grades."""

from __future__ import annotations

import csv

import pytest

from grader.collect.roster import read_roster_table
from grader.errors import GraderError
from grader.exports.moodle import moodle
from grader.model import Outcome

# As mod/assign/feedback/offline of Moodle 4 writes it.
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 12","Ann Lee",ann@x.edu,"Submitted for grading",,"100,00",Yes,"Monday, 5 May",-,
"Participant 13","Bén Müller",ben@x.edu,"No submission",,"100,00",Yes,-,-,"=1+1"
"""


@pytest.fixture
def worksheet(tmp_path):
    def worksheet(text=WORKSHEET):
        path = tmp_path / "worksheet.csv"
        path.write_text(text, encoding="utf-8")
        return read_roster_table(path)

    return worksheet


def rows(text):
    return list(csv.reader(text.splitlines()))


class TestTheWorksheet:
    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("Ann Lee", ""),
            ("ann@x.edu", ""),
            ("Participant 12", ""),
            ("x", "/class/Ann Lee_12_assignsubmission_file_"),
        ],
    )
    def test_is_filled_in_one_column(self, worksheet, report, verdict, name, path):
        """Identifier, Grade and Last modified (grade), which Moodle reads, stay in place."""
        one = report(name, path=path, softmax=[verdict(points=100.0)])
        found = rows(moodle(worksheet(), [one], scale=False).text)
        before = rows(WORKSHEET)

        assert found[1][4] == "100"
        found[1][4] = ""
        assert found == before

    def test_is_scaled_to_the_maximum_grade(self, worksheet, report, verdict):
        """Which is written with a comma in many languages."""
        one = report("Ann Lee", softmax=[verdict(points=3.0), verdict(Outcome.FAILED)])
        found = moodle(worksheet(), [one], scale=True)

        assert rows(found.text)[1][4] == "75"
        assert found.remarks == ("Bén Müller: in the roster, but not in the run",)

    def test_has_no_grade_without_a_verdict(self, worksheet, report, verdict):
        """Not even a part of it."""
        one = report("Ann Lee", softmax=[verdict(), verdict(Outcome.INTERNAL)])
        found = moodle(worksheet(), [one], scale=True)

        assert rows(found.text)[1][4] == ""
        assert found.problems == ("Ann Lee: no mark, a check has no verdict",)

    def test_may_be_a_plain_list(self, worksheet, report, verdict):
        """Of those to be imported into the gradebook; the column is made, and named as asked."""
        text = "First name,Last name,Email address\nAnn,Lee,ann@x.edu\n"
        one = report("leeann", softmax=[verdict()])
        found = rows(moodle(worksheet(text), [one], "Quiz", scale=False).text)

        assert [row[-1] for row in found] == ["Quiz", "1"]

    def test_without_anybody_is_refused(self, worksheet):
        """Nothing tells one row from another."""
        with pytest.raises(GraderError, match="no list of Moodle's"):
            moodle(worksheet("Points,Grade\n1,2\n"), [], scale=False)
