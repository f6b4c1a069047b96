"""The kinds of mends: what one place of a wrong program may have been meant as.

``changes(node, parent, scope)`` gives, for one expression or statement, what may stand in its
place: the kind of change, the words in the text that are meant, and the new node. Each kind is a
small function in a table by the type of the node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from grader.programs.slips.places import number_node, with_field, without

Changes = Iterator[tuple[str, str, ast.AST]]

# Those that are meant most often come first.
ORDER = (
    "axis", "keepdim", "transposed", "sides", "operator", "function", "order", "sign", "turned",
    "number", "power", "more", "correction", "bound", "left_out", "comparison", "condition",
    "in_place", "dtype", "name", "line_left_out", "returned",
)  # fmt: skip

_AXES = (-1, -2, -3, 0, 1, 2)
_REDUCES = frozenset((
    "sum", "mean", "amax", "amin", "max", "min", "prod", "var", "std", "norm", "logsumexp",
    "argmax", "argmin", "any", "all", "softmax", "log_softmax", "cumsum", "median",
))  # fmt: skip
_ONE_AXIS = _REDUCES | frozenset((
    "unsqueeze", "squeeze", "cat", "stack", "flatten", "transpose", "swapaxes", "swapdims",
    "permute", "unbind", "split", "chunk", "select", "narrow", "gather", "scatter", "topk",
    "sort", "argsort", "roll", "flip", "diff", "repeat_interleave", "size", "unflatten",
    "concat", "movedim", "index_select",
))  # fmt: skip
_NAMED_AXES = ("dim", "axis", "start_dim", "end_dim", "dim0", "dim1", "dims", "axes")
_LIBRARIES = ("torch", "F", "np", "math", "nn", "nn.functional", "torch.nn.functional")
_KEEPS = frozenset((
    "sum", "mean", "amax", "amin", "max", "min", "prod", "var", "std", "norm", "logsumexp",
    "any", "all",
))  # fmt: skip
_MAKES = frozenset((
    "zeros", "ones", "full", "arange", "tensor", "eye", "empty", "linspace",
))  # fmt: skip
_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
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
}
_SYMBOLS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.LShift: "<<",
    ast.RShift: ">>",
}  # fmt: skip
_IN_ORDER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_PAIRS = (
    ("sum", "mean"), ("amax", "amin"), ("max", "min"), ("zeros", "ones"), ("triu", "tril"),
    ("zeros_like", "ones_like"), ("sin", "cos"), ("any", "all"), ("cat", "stack"), ("exp", "log"),
    ("argmax", "argmin"), ("squeeze", "unsqueeze"), ("floor", "ceil"), ("sqrt", "square"),
    ("sqrt", "rsqrt"), ("log", "log2"), ("log", "log10"), ("relu", "gelu"), ("sum", "prod"),
    ("softmax", "log_softmax"), ("std", "var"), ("append", "extend"), ("norm", "sum"),
    ("randn", "rand"), ("repeat", "repeat_interleave"), ("logical_and", "logical_or"),
    ("max", "amax"), ("min", "amin"), ("amax", "sum"), ("mean", "var"), ("sigmoid", "tanh"),
)  # fmt: skip
_SHOWN = 40  # letters of an expression


@dataclass(frozen=True)
class Scope:
    """The names that a function makes or is given: its arguments first."""

    arguments: tuple[str, ...]
    made: tuple[str, ...]
    attributes: tuple[str, ...]  # of self

    @classmethod
    def of(cls, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Scope:
        every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        arguments = [one.arg for one in every if one.arg != "self"]
        nodes = list(ast.walk(function))
        made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        of_self = [n.attr for n in nodes if isinstance(n, ast.Attribute) and _is_self(n.value)]
        return cls(tuple(arguments), *(tuple(dict.fromkeys(names)) for names in (made, of_self)))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.arguments, *self.made)))


def changes(node: ast.AST, parent: ast.AST, scope: Scope) -> Changes:
    """What a mend may put in the place of ``node``."""
    for kind in _KINDS.get(type(node), ()):
        yield from kind(node, parent, scope)


# Calls --------------------------------------------------------------------------------------------


def _axes(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    name = _called(node)
    if name not in _ONE_AXIS:
        return
    shown = _shown(node.func)
    for at, arg in enumerate(node.args):
        for other in _AXES if _number(arg) is not None else ():
            if other != _number(arg):
                args = [*node.args[:at], number_node(other), *node.args[at + 1 :]]
                yield "axis", shown, with_field(node, "args", args)
    for at, keyword in enumerate(node.keywords):
        if keyword.arg in _NAMED_AXES and _number(keyword.value) is not None:
            for number in _AXES:
                new = ast.keyword(keyword.arg, number_node(number))
                keywords = [*node.keywords[:at], new, *node.keywords[at + 1 :]]
                yield "axis", shown, with_field(node, "keywords", keywords)
    given = [k for k in node.keywords if k.arg in _NAMED_AXES]
    own = _is_library(node.func.value) if isinstance(node.func, ast.Attribute) else True
    if name in _REDUCES and not given and len(node.args) == own:
        asked = [ast.Name(axis, ast.Load()) for axis in scope.arguments if axis in _NAMED_AXES]
        for chosen in (*asked, *map(number_node, (-1, -2, 0))):
            dim, keep = ast.keyword("dim", chosen), _flag("keepdim", True)
            yield "axis", shown, with_field(node, "keywords", [*node.keywords, dim])
            yield "axis", shown, with_field(node, "keywords", [*node.keywords, dim, keep])
    for at, arg in enumerate(node.args):
        for axis in scope.arguments if _number(arg) is not None else ():
            if axis in _NAMED_AXES:
                args = [*node.args[:at], ast.Name(axis, ast.Load()), *node.args[at + 1 :]]
                yield "axis", shown, with_field(node, "args", args)
    if name in ("transpose", "swapaxes") and len(node.args) >= 2:
        rest = node.args[:-2]
        for one, other in ((-1, -2), (-2, -3), (-1, -3), (0, 1), (1, 2), (2, 3)):
            args = [*rest, number_node(one), number_node(other)]
            yield "axis", shown, with_field(node, "args", args)


def _keepdims(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    if _called(node) in _KEEPS:
        others = [k for k in node.keywords if k.arg not in ("keepdim", "keepdims")]
        word = "keepdims" if _shown(node.func).startswith("np.") else "keepdim"
        if len(others) == len(node.keywords):
            yield (
                "keepdim",
                _shown(node.func),
                with_field(node, "keywords", [*others, _flag(word, True)]),
            )
        else:
            yield "keepdim", _shown(node.func), with_field(node, "keywords", others)


def _corrections(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    if _called(node) in ("var", "std"):
        others = [k for k in node.keywords if k.arg not in ("correction", "unbiased")]
        yield (
            "correction",
            _shown(node.func),
            with_field(node, "keywords", [*others, ast.keyword("correction", ast.Constant(0))]),
        )


def _flags(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """``reverse`` of a sort."""
    if _called(node) in ("sort", "sorted"):
        others = [k for k in node.keywords if k.arg != "reverse"]
        new = others if len(others) < len(node.keywords) else [*others, _flag("reverse", True)]
        yield "order", _shown(node.func), with_field(node, "keywords", new)


def _arguments(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    shown = _shown(node.func)
    for at in range(len(node.args) - 1):
        args = [*node.args[:at], node.args[at + 1], node.args[at], *node.args[at + 2 :]]
        yield "order", shown, with_field(node, "args", args)
    if len(node.args) > 2:
        args = [node.args[-1], *node.args[1:-1], node.args[0]]
        yield "order", shown, with_field(node, "args", args)
    for at, (one, other) in enumerate(pairwise(node.keywords)):
        if one.arg and other.arg:
            swapped = [ast.keyword(one.arg, other.value), ast.keyword(other.arg, one.value)]
            keywords = [*node.keywords[:at], *swapped, *node.keywords[at + 2 :]]
            yield "order", shown, with_field(node, "keywords", keywords)
    for at in range(len(node.keywords)):
        name = f"{node.keywords[at].arg or '**'}="
        yield "left_out", name, with_field(node, "keywords", without(node.keywords, at))
    for at in range(1, len(node.args)):
        yield "left_out", _shown(node.args[at]), with_field(node, "args", without(node.args, at))


def _dropped(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """``f(x)`` is ``x``, and so is ``x.method()``."""
    shown = _shown(node.func)
    if isinstance(node.func, ast.Attribute):
        shown = f".{node.func.attr}()" if not _is_library(node.func.value) else shown
        if not _is_library(node.func.value):
            yield "left_out", shown, node.func.value
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield "left_out", shown, node.args[0]


def _in_place(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    match node.func:
        case ast.Attribute(value=owner, attr=attr) if attr.endswith("_") and attr[0] != "_":
            func = ast.Attribute(owner, attr[:-1], ast.Load())
            yield "in_place", f".{attr}()", with_field(node, "func", func)


def _dtypes(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """What is made follows an argument."""
    if _called(node) in _MAKES and scope.arguments:
        others = [k for k in node.keywords if k.arg != "dtype"]
        follows = ast.Attribute(ast.Name(scope.arguments[0], ast.Load()), "dtype", ast.Load())
        for dtype in (follows, ast.parse("torch.bool", mode="eval").body):
            keywords = [*others, ast.keyword("dtype", dtype)]
            yield "dtype", _shown(node.func), with_field(node, "keywords", keywords)


def _ranges(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    if _called(node) in ("range", "arange") and node.args:
        last = 0 if len(node.args) == 1 else 1
        shown = _shown(node)
        for end in _moved(node.args[last]):
            args = [*node.args[:last], end, *node.args[last + 1 :]]
            yield "bound", shown, with_field(node, "args", args)
        if len(node.args) == 1:
            yield "bound", shown, with_field(node, "args", [ast.Constant(1), *node.args])
        else:
            for begin in _moved(node.args[0]):
                yield "bound", shown, with_field(node, "args", [begin, *node.args[1:]])
    if _called(node) == "enumerate" and len(node.args) == 1 and not node.keywords:
        yield "bound", _shown(node), with_field(node, "args", [*node.args, ast.Constant(1)])


def _cut_apart(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """Axes exchanged after a cut, or before they are joined."""
    name = _called(node)
    if name in ("view", "reshape", "unflatten"):
        for axes in ((-3, -2), (1, 2)):
            yield "transposed", _shown(node.func), _method(node, "transpose", *axes)
    if name in ("view", "reshape", "flatten") and isinstance(node.func, ast.Attribute):
        for axes in ((-3, -2), (1, 2), (-2, -1)):
            owner = _method(node.func.value, "transpose", *axes)
            func = ast.Attribute(owner, "reshape" if name == "view" else name, ast.Load())
            yield "transposed", _shown(node.func), with_field(node, "func", func)


def _masks(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """The mask of masked_fill and where turned round, and -inf for what is filled in."""
    at = {"masked_fill": 0, "masked_fill_": 0, "where": 0}.get(_called(node))
    if at is None or not node.args:
        return
    if isinstance(node.func, ast.Attribute) and _is_library(node.func.value):
        at += _called(node) != "where"
    if at < len(node.args):
        turned = _turned(node.args[at])
        args = [*node.args[:at], turned, *node.args[at + 1 :]]
        yield "turned", _shown(node.args[at]), with_field(node, "args", args)
    if "fill" in _called(node) and at + 1 < len(node.args):
        lowest = ast.parse('float("-inf")', mode="eval").body
        args = [*node.args[: at + 1], lowest]
        yield "number", _shown(node.args[at + 1]), with_field(node, "args", args)


# Numbers, names, operators ------------------------------------------------------------------------


def _numbers(node: ast.Constant, parent: ast.AST, scope: Scope) -> Changes:
    value = node.value
    if isinstance(parent, ast.UnaryOp):
        return  # the number is changed with its sign
    if isinstance(value, bool):
        yield "number", str(value), ast.Constant(not value)
    elif isinstance(value, int) and abs(value) < 1 << 30:
        whole = (value + 1, value - 1, -value, 0, 1, 2, -1, -2)
        yield from (("number", str(value), number_node(other)) for other in dict.fromkeys(whole))
    elif isinstance(value, float):
        others = (0.0, 1.0, -value, value / 2, value * 2, 0.5)
        yield from (("number", f"{value:g}", number_node(other)) for other in others)


def _names(node: ast.Name, parent: ast.AST, scope: Scope) -> Changes:
    if not isinstance(node.ctx, ast.Load) or node.id not in scope.names:
        return
    for other in scope.names:
        if other != node.id:
            yield "name", node.id, ast.Name(other, ast.Load())
    if isinstance(parent, (ast.Compare, ast.Slice, ast.Subscript)):
        yield from (("bound", node.id, moved) for moved in _moved(node))
    if isinstance(parent, (ast.Lambda, ast.Return, ast.Tuple)):
        yield "sign", node.id, ast.UnaryOp(ast.USub(), node)


def _attributes(node: ast.Attribute, parent: ast.AST, scope: Scope) -> Changes:
    if not isinstance(node.ctx, ast.Load):
        return
    if _is_self(node.value):
        for other in scope.attributes:
            if other != node.attr:
                yield "name", _shown(node), ast.Attribute(node.value, other, ast.Load())
    if node.attr in ("T", "mT", "H", "mH"):
        yield "transposed", f".{node.attr}", node.value
        if node.attr == "T":
            yield "transposed", ".T", ast.Attribute(node.value, "mT", ast.Load())
    if node.attr == "data":
        yield "left_out", ".data", node.value
    for other in _SISTERS.get(node.attr, ()):
        if isinstance(parent, ast.Call) and parent.func is node:
            yield "function", _shown(node), ast.Attribute(node.value, other, ast.Load())


def _operators(node: ast.BinOp, parent: ast.AST, scope: Scope) -> Changes:
    left, right = node.left, node.right
    symbol = _SYMBOLS[type(node.op)]
    here = _within(symbol, node)
    for operator in _OPERATORS.get(type(node.op), ()):
        yield "operator", here, ast.BinOp(left, operator(), right)
    if isinstance(node.op, _IN_ORDER):
        yield "sides", here, ast.BinOp(right, node.op, left)
    if isinstance(node.op, ast.MatMult):
        for one, other in ((_t(left), right), (left, _t(right)), (_t(left), _t(right))):
            yield "transposed", here, ast.BinOp(one, node.op, other)
        yield "sides", here, ast.BinOp(_t(right), node.op, left)
        yield "sides", here, ast.BinOp(right, node.op, _t(left))
    if isinstance(node.op, (ast.Div, ast.Mult)):
        for power in (0.5, 2, -1, -0.5):
            raised = ast.BinOp(right, ast.Pow(), number_node(power))
            yield "power", _shown(right), ast.BinOp(left, node.op, raised)
        if isinstance(left, ast.BinOp) and isinstance(left.op, (ast.Add, ast.Sub)):
            yield from _regrouped(left, node)
    match node:  # a + b / c, meant as (a + b) / c
        case ast.BinOp(
            op=ast.Add() | ast.Sub(),
            right=ast.BinOp(left=middle, op=ast.Div() | ast.Mult() as op, right=last),
        ):
            inner = ast.BinOp(left, node.op, middle)
            yield "sides", _within(_SYMBOLS[type(op)], node), ast.BinOp(inner, op, last)
    yield "left_out", f"{symbol} {_shown(right)}", left
    yield "left_out", f"{_shown(left)} {symbol}", right


def _regrouped(left: ast.BinOp, node: ast.BinOp) -> Changes:
    """(a + b) / c meant as a + b / c."""
    inner = ast.BinOp(left.right, node.op, node.right)
    yield "sides", _within(_SYMBOLS[type(node.op)], node), ast.BinOp(left.left, left.op, inner)


def _more(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A root or a logarithm of a sum."""
    if _called(node) in _REDUCES and not isinstance(parent, ast.Attribute):
        for more in ("sqrt", "log", "exp"):
            yield "more", _shown(node.func), _method(node, more)


