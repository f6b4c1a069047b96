"""Automatic slips: a page with one place of one body changed, by its syntax tree.

Only what stands between the markers is changed, and the defaults of arguments, which are part of
what a page promises. The same page gives the same slips, in the same order. None of them fails to
compile, and no two are the same program.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from grader.course.markers import BEGIN, END
from grader.programs.slips.kinds import others
from grader.programs.slips.places import Around
from grader.programs.slips.statements import fixed_tests
from grader.programs.slips.written import spliced, written

Key = tuple[str, str, str, int]
_LONGEST_WORD = 16


@dataclass(frozen=True)
class AutomaticSlip:
    """One place changed: in ``function``, the line ``before`` becomes ``after``, each on one line
    without its indentation. If the same lines are changed so in several places of the function,
    ``place`` counts them from 1. ``text`` is the whole page, ``line`` where it differs.
    """

    function: str
    before: str
    after: str
    place: int
    line: int
    text: str

    @property
    def key(self) -> Key:
        """What it is known by when other lines of the page have changed."""
        return self.function, self.before, self.after, self.place

    @cached_property
    def digest(self) -> str:
        """Eight digits of a number that the key gives: a name, and by chance in every share."""
        return hashlib.sha256("\0".join(map(str, self.key)).encode()).hexdigest()[:8]

    def diff(self, page: str, name: str) -> str:
        """As a small unified diff of the page called ``name``."""
        old, new = page.splitlines(keepends=True), self.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, f"{name}.py", f"{name}.py", n=1))


def slips_of(text: str) -> list[AutomaticSlip]:
    """All slips of a page, in the order of the text."""
    page = _Page(text)
    seen = {"", *(page.dumped(text, top) for top in page.tree.body)}  # "" does not compile
    places = Counter[Key]()
    found: list[AutomaticSlip] = []
    for top in page.tree.body:
        for slip in page.changes_in(top):
            dumped = page.dumped(slip.text, top)
            if dumped in seen:
                continue
            seen.add(dumped)
            places[slip.key] += 1
            found.append(replace(slip, place=places[slip.key]))
    return found


class _Page:
    """A page's text and tree, and the slips of each of its functions and classes."""

    def __init__(self, text: str) -> None:
        self.text, self.tree = text, ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self._bodies = set(_lines_of_bodies(text))
        self._words = sorted(_words_in(self.tree, self._bodies))

    def changes_in(self, top: ast.stmt) -> Iterator[AutomaticSlip]:
        """Not yet numbered, and some of them twice."""
        if isinstance(top, ast.ClassDef):
            attributes = _alike(_kinds_of_attributes(top))
            for node in top.body:
                if isinstance(node, ast.FunctionDef):
                    yield from self._in_function(node, f"{top.name}.{node.name}", attributes)
        elif isinstance(top, ast.FunctionDef):
            yield from self._in_function(top, top.name, {})

    def _in_function(
        self, function: ast.FunctionDef, name: str, attributes: dict[str, list[str]]
    ) -> Iterator[AutomaticSlip]:
        if not self._bodies & set(range(function.lineno, (function.end_lineno or 0) + 1)):
            return
        around = Around(_alike(_kinds_of_arguments(function)), attributes, self._words)
        if function.name != "__init__":  # parameters want gradients wherever they are made
            yield self._without_gradients(function, name)
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if default is not None:
                yield from self._changed(default, function, name, around)
        for statement in function.body:
            yield from self._within(statement, function, name, around)

    def _within(
        self, node: ast.AST, parent: ast.AST, name: str, around: Around
    ) -> Iterator[AutomaticSlip]:
        """Slips of a node and of all below it; parents come first."""
        if isinstance(node, (ast.expr, ast.stmt)) and node.lineno in self._bodies:
            yield from self._changed(node, parent, name, around)
        for child in _below(node):
            yield from self._within(child, node, name, around)

    def _changed(
        self, node: ast.expr | ast.stmt, parent: ast.AST, name: str, around: Around
    ) -> Iterator[AutomaticSlip]:
        for other in others(node, around):
            yield self._slip(name, node, written(other, parent, node))
        for test in fixed_tests(node):
            place: ast.expr = node.test  # type: ignore[union-attr]
            yield self._slip(name, place, written(test, node, place))

    def _without_gradients(self, function: ast.FunctionDef, name: str) -> AutomaticSlip:
        indent = " " * function.col_offset
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        inserted = f"{indent}@torch.no_grad()\n"
        text = "".join([*self.lines[: first - 1], inserted, *self.lines[first - 1 :]])
        return AutomaticSlip(name, "", inserted.strip(), 1, first, text)

    def _slip(self, function: str, node: ast.expr | ast.stmt, new: str) -> AutomaticSlip:
        assert node.end_lineno is not None
        first, last = node.lineno - 1, node.end_lineno - 1
        old, changed = self.lines[first : last + 1], spliced(self.lines, node, new)
        text = "".join([*self.lines[:first], *changed, *self.lines[last + 1 :]])
        before, after = _differing(old, changed)
        return AutomaticSlip(function, before, after, 1, first + 1, text)

    def dumped(self, text: str, top: ast.stmt) -> str:
        """The tree of a function or class in ``text``, which differs from the page in no other;
        nothing if it does not compile.
        """
        following = [node for node in self.tree.body if node.lineno > top.lineno]
        after = len(self.lines) - (_first_line(following[0]) - 1 if following else len(self.lines))
        lines = text.splitlines(keepends=True)
        own = "".join(lines[_first_line(top) - 1 : len(lines) - after])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Python itself says of some that they make no sense
                tree = ast.parse(own)
                compile(tree, "<slip>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return ""
        return ast.dump(tree)


# What is changed ----------------------------------------------------------------------------------


def _lines_of_bodies(text: str) -> Iterator[int]:
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        inside = line.strip() == BEGIN or (inside and line.strip() != END)
        if inside:
            yield number


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that may be changed: no annotations, no messages, no parts of what is a
    number as a whole.
    """
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.FunctionDef)):
        yield from getattr(node, "body", ())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return
    else:
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "msg"):
                parts = value if isinstance(value, list) else [value]
                yield from (part for part in parts if isinstance(part, ast.AST))


def _words_in(tree: ast.AST, lines: set[int]) -> set[str]:
    """Words that bodies compare with or ask for, like "relu"."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.lineno in lines
        and node.value.isidentifier()
        and len(node.value) <= _LONGEST_WORD
    }


