"""Whether a function may end without a return, told without parsing it."""

from __future__ import annotations

import pytest

from grader.examiner.functions_in import calls_in, functions_in


def falls_through(body):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    (own,) = functions_in(f"def f(x):\n{lines}\n")
    return own.falls_through


@pytest.mark.parametrize(
    "body",
    [
        "x = 1",
        "if x: return 1",
        "if x:\n    return 1",
        "if x:\n    return 1\nelif x:\n    return 2",
        "if x:\n    y = 1\nelse:\n    return 2",
        "if x:\n    return 1\nelif x:\n    y = 1\nelse:\n    return 2",
        "for y in x:\n    return y",
        "with x:\n    y = 1",
    ],
)
def test_ends_without_return(body):
    assert falls_through(body)


@pytest.mark.parametrize(
    "body",
    [
        "return 1",
        "raise ValueError",
        "return (\n    x,\n    1,\n)",
        "if x:\n    return 1\nelse:\n    return 2",
        "if x:\n    return 1\nelif x:\n    raise KeyError\nelse: return 2",
        "with x:\n    return 1",
        "while True:\n    y = 1",
        "try:\n    return 1\nexcept KeyError:\n    return 2",
    ],
)
def test_returns_or_nobody_knows(body):
    assert not falls_through(body)


@pytest.mark.parametrize(
    ("body", "is_stub"),
    [
        ("raise NotImplementedError", True),
        ('"""Says\n    much."""\n# TODO\nraise NotImplementedError("x")', True),
        ("if x:\n    return 1\nraise NotImplementedError", False),
        ("return 1", False),
    ],
)
def test_begins_with_what_is_not_written(body, is_stub):
    lines = body.replace("\n", "\n    ")
    (own,) = functions_in(f"def f(x):\n    {lines}\n")

    assert own.begins_with("NotImplementedError") is is_stub


class TestCalls:
    def test_are_told_through_one_another(self):
        """Of a class, those of its methods."""
        found = calls_in("""
def one(x): return x

def two(x):
    'one'
    return one(x)  # three

class Three:
    def forward(self, x):
        return two(x)

    def other(self, one): pass
""")

        assert found == {
            "one": frozenset(),
            "two": {"one"},
            "Three": {"one", "two"},
        }

    def test_go_round_in_a_circle(self):
        """Nobody calls himself."""
        found = calls_in("def one():\n two()\ndef two():\n one()\n")

        assert found == {"one": {"two"}, "two": {"one"}}

    def test_of_what_is_no_python_are_told_as_far_as_may_be(self):
        """A hostile text is not parsed."""
        assert calls_in("def one(:\n  two(\ndef two(") == {"one": frozenset(), "two": frozenset()}
