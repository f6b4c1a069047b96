"""A solution as the cells of a notebook: the same page, cut where a reader would pause.

Prose comes from the docstrings, every function or class with a solution gets a cell of its own,
what lies between is locked, and every check of the suite is one locked cell with its points.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from grader.bridges import words
from grader.bridges.prose import markdown
from grader.collect.notebook import Page
from grader.course.course import Course
from grader.course.figures import figures_there
from grader.course.imports import own_modules
from grader.course.markers import BEGIN, END, marked_again
from grader.course.suite_text import CheckText, read_suite
from grader.model import Exercise
from grader.pictures import has_scene

CHECK_ALL = "check-all"


class CellKind(StrEnum):
    """What a cell is for. Only ``given`` and ``solution`` are part of the module."""

    PROSE = "prose"
    GIVEN = "given"
    SOLUTION = "solution"
    TRIAL = "trial"
    CHECK = "check"


@dataclass(frozen=True)
class Cell:
    """One cell; ``name`` is its grade id, stable as long as the page and the suite keep theirs."""

    kind: CellKind
    name: str
    text: str
    points: float = 0.0


def exercise_cells(
    course: Course, exercise: Exercise, worth: Mapping[str, float] | None = None
) -> list[Cell]:
    """The cells of an exercise, in reading order, with the solutions between their markers.

    With ``worth``, only these checks have a cell, with these points.
    """
    solution = course.solution(exercise.name).read_text(encoding="utf-8")
    drawings = figures_there(course, exercise.name)
    cells = [Cell(CellKind.PROSE, "title", _opening(exercise, solution, drawings))]
    if own_modules(course.solution_texts, exercise.name):
        cells.append(Cell(CellKind.TRIAL, "other-notebooks", _OTHERS + _with_grader(_IMPORT)))
    cells += _with_company(_code(solution), drawings)
    cells.append(Cell(CellKind.PROSE, "checks", _CHECKS))
    cells += _trials(exercise.name, has_scene(course, exercise.name))
    return cells + _graded(cells, _worth(course, exercise, worth))


def _trials(name: str, can_be_drawn: bool) -> list[Cell]:
    """What a student may run, as often as they like."""
    told = [(CHECK_ALL, _CHECK_ALL, f'check("{name}")'), ("hints", _HINTS, f'hint("{name}")')]
    told += [("show-picture", _SHOW, f'show("{name}")')] if can_be_drawn else []
    return [Cell(CellKind.TRIAL, of, said + _with_grader(call)) for of, said, call in told]


def _worth(
    course: Course, exercise: Exercise, worth: Mapping[str, float] | None
) -> list[CheckText]:
    checks = read_suite(course, exercise.name)
    if worth is None:
        return checks
    kept = [check for check in checks if check.name in worth]
    return [replace(check, points=worth[check.name]) for check in kept]


def module_cells(course: Course, exercise: Exercise) -> list[Cell]:
    """Of these cells, those that make the module. A course that was given away has them as well,
    with a TODO for a solution.
    """
    text = course.page(exercise.name).read_text(encoding="utf-8")
    code = _code(marked_again(text) if course.is_released else text)
    return [cell for _, cell in code]


def page_of(course: Course, exercise: Exercise) -> Page:
    """The same; a solution's text is for a student to write."""
    cells = module_cells(course, exercise)
    return [(cell.name, cell.text if cell.kind is CellKind.GIVEN else None) for cell in cells]


def _opening(exercise: Exercise, solution: str, drawings: Mapping[str, str]) -> str:
    told = ast.get_docstring(ast.parse(solution)) or ""
    return f"# {exercise.title}\n\n{markdown(told, drawings)}\n\n{_RULES}"


def _code(solution: str) -> Iterable[tuple[ast.stmt, Cell]]:
    """The page's code, cell by cell, each with its first statement."""
    lines = solution.rstrip("\n").split("\n")
    nodes = ast.parse(solution).body
    if ast.get_docstring(ast.parse(solution)) is not None:
        nodes = nodes[1:]
    starts = [_start(node, lines) for node in nodes] + [len(lines)]
    pieces: list[tuple[ast.stmt, str]] = []
    for node, begin, end in zip(nodes, starts, starts[1:], strict=False):
        text = "\n".join(lines[begin:end])
        before = pieces[-1] if pieces else (node, "")
        unfinished = before[1].count(BEGIN) > before[1].count(END)  # its solution goes on here
        both_given = pieces and BEGIN not in before[1] and BEGIN not in text
        if unfinished or both_given:
            pieces[-1] = before[0], f"{before[1]}\n{text}"
        else:
            pieces.append((node, text))
    for number, (node, text) in enumerate(pieces, start=1):
        if BEGIN in text:
            yield node, Cell(CellKind.SOLUTION, _name(node), text.strip("\n"))
        else:
            yield node, Cell(CellKind.GIVEN, f"given-{number}", text.strip("\n"))


def _with_company(
    code: Iterable[tuple[ast.stmt, Cell]], drawings: Mapping[str, str]
) -> Iterable[Cell]:
    """Before a solution its prose, after it its examples to run."""
    for node, cell in code:
        if cell.kind is not CellKind.SOLUTION:
            yield cell
            continue
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        told = ast.get_docstring(node) or ""
        prose = f"## {node.name}\n\n{markdown(told, drawings)}"
        yield Cell(CellKind.PROSE, f"prose-{node.name}", prose)
        yield replace(cell, text=_briefly(cell.text, node.name))
        if shown := _examples(node):
            call = _EXAMPLES.format(name=node.name, examples=shown)
            text = _TRIAL.format(name=node.name) + _with_grader(call)
            yield Cell(CellKind.TRIAL, f"examples-{node.name}", text)


