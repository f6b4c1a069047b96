"""A course's predictions: drawn for each learner, computed, and given away without the answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from grader.errors import SuiteError
from grader.programs.predictions import DRAWINGS, drawings, drawn, prove_predictions
from grader.programs.sealed_answer import judged

HEAD = "from grader.check import Answer, Predictions\npredict = Predictions()\n"
DOUBLES = (
    HEAD
    + """
@predict(x=range(2, 40))
def doubled(page, x):
    '''What is double({x})?'''
    return Answer(page.double(x), "Twice.", {x: "That is x itself.", x * x: "You square."})
"""
)


@pytest.fixture
def predicting(toy):
    """``predicting(text)``: the toy course with this file of predictions."""

    def predicting(text=DOUBLES):
        toy.predictions("toy").write_text(text)
        return toy

    return predicting


class TestDrawn:
    def test_a_course_need_not_have_any(self, toy):
        """Then nothing is asked."""
        assert drawn(toy, "toy", 1) == []

    def test_numbers_differ_between_learners(self, predicting):
        """And stay for each of them."""
        course = predicting()
        questions = [drawn(course, "toy", number)[0].question for number in range(20)]

        assert len(set(questions)) > 5
        assert questions == [drawn(course, "toy", number)[0].question for number in range(20)]

    def test_the_answer_is_the_references(self, predicting):
        """It is computed from the numbers drawn."""
        for number in range(20):
            (asked,) = drawn(predicting(), "toy", number)
            x = int(asked.question.partition("(")[2].partition(")")[0])
            right, wrong = judged(asked, str(2 * x)), judged(asked, str(x))

            assert right is not None
            assert right.right
            assert wrong is not None
            assert wrong.says == "That is x itself."

    def test_what_is_right_by_chance_is_right(self, predicting):
        """For x = 2 the square is the double."""
        (asked,) = drawn(predicting(DOUBLES.replace("range(2, 40)", "(2,)")), "toy", 1)

        found = judged(asked, "4")

        assert found is not None
        assert found.right

    def test_a_file_without_predictions_is_refused(self, predicting):
        """It says what is missing."""
        with pytest.raises(SuiteError, match="predict = Predictions"):
            drawn(predicting("x = 1\n"), "toy", 1)


class TestProvePredictions:
    def test_nothing_is_found_in_good_ones(self, predicting):
        """Nor where there are none."""
        assert prove_predictions(predicting(), "toy") == []

    @pytest.mark.parametrize(
        "slip",
        [
            ("page.double(x)", "page.triple(x)"),
            ("What is double({x})?", "What is double({y})?"),
            ('"Twice."', '" "'),
            ("What is double({x})?", ""),
            ("page.double(x)", "[x]"),
            ("Answer(", "("),
        ],
    )
    def test_what_cannot_be_asked_is_found(self, predicting, slip):
        """Whatever it raises."""
        found = prove_predictions(predicting(DOUBLES.replace(*slip)), "toy")

        assert len(found) == 1


class TestDrawings:
    def test_a_folder_that_is_given_away_asks_the_same(self, predicting, tmp_path):
        """From a file without the answers, some drawings of it."""
        course = predicting()
        forms = json.loads(drawings(course, "toy"))
        given = tmp_path / "given"
        (given / "practice" / "predictions").mkdir(parents=True)
        (given / "release.toml").write_text("")
        released = replace(course, root=given)
        released.predictions("toy").write_bytes(drawings(course, "toy"))

        assert len(forms) == DRAWINGS
        assert drawn(released, "toy", DRAWINGS + 3) == drawn(course, "toy", 3)

    def test_nothing_is_given_away_of_nothing(self, toy):
        """No file then."""
        assert drawings(toy, "toy") == b""
