"""A docstring is taken apart, and no line of it is lost."""

from __future__ import annotations

import pytest

from grader.pages.prose import Block, blocks, sections


class TestBlocks:
    @pytest.mark.parametrize(
        ("text", "block"),
        [
            ("One\ntwo.", Block("paragraph", ("One two.",))),
            (">>> f(1)\n2", Block("example", (">>> f(1)", "2"))),
            ("    a\n      b", Block("literal", ("a", "  b"))),
            ("- one\n  more\n- two", Block("list", ("", "one more", "two"))),
            ("1. one\n2. two", Block("list", ("", "one", "two"))),
            ("Args:\n    mask: a\n        b\n    scale: c",
             Block("list", ("Args:", "mask: a b", "scale: c"))),
            ("[Figure a: b\nc.]", Block("figure", ("a", "b c."))),
        ],
    )  # fmt: skip
    def test_are_told_by_how_they_begin(self, text, block):
        """Paragraphs, examples, drawings and formulas, lists, fields, figures."""
        assert blocks(text) == [block]

    def test_indented_ones_in_a_row_are_one(self):
        """With the empty line between them."""
        assert blocks("    a\n\n    b") == [Block("literal", ("a", "", "b"))]

    def test_a_figure_takes_the_place_of_what_is_drawn_with_signs(self):
        """Only of what stands right before it."""
        kinds = [block.kind for block in blocks("    f(x)\n\nText.\n\n    --> x\n\n[Figure a: b.]")]

        assert kinds == ["literal", "paragraph", "figure"]


class TestSections:
    def test_are_told_by_their_headings(self):
        """What stands above the first one has none."""
        found = sections("A toy.\n\nIdea\n----\n\nTwice.\n\nFormula\n-------\n\n    2 x\n")

        assert [section.title for section in found] == ["", "Idea", "Formula"]
        assert found[2].blocks == (Block("literal", ("2 x",)),)
