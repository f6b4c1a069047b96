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

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_LONGEST = 72  # letters of what is done in one case


def lines(node: ast.stmt, parent: ast.AST, scope: Scope) -> Changes:
    """All but docstrings may be too much; most of all what goes on with what was there before."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        kind = "line_too_much" if _changes_what_was(node) else "line_left_out"
        yield kind, text_of(node), ast.Pass()


def _changes_what_was(node: ast.stmt) -> bool:
    """Whether a name keeps what it had if the line is left out."""
    if not isinstance(node, ast.Assign):
        return isinstance(node, ast.AugAssign)
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    read = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
    return not read.isdisjoint(names)


def augmented(node: ast.AugAssign, parent: ast.AST, scope: Scope) -> Changes:
    """Another operator, or a new tensor instead of the changed one."""
    for operator in OPERATORS.get(type(node.op), ()):
        yield "operator", f"{SYMBOLS[type(node.op)]}=", with_field(node, "op", operator())
    if isinstance(node.target, ast.Name):
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        yield "in_place", text_of(node), ast.Assign([node.target], value, lineno=0)


def _in_one_line(branch: list[ast.stmt] | ast.expr) -> str:
    """What one side of a condition is, if it is short."""
    parts: list[ast.stmt] | list[ast.expr] = branch if isinstance(branch, list) else [branch]
    if len(parts) != 1 or not isinstance(parts[0], (ast.expr, *_SIMPLE)):
        return ""
    text = " ".join(ast.unparse(parts[0]).split())
    return text if len(text) <= _LONGEST else ""


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


def conditions(asks: ast.If | ast.IfExp) -> Changes:
    """Always one side: then the other is wrong, and the condition need not be. The condition
    turned round, where comparisons and ``not`` are not changed by themselves; what may be 0 or
    empty asked for None instead.
    """
    test, shown = asks.test, text_of(asks.test)
    for always, other in ((True, asks.orelse), (False, asks.body)):
        if done := _in_one_line(other):
            told = f"{shown}` is {'false' if always else 'true'}, `{done}"
            yield "one_case", told, ast.Constant(always)
        else:
            yield "always" if always else "never", shown, ast.Constant(always)
    match test:
        case ast.Name() | ast.Attribute():
            yield "condition", shown, ast.Compare(test, [ast.IsNot()], [ast.Constant(None)])
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name() | ast.Attribute() as asked):
            yield "condition", shown, ast.Compare(asked, [ast.Is()], [ast.Constant(None)])
    if not isinstance(test, (ast.Compare, ast.UnaryOp)):
        yield "condition", shown, ast.UnaryOp(ast.Not(), test)
