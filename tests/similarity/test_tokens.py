"""What of a text is compared."""

from __future__ import annotations

import io
import re
import sys
import time
import tokenize

import pytest

from grader.sandbox.statements import MOST, statements
from grader.similarity.tokens import is_cut, tokens

WITH_TEXT = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)
PLAIN = "def f(x):\n    y = x.exp()\n    return y / y.sum(-1)\n"


def words(text):
    return [token.word for token in tokens(text)]


class TestTheSame:
    @pytest.mark.parametrize(
        "text",
        [
            "def f(x):\n    z = x.exp()  # weights\n\n    return z / z.sum(-1)\n",
            "def other(scores):\n    'Weights.'\n    e = scores.exp()\n    return e / e.sum(-2)\n",
            "import torch\nfrom math import pi\n"
            "def f(x):\n\ty = x.exp(); return y / y.sum(\n\t\t-1,\n\t)\n",
            "def f(x: Float[Tensor, '... d']) -> dict[str, int]:\n"
            "    y: Tensor = x.exp()\n    z: int\n    return y / y.sum(-1)\n",
            "def f(x):\r\n    y = x.exp()\r\n    return y / y.sum(-1)\r\n",
        ],
    )
    def test_are_texts_that_differ_in_what_changes_nothing(self, text):
        """Names, numbers, comments, docstrings, annotations, imports, layout."""
        assert words(text) == words(PLAIN)

    def test_are_own_attributes_under_other_names(self):
        """What a text defines itself, it can rename."""
        one = "class A:\n    def __init__(self): self.w = 1\n    def go(self): return self.w\n"
        other = one.replace("w", "weights").replace("go", "run")

        assert words(one) == words(other)

    @pytest.mark.parametrize("default", ["lambda y: y", "{1: 2}", "(1, 2)", "[a[1:2]]"])
    def test_defaults_stay(self, default):
        """Only what stands between a colon and the value is an annotation."""
        assert words(f"def f(x: T = {default}, *, z: U) -> V: return 1") == words(
            f"def f(x={default}, *, z): return 1"
        )


class TestDifferent:
    @pytest.mark.parametrize(
        "text",
        [
            PLAIN.replace("exp", "log"),
            PLAIN.replace(" / ", " * "),
            PLAIN.replace("x.exp", "len"),
            PLAIN.replace("def f", "class f"),
        ],
    )
    def test_are_texts_that_do_something_else(self, text):
        """Attributes that nobody can rename, operators, builtins, keywords."""
        assert words(text) != words(PLAIN)

    def test_slices_are_no_annotations(self):
        """Nor is a dictionary, or a lambda."""
        assert words("x[a:b] = {c: d}") == [
            "n",
            "[",
            "n",
            ":",
            "n",
            "]",
            "=",
            "{",
            "n",
            ":",
            "n",
            "}",
        ]


def test_tokens_know_their_lines():
    """Also where a statement goes over several."""
    assert [(t.word, t.first) for t in tokens("x = (\n  1 +\n\n  2)\n")] == [
        ("n", 1), ("=", 1), ("(", 1), ("0", 2), ("+", 2), ("0", 4), (")", 4),
    ]  # fmt: skip


@pytest.mark.parametrize("folder", ["solutions", "tests/variants", "grader/similarity"])
def test_the_scanner_agrees_with_pythons_own(course, folder):
    """On every token and its line, for all programs that are right."""
    for path in sorted((course.root / folder).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if sys.version_info >= (3, 12) and re.search(r"\bf[\"']", text):
            continue  # Python's own takes f-strings to pieces since
        ours = [(raw.text, raw.first, raw.last) for one in statements(text) for raw in one]
        read = tokenize.generate_tokens(io.StringIO(text).readline)
        theirs = [(t.string, t.start[0], t.end[0]) for t in read if t.type in WITH_TEXT]

        assert ours == [one for one in theirs if one[0] != ";"]


class TestNoPython:
    @pytest.mark.parametrize(
        "broken",
        [
            "x = = (",
            '"""',
            "    x\n  y",
            "print 'a",
            "\0",
            "$ ? !",
            "f'{",
            "(" * 300,
            "\\",
            "é ٣",
            "0x",
        ],
    )
    def test_has_tokens_before_and_after_what_is_broken(self, broken):
        """A syntax error hides nothing."""
        found = words(f"{PLAIN}\n{broken}\n\n{PLAIN}")
        whole = words(PLAIN)

        assert found[: len(whole)] == whole
        assert [word for word in found if word == "def"] or broken == '"""'

    @pytest.mark.parametrize("text", ["", "\n", "   ", "\ufeff", "#", '"""a"""', "...", "\r"])
    def test_nothing_has_none(self, text):
        """Or hardly any."""
        assert len(words(text)) <= 1

    @pytest.mark.parametrize(
        "piece",
        ["x+", "(", "'''\n", "\"\"\"\n'''\n", "x = 'a\n", " x\n", "\n", "f'{", "\\\n", "a\r"],
    )
    def test_a_mebibyte_takes_no_longer_than_a_blink(self, piece):
        """Whatever it is made of, only its beginning is compared: seconds of CPU, not minutes."""
        began = time.process_time()
        found = tokens(piece * (2**20 // len(piece)))

        assert len(found) <= MOST
        assert time.process_time() - began < 5

    def test_a_long_text_is_cut_and_that_can_be_asked(self):
        """So that it is told."""
        assert is_cut(tokens("x = 1\n" * MOST))
        assert not is_cut(tokens(PLAIN))
