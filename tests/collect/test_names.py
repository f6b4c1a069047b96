"""Names stay as they are, as far as file systems and terminals can take them."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.collect.names import clean_name, shown


class TestCleanNames:
    @pytest.mark.parametrize(
        "name",
        ["Ann Lee", "Zoë", "ann@uni.edu", "O'Brien", "d’Arc", "नेहा",
         "می\u200cخواهم", "Lee (2)", "a;b", "=1+1", "[bold]"],
    )  # fmt: skip
    def test_keep_what_belongs_to_a_name(self, name):
        """Combining marks, apostrophes and joiners are part of how people spell themselves."""
        assert clean_name(name) == name

    def test_are_composed(self):
        """macOS takes letters and accents apart; a roster does not."""
        apart = unicodedata.normalize("NFD", "café")

        assert len(apart) == 5
        assert clean_name(apart) == "café"

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("a|b", "a_b"),
            ("a\\b", "a_b"),
            ("line\nbreak", "line_break"),
            ("\x1b[2J", "_[2J"),
            ("<b>", "_b_"),
            ("\u202etxt.exe", "_txt.exe"),
            ("\udcff", "_"),
            ("no\u00a0break", "no break"),
            (".hidden", "_hidden"),
            ("..", "_."),
            (" ", "_"),
        ],
    )
    def test_lose_what_could_do_harm(self, name, expected):
        """What moves a cursor, turns a line round, or leads to another place is replaced."""
        assert clean_name(name) == expected

    @given(st.text(st.characters(exclude_categories=()), max_size=40))
    def test_are_safe_whatever_they_were(self, name):
        """One line, no path, never empty, and cleaning twice changes nothing."""
        clean = clean_name(name)

        assert clean
        assert len(clean.splitlines()) == 1
        assert not set(clean) & set("/\0\x1b\\")
        assert clean.encode()
        assert clean_name(clean) == clean


def test_a_path_can_always_be_written(tmp_path):
    """Linux takes bytes that are no text for a name; they are spelled out."""
    path = shown(tmp_path / "b\udcffc")

    assert path == f"{tmp_path}/b\\xffc"
    assert json.dumps(path).encode()
