"""nbgrader's own validation, the button `Validate`, in a real kernel."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))
SUCCESS = "Success! Your notebook passes all the tests."
STUDENTS = ("perfect", "wrong_axis", "untouched")


@pytest.fixture(scope="module")
def said(course, made_once, nbgrader):
    """What is said to each student; the cells that grade in a checkout were left out."""

    def make(folder):
        for name in STUDENTS:
            path = folder / f"{name}.ipynb"
            shutil.copy(course / "release" / "ps1" / "softmax.ipynb", path)
            room.edit(path, room.remove("check-all", "show-picture"))
            if name != "untouched":
                text = room.sample(name)["softmax"]
                room.edit(path, lambda notebook, text=text: room.typed_in(notebook, text))
        nbgrader(folder, "validate", *(f"{name}.ipynb" for name in STUDENTS))

    return (made_once("validated", make) / "said.txt").read_text(encoding="utf-8")


class TestValidate:
    def test_calls_no_perfect_work_failed(self, said):
        """And no other notebook perfect."""
        assert said.count(SUCCESS) == 1
        assert said.count("VALIDATION FAILED ON 1 CELL(S)!") == 2

    def test_tells_what_the_student_could_see(self, said):
        """An example that comes out otherwise, and what is not written yet."""
        assert "dim=0) gave something else." in said
        assert "Not written yet: softmax." in said
        assert "Checked after you hand in. Points: 2" not in said.replace('print("Checked', "")