def _powers(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A square that is missing in a mean or a sum, and a root of a whole."""
    if _called(node) in ("mean", "sum") and isinstance(node.func, ast.Attribute):
        if _is_library(node.func.value) and node.args:
            squared = ast.BinOp(node.args[0], ast.Pow(), ast.Constant(2))
            yield "power", _shown(node.args[0]), with_field(node, "args", [squared, *node.args[1:]])
        elif not _is_library(node.func.value):
            squared = ast.BinOp(node.func.value, ast.Pow(), ast.Constant(2))
            func = ast.Attribute(squared, node.func.attr, ast.Load())
            yield "power", _shown(node.func.value), with_field(node, "func", func)


def _signs(node: ast.UnaryOp, parent: ast.AST, scope: Scope) -> Changes:
    number = _number(node)
    if isinstance(node.op, ast.USub):
        yield "sign", _shown(node), node.operand
        if number is not None:
            for other in (0, 1, 2, number + 1, number - 1):
                yield "number", str(number), number_node(other)
    else:
        yield "turned", _shown(node.operand), node.operand


def _compared(node: ast.Compare, parent: ast.AST, scope: Scope) -> Changes:
    for at, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
            here = _within(_SYMBOLS[type(operator)], node)
            yield "comparison", here, with_field(node, "ops", ops)


def _joined(node: ast.BoolOp, parent: ast.AST, scope: Scope) -> Changes:
    word = "and" if isinstance(node.op, ast.And) else "or"
    yield "condition", word, ast.BoolOp(ast.Or() if word == "and" else ast.And(), node.values)
    for at in range(len(node.values)):
        kept = without(node.values, at)
        shown = _shown(node.values[at])
        yield "left_out", shown, kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)


def _parts(node: ast.Tuple, parent: ast.AST, scope: Scope) -> Changes:
    if isinstance(node.ctx, ast.Load):
        for at in range(len(node.elts) - 1):
            parts = list(node.elts)
            parts[at], parts[at + 1] = parts[at + 1], parts[at]
            yield "order", _shown(node), ast.Tuple(parts, ast.Load())
        if isinstance(parent, ast.Return):
            for part in node.elts:
                yield "returned", _shown(node), part


def _subscripts(node: ast.Subscript, parent: ast.AST, scope: Scope) -> Changes:
    if not isinstance(node.ctx, ast.Load):
        return
    number = _number(node.slice)
    if number is not None and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        for other in _AXES:
            if other != number:
                yield "axis", _shown(node), with_field(node, "slice", number_node(other))
    elif number is None and isinstance(node.slice, (ast.BinOp, ast.Name)):
        for moved in _moved(node.slice):
            yield "bound", _shown(node), with_field(node, "slice", moved)
    yield "left_out", f"[{_shown(node.slice)}]", node.value


def _slices(node: ast.Slice, parent: ast.AST, scope: Scope) -> Changes:
    for bound in ("lower", "upper", "step"):
        value = getattr(node, bound)
        if value is not None:
            yield "bound", _shown(node), with_field(node, bound, None)
            for other in _moved(value):
                yield "bound", _shown(node), with_field(node, bound, other)
    if node.lower is None:
        yield "bound", _shown(node), with_field(node, "lower", ast.Constant(1))
    if node.upper is None:
        yield "bound", _shown(node), with_field(node, "upper", number_node(-1))


# Statements ---------------------------------------------------------------------------------------


def _statements(node: ast.stmt, parent: ast.AST, scope: Scope) -> Changes:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield "line_left_out", _shown(node), ast.Pass()


def _augmented(node: ast.AugAssign, parent: ast.AST, scope: Scope) -> Changes:
    for operator in _OPERATORS.get(type(node.op), ()):
        yield "operator", f"{_SYMBOLS[type(node.op)]}=", with_field(node, "op", operator())
    if isinstance(node.target, ast.Name):
        read = ast.Name(node.target.id, ast.Load())
        value = ast.BinOp(read, node.op, node.value)
        yield "in_place", _shown(node), ast.Assign([node.target], value, lineno=0)


def _returns(node: ast.Return, parent: ast.AST, scope: Scope) -> Changes:
    value = node.value
    if value is None:
        return
    for name in scope.made:
        if not (isinstance(value, ast.Name) and value.id == name):
            yield "returned", _shown(value), ast.Return(ast.Name(name, ast.Load()))
    for other in (_t(value), _method(value, "squeeze", -1), _method(value, "unsqueeze", -1)):
        yield "returned", _shown(value), ast.Return(other)
    for more in ("exp", "log", "sqrt"):
        yield "returned", _shown(value), ast.Return(_method(value, more))
    yield "sign", _shown(value), ast.Return(ast.UnaryOp(ast.USub(), value))
    for name in scope.arguments[:2]:
        dtype = ast.Attribute(ast.Name(name, ast.Load()), "dtype", ast.Load())
        cast = ast.Call(ast.Attribute(value, "to", ast.Load()), [dtype], [])
        yield "dtype", _shown(value), ast.Return(cast)
    yield "returned", _shown(value), ast.Return(ast.Subscript(value, ast.Constant(0), ast.Load()))
    yield "returned", _shown(value), ast.Return(ast.List([value], ast.Load()))


def _branches(node: ast.If | ast.IfExp | ast.While, parent: ast.AST, scope: Scope) -> Changes:
    test = node.test
    if isinstance(test, (ast.Compare, ast.UnaryOp)) or isinstance(node, ast.While):
        return
    yield "condition", _shown(test), with_field(node, "test", ast.UnaryOp(ast.Not(), test))


def _choices(node: ast.IfExp, parent: ast.AST, scope: Scope) -> Changes:
    yield "condition", _shown(node.test), node.body
    yield "condition", _shown(node.test), node.orelse
    yield "condition", _shown(node.test), ast.IfExp(node.test, node.orelse, node.body)


# What they share ----------------------------------------------------------------------------------


def _called(node: ast.Call) -> str:
    """The last part of what is called."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _shown(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _within(symbol: str, node: ast.AST) -> str:
    """Which of several that a line may have."""
    return f"{symbol}` in `{_shown(node)}"


def _number(node: ast.AST) -> int | None:
    """A whole number, also a negative one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = getattr(node.operand, "value", None)
        return -value if type(value) is int else None
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if type(value) is int else None


def _flag(name: str, value: bool) -> ast.keyword:
    return ast.keyword(name, ast.Constant(value))


def _method(value: Any, name: str, *numbers: int) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [*map(number_node, numbers)], [])


def _t(value: ast.expr) -> ast.expr:
    return ast.Attribute(value, "mT", ast.Load())


def _turned(mask: ast.expr) -> ast.expr:
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return mask.operand
    return ast.UnaryOp(ast.Invert(), mask)


def _moved(value: ast.expr) -> Iterator[ast.expr]:
    """One more and one fewer."""
    number = _number(value)
    if number is not None:
        yield from (number_node(number + 1), number_node(number - 1))
        return
    yield ast.BinOp(value, ast.Add(), ast.Constant(1))
    yield ast.BinOp(value, ast.Sub(), ast.Constant(1))


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_library(node: ast.AST) -> bool:
    return _shown(node) in _LIBRARIES


_SISTERS: dict[str, list[str]] = {}
for _one, _other in _PAIRS:
    _SISTERS.setdefault(_one, []).append(_other)
    _SISTERS.setdefault(_other, []).append(_one)

_KINDS: Mapping[type[ast.AST], tuple[Callable[..., Changes], ...]] = {
    ast.Call: (
        _axes, _keepdims, _corrections, _flags, _arguments, _dropped, _in_place, _dtypes, _ranges,
        _cut_apart, _masks, _powers, _more,
    ),
    ast.Constant: (_numbers,),
    ast.Name: (_names,),
    ast.Attribute: (_attributes,),
    ast.BinOp: (_operators,),
    ast.UnaryOp: (_signs,),
    ast.Compare: (_compared,),
    ast.BoolOp: (_joined,),
    ast.Tuple: (_parts,),
    ast.Subscript: (_subscripts,),
    ast.Slice: (_slices,),
    ast.If: (_branches,),
    ast.IfExp: (_branches, _choices),
    ast.Assign: (_statements,),
    ast.AugAssign: (_statements, _augmented),
    ast.Expr: (_statements,),
    ast.Raise: (_statements,),
    ast.Return: (_returns,),
}  # fmt: skip
