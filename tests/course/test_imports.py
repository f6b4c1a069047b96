"""Which modules of a submission one of them imports."""

from __future__ import annotations

import pytest

from grader.course.imports import modules_behind, own_modules


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

    assert modules_behind(files, "m", asked) == expected
