"""Whether a function may end without a return, told without parsing it."""

from __future__ import annotations

import pytest

from grader.examiner.functions_in import functions_in


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
