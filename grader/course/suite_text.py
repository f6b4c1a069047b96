"""What a suite's text says about its checks, without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.catalog import listed, not_python
from grader.course.course import Course
from grader.course.released import read_facts
from grader.errors import CatalogError, SuiteError
from grader.spelling import did_you_mean

_READ = ("points", "public", "kept", "rests_on", "core")  # all others are pytest's affair


@dataclass(frozen=True)
class CheckText:
    """The marks of one test function; ``kept`` is why it stays though nothing needs it, and
    ``rests_on`` are the words of the page that demand what it checks. ``step`` is that of a
    ``core`` check.
    """

    name: str
    points: float = 1.0
    public: bool = False
    kept: str = ""
    sentence: str = ""
    rests_on: tuple[str, ...] = ()
    core: bool = False
    step: str = ""


def suite_path(course: Course, name: str) -> Path:
    """Where the suite lies; raises ``SuiteError`` if it is not there."""
    path = course.suite(name)
    if not path.exists():
        place = course.shown(path)
        raise SuiteError(
            f"{place} is missing, and without it {name} cannot be checked: bring it back "
            f"(`git restore {place}`), or ask whoever gave you this copy of the course."
        )
    return path


def read_suite(course: Course, name: str) -> list[CheckText]:
    """The checks of a suite in their order; raises ``SuiteError`` if it cannot be read."""
    path = suite_path(course, name)
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise SuiteError(not_python(path, error)) from error
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    checks = [_check(test, course.shown(path)) for test in tests if test.name.startswith("test_")]
    worth = listed(course).get(name, {}).get("points", {})
    for check in worth:
        if check not in (names := [one.name for one in checks]):
            raise CatalogError(
                f"catalog.toml: 'points' of {name!r} names {check!r}, which is no check of it."
                f"{did_you_mean(check, names)}"
            )
    return [replace(one, points=float(worth.get(one.name, one.points))) for one in checks]


def points_by_check(course: Course, name: str) -> dict[str, float]:
    """What every check of a suite is worth, by its name."""
    return {check.name: check.points for check in read_suite(course, name)}


def core_checks(course: Course, name: str) -> frozenset[str]:
    """The names of the checks of a suite's core."""
    return frozenset(check.name for check in read_suite(course, name) if check.core)


def suite_points(course: Course, name: str) -> float:
    """What a suite is worth; of a released one, what was let out."""
    if course.is_released:
        return read_facts(course.root).points.get(name, 0.0)
    return sum(check.points for check in read_suite(course, name))


def _check(test: ast.FunctionDef, place: str) -> CheckText:
    marks: dict[str, list[object]] = {}
    for decorator in test.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        mark = ast.unparse(call.func if call else decorator).removeprefix("pytest.mark.")
        if mark in _READ:
            arguments = call.args if call else []
            said = f"{place}, line {decorator.lineno}: the mark {mark} of {test.name}"
            marks.setdefault(mark, []).extend(_written(a, said) for a in arguments)
    return CheckText(
        name=test.name,
        points=float(str(marks.get("points", [1.0])[0])),
        public="public" in marks,
        kept=str(marks.get("kept", [""])[0]),
        sentence=" ".join((ast.get_docstring(test) or "").split()),
        rests_on=tuple(map(str, marks.get("rests_on", []))),
        core="core" in marks,
        step="".join(map(str, marks.get("core", []))),
    )


def _written(argument: ast.expr, said: str) -> object:
    """What stands in a mark: words or a number, and no name of them."""
    try:
        return ast.literal_eval(argument)
    except ValueError:
        raise SuiteError(
            f"{said} holds {ast.unparse(argument)!r}, whose value is not known before the suite is "
            "run. Marks are read before: write the words or the number itself."
        ) from None
