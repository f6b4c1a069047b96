"""What the shapes in a line tell of why they do not fit."""

from __future__ import annotations

import re
from itertools import permutations

from grader.errors import OwnLine
from grader.examiner.functions_in import arguments
from grader.model import Fact

Shape = tuple[int, ...]
_PRODUCTS = re.compile(r"((?:self\.)?\w+) *@ *((?:self\.)?\w+)(?![\w.(\[])")


def lost_axis(line: OwnLine) -> dict[str, Fact]:
    """The first name in a line whose shape is that of another, ``whole``, but for one axis that no
    broadcasting puts back, as it does the first. Nothing if there is none.
    """
    shapes = _shapes(line)
    for (name, shape), (other, whole) in permutations(shapes.items(), 2):
        if len(shape) + 1 == len(whole) and _without_one(whole, shape):
            return {"name": name, "whole": other}
    return {}


def counted_from_the_front(line: OwnLine) -> str:
    """A name in a line that is indexed along fewer axes than it has, so along its first ones; empty
    if there is none.
    """
    for name, shape in _shapes(line).items():
        found = re.search(rf"(?<![\w.]){re.escape(name)}\[", line.text)
        items = (arguments(line.text[found.end() :]) or []) if found else []
        if "..." not in items and 1 < len(items) < len(shape):
            return name
    return ""


def one_for_all(line: OwnLine) -> dict[str, Fact]:
    """A name in a line of which one place is taken along an ``axis`` of size 1, behind others that
    are taken whole; nothing if there is none.
    """
    for name, shape in _shapes(line).items():
        found = re.search(rf"(?<![\w.]){re.escape(name)}\[((?::\s*,\s*)+)\w+\s*[,\]]", line.text)
        axis = found[1].count(":") if found else len(shape)
        if axis < len(shape) and shape[axis] == 1:
            return {"name": name, "axis": axis}
    return {}


def other_factor(line: OwnLine) -> dict[str, Fact]:
    """Of the first product of two names that does not fit, ``left`` and ``right``: the right side
    of another product in the line with which it would, and so would that; nothing unless there is
    just one.
    """
    unfit, shapes = unfit_factors(line), _shapes(line)
    if not unfit:
        return {}
    one, other = shapes[str(unfit["left"])], shapes[str(unfit["right"])]
    fit = [n for n, s in shapes.items() if len(s) == len(other) and _fits(one, s)]
    fit = [name for name in fit if name not in unfit.values()]
    beside = [shapes.get(a) for a, b in _PRODUCTS.findall(line.text) if b in fit]
    if len(fit) != 1 or not beside or not all(a is None or _fits(a, other) for a in beside):
        return {}
    return {**unfit, "name": fit[0]}


def unfit_factors(line: OwnLine) -> dict[str, Fact]:
    """``left`` and ``right`` of the first product of two names that does not fit."""
    shapes = _shapes(line)
    for left, right in _PRODUCTS.findall(line.text):
        one, other = shapes.get(left), shapes.get(right)
        if one and other and not _fits(one, other):
            return {"left": left, "right": right}
    return {}


def _fits(left: Shape, right: Shape) -> bool:
    return bool(left and right) and left[-1] == right[-min(len(right), 2)]


def alike(line: OwnLine) -> dict[str, Fact]:
    """``left`` and ``right`` of the first product of two names that are of one shape: more often
    than not the product of their elements is meant, or the right one is to be transposed.
    """
    shapes = _shapes(line)
    for left, right in _PRODUCTS.findall(line.text):
        if left != right and shapes.get(left) and shapes.get(left) == shapes.get(right):
            return {"left": left, "right": right}
    return {}


def index_of_the_whole(line: OwnLine) -> str:
    """A tensor of one number that stands between [ ]; empty if there is none."""
    for name, shape in _shapes(line).items():
        if shape == () and re.search(rf"\[(?:[^\[\]]*,)?\s*{re.escape(name)}\s*[\],]", line.text):
            return name
    return ""


def two_rows(line: OwnLine) -> dict[str, Fact]:
    """The only two tensors of a line, if both are rows, and of different lengths."""
    shapes = [(name, shape) for name, shape in _shapes(line).items() if shape]
    if len(shapes) != 2 or any(len(shape) != 1 or shape[0] < 2 for _, shape in shapes):
        return {}
    (left, one), (right, other) = shapes
    return {"left": left, "right": right} if one != other else {}


def may_be_product(line: OwnLine) -> bool:
    """Whether two of a line's matrices could be multiplied; where too little is known of them,
    whether it holds a product and nothing else.
    """
    shapes = _shapes(line)
    if len(shapes) < 2:
        return not re.search(r"[-+\[]", line.text)
    matrices = [shape for shape in shapes.values() if len(shape) > 1]
    return any(one[-1] == other[-2] for one, other in permutations(matrices, 2))


def _shapes(line: OwnLine) -> dict[str, Shape]:
    return {name: held for name, held in line.held if isinstance(held, tuple)}


def _without_one(whole: Shape, shape: Shape) -> bool:
    """Whether the shape lacks one axis of the whole, and does not fit it from the last axis on."""
    return shape != whole[1:] and any(
        shape == whole[:at] + whole[at + 1 :] for at in range(1, len(whole))
    )
