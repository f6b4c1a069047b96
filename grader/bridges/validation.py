"""What ``nbgrader validate`` can know of a notebook: what its student could see in it as well."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

from grader.bridges import words
from grader.bridges.examples import wrong
from grader.course.markers import REPLACE


def validate(*names: str) -> None:
    """Say on stderr, which fails a cell, which of ``names`` are not written yet, or do not give
    what the examples that were run in this notebook show.
    """
    there = vars(sys.modules["__main__"])
    for name in names:
        for line in wrong.get(name) or _missing(name, there):
            print(line, file=sys.stderr)


def _missing(name: str, there: dict[str, Any]) -> list[str]:
    if name not in there:
        return [words.NOT_DEFINED.format(name=name)]
    texts = (text for code in _code(there[name]) for text in _texts(code))
    if any(REPLACE in text for text in texts):
        return [words.NOT_WRITTEN.format(name=name)]
    return []


def _code(value: Any) -> Iterator[CodeType]:
    """Of a function, or of the methods of a class."""
    inner = vars(value).values() if inspect.isclass(value) else [value]
    for one in inner:
        function = inspect.unwrap(getattr(one, "__func__", one))
        if inspect.isfunction(function):
            yield function.__code__


def _texts(code: CodeType) -> set[str]:
    """All texts within, in functions within it as well."""
    within = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    own = {constant for constant in code.co_consts if isinstance(constant, str)}
    return own.union(*map(_texts, within))
