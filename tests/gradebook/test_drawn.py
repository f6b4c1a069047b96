"""Ids drawn by chance."""

from __future__ import annotations

from grader.gradebook import drawn
from grader.gradebook.drawn import ALPHABET, drawn_id


class TestADrawnId:
    def test_is_two_halves_of_three(self):
        """Short enough to be read aloud."""
        first, _, second = drawn_id(()).partition("-")

        assert (len(first), len(second)) == (3, 3)
        assert set(first + second) <= set(ALPHABET)

    def test_cannot_be_misread(self):
        """No sign looks like another one, and no letters make a word."""
        alike = ("0OD", "1IL", "2Z", "5S", "6G", "8B", "UV")

        assert [signs for signs in alike if len(set(signs) & set(ALPHABET)) > 1] == []
        assert not set(ALPHABET) & set("AEIOU")
        assert len(set(ALPHABET)) == len(ALPHABET)

    def test_is_nobody_else_s(self, monkeypatch):
        """What is taken is drawn again."""
        signs = iter("333333" + "444444")
        monkeypatch.setattr(drawn.secrets, "choice", lambda alphabet: next(signs))

        assert drawn_id({"333-333"}) == "444-444"
