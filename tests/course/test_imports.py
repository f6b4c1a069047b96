"""Which modules of a submission one of them imports."""

from __future__ import annotations

import pytest

from grader.course.imports import ALL, names_behind, own_modules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a", {"a"}),
        ("import a, b as x", {"a", "b"}),
        ("from a import f\nfrom c import g", {"a", "c"}),
        ("def f():\n    from b import g", {"b"}),
        ("from a.b import f", set()),
        ("# import a", set()),
        ("from d import x", {"d", "a"}),
        ("from m import x", set()),
        ("important = 1\nfromage = 2", set()),
    ],
)
def test_which_modules_are_assembled(text, expected):
    """Those imported, whatever the way, and those imported by them; never itself."""
    files = {"m": text, "a": "", "b": "", "c": "", "d": "from a import f"}

    assert own_modules(files, "m") == expected


PAGE = '''
from a import f, g as \\
    h
from b import (
    One,
    Two,
)
import c

SIZE = c.size


def uses_f(x):
    """Not One."""
    return f(x)  # nor Two


class Uses(One):
    def forward(self, x):
        return uses_f(x)


@cached
def late():
    from d import x

    return x


def of_the_page(): return SIZE
def nothing(): return 1
short = lambda x: h(x)
'''


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["uses_f"], {"a"}),
        (["Uses"], {"a", "b"}),
        (["late"], {"d", "a"}),
        (["of_the_page"], {"c"}),
        (["nothing"], set()),
        (["short"], {"a"}),
        (["nothing", "uses_f"], {"a"}),
        (["nothing", "elsewhere"], {"a", "b", "c", "d"}),
        ([], {"a", "b", "c", "d"}),
    ],
)
def test_which_modules_a_function_uses(asked, expected):
    """Itself or through others of the page; all where it is not defined as usual."""
    files = {"m": PAGE, "a": "", "b": "", "c": "", "d": "from a import f"}

    assert names_behind(files, "m", asked).keys() == expected


NORM = """
import torch

def mean(x):
    return x.mean(-1)

def norm(x):
    return x - mean(x)

def backward(g):
    return g

class Norm:
    def forward(self, x):
        return norm(x)
"""


def test_which_names_of_a_module_are_used():
    """What those are made from as well, through other modules too; and not what stands beside."""
    files = {"m": "from layer import Layer\n\ndef model(x):\n    return Layer(x)\n", "norm": NORM}
    files["layer"] = "from norm import Norm, backward\n\nclass Layer(Norm):\n    x = 1\n"

    found = names_behind(files, "m", ["model"])

    assert found == {"layer": {"Layer", "Norm"}, "norm": {"Norm", "norm", "mean"}}


@pytest.mark.parametrize("line", ["import norm", "from norm import *", "from norm import f as g"])
def test_what_is_not_taken_by_its_own_name_is_taken_whole(line):
    """Then it may be anything."""
    files = {"m": f"{line}\n\ndef model(x):\n    return norm.f(g(x))\n", "norm": NORM}

    assert set(names_behind(files, "m", ["model"]).get("norm", {ALL})) == {ALL}


def test_a_module_that_was_not_handed_in_uses_nothing():
    """Nor does what it would be asked for."""
    assert names_behind({"norm": NORM}, "m", ["model"]) == {}
