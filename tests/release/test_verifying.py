"""What packs claim, against what an instructor has: every difference is said, no more."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from grader import __version__
from grader.course.catalog import load_catalog
from grader.course.claims import NOTEBOOK, claims_of
from grader.course.course import Course
from grader.course.released import read_facts
from grader.errors import GraderError
from grader.model import Submission
from grader.release import words
from grader.release.folder import Wanted, release
from grader.release.verifying import MOST_NAMES, Given, Verifier, given
from grader.runs.texts import digests_of

ANN = Submission("ann", "ann", {"toy": "def double(x): ...", "helper": "x = 1"})
ELSE = "sha256:else"
DUE = "2026-11-20T23:59:00+01:00"


@pytest.fixture(scope="module")
def home(toy_in, tmp_path_factory):
    """A course with a name and a version."""
    course = toy_in(tmp_path_factory.mktemp("home"))
    head = 'name = "toys"\nversion = "2"\n'
    course.catalog.write_text(head + course.catalog.read_text())
    return course


@pytest.fixture(scope="module")
def folder(home, tmp_path_factory):
    """What was given away of it."""
    folder = tmp_path_factory.mktemp("out") / "toys"
    wanted = Wanted(list(load_catalog(home).values()), "Sheet 1", asked=("toy",), due=DUE)
    assert [one.checks for one in release(home, wanted, folder)] == [2]
    return Course(folder)


@pytest.fixture
def claims(folder):
    """Of a pack that was made there."""
    return claims_of(folder, digests_of(ANN))


@pytest.fixture
def told(home, folder):
    """``told(claims)``: every difference, with the folder that was given away beside."""

    def told(claims, submission=ANN, mine=None):
        return Verifier(home, mine or Given(folder, "Sheet 1")).differences(claims, submission)

    return told


class TestAsYours:
    def test_nothing_is_told_of_what_was_given_away(self, told, claims):
        """With the folder at hand, and without."""
        assert told(claims) == []
        assert told(claims, mine=Given()) == []

    def test_nor_of_the_whole_course(self, told, home):
        """Somebody who works in a clone."""
        assert told(claims_of(home, digests_of(ANN)), mine=Given()) == []

    def test_nor_of_a_notebook(self, told, claims):
        """Its module has text of the course in it."""
        files = {**claims.files, "toy": NOTEBOOK}

        assert told(replace(claims, files=files)) == []


class TestDifferences:
    @pytest.mark.parametrize(
        ("field", "value", "said"),
        [
            ("course", "other", words.OTHER_COURSE.format(claimed="other")),
            ("course", "", words.OTHER_COURSE.format(claimed=words.NAMELESS)),
            ("version", "1", words.OTHER_COURSE_VERSION.format(claimed="1", mine="2")),
            ("grader", "0", words.OTHER_GRADER.format(claimed="0", mine=__version__)),
            ("assignment", "Sheet 2", words.OTHER_ASSIGNMENT.format(claimed="Sheet 2")),
            ("catalog", ELSE, words.OTHER_CATALOG),
            ("practice", {"toy": ELSE}, words.PRACTICE_CHANGED.format(names="toy")),
            ("practice", {}, words.PRACTICE_CHANGED.format(names="toy")),
            ("stamps", {"toy": ELSE}, words.OTHER_PRACTICE.format(names="toy")),
            ("stamps", {"toi": ELSE}, words.UNKNOWN_EXERCISES.format(names="toi")),
        ],
    )
    def test_each_is_said(self, told, claims, field, value, said):
        """One sentence, of that claim alone."""
        assert told(replace(claims, **{field: value})) == [said]

    def test_of_a_folder_of_another_version(self, told, claims):
        """Its stamps hold the version by which it was released."""
        released = words.OTHER_RELEASE.format(claimed="0", mine=__version__)

        assert told(replace(claims, released_by="0")) == [
            words.OTHER_PRACTICE.format(names="toy"), released,
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("place", "said"),
        [
            ("exercises/catalog.toml", words.OTHER_CATALOG),
            ("practice/toy.sealed", words.PRACTICE_CHANGED.format(names="toy")),
            ("practice/pages/toy.py", words.PRACTICE_CHANGED.format(names="toy")),
        ],
    )
    def test_a_folder_that_was_changed_is_found(self, told, folder, tmp_path, place, said):
        """By what really lies there when it is packed."""
        changed = Course(tmp_path / "theirs")
        shutil.copytree(folder.root, changed.root)
        with (changed.root / place).open("ab") as file:
            file.write(b"\n")

        assert told(claims_of(changed, digests_of(ANN))) == [said]

    def test_suites_that_were_mended_since_are_found(self, toy_in, home, folder, claims, tmp_path):
        """The practice is of those before."""
        course = toy_in(tmp_path)
        course.catalog.write_text(home.catalog.read_text())
        suite = course.suite("toy")
        suite.write_text(suite.read_text().replace("draw.normal(4)", "draw.normal(5)"))

        assert Verifier(course, Given(folder)).differences(claims, ANN) == [
            words.OTHER_PRACTICE.format(names="toy")
        ]

    @pytest.mark.parametrize(
        ("files", "said"),
        [
            ({"toy": "mended", "helper": "x = 1"}, words.FILES_CHANGED.format(names="toy")),
            ({"toy": "def double(x): ..."}, words.FILES_GONE.format(names="helper")),
            ({**ANN.files, "more": ""}, words.FILES_ADDED.format(names="more")),
        ],
    )
    def test_what_was_changed_after_packing_is_found(self, told, claims, files, said):
        """Whoever did it, and why."""
        assert told(claims, replace(ANN, files=files)) == [said]

    def test_of_many_names_the_first_are_said(self, told, claims):
        """A pack may claim a thousand."""
        names = {f"n{number}": "" for number in range(MOST_NAMES + 3)}
        (said,) = told(replace(claims, stamps=names))

        assert said.endswith("n5 and 3 more")


class TestWhatIsGiven:
    def test_knows_what_was_asked_for(self, folder):
        """Not only what came with it, and until when."""
        facts = read_facts(folder.root)

        assert (facts.asked, facts.due) == (("toy",), DUE)

    def test_a_folder_says_its_title(self, folder):
        """An assignment's file goes before it."""
        assert given(folder.root, "").title == "Sheet 1"
        assert given(folder.root, "Mine").title == "Mine"

    def test_another_folder_is_refused(self, tmp_path):
        """In a sentence."""
        with pytest.raises(GraderError, match=r"no release\.toml"):
            given(tmp_path, "")

    def test_students_cannot_verify(self, folder):
        """There is nothing to compare with."""
        with pytest.raises(GraderError, match="--course DIR"):
            Verifier(folder, Given())
