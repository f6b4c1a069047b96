"""Slips in expressions: numbers, words, names, operators, calls, parts."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Mapping, Sequence

import torch

from grader.programs.slips.places import (
    OPERATORS,
    Around,
    Others,
    detached,
    dotted,
    number_node,
    shifted,
    with_field,
    without,
)

_MOST_WORDS = 3
_LIBRARIES = ("torch", "F", "np", "math")
_TORCH_METHODS = frozenset(dir(torch.Tensor))
_IN_ORDER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)  # a - b is not b - a
_TENSORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult)  # what gradients flow through
_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_PAIRS = (
    ("sum", "mean"), ("amax", "amin"), ("max", "min"), ("zeros", "ones"), ("triu", "tril"),
    ("zeros_like", "ones_like"), ("zeros_", "ones_"), ("sin", "cos"), ("any", "all"),
    ("relu", "gelu"), ("sqrt", "rsqrt"), ("exp", "expm1"), ("log", "log2"), ("repeat", "expand"),
    ("squeeze", "unsqueeze"), ("floor", "ceil"), ("normal_", "uniform_"), ("sigmoid", "tanh"),
)  # fmt: skip
_EXCHANGED = {one: other for a, b in _PAIRS for one, other in ((a, b), (b, a))} | {
    "reshape": "view",  # which fails on what is not contiguous
    "repeat_interleave": "repeat",
}


# Numbers, words, names ----------------------------------------------------------------------------


def constants(node: ast.Constant, around: Around) -> Others:
    """Another number, the other truth value, another word of the page."""
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from map(number_node, (0, 1, -1, value + 1, value - 1))
    elif isinstance(value, float):
        yield from map(number_node, (value * 2, value / 2, 0.0, 1.0, -value))
    elif isinstance(value, str):
        yield from map(ast.Constant, _next_to(value, around.words))


def _next_to(word: str, words: Sequence[str]) -> list[str]:
    """A few others: those that follow in the alphabet, and after the last one the first."""
    at = bisect.bisect_right(words, word)
    following = [*words[at:], *words[:at]]
    return [other for other in following if other != word][:_MOST_WORDS]


def signs(node: ast.UnaryOp, around: Around) -> Others:
    """Dropped; a negative number is taken as one."""
    yield node.operand  # `not`, `-` and `~` dropped
    number = node.operand.value if isinstance(node.operand, ast.Constant) else None
    if isinstance(node.op, ast.USub) and type(number) is int:
        yield from map(number_node, (0, 1, -number - 1, 1 - number))


def names(node: ast.Name, around: Around) -> Others:
    """Another argument of the same kind."""
    if isinstance(node.ctx, ast.Load):
        yield from (ast.Name(other, ast.Load()) for other in around.names.get(node.id, ()))


def attributes(node: ast.Attribute, around: Around) -> Others:
    """Another of the same kind, a transpose dropped, a sister function."""
    if not isinstance(node.ctx, ast.Load):
        return
    if ast.unparse(node.value) == "self":
        for other in around.attributes.get(node.attr, ()):
            yield ast.Attribute(node.value, other, ast.Load())
    if node.attr in ("T", "mT"):
        yield node.value
    if node.attr in _EXCHANGED:
        yield ast.Attribute(node.value, _EXCHANGED[node.attr], ast.Load())


# Operators ----------------------------------------------------------------------------------------


def operators(node: ast.BinOp, around: Around) -> Others:
    """Exchanged, turned round, one side alone, one side cut off from the graph."""
    left, right = node.left, node.right
    for operator in OPERATORS.get(type(node.op), ()):
        yield ast.BinOp(left, operator(), right)
    if isinstance(node.op, _IN_ORDER):
        yield ast.BinOp(right, node.op, left)
    yield left
    yield right
    if isinstance(node.op, _TENSORS):
        yield from (ast.BinOp(side, node.op, right) for side in detached(left))
        yield from (ast.BinOp(left, node.op, side) for side in detached(right))


def comparisons(node: ast.Compare, around: Around) -> Others:
    """The boundary moved, or turned round."""
    for number, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            ops = [*node.ops[:number], other(), *node.ops[number + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)


def junctions(node: ast.BoolOp, around: Around) -> Others:
    """``and`` for ``or``, or one condition dropped."""
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for number in range(len(node.values)):
        kept = without(node.values, number)
        yield kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)


def choices(node: ast.IfExp, around: Around) -> Others:
    """One of the two always, or the two exchanged."""
    yield node.body
    yield node.orelse
    yield ast.IfExp(node.test, node.orelse, node.body)


# Calls --------------------------------------------------------------------------------------------


def arguments(node: ast.Call, around: Around) -> Others:
    """Swapped or left out."""
    args, keywords = node.args, node.keywords
    for number in range(len(args)):
        if len(args) > 1 or not isinstance(node.func, ast.Name):
            yield ast.Call(node.func, without(args, number), keywords)
    for number in range(len(args) - 1):
        swapped = [*args[:number], args[number + 1], args[number], *args[number + 2 :]]
        yield ast.Call(node.func, swapped, keywords)
    for number in range(len(keywords)):
        yield ast.Call(node.func, args, without(keywords, number))


def dropped_calls(node: ast.Call, around: Around) -> Others:
    """``f(x)`` becomes ``x``, and so does ``x.method()``."""
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute):
        yield node.func.value


def in_place(node: ast.Call, around: Around) -> Others:
    """A method that writes into its tensor, or no longer does."""
    match node.func:
        case ast.Attribute(value=owner, attr=attr):
            other = attr[:-1] if attr.endswith("_") else f"{attr}_"
            if ast.unparse(owner) not in _LIBRARIES and other in _TORCH_METHODS:
                func = ast.Attribute(owner, other, ast.Load())
                yield ast.Call(func, node.args, node.keywords)


def fixed(node: ast.Call, around: Around) -> Others:
    """A device or a dtype that follows nothing."""
    fixed = {"device": ast.Constant("cpu"), "dtype": dotted("torch.float32")}
    for number, keyword in enumerate(node.keywords):
        if keyword.arg in fixed:
            other = ast.keyword(keyword.arg, fixed[keyword.arg])
            keywords = [*node.keywords[:number], other, *node.keywords[number + 1 :]]
            yield ast.Call(node.func, node.args, keywords)


def registrations(node: ast.Call, around: Around) -> Others:
    """A parameter without gradients, a buffer that is not saved."""
    called = ast.unparse(node.func)
    flag = {"nn.Parameter": "requires_grad", "self.register_buffer": "persistent"}.get(called)
    if flag and not any(keyword.arg == flag for keyword in node.keywords):
        keyword = ast.keyword(flag, ast.Constant(False))
        yield ast.Call(node.func, node.args, [*node.keywords, keyword])


def ranges(node: ast.Call, around: Around) -> Others:
    """One more, one fewer, or the first left out."""
    if ast.unparse(node.func) in ("range", "torch.arange") and node.args:
        last = 0 if len(node.args) == 1 else 1
        for end in shifted(node.args[last]):
            args = [*node.args[:last], end, *node.args[last + 1 :]]
            yield ast.Call(node.func, args, node.keywords)
        if len(node.args) == 1:
            yield ast.Call(node.func, [ast.Constant(1), *node.args], node.keywords)


# Rows and parts -----------------------------------------------------------------------------------


def slices(node: ast.Slice, around: Around) -> Others:
    """A bound dropped or moved by one."""
    for bound in ("lower", "upper", "step"):
        value = getattr(node, bound)
        if value is not None:
            yield with_field(node, bound, None)
            if not isinstance(value, (ast.Constant, ast.UnaryOp)):  # these are numbers themselves
                yield from (with_field(node, bound, other) for other in shifted(value))


def parts(node: ast.Tuple, around: Around) -> Others:
    """Neighbours exchanged."""
    if isinstance(node.ctx, ast.Load):
        for number in range(len(node.elts) - 1):
            parts = list(node.elts)
            parts[number], parts[number + 1] = parts[number + 1], parts[number]
            yield ast.Tuple(parts, ast.Load())


def conditions(node: ast.AST, around: Around) -> Others:
    """Of a comprehension: one dropped."""
    for place, generator in enumerate(getattr(node, "generators", ())):
        for number in range(len(generator.ifs)):
            changed = with_field(generator, "ifs", without(generator.ifs, number))
            rest = without(node.generators, place)  # type: ignore[attr-defined]
            yield with_field(node, "generators", [*rest[:place], changed, *rest[place:]])