def _kinds_of_arguments(function: ast.FunctionDef) -> dict[str, str]:
    """By name, what an argument is: a tensor, whatever its shape, a number, a module."""
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    kinds = {arg.arg: ast.unparse(arg.annotation) for arg in given if arg.annotation}
    tensor = ("Tensor", "Float[", "Bool[", "Int[", "Shaped[", "Array")
    return {name: "Tensor" if kind.startswith(tensor) else kind for name, kind in kinds.items()}


def _kinds_of_attributes(owner: ast.ClassDef) -> dict[str, str]:
    """By name, what an attribute of ``self`` is made by, or the argument it is."""
    kinds = {}
    for node in ast.walk(owner):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)]):
                made = node.value.func if isinstance(node.value, ast.Call) else node.value
                kinds[attr] = "a number" if isinstance(made, ast.Name) else ast.unparse(made)
    return kinds


def _alike(kinds: dict[str, str]) -> dict[str, list[str]]:
    return {
        name: [other for other in kinds if other != name and kinds[other] == kind]
        for name, kind in kinds.items()
    }


# As text ------------------------------------------------------------------------------------------


def _differing(old: list[str], new: list[str]) -> tuple[str, str]:
    """Without the lines they begin and end with alike, each on one line."""
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return _one_line(old), _one_line(new)


def _one_line(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
