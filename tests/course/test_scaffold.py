"""A new course is small and whole: what authors begin with is proved already."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.rests import unsaid
from grader.course.scaffold import FIRST, new_course, new_exercise
from grader.errors import GraderError
from grader.proof import marking_scheme, prove_exercise, prove_house, prove_variants


@pytest.fixture
def made(tmp_path):
    """A course just begun."""
    return new_course(tmp_path / 'Kurs "1" λ')


class TestANewCourse:
    def test_is_proved_already(self, made):
        """A page, a suite, a wrong answer and a right one, and nothing to say of them."""
        exercise = load_catalog(made)[FIRST]
        variants = made.variants(FIRST)

        assert prove_house(made) + unsaid(made, FIRST) == []
        assert prove_exercise(made, exercise) + prove_variants(made, exercise, variants) == []

    def test_is_called_as_its_folder(self, made):
        """Whatever stands in its name."""
        assert made.about.shown == 'Kurs "1" λ 0.1'

    def test_is_made_where_nothing_is(self, made):
        """Nobody's files are written over."""
        with pytest.raises(GraderError, match="is there already and not empty"):
            new_course(made.root)


class TestANewExercise:
    def test_is_one_more(self, made):
        """Behind the others, and all of it is in order."""
        new_exercise(made, "moving_average")

        assert list(load_catalog(made)) == [FIRST, "moving_average"]
        assert prove_house(made) == []
        assert prove_exercise(made, load_catalog(made)["moving_average"]) == []

    def test_says_what_its_points_are_for(self, made):
        """Of all of its checks, which an author sees and replaces."""
        new_exercise(made, "moving_average")

        exercise = load_catalog(made)["moving_average"]
        assert marking_scheme(made, exercise) == {"the mean of each row": 2.0}

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            (FIRST, "is an exercise of this course already"),
            ("moving-average", "cannot be the name of a module"),
            ("Mean", "cannot be the name of a module"),
            ("class", "cannot be the name of a module"),
            ("statistics", "is the name of a Python package"),
            ("torch", "is the name of a Python package"),
            ("left_over", "solutions/left_over.py is there already"),
        ],
    )
    def test_under_a_name_that_cannot_be_is_refused(self, made, name, said):
        """In words, and nothing is written."""
        (made.solutions / "left_over.py").write_text("")
        before = made.catalog.read_bytes()

        with pytest.raises(GraderError, match=said):
            new_exercise(made, name)
        assert made.catalog.read_bytes() == before
