"""Courses of other subjects than this checkout's: nothing in the engine knows what is taught."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog
from grader.course.course import Course, course_above
from grader.course.rests import unsaid
from grader.pictures import has_scene, scene_of
from grader.pipeline import grade_all
from grader.programs.bank import load_bank
from grader.programs.page import load_by_path
from grader.proof import prove_exercise, prove_house, prove_variants

HERE = Path(__file__).parent
COURSES = [Course(catalog.parents[1]) for catalog in sorted(HERE.glob("*/exercises/catalog.toml"))]
EXERCISES = [(course, name) for course in COURSES for name in load_catalog(course)]

each_course = pytest.mark.parametrize("course", COURSES, ids=lambda course: course.root.name)
each_exercise = pytest.mark.parametrize(
    ("course", "name"), EXERCISES, ids=[name for _, name in EXERCISES]
)


@each_course
class TestACourse:
    def test_is_found_from_within(self, course):
        """Its own catalog is nearer than the one of this checkout."""
        assert course_above(course.suites) == course

    def test_is_in_order(self, course):
        """Every file is there, and what is generated is fresh."""
        assert prove_house(course) == []

    def test_is_graded(self, course, sandbox):
        """Behind the walls: the perfect sample has every point, the untouched one none."""
        catalog = load_catalog(course)
        submissions = collect(course.root / "tests" / "submissions", catalog)
        reports = list(grade_all(course, list(catalog.values()), submissions, sandbox))

        assert {report.submission: report.score / report.max_score for report in reports} == {
            "perfect": 1.0,
            "untouched": 0.0,
        }
        assert {report.conditions.versions["course"] for report in reports} == {course.about.shown}


@each_exercise
class TestAnExercise:
    def test_is_proved(self, course, name):
        """Right answers pass, wrong ones are caught and named, every check is needed, and rests on
        words of its page."""
        exercise = load_catalog(course)[name]

        assert prove_exercise(course, exercise) + unsaid(course, name) == []
        assert prove_variants(course, exercise, course.variants(name)) == []

    def test_has_examples_that_come_out(self, course, name):
        """As they are printed."""
        result = doctest.testmod(load_by_path(course.solution(name)), verbose=False)

        assert (result.attempted > 0, result.failed) == (True, 0)


def test_a_picture_is_the_courses_own():
    """Nothing of this checkout's is drawn for another course, whatever its exercises are called."""
    (course,) = (one for one in COURSES if one.about.name == "basic-statistics")

    assert scene_of(course, "spread").lesson.startswith("In units of its own spread")
    assert [name for name in ("middle", "softmax") if has_scene(course, name)] == []


def test_what_was_handed_in_is_told_its_misconception(tmp_path, sandbox):
    """In a sentence of the course's own bank."""
    (course,) = (one for one in COURSES if one.about.name == "basic-statistics")
    page = course.solution("spread").read_text(encoding="utf-8")
    (tmp_path / "spread.py").write_text(page.replace("(len(x) - 1)", "len(x)"))
    catalog = load_catalog(course)
    (report,) = grade_all(course, [catalog["spread"]], collect(tmp_path, catalog), sandbox)
    (entry, *_) = load_bank(course.misconceptions("spread"), course.solution("spread"))

    assert entry.name in {verdict.misconception for verdict in report.verdicts}
