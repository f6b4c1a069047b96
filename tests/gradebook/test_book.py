"""What can be said in a gradebook, and what is refused."""

from __future__ import annotations

import re

import pytest

from grader.errors import GradebookError
from grader.gradebook.book import About


@pytest.fixture
def ann(add, handed_in):
    """One student with one attempt at ``ps1``, of two exercises."""
    add("ps1", handed_in("ann", softmax=3, masks=1))


class TestAnEntry:
    def test_says_who_when_and_why(self, ann, book):
        """For whoever asks later."""
        book.set_mark(About("ANN", "PS1", "masks"), 2, " Right but\nfor a typo ", "ta1")
        (found,) = book.history("ann").entries

        assert (found.mark, found.exercise, found.author) == (2.0, "masks", "ta1")
        assert found.text == "Right but\nfor a typo"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found.made_at)

    def test_holds_no_signs_that_a_database_refuses(self, ann, book):
        """What a terminal made of bytes that are no text."""
        book.comment(About("ann", "ps1"), "a\0b \udcff", "ta1")

        assert book.history("ann").entries[0].text == "a�b �"

    @pytest.mark.parametrize("mark", [-1, float("nan"), float("inf")])
    def test_has_a_mark_that_is_one(self, ann, book, mark):
        """A number, and not below nothing."""
        with pytest.raises(GradebookError, match="not below 0"):
            book.set_mark(About("ann", "ps1"), mark, "as told", "ta1")

    @pytest.mark.parametrize(
        ("about", "why"),
        [
            (About("bob", "ps1"), "Nobody in the gradebook is called 'bob'"),
            (About("ann", "ps9"), "no assignment 'ps9'. There are: ps1"),
            (About("ann", "ps1", "mask"), "no exercise 'mask'. There are: softmax, masks"),
        ],
    )
    def test_is_about_what_is_there(self, ann, book, about, why):
        """Whatever is mistyped is named, with what there is."""
        with pytest.raises(GradebookError, match=re.escape(why)):
            book.comment(about, "Good", "ta1")

    def test_has_words(self, ann, book):
        """A mark without a reason cannot be defended."""
        with pytest.raises(GradebookError, match="--reason is empty"):
            book.set_mark(About("ann", "ps1"), 1, " \n", "ta1")

    def test_that_is_refused_is_not_kept(self, ann, book):
        """Nothing half."""
        with pytest.raises(GradebookError):
            book.comment(About("ann", "ps1", "mask"), "Good", "ta1")

        assert book.history("ann").entries == ()


class TestAWithdrawal:
    def test_is_an_entry_too(self, ann, book):
        """Nothing is ever taken out."""
        book.comment(About("ann", "ps1"), "Good", "ta1")
        book.withdraw("E1", "meant ben", "ta2")
        first, second = book.history("ann").entries

        assert first.text == "Good"
        assert (second.withdraws_entry, second.text, second.author) == (1, "meant ben", "ta2")
        assert book.standings()[0].comments == ()

    @pytest.mark.parametrize("number", ["e1", "a1"])
    def test_is_said_once(self, ann, book, number):
        """Of entries and of attempts."""
        book.comment(About("ann", "ps1"), "Good", "ta1")
        book.withdraw(number, "no", "ta1")

        with pytest.raises(GradebookError, match=f"{number} was withdrawn before"):
            book.withdraw(number, "no", "ta1")

    @pytest.mark.parametrize("number", ["e7", "7", "", "x1", "e", "e1.5", "e٣", f"a{10**30}"])
    def test_is_of_what_is_there(self, ann, book, number):
        """Numbers are as the history shows them."""
        with pytest.raises(GradebookError, match="history STUDENT"):
            book.withdraw(number, "no", "ta1")


class TestStandings:
    def test_are_of_students_by_name(self, add, handed_in, book):
        """Whatever the order of the run, and not by capitals."""
        add("ps1", *(handed_in(name, softmax=1) for name in ("bob", "Ann", "cyd")))

        assert [one.student.name for one in book.standings()] == ["Ann", "bob", "cyd"]

    def test_can_be_of_one_assignment(self, add, handed_in, book):
        """However it is spelled."""
        for name in ("ps1", "ps2"):
            add(name, handed_in("ann", softmax=1))

        assert [one.assignment.name for one in book.standings("PS2")] == ["ps2"]
        with pytest.raises(GradebookError, match="no assignment 'ps3'"):
            book.standings("ps3")

    def test_are_of_all_in_every_assignment(self, add, handed_in, marks):
        """Who handed in nothing has a row as well, with 0 points."""
        add("ps1", handed_in("ann", softmax=1))
        add("ps2", handed_in("ben", softmax=1))

        assert marks() == {
            ("ann", "ps1"): 1.0, ("ann", "ps2"): 0.0, ("ben", "ps1"): 0.0, ("ben", "ps2"): 1.0,
        }  # fmt: skip

    def test_of_what_nobody_handed_in_are_left_out(self, add, handed_in, book, marks):
        """It counts for nobody: its only attempt was another assignment's."""
        add("ps1", handed_in("ann", softmax=1))
        add("ps2", handed_in("ann", softmax=1))
        book.withdraw("a2", "wrong run", "ta")

        assert marks() == {("ann", "ps1"): 1.0}
        assert [total.worth for total in book.totals()] == [4.0]
