"""Untrusted text is one line, shown as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.plain import cell, one_line

anything = st.text(st.characters(exclude_categories=()), max_size=40)


class TestOneLine:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a\nb\r\nc\rd\u2028e", "a⏎b⏎c⏎d⏎e"),
            ("\x1b[2Ja\tb\0", "�[2Ja�b�"),
            ("\u202eabc", "�abc"),
            ("[bold]x[/bold]", "[bold]x[/bold]"),
            ("Zoë می\u200cخواهم", "Zoë می\u200cخواهم"),
        ],
    )
    def test_marks_what_is_not_to_be_seen(self, text, shown):
        """A line end could forge a line of the grader's own."""
        assert one_line(text) == shown

    @given(anything)
    def test_is_one_line_whatever_it_was(self, text):
        """Also for programs that know more line ends than Python."""
        assert len(one_line(text).splitlines()) <= 1
        assert "\x1b" not in one_line(text)


class TestCells:
    @pytest.mark.parametrize("sign", "=+-@＝＋－＠")
    @pytest.mark.parametrize("before", ["", " ", "\t", "\r\n", "\u00a0 ", "\u200b"])
    def test_are_never_calculated(self, sign, before):
        """Whatever a spreadsheet may pass over before the sign."""
        assert cell(f"{before}{sign}1").startswith("'")

    @pytest.mark.parametrize("text", ["", "Ann", "a=1", "3-4"])
    def test_are_left_alone_otherwise(self, text):
        """A sign in the middle is none."""
        assert cell(text) == text
