"""The recipe of an image."""

from __future__ import annotations

import re

import pytest

from grader.platforms.container import folder
from grader.platforms.engine import WHEEL, needs, torch_version


@pytest.fixture
def recipe(toy):
    """Its commands, one a line."""
    text = folder(toy, {"course/x": b"", "course_2/x": b""})["Dockerfile"].decode()
    whole = re.sub(r"\\\n\s*", "", text)
    return [line for line in whole.splitlines() if line and not line.startswith("#")]


class TestTheRecipe:
    def test_goes_from_what_changes_least_to_what_changes_most(self, recipe):
        """Torch, packages, the grader, the course: a new course builds nothing else again."""
        wanted = [f"torch=={torch_version()}", "'numpy>=", "install --no-cache-dir --no-deps /tmp/",
                  "COPY course /course"]  # fmt: skip
        places = [next(n for n, line in enumerate(recipe) if one in line) for one in wanted]

        assert places == sorted(places)

    def test_names_every_package(self, recipe):
        """As ``pyproject.toml`` has them."""
        for package in needs().packages:
            assert package.startswith("torch") or any(f"'{package}'" in line for line in recipe)

    def test_brings_all_courses(self, recipe):
        """Also those that the course extends, beside it."""
        copied = [line for line in recipe if line.startswith("COPY course")]

        assert copied == ["COPY course /course", "COPY course_2 /course_2"]

    def test_ends_as_nobody(self, recipe):
        """Nothing in there needs root."""
        assert [line for line in recipe if line.startswith("USER")] == ["USER nobody"]

    def test_copies_what_lies_beside_it(self, toy):
        """All of it is there, and is not ignored."""
        files = folder(toy, {"course/x": b""})

        assert set(files) == {"Dockerfile", ".dockerignore", WHEEL, "course/x"}
        assert files[".dockerignore"] == b"*\n!course*\n!*.whl\n"


def test_says_what_is_secret_in_it(toy):
    """Of a course with solutions; what was given away is nobody's secret."""
    whole = folder(toy, {})["Dockerfile"].decode()
    (toy.root / "release.toml").write_text("")
    given_away = folder(toy, {})["Dockerfile"].decode()

    assert "no public registry" in whole
    assert "nothing secret" in given_away
