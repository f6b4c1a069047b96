"""`grader --version`: which grader, which course."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from grader import __version__
from grader.cli.app import app
from grader.cli.versions import versions
from grader.course.course import VARIABLE
from grader.course.released import Facts, write_facts


@pytest.fixture
def chosen(toy, monkeypatch):
    """``chosen(head)``: the toy, whose catalog begins with it, is the course that is meant."""

    def chosen(head):
        toy.catalog.write_text(f"{head}\n{toy.catalog.read_text()}")
        monkeypatch.setenv(VARIABLE, str(toy.root))
        return toy

    return chosen


class TestVersions:
    def test_are_those_of_engine_and_course(self, chosen):
        """And where it lies: there may be several."""
        toy = chosen('name = "toys"\nversion = "1.2"')

        assert list(versions()) == [f"grader {__version__}", f"course toys 1.2 in {toy.root}"]

    def test_of_a_course_that_was_given_away_are_told_with_its_graders(self, chosen):
        """Which may be another one."""
        toy = chosen('name = "toys"')
        write_facts(toy.root, Facts("Toys", "0.0.1", "2"))

        assert list(versions())[1].endswith(f"toys in {toy.root}, released by grader 0.0.1")

    def test_say_why_a_course_cannot_be_used(self, chosen):
        """So that what to install can be found out at all."""
        chosen('engine = ">=99"')
        engine, course = versions()

        assert engine == f"grader {__version__}"
        assert course.startswith("no course: This course needs grader >=99")

    def test_are_what_the_option_prints(self, chosen):
        """On the standard output, one to a line."""
        chosen("")
        done = CliRunner().invoke(app, ["--version"])

        assert (done.exit_code, done.stdout.splitlines()) == (0, list(versions()))
