"""Rows for people and for programs."""

from __future__ import annotations

import csv
import json

import pytest

from grader.gradebook.book import About
from grader.gradebook.tables import (
    Shown,
    in_order,
    standing_form,
    standings_csv,
    total_form,
    totals_csv,
)
from grader.model import Deduction

NAME = "=cmd|' /C calc'!A0"


def rows(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture
def class_of_two(add, handed_in, book):
    """One of them with a verdict missing, the other late and with a mark by hand."""
    fields = {"late": True, "student_id": "7", "handed_in": "2026-01-01T10:00:00Z"}
    late = handed_in("प्रिया शर्मा", fields=fields, softmax=3, masks=1)
    add("ps1", handed_in(NAME, softmax=None, masks=4), late)
    add("ps2", handed_in(NAME, softmax=2))
    book.set_mark(About("7", "ps1", "masks"), 2.5, "=1+1", "ta1")
    book.comment(About("7", "ps1"), "Good", "ta2")


class TestACsvOfStandings:
    def test_has_a_row_for_each_mark(self, class_of_two, book):
        """And a column for each exercise."""
        first, second, third, fourth = rows(standings_csv(book.standings(), Shown.NAMES))

        assert (third["student"], third["student_id"], third["mark"]) == (
            "प्रिया शर्मा", "7", "5.5",
        )  # fmt: skip
        assert (third["automatic"], third["softmax"], third["masks"]) == ("4", "3", "2.5")
        assert (third["late"], third["attempts"], third["counts"]) == ("yes", "1", "latest")
        assert (third["manual"], third["comments"]) == ("masks: 2.5: =1+1 (ta1)", "Good (ta2)")
        assert (second["assignment"], second["masks"]) == ("ps2", "")
        assert [fourth[key] for key in ("assignment", "mark", "max", "missing")] == [
            "ps2", "0", "4", "yes",
        ]  # fmt: skip

    def test_has_what_being_late_cost(self, add, handed_in, book):
        """Beside the points that were earned, which stay as they are."""
        late = Deduction("2026-01-01T00:00:00Z", 2, 1.25)
        add("ps1", handed_in("ann", softmax=3, masks=1, fields={"deduction": late}))
        book.set_mark(About("ann", "ps1", "masks"), 2, "as told", "ta")
        (found,) = rows(standings_csv(book.standings(), Shown.NAMES))

        assert [found[key] for key in ("earned", "deducted", "mark", "automatic")] == [
            "5", "1.25", "3.75", "2.75",
        ]  # fmt: skip

    def test_has_no_number_without_a_verdict(self, class_of_two, book):
        """An empty cell, and why."""
        first = rows(standings_csv(book.standings(), Shown.NAMES))[0]

        assert [first[key] for key in ("mark", "automatic", "softmax", "no_verdict")] == [
            "", "", "", "yes",
        ]  # fmt: skip

    def test_holds_no_formula(self, class_of_two, book):
        """A spreadsheet calculates nothing of what somebody wrote."""
        for text in (
            standings_csv(book.standings(), Shown.BOTH),
            totals_csv(book.totals(), Shown.BOTH),
        ):
            cells = [cell for row in csv.reader(text.splitlines()) for cell in row]

            assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
            assert f"'{NAME}" in cells

    def test_of_nobody_is_a_heading(self):
        """And no error."""
        assert rows(standings_csv([], Shown.NAMES)) == []
        assert rows(totals_csv([], Shown.NAMES)) == []


class TestACsvOfTotals:
    def test_has_a_column_for_each_assignment(self, class_of_two, book):
        """With the sum and its share; and which of them are missing."""
        first, second = rows(totals_csv(book.totals(), Shown.NAMES))

        assert [second[key] for key in ("ps1", "ps2", "points", "max", "percent", "missing")] == [
            "5.5", "0", "5.5", "12", "45.83", "ps2",
        ]  # fmt: skip
        assert [first[key] for key in ("ps1", "ps2", "points", "percent", "no_verdict")] == [
            "", "2", "", "", "ps1",
        ]  # fmt: skip

    def test_names_what_was_dropped(self, add, handed_in, book):
        """Its mark stays where it is, and does not count."""
        for name, points in {"ps1": 3, "ps2": 1}.items():
            add(name, handed_in("ann", softmax=points))
        book.group("homework", ["ps1", "ps2"], 1)
        (found,) = rows(totals_csv(book.totals(), Shown.NAMES))

        assert [found[key] for key in ("ps1", "ps2", "points", "max", "percent", "dropped")] == [
            "3", "1", "3", "4", "75", "ps2",
        ]  # fmt: skip


class TestDrawnIds:
    def forms(self, book, shown):
        """Everything that is shown of the class."""
        standings, totals = in_order(book.standings(), shown), in_order(book.totals(), shown)
        tables = [standings_csv(standings, shown), totals_csv(totals, shown)]
        forms = [standing_form(one, shown) for one in standings]
        forms += [total_form(one, shown) for one in totals]
        return json.dumps(forms, ensure_ascii=False) + "".join(tables)

    def test_stand_without_what_tells_a_name(self, class_of_two, book):
        """No name, no id of a platform, and no time that the platform shows beside a name."""
        shown = self.forms(book, Shown.DRAWN)
        telling = ["प्रिया", "calc", '"7"', "2026-01-01T10:00:00Z", "submission", "student"]

        assert [text for text in telling if text in shown] == []
        assert all(one.student.drawn in shown for one in book.totals())

    def test_are_shown_beside_names_only_if_asked_for(self, class_of_two, book):
        """Names alone give no drawn id away."""
        drawn = [one.student.drawn for one in book.totals()]

        assert not any(one in self.forms(book, Shown.NAMES) for one in drawn)
        assert all(one in self.forms(book, Shown.BOTH) for one in drawn)

    def test_are_in_an_order_of_their_own(self, add, handed_in, book):
        """That of names would give them away."""
        add("ps1", *(handed_in(f"student {n}", softmax=1) for n in range(9)))
        for found in (book.standings(), book.totals()):
            drawn = [one.student.drawn for one in in_order(found, Shown.DRAWN)]

            assert drawn == sorted(drawn)

    def test_are_each_student_s_own(self, add, handed_in, book):
        """And stay the same."""
        add("ps1", *(handed_in(f"student {n}", softmax=1) for n in range(9)))
        first = {one.student.name: one.student.drawn for one in book.totals()}
        add("ps2", *(handed_in(f"student {n}", softmax=1) for n in range(9)))

        assert len(set(first.values())) == 9
        assert {one.student.name: one.student.drawn for one in book.totals()} == first
