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


TERMS = """\
title = "Problem set 1"
exercises = ["softmax"]
seed = 5
weights = { softmax = 10 }
[checks]
drop = ["softmax.test_large_scores_do_not_overflow"]
points = { softmax.test_example = 30 }
"""


@pytest.fixture(scope="module")
def reweighted(tmp_path_factory, modules):
    """A class built by an assignment's file; by hand, one cell was given other points, and another
    one was added that no check of ours answers for.
    """

    def change(notebook):
        room.cell(notebook, "test_all_rows_at_once")["metadata"]["nbgrader"]["points"] = 7.5
        own = json.loads(json.dumps(room.cell(notebook, "test_example")))
        own["metadata"]["nbgrader"] |= {"grade_id": "nobody", "points": 5.0}
        notebook["cells"].append(own | {"id": "nobody", "source": "pass"})

    course = tmp_path_factory.mktemp("reweighted")
    (course / "ps1.toml").write_text(TERMS)
    room.build(course, "softmax", "--assignment-file", str(course / "ps1.toml"))
    room.edit(course / "source" / "ps1" / "softmax.ipynb", change)
    room.nbgrader(course, "generate_assignment", "ps1")
    for name in ("perfect", "wrong_axis"):
        room.hand_in(course, "ps1", name, {"softmax": room.sample(name)["softmax"]})
    room.nbgrader(course, "autograde", "ps1")
    return course


class TestAVerdictThatIsMissing:
    def test_is_no_mark_at_all(self, reweighted):
        """A person must look at its cell: no full marks, no zero. Those around it keep theirs."""
        book = room.read_gradebook(reweighted)

        assert book.pop(("perfect", "softmax", "nobody")) == (None, 5.0, True)
        assert {r[0] == r[1] and not r[2] for k, r in book.items() if k[0] == "perfect"} == {True}


class TestOtherPoints:
    def test_cost_a_perfect_student_nothing(self, reweighted):
        """Whether the file gives them or somebody changed a cell."""
        book = room.read_gradebook(reweighted)
        found = {k[0::2]: v for k, v in book.items() if k[2] != "nobody"}
        perfect = {check: row for (name, check), row in found.items() if name == "perfect"}
        wrong = [row for (name, _), row in found.items() if name == "wrong_axis"]

        assert all(score == most and not person for score, most, person in perfect.values())
        assert perfect["test_all_rows_at_once"] == (7.5, 7.5, False)
        assert 7 < sum(most for _, most, _ in perfect.values()) - 7.5 < 10
        assert "test_large_scores_do_not_overflow" not in perfect
        assert {score in (0, most) for score, most, _ in wrong} == {True}
        assert sum(score for score, _, _ in wrong) > 0

    def test_are_drawn_with_the_seed_of_the_file(self, reweighted):
        """And reports keep what the checks found."""
        report = json.loads((reweighted / "reports/ps1/reports/perfect.json").read_text())

        assert (report["seed"], report["score"]) == (5, 20)

    def test_are_known_to_no_student(self, reweighted):
        """The file lies where nothing is released from."""
        assert (reweighted / "assignments" / "ps1.toml").read_text() == TERMS
        assert [path.name for path in (reweighted / "release" / "ps1").iterdir()] == [
            "softmax.ipynb"
        ]
