"""A learner's functions beside the solution's: only what a stub left to be written."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

from grader.course.markers import BEGIN, without_markers


@dataclass(frozen=True)
class Pair:
    """One function or method: its bodies, without the docstring; ``own`` may be empty."""

    name: str
    own: str
    solution: str


def pairs(own: str, solution: str) -> list[Pair]:
    """The functions whose solution lies between markers, in the page's order."""
    marked = {name for name, body in _bodies(solution).items() if BEGIN in body}
    theirs, ours = _bodies(own), _bodies(without_markers(solution))
    return [Pair(n, theirs.get(n, ""), body) for n, body in ours.items() if n in marked]


def _bodies(text: str) -> dict[str, str]:
    """Text of every function's body by qualified name; nothing for text that does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, str] = {}
    _gather(tree, "", text.split("\n"), found)
    return found


def _gather(node: ast.AST, prefix: str, lines: list[str], found: dict[str, str]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            _gather(child, f"{prefix}{child.name}.", lines, found)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            found[prefix + child.name] = _body(child, lines)


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> str:
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    start = (first.end_lineno or first.lineno) if documented else _head_ends(function, lines)
    body = "\n".join(lines[start : function.end_lineno])
    return textwrap.dedent(body).strip("\n")


def _head_ends(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """The line after the signature: comments above the first statement belong to the body."""
    number = function.body[0].lineno - 1
    while number > function.lineno and lines[number - 1].lstrip().startswith("#"):
        number -= 1
    return number
