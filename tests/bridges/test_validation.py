"""`nbgrader validate` fails where a student could see the mistake, and nowhere else."""

from __future__ import annotations

import ast
import sys

import pytest

from grader.bridges.examples import examples
from grader.bridges.exercise_cells import CellKind, exercise_cells
from grader.bridges.kernel import validate
from grader.course.catalog import load_catalog
from grader.course.course import find_course

COURSE = find_course()
SOFTMAX = exercise_cells(COURSE, load_catalog(COURSE)["softmax"])
CHECKS = [cell for cell in SOFTMAX if cell.kind is CellKind.CHECK]
STUB = "raise NotImplementedError('replace this line')"


def last_value(text):
    """What a notebook shows as the result of a cell: the value of its last line."""
    *first, last = ast.parse(text).body
    names = {}
    exec(compile(ast.Module(first, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.fixture
def notebook(monkeypatch):
    """``notebook(text)`` runs a cell."""

    def notebook(text):
        there = vars(sys.modules["__main__"])
        names = {}
        exec(text, names)
        for name in names.keys() - {"__builtins__"}:
            monkeypatch.setitem(there, name, names[name])

    monkeypatch.setattr("grader.bridges.examples.wrong", {})
    monkeypatch.setattr(
        "grader.bridges.validation.wrong", sys.modules["grader.bridges.examples"].wrong
    )
    return notebook


class TestValidation:
    @pytest.mark.parametrize(
        "text",
        [
            f"def double(x):\n    {STUB}",
            f"class double:\n    def __init__(self, x):\n        {STUB}",
            f"def double(x):\n    def inner():\n        {STUB}\n    return inner",
        ],
    )
    def test_names_what_is_not_written(self, notebook, capsys, text):
        """Without any examples."""
        notebook(text)
        validate("double")

        assert capsys.readouterr().err == "Not written yet: double.\n"

    def test_names_what_is_not_there(self, notebook, capsys):
        """Its cell has an error, or was deleted."""
        validate("double")

        assert capsys.readouterr().err.startswith("There is no double here")

    def test_says_nothing_of_what_is_written(self, notebook, capsys):
        """Whether it is right, the hidden checks know."""
        notebook("def double(x):\n    return x")
        validate("double")

        assert capsys.readouterr().err == ""

    def test_says_what_the_examples_said_last(self, notebook, capsys):
        """A mistake that was mended is forgotten."""
        notebook("def double(x):\n    return x")
        examples("double", ">>> double(2)\n4\n")
        validate("double")
        wrong = capsys.readouterr().err
        notebook("def double(x):\n    return 2 * x")
        examples("double", ">>> double(2)\n4\n")
        validate("double")

        assert "double(2) gave something else." in wrong
        assert capsys.readouterr().err == ""


class TestAGradeCell:
    @pytest.mark.parametrize("execution", ["autograde", "", None])
    @pytest.mark.parametrize("cell", CHECKS, ids=lambda cell: cell.name)
    def test_earns_nothing_in_another_kernel(self, cell, execution, capsys, monkeypatch):
        """A number is that many points to nbgrader, and silence would be full marks."""
        monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
        if execution is not None:
            monkeypatch.setenv("NBGRADER_EXECUTION", execution)
        result = last_value(cell.text)

        assert repr(result) == "0"
        assert result._repr_html_().startswith("Checked after you hand in. Points: ")
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize("cell", CHECKS[1:], ids=lambda cell: cell.name)
    def test_is_silent_under_validation(self, cell, capsys, monkeypatch):
        """Nobody knows yet what it will say."""
        monkeypatch.setenv("NBGRADER_EXECUTION", "validate")

        assert last_value(cell.text) is None
        assert capsys.readouterr() == ("", "")

    def test_names_every_function_under_validation(self, notebook, capsys, monkeypatch):
        """The first one does; in an empty notebook none is there."""
        monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
        exec(CHECKS[0].text, {})
        said = capsys.readouterr().err.splitlines()

        assert [line.split()[3] for line in said] == [
            cell.name for cell in SOFTMAX if cell.kind is CellKind.SOLUTION
        ]


class TestAKernelWithoutUs:
    @pytest.mark.parametrize(
        "cell",
        [cell for cell in SOFTMAX if cell.kind is CellKind.TRIAL],
        ids=lambda cell: cell.name,
    )
    def test_says_so_in_one_sentence(self, cell, capsys, monkeypatch):
        """And shows no traceback."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "grader"]:
            monkeypatch.setitem(sys.modules, name, None)
        exec(cell.text, {})
        said = capsys.readouterr().out

        assert said.startswith("The package grader is not installed here")
        assert said.count("\n") == 1
