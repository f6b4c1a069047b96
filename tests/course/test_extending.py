"""A course may extend another: its exercises, or some of them, beside one's own."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.release import write_stubs
from grader.course.suite_digests import suite_digests
from grader.course.suite_text import points_by_check
from grader.errors import CatalogError, CourseNotFound
from grader.examiner.collection import collected
from grader.proof import prove_exercise, prove_house

OWN = {
    "solutions/half.py": '''\
"""Halves."""


def half(x):
    """Half of ``x``: every number is halved, whatever it is."""
    # BEGIN SOLUTION
    return x / 2
    # END SOLUTION
''',
    "suites/half/test_half.py": '''\
import pytest


@pytest.mark.core
def test_halves(compare, draw):
    """Every number is halved."""
    compare.half(draw.normal(2, 3))
''',
    "suites/half/misconceptions.py": """\
from grader.check import Bank

wrong = Bank()
wrong("half", "whole", "halves", "You keep all of it.", "x / 2", "x")
""",
}
ENTRY = '[half]\ntitle = "Half"\nsource = "nowhere"\nhints = ["Divide."]\nneeds = ["toy"]\n'
POINTS = "[toy]\npoints = { test_doubles = 5 }\n"


@pytest.fixture
def extending(toy, tmp_path):
    """``extending(head, entries)``: a course beside the toy, with an exercise of its own."""

    def extending(head='extends = "../toy"', entries=ENTRY):
        course = Course(tmp_path / "mine")
        for name, text in (OWN | {"exercises/catalog.toml": f"{head}\n{entries}"}).items():
            path = course.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return course

    return extending


class TestACourseThatExtendsAnother:
    def test_has_both_their_exercises(self, extending):
        """First those of the other, as they are taught there."""
        assert list(load_catalog(extending())) == ["toy", "half"]

    def test_finds_the_files_of_each_where_it_lies(self, extending, toy):
        """Only what students get is all in one place."""
        course = extending()

        assert (course.suite("toy"), course.solution("toy")) == (
            toy.suite("toy"),
            toy.solution("toy"),
        )
        assert course.suite("half") == course.root / "suites/half/test_half.py"
        assert course.stub("toy").parent == course.stub("half").parent == course.exercises
        assert set(course.solution_texts) == {"toy", "half"}

    def test_is_proved_like_any_other(self, extending):
        """Its map and its stubs hold them all."""
        course = extending()
        write_stubs(course)
        catalog = load_catalog(course)

        assert prove_house(course) == []
        assert [f for e in catalog.values() for f in prove_exercise(course, e)] == [
            f"toy: {check} catches nothing alone, and does not say why it is kept"
            for check in ("test_doubles", "test_leaves_its_input_alone")
        ] + ["toy: no check is marked as core"]

    def test_says_what_checks_are_worth_there(self, extending, toy):
        """To whoever reads the suite, and to whoever grades by it."""
        course = extending(entries=ENTRY + POINTS)
        (first, second) = collected(course).of(load_catalog(course)["toy"]).checks

        assert (first.check.max_points, second.check.max_points) == (5.0, 1.0)
        assert points_by_check(course, "toy")["test_doubles"] == 5.0
        assert points_by_check(toy, "toy")["test_doubles"] == 1.0

    def test_has_another_digest_when_the_other_changes(self, extending, toy):
        """Its suites give the marks, too; of the own ones none has changed."""
        course = extending()
        before = suite_digests(course)
        toy.suite("toy").write_text(toy.suite("toy").read_text() + "\n")
        after = suite_digests(course)

        assert {name for name in before if before[name] != after[name]} == {"toy"}

    def test_has_another_digest_when_its_checks_are_worth_something_else(self, extending, toy):
        """Its folder decides nothing, and points do."""
        plain = suite_digests(extending())["toy"]

        assert plain == suite_digests(toy)["toy"]
        assert plain != suite_digests(extending(entries=ENTRY + POINTS))["toy"]

    def test_may_take_some(self, extending):
        """What its own exercises need must be among them."""
        needless = ENTRY.replace('needs = ["toy"]\n', "")

        assert list(load_catalog(extending('extends = "../toy"\ntakes = ["toy"]', needless))) == [
            "toy",
            "half",
        ]

    def test_may_put_its_own_in_the_place_of_one(self, extending):
        """Then all of it is its own."""
        course = extending()
        (course.solutions / "toy.py").write_text("def toy(): pass\n")

        assert course.suite("toy") == course.root / "suites/toy/test_toy.py"

    @pytest.mark.parametrize(
        ("head", "entries", "error", "said"),
        [
            ('extends = "../gone"', ENTRY, CourseNotFound, "extends '../gone', and there is no"),
            ('extends = "."', ENTRY, CourseNotFound, "extends a course that extends it"),
            (
                'extends = "../toy"\ntakes = ["toi"]',
                ENTRY,
                CatalogError,
                "'takes' names 'toi', which is no exercise of the course that this one extends. "
                "Did you mean 'toy'?",
            ),
        ],
    )
    def test_that_is_not_there_is_said(self, extending, head, entries, error, said):
        """In words, with what to do."""
        with pytest.raises(error) as caught:
            load_catalog(extending(head, entries))

        assert said in str(caught.value)

    def test_is_told_of_points_for_a_check_that_is_none(self, extending):
        """They would be for nothing."""
        course = extending(entries=ENTRY + POINTS.replace("test_doubles", "test_double"))

        with pytest.raises(CatalogError, match=r"no check of it\. Did you mean 'test_doubles'"):
            points_by_check(course, "toy")
