"""Predictions in the watch screen: one key asks, Enter answers, Escape leaves."""

from __future__ import annotations

import pytest

from grader.learner.answers import read_answers
from grader.learner.asking import question_lines
from grader.learner.events import SAVE
from grader.learner.lines import Size
from grader.programs.predictions import drawn

TEXT = """
from grader.check import Answer, Predictions

predict = Predictions()


@predict(x=(21,))
def doubled(page, x):
    '''What is double({x})?'''
    return Answer(page.double(x), "Twice is x + x.", {x * x: "You square, it seems."})


@predict()
def named(page):
    '''Is double(quit) a number?'''
    return Answer(False, "It is a word.")
"""


@pytest.fixture
def predicting(toy):
    """The toy course asks two questions."""
    toy.predictions("toy").write_text(TEXT)
    return toy


@pytest.mark.usefixtures("predicting")
class TestAsking:
    def test_a_key_asks(self, sit):
        """The first question is open, and its form is said."""
        first, asked = sit("?")

        assert "? predict" in first
        assert "1. What is double(21)?" in asked
        assert "a whole number" in asked
        assert "> ▌" in asked

    def test_a_wrong_answer_is_explained(self, sit):
        """And may be given again."""
        *_, last = sit("?", *"441", "enter", "4", "2")

        assert "✗ 441: You square, it seems." in last
        assert "> 42▌" in last

    def test_a_right_answer_leads_on(self, sit, workspace):
        """It is kept in the learner's file."""
        *_, last = sit("?", *"43", "\x7f", *"2", "enter")

        assert "✓ 42: Twice is x + x." in last
        assert last.index("Is double(quit)") < last.index("> ▌")
        assert read_answers(workspace.folder).given == {("toy", 1): "42"}

    def test_every_letter_can_be_typed(self, sit):
        """Also those that are keys elsewhere."""
        *_, last = sit("?", *"qnxjk? hm")

        assert "> qnxjk? hm▌" in last

    def test_what_is_no_answer_is_said_to_be_none(self, sit):
        """With the form of one."""
        *_, last = sit("?", *"twice", "enter")

        assert "'twice' cannot be read as an answer. Write a whole number." in " ".join(
            last.split()
        )

    def test_arrows_go_to_another_question(self, sit):
        """Enter without an answer goes on as well."""
        *_, down, up, entered = sit("?", "down", "up", "enter")

        assert down.index("2. Is") < down.index("> ▌")
        assert up.index("> ▌") < up.index("2. Is")
        assert entered == down

    def test_escape_goes_back(self, sit):
        """Answers stay for the next time."""
        *_, main, again = sit("?", *"42", "enter", "escape", "?")

        assert main.startswith("toy · A toy")
        assert "✓ 42" in again
        assert again.index("2. Is") < again.index("> ▌")

    def test_a_save_comes_first(self, sit):
        """The page is checked at once, whatever was being typed."""
        *_, last = sit("?", *"4", lambda: SAVE)

        assert last.startswith("toy · A toy")

    def test_a_small_terminal_shows_the_question_at_hand(self, sit):
        """The page is scrolled to it."""
        *_, last = sit("?", "down", size=Size(30, 10))

        assert "> ▌" in last

    def test_a_folder_that_takes_no_files_stops_nobody(self, sit, workspace):
        """It is judged, and said that it is not kept."""
        (workspace.folder / "predictions.txt").mkdir()
        *_, last = sit("?", *"42", "enter")

        assert "✓ 42" in last
        assert "could not be kept" in " ".join(last.split())


def test_a_course_without_predictions_does_not_speak_of_them(sit):
    """The key says so."""
    first, last = sit("?")

    assert "? predict" not in first
    assert "There are no predictions about toy." in last


def test_a_question_hangs_under_its_number(predicting):
    """However narrow the terminal is."""
    lines = question_lines(drawn(predicting, "toy", 1)[0], 1, "441", 20)

    assert max(len(line.text) for line in lines) <= 20
    assert lines[0].text.startswith("1. What")
