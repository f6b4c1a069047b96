"""A page as cells of a notebook: the same code, cut where a reader would pause."""

from __future__ import annotations

import pytest

from grader.bridges.exercise_cells import CellKind, exercise_cells, page_of
from grader.bridges.handed_in import HandedIn, module_of
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.course.markers import stub_text, without_markers
from grader.course.release import untouched
from grader.course.released import Facts, write_facts
from grader.course.suite_text import suite_points
from grader.pictures import SCENES

COURSE = find_course()
CATALOG = load_catalog(COURSE)


def code_of(text: str) -> list[str]:
    """The lines that hold anything."""
    return [line for line in text.split("\n") if line.strip()]


class TestAPage:
    @pytest.mark.parametrize("name", CATALOG)
    def test_is_the_solution(self, name):
        """The cells, put together again, are the solution without its opening docstring."""
        cells = exercise_cells(COURSE, CATALOG[name])
        mine = {c.name: without_markers(c.text) for c in cells if c.kind is CellKind.SOLUTION}
        whole = without_markers(COURSE.solution(name).read_text(encoding="utf-8"))
        code = code_of(module_of(cells, HandedIn(mine)).text)

        assert code == code_of(whole)[-len(code) :]
        assert code[0] == "from __future__ import annotations"

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
        stub = code_of(stub_text(COURSE.solution(name).read_text(encoding="utf-8"), name))
        left = "\n".join(
            c.text if c.kind is CellKind.GIVEN else stub_text(c.text, name) for c in cells
        )
        code = code_of(left)

        assert code == stub[-len(code) :]

    @pytest.mark.parametrize("name", CATALOG)
    def test_has_markers_in_solution_cells_alone(self, name):
        """Elsewhere nbgrader would refuse them."""
        for cell in exercise_cells(COURSE, CATALOG[name]):
            assert ("SOLUTION" in cell.text) == (cell.kind is CellKind.SOLUTION)

    @pytest.mark.parametrize("name", CATALOG)
    def test_offers_a_picture_where_there_is_one(self, name):
        """Right after the cell that checks everything; a student may leave it out."""
        cells = exercise_cells(COURSE, CATALOG[name])
        names = [cell.name for cell in cells]
        place = names.index("check-all") + 1

        assert (names[place] == "show-picture") == (name in SCENES)
        assert cells[place].kind is (CellKind.TRIAL if name in SCENES else CellKind.CHECK)
