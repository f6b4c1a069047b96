"""Assignments of a kind: each student's worst do not count."""

from __future__ import annotations

import pytest

from grader.errors import GradebookError


@pytest.fixture
def homework(add, handed_in, book):
    """``homework(1, ps1=4, ps2=None, ...)``: what ann earned of 4 points, of which so many worst
    are dropped; what is None she did not hand in, as ben did. Gives points, worth, and what is
    dropped of hers.
    """

    def homework(drop_worst, **points):
        for name, score in points.items():
            add(name, handed_in("ben", softmax=4))
            if score is not None:
                add(name, handed_in("ann", softmax=score))
        book.group("homework", list(points), drop_worst)
        return of_ann(book)

    return homework


def of_ann(book):
    total = next(one for one in book.totals() if one.student.name == "ann")
    return total.points, total.worth, [one.assignment.name for one in total.dropped]


class TestTheWorst:
    def test_do_not_count(self, homework):
        """Neither their points nor what they are worth."""
        assert homework(1, ps1=4, ps2=1, ps3=3) == (7.0, 8.0, ["ps2"])

    def test_are_as_many_as_the_rule_says(self, homework):
        """Those that are worse than all others."""
        assert homework(2, ps1=4, ps2=1, ps3=3) == (4.0, 4.0, ["ps2", "ps3"])

    def test_are_those_with_the_lowest_share(self, add, handed_in, book):
        """5 of 8 are worse than 3 of 4; and of equal shares, that which is worth more."""
        add("ps1", handed_in("ann", softmax=3))
        add("ps2", handed_in("ann", softmax=2, masks=3))
        add("ps3", handed_in("ann", softmax=3, masks=3))
        book.group("homework", ["ps1", "ps2", "ps3"], 2)

        assert of_ann(book) == (3.0, 4.0, ["ps2", "ps3"])

    def test_are_what_was_not_handed_in_before_all_others(self, homework):
        """It is worth nothing."""
        assert homework(1, ps1=4, ps2=1, ps3=None) == (5.0, 8.0, ["ps3"])

    def test_are_never_all(self, homework):
        """Early in a term there is one homework, and it counts."""
        assert homework(3, ps1=1, ps2=3) == (3.0, 4.0, ["ps1"])

    def test_are_not_known_without_a_verdict(self, add, handed_in, book):
        """Nor is there a total."""
        add("ps1", handed_in("ann", softmax=3))
        add("ps2", handed_in("ann", softmax=None))
        book.group("homework", ["ps1", "ps2"], 1)

        assert of_ann(book) == (None, 8.0, [])

    def test_are_none_of_what_nobody_handed_in(self, homework, add, handed_in, book):
        """It counts for nobody, and takes nobody's place."""
        homework(1, ps1=4, ps2=1)
        add("ps3", handed_in("ben", text="3", softmax=4))
        book.group("homework", ["ps3"], None)
        book.withdraw(last_attempt(book), "wrong run", "ta")

        assert of_ann(book) == (4.0, 4.0, ["ps2"])

    def test_are_of_their_own_group(self, homework, add, handed_in, book):
        """What is in none counts, and each group has its rule."""
        homework(1, ps1=4, ps2=1)
        add("exam", handed_in("ann", softmax=0))
        for name, points in {"lab1": 1, "lab2": 2}.items():
            add(name, handed_in("ann", softmax=points))
        book.group("labs", ["lab1", "lab2"], 1)

        assert of_ann(book) == (6.0, 12.0, ["ps2", "lab1"])


def last_attempt(book):
    return f"a{book.history('ben').attempts[-1].id}"


class TestAGroup:
    @pytest.fixture(autouse=True)
    def two(self, add, handed_in):
        for name in ("ps1", "ps2"):
            add(name, handed_in("ann", softmax=1))

    def test_is_added_to(self, book):
        """However it is spelled; its rule stays until another one is said."""
        book.group("Homework", ["ps1"], 1)
        found = book.group("homework", ["PS2"], None)

        assert (found.name, found.drop_worst) == ("Homework", 1)
        assert found.assignments == ("ps1", "ps2")

    def test_has_an_assignment_alone(self, book):
        """Who puts it elsewhere takes it out."""
        book.group("homework", ["ps1", "ps2"], 1)
        book.group("labs", ["ps2"], None)
        book.group("", ["ps1"], None)

        assert book.group("homework", [], None).assignments == ()
        assert book.group("labs", [], None).assignments == ("ps2",)
        assert book.group("", [], None).assignments == ("ps1",)

    @pytest.mark.parametrize(
        ("name", "assignments", "drop_worst", "said"),
        [
            ("homwork", [], 1, "There is no group 'homwork'. There are: none."),
            ("homework", ["ps9"], 1, "no assignment 'ps9'"),
            ("homework", ["ps1"], -1, "No less than 0"),
        ],
    )
    def test_is_of_what_is_there(self, book, name, assignments, drop_worst, said):
        """A slip makes no new group, and changes nothing."""
        with pytest.raises(GradebookError, match=said):
            book.group(name, assignments, drop_worst)

        assert book.group("", [], None).assignments == ("ps1", "ps2")
