"""The wide table: a row per submission, a column per exercise."""

from __future__ import annotations

import csv

import pytest

from grader.exports.csv_wide import csv_wide
from grader.model import Outcome


def rows(text):
    return list(csv.reader(text.splitlines()))


class TestTheTable:
    def test_has_a_column_for_each_exercise(self, report, verdict):
        """And the total and what could be had; what was not asked of somebody is empty."""
        ann = report(softmax=[verdict(points=2.5)], masks=[verdict(Outcome.FAILED)])
        ben = report("ben", student="Ben Lee", masks=[verdict()])

        assert rows(csv_wide([ann, ben])) == [
            "submission student softmax masks deducted total max strict follow_through".split(),
            ["ann", "ann", "2.5", "0", "0", "2.5", "3.5", "2.5", "2.5"],
            ["ben", "Ben Lee", "", "1", "0", "1", "1", "1", "1"],
        ]

    def test_has_the_sums_of_both_parts(self, report, verdict, of_the_core):
        """Where there is a core."""
        one = report(softmax=[of_the_core(verdict(points=2)), verdict(points=3)])

        assert [row[-3:] for row in rows(csv_wide([one]))] == [
            ["follow_through", "core", "robust"],
            ["5", "2", "3"],
        ]

    def test_is_empty_without_a_verdict(self, report, verdict):
        """No zero for the exercise, none for the total."""
        one = report(softmax=[verdict(Outcome.INTERNAL)], masks=[verdict()])

        assert rows(csv_wide([one]))[1] == ["ann", "ann", "", "1", "", "", "2", "", ""]

    @pytest.mark.parametrize("name", ["=1+1", " +1", "＠x", "-1"])
    def test_holds_no_formula(self, report, verdict, name):
        """A name that a spreadsheet would calculate is marked as text."""
        text = csv_wide([report(name, softmax=[verdict()])])

        assert rows(text)[1][:2] == [f"'{name}", f"'{name}"]
