"""nbgrader's gradebook is filled through its own API; what a person entered there stays."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
from dataclasses import replace

import pytest

from grader.course.assignment import Assignment, LateRule
from grader.errors import GraderError
from grader.exports.nbgrader_gradebook import cells_of, fill_gradebook, student_of
from grader.model import Deduction, Outcome
from grader.runs.reading import Run

needs_nbgrader = pytest.mark.skipif(
    importlib.util.find_spec("nbgrader") is None, reason="the extra nbgrader is not installed"
)
SCORES = """
SELECT submitted_assignment.student_id, notebook.name, base_cell.name, auto_score, manual_score,
       max_score, needs_manual_grade
FROM grade JOIN base_cell ON base_cell.id = cell_id
JOIN grade_cells ON grade_cells.id = base_cell.id
JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
JOIN notebook ON notebook.id = submitted_notebook.notebook_id
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
"""


def asked(path, question, *values):
    with sqlite3.connect(path) as file:
        rows = file.execute(question, values).fetchall()
    file.close()
    return rows


def marks(path):
    """(automatic, manual, worth, waits for a person) by student, exercise and check."""
    return {row[:3]: row[3:] for row in asked(path, SCORES)}


@pytest.fixture
def some(report, verdict):
    """``some(passed, failed)``: a report on an exercise of two checks."""

    def some(*outcomes, name="ann", **fields):
        verdicts = [verdict(o, 2.0, f"test_{n}") for n, o in enumerate(outcomes)]
        return replace(report(name, softmax=verdicts), **fields)

    return some


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A new gradebook, made once: for its version, nbgrader starts a program."""
    path = tmp_path_factory.mktemp("book") / "gradebook.db"
    assert fill_gradebook(path, "ps0", Run(())) == []
    return path


@pytest.fixture
def book(tmp_path, empty):
    return shutil.copy(empty, tmp_path / "gradebook.db")


P, F, UNKNOWN, S = Outcome.PASSED, Outcome.FAILED, Outcome.INTERNAL, Outcome.SKIPPED


@needs_nbgrader
@pytest.mark.filterwarnings("ignore")
class TestAGradebook:
    def test_holds_every_check(self, book, some):
        """With its points; without a verdict there is no score, and a person must look."""
        run = Run((some(P, F), some(UNKNOWN, P, name="bob")))

        assert fill_gradebook(book, "ps1", run) == []
        assert marks(book) == {
            ("ann", "softmax", "test_0"): (2.0, None, 2.0, 0),
            ("ann", "softmax", "test_1"): (0.0, None, 2.0, 0),
            ("bob", "softmax", "test_0"): (None, None, 2.0, 1),
            ("bob", "softmax", "test_1"): (2.0, None, 2.0, 0),
        }

    def test_keeps_what_a_person_entered(self, book, some):
        """A manual mark stands, and asks for another look only where the score beneath it moves."""
        fill_gradebook(book, "ps1", Run((some(P, F),)))
        asked(book, "UPDATE grade SET manual_score = 1.5, needs_manual_grade = 0")
        fill_gradebook(book, "ps1", Run((some(P, P),)))

        assert marks(book) == {
            ("ann", "softmax", "test_0"): (2.0, 1.5, 2.0, 0),
            ("ann", "softmax", "test_1"): (2.0, 1.5, 2.0, 1),
        }

    def test_takes_in_what_is_new(self, book, some):
        """A check that was added, and a student; the rest of the book stays as it is."""
        fill_gradebook(book, "ps1", Run((some(P),)))
        fill_gradebook(book, "ps2", Run((some(F),)))
        fill_gradebook(book, "ps1", Run((some(P, P), some(F, F, name="bob"))))

        names = asked(book, "SELECT name FROM assignment ORDER BY name")

        assert names == [("ps0",), ("ps1",), ("ps2",)]
        assert len(asked(book, SCORES)) == 1 + 4

    def test_takes_off_what_being_late_costs(self, book, some):
        """As a penalty, never more than a notebook has, where the run has a rule for it."""
        late = some(P, F, deduction=Deduction("2026-01-01T00:00:00+00:00", 1, 5.0))
        terms = Assignment("One", ("softmax",), late=LateRule())
        fill_gradebook(book, "ps1", Run((late,), assignment=terms))

        assert asked(book, "SELECT late_submission_penalty FROM submitted_notebook") == [(2.0,)]

    def test_gets_nothing_by_a_guess(self, book, some):
        """Two submissions of one student are named, and neither is written."""
        twins = [some(P, name=name, student_id="s1") for name in ("ann", "ann 2")]
        said = fill_gradebook(book, "ps1", Run((*twins, some(P, name="bob"))))

        assert said == [
            "ann: not written, for s1 has several submissions",
            "ann 2: not written, for s1 has several submissions",
        ]
        assert {who for who, _, _ in marks(book)} == {"bob"}

    def test_leaves_the_path_as_it_was(self, book, some):
        """nbgrader's programs are found beside Python meanwhile, and not for good."""
        before = os.environ["PATH"]
        fill_gradebook(book, "ps1", Run((some(P),)))

        assert os.environ["PATH"] == before

    def test_is_not_made_of_another_database(self, tmp_path, some):
        """Nothing is added to a file that is not nbgrader's."""
        book = tmp_path / "other.db"
        asked(book, "CREATE TABLE mine (x)")

        with pytest.raises(GraderError, match="is no gradebook of nbgrader's"):
            fill_gradebook(book, "ps1", Run((some(P),)))
        assert asked(book, "SELECT name FROM sqlite_master") == [("mine",)]


class TestWithoutNbgrader:
    def test_one_sentence_says_what_to_install(self, tmp_path, some, monkeypatch):
        """And no file is made."""
        book = tmp_path / "gradebook.db"
        monkeypatch.setitem(sys.modules, "nbgrader.api", None)

        with pytest.raises(GraderError, match="which is not installed: `pip install"):
            fill_gradebook(book, "ps1", Run((some(P),)))
        assert not book.exists()


class TestNames:
    @pytest.mark.parametrize(
        ("known", "expected"), [((), "s1"), (("ann",), "ann"), (("ann", "s1"), "s1")]
    )
    def test_a_student_is_called_as_the_book_does(self, some, known, expected):
        """By id where nobody is there yet."""
        assert student_of(some(P, student_id="s1"), known) == expected

    def test_a_second_device_has_cells_of_its_own(self, some):
        """What is skipped in all reports has none."""
        one = some(P, F, S)
        (exercise,) = one.exercises
        first, second, third = exercise.verdicts
        there = replace(first, check=replace(first.check, device="cuda"))
        both = replace(one, exercises=(replace(exercise, verdicts=(first, there, third)),))

        assert cells_of([both]) == {"softmax": {"test_0": 2.0, "test_0-cuda": 2.0}}
