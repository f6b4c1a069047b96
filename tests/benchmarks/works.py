"""What the students of a mixed class wrote: right, wrong, untouched, broken and hanging; and what
each of it is worth, found out in this process, without any collecting, worker or report.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from grader.bridges.exercise_cells import page_of
from grader.collect.notebook import Page
from grader.course.course import Course
from grader.examiner.follow_through import followed
from grader.examiner.suite import Suite
from grader.model import Exercise
from grader.programs.bank import Slip, load_bank
from grader.proof import examine_programs
from grader.sandbox.forbidden import forbidden
from tests.collect.students import BROKEN, HANGS, SLIP, STUB, VARIANT, Cell, Work

Marks = dict[str, tuple[str, float]]  # of each check the outcome and the points
FOREVER = "while True: pass"
FAR_TOO_LONG = "raise TimeoutError"  # where nobody waits
_One = TypeVar("_One")


def works_for(course: Course, exercise: Exercise, chance: random.Random, most: int) -> list[Work]:
    """The page as it is and written otherwise, with a slip, untouched, broken in three ways, and
    hanging in two; of variants and of slips so many at most.
    """
    name, page = exercise.name, page_of(course, exercise)
    path = course.solution(name)
    right = tuple(_cells(page, path.read_text(encoding="utf-8")))
    slips = [one for one in load_bank(course.misconceptions(name), path) if isinstance(one, Slip)]
    found = [Work(name, VARIANT, "the page", right)]
    for of, variant, text in _some(list(_variants(course, name)), chance, most):
        found.append(Work(name, VARIANT, variant, _changed(right, of, text)))
    for slip in _some(slips, chance, most):
        found.append(Work(name, SLIP, slip.name, tuple(_cells(page, slip.text))))
    stub = (course.exercises / f"{name}.py").read_text(encoding="utf-8")
    found.append(Work(name, STUB, "the stub", tuple(_cells(page, stub))))
    first = next(cell for cell in right if cell.mine)
    for kind, note, more in (
        (BROKEN, "a package that is not there", "import a_package_that_nobody_has"),
        (BROKEN, "no Python", f"def {first.name}("),
        (BROKEN, "raises", "raise RuntimeError('not yet')"),
        (HANGS, "at import", FOREVER),
        (HANGS, "in a call", f"def {first.name}(*args, **options):\n    {FOREVER}"),
    ):
        text = f"{first.text}\n\n\n{more}"
        found.append(Work(name, kind, note, _changed(right, first.name, text)))
    return found


def marks_of(suite: Suite, work: Work, seed: int) -> Marks:
    """What every check says of it, by the examination that proves the suites fair."""
    text = work.text().replace(FOREVER, FAR_TOO_LONG)
    try:
        code = compile(text, f"{work.exercise}.py", "exec")
        _names(code)
    except Exception:  # whatever an import may raise
        return {one.check.name: ("error", 0.0) for one in suite.checks}
    with forbidden(suite.exercise.forbids):
        program = {work.note: lambda: _names(code)}
        found = examine_programs(suite, program, seed)[work.note]
    verdicts = followed(found, suite.misconceptions)
    return {one.check.name: (str(one.outcome), one.points) for one in verdicts}


def _names(code: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "handed_in"}
    exec(code, names)
    return names


def _cells(page: Page, text: str) -> Iterator[Cell]:
    """The cells of a page, with the functions and classes of ``text`` in those of solutions."""
    lines = text.split("\n")
    nodes = {one.name: one for one in ast.parse(text).body if isinstance(one, _DEFINED)}
    for name, given in page:
        if given is not None:
            yield Cell(name, given, mine=False)
        else:
            node = nodes[name]
            begin = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield Cell(name, "\n".join(lines[begin - 1 : node.end_lineno]), mine=True)


_DEFINED = ast.FunctionDef | ast.ClassDef


def _variants(course: Course, name: str) -> Iterator[tuple[str, str, str]]:
    """Of each variant what it is of, its name and its text, with all that stands beside it."""
    text = (course.root / "tests" / "variants" / f"{name}.py").read_text(encoding="utf-8")
    nodes = ast.parse(text).body
    found = {node: of for node in nodes if (of := _of(node)) is not None}
    beside = [n for n in nodes[1:] if n not in found and not _is_import_of_ours(n)]
    around = "\n".join(map(ast.unparse, beside))
    for node, of in found.items():
        assert isinstance(node, _DEFINED)
        node.decorator_list = []
        yield of, node.name, f"{around}\n\n\n{ast.unparse(node)}\n\n\n{of} = {node.name}"


def _of(node: ast.stmt) -> str | None:
    """What a variant stands in for, as its mark says."""
    for mark in getattr(node, "decorator_list", []):
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "variant":
            return str(ast.literal_eval(mark.keywords[0].value))
    return None


def _is_import_of_ours(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module in ("grader.check", "__future__")


def _changed(cells: Sequence[Cell], name: str, text: str) -> tuple[Cell, ...]:
    return tuple(Cell(c.name, text, c.mine) if c.name == name else c for c in cells)


def _some(those: Sequence[_One], chance: random.Random, most: int) -> list[_One]:
    return chance.sample(list(those), min(most, len(those)))
