"""How far a function is from what was given: statements are counted, and nothing is run."""

from __future__ import annotations

import pytest

from grader.programs.client import Client
from grader.programs.given import MOST_STATEMENTS, statements_apart, statements_changed, text_in
from grader.programs.page import TEXT
from grader.programs.proxy import Implementation

GIVEN = '''\
import torch


def f(x, dim=-1):
    """Softmax."""
    e = x.exp()
    total = e.sum(
        dim,
        keepdim=True,
    )
    return e / total


def g(x):
    return x
'''


def of(text):
    """A program of this text, which is never run."""
    client = Client(lambda request: {}, "page", ["f", "g"])
    client.text_of = lambda name: text
    return Implementation(client)


def changed(text, name="f"):
    return statements_changed(of(text), of(GIVEN), name)


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("", "", 0),
        ("x.exp()", "x.exp() * 2", 1),
        ("dim,\n        keepdim=True,\n    ", "dim, keepdim=False", 1),
        ("    return e / total\n", "    e = e + 1\n    return e * total\n", 2),
        ("    e = x.exp()\n", "", 1),
        ("    e = x.exp()\n", "    e = x.exp(); y = 1\n", 1),
        ("def g(x):\n    return x\n", "def g(x):\n    return 2 * x\n", 0),
    ],
)
def test_counts_statements_of_this_function_alone(old, new, count):
    """One that is changed, added or gone is one; a line break within brackets is none."""
    assert changed(GIVEN.replace(old, new, 1) if old else GIVEN) == count


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    e = x.exp()\n", "    # a look\n    assert x.isfinite().all()\n\n    e  =  x.exp()\n"),
        ("    return", "    print(e.shape)\n    return"),
        ("def f(x, dim=-1):", "def f(x: Tensor, dim: int = -1) -> Tensor:"),
        ('"""Softmax."""', '"""Softmax, by\n\n    me.\n    """'),
        ("dim,\n        keepdim=True,\n    ", "dim, keepdim=True"),
        ("    return", "    pass\n    return"),
    ],
)
def test_what_changes_nothing_counts_nothing(old, new):
    """Comments, blanks, docstrings, annotations, looks at values."""
    text = GIVEN.replace(old, new, 1)
    last_comma = "keepdim=True" in new  # one comma is gone

    assert text != GIVEN
    assert changed(text) == (1 if last_comma else 0)


def test_a_function_that_is_not_there_has_no_number():
    """Nor one that is imported, or given another name by an assignment."""
    assert (
        changed("f = torch.softmax\n\n\ndef g(x):\n    return x\n\n\ndef h(x):\n    pass\n") is None
    )
    assert changed("") is None


def test_the_last_of_two_counts():
    """As in Python."""
    assert changed(GIVEN + "\n\ndef f(x, dim=-1):\n    return x\n") == 3


def test_a_hostile_text_is_bounded():
    """Ever so many statements, brackets or quotes cost no more than some."""
    many = "def f(x):\n" + "    x = x + 1\n" * 30_000

    assert changed(many) <= MOST_STATEMENTS
    assert changed("def f(x):\n" + "    x = " + "(" * 50_000) is not None


def test_whole_texts_are_compared_alike():
    """For a patient of the clinic."""
    assert statements_apart(GIVEN, GIVEN) == 0
    assert statements_apart(GIVEN, GIVEN.replace("x.exp()", "x.exp2()")) == 1


class TestTheTextOfAProgramOfOurs:
    def test_is_that_of_its_file(self):
        """Also where something is wrapped around the function."""
        assert "def of(text)" in text_in({"f": of}, "f")

    def test_is_that_it_was_made_of(self):
        """A page with a slip is in no file."""
        names: dict = {TEXT: "def f(x):\n    return x\n"}
        exec(compile(names[TEXT], "<page>", "exec"), names)

        assert text_in(names, "f") == names[TEXT]
