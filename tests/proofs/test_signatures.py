"""Where a page repeats how its parts, of other pages, are made and called, it is so."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from grader.course.course import find_course
from grader.programs.page import load_by_path

COURSE = find_course()
PAGES = ["encoder", "decoder", "transformer", "gpt", "kv_cache"]  # wired from many parts
BASES = {"GPT"}  # inherited from, and neither made nor called
MADE = re.compile(r"^    (\w+)\((.*)\)\n(?:        \((.*)\)\n)?", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_what_is_repeated_is_so(page):
    """As far as it is told, for three dots stand for the rest; and no part is left out."""
    tree = ast.parse((COURSE.solutions / f"{page}.py").read_text(encoding="utf-8"))
    told = {name: (made, called) for name, made, called in MADE.findall(ast.get_docstring(tree))}
    parts = {
        alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (COURSE.solutions / f"{node.module}.py").exists()
        for alias in node.names
    }

    assert told.keys() == parts.keys() - BASES
    for name, (made, called) in told.items():
        part = vars(load_by_path(COURSE.solutions / f"{parts[name]}.py"))[name]
        assert _is(made, inspect.signature(part)), name
        if isinstance(part, type):
            assert _is(f"self, {called}", inspect.signature(part.forward)), name


def _is(told: str, signature: inspect.Signature) -> bool:
    bare = [
        one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()
    ]
    shown = str(inspect.Signature(bare))[1:-1].replace("'", '"')
    return shown.startswith(told[:-3]) if told.endswith(", ...") else shown == told
