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
        assert not set(ALPHABET) & set("01ILOAEU")
        assert len(set(ALPHABET)) == len(ALPHABET) == 28

    def test_is_nobody_else_s(self, monkeypatch):
        """What is taken is drawn again."""
        signs = iter("222222" + "333333")
        monkeypatch.setattr(drawn.secrets, "choice", lambda alphabet: next(signs))

        assert drawn_id({"222-222"}) == "333-333"
