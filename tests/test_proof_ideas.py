"""Every check is in exactly one idea, and an idea that is malformed is refused in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.ideas import read_ideas, words_alone
from grader.errors import CatalogError
from grader.examiner.collection import collected
from grader.model import Idea
from grader.proof_ideas import idea_faults, points_of_ideas


def suite(*ideas, checks=("test_a", "test_b[1]", "test_b[2]")):
    found = [SimpleNamespace(check=SimpleNamespace(name=name, max_points=1.0)) for name in checks]
    return SimpleNamespace(exercise=SimpleNamespace(ideas=ideas), checks=found)


def test_words_and_checks_are_read():
    assert read_ideas("x", ["every dtype: a b"]) == (Idea("every dtype", ("a", "b")),)


@pytest.mark.parametrize("line", [3, "", ": a", "words:", "w" * 51 + ": a"])
def test_what_is_malformed_is_refused(line):
    with pytest.raises(CatalogError, match="idea"):
        read_ideas("x", [line])


def test_one_idea_stands_once():
    with pytest.raises(CatalogError, match="twice"):
        read_ideas("x", ["one: a", "one: b"])


def test_no_name_of_a_check_is_given_away():
    assert words_alone(["one: a b", "two: c"]) == ["one", "two"]


def test_no_ideas_are_fine():
    assert not list(idea_faults(suite()))


def test_each_check_in_exactly_one_idea():
    assert not list(idea_faults(suite(Idea("one", ("a",)), Idea("two", ("b",)))))


@pytest.mark.parametrize(
    ("checks", "said"),
    [(("a",), "none of"), (("a", "b", "a"), "more than"), (("a", "b", "c"), "no check")],
)
def test_a_fault_is_said(checks, said):
    (fault,) = idea_faults(suite(Idea("one", checks)))

    assert said in fault


def test_points_of_parameters_are_added():
    assert points_of_ideas(suite(Idea("one", ("b",)))) == {"one": 2.0}


@pytest.mark.parametrize("exercise", load_catalog(find_course()).values(), ids=lambda one: one.name)
def test_this_house_says_what_points_are_for(exercise):
    suite = collected(find_course(), [exercise]).of(exercise)

    assert 3 <= len(exercise.ideas) <= 8
    assert not list(idea_faults(suite))
