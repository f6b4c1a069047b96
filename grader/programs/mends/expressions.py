"""Mends of numbers, names, operators, comparisons and parts."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from grader.programs.mends.places import (
    AXES,
    OPERATORS,
    SYMBOLS,
    Changes,
    Scope,
    is_self,
    lowest,
    moved,
    number_in,
    side_of,
    symbol_in,
    text_of,
    transpose,
    within,
)
from grader.programs.slips.places import number_node, with_field, without

_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq, ast.GtE, ast.LtE),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OF_ONE = (ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)  # which by 1 change nothing
_IN_ORDER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)  # a - b is not b - a
_SISTERS = (
    ("sum", "mean"), ("amax", "amin"), ("max", "min"), ("zeros", "ones"), ("triu", "tril"),
    ("zeros_like", "ones_like"), ("sin", "cos"), ("any", "all"), ("cat", "stack"), ("exp", "log"),
    ("argmax", "argmin"), ("squeeze", "unsqueeze"), ("floor", "ceil"), ("sqrt", "square"),
    ("sqrt", "rsqrt"), ("log", "log2"), ("log", "log10"), ("relu", "gelu"), ("sum", "prod"),
    ("softmax", "log_softmax"), ("std", "var"), ("append", "extend"), ("norm", "sum"),
    ("randn", "rand"), ("repeat", "repeat_interleave"), ("logical_and", "logical_or"),
    ("max", "amax"), ("min", "amin"), ("amax", "sum"), ("mean", "var"), ("sigmoid", "tanh"),
)  # fmt: skip
_POWERS = (0.5, 2, -1, -0.5)
_LARGE = 10  # without its sign, a number that may stand for what forbids


def numbers(node: ast.Constant, parent: ast.AST, scope: Scope) -> Changes:
    """One more, one fewer, the other sign, a common one; the other truth value."""
    value = node.value
    if isinstance(parent, ast.UnaryOp):
        return  # it is changed with its sign
    if isinstance(value, bool):
        yield "number", str(value), ast.Constant(not value)
    elif isinstance(value, int) and abs(value) < 1 << 30:
        for other in (value + 1, value - 1, -value, 0, 1, 2, -1, -2):
            yield _other(value, number_node(other), other, parent)
    elif isinstance(value, float):
        for real in (0.0, 1.0, -value, value / 2, value * 2, 0.5):
            yield _other(value, number_node(real), real, parent)


def _other(value: float, node: ast.AST, number: float, parent: ast.AST) -> tuple[str, str, ast.AST]:
    """Another number, and on which side of it the one lies that is there."""
    kind = "too_small" if value < number else "too_large"
    return kind, within(str(value), parent), node


def signs(node: ast.UnaryOp, parent: ast.AST, scope: Scope) -> Changes:
    """A sign, or what turns round, left out; another negative number."""
    if not isinstance(node.op, ast.USub):
        yield "turned", text_of(node.operand), node.operand
        return
    yield "sign", text_of(node), node.operand
    number: Any = getattr(node.operand, "value", None)
    if type(number) is int:
        for other in (0, 1, 2, 1 - number, -1 - number):
            yield _other(-number, number_node(other), other, parent)
    if type(number) in (int, float) and number >= _LARGE:
        yield _other(-number, lowest(), -math.inf, parent)


def names(node: ast.Name, parent: ast.AST, scope: Scope) -> Changes:
    """Another name of the function, one more or one fewer, the other sign. Not of a condition that
    is a name by itself: any other that is always true would only switch a wrong branch off.
    """
    if not isinstance(node.ctx, ast.Load) or node.id not in scope.names:
        return
    if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node:
        return
    for other in scope.names:
        kind, told = "name", within(node.id, parent)
        if other in scope.unused:
            kind, told = "unused", other
        yield kind, told, ast.Name(other, ast.Load())
    is_index = isinstance(parent, ast.Subscript) and parent.slice is node
    if is_index or isinstance(parent, (ast.Compare, ast.Slice)):
        yield from (("bound", node.id, other) for other in moved(node))
    if isinstance(parent, (ast.Lambda, ast.Return, ast.Tuple)):
        yield "sign", node.id, ast.UnaryOp(ast.USub(), node)


def attributes(node: ast.Attribute, parent: ast.AST, scope: Scope) -> Changes:
    """Another attribute of ``self``, a transpose left out, a sister function."""
    if not isinstance(node.ctx, ast.Load):
        return
    if is_self(node.value):
        for other in scope.attributes:
            another = ast.Attribute(node.value, other, ast.Load())
            yield "name", within(text_of(node), parent), another
    if node.attr in ("T", "mT"):
        yield "transposed", f".{node.attr}", node.value
        yield "transposed", f".{node.attr}", ast.Attribute(node.value, "mT", ast.Load())
    if node.attr == "data":
        yield "left_out", ".data", node.value
    if isinstance(parent, ast.Call) and parent.func is node:
        for one, other in (*_SISTERS, *((b, a) for a, b in _SISTERS)):
            if one == node.attr:
                sister = ast.Attribute(node.value, other, ast.Load())
                known = isinstance(node.value, ast.Name)  # what is long is cut before its end
                yield "function", text_of(node) if known else f".{node.attr}", sister


def operators(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """Another operator, the sides exchanged, one side alone."""
    left, right, here = node.left, node.right, symbol_in(node.op, node)
    for operator in OPERATORS.get(type(node.op), ()):
        if not (number_in(right) == 1 and operator in _OF_ONE):
            yield "operator", here, ast.BinOp(left, operator(), right)
    if isinstance(node.op, _IN_ORDER):
        yield "sides", here, ast.BinOp(right, node.op, left)
    symbol = SYMBOLS[type(node.op)]
    yield "part_left_out", f"{symbol} {side_of(right)}", left
    yield "part_left_out", f"{side_of(left)} {symbol}", right


def products(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """The sides of a product of matrices, transposed or exchanged or both; such a product for one
    number by number.
    """
    left, right, here = node.left, node.right, symbol_in(node.op, node)
    if isinstance(node.op, ast.Mult):
        yield "operator", here, ast.BinOp(left, ast.MatMult(), transpose(right))
    if not isinstance(node.op, ast.MatMult):
        return
    turned, other = transpose(left), transpose(right)
    for pair in ((turned, right), (left, other), (turned, other)):
        yield "transposed", here, ast.BinOp(pair[0], node.op, pair[1])
    for pair in ((other, left), (right, turned)):
        yield "sides", here, ast.BinOp(pair[0], node.op, pair[1])


def factors(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """A factor's square, root or inverse."""
    if isinstance(node.op, (ast.Div, ast.Mult)):
        for power in _POWERS:
            raised = ast.BinOp(node.right, ast.Pow(), number_node(power))
            yield "power", text_of(node.right), ast.BinOp(node.left, node.op, raised)


