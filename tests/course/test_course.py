"""Which course is meant: what is named, else what one stands in, else this checkout."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import POINTER, VARIABLE, course_above, find_course, is_own
from grader.errors import CatalogError, CourseNotFound


@pytest.fixture
def stand_in(monkeypatch):
    """``stand_in(folder)``: it is the current folder, and no course is named."""
    monkeypatch.delenv(VARIABLE, raising=False)
    return monkeypatch.chdir


class TestTheCourse:
    def test_is_the_one_that_is_named(self, toy, course, stand_in, monkeypatch):
        """Wherever one stands."""
        stand_in(course.exercises)
        monkeypatch.setenv(VARIABLE, str(toy.root))

        assert find_course() == toy

    @pytest.mark.parametrize("folder", [".", "exercises", "grader/suites/toy"])
    def test_is_else_the_one_above(self, toy, stand_in, folder):
        """Also from deep within."""
        stand_in(toy.root / folder)

        assert find_course() == toy

    def test_is_the_one_that_a_learners_folder_was_made_from(self, toy, tmp_path, stand_in):
        """It may lie anywhere."""
        desk = tmp_path / "desk"
        desk.mkdir()
        (desk / POINTER).write_text(f"{toy.root}\n")
        stand_in(desk)

        assert find_course() == toy

    def test_is_else_this_checkout(self, course, tmp_path, stand_in):
        """It holds the package that runs."""
        stand_in(tmp_path)

        assert find_course() == course
        assert is_own(course)
        assert course_above(tmp_path) is None

    def test_that_is_named_and_is_none_is_said(self, tmp_path, monkeypatch):
        """With what would be one."""
        monkeypatch.setenv(VARIABLE, str(tmp_path))

        with pytest.raises(CourseNotFound, match=r"holds no exercises/catalog\.toml\. Name the"):
            find_course()

    def test_in_a_folder_of_its_own_keeps_its_suites_beside_its_pages(self, toy):
        """Only a checkout of the engine has a folder for that."""
        before = toy.suites
        (toy.root / "grader").rename(toy.root / "elsewhere")

        assert (before, toy.suites) == (toy.root / "grader/suites", toy.root / "suites")


class TestItsHead:
    @pytest.fixture
    def beginning(self, toy):
        """``beginning(text)``: the toy course, whose catalog begins with it."""
        exercises = toy.catalog.read_text()

        def beginning(text):
            toy.catalog.write_text(f"{text}\n{exercises}")
            return toy

        return beginning

    def test_need_not_be_there(self, toy):
        """A course is called nothing then."""
        assert toy.about.shown == ""

    def test_is_no_exercise(self, beginning):
        """What stands there is of the course."""
        toy = beginning('name = "toys"\ntitle = "Toys"\nversion = "1.2"\nengine = ">=0.1"')

        assert toy.about.shown == "toys 1.2"
        assert list(load_catalog(toy)) == ["toy"]

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (
                'titel = "x"',
                "'titel' must be a table: write [titel] above it. Did you mean 'title'?",
            ),
            ("version = 1.0", "'version' must be of type str, not float."),
            ('takes = ["a"]', "'takes' chooses exercises of the course that 'extends' names."),
            ('engine = "new"', "engine = 'new' is no range of versions. Write one as"),
            ('name = "t"\nengine = ">=99"', r"This course (t) needs grader >=99, and this is"),
            ('title = "T"\nversion = "1"\nengine = "<0.1"', r"This course (T 1) needs grader <0.1"),
            ('engine = ">=99"\nnew_key = 1', "needs grader >=99"),
        ],
    )
    def test_that_cannot_be_true_is_said_in_words(self, beginning, text, complaint):
        """What was found, what was expected, what to do."""
        with pytest.raises(CatalogError) as caught:
            load_catalog(beginning(text))

        assert complaint in str(caught.value)
