"""The kinds of slips: what one place of a program may become, from its syntax tree.

``others(node, around)`` gives, for one expression or statement, those that a slip may put in its
place. Each kind is a small function in a table by the type of the node; a new kind is a new line
there. Some results do not compile or change nothing: ``slips`` leaves these out.
"""

from __future__ import annotations

import ast
import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

Others = Iterator[ast.AST]

_MOST_WORDS = 3
_TORCH_METHODS = frozenset(dir(torch.Tensor))
_OPERATORS: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
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


@dataclass(frozen=True)
class Around:
    """What surrounds a place: for a name, and for an attribute of ``self``, the others of its kind
    that could be meant; and the words that the page compares with.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Sequence[str] = ()


def others(node: ast.AST, around: Around) -> Others:
    """What a slip may make of ``node``."""
    for kind in _KINDS.get(type(node), ()):
        yield from kind(node, around)


# Numbers, words, names ----------------------------------------------------------------------------


def _constants(node: ast.Constant, around: Around) -> Others:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from map(_number, (0, 1, -1, value + 1, value - 1))
    elif isinstance(value, float):
        yield from map(_number, (value * 2, value / 2, 0.0, 1.0, -value))
    elif isinstance(value, str):
        yield from map(ast.Constant, _next_to(value, around.words))


def _next_to(word: str, words: Sequence[str]) -> list[str]:
    """A few others: those that follow in the alphabet, and after the last one the first."""
    at = bisect.bisect_right(words, word)
    following = [*words[at:], *words[:at]]
    return [other for other in following if other != word][:_MOST_WORDS]


def _signs(node: ast.UnaryOp, around: Around) -> Others:
    yield node.operand  # `not`, `-` and `~` dropped
    number = node.operand.value if isinstance(node.operand, ast.Constant) else None
    if isinstance(node.op, ast.USub) and type(number) is int:
        yield from map(_number, (0, 1, -number - 1, 1 - number))


def _names(node: ast.Name, around: Around) -> Others:
    if isinstance(node.ctx, ast.Load):
        yield from (ast.Name(other, ast.Load()) for other in around.names.get(node.id, ()))


def _attributes(node: ast.Attribute, around: Around) -> Others:
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


def _operators(node: ast.BinOp, around: Around) -> Others:
    left, right = node.left, node.right
    for operator in _OPERATORS.get(type(node.op), ()):
        yield ast.BinOp(left, operator(), right)
    if isinstance(node.op, _IN_ORDER):
        yield ast.BinOp(right, node.op, left)
    yield left
    yield right
    if isinstance(node.op, _TENSORS):
        yield from (ast.BinOp(side, node.op, right) for side in _detached(left))
        yield from (ast.BinOp(left, node.op, side) for side in _detached(right))


def _comparisons(node: ast.Compare, around: Around) -> Others:
    for number, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            ops = [*node.ops[:number], other(), *node.ops[number + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)


def _junctions(node: ast.BoolOp, around: Around) -> Others:
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for number in range(len(node.values)):
        kept = _without(node.values, number)
        yield kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)


def _choices(node: ast.IfExp, around: Around) -> Others:
    yield node.body
    yield node.orelse
    yield ast.IfExp(node.test, node.orelse, node.body)


# Calls --------------------------------------------------------------------------------------------


def _arguments(node: ast.Call, around: Around) -> Others:
    """Swapped or left out."""
    args, keywords = node.args, node.keywords
    for number in range(len(args)):
        if len(args) > 1 or not isinstance(node.func, ast.Name):
            yield ast.Call(node.func, _without(args, number), keywords)
    for number in range(len(args) - 1):
        swapped = [*args[:number], args[number + 1], args[number], *args[number + 2 :]]
        yield ast.Call(node.func, swapped, keywords)
    for number in range(len(keywords)):
        yield ast.Call(node.func, args, _without(keywords, number))


def _dropped_calls(node: ast.Call, around: Around) -> Others:
    """``f(x)`` becomes ``x``, and so does ``x.method()``."""
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute):
        yield node.func.value


def _in_place(node: ast.Call, around: Around) -> Others:
    match node.func:
        case ast.Attribute(value=value, attr=attr) if attr[:1] != "_" and (
            value_is_object := ast.unparse(value) not in ("torch", "F", "np", "math")
        ):
            other = attr[:-1] if attr.endswith("_") else f"{attr}_"
            if value_is_object and other in _TORCH_METHODS:
                func = ast.Attribute(value, other, ast.Load())
                yield ast.Call(func, node.args, node.keywords)


def _fixed(node: ast.Call, around: Around) -> Others:
    """A device or a dtype that follows nothing."""
    fixed = {"device": ast.Constant("cpu"), "dtype": _dotted("torch.float32")}
    for number, keyword in enumerate(node.keywords):
        if keyword.arg in fixed:
            other = ast.keyword(keyword.arg, fixed[keyword.arg])
            keywords = [*node.keywords[:number], other, *node.keywords[number + 1 :]]
            yield ast.Call(node.func, node.args, keywords)


def _registrations(node: ast.Call, around: Around) -> Others:
    """A parameter without gradients, a buffer that is not saved."""
    called = ast.unparse(node.func)
    flag = {"nn.Parameter": "requires_grad", "self.register_buffer": "persistent"}.get(called)
    if flag and not any(keyword.arg == flag for keyword in node.keywords):
        keyword = ast.keyword(flag, ast.Constant(False))
        yield ast.Call(node.func, node.args, [*node.keywords, keyword])


def _ranges(node: ast.Call, around: Around) -> Others:
    if ast.unparse(node.func) in ("range", "torch.arange") and node.args:
        last = 0 if len(node.args) == 1 else 1
        for end in _shifted(node.args[last]):
            args = [*node.args[:last], end, *node.args[last + 1 :]]
            yield ast.Call(node.func, args, node.keywords)
        if len(node.args) == 1:
            yield ast.Call(node.func, [ast.Constant(1), *node.args], node.keywords)


# Rows and parts -----------------------------------------------------------------------------------


def _slices(node: ast.Slice, around: Around) -> Others:
    for bound in ("lower", "upper", "step"):
        value = getattr(node, bound)
        if value is not None:
            yield _with(node, bound, None)
            if not isinstance(value, (ast.Constant, ast.UnaryOp)):  # these are numbers themselves
                yield from (_with(node, bound, other) for other in _shifted(value))


def _parts(node: ast.Tuple, around: Around) -> Others:
    """Neighbours exchanged."""
    if isinstance(node.ctx, ast.Load):
        for number in range(len(node.elts) - 1):
            parts = list(node.elts)
            parts[number], parts[number + 1] = parts[number + 1], parts[number]
            yield ast.Tuple(parts, ast.Load())


def _conditions(node: ast.AST, around: Around) -> Others:
    """Of a comprehension: one dropped."""
    for place, generator in enumerate(getattr(node, "generators", ())):
        for number in range(len(generator.ifs)):
            changed = _with(generator, "ifs", _without(generator.ifs, number))
            generators = getattr(node, "generators")  # noqa: B009
            yield _with(
                node, "generators", [*generators[:place], changed, *generators[place + 1 :]]
            )


# Statements ---------------------------------------------------------------------------------------


def _dropped(node: ast.stmt, around: Around) -> Others:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield ast.Pass()


def _assignments(node: ast.Assign, around: Around) -> Others:
    yield from (_with(node, "value", value) for value in _detached(node.value))
    match node:
        case ast.Assign(targets=[ast.Name() as name], value=ast.BinOp(left=left, op=op) as value):
            if ast.unparse(left) == name.id:
                yield ast.AugAssign(ast.Name(name.id, ast.Store()), op, value.right)


def _augmented(node: ast.AugAssign, around: Around) -> Others:
    yield ast.Assign([node.target], node.value, lineno=0)
    for operator in _OPERATORS.get(type(node.op), ()):
        yield ast.AugAssign(node.target, operator(), node.value)
    yield from (ast.AugAssign(node.target, node.op, value) for value in _detached(node.value))


def _returns(node: ast.Return, around: Around) -> Others:
    if node.value is not None:
        yield from (ast.Return(value) for value in _detached(node.value))
        if isinstance(node.value, ast.Tuple):
            for number, value in enumerate(node.value.elts):
                for other in _detached(value):
                    parts = [*node.value.elts[:number], other, *node.value.elts[number + 1 :]]
                    yield ast.Return(ast.Tuple(parts, ast.Load()))


def _buffers(node: ast.Expr, around: Around) -> Others:
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


# What these share ---------------------------------------------------------------------------------


def _detached(value: ast.expr) -> Iterator[ast.expr]:
    """What holds a tensor, if it does, cut off from the graph."""
    if isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)):
        yield ast.Call(ast.Attribute(value, "detach", ast.Load()), [], [])


def _shifted(value: ast.expr) -> Iterator[ast.expr]:
    for operator in (ast.Add(), ast.Sub()):
        yield ast.BinOp(value, operator, ast.Constant(1))


def _number(value: float) -> ast.expr:
    number = ast.Constant(abs(value))
    return ast.UnaryOp(ast.USub(), number) if value < 0 else number


def _dotted(name: str) -> ast.expr:
    return ast.parse(name, mode="eval").body


def _with(node: ast.AST, name: str, value: object) -> ast.AST:
    return type(node)(**{**dict(ast.iter_fields(node)), name: value}, lineno=0)


def _without(items: Sequence[ast.AST], number: int) -> list[ast.AST]:
    return [*items[:number], *items[number + 1 :]]


_KINDS: Mapping[type[ast.AST], tuple[Callable[..., Others], ...]] = {
    ast.Constant: (_constants,),
    ast.UnaryOp: (_signs,),
    ast.Name: (_names,),
    ast.Attribute: (_attributes,),
    ast.BinOp: (_operators,),
    ast.Compare: (_comparisons,),
    ast.BoolOp: (_junctions,),
    ast.IfExp: (_choices,),
    ast.Call: (_arguments, _dropped_calls, _in_place, _fixed, _registrations, _ranges),
    ast.Slice: (_slices,),
    ast.Tuple: (_parts,),
    ast.ListComp: (_conditions,),
    ast.GeneratorExp: (_conditions,),
    ast.DictComp: (_conditions,),
    ast.Assign: (_dropped, _assignments),
    ast.AugAssign: (_dropped, _augmented),
    ast.Expr: (_dropped, _buffers),
    ast.Return: (_returns,),
    ast.Raise: (_dropped,),
    ast.For: (_dropped,),
}
