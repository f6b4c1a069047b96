"""Which modules of a submission one of them imports."""

from __future__ import annotations

import pytest

from grader.course.imports import own_modules


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
