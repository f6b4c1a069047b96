"""Mends of calls: another axis, another order, an argument that is too much or missing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from grader.programs.mends.places import (
    AXES,
    Changes,
    Scope,
    called,
    dtype_of,
    flag,
    is_library,
    lowest,
    method,
    moved,
    number_in,
    opposite,
    squared,
    text_of,
)
from grader.programs.slips.places import dotted, number_node, with_field, without

_KEEPS = frozenset((
    "sum", "mean", "amax", "amin", "max", "min", "prod", "var", "std", "norm", "logsumexp", "any",
    "all",
))  # fmt: skip
_REDUCES = _KEEPS | frozenset(("argmax", "argmin", "softmax", "log_softmax", "cumsum", "median"))
_ONE_AXIS = _REDUCES | frozenset((
    "unsqueeze", "squeeze", "cat", "stack", "flatten", "transpose", "swapaxes", "swapdims",
    "permute", "unbind", "split", "chunk", "select", "narrow", "gather", "scatter", "topk", "sort",
    "argsort", "roll", "flip", "diff", "repeat_interleave", "size", "unflatten", "concat",
    "movedim", "index_select",
))  # fmt: skip
# What else may be meant along an axis: max gives a pair there.
_ALONG = {
    "max": (("no_axis", "amax"), ("function", "sum")),
    "min": (("no_axis", "amin"), ("function", "sum")),
    "mean": (("function", "sum"),),
    "sum": (("function", "mean"), ("function", "amax")),
}
_NAMED_AXES = ("dim", "axis", "start_dim", "end_dim", "dim0", "dim1", "dims", "axes")
_MAKES = ("zeros", "ones", "full", "arange", "tensor", "eye", "empty", "linspace")
_EXCHANGES = ("transpose", "swapaxes", "swapdims", "movedim")  # with one axis twice they do nothing
_PAIRS = ((-1, -2), (-2, -3), (-1, -3), (0, 1), (1, 2), (2, 3))  # of axes that are exchanged
_HEADS = ((-3, -2), (1, 2))  # the axes that are exchanged after a cut


def axes(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """Other axes for those that are given, or one where none is."""
    name, shown = called(node), text_of(node.func)
    if name not in _ONE_AXIS:
        return
    asked = [ast.Name(axis, ast.Load()) for axis in scope.arguments if axis in _NAMED_AXES]
    others: list[ast.expr] = [*map(number_node, AXES), *asked]
    for at, arg in enumerate(node.args):
        for other in others if number_in(arg) is not None else ():
            args = [*node.args[:at], other, *node.args[at + 1 :]]
            if name not in _EXCHANGES or len({*map(ast.dump, args[-2:])}) == 2:
                yield _of_axis([arg], [other]), shown, with_field(node, "args", args)
    for at, keyword in enumerate(node.keywords):
        is_axis = keyword.arg in _NAMED_AXES and number_in(keyword.value) is not None
        for other in others if is_axis else ():
            new = ast.keyword(keyword.arg, other)
            keywords = [*node.keywords[:at], new, *node.keywords[at + 1 :]]
            kind = _of_axis([keyword.value], [other])
            yield kind, shown, with_field(node, "keywords", keywords)
    if name in _EXCHANGES and len(node.args) >= 2:
        for pair in _PAIRS:
            new_ones = [*map(number_node, pair)]
            kind = _of_axis(node.args[-2:], new_ones)
            yield kind, shown, with_field(node, "args", [*node.args[:-2], *new_ones])
    yield from _missing_axes(node, asked)


def _of_axis(old: Sequence[ast.expr], new: Sequence[ast.expr]) -> str:
    """The kind of other axes; are they counted from the end, where the old ones are not?"""
    before, after = ([number_in(one) for one in axes] for axes in (old, new))
    front = all(number is not None and number >= 0 for number in before)
    end = all(number is not None and number < 0 for number in after)
    if not (front and end):
        return "axis"
    return "axis_from_the_end" if len(old) == 1 else "axes_from_the_end"


def _missing_axes(node: ast.Call, asked: list[ast.Name]) -> Changes:
    is_function = not isinstance(node.func, ast.Attribute) or is_library(node.func.value)
    given = any(keyword.arg in _NAMED_AXES for keyword in node.keywords)
    if called(node) not in _REDUCES or given or len(node.args) != is_function:
        return
    for other in (*asked, *map(number_node, (-1, -2, 0))):
        dim = ast.keyword("dim", other)
        for more in ([dim], [dim, flag("keepdim", True)]):
            along = with_field(node, "keywords", [*node.keywords, *more])
            yield "no_axis", text_of(node.func), along
            if isinstance(node.func, ast.Attribute):
                for kind, name in _ALONG.get(node.func.attr, ()):
                    func = ast.Attribute(node.func.value, name, ast.Load())
                    yield kind, text_of(node.func), with_field(along, "func", func)


def keepdims(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """Whether the axis stays."""
    if called(node) in _KEEPS:
        shown = text_of(node.func)
        word = "keepdims" if shown.startswith("np.") else "keepdim"
        others = [k for k in node.keywords if k.arg not in ("keepdim", "keepdims")]
        new = others if len(others) < len(node.keywords) else [*others, flag(word, True)]
        yield "keepdim", shown, with_field(node, "keywords", new)


def corrections(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A variance that divides by n."""
    if called(node) in ("var", "std"):
        others = [k for k in node.keywords if k.arg not in ("correction", "unbiased")]
        keywords = [*others, ast.keyword("correction", ast.Constant(0))]
        yield "correction", text_of(node.func), with_field(node, "keywords", keywords)


