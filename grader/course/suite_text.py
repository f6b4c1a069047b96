"""What a suite's text says about its checks, without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course
from grader.course.released import read_facts
from grader.errors import SuiteError


@dataclass(frozen=True)
class CheckText:
    """The marks of one test function; ``kept`` is why it stays though nothing needs it, and
    ``rests_on`` are the words of the page that demand what it checks.
    """

    name: str
    points: float = 1.0
    public: bool = False
    kept: str = ""
    sentence: str = ""
    rests_on: tuple[str, ...] = ()


def suite_path(course: Course, name: str) -> Path:
    """Where the suite lies; raises ``SuiteError`` if it is not there."""
    path = course.suite(name)
    if not path.exists():
        place = path.relative_to(course.root).as_posix()
        raise SuiteError(
            f"{place} is missing, and without it {name} cannot be checked: bring it back "
            f"(`git restore {place}`), or ask whoever gave you this copy of the course."
        )
    return path


def read_suite(course: Course, name: str) -> list[CheckText]:
    """The checks of a suite in their order; raises ``SuiteError`` if there is none."""
    tree = ast.parse(suite_path(course, name).read_text(encoding="utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [_check(test) for test in tests if test.name.startswith("test_")]


def points_by_check(course: Course, name: str) -> dict[str, float]:
    """What every check of a suite is worth, by its name."""
    return {check.name: check.points for check in read_suite(course, name)}


def suite_points(course: Course, name: str) -> float:
    """What a suite is worth; of a released one, what was let out."""
    if course.is_released:
        return read_facts(course.root).points.get(name, 0.0)
    return sum(check.points for check in read_suite(course, name))


def _check(test: ast.FunctionDef) -> CheckText:
    marks: dict[str, list[object]] = {}
    for decorator in test.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        dotted = ast.unparse(call.func if call else decorator)
        if dotted.startswith("pytest.mark."):
            arguments = [ast.literal_eval(a) for a in call.args] if call else []
            marks.setdefault(dotted.removeprefix("pytest.mark."), []).extend(arguments)
    return CheckText(
        name=test.name,
        points=float(str(marks.get("points", [1.0])[0])),
        public="public" in marks,
        kept=str(marks.get("kept", [""])[0]),
        sentence=" ".join((ast.get_docstring(test) or "").split()),
        rests_on=tuple(map(str, marks.get("rests_on", []))),
    )
