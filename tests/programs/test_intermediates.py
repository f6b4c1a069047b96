"""What a function computes on its way, and pages that return it."""

from __future__ import annotations

import pytest

from grader.programs.intermediates import intermediates
from grader.programs.mends.made import Stretch

PAGE = """\
import math


def attention(q, k, mask=None):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -1.0)
    return scores.softmax(-1), scores
"""
METHOD = """\
class Layer:
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        x[0] = 1.0
        x += self.bias; return x
"""


@pytest.fixture
def way():
    return intermediates(PAGE, Stretch(4, 8))


def words(way):
    return [one.words for one in way]


def ask(text, *args):
    names = {}
    exec(text, names)
    return names["attention"](*args)


class TestTheWay:
    def test_is_in_the_order_of_python(self, way):
        product = ["q", "k", "k.mT", "q @ k.mT"]
        root = ["q", "q.shape", "q.shape[-1]", "math.sqrt(q.shape[-1])"]

        assert words(way)[:10] == [
            *product, *root, "q @ k.mT / math.sqrt(q.shape[-1])", "scores",
        ]  # fmt: skip

    def test_says_what_each_is_made_from(self, way):
        quotient = words(way).index("q @ k.mT / math.sqrt(q.shape[-1])")

        assert [way[n].words for n in way[quotient].made_from] == [
            "q @ k.mT",
            "math.sqrt(q.shape[-1])",
        ]

    def test_of_a_name_says_all_that_may_have_set_it(self, way):
        read = [one for one in way if one.is_read and one.words == "scores"][-1]

        assert [way[n].line for n in read.made_from] == [5, 7]

    def test_ends_with_what_is_returned(self, way):
        assert [one.words for one in way if one.is_returned] == ["scores.softmax(-1)", "scores"]

    def test_names_what_is_long_by_both_ends(self):
        text = f"def f(x):\n    return x{'.abs()' * 30}.sqrt()\n"
        long = intermediates(text, Stretch(1, 2))[-1].words

        assert len(long) < 80 and long.startswith("x.abs()") and long.endswith(".sqrt()")

    def test_of_what_is_set_in_part_begins_with_what_was_there(self):
        way = intermediates(METHOD, Stretch(2, 6))
        changed = next(one for one in way if one.line == 5 and not one.is_read)

        assert [way[n].line for n in changed.made_from if way[n].is_read] == [5]

    def test_takes_in_what_a_method_may_have_changed(self):
        text = "def f(x):\n    rows = []\n    rows.append(x + 1)\n    return torch.stack(rows)\n"
        way = intermediates(text, Stretch(1, 4))
        read = [one for one in way if one.is_read and one.words == "rows"][-1]

        assert [way[n].line for n in read.made_from] == [2, 3]
        assert "x + 1" in [
            way[n].words for n in way[read.made_from[1]].made_from[0:1] for n in way[n].made_from
        ]

    def test_knows_what_stands_in_a_loop(self):
        way = intermediates(METHOD, Stretch(2, 6))

        assert {one.line for one in way if one.in_loop} == {4}


class TestAPage:
    def test_returns_the_value_twice(self, way):
        import torch

        q, k = torch.ones(2, 4), torch.ones(3, 4)
        product = next(one for one in way if one.words == "q @ k.mT")
        scores = [one for one in way if one.words == "scores" and not one.is_read]
        first, second = ask(product.text, q, k)

        assert first is second and first.equal(torch.full((2, 3), 4.0))
        assert ask(scores[0].text, q, k)[0].equal(torch.full((2, 3), 2.0))

    def test_goes_its_way_where_that_is_not_come_to(self, way):
        import torch

        masked = [one for one in way if one.line == 7][-1]
        result = ask(masked.text, torch.ones(2, 4), torch.ones(3, 4))

        assert isinstance(result, tuple)

    def test_is_none_where_the_statement_shares_its_line(self):
        way = intermediates(METHOD, Stretch(2, 6))

        assert [one.text for one in way if one.is_returned] == [""]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return (x\n",
        f"def f(x):\n    return {'(' * 40}x{')' * 40}\n",
        "def f(x):\n" + "    x = x + 1\n" * 300,
    ],
)
def test_what_is_not_parsed_has_none(text):
    assert intermediates(text, Stretch(1, text.count("\n"))) == []


def test_what_has_names_of_its_own_is_passed_over():
    text = "def f(x):\n    return torch.cat([y + 1 for y in x])\n"

    assert words(intermediates(text, Stretch(1, 2))) == ["torch.cat([y + 1 for y in x])"]


def test_a_branch_is_come_to_only_if_its_test_says_so():
    """The other one is no value on the way."""
    page = "def attention(x, flip):\n    return x + 1 if flip else x - 1 if x else x - 2\n"
    way = {one.words: one.text for one in intermediates(page, Stretch(1, 2))}

    assert ask(way["x + 1"], 5, True) == [6, 6] and ask(way["x + 1"], 5, False) == 4
    assert ask(way["x - 1"], 5, True) == 6 and ask(way["x - 1"], 5, False) == [4, 4]
    assert ask(way["x - 2"], 5, False) == 4 and ask(way["x - 2"], 0, False) == [-2, -2]
