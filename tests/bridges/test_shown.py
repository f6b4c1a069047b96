"""Lines in a notebook: HTML that wraps, with plain text beside it, and no markup of others."""

from __future__ import annotations

import re
import sys

from grader.bridges.shown import bundle, html, show_lines

REPORT = [
    "softmax  3 / 20",
    "  Core: 1 of 2 right, 3 of 5 points",
    "  ✓ It sums to one.",
    "  ✗ It is `exp(x)` over the sum.",
    "      It differs.",
    "      expected  1   2",
    "      got       1   3",
    "      → Divide.",
    "  Robust: 0 of 1 right, 0 of 15 points",
    "  ✗ It is fast.",
]


def styles(lines):
    """Of every line, in order."""
    return re.findall(r'<div style="(margin[^"]*)"', html(lines))


class TestTheHtml:
    def test_goes_as_far_in_as_the_lines(self):
        """Half an em for a blank, and what is broken goes on under its own beginning."""
        lefts = [re.match(r"margin-left: ([\d.]+)em", style)[1] for style in styles(REPORT)]

        assert lefts == ["0", "1", "1", "1", "3", "3", "3", "3", "1", "1"]
        assert all(
            "text-indent: -1.4em; white-space: pre-wrap" in style for style in styles(REPORT)
        )

    def test_has_headings(self):
        """The score, and those of the two parts; nothing else is bold as a whole."""
        bold = [line for line, style in zip(REPORT, styles(REPORT), strict=True) if "bold" in style]

        assert bold == [REPORT[0], REPORT[1], REPORT[8]]

    def test_keeps_columns_of_values(self):
        """In a font whose characters are all of one width."""
        values = [n for n, style in enumerate(styles(REPORT)) if "monospace" in style]

        assert values == [5, 6]
        assert "expected  1   2" in html(REPORT)

    def test_shows_code_as_code(self):
        """What stands between backticks, but not in values, where a backtick is one."""
        assert "It is <code>exp(x)</code> over the sum." in html(REPORT)
        assert "<code>" not in html(["got       `1`"])

    def test_escapes_everything(self):
        """A submission may have raised it, printed it, or named a function so."""
        rude = "<script>alert(1)</script>"
        shown = html([rude, f"  ✗ {rude}", f"    got       {rude}", f"    | {rude}", f"`{rude}`"])

        assert shown.count("&lt;script&gt;") == 5
        assert "<script" not in shown

    def test_has_plain_text_beside_it(self):
        """The lines as they are printed elsewhere."""
        assert bundle(["a", "  b"])["text/plain"] == "a\n  b"


class TestWithoutANotebook:
    def test_lines_are_printed(self, capsys, monkeypatch):
        """In a script, and where IPython is not installed."""
        monkeypatch.setitem(sys.modules, "IPython.display", None)
        show_lines(["a", "  b"])

        assert capsys.readouterr().out == "a\n  b\n"
