"""The pages themselves: their examples come out, and the stubs are the same pages."""

from __future__ import annotations

import ast
import doctest

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.markers import BEGIN, END
from grader.programs.examples import prove_examples
from grader.programs.page import load_by_path

COURSE = find_course()
CATALOG = load_catalog(COURSE)
NAMES = list(CATALOG)


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_come_out(name):
    """Every example in a docstring gives the printed result."""
    result = doctest.testmod(load_by_path(COURSE.solution(name)), verbose=False)

    assert result.attempted > 0
    assert prove_examples(COURSE, name) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_tells_nothing(name):
    """A stub holds no marker and no line of the solution's bodies."""
    stub = COURSE.stub(name).read_text(encoding="utf-8")

    assert BEGIN not in stub
    assert END not in stub
    assert "# TODO" in stub


@pytest.mark.parametrize("name", NAMES)
def test_every_function_has_three_hints(name):
    """Or more, of each function and class that a learner writes; what is given needs none."""
    text = COURSE.solution(name).read_text(encoding="utf-8")
    defined = [n for n in ast.parse(text).body if getattr(n, "name", "") in CATALOG[name].names]
    written = {n.name for n in defined if BEGIN in (ast.get_source_segment(text, n) or "")}

    assert written
    assert {of for of in written if len(CATALOG[name].hints_of(of)) < 3} == set()


@pytest.mark.parametrize("name", NAMES)
def test_pages_import_only_what_they_need(name):
    """Neither solution nor stub imports the grader, and no page that ``needs`` does not name."""
    others = {"grader", *NAMES} - set(CATALOG[name].needs)
    for path in (COURSE.solution(name), COURSE.stub(name)):
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        imports = [node for node in tree if isinstance(node, (ast.Import, ast.ImportFrom))]
        imported = {getattr(n, "module", None) or n.names[0].name for n in imports}

        assert not imported & others
