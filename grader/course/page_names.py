"""What a page defines, and what of it rests on what."""

from __future__ import annotations

import ast
import re

from grader.course.markers import BEGIN, END

_BODY = re.compile(f"{BEGIN}.*?{END}", re.DOTALL)


def used_within(source: str) -> dict[str, frozenset[str]]:
    """By top-level function or class, the others of the page that it is made from, directly or
    through one another; raises ``SyntaxError``.
    """
    kinds = (ast.FunctionDef, ast.ClassDef)
    nodes = {n.name: n for n in ast.parse(source).body if isinstance(n, kinds)}
    direct = {name: _names_in(node) & nodes.keys() - {name} for name, node in nodes.items()}
    found = {name: set(used) for name, used in direct.items()}
    for _ in nodes:
        found = {
            name: used.union(*(direct[other] for other in used)) for name, used in found.items()
        }
    return {name: frozenset(used - {name}) for name, used in found.items()}


def given_names(source: str) -> frozenset[str]:
    """The functions and classes, with an underscore before their names, that a solution shares with
    its stub.
    """
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = (n.name for n in ast.parse(_BODY.sub("pass", source)).body if isinstance(n, kinds))
    return frozenset(name for name in names if name.startswith("_"))


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
