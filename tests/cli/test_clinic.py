"""`grader clinic`, and `grader check` of what it wrote."""

from __future__ import annotations

import shutil

import pytest

from grader.course.course import find_course
from grader.course.markers import without_markers
from grader.learner.patients import patient_in

COURSE = find_course()
RIGHT = without_markers(COURSE.solution("softmax").read_text(encoding="utf-8"))


@pytest.fixture
def ward(tmp_path, grader):
    """A folder with a patient in it."""
    done = grader("clinic", "softmax", "--seed", 2, "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "clinic_softmax.py"


class TestClinic:
    def test_is_judged_by_the_suite_without_being_named(self, ward, grader):
        """What fails is told as of any wrong answer, and how little has to be changed."""
        done = grader("check", "clinic_softmax", "--folder", ward.parent)
        said = " ".join(done.stdout.split())
        sentence = patient_in(COURSE, ward.read_text(encoding="utf-8")).entry.sentence

        assert done.returncode == 1
        assert "✗" in said
        assert "Statements that you changed: 0." in said
        assert sentence not in said

    def test_says_what_it_was_when_it_is_mended(self, ward, grader):
        """And how much was changed; other pages of the folder play no part."""
        text = ward.read_text(encoding="utf-8")
        patient = patient_in(COURSE, text)
        sentence, small = patient.entry.sentence, patient.smallest
        ward.write_text(text[: text.index('"""')] + RIGHT, encoding="utf-8")
        done = grader("check", "clinic_softmax.py", "--folder", ward.parent)
        said = " ".join(done.stdout.split())

        assert done.returncode == 0, done.stdout + done.stderr
        told = f"Statements that you changed: {small}. The right page differs in {small}."
        assert told in said
        assert sentence in said

    def test_writes_over_nothing(self, ward, grader):
        """A patient that waits is kept."""
        before = ward.read_text(encoding="utf-8")
        done = grader("clinic", "softmax", "--folder", ward.parent)

        assert done.returncode == 2
        assert "is there already" in done.stderr
        assert ward.read_text(encoding="utf-8") == before

    def test_draws_for_a_student(self, tmp_path, grader):
        """The same each time, wherever it is drawn."""
        folders = [tmp_path / name for name in ("one", "other")]
        for folder in folders:
            folder.mkdir()
            grader("clinic", "softmax", "--student", "ada-17", "--folder", folder)
        one, other = (folder / "clinic_softmax.py" for folder in folders)

        assert one.read_bytes() == other.read_bytes()

    def test_comes_after_the_exercise(self, own, grader):
        """In a learner's folder: all but one place of a patient is the solution."""
        done = grader("clinic", "softmax", cwd=own)

        assert done.returncode == 2
        assert "once yours has passed" in done.stderr

    def test_is_admitted_in_a_learners_folder(self, own, grader, hand_in):
        """And disturbs nothing there."""
        hand_in("perfect", own)
        grader("check", "softmax", cwd=own)
        done = grader("clinic", "softmax", cwd=own)
        checked = grader("check", cwd=own)

        assert done.returncode == 0, done.stderr
        assert (own / "clinic_softmax.py").exists()
        assert "20 of 20 points." in checked.stdout

    def test_is_not_held_among_generated_files(self, grader):
        """There a file too many is taken away by `dev stubs`."""
        done = grader("clinic", "softmax", cwd=COURSE.exercises)

        assert done.returncode == 2
        assert "grader start" in done.stderr

    def test_says_where_there_is_none(self, tmp_path, grader):
        """Of a file that is not there, and of one that nobody drew."""
        gone = grader("check", "clinic_softmax", "--folder", tmp_path)
        shutil.copy(COURSE.stub("softmax"), tmp_path / "clinic_softmax.py")
        strange = grader("check", "clinic_softmax", "--folder", tmp_path)

        assert gone.returncode == strange.returncode == 2
        assert "There is no clinic_softmax.py here" in gone.stderr
        assert "how it was drawn" in strange.stderr
