"""What a pack says of itself comes back as it was said, and whatever else is there as nothing."""

from __future__ import annotations

import pytest

from grader import __version__
from grader.course.claims import (
    MAX_CHARACTERS,
    MAX_ENTRIES,
    Claims,
    claims_of,
    practice_digests,
    read_claims,
    written,
)
from grader.course.course import Course
from grader.course.released import Facts, write_facts
from grader.course.suite_digests import suite_digests

CLAIMS = Claims("1", "toys", "2", 'Sheet "1" λ', "0", "sha", {"toy": "a"}, {}, {"toy": "sha"})


@pytest.fixture
def released(tmp_path):
    """A folder that was given away, with some practice."""
    course = Course(tmp_path / "given")
    course.catalog.parent.mkdir(parents=True)
    course.catalog.write_text('name = "toys"\nversion = "7"\n')
    (course.practice / "pages").mkdir(parents=True)
    (course.practice / "toy.sealed").write_bytes(b"numbers")
    (course.practice / "pages" / "toy.py").write_bytes(b"stub")
    write_facts(course.root, Facts("Sheet 1", "0.9", "2", stamps={"toy": "5e"}))
    return course


class TestWhatIsClaimed:
    def test_of_a_released_folder(self, released):
        """Which version of the course it is, by whom it was released, and what lies there now."""
        claims = claims_of(released, {"toy": "sha"})

        assert (claims.grader, claims.course, claims.version) == (__version__, "toys", "7")
        assert (claims.assignment, claims.released_by) == ("Sheet 1", "0.9")
        assert claims.stamps == {"toy": "5e"}
        assert claims.practice == practice_digests(released)
        assert claims.files == {"toy": "sha"}

    def test_of_a_whole_course(self, toy):
        """By which suites: there is no practice."""
        claims = claims_of(toy, {})

        assert claims.stamps == suite_digests(toy)
        assert (claims.assignment, claims.released_by, claims.practice) == ("", "", {})

    @pytest.mark.parametrize("place", ["toy.sealed", "pages/toy.py", "toy.scene"])
    def test_changed_practice_has_another_digest(self, released, place):
        """Whatever of it was changed, or added."""
        before = practice_digests(released)
        with (released.practice / place).open("ab") as file:
            file.write(b"!")

        assert before.keys() == practice_digests(released).keys() == {"toy"}
        assert before != practice_digests(released)


class TestReading:
    def test_what_was_written_comes_back(self):
        """With every character of a title."""
        assert read_claims(written(CLAIMS)) == CLAIMS

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\0",
            "no TOML",
            "a = " + "[" * 30_000,
            'grader = "1"',
            'schema = "pack/v2"\ngrader = "1"',
            'schema = "pack/v1"',
            'schema = "pack/v1"\ngrader = 1',
            'schema = "pack/v1"\ngrader = "1"\nstamps = "all"',
            'schema = "pack/v1"\ngrader = "1"\nmark = "A"',
            'schema = "pack/v1"\ngrader = "1"\n[files]\ntoy = 1',
            f'schema = "pack/v1"\ngrader = "{"1" * (MAX_CHARACTERS + 1)}"',
            'schema = "pack/v1"\ngrader = "1"\n[files]\n'
            + "".join(f'm{n} = ""\n' for n in range(MAX_ENTRIES + 1)),
        ],
    )
    def test_what_nobody_could_have_written_claims_nothing(self, text):
        """Whatever it does to a parser, and whatever it adds."""
        assert read_claims(text) is None
