"""A docstring as Markdown: formulas are typeset where they are plain, and never guessed."""

from __future__ import annotations

import base64

import pytest

from grader.bridges.exercise_cells import exercise_cells
from grader.bridges.prose import markdown
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import stub_text
from grader.pages.formula import tex

COURSE = find_course()
CATALOG = load_catalog(COURSE)


class TestProse:
    @pytest.mark.parametrize(
        ("line", "shown"),
        [
            ("y_i = x_i / sum_j x_j", r"y_{i}=\frac{x_{i}}{\sum _{j}x_{j}}"),
            ("Q K^T / sqrt(d_k)", r"\frac{QK^{T}}{\sqrt{d_{k}}}"),
            (
                "sin(p / 10000^(2i / d_model))",
                r"\sin \left(\frac{p}{10000^{2i/d_{\mathrm{model}}}}\right)",
            ),
            ("softmax(x)_i = x,  m = 2", r"\mathrm{softmax}(x)_{i}=x,\quad m=2"),
            ("x[..., 0]", r"x[\dots ,0]"),
            ("x      = y", "x=y"),
            ("pre-norm:  x + y", r"\text{pre-norm:}\quad x+y"),
            ("y = f(x), without a mask", r"y=f(x),\text{without a}\, \mathrm{mask}"),
            ("k_j . q_{t-1}  x_0 -> y", r"k_{j}\cdot q_{t-1}\quad x_{0}\to y"),
        ],
    )
    def test_a_formula_is_typeset(self, line, shown):
        """Names upright, letters slanted; roots, fractions and powers as on paper."""
        assert tex(line) == shown

    @pytest.mark.parametrize(
        "line", ["all of y = x", "key:  5  6", "a) = (b", "for i in range(T):", "1 == 'a'"]
    )
    def test_what_is_not_plain_stays_as_it_is(self, line):
        """Words, code and brackets that do not pair are shown as they stand."""
        assert tex(line) is None
        assert markdown(f"    {line}") == f"    {line}"

    def test_a_figure_is_its_words(self):
        """Also where these hold a sign of equality."""
        assert markdown("[Figure one: with p = 0.5,\n4 and 0]") == "with p = 0.5, 4 and 0"

    def test_a_figure_is_shown(self):
        """An image that is complete in itself, with its words, where the same was drawn with signs.
        A notebook would take `<svg>` out, and shows no SVG that is attached to a cell.
        """
        drawn = "<svg>1 < 2</svg>"
        data = base64.b64encode(drawn.encode()).decode()
        told = 'Two:\n\n    x --+\n\n    +--\n\n[Figure two: a "b".]\n\n[Figure one: c.]'

        assert markdown(told, {"two": drawn}) == (
            f'Two:\n\n<img src="data:image/svg+xml;base64,{data}" alt="a &quot;b&quot;." '
            'width="448">\n\nc.'
        )

    def test_a_stub_is_not_in_it(self):
        """Prose is made of docstrings alone."""
        stub = stub_text(COURSE.solution("softmax").read_text(encoding="utf-8"), "softmax")

        assert "NotImplementedError" in stub
        assert not any(
            "NotImplementedError" in c.text for c in exercise_cells(COURSE, CATALOG["softmax"])
        )

    def test_examples_are_python(self):
        """They keep their prompts and their line breaks."""
        assert (
            markdown("Twice.\n\n>>> double(2)\n4") == "Twice.\n\n```python\n>>> double(2)\n4\n```"
        )
