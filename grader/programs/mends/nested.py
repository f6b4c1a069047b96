"""Mends of what stands within what: two steps exchanged, a layer or a term that is missing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from grader.programs.mends.places import Changes, Scope, is_library, text_of
from grader.programs.slips.places import with_field

Around = Callable[[ast.expr], ast.expr]


def taken_apart(node: ast.expr) -> Iterator[tuple[Around, ast.expr]]:
    """A step, and what it is done to: of ``f(x, dim)``, ``x.f(dim)``, ``x / c`` and ``-x`` it is x;
    of ``x + c`` both sides in turn.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args, keywords=more) if (
            not is_library(owner)
        ):
            yield (lambda x: ast.Call(ast.Attribute(x, attr, ast.Load()), args, more)), owner
        case ast.BinOp(left=left, op=op, right=right):
            yield (lambda x: ast.BinOp(x, op, right)), left
            if isinstance(op, (ast.Add, ast.Mult)):
                yield (lambda x: ast.BinOp(left, op, x)), right
    match node:
        case ast.Call(func=func, args=[first, *others], keywords=more):
            yield (lambda x: ast.Call(func, [x, *others], more)), first


def exchanged(node: ast.expr, parent: ast.AST, scope: Scope) -> Changes:
    """Of two steps the outer one done first: ``x.mean().square()``, ``f(x) / c``."""
    for outer, between in taken_apart(node):
        for inner, innermost in taken_apart(between):
            yield "nested", text_of(node), inner(outer(innermost))


def layers(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A layer of the class's that is done to an argument, or to what is returned."""
    for name in scope.layers:
        for at, arg in enumerate(node.args):
            if isinstance(arg, (ast.Name, ast.Attribute, ast.Call, ast.BinOp)):
                args = [*node.args[:at], _layer(name, arg), *node.args[at + 1 :]]
                yield "missing", text_of(arg), with_field(node, "args", args)
        yield "missing", text_of(node), _layer(name, node)


def through(node: ast.Name, parent: ast.AST, scope: Scope) -> Changes:
    """An argument that goes through no layer, or through no matrix of the class's."""
    if node.id not in scope.arguments or not isinstance(parent, (ast.Assign, ast.Tuple, ast.BinOp)):
        return
    for name in scope.layers:
        yield "missing", node.id, _layer(name, node)
    for name in dict.fromkeys((*scope.layers, *scope.attributes)):
        matrix = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
        yield "missing", node.id, ast.BinOp(node, ast.MatMult(), matrix)


def biases(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """A layer's matrix alone, where the layer is meant."""
    match node:
        case ast.BinOp(
            left=left,
            op=ast.MatMult(),
            right=ast.Attribute(value=ast.Attribute(value=layer, attr="weight"), attr="T" | "mT"),
        ):
            yield "missing", text_of(node), ast.Call(layer, [left], [])


def terms(node: ast.Return, parent: ast.AST, scope: Scope) -> Changes:
    """A layer, or an argument as a term or a factor, that what is returned lacks."""
    if node.value is None:
        return
    for name in scope.layers:
        yield "missing", text_of(node.value), ast.Return(_layer(name, node.value))
    for name in scope.arguments:
        for operator in (ast.Add(), ast.Mult(), ast.Sub()):
            whole = ast.BinOp(node.value, operator, ast.Name(name, ast.Load()))
            yield "missing", text_of(node.value), ast.Return(whole)


def shares(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """Scores that are no shares yet."""
    if isinstance(node.op, ast.MatMult):
        axis = ast.UnaryOp(ast.USub(), ast.Constant(1))
        func = ast.Attribute(node.left, _SHARES, ast.Load())
        yield "missing", text_of(node.left), with_field(node, "left", ast.Call(func, [axis], []))


_SHARES = "softmax"


def _layer(name: str, value: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()), [value], [])
