"""What a page prints beside the places to fill in: signatures, and code that is given.

Read from the stub, which is ours; of a submission's text nothing is parsed here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from grader.course.course import Course
from grader.course.release import untouched
from grader.errors import MarkerError, OwnLine

Function = ast.FunctionDef | ast.AsyncFunctionDef

# A closing mark may open the next: of what is quoted nothing is missed, and what lies between does
# no harm.
_QUOTED = re.compile(r"([\"'`])([^\"'`\n]{1,40})(?=\1)")
_UNWRITTEN = "raise NotImplementedError"  # in every place that is to be filled in, see ``markers``


@dataclass(frozen=True)
class Signature:
    """``shown`` is it in one line, ``softmax(x, dim=-1)``; ``axes`` are those that the page names,
    by argument, in the arguments' order: ``{"x": "B T d_model", "dim": ""}``.
    """

    shown: str
    axes: Mapping[str, str]


@dataclass(frozen=True)
class Printed:
    """By the name of a function, ``Class.method`` or ``function``: its signature, and of those that
    are given the lines and the names ``used`` in them. ``quoted`` are the short texts that stand in
    quotation marks anywhere on the page, or are set as code.
    """

    signatures: Mapping[str, Signature] = field(default_factory=dict)
    given: Mapping[str, frozenset[str]] = field(default_factory=dict)
    used: Mapping[str, frozenset[str]] = field(default_factory=dict)
    quoted: frozenset[str] = frozenset()

    def gives(self, line: OwnLine) -> bool:
        """Whether a line of the submission's is one that the page gave, and nobody has changed."""
        return line.text in self.given.get(line.within, ())

    def called(self, name: str, type_name: str = "") -> Signature | None:
        """Of what a check or a traceback calls so; a class is called by its ``__init__``, and a
        module, which is called by no name, by its ``forward``.
        """
        if type_name:
            name = f"{type_name}.{name.strip('.') or 'forward'}"
        return self.signatures.get(name) or self.signatures.get(f"{name}.__init__")


def printed_in(course: Course, name: str) -> Printed:
    """On the page of an exercise; nothing when there is no such page."""
    try:
        return _read(untouched(course, name))
    except (OSError, ValueError, SyntaxError, MarkerError):
        return Printed()


@cache
def _read(stub: str) -> Printed:
    functions = dict(_functions(ast.parse(stub)))
    given = {name: made for name, made in functions.items() if _UNWRITTEN not in ast.unparse(made)}
    lines = stub.split("\n")
    return Printed(
        {name: _signature(name, made) for name, made in functions.items()},
        {name: _lines_of(made, lines) for name, made in given.items()},
        {name: _names_in(made) for name, made in given.items()},
        frozenset(found[2] for found in _QUOTED.finditer(stub)),
    )


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{node.name}.")


def _lines_of(made: Function, lines: list[str]) -> frozenset[str]:
    return frozenset(line.strip() for line in lines[made.lineno - 1 : made.end_lineno])


def _names_in(made: Function) -> frozenset[str]:
    nodes = list(ast.walk(made))
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    return frozenset(keywords | {node.id for node in nodes if isinstance(node, ast.Name)})


def _signature(name: str, made: Function) -> Signature:
    owner, _, method = name.rpartition(".")
    every = [*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs]
    axes = {arg.arg: _axes(arg.annotation) for arg in every if arg.arg != "self"}
    for arg in every:
        arg.annotation = None
    arguments = ast.unparse(made.args).removeprefix("self").removeprefix(", ")
    return Signature(f"{owner if method == '__init__' else method}({arguments})", axes)


def _axes(annotation: ast.expr | None) -> str:
    """The names of the axes in ``Float[Tensor, "B T d_model"]``; without any, nothing."""
    for node in ast.walk(annotation) if annotation is not None else ():
        match node:
            case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(axes))])):
                return axes
    return ""
