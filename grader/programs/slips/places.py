"""What the kinds of slips share: what surrounds a place, and how a node is changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

Others = Iterator[ast.AST]
_Node = TypeVar("_Node", bound=ast.AST)

OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}


@dataclass(frozen=True)
class Around:
    """What surrounds a place: for a name, and for an attribute of ``self``, the others of its kind
    that could be meant; and the words that the page compares with.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Sequence[str] = ()


def detached(value: ast.expr) -> Iterator[ast.expr]:
    """What holds a tensor, if it does, cut off from the graph."""
    if isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)):
        yield ast.Call(ast.Attribute(value, "detach", ast.Load()), [], [])


def shifted(value: ast.expr) -> Iterator[ast.expr]:
    """One more and one fewer."""
    for operator in (ast.Add(), ast.Sub()):
        yield ast.BinOp(value, operator, ast.Constant(1))


def number_node(value: float) -> ast.expr:
    """A number as Python reads it, which has no negative ones."""
    number = ast.Constant(abs(value))
    return ast.UnaryOp(ast.USub(), number) if value < 0 else number


def dotted(name: str) -> ast.expr:
    """The node of ``torch.float32`` and its like."""
    return ast.parse(name, mode="eval").body


def with_field(node: ast.AST, name: str, value: object) -> ast.AST:
    """A copy of a node with another part."""
    fields: dict[str, Any] = dict(ast.iter_fields(node)) | {name: value}
    return ast.copy_location(type(node)(**fields), node)


def without(items: Sequence[_Node], number: int) -> list[_Node]:
    """All items but one."""
    return [*items[:number], *items[number + 1 :]]
