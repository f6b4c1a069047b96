"""All that happened to one student's marks."""

from __future__ import annotations

import pytest

from grader.gradebook.book import About
from grader.gradebook.history import COUNTS, WITHDRAWN, events, standing_remarks


@pytest.fixture
def life(add, handed_in, book):
    """``life()``: that of one student who handed in twice, and whose mark was moved twice."""
    fields = {"late": True, "handed_in": "2026-01-01T10:00:00Z"}
    add("ps1", handed_in("ann", "Ann Lee", text="1", softmax=3, masks=1))
    add("ps1", handed_in("ann", "Ann Lee", text="2", fields=fields, softmax=None, masks=1,
                         graded_at="2026-03-03T00:00:00Z"))  # fmt: skip
    book.set_mark(About("ann", "ps1", "softmax"), 2, "by eye", "ta1")
    book.set_mark(About("ann", "ps1"), 4, "oral exam", "ta2")
    book.comment(About("ann", "ps1"), "Good", "ta1")
    return lambda: book.history("ann")


class TestEvents:
    def test_hold_everything(self, life):
        """In the order in which the gradebook learned of it."""
        found = events(life(), with_names=True)

        assert [one.number for one in found] == ["a1", "a2", "e1", "e2", "e3"]
        assert [one.by for one in found] == ["head", "head", "ta1", "ta2", "ta1"]
        assert found[0].what.startswith("attempt: 4/8 (softmax 3/4, masks 1/4); graded 2026-01-02")
        assert found[1].what.startswith("attempt: –/8 (softmax –/4, masks 1/4); late; graded ")
        assert "ann in runs/ps1" in found[1].what
        assert [one.what for one in found[2:]] == [
            "softmax: mark 2: by eye", "mark 4: oral exam", "comment: Good",
        ]  # fmt: skip

    def test_say_what_counts(self, life, book):
        """One mark at a time; an attempt again once what stood above it is withdrawn."""
        first = [one.state for one in events(life(), with_names=True)]
        book.withdraw("e2", "not she", "ta2")
        then = [one.state for one in events(life(), with_names=True)]
        last = events(life(), with_names=True)[-1]

        assert first == ["", "", "", COUNTS, ""]
        assert then == ["", COUNTS, COUNTS, WITHDRAWN, "", ""]
        assert last.what == "withdraws e2: not she"

    def test_without_names_tell_none(self, life):
        """Nor the place of the run, a time of the platform's, or a number given in their order."""
        found = events(life(), with_names=False)
        said = " ".join(f"{one.number} {one.what}" for one in found).casefold()

        assert [one.number for one in found] == ["", "", "e1", "e2", "e3"]
        assert [text for text in ("ann", "runs/", "2026-01-01") if text in said] == []


class TestRemarks:
    def test_say_what_a_mark_rests_on(self, life, book):
        """Who gave it, and what it was; what a person should know beside it."""
        (found,) = book.standings()

        assert list(standing_remarks(found)) == [
            "4 by ta2 (was –)", "late", "latest of 2 attempts", "ta1: Good",
        ]  # fmt: skip

    def test_say_what_is_missing(self, life, add, handed_in, book):
        """A verdict, or all of it."""
        book.withdraw("e2", "no", "ta1")
        book.withdraw("e1", "no", "ta1")
        add("ps2", handed_in("ben", softmax=1))
        book.comment(About("ann", "ps2"), "Ill", "ta1")
        first, second, _, third = book.standings()

        assert "no verdict" in standing_remarks(first)
        assert list(standing_remarks(second)) == ["nothing handed in", "ta1: Ill"]
        assert list(standing_remarks(third)) == []
