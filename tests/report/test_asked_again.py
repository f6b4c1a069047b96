"""A learner reads in which way an answer went wrong that was right at first."""

from __future__ import annotations

import pytest

from grader.model import Cause
from grader.programs.again import WAYS as ASKED
from grader.report.asked_again import WAYS, with_changed_inputs
from grader.report.words import told


def test_every_way_has_its_words():
    """And no word is left over."""
    assert set(WAYS) == set(ASKED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("it is wrong", "Its input (x) was changed in place: mend that first. What else"),
        ("f changes x in place.", "f changes x in place."),
    ],
)
def test_inputs_that_were_changed_are_told_first(text, said):
    """Unless the check says so itself; and what it says besides may be wrong of other inputs."""
    facts = {"text": text, "expected": "", "actual": "", "advice": "", "also_changed": ("x",)}
    rationale = told(Cause("said", facts)).rationale

    assert rationale.startswith(said)
    assert "it is wrong" not in rationale


def test_what_a_comparison_found_stays():
    """It is seen, and no guess."""
    assert with_changed_inputs(["x"], "other values").endswith("may follow from it. other values")


def test_functions_that_are_wrong_are_told_last():
    """What was made of them may be right."""
    facts = {"text": "it is wrong", "expected": "", "actual": "", "advice": ""}
    rationale = told(Cause("said", {**facts, "used_and_wrong": ("f", "g")})).rationale

    assert rationale.startswith("it is wrong. `f` and `g` of this file are not right yet: if")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (("eval",), "but wrong in eval mode: The check returned shape (2,)"),
        (("same_object",), "when the same object is called a second time"),
        (("others", "float64"), "for other values of the same shape and in float64: The check"),
    ],
)
def test_the_ways_stand_before_what_went_wrong(how, words):
    """Right the first time, but ..."""
    facts = {"call": None, "at": (), "wanted": "(3,)", "got": "(2,)", "asked_again": how}
    rationale = told(Cause("shape", facts)).rationale

    assert rationale.startswith("Right the first time, but wrong ")
    assert words in rationale