def sorts(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """The other end first."""
    if called(node) in ("sort", "sorted"):
        others = [k for k in node.keywords if k.arg != "reverse"]
        new = others if len(others) < len(node.keywords) else [*others, flag("reverse", True)]
        yield "order", text_of(node.func), with_field(node, "keywords", new)


def arguments(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """Exchanged, or one left out."""
    shown, args = text_of(node.func), node.args
    for at in range(len(args) - 1):
        swapped = [*args[:at], args[at + 1], args[at], *args[at + 2 :]]
        yield "order", shown, with_field(node, "args", swapped)
    if len(args) > 2:
        yield "order", shown, with_field(node, "args", [args[-1], *args[1:-1], args[0]])
    for at, (one, other) in enumerate(pairwise(node.keywords)):
        if one.arg and other.arg:
            pair = [ast.keyword(one.arg, other.value), ast.keyword(other.arg, one.value)]
            keywords = [*node.keywords[:at], *pair, *node.keywords[at + 2 :]]
            yield "order", shown, with_field(node, "keywords", keywords)
    for at, keyword in enumerate(node.keywords):
        less = with_field(node, "keywords", without(node.keywords, at))
        yield "left_out", f"{keyword.arg or '**'}=", less
    for at in range(1, len(args)):
        yield "left_out", text_of(args[at]), with_field(node, "args", without(args, at))


def dropped(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """``f(x)`` is ``x``, and so is ``x.method()``; ``f(f(x))`` is ``f(x)`` first of all."""
    shown = text_of(node.func)
    if isinstance(node.func, ast.Attribute) and not is_library(node.func.value):
        shown = f".{node.func.attr}()"
        yield "left_out", shown, node.func.value
    if node.args and not isinstance(node.args[0], ast.Starred):
        inner = node.args[0]
        twice = isinstance(inner, ast.Call) and text_of(inner.func) == text_of(node.func)
        yield "part_left_out" if twice else "left_out", shown, inner


def in_place(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A method that writes into its tensor."""
    match node.func:
        case ast.Attribute(value=owner, attr=attr) if attr.endswith("_") and attr[0] != "_":
            func = ast.Attribute(owner, attr[:-1], ast.Load())
            yield "in_place", f".{attr}()", with_field(node, "func", func)


def dtypes(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """What is made follows the first argument, or is a mask."""
    if called(node) in _MAKES and scope.arguments:
        others = [k for k in node.keywords if k.arg != "dtype"]
        for dtype in (dtype_of(scope.arguments[0]), dotted("torch.bool")):
            keywords = [*others, ast.keyword("dtype", dtype)]
            yield "dtype", text_of(node.func), with_field(node, "keywords", keywords)


def ranges(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """One more, one fewer, or counted from 1."""
    shown, args = text_of(node), node.args
    if called(node) in ("range", "arange") and args:
        last = 0 if len(args) == 1 else 1
        for end in moved(args[last]):
            yield "bound", shown, with_field(node, "args", [*args[:last], end, *args[last + 1 :]])
        begins = [ast.Constant(1)] if len(args) == 1 else list(moved(args[0]))
        for begin in begins:
            yield "bound", shown, with_field(node, "args", [begin, *args[last:]])
    if called(node) == "enumerate" and len(args) == 1 and not node.keywords:
        yield "bound", shown, with_field(node, "args", [*args, ast.Constant(1)])


def cuts(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """Axes exchanged after a cut, or before they are joined."""
    name, shown = called(node), text_of(node.func)
    if name in ("view", "reshape", "unflatten"):
        for pair in _HEADS:
            yield "transposed", shown, method(node, "transpose", *pair)
    if name in ("view", "reshape", "flatten") and isinstance(node.func, ast.Attribute):
        for pair in (*_HEADS, (-2, -1)):
            owner = method(node.func.value, "transpose", *pair)
            func = ast.Attribute(owner, "reshape" if name == "view" else name, ast.Load())
            yield "transposed", shown, with_field(node, "func", func)


def masks(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """The mask of masked_fill and where turned round, and -inf for what is filled in."""
    name, args = called(node), node.args
    if name not in ("masked_fill", "masked_fill_", "where"):
        return
    is_function = isinstance(node.func, ast.Attribute) and is_library(node.func.value)
    at = int(is_function and name != "where")
    if at < len(args):
        turned = [*args[:at], opposite(args[at]), *args[at + 1 :]]
        yield "turned", text_of(args[at]), with_field(node, "args", turned)
    if name != "where" and at + 1 < len(args):
        filled = [*args[: at + 1], lowest()]
        yield "number", text_of(args[at + 1]), with_field(node, "args", filled)


def squares(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A mean or a sum of squares."""
    if called(node) not in ("mean", "sum") or not isinstance(node.func, ast.Attribute):
        return
    owner, args = node.func.value, node.args
    if not is_library(owner):
        func = ast.Attribute(squared(owner), node.func.attr, ast.Load())
        yield "power", text_of(owner), with_field(node, "func", func)
    elif args:
        yield "power", text_of(args[0]), with_field(node, "args", [squared(args[0]), *args[1:]])


def more(node: ast.Call, parent: ast.AST, scope: Scope) -> Changes:
    """A root or a logarithm of a sum."""
    if called(node) in _REDUCES and not isinstance(parent, ast.Attribute):
        for name in ("sqrt", "log", "exp"):
            yield "more", text_of(node.func), method(node, name)
