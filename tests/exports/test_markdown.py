"""The page in Markdown: what a student may see, and nothing that a submission makes of it."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from grader.exports.markdown import markdown, with_code
from grader.model import Outcome
from grader.report.words import said

HOSTILE = [
    "<script>alert(1)</script>", "![x](http://evil/p.png)", "[x](javascript:alert(1))",
    "**bold** _it_ ~~no~~", "# head", "- item", "1. item", "1) item", "> quote", "```\ncode",
    "a | b\n--|--", "http://evil/", "&lt;b&gt;", "<http://evil>", "`<b>`", "`a", "\\", "*", "---",
    "===", "[a]: http://evil", "` `", "``", "\t code", "    code", "a\\\nb", "\u2028# x",
]  # fmt: skip


def html(text):
    """As a strict reader of CommonMark shows it, HTML and tables allowed."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(text)


def tags(text):
    """Its tags but for code, which what stands between backticks may be."""
    return [tag for tag in re.findall(r"<[^>]*>", html(text)) if tag not in ("<code>", "</code>")]


def page(report, verdict, text):
    wrong = verdict(Outcome.FAILED, cause=said(text, text, text, text), sentence=text)
    advice = verdict(advice=said(text))
    return markdown(report("ann", student=text, softmax=[wrong, advice]))


class TestThePage:
    def test_says_points_and_what_to_do(self, report, verdict):
        """By exercise and check."""
        shown = html(markdown(report(softmax=[verdict(), verdict(Outcome.FAILED, 2.0)])))

        assert "<h1>Feedback for ann</h1>" in shown
        assert "<strong>1 of 3 points</strong>" in shown
        assert "<h2>softmax: 1 of 3 points</h2>" in shown
        assert "<li>✓ It is. (1/1)</li>" in shown
        assert re.sub(r"<br />\n", "|", shown).count(
            "✗ It is. (0/2)|It differs.|expected: 1 2|got: 1 3|→ Look there."
        )

    def test_has_no_number_without_a_verdict(self, report, verdict):
        """And says whose fault it is not."""
        checks = [verdict(), verdict(Outcome.INTERNAL)]
        shown = html(markdown(report(softmax=checks, masks=[verdict()])))

        assert "<strong>– of 3 points</strong>" in shown
        assert "<h2>softmax: – of 2 points</h2>" in shown
        assert "<h2>masks: 1 of 1 points</h2>" in shown
        assert "(–/1)" in shown
        assert "not your fault" in shown


class TestUntrustedText:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_stays_text(self, report, verdict, text):
        """Wherever it comes in, the page has the same tags as with harmless words."""
        assert tags(page(report, verdict, text)) == tags(page(report, verdict, "harmless"))

    @pytest.mark.parametrize("text", ["**bold**", "<b>", "1. item", "# head", "&lt;"])
    def test_is_shown_letter_by_letter(self, report, verdict, text):
        """Nothing is lost by making it harmless."""
        shown = html(page(report, verdict, text))

        assert text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in shown

    def test_may_hold_code(self):
        """What stands between backticks."""
        assert html(with_code("use `x * y` twice")) == "<p>use <code>x * y</code> twice</p>\n"
