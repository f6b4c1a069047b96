"""What a student reads in nbgrader's feedback, and sees in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.programs.page import load_by_path

room = load_by_path(Path(__file__).with_name("classroom.py"))


class TestTheFeedback:
    def test_names_the_misconception(self, course):
        """The recognised misconception, in its own words, stands under the check's sentence."""
        text = room.told(course, "wrong_axis")

        assert "misconception: ignores_dim" in text
        assert "the caller chose `dim`" in text

    @pytest.mark.parametrize("student", [*room.ODD, *room.BROKEN])
    def test_names_what_became_of_the_notebook(self, course, student):
        """Each oddity is told."""
        assert {**room.ODD, **room.BROKEN}[student][1] in room.told(course, student).replace(
            "&#39;", "'"
        )

    def test_names_a_file_that_is_no_notebook(self, course):
        """No JSON: said in every check of that exercise."""
        assert "softmax.ipynb is not a notebook: no JSON" in room.told(course, "no_json")

    def test_names_what_was_defined_in_restored_cells(self, course):
        """An import that was added there is missed as well."""
        assert "log is defined in a cell that is not graded" in room.told(course, "own_helper")

    def test_names_a_notebook_that_was_found_instead(self, course):
        """On the student's other pages, for it has none of its own, and to the instructor."""
        log = (course / "autograde.log").read_text()

        assert "attention (1).ipynb. Was it to be attention.ipynb?" in log
        assert "attention.ipynb is not in the submission, but attention (1).ipynb is" in room.told(
            course, "other_name"
        )

    def test_points_into_cells(self, course):
        """Who wrote a notebook knows nothing of the lines of a module."""
        text = room.told(course, "syntax_error")

        assert "cell softmax, line" in text
        assert "softmax.py, line" not in text

    def test_holds_no_hidden_check(self, course):
        """No line of a suite, no marker of a solution and no seed is in what students get."""
        suite = room.COURSE.suite("softmax").read_text(encoding="utf-8")
        secret = [line.strip() for line in suite.split("\n") if "impl." in line]
        secret.append((course / "runs" / "ps1" / "seed").read_text().strip())
        folders = [course / name for name in ("release", "autograded", "feedback")]
        texts = [p.read_text(encoding="utf-8") for f in folders for p in f.rglob("softmax.*")]

        assert len(texts) > 20
        assert [line for line in secret if any(line in text for text in texts)] == []
        assert not any("BEGIN SOLUTION" in text for text in texts)


class TestPictures:
    def test_are_in_the_feedback(self, drawn):
        """Where points were lost, once, with the same in words; where none were, nothing."""
        wrong, right = room.told(drawn, "wrong_axis"), room.told(drawn, "perfect")

        assert wrong.count('src="data:image/png;base64,') == 1
        assert 'alt="Yours, expected and the difference. ' in wrong
        assert "Differs by up to 0.99, most at row 0, column 3." in wrong
        assert "data:image/png" not in right

    def test_stand_under_the_check_of_everything(self, drawn):
        """Where the student has the same cell, and no mark can be read from it."""
        path = drawn / "autograded" / "wrong_axis" / "ps1" / "softmax.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        outputs = room.cell(notebook, "check-all")["outputs"]
        elsewhere = [c for c in notebook["cells"] if "image/png" in json.dumps(c)]

        assert [output["output_type"] for output in outputs] == ["display_data"] * 3
        assert [room.grade_id(c) for c in elsewhere] == ["check-all"]

    def test_speak_of_cells(self, drawn):
        """In its words too, lines are lines of cells."""
        path = drawn / "autograded" / "untouched" / "ps1" / "softmax.ipynb"
        (_, picture, words) = room.cell(json.loads(path.read_text("utf-8")), "check-all")["outputs"]

        assert "cell softmax, line" in "".join(words["data"]["text/plain"])
        assert "softmax.py, line" not in json.dumps([picture["metadata"], words])

    def test_carry_no_markup_of_a_submission(self, drawn):
        """What it raised is quoted in the words, as text."""
        text = room.told(drawn, "rude")

        assert "data:image/png" in text
        assert "alert(1)" in text
        assert "<script>alert" not in text

    def test_change_no_mark(self, drawn):
        """The gradebook holds what our reports hold."""
        book = room.read_gradebook(drawn)
        for student in ("perfect", "wrong_axis", "untouched", "rude"):
            path = drawn / "runs" / "ps1" / "reports" / f"{student}.json"
            assert room.points(json.loads(path.read_text())) == room.in_gradebook(book, student)