def brackets(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    """``a + b / c`` meant as ``(a + b) / c``, and the other way round."""
    match node:
        case ast.BinOp(
            left=a, op=ast.Add() | ast.Sub() as op,
            right=ast.BinOp(left=b, op=ast.Div() | ast.Mult() as times, right=c),
        ):  # fmt: skip
            yield "sides", symbol_in(times, node), ast.BinOp(ast.BinOp(a, op, b), times, c)
        case ast.BinOp(
            left=ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b),
            op=ast.Div() | ast.Mult() as times, right=c,
        ):  # fmt: skip
            yield "sides", symbol_in(times, node), ast.BinOp(a, op, ast.BinOp(b, times, c))


def comparisons(node: ast.Compare, parent: ast.AST, scope: Scope) -> Changes:
    """The boundary moved, or turned round; of texts neither is meant."""
    sides = (node.left, *node.comparators)
    if any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides):
        return
    for at, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
            yield "comparison", symbol_in(operator, node), with_field(node, "ops", ops)


def junctions(node: ast.BoolOp, parent: ast.AST, scope: Scope) -> Changes:
    """``and`` for ``or``, or one condition left out."""
    is_and = isinstance(node.op, ast.And)
    other = ast.BoolOp(ast.Or() if is_and else ast.And(), node.values)
    yield "condition", "and" if is_and else "or", other
    for at, value in enumerate(node.values):
        kept = without(node.values, at)
        fewer = kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)
        yield "part_left_out", text_of(value), fewer


def choices(node: ast.IfExp, parent: ast.AST, scope: Scope) -> Changes:
    """One of the two always, or the two exchanged."""
    shown = text_of(node.test)
    for other in (node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body)):
        yield "condition", shown, other


def parts(node: ast.Tuple, parent: ast.AST, scope: Scope) -> Changes:
    """Neighbours exchanged, or one alone returned."""
    if not isinstance(node.ctx, ast.Load):
        return
    for at in range(len(node.elts) - 1):
        exchanged = list(node.elts)
        exchanged[at], exchanged[at + 1] = exchanged[at + 1], exchanged[at]
        yield "order", text_of(node), ast.Tuple(exchanged, ast.Load())
    if isinstance(parent, ast.Return):
        yield from (("returned", text_of(node), part) for part in node.elts)


def subscripts(node: ast.Subscript, parent: ast.AST, scope: Scope) -> Changes:
    """The size of another axis, the place before or behind, all instead of one."""
    if not isinstance(node.ctx, ast.Load):
        return
    number, shown = number_in(node.slice), text_of(node)
    if number is not None and getattr(node.value, "attr", "") == "shape":
        for axis in AXES:
            yield "axis", shown, with_field(node, "slice", number_node(axis))
    elif isinstance(node.slice, (ast.BinOp, ast.Name)):
        for other in moved(node.slice):
            yield "bound", shown, with_field(node, "slice", other)
    yield "left_out", f"[{text_of(node.slice)}]", node.value


def slices(node: ast.Slice, parent: ast.AST, scope: Scope) -> Changes:
    """A bound left out, added, or moved by one."""
    shown = text_of(node)
    for bound in ("lower", "upper", "step"):
        value = getattr(node, bound)
        others = [] if value is None else [None, *moved(value)]
        yield from (("bound", shown, with_field(node, bound, other)) for other in others)
    if node.lower is None:
        yield "bound", shown, with_field(node, "lower", ast.Constant(1))
    if node.upper is None:
        yield "bound", shown, with_field(node, "upper", number_node(-1))
