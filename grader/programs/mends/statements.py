"""Mends of statements: one too many, another thing returned, a condition turned round."""

from __future__ import annotations

import ast

from grader.programs.mends.places import (
    OPERATORS,
    SYMBOLS,
    Changes,
    Scope,
    dtype_of,
    method,
    text_of,
    transpose,
)
from grader.programs.slips.places import with_field


def lines(node: ast.stmt, parent: ast.AST, scope: Scope) -> Changes:
    """All but docstrings may be too much."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield "line_left_out", text_of(node), ast.Pass()


def augmented(node: ast.AugAssign, parent: ast.AST, scope: Scope) -> Changes:
    """Another operator, or a new tensor instead of the changed one."""
    for operator in OPERATORS.get(type(node.op), ()):
        yield "operator", f"{SYMBOLS[type(node.op)]}=", with_field(node, "op", operator())
    if isinstance(node.target, ast.Name):
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        yield "in_place", text_of(node), ast.Assign([node.target], value, lineno=0)


def returns(node: ast.Return, parent: ast.AST, scope: Scope) -> Changes:
    """Another name, or what is returned with something done to it."""
    value = node.value
    if value is None:
        return
    shown = text_of(value)
    others: list[ast.expr] = [ast.Name(name, ast.Load()) for name in scope.made]
    others += [transpose(value), method(value, "squeeze", -1), method(value, "unsqueeze", -1)]
    others += [method(value, name) for name in ("exp", "log", "sqrt")]
    others += [ast.Subscript(value, ast.Constant(0), ast.Load()), ast.List([value], ast.Load())]
    yield from (("returned", shown, ast.Return(other)) for other in others)
    yield "sign", shown, ast.Return(ast.UnaryOp(ast.USub(), value))
    for name in scope.arguments[:2]:
        cast = ast.Call(ast.Attribute(value, "to", ast.Load()), [dtype_of(name)], [])
        yield "dtype", shown, ast.Return(cast)


def branches(node: ast.If | ast.IfExp, parent: ast.AST, scope: Scope) -> Changes:
    """The condition turned round, where comparisons and ``not`` are not changed by themselves; what
    may be 0 or empty asked for None instead.
    """
    test = node.test
    match test:
        case ast.Name() | ast.Attribute():
            given = ast.Compare(test, [ast.IsNot()], [ast.Constant(None)])
            yield "condition", text_of(test), with_field(node, "test", given)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as asked):
            missing = ast.Compare(asked, [ast.Is()], [ast.Constant(None)])
            yield "condition", text_of(test), with_field(node, "test", missing)
    if not isinstance(test, (ast.Compare, ast.UnaryOp)):
        yield "condition", text_of(test), with_field(node, "test", ast.UnaryOp(ast.Not(), test))
