"""What both sides agree on."""

from __future__ import annotations

import pytest

from grader.sandbox.protocol import printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("two\nlines", "two⏎lines"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\rg", "a�b�c�d�e�f�g"),
        ("\u2066a\u2069\u200bb\ufeff\u00ad", "�a��b��"),
        ("\u3164\u115f\u2800\u034f", "����"),
        ("\x1b[31mred\x07", "�[31mred�"),
        ("\ud800", "�"),
        ("\u202eright to left", "�right to left"),
        ("x" * 30, "x" * 19 + "…"),
    ],
)
def test_untrusted_text_is_safe_to_show(text, expected):
    """No control characters reach a terminal or a report, and no endless lines."""
    actual = printable(text, 20)

    assert expected == actual


def test_what_was_printed_keeps_its_lines():
    """Output is shown below one another; nothing else of a worker's is."""
    assert printable("one\ntwo\u2028", 20, lines=True) == "one\ntwo�"
