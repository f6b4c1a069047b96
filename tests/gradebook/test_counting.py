"""Which attempt counts, which mark, and what all make together."""

from __future__ import annotations

import pytest

from grader.gradebook.book import About


def at(time):
    return {"handed_in": time}


class TestTheLatest:
    def test_counts_if_nothing_else_is_said(self, add, handed_in, marks):
        """Also if it is worse."""
        add("ps1", handed_in("ann", text="1", fields=at("2026-01-01T10:00:00Z"), softmax=4))
        add("ps1", handed_in("ann", text="2", fields=at("2026-01-01T11:00:00Z"), softmax=2))

        assert marks() == {("ann", "ps1"): 2.0}

    def test_is_that_which_was_handed_in_last(self, add, handed_in, marks):
        """In whatever order they were graded, and in whatever zone the platform's clock is."""
        add("ps1", handed_in("ann", text="2", fields=at("2026-01-01T10:30:00Z"), softmax=2))
        add("ps1", handed_in("ann", text="1", fields=at("2026-01-01T11:00:00+01:00"), softmax=4,
                             graded_at="2026-02-02T00:00:00Z"))  # fmt: skip

        assert marks() == {("ann", "ps1"): 2.0}

    def test_is_that_which_was_first_graded_last_where_times_are_not_known(
        self, add, handed_in, marks
    ):
        """The first one, graded again after a check was mended, is still the first."""
        for text, day, score in [("1", 1, 1), ("2", 2, 2), ("1", 3, 3)]:
            when = f"2026-01-0{day}T00:00:00Z"
            add("ps1", handed_in("ann", text=text, graded_at=when, softmax=score))

        assert marks() == {("ann", "ps1"): 2.0}

    def test_is_told_by_grading_where_one_time_is_not_known(self, add, handed_in, marks):
        """A time of handing in is not compared with one of grading."""
        add("ps1", handed_in("ann", text="1", graded_at="2026-01-07T00:00:00Z", softmax=1))
        add("ps1", handed_in("ann", text="2", fields=at("2026-01-06T00:00:00Z"),
                             graded_at="2026-01-08T00:00:00Z", softmax=2))  # fmt: skip

        assert marks() == {("ann", "ps1"): 2.0}

    def test_graded_again_counts_as_it_was_graded_last(self, add, handed_in, book, marks):
        """The same text: one attempt, two gradings, and both are kept."""
        for day, score in [(2, 3), (1, 1)]:
            when = f"2026-01-0{day}T00:00:00Z"
            add("ps1", handed_in("ann", graded_at=when, softmax=score))

        assert marks() == {("ann", "ps1"): 3.0}
        assert [one.attempts for one in book.standings()] == [1]
        assert len(book.history("ann").attempts) == 2


class TestTheBest:
    def test_counts_where_that_is_said(self, add, handed_in, marks):
        """For all of the assignment, and from then on."""
        for text, score in [("1", 4), ("2", 2)]:
            add("ps1", handed_in("ann", text=text, softmax=score), counts="best")
        add("ps1", handed_in("ann", text="3", softmax=1))

        assert marks() == {("ann", "ps1"): 4.0}

    def test_is_of_last_gradings(self, add, handed_in, marks):
        """A grading with a check that was wrong is no better attempt."""
        add("ps1", handed_in("ann", softmax=4), counts="best")
        add("ps1", handed_in("ann", graded_at="2026-03-03T00:00:00Z", softmax=3))

        assert marks() == {("ann", "ps1"): 3.0}

    def test_is_not_known_while_one_has_no_verdict(self, add, handed_in, marks):
        """It might be that one."""
        add("ps1", handed_in("ann", text="1", softmax=3), counts="best")
        add("ps1", handed_in("ann", text="2", softmax=None))

        assert marks() == {("ann", "ps1"): None}

    def test_is_no_rule_of_other_assignments(self, add, handed_in, marks):
        """Each has its own."""
        add("ps1", handed_in("ann", softmax=3), counts="best")
        add("ps2", handed_in("ann", text="1", softmax=3))
        add("ps2", handed_in("ann", text="2", softmax=1, graded_at="2026-03-03T00:00:00Z"))

        assert marks()["ann", "ps2"] == 1.0


