"""Every check of a class has its mark in nbgrader's gradebook, the very mark of our reports."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from grader.programs.page import load_by_path
from grader.runs.reading import read_run

room = load_by_path(Path(__file__).with_name("classroom.py"))


class TestTheGradebook:
    @pytest.mark.parametrize("student", [*room.MODULES, *room.ODD, *room.BROKEN, *room.UNREAD])
    def test_equals_our_report_check_by_check(self, course, gradebook, student):
        """Every check is a grade cell with the check's exact score, and there are no others."""
        path = course / "runs" / "ps1" / "reports" / f"{student}.json"

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

    def test_was_graded_under_one_seed(self, course):
        """All reports of a class, in a run that exports read."""
        run = read_run(course / "runs" / "ps1")
        seed = int((course / "runs" / "ps1" / "seed").read_text())

        assert {report.conditions.seed for report in run.reports} == {seed}
        assert run.problems == ()

    def test_is_exported(self, course, modules):
        """nbgrader's own table holds the same totals."""
        with (course / "grades.csv").open() as file:
            rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}

        assert {name: rows[name] for name in room.MODULES} == {
            name: report["score"] for name, report in modules.items()
        }


class TestAVerdictThatIsMissing:
    def test_is_no_mark_at_all(self, tmp_path, nbgrader, modules):
        """A cell no check of ours answers for waits for a person: no full marks, no zero. The
        checks around it keep theirs. Graded again, the student is asked the same.
        """

        def add_a_cell(notebook):
            own = json.loads(json.dumps(room.cell(notebook, "test_example")))
            own["metadata"]["nbgrader"] |= {"grade_id": "nobody", "points": 5.0}
            notebook["cells"].append(own | {"id": "nobody", "source": "pass"})

        room.build(tmp_path, "softmax")
        room.edit(tmp_path / "source" / "ps1" / "softmax.ipynb", add_a_cell)
        nbgrader(tmp_path, "generate_assignment", "ps1")
        room.hand_in(tmp_path, "ps1", "perfect", room.SOFTMAX)
        nbgrader(tmp_path, "autograde", "ps1")
        book = room.read_gradebook(tmp_path)

        assert book.pop(("perfect", "softmax", "nobody")) == (None, 5.0, True)
        assert {row[0] == row[1] and not row[2] for row in book.values()} == {True}

        path = tmp_path / "runs" / "ps1" / "reports" / "perfect.json"
        seed = json.loads(path.read_text())["seed"]
        path.unlink()
        nbgrader(tmp_path, "autograde", "ps1", "--student", "perfect", "--force")

        assert json.loads(path.read_text())["seed"] == seed


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
def reweighted(made_once, nbgrader, modules):
    """A class built by an assignment's file; one cell was changed by hand afterwards."""

    def raise_points(notebook):
        room.cell(notebook, "test_all_rows_at_once")["metadata"]["nbgrader"]["points"] = 7.5

    def make(course):
        (course / "ps1.toml").write_text(TERMS)
        room.build(course, "softmax", "--assignment-file", str(course / "ps1.toml"))
        room.edit(course / "source" / "ps1" / "softmax.ipynb", raise_points)
        nbgrader(course, "generate_assignment", "ps1")
        for name in ("perfect", "wrong_axis"):
            room.hand_in(course, "ps1", name, {"softmax": room.sample(name)["softmax"]})
        nbgrader(course, "autograde", "ps1")

    return made_once("reweighted", make)


class TestOtherPoints:
    def test_cost_a_perfect_student_nothing(self, reweighted):
        """Whether the file gives them or somebody changed a cell."""
        found = {k[0::2]: v for k, v in room.read_gradebook(reweighted).items()}
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
        report = json.loads((reweighted / "runs/ps1/reports/perfect.json").read_text())

        assert (report["seed"], report["score"]) == (5, 20)

    def test_are_known_to_no_student(self, reweighted):
        """The file lies where nothing is released from."""
        assert (reweighted / "runs" / "ps1" / "assignment.toml").read_text() == TERMS
        assert [path.name for path in (reweighted / "release" / "ps1").iterdir()] == [
            "softmax.ipynb"
        ]
