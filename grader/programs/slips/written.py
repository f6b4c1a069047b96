"""A changed node as text, in the place where the old one stood."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_NEEDS_PARENTHESES = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
_BINDS = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Starred)


def written(new: ast.AST, parent: ast.AST, old: ast.AST) -> str:
    """A node as it is written below ``parent``, where ``old`` stood."""
    text = ast.unparse(ast.fix_missing_locations(new))
    if '"' not in text:  # the house writes double ones
        text = text.replace("'", '"')
    if isinstance(new, ast.Tuple):
        return text[1:-1] if isinstance(parent, ast.Subscript) and len(new.elts) > 1 else text
    owner = getattr(parent, "func", getattr(parent, "value", None))  # of f(x), x.y and x[y]
    inside = isinstance(parent, ast.expr) and (isinstance(parent, _BINDS) or owner is old)
    return f"({text})" if inside and isinstance(new, _NEEDS_PARENTHESES) else text


def spliced(lines: Sequence[str], node: ast.expr | ast.stmt, new: str) -> list[str]:
    """The lines, which keep their ends, of a node, with ``new`` in its place."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    begin = lines[node.lineno - 1].encode()[: node.col_offset].decode()
    end = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
    if new[0] == "(" and begin[-1:] == "(" and end[:1] == ")":  # it has parentheses already
        new = new[1:-1]
    return f"{begin}{new}{end}".splitlines(keepends=True)
