"""The file in which a learner's answers stand, and that a learner may edit."""

from __future__ import annotations

import pytest

from grader.errors import LearnerError
from grader.learner.answers import FILE_NAME, Answers, keep_answers, read_answers


@pytest.fixture
def written(tmp_path):
    """``written(text)``: what is read of a file with this text."""

    def written(text):
        (tmp_path / FILE_NAME).write_bytes(text.encode())
        return read_answers(tmp_path)

    return written


class TestAnswers:
    def test_a_new_learner_draws_a_number(self, tmp_path):
        """Which stays, once it is kept."""
        first = read_answers(tmp_path)
        keep_answers(tmp_path, first)

        assert read_answers(tmp_path).number == first.number
        assert f"{first.number}" in (tmp_path / FILE_NAME).read_text()

    def test_an_answer_is_a_line(self, written):
        """Spaces do not matter, and what is no answer is a note."""
        answers = written("# from 41\n\nmy notes: none\n softmax  2 :  1, 2 \r\nmasks 1: yes\n")

        assert answers.number == 41
        assert answers.given == {("softmax", 2): "1, 2", ("masks", 1): "yes"}

    def test_the_last_answer_counts(self, written):
        """An earlier one may stay."""
        assert written("# 1\na 1: x\na 1: y\n").given == {("a", 1): "y"}

    def test_a_new_answer_takes_the_place_of_the_old(self, written, tmp_path):
        """All else stays as it is, in its order."""
        keep_answers(tmp_path, written("# 1\na 1: x\n\nnote\n").with_answer("a", 1, " y\x1b "))
        keep_answers(tmp_path, read_answers(tmp_path).with_answer("b", 1, "z"))

        assert (tmp_path / FILE_NAME).read_text() == "# 1\na 1: y\n\nnote\nb 1: z\n"

    @pytest.mark.parametrize("text", ["", "\n", "no number\n", "\ufeff\x00\n", "a 1 2: 3\n"])
    def test_no_file_is_too_strange(self, written, text):
        """It holds no answers then, and there is a number all the same."""
        answers = written(text)

        assert answers.given == {}
        assert 0 <= answers.number < 10**6

    def test_a_folder_that_takes_no_files_is_said(self, tmp_path):
        """And raises nothing else."""
        with pytest.raises(LearnerError, match="could not be kept"):
            keep_answers(tmp_path / "absent", Answers(("# 1",)))
