"""What the kinds of mends share: what a function makes, and how a place is named and changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.programs.slips.places import number_node

Changes = Iterator[tuple[str, str, ast.AST]]

AXES = (-1, -2, -3, 0, 1, 2)  # that are meant
SYMBOLS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.LShift: "<<",
    ast.RShift: ">>",
}  # fmt: skip
OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.MatMult, ast.Div, ast.Add, ast.Sub),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.Pow,),
}
_LIBRARIES = ("torch", "F", "np", "math", "nn", "nn.functional", "torch.nn.functional")
_MOST_LETTERS = 40  # of an expression that is spoken of


@dataclass(frozen=True)
class Scope:
    """The names that a function is given and makes, the attributes of ``self`` in it, and which
    ``layers`` its class makes; which of what it is given is ``unused``.
    """

    arguments: tuple[str, ...]
    made: tuple[str, ...]
    attributes: tuple[str, ...]
    layers: tuple[str, ...] = ()
    unused: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, function: ast.FunctionDef | ast.AsyncFunctionDef, layers: tuple[str, ...] = ()
    ) -> Scope:
        """All that stands in the function."""
        every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        arguments = [one.arg for one in every if one.arg != "self"]
        nodes = list(ast.walk(function))
        made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        of_self = [n.attr for n in nodes if isinstance(n, ast.Attribute) and is_self(n.value)]
        unique = [tuple(dict.fromkeys(names)) for names in (made, of_self)]
        unused = frozenset(arguments) - {n.id for n in nodes if isinstance(n, ast.Name)}
        return cls(tuple(arguments), unique[0], unique[1], layers, unused)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.arguments, *self.made)))


def text_of(node: ast.AST) -> str:
    """As it is spoken of: on one line, and not too long."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def symbol_in(operator: ast.AST, node: ast.AST) -> str:
    """An operator, and which of those that a line may have: between backticks, as all names are."""
    symbol, shown = SYMBOLS[type(operator)], text_of(node)
    if isinstance(node, ast.BinOp) and shown.endswith("…"):
        left, right = _side(node.left), _side(node.right)
        half = _MOST_LETTERS // 2
        left = left if len(left) <= half else f"…{left[-half:]}"
        right = right if len(right) <= half else f"{right[:half]}…"
        shown = f"{left} {symbol} {right}"
    return f"{symbol}` in `{shown}"


def within(shown: str, around: ast.AST) -> str:
    """A name or number, and what it stands in, if that is short enough to be shown."""
    if not isinstance(around, (ast.expr, ast.keyword)):
        return shown
    text = text_of(around)
    return shown if text.endswith("…") or shown == text else f"{shown}` in `{text}"


def _side(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return f"({text})" if isinstance(node, ast.BinOp) else text


def side_of(node: ast.AST) -> str:
    """One side of an operator as it is spoken of, in the brackets that it may need."""
    return f"({text_of(node)})" if isinstance(node, ast.BinOp) else text_of(node)


def called(node: ast.Call) -> str:
    """The last part of what is called."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def number_in(node: ast.AST) -> int | None:
    """The whole number that a node is, also a negative one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = getattr(node.operand, "value", None)
        return -value if type(value) is int else None
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def is_self(node: ast.AST) -> bool:
    """Whether it is ``self``."""
    return isinstance(node, ast.Name) and node.id == "self"


def is_library(node: ast.AST) -> bool:
    """Whether it is a module whose functions are called, and no tensor."""
    return text_of(node) in _LIBRARIES


def flag(name: str, value: bool) -> ast.keyword:
    """``name=True`` or ``name=False`` in a call."""
    return ast.keyword(name, ast.Constant(value))


def method(value: ast.expr, name: str, *numbers: int) -> ast.expr:
    """``value.name(...)``, of whole numbers."""
    return ast.Call(ast.Attribute(value, name, ast.Load()), [*map(number_node, numbers)], [])


def transpose(value: ast.expr) -> ast.expr:
    """The matrix with rows for columns."""
    return ast.Attribute(value, "mT", ast.Load())


def lowest() -> ast.expr:
    """``float("-inf")``."""
    return ast.Call(ast.Name("float", ast.Load()), [ast.Constant("-inf")], [])


def opposite(mask: ast.expr) -> ast.expr:
    """The mask turned round."""
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return mask.operand
    return ast.UnaryOp(ast.Invert(), mask)


def moved(value: ast.expr) -> Iterator[ast.expr]:
    """One more and one fewer."""
    number = number_in(value)
    if number is not None:
        yield from (number_node(number + 1), number_node(number - 1))
        return
    yield ast.BinOp(value, ast.Add(), ast.Constant(1))
    yield ast.BinOp(value, ast.Sub(), ast.Constant(1))


def squared(value: ast.expr) -> ast.expr:
    """``value ** 2``."""
    return ast.BinOp(value, ast.Pow(), ast.Constant(2))


def dtype_of(name: str) -> ast.expr:
    """``name.dtype``."""
    return ast.Attribute(ast.Name(name, ast.Load()), "dtype", ast.Load())