class TestAMarkByHand:
    @pytest.fixture
    def give(self, book):
        """``give("ann", 3, "softmax")`` for an exercise, without one for all."""
        return lambda who, mark, exercise="": book.set_mark(
            About(who, "ps1", exercise), mark, "as told", "ta"
        )

    def test_counts_beside_the_automatic_one(self, add, handed_in, book, give):
        """Both are there."""
        add("ps1", handed_in("ann", softmax=3))
        give("ann", 3.5)
        (found,) = book.standings()

        assert (found.mark, found.automatic) == (3.5, 3.0)

    def test_is_not_overwritten_by_a_later_attempt(self, add, handed_in, give, marks):
        """Nor by a regrade."""
        add("ps1", handed_in("ann", softmax=3))
        give("ann", 3.5)
        add("ps1", handed_in("ann", text="2", graded_at="2026-03-03T00:00:00Z", softmax=1))

        assert marks() == {("ann", "ps1"): 3.5}

    def test_the_newest_counts(self, add, handed_in, give, marks, book):
        """The earlier one is kept."""
        add("ps1", handed_in("ann", softmax=3))
        give("ann", 3.5)
        give("ann", 2)

        assert marks() == {("ann", "ps1"): 2.0}
        assert [one.mark for one in book.history("ann").entries] == [3.5, 2.0]

    def test_for_an_exercise_moves_the_whole(self, add, handed_in, give, marks):
        """By the difference."""
        add("ps1", handed_in("ann", softmax=3, masks=1))
        give("ann", 4, "masks")

        assert marks() == {("ann", "ps1"): 7.0}

    def test_stands_in_for_a_verdict_that_is_missing(self, add, handed_in, give, marks):
        """Somebody looked at it."""
        add("ps1", handed_in("ann", softmax=None, masks=1))
        give("ann", 2.5, "softmax")

        assert marks() == {("ann", "ps1"): 3.5}

    def test_stands_in_for_no_other_verdict(self, add, handed_in, give, marks):
        """What nobody knows stays unknown."""
        add("ps1", handed_in("ann", softmax=None, masks=1))
        give("ann", 2.5, "masks")

        assert marks() == {("ann", "ps1"): None}

    def test_for_the_whole_stands_above_those_for_exercises(self, add, handed_in, give, marks):
        """In whatever order they were given."""
        add("ps1", handed_in("ann", softmax=3, masks=1))
        give("ann", 5)
        give("ann", 4, "masks")

        assert marks() == {("ann", "ps1"): 5.0}

    def test_does_without_an_attempt(self, add, handed_in, give, marks, book):
        """An oral exam instead."""
        add("ps1", handed_in("ann", softmax=3))
        add("ps2", handed_in("ben", softmax=3))
        give("ben", 4)

        assert marks()["ben", "ps1"] == 4.0


class TestWithdrawn:
    def test_what_was_before_counts_again(self, add, handed_in, book, marks):
        """One entry after another, and a withdrawal too."""
        add("ps1", handed_in("ann", softmax=3))
        found = [marks()["ann", "ps1"]]
        for mark in (1.0, 2.0):
            book.set_mark(About("ann", "ps1"), mark, "as told", "ta")
        for number in ("e2", "e1", "e3"):  # e3 withdrew e2
            book.withdraw(number, "no", "ta")
            found.append(marks()["ann", "ps1"])

        assert found == [3.0, 1.0, 3.0, 2.0]

    def test_an_attempt_no_longer_counts(self, add, handed_in, book, marks):
        """It was another assignment's run; nor is it brought back by being taken in again."""
        first, second = handed_in("ann", text="1", softmax=3), handed_in("ann", text="2", softmax=1)
        add("ps1", first)
        add("ps1", second)
        book.withdraw("a2", "wrong run", "ta")
        add("ps1", second)

        assert marks() == {("ann", "ps1"): 3.0}


class TestATotal:
    def totals(self, book):
        return {t.student.name: (t.points, t.worth, t.percent) for t in book.totals()}

    def test_is_the_sum_and_its_share(self, add, handed_in, book):
        """Over all assignments."""
        add("ps1", handed_in("ann", softmax=3))
        add("ps2", handed_in("ann", softmax=2, masks=4))

        assert self.totals(book) == {"ann": (9.0, 12.0, 75.0)}

    def test_counts_nothing_for_what_was_not_handed_in(self, add, handed_in, book):
        """Whoever hands in nothing would otherwise have the best share."""
        add("ps1", handed_in("ann", softmax=3), handed_in("ben", softmax=4))
        add("ps2", handed_in("ann", softmax=3))

        assert self.totals(book)["ben"] == (4.0, 8.0, 50.0)

    def test_is_empty_without_a_verdict(self, add, handed_in, book):
        """Not a number that is too low."""
        add("ps1", handed_in("ann", softmax=4))
        add("ps2", handed_in("ann", softmax=None))

        assert self.totals(book) == {"ann": (None, 8.0, None)}
