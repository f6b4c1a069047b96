"""Plain formulas become MathML; what is no formula stays as it is."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from grader.pages.formula import mathml


def plain(text):
    """A formula's MathML in few signs, to be read in a test."""
    return _read(ET.fromstring(mathml(text)))


def _read(node):
    inside = [_read(child) for child in node]
    match node.tag:
        case "mfrac":
            return "{} over {}".format(*(f"[{part}]" for part in inside))
        case "msub":
            return "_".join(inside)
        case "msup":
            return f"{inside[0]}^[{inside[1]}]"
        case "msqrt":
            return f"root[{''.join(inside)}]"
        case "mspace":
            return " "
    return (node.text or "").strip() + "".join(inside)


class TestFormulas:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("exp(x_i) / sum_j exp(x_j)", "[exp(x_i)] over [∑_j exp(x_j)]"),
            ("softmax(Q K^T / sqrt(d_k)) V", "softmax([QK^[T]] over [root[d_k]]) V"),
            ("a * b / c", "[a·b] over [c]"),
            ("(x - m) / (1 - p) * w", "[x−m] over [1−p]·w"),
            ("a / b * c", "[a] over [b]·c"),
            ("1 + x / 2", "1+[x] over [2]"),
            ("-x / 2 - y", "−[x] over [2]−y"),
        ],
    )
    def test_have_fractions(self, text, shown):
        """Above the line stands the product before it, below it the one factor behind it."""
        assert plain(text) == shown

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("10000^(2i / d_model)", "10000^[2i/d_model]"),
            ("W_q,h^T", "W_q,h^[T]"),
            ("softmax(x)_i", "softmax(x)_i"),
            ("sqrt(mean(x^2) + eps)", "root[mean(x^[2])+eps]"),
            ("x[..., h * d + c]", "x[…,h·d+c]"),
            ("feed_forward(x)", "feed_forward(x)"),
            ("x W_query", "xW_query"),
            ("hidden W^T + b", "hidden W^[T]+b"),
            ("a @ b", "a b"),
            ("x_t K_0 + ... + x_{t-k+1} K_{k-1}", "x_tK_0+…+x_t−k+1K_k−1"),
            ("key_j . query", "key_j· query"),
            ("w[0 .. T-1]", "w[0…T−1]"),
            ("x0 -> y_2", "x0→y_2"),
        ],
    )
    def test_have_indices_powers_and_roots(self, text, shown):
        """A fraction in a power stays on its line; words keep their distance."""
        assert plain(text) == shown

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("x = f(x), once for every block", "x=f(x),once for every block"),
            ("y = mean of (b, t) + 1", "y=mean of (b,t)+1"),
            (
                "w = a / sum of b_k over the k with m_k = 1",
                "w=[a] over [∑ of b_k over the k with m_k=1]",
            ),
        ],
    )
    def test_have_words_behind_a_sign_of_equality(self, text, shown):
        """A sum that is told in words goes on to the end."""
        assert plain(text) == shown

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "a for all b",
            "f(x",
            "a)",
            "x = 'a'",
            "a ! b",
            "multiply-adds",
            "the b = c",
            "x_{t",
            "a / sum of (b / sum of c)",
            "a |",
            "/ b",
        ],
    )
    def test_are_left_alone_where_they_are_none(self, text):
        """Words, brackets that do not pair, and signs that are not known."""
        assert mathml(text) is None
