"""What both sides agree on."""

from __future__ import annotations

import pytest

from grader.sandbox.protocol import printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ntext", "plain\ntext"),
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
