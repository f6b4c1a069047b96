"""The long table: a row per submission and check."""

from __future__ import annotations

import csv
from dataclasses import replace

from grader.exports.csv_long import csv_long
from grader.model import Outcome


def rows(text):
    return list(csv.DictReader(text.splitlines()))


class TestTheTable:
    def test_has_a_row_for_each_check(self, report, verdict):
        """Whose, which, on what, what became of it."""
        wrong = verdict(Outcome.FAILED, 2.0, "test_b", misconception="squares")
        (first, second) = rows(csv_long([report(softmax=[verdict(), wrong])]))

        assert list(first.values()) == ["ann", "ann", "softmax", "test_it", "cpu", "passed", "1",
                                        "1", "", "", "1"]  # fmt: skip
        assert list(second.values())[3:] == [
            "test_b",
            "cpu",
            "failed",
            "0",
            "2",
            "squares",
            "",
            "0",
        ]

    def test_tells_the_core_from_the_rest(self, report, verdict, of_the_core):
        """Of a course that does."""
        found = rows(csv_long([report(softmax=[of_the_core(verdict()), verdict()])]))

        assert [row["part"] for row in found] == ["core", "robust"]

    def test_says_on_which_device(self, report, verdict):
        """The same check runs on both."""
        one = verdict()
        there = replace(one, check=replace(one.check, device="cuda"))

        assert [r["device"] for r in rows(csv_long([report(softmax=[one, there])]))] == [
            "cpu",
            "cuda",
        ]

    def test_has_no_points_where_nothing_was_found_out(self, report, verdict):
        """So that a mean leaves them out."""
        verdicts = [verdict(Outcome.INTERNAL, 2.0), verdict(Outcome.SKIPPED, 2.0)]
        found = rows(csv_long([report(softmax=verdicts)]))

        assert [(row["outcome"], row["points"], row["max_points"]) for row in found] == [
            ("internal", "", "2"),
            ("skipped", "", "0"),
        ]

    def test_holds_no_formula(self, report, verdict):
        """In no column that somebody else wrote."""
        text = csv_long([report("=1+1", softmax=[verdict(misconception="@x")])])

        assert [rows(text)[0][key] for key in ("submission", "misconception")] == ["'=1+1", "'@x"]
