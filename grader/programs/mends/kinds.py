"""The kinds of mends: what one place of a wrong program may have been meant as.

``changes(node, parent, scope)`` gives, for one expression or statement, what may stand in its
place: the kind of change, the words in the text that are meant, and the new node. Each kind is a
small function in a table by the type of the node; some results change nothing, which ``made``
leaves out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from grader.programs.mends import calls, expressions, nested, statements
from grader.programs.mends.places import Changes, Scope

# Those that are meant most often come first; what is only said otherwise has the same rank.
_ORDER = (
    "always never one_case", "line_too_much", "axis axis_from_the_end axes_from_the_end", "no_axis",
    "keepdim", "transposed", "sides", "part_left_out", "operator", "function", "order", "sign",
    "turned", "comparison", "number too_small too_large", "power", "more", "nested",
    "correction", "bound", "left_out", "condition", "missing", "in_place", "dtype", "name unused",
    "line_left_out", "returned",
)  # fmt: skip
RANK: Mapping[str, int] = {
    kind: rank for rank, kinds in enumerate(_ORDER) for kind in kinds.split()
}


def changes(node: ast.AST, parent: ast.AST, scope: Scope) -> Changes:
    """What a mend may put in the place of ``node``."""
    if isinstance(parent, (ast.If, ast.IfExp)) and parent.test is node:
        yield from statements.conditions(parent)
    for kind in _KINDS.get(type(node), ()):
        yield from kind(node, parent, scope)


_KINDS: Mapping[type[ast.AST], tuple[Callable[..., Changes], ...]] = {
    ast.Call: (
        calls.axes, calls.keepdims, calls.corrections, calls.sorts, calls.arguments, calls.dropped,
        calls.in_place, calls.dtypes, calls.ranges, calls.cuts, calls.masks, calls.squares,
        calls.more, nested.exchanged, nested.layers,
    ),
    ast.Constant: (expressions.numbers,),
    ast.UnaryOp: (expressions.signs,),
    ast.Name: (expressions.names, nested.through),
    ast.Attribute: (expressions.attributes,),
    ast.BinOp: (
        expressions.operators, expressions.products, expressions.factors, expressions.brackets,
        nested.exchanged, nested.shares, nested.biases,
    ),
    ast.Compare: (expressions.comparisons,),
    ast.BoolOp: (expressions.junctions,),
    ast.IfExp: (expressions.choices,),
    ast.Tuple: (expressions.parts,),
    ast.Subscript: (expressions.subscripts,),
    ast.Slice: (expressions.slices,),
    ast.Assign: (statements.lines,),
    ast.AugAssign: (statements.lines, statements.augmented),
    ast.Expr: (statements.lines,),
    ast.Raise: (statements.lines,),
    ast.Return: (statements.returns, nested.terms),
}  # fmt: skip
