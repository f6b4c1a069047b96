"""A course as files that are taken elsewhere."""

from __future__ import annotations

import io
import shutil
import zipfile

import pytest

from grader.course.assignment import read_assignment
from grader.course.catalog import load_catalog
from grader.course.course import Course
from grader.course.suite_digests import suite_digests
from grader.errors import GraderError
from grader.platforms.packed import assignment_file, course_files, write_folder, zipped


@pytest.fixture
def extending(toy, tmp_path):
    """A course that extends the toy and has nothing of its own."""

    def extending(line):
        course = Course(tmp_path / "more")
        course.catalog.parent.mkdir(parents=True)
        course.catalog.write_text(f'name = "more"\n{line.format(toy=toy.root)}\n[toy]\n')
        return course

    return extending


class TestACourse:
    def test_gives_marks_by_the_same_suites(self, toy, tmp_path):
        """Digests are those of home, so that reports can be compared."""
        write_folder(tmp_path / "there", course_files(toy))
        there = Course(tmp_path / "there" / "course")

        assert suite_digests(there) == suite_digests(toy)
        assert load_catalog(there) == load_catalog(toy)

    def test_leaves_behind_what_no_mark_needs(self, toy):
        """Stubs, tests, what tools and editors leave."""
        for name in ("exercises/toy.py", "tests/variants/toy.py", "grader/suites/.cache/x.py"):
            (toy.root / name).parent.mkdir(parents=True, exist_ok=True)
            (toy.root / name).write_text("pass")

        assert set(course_files(toy)) == {
            "course/exercises/catalog.toml",
            "course/solutions/toy.py",
            "course/grader/suites/toy/test_toy.py",
            "course/grader/suites/toy/misconceptions.py",
        }

    def test_brings_those_that_it_extends(self, extending, toy, tmp_path):
        """Wherever they lay: nothing of home is needed any more."""
        course = extending('extends = "{toy}"')
        digests = suite_digests(course)
        write_folder(tmp_path / "there", course_files(course))
        shutil.rmtree(toy.root)

        assert suite_digests(Course(tmp_path / "there" / "course")) == digests

    def test_must_say_plainly_what_it_extends(self, extending):
        """Else it could not be said anew; what to do is said."""
        course = extending("extends = '''\n{toy}'''")

        with pytest.raises(GraderError, match="on one of its own"):
            course_files(course)


class TestAnAssignment:
    def test_is_taken_as_it_is(self, tmp_path):
        """With all that stands in it."""
        text = 'title = "One"\nexercises = ["toy"]\n# a remark\n'
        (tmp_path / "assignment.toml").write_text(text)
        given = read_assignment(tmp_path / "assignment.toml")

        assert assignment_file("Toys", ["toy"], given) == {"assignment.toml": text.encode()}

    def test_is_made_where_there_is_none(self, tmp_path):
        """It says which exercises, under the course's title."""
        (name, raw), *_ = assignment_file('The "best" — ½', ["toy"], None).items()
        (tmp_path / name).write_bytes(raw)
        found = read_assignment(tmp_path / name)

        assert (found.title, found.exercises) == ('The "best" — ½', ("toy",))


class TestAnArchive:
    def test_says_which_files_are_programs(self):
        """They are run there as they are unpacked."""
        raw = zipped({"run": b"#!/bin/sh\n", "data": b""}, ["run"])
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            modes = {one.filename: one.external_attr >> 16 & 0o777 for one in archive.infolist()}

        assert modes == {"run": 0o755, "data": 0o644}

    def test_is_the_same_bytes_every_time(self):
        """It holds no times."""
        assert zipped({"a": b"1"}) == zipped({"a": b"1"})


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    """Whatever it is."""
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(GraderError, match="not empty"):
        write_folder(tmp_path, {"Dockerfile": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
