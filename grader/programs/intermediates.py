"""What a function computes on its way to what it returns: every expression and every name, what it
is made from, and a page that returns it in the function's place.

As for mends, only what is short and not nested deeply is parsed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grader.programs.mends.made import Stretch, parsed
from grader.programs.mends.places import is_library, is_self

_LONGEST = 70  # letters, of an expression that is spoken of
_COMPUTED = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.IfExp,
)  # fmt: skip
# What has names of its own, which are not there where the function could return.
_CLOSED = (
    ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr,
    ast.Await, ast.Yield, ast.YieldFrom,
)  # fmt: skip


@dataclass(frozen=True)
class Intermediate:
    """A value on the way. ``words`` name it, in a ``line`` counted from 1; ``text`` is the page
    whose function returns it twice, in a list, as soon as it is there. ``made_from`` are others, by
    their places among all; of a name that ``is_read``, that is whatever has set it before, of which
    the last counts that was come to. In a loop it is the first round's. What ``is_returned`` is
    all, or a part, of what the function gives.
    """

    line: int
    words: str
    text: str
    made_from: tuple[int, ...]
    is_read: bool = False
    in_loop: bool = False
    is_returned: bool = False


def intermediates(text: str, where: Stretch) -> list[Intermediate]:
    """Those of the function that stands there, in the order in which Python comes to them; none if
    it is not read.
    """
    lines = text.splitlines(keepends=True)
    function = parsed("".join(lines[where.first - 1 : where.last]))
    if function is None:
        return []
    way = _Way(lines, where.first - 2)  # it was parsed one line further down
    way.walk(function.body)
    return way.found


@dataclass
class _Way:
    lines: Sequence[str]
    above: int
    found: list[Intermediate] = field(default_factory=list)
    _set: dict[str, list[int]] = field(default_factory=dict)
    _loops: int = 0
    _only_if: list[str] = field(default_factory=list)

    def walk(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, (ast.For, ast.While)):
                self._loops += 1
                self.walk([*statement.body, *statement.orelse])
                self._loops -= 1
            elif isinstance(statement, (ast.If, ast.With, ast.Try)):
                self.walk([*statement.body, *getattr(statement, "orelse", ())])
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._assign(statement)
            elif isinstance(statement, ast.Return) and statement.value is not None:
                self._evaluate(statement.value, statement)
            elif isinstance(statement, ast.Expr):
                made_from = self._evaluate(statement.value, statement)
                if (changed := _whose_method(statement.value)) is not None:
                    self._note(changed, statement, made_from, sets=changed.id)

    def _assign(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """What is assigned, then each name that it is assigned to; one that is changed in part, or
        in place, is made from what it was as well.
        """
        if statement.value is None:
            return
        value = statement.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        made_from = [self._evaluate(part, statement) for part in parts]
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            changed = isinstance(statement, ast.AugAssign) or isinstance(target, ast.Subscript)
            whole = target.value if isinstance(target, ast.Subscript) else target
            names = whole.elts if isinstance(whole, ast.Tuple) else [whole]
            for n, name in enumerate(names):
                if isinstance(name, ast.Name):
                    before = self._evaluate(name, statement) if changed else ()
                    own = made_from[n] if len(made_from) == len(names) else sum(made_from, ())
                    self._note(name, statement, (*before, *own), sets=name.id)

    def _evaluate(self, node: ast.expr, statement: ast.stmt) -> tuple[int, ...]:
        """The places of what ``node`` is made from, or its own."""
        if isinstance(node, _CLOSED) or is_library(node) or is_self(node):
            return ()
        if isinstance(node, ast.Name):
            return (self._note(node, statement, tuple(self._set.get(node.id, ()))),)
        if isinstance(node, ast.IfExp):
            parts = self._of_branches(node, statement)
        else:
            parts = tuple(n for part in _parts(node) for n in self._evaluate(part, statement))
        is_computed = isinstance(node, _COMPUTED) and not _is_number(node)
        return (self._note(node, statement, parts),) if is_computed else parts

    def _of_branches(self, node: ast.IfExp, statement: ast.stmt) -> tuple[int, ...]:
        """Of the test, and of each branch, which is only come to if the test says so."""
        found = self._evaluate(node.test, statement)
        test = f"({ast.unparse(node.test)})"
        for branch, only_if in ((node.body, test), (node.orelse, f"not {test}")):
            self._only_if.append(only_if)
            found += self._evaluate(branch, statement)
            self._only_if.pop()
        return found

    def _note(
        self, node: ast.expr, statement: ast.stmt, made_from: tuple[int, ...], sets: str = ""
    ) -> int:
        of_result = isinstance(statement, ast.Return) and _stands_in(node, statement.value)
        self.found.append(
            Intermediate(
                self.above + node.lineno,
                _words(node),
                self._returning(node, statement, after=bool(sets)),
                made_from,
                isinstance(node, ast.Name) and not sets,
                self._loops > 0,
                of_result,
            )
        )
        place = len(self.found) - 1
        if sets:
            self._set.setdefault(sets, []).append(place)
        return place

    def _returning(self, node: ast.expr, statement: ast.stmt, *, after: bool) -> str:
        """The page that returns it where the ``statement`` begins, or ``after`` it, if it is come
        to; empty where the statement has no line to itself.
        """
        first = self.lines[self.above + statement.lineno - 1]
        margin = first[: len(first) - len(first.lstrip())]
        if len(margin.encode()) != statement.col_offset:
            return ""
        assert statement.end_lineno is not None
        at = self.above + (statement.end_lineno if after else statement.lineno - 1)
        only_if = f"if {' and '.join(self._only_if)}: " if self._only_if else ""
        line = f"{margin}{only_if}return 2 * [{ast.unparse(node)}]\n"
        return "".join([*self.lines[:at], line, *self.lines[at:]])


def _words(node: ast.expr) -> str:
    """On one line; of what is long the beginning and the end, where its last step stands."""
    text = " ".join(ast.unparse(node).split()).replace("'", '"')
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions right below it; of a call not the function, but whose method it is."""
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Call) and child is node.func:
            if isinstance(child, ast.Attribute):
                yield child.value
        elif isinstance(child, ast.keyword):
            yield child.value
        elif isinstance(child, ast.expr):
            yield child


def _whose_method(node: ast.expr) -> ast.Name | None:
    """Of a call that nothing takes: what it may have changed, as ``rows.append(x)`` does."""
    method = node.func if isinstance(node, ast.Call) else None
    owner = method.value if isinstance(method, ast.Attribute) else None
    return owner if isinstance(owner, ast.Name) and not is_library(owner) else None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _stands_in(node: ast.expr, result: ast.expr | None) -> bool:
    """Whether it is what is returned, or one of several things that are."""
    return node is result or (isinstance(result, (ast.Tuple, ast.List)) and node in result.elts)
