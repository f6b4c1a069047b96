"""The kinds of slips: what one place of a program may become, from its syntax tree.

``others(node, around)`` gives, for one expression or statement, those that a slip may put in its
place. Each kind is a small function in a table by the type of the node; a new kind is a new line
there. Some results do not compile or change nothing: ``slips`` leaves these out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from grader.programs.slips import expressions, statements
from grader.programs.slips.places import Around, Others


def others(node: ast.AST, around: Around) -> Others:
    """What a slip may make of ``node``."""
    for kind in _KINDS.get(type(node), ()):
        yield from kind(node, around)


_KINDS: Mapping[type[ast.AST], tuple[Callable[..., Others], ...]] = {
    ast.Constant: (expressions.constants,),
    ast.UnaryOp: (expressions.signs,),
    ast.Name: (expressions.names,),
    ast.Attribute: (expressions.attributes,),
    ast.BinOp: (expressions.operators,),
    ast.Compare: (expressions.comparisons,),
    ast.BoolOp: (expressions.junctions,),
    ast.IfExp: (expressions.choices,),
    ast.Call: (
        expressions.arguments,
        expressions.dropped_calls,
        expressions.in_place,
        expressions.fixed,
        expressions.registrations,
        expressions.ranges,
    ),
    ast.Slice: (expressions.slices,),
    ast.Tuple: (expressions.parts,),
    ast.ListComp: (expressions.conditions,),
    ast.GeneratorExp: (expressions.conditions,),
    ast.DictComp: (expressions.conditions,),
    ast.Assign: (
        statements.dropped,
        statements.assignments,
    ),
    ast.AugAssign: (
        statements.dropped,
        statements.augmented,
    ),
    ast.Expr: (
        statements.dropped,
        statements.buffers,
    ),
    ast.Return: (statements.returns,),
    ast.Raise: (statements.dropped,),
    ast.For: (statements.dropped,),
}
