"""Every check of a class has its mark in nbgrader's gradebook, the very mark of our reports."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))


class TestTheGradebook:
    @pytest.mark.parametrize("student", [*room.MODULES, *room.ODD, *room.BROKEN, "no_json"])
    def test_equals_our_report_check_by_check(self, course, gradebook, student):
        """Every check is a grade cell with the check's exact score, and there are no others."""
        path = course / "reports" / "ps1" / "reports" / f"{student}.json"

        assert room.points(json.loads(path.read_text())) == room.in_gradebook(gradebook, student)

    @pytest.mark.parametrize("student", room.MODULES)
    def test_is_what_the_modules_got(self, gradebook, modules, student):
        """The same class graded as modules and as notebooks gets the same marks."""
        assert room.points(modules[student]) == room.in_gradebook(gradebook, student)

    @pytest.mark.parametrize("student", room.ODD)
    def test_oddities_cost_nothing(self, gradebook, modules, student):
        """What does not touch the solutions does not touch the marks, up or down."""
        assert room.softmax_of(room.points(modules["perfect"])) == room.softmax_of(
            room.in_gradebook(gradebook, student)
        )

    def test_a_deleted_solution_costs_what_needs_it(self, gradebook, modules):
        """The checks of other functions keep their points."""
        full = sum(p for p, _ in room.softmax_of(room.points(modules["perfect"])).values())
        for student in room.BROKEN:
            score = sum(p for p, _ in room.in_gradebook(gradebook, student).values())

            assert 0 < score < full

    def test_nobody_waits_for_a_person(self, gradebook):
        """Every check of the class has a verdict."""
        assert [key for key, row in gradebook.items() if row[2]] == []

    def test_is_exported(self, course, modules):
        """nbgrader's own table holds the same totals."""
        with (course / "grades.csv").open() as file:
            rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}

        assert {name: rows[name] for name in room.MODULES} == {
            name: report["score"] for name, report in modules.items()
        }


class TestAVerdictThatIsMissing:
    def test_is_no_mark_at_all(self, tmp_path, modules):
        """A cell no check of ours answers for, or that is worth what the check is not, waits for a
        person: no full marks, no zero. The checks around it keep theirs.
        """

        def add_a_cell(notebook):
            own = json.loads(json.dumps(room.cell(notebook, "test_example")))
            own["metadata"]["nbgrader"] |= {"grade_id": "nobody", "points": 5.0}
            notebook["cells"].append(own | {"id": "nobody", "source": "pass"})
            room.cell(notebook, "test_keeps_the_dtype")["metadata"]["nbgrader"]["points"] = 0.5

        room.build(tmp_path, "softmax")
        room.edit(tmp_path / "source" / "ps1" / "softmax.ipynb", add_a_cell)
        room.nbgrader(tmp_path, "generate_assignment", "ps1")
        room.hand_in(tmp_path, "ps1", "perfect", room.SOFTMAX)
        room.nbgrader(tmp_path, "autograde", "ps1")
        book = room.read_gradebook(tmp_path)

        assert book.pop(("perfect", "softmax", "nobody")) == (None, 5.0, True)
        assert book.pop(("perfect", "softmax", "test_keeps_the_dtype")) == (None, 0.5, True)
        assert {row[0] == row[1] and not row[2] for row in book.values()} == {True}
