"""A student is in a run once, and nobody takes another's place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.model import Submission
from grader.runs.known import known_as


@pytest.fixture
def names(report):
    """``names([("ann", "7"), ...], [...])``: what these submissions are called in a run that has
    reports on these students, each by name and id.
    """

    def names(submissions, reports):
        those = [Submission(name, name, {}, student_id=id) for name, id in submissions]
        told = [replace(report(name), student_id=id) for name, id in reports]
        return [one.name for one in known_as(those, told)]

    return names


def test_the_same_class_is_called_the_same(names):
    """Run after run."""
    students = [("ann", "1"), ("ann 2", ""), ("zoe", "3")]

    assert names(students, students) == ["ann", "ann 2", "zoe"]


def test_an_id_tells_more_than_a_name(names):
    """The folder of one student is called otherwise than within the class."""
    assert names([("Ann Lee", "2")], [("Ann Lee 1", "1"), ("Ann Lee 2", "2")]) == ["Ann Lee 2"]


def test_a_namesake_takes_nobodys_place(names):
    """Of another id; and without any id it is the one of that name."""
    assert names([("Ann", "2")], [("Ann", "1")]) == ["Ann 2"]
    assert names([("Ann", "")], [("Ann", "1")]) == ["Ann"]
    assert names([("Ann", "2")], [("Ann", "")]) == ["Ann"]


def test_two_of_one_name_stay_two(names):
    """One is known by id; the other has no id and takes no place that is somebody's."""
    assert names([("x", "1"), ("Ann", "")], [("Ann", "1")]) == ["Ann", "Ann 2"]


def test_a_name_is_the_same_however_it_is_spelled(names):
    """Some file systems mind neither case nor composition."""
    assert names([("ANN", "")], [("Ann", "")]) == ["Ann"]
    assert names([("Jose\u0301", "")], [("José", "")]) == ["José"]


def test_the_ids_of_another_platform_say_nothing(names):
    """A roster was given the second time: several of the same names, none with the same id."""
    assert names([("ann", "A"), ("zoe", "B")], [("ann", "1"), ("zoe", "2")]) == ["ann", "zoe"]


def test_new_names_are_free_ones(names):
    """Also of what another new one has just been called."""
    found = names([("ann", "2"), ("ann 2", ""), ("ann 2 2", "")], [("ann", "1"), ("zoe", "")])

    assert len(set(found)) == 3
    assert "ann" not in found


def test_the_order_stays(names):
    """It is that of the class."""
    assert names([("zoe", ""), ("ann", "")], [("ann", ""), ("zoe", "")]) == ["zoe", "ann"]
