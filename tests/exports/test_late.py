"""Being late is seen in every format, and the numbers of each add up by its rules."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from grader.collect.table import Table
from grader.exports.canvas import canvas
from grader.exports.class_page import class_page
from grader.exports.class_report import class_report
from grader.exports.classroom50 import classroom50
from grader.exports.csv_long import csv_long
from grader.exports.csv_wide import csv_wide
from grader.exports.formats import PAGES
from grader.exports.gradescope import gradescope
from grader.exports.item_analysis import items
from grader.exports.junit import junit
from grader.exports.moodle import moodle
from grader.model import Deduction, Outcome
from grader.report.export import write_grades
from grader.runs.reading import Run

CONTEXT = {"CLASSROOM": "nlp", "ASSIGNMENT": "ps1"}
DUE = "2026-11-20T23:59:00+01:00"


def rows(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture
def ann(report, verdict):
    """Who earned 6.5 of 8 points and loses 1.25 for being late."""
    masks = [verdict(points=1.5), verdict(Outcome.FAILED, 1.5)]
    one = report("ann", softmax=[verdict(points=5)], masks=masks)
    return replace(one, deduction=Deduction(DUE, 2, 1.25))


@pytest.fixture
def undated(ann):
    """Who is late by nobody knows how much."""
    return replace(ann, deduction=Deduction(DUE, None))


class TestTables:
    def test_add_up(self, ann):
        """The exercises without what is taken off are the total."""
        (row,) = rows(csv_wide([ann]))
        earned = float(row["softmax"]) + float(row["masks"])

        assert (earned, row["deducted"], row["total"], row["max"]) == (6.5, "1.25", "5.25", "8")

    def test_add_up_check_by_check(self, ann):
        """The last row is no check, and what it takes off is below 0."""
        found = rows(csv_long([ann]))

        assert sum(float(row["points"]) for row in found) == ann.score == 5.25
        assert sum(float(row["max_points"]) for row in found) == 8
        assert (found[-1]["outcome"], found[-1]["exercise"]) == ("late", "")

    def test_of_the_class_say_why(self, ann, undated, tmp_path):
        """In a column for a person."""
        path = write_grades([ann, undated], tmp_path)
        late, unknown = rows(path.read_text(encoding="utf-8"))

        assert (late["score"], late["deducted"], late["softmax"]) == ("5.25", "1.25", "5")
        assert late["late"].startswith("Handed in late, on day 2 after 2026-11-20")
        assert (unknown["score"], unknown["deducted"]) == ("6.5", "0")
        assert "nothing is taken off" in unknown["late"]

    def test_have_no_row_of_it_without_a_mark(self, ann, report, verdict):
        """Nothing is taken off what is not known."""
        part = replace(ann, exercises=report(a=[verdict(), verdict(Outcome.INTERNAL)]).exercises)

        assert [row["outcome"] for row in rows(csv_long([part]))] == ["passed", "internal"]
        assert rows(csv_wide([part]))[0]["deducted"] == ""


class TestRosters:
    def test_of_canvas_get_the_mark(self, ann):
        """After what is taken off."""
        roster = Table(("Student", "ID"), (("ann", "1"),), ",")
        table = csv.reader(canvas(roster, [ann], "One", scale=False).text.splitlines())

        assert [row[-1] for row in table] == ["One", "8", "5.25"]

    def test_of_moodle_get_the_mark(self, ann):
        """The same."""
        roster = Table(("Full name",), (("ann",),), ",")

        assert rows(moodle(roster, [ann], scale=False).text)[0]["Grade"] == "5.25"


class TestJunit:
    def test_has_it_as_a_property(self, ann):
        """The counts are those of the checks."""
        (suite,) = ElementTree.fromstring(junit([ann]))
        found = {p.get("name"): p.get("value") for p in suite.iter("property")}

        assert (found["score"], found["deducted"], found["max_score"]) == ("5.25", "1.25", "8")
        assert (suite.get("tests"), suite.get("failures")) == ("3", "1")


class TestGradescope:
    def test_has_a_score_above_that_overrides(self, ann):
        """Tests keep their own; the difference is said."""
        form = gradescope(ann)

        assert form["score"] == 5.25
        assert sum(test["score"] for test in form["tests"]) - form["score"] == 1.25
        assert "of 6.5 points 1.25 are taken off" in form["output"]


class TestClassroom50:
    def test_has_whole_numbers_within_their_bounds(self, ann):
        """Its collector refuses what is below 0, above its most, or no integer."""
        form = classroom50(ann, CONTEXT)
        numbers = [(one["score"], one["max-score"]) for one in (form, *form["tests"])]

        assert all(type(n) is int and 0 <= n <= most for n, most in numbers for n in (n, most))
        assert numbers[0] == (21, 32)  # quarters
        assert (sum(score for score, _ in numbers[1:]), numbers[-1]) == (26, (0, 0))
        assert form["tests"][-1]["test-name"].startswith("Handed in late")


class TestPages:
    @pytest.mark.parametrize("name", PAGES)
    def test_say_it_to_the_student(self, ann, name):
        """In one sentence."""
        text = re.sub(r"\\(\W)", r"\1", PAGES[name](ann, CONTEXT))

        assert "on day 2 after 2026-11-20, 23:59 (UTC+01:00): of 6.5 points 1.25 are" in text

    @pytest.mark.parametrize("name", PAGES)
    def test_say_nothing_that_is_undecided(self, undated, name):
        """A person decides."""
        on_time = replace(undated, deduction=None)

        assert PAGES[name](undated, CONTEXT) == PAGES[name](on_time, CONTEXT)


class TestTheClassReport:
    def test_counts_marks_and_judges_checks(self, ann, report, verdict):
        """Who is late has a lower mark, and answers no check worse."""
        assert class_report(Run((ann,))).distribution.mean == pytest.approx(100 * 5.25 / 8)
        judged = []
        for points in (0, 100):
            class_ = [
                replace(
                    report(str(n), softmax=[verdict(right), verdict(other, name="test_b")]),
                    deduction=Deduction(DUE, 1, points) if n % 2 else None,
                )
                for n, (right, other) in enumerate(
                    12 * [(Outcome.PASSED, Outcome.PASSED)] + 4 * [(Outcome.FAILED, Outcome.FAILED)]
                )
            ]
            judged.append([item.discrimination for item in items(class_)])

        assert judged[0] == judged[1] == [1.0, 1.0]

    def test_names_who_must_be_decided_on(self, ann, undated):
        """And what else the assignment says nothing about."""
        run = Run((ann, replace(undated, submission="ben")), remarks=("An extension is nobody's.",))
        found = [(look.kind, look.submission) for look in class_report(run).to_look_at]

        assert found == [("assignment", ""), ("late", "ben")]

    def test_has_the_title(self, ann):
        """Of the assignment, escaped; without one, none."""
        page = class_page(replace(class_report(Run((ann,))), title="Sets & <maps>"))

        assert "<h1>Class report: <bdi>Sets &amp; &lt;maps&gt;</bdi></h1>" in page
        assert "<title>Class report: Sets &amp; &lt;maps&gt;</title>" in page
        assert "<h1>Class report</h1>" in class_page(class_report(Run((ann,))))
