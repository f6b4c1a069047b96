"""A page as cells of a notebook: the same code, cut where a reader would pause."""

from __future__ import annotations

import ast
import re

import pytest

from grader.bridges.exercise_cells import CellKind, exercise_cells, page_of
from grader.bridges.handed_in import HandedIn, module_of
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.course.markers import given_instead, stub_text, without_markers
from grader.course.release import untouched
from grader.course.released import Facts, write_facts
from grader.course.suite_text import core_checks, suite_points
from grader.pictures import has_scene

COURSE = find_course()
CATALOG = load_catalog(COURSE)


# nbgrader's cut, of what it is given.
REGION = re.compile(r"# BEGIN SOLUTION.*?# END SOLUTION", re.DOTALL)
TODO = 'raise NotImplementedError("{name}: replace this line")'


def code_of(text: str) -> str:
    """Without docstrings and comments."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            told = ast.get_docstring(node) is not None
            node.body = node.body[told:] or [ast.Pass()]
    return ast.unparse(tree)


class TestAPage:
    @pytest.mark.parametrize("name", CATALOG)
    def test_is_the_solution(self, name):
        """The cells, put together again, are the solution, but for what stands above as prose."""
        cells = exercise_cells(COURSE, CATALOG[name])
        mine = {c.name: without_markers(c.text) for c in cells if c.kind is CellKind.SOLUTION}
        whole = without_markers(COURSE.solution(name).read_text(encoding="utf-8"))

        assert code_of(module_of(cells, HandedIn(mine)).text) == code_of(whole)

    @pytest.mark.parametrize("name", CATALOG)
    def test_says_nothing_twice(self, name):
        """A docstring is prose above its cell, and within it only what it begins with."""
        cells = exercise_cells(COURSE, CATALOG[name])
        prose = "\n".join(c.text for c in cells if c.kind is CellKind.PROSE)
        for cell in cells:
            if cell.kind is CellKind.SOLUTION:
                nodes = {getattr(n, "name", ""): n for n in ast.parse(cell.text).body}
                told = ast.get_docstring(nodes[cell.name]) or ""

                assert "\n\n" not in told
                assert told.replace("``", "`") in prose

    @pytest.mark.parametrize("name", CATALOG)
    def test_is_worth_what_the_suite_is(self, name):
        """One grade cell for every check; no name is given twice; every cell has a valid id."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]

        assert sum(cell.points for cell in cells) == suite_points(COURSE, name)
        assert len(names) == len(set(names))
        assert all(n.replace("-", "_").isidentifier() for n in names)

    @pytest.mark.parametrize("name", CATALOG)
    def test_is_the_same_where_it_was_given_away(self, name, tmp_path):
        """A notebook is read by the stub as by the solution."""
        given = Course(tmp_path)
        write_facts(tmp_path, Facts("Given away", "1", "1"))
        given.page(name).parent.mkdir(parents=True)
        given.page(name).write_text(untouched(COURSE, name), encoding="utf-8")

        assert page_of(given, CATALOG[name]) == page_of(COURSE, CATALOG[name])

    @pytest.mark.parametrize("name", CATALOG)
    def test_shows_no_solution(self, name):
        """Cell by cell, what nbgrader's cut leaves of the code is what our own stub holds."""
        cells = [
            c
            for c in exercise_cells(COURSE, CATALOG[name])
            if c.kind in (CellKind.GIVEN, CellKind.SOLUTION)
        ]
        stub = stub_text(COURSE.solution(name).read_text(encoding="utf-8"), name)
        told = TODO.format(name=name)
        left = "\n".join(REGION.sub(told, given_instead(c.text)) for c in cells)

        assert code_of(left) == code_of(stub)

    @pytest.mark.parametrize("name", CATALOG)
    def test_has_markers_in_solution_cells_alone(self, name):
        """Elsewhere nbgrader would refuse them."""
        for cell in exercise_cells(COURSE, CATALOG[name]):
            assert ("SOLUTION" in cell.text) == (cell.kind is CellKind.SOLUTION)

    @pytest.mark.parametrize("name", CATALOG)
    def test_offers_a_picture_where_there_is_one(self, name):
        """After the check of everything and the hints; a student may leave all of it out."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]
        begin, end = names.index("check-all"), names.index("core")
        picture = ["show-picture"] if has_scene(COURSE, name) else []

        assert names[begin:end] == ["check-all", "hints", *picture]
        assert {cell.kind for cell in cells[begin:end]} == {CellKind.TRIAL}

    @pytest.mark.parametrize("name", CATALOG)
    def test_tells_the_core_from_the_rest(self, name):
        """Each under a heading of its own."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]
        core = names[names.index("core") + 1 : names.index("robust")]

        assert set(core) == core_checks(COURSE, name)
        assert all(c.kind is CellKind.CHECK for c in cells[names.index("robust") + 1 :])
