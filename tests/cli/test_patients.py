"""`grader patients`: who of a class mended what was drawn for them."""

from __future__ import annotations

import csv

import pytest

from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.learner.patients import drawn, seed_for

COURSE = find_course()
RIGHT = without_markers(COURSE.solution("softmax").read_text(encoding="utf-8"))
CLASS = [f"student-{number:02}" for number in range(4)]


def text_for(student, mended, level=0):
    """A patient as it was drawn, or its first lines and the right page."""
    text = drawn(COURSE, "softmax", level, seed_for(student)).file("rows sum to 3.")
    return text[: text.index('"""')] + RIGHT if mended else text


def hand_in(folder, student, text, module="clinic_softmax"):
    (folder / student).mkdir(parents=True)
    (folder / student / f"{module}.py").write_text(text, encoding="utf-8")


@pytest.fixture
def table(grader, tmp_path):
    """What the command writes, by submission."""

    def written(download, *options):
        path = tmp_path / "table.csv"
        done = grader("patients", "softmax", download, "--csv", path, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        return {row["submission"]: row for row in rows}

    return written


def test_four_students_twice_alike(table, tmp_path):
    """Every other one has mended theirs; two runs, with seeds of their own, say the same."""
    for number, student in enumerate(CLASS):
        hand_in(tmp_path / "class", student, text_for(student, number % 2))
    once, again = table(tmp_path / "class"), table(tmp_path / "class", "--jobs", 2)

    assert once == again
    assert [once[student]["mended"] for student in CLASS] == ["no", "yes"] * 2
    assert {row["note"] for row in once.values()} == {""}
    for student in CLASS[1::2]:
        assert once[student]["right"] == "13 of 13"
        assert once[student]["changed"] == once[student]["smallest"] != "0"


def test_says_whose_it_is_and_why_nothing_was_judged(table, tmp_path):
    """Drawn for a neighbour, for nobody, of another level; without its first lines, and absent."""
    folder = tmp_path / "class"
    hand_in(folder, "ada", text_for("ada", True))
    hand_in(folder, "bob", text_for("ada", True))
    hand_in(folder, "cy", text_for("nobody", True))
    hand_in(folder, "dan", text_for("dan", True, level=1))
    hand_in(folder, "eve", RIGHT)
    hand_in(folder, "fay", RIGHT, module="softmax")
    found = table(folder)

    assert {name: row["mended"] for name, row in found.items()} == {
        "ada": "yes", "bob": "yes", "cy": "yes", "dan": "yes", "eve": "", "fay": "",
    }  # fmt: skip
    notes = {name: row["note"] for name, row in found.items()}
    assert notes["ada"] == ""
    assert notes["bob"] == "drawn for ada"
    assert notes["cy"] == f"drawn for nobody here: --seed {seed_for('nobody')}"
    assert notes["dan"] == "of level 1"
    assert "first lines" in notes["eve"]
    assert "not among" in notes["fay"]
    assert table(folder, "--level", 1)["dan"]["note"] == ""


def test_knows_students_by_the_ids_of_a_roster(table, tmp_path):
    """A patient may have been drawn for the id."""
    hand_in(tmp_path / "class", "Ada Lovelace", text_for("4711", True))
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\n4711,Ada Lovelace\n4712,Alan Turing\n", encoding="utf-8")
    (row,) = table(tmp_path / "class", "--roster", roster).values()

    assert (row["id"], row["mended"], row["note"]) == ("4711", "yes", "")