def _briefly(text: str, of: str) -> str:
    """Of the docstring the first paragraph: all of it stands right above, as prose."""
    lines, definitions = text.split("\n"), (ast.FunctionDef, ast.ClassDef)
    found = [node for node in ast.parse(text).body if isinstance(node, definitions)]
    (node,) = (node for node in found if node.name == of)
    begin, end = node.body[0].lineno - 1, node.body[0].end_lineno
    if ast.get_docstring(node) is None or "" not in lines[begin:end]:
        return text
    blank = lines.index("", begin)
    return "\n".join([*lines[: blank - 1], f'{lines[blank - 1]}"""', *lines[end:]])


def _examples(node: ast.stmt) -> str:
    """The examples of a function, or of a class and its methods, as one session."""
    documented = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    told = "\n\n".join(ast.get_docstring(n) or "" for n in documented)
    paragraphs = [text for text in told.split("\n\n") if text.startswith(">>>")]
    return "\n\n".join(paragraphs)


def _start(node: ast.stmt, lines: list[str]) -> int:
    """The index of a statement's first line, decorators and the comments right above included."""
    decorators = getattr(node, "decorator_list", [])
    start: int = min([node.lineno, *(d.lineno for d in decorators)]) - 1
    while start > 0 and lines[start - 1].startswith("#") and END not in lines[start - 1]:
        start -= 1
    return start


def _name(node: ast.stmt) -> str:
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return node.name


def _graded(cells: Sequence[Cell], checks: Sequence[CheckText]) -> list[Cell]:
    """A cell for each check, those of the core first. Under ``nbgrader validate`` they say nothing,
    but for the first, which in every suite is that of the page's own example: it says what the
    student could see as well.
    """
    names = [cell.name for cell in cells if cell.kind is CellKind.SOLUTION]
    call = f"validate({', '.join(map(_quoted, names))})"
    first = _VALIDATED.format(call=textwrap.indent(_with_grader(call, ", file=sys.stderr"), "    "))
    ordered = sorted(checks, key=lambda check: not check.core)
    made = [_check(check, "" if number else first) for number, check in enumerate(ordered)]
    count = sum(check.core for check in checks)
    if not 0 < count < len(made):
        return made
    core, robust = Cell(CellKind.PROSE, "core", _CORE), Cell(CellKind.PROSE, "robust", _ROBUST)
    return [core, *made[:count], robust, *made[count:]]


def _check(check: CheckText, validated: str) -> Cell:
    text = _GRADED.format(sentence=check.sentence, points=f"{check.points:g}", validated=validated)
    return Cell(CellKind.CHECK, check.name, text, check.points)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _with_grader(call: str, where: str = "") -> str:
    """``call`` of something in ``kernel.py``; a kernel without us says so ``where`` it is told."""
    name, lacking = call.partition("(")[0], _quoted(words.NO_PACKAGE)
    return _CALL.format(name=name, call=textwrap.indent(call, "    "), said=f"{lacking}{where}")


_RULES = """\
Fill in the cells marked `TODO`. Only these are handed in: code in cells you add yourself runs in
your notebook, but is not graded. Every other cell is restored before grading."""

_CHECKS = """\
## Checks

The next cell says what is right so far, and the one after it gives hints. The cells at the end are
checked when you have handed in; each says what it asks for."""

_CORE = """\
### Core

These ask for the idea. Write this first."""

_ROBUST = """\
### Robust

These ask for rigour: other dtypes and devices, extreme values, any number of axes, speed."""

# Every cell stands alone: cells are run in any order, and names in a notebook are its student's.
_CALL = """\
try:
    from grader.bridges.kernel import {name}
except ModuleNotFoundError:
    print({said})
else:
{call}"""

_TRIAL = """\
# Run this: does your {name} give what the examples say?
"""

_EXAMPLES = '''\
examples(
    "{name}",
    r"""
{examples}
""",
)'''

_OTHERS = """\
# Run this: notebooks in this folder can then be imported, as they were last saved.
"""

_IMPORT = "import_notebooks()"

_CHECK_ALL = """\
# Run this where the course is, or what was released of it: what is right so far.
"""

_HINTS = """\
# Stuck? Run this there too: each time it shows one more hint.
"""

_SHOW = """\
# Run this there too: what your cells compute, what is expected, and the difference, as a picture.
"""

# Should nbgrader ever run this cell in place of the check, it reads the number 0 from its result:
# silence would be full marks. A notebook shows the words instead, and no red box. Under `nbgrader
# validate` a 0 would be a cell that failed, and nobody knows that yet.
_GRADED = """\
# {sentence}
import os
{validated}
None if os.environ.get("NBGRADER_EXECUTION") == "validate" else type(
    "Later", (int,), {{"_repr_html_": lambda self: "Checked after you hand in. Points: {points}"}}
)()"""

# There, what is said on stderr is a failure.
_VALIDATED = """
import sys

if os.environ.get("NBGRADER_EXECUTION") == "validate":
{call}
"""
