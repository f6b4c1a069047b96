"""The front door for authors is as wide as suites, banks and variants need, and no wider."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader import check

ROOT = Path(__file__).parents[1]
SCENES = sorted((ROOT / "grader" / "suites").glob("*/scene.py"))
SUITES = sorted({*(ROOT / "grader" / "suites").glob("*/*.py")} - {*SCENES})
VARIANTS = sorted((ROOT / "tests" / "variants").glob("*.py"))


def names_from_the_house(text):
    """All that a text imports of grader: by module, the names; a whole module has none."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        for module, names in imported(node):
            if module.split(".")[0] == "grader":
                found.setdefault(module, set()).update(names)
    return found


def imported(node):
    match node:
        case ast.Import(names=aliases):
            return [(alias.name, set()) for alias in aliases]
        case ast.ImportFrom(module=str(module), names=aliases):
            return [(module, {alias.name for alias in aliases})]
    return []


@pytest.fixture(scope="module")
def by_file():
    """What every suite, bank and file of variants imports of grader."""
    assert SUITES and VARIANTS
    paths = [*SUITES, *VARIANTS]
    return {path.relative_to(ROOT): names_from_the_house(path.read_text("utf-8")) for path in paths}


class TestTheFrontDoor:
    def test_is_what_authors_import(self, by_file):
        """A name that nobody needs is a promise too many; one that is missing, a way around."""
        needed = {name for names in by_file.values() for name in names.get("grader.check", ())}

        assert needed == set(check.__all__)

    def test_names_only_what_exists(self):
        """``__all__`` is text, and may be mistyped."""
        assert [name for name in check.__all__ if not hasattr(check, name)] == []

    def test_names_everything_once_and_in_order(self):
        """Who looks for a name finds it."""
        assert check.__all__ == sorted(set(check.__all__))

    def test_is_the_only_one(self, by_file):
        """What else stands in the house may change without asking authors."""
        others = {path: set(names) - {"grader.check"} for path, names in by_file.items()}

        assert {path: modules for path, modules in others.items() if modules} == {}

    def test_is_another_one_for_pictures(self):
        """They draw what programs answer: they know these, the nouns, and how one draws."""
        assert SCENES
        rooms = {
            module.rpartition(".")[0]
            for path in SCENES
            for module in names_from_the_house(path.read_text("utf-8"))
        }

        assert rooms == {"grader", "grader.pictures", "grader.programs"}


class TestImports:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("from grader.check import Bank, usable", {"grader.check": {"Bank", "usable"}}),
            ("from grader.check import Bank as B", {"grader.check": {"Bank"}}),
            ("import grader.model, torch", {"grader.model": set()}),
            ("def f():\n    from grader import model", {"grader": {"model"}}),
            ("from graders import x\nimport torch", {}),
            ("from . import grader", {}),
        ],
    )
    def test_are_found_wherever_they_stand(self, text, found):
        """Within functions too, and under another name."""
        assert names_from_the_house(text) == found
