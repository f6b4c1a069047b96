"""Slips in statements: dropped, cut off from the graph, branches fixed, buffers not registered."""

from __future__ import annotations

import ast

from grader.programs.slips.places import OPERATORS, Around, Others, detached, with_field


def dropped(node: ast.stmt, around: Around) -> Others:
    """All but docstrings."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield ast.Pass()


def assignments(node: ast.Assign, around: Around) -> Others:
    """Cut off from the graph; ``x = x + y`` written into x."""
    yield from (with_field(node, "value", value) for value in detached(node.value))
    match node:
        case ast.Assign(targets=[ast.Name() as name], value=ast.BinOp(left=left, op=op) as value):
            if ast.unparse(left) == name.id:
                yield ast.AugAssign(ast.Name(name.id, ast.Store()), op, value.right)


def augmented(node: ast.AugAssign, around: Around) -> Others:
    """Replaced instead of changed, or with another operator."""
    yield ast.Assign([node.target], node.value, lineno=0)
    for operator in OPERATORS.get(type(node.op), ()):
        yield ast.AugAssign(node.target, operator(), node.value)
    yield from (ast.AugAssign(node.target, node.op, value) for value in detached(node.value))


def returns(node: ast.Return, around: Around) -> Others:
    """What is returned cut off from the graph, or a part of it."""
    if node.value is not None:
        yield from (ast.Return(value) for value in detached(node.value))
        if isinstance(node.value, ast.Tuple):
            for number, value in enumerate(node.value.elts):
                for other in detached(value):
                    parts = [*node.value.elts[:number], other, *node.value.elts[number + 1 :]]
                    yield ast.Return(ast.Tuple(parts, ast.Load()))


def buffers(node: ast.Expr, around: Around) -> Others:
    """A buffer that becomes a plain attribute: it is neither moved nor saved."""
    match node.value:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="register_buffer"),
            args=[ast.Constant(value=str(name)), value, *_],
        ):
            target = ast.Attribute(owner, name, ast.Store())
            yield ast.Assign([target], value, lineno=0)


def fixed_tests(node: ast.AST) -> Others:
    """What the condition of a branch or a loop may be fixed to, or turned round."""
    test = getattr(node, "test", None)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and test is not None:
        if not isinstance(node, ast.IfExp):
            yield ast.Constant(True)
            yield ast.Constant(False)
        if not isinstance(test, (ast.Compare, ast.UnaryOp)):
            yield ast.UnaryOp(ast.Not(), test)
