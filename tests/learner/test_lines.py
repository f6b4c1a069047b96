"""Hints come function by function: whoever is stuck in one need not read those on another."""

from __future__ import annotations

import pytest

from grader.learner.lines import hint_lines, hints_shown, next_hint
from grader.model import Exercise, Hint

BOTH, FIRST, SECOND, PAGE = (
    Hint("Both.", ("f", "g")),
    Hint("First.", ("f",)),
    Hint("Second.", ("g",)),
    Hint("Page."),
)
TWO = Exercise("two", "Two", "nowhere", ("f", "g", "given"), hints=(BOTH, FIRST, SECOND))


class TestTheNextHint:
    @pytest.mark.parametrize(
        ("shown", "of", "number"),
        [
            ((), "f", 1),
            ((1,), "f", 2),
            ((1, 2), "f", None),
            ((1, 2), "g", 3),
            ((3,), "g", 1),
            ((2,), "", 1),
            ((1, 2), "given", 3),
            ((1, 2, 3), "", None),
        ],
    )
    def test_is_the_first_that_was_not_shown(self, shown, of, number):
        """Of those on the function, or of all where it is not known or has none."""
        assert next_hint(TWO, shown, of) == number

    def test_of_the_whole_page_belongs_to_every_function(self):
        """In its turn."""
        page = Exercise("page", "Page", "nowhere", ("f",), hints=(FIRST, PAGE))

        assert [next_hint(page, shown, "f") for shown in ((), (1,), (1, 2))] == [1, 2, None]


class TestWhatWasShown:
    def test_is_told_apart_by_function(self):
        """What was shown of another is not shown again here."""
        assert hints_shown(TWO, (2, 1), "f") == [2, 1]
        assert hints_shown(TWO, (2, 1), "g") == [1]
        assert hints_shown(TWO, (2, 3), "") == [2, 3]

    def test_may_be_gone(self):
        """A newer course has fewer of them."""
        assert hints_shown(TWO, (1, 9), "f") == [1]


class TestALine:
    def test_counts_the_hints_on_a_function(self):
        """And says whose it is; what belongs to no function is counted by itself."""
        page = Exercise("page", "Page", "nowhere", ("f", "g"), hints=(PAGE, FIRST))
        told = [line.text for e, n in ((TWO, 3), (page, 1)) for line in hint_lines(e, n, 80)]

        assert told == ["→ Hint 2 of 2 (g): Second.", "→ Hint 1 of 1: Page."]
        assert [line.text for line in hint_lines(page, 1, 80, "f")] == ["→ Hint 1 of 2: Page."]
