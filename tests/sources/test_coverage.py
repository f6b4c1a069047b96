"""The tables of this folder hold: they leave nothing out, and everything that they name exists."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.figures import figures_of
from grader.course.rests import words_of_page
from grader.course.suite_text import read_suite
from grader.programs.bank import load_bank

HERE = Path(__file__).parent
COURSE = find_course()
CATALOG = load_catalog(COURSE)
KINDS = (
    "checks",
    "predictions",
    "questions",
    "misconceptions",
    "figures",
    "variants",
    "tests",
    "passages",
)
FEWEST_WORDS = 4


@cache
def table(name):
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def rows():
    return [*table("coverage.toml")["line"], *table("slips.toml")["slip"]]


def named(kind):
    """All that the tables name of a kind, once each."""
    return sorted({name for row in rows() for name in row.get(kind, [])})


def functions(path):
    """Names of all functions at the top of a file, and of a class's as ``Class::name``."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{f.name}" for f in node.body if isinstance(f, ast.FunctionDef)}
    return found


def plain(text):
    """Without the marks of code and of emphasis, and on one line."""
    return " ".join(text.replace("`", "").replace("*", "").split())


class TestCompleteness:
    """Nothing is left out."""

    @pytest.mark.parametrize("source", table("coverage.toml")["sources"])
    def test_lines_of_a_source_are_counted(self, source):
        ids = [row["id"] for row in table("coverage.toml")["line"]]
        count = table("coverage.toml")["sources"][source]["lines"]

        found = [name for name in ids if name.startswith(f"{source} ")]
        assert found == [f"{source} {number:02}" for number in range(1, count + 1)]

    def test_there_are_five_sources(self):
        sources = table("coverage.toml")["sources"]

        assert len(sources) == 5
        assert len(table("coverage.toml")["line"]) == sum(one["lines"] for one in sources.values())
        assert {name for row in table("slips.toml")["slip"] for name in row["sources"]} == {
            *sources
        }

    def test_every_slip_has_its_row(self):
        ids = [row["id"] for row in table("slips.toml")["slip"]]

        assert ids == [f"B{n:02}" for n in range(1, 56)] + [f"N{n:02}" for n in range(1, 25)]

    @pytest.mark.parametrize("row", table("coverage.toml")["line"], ids=lambda row: row["id"])
    def test_a_line_is_taught_or_has_its_reason(self, row):
        assert {"id", "place", "says"} <= set(row) <= {"id", "place", "says", "why", *KINDS}
        assert any(row.get(kind) for kind in (*KINDS, "why"))

    @pytest.mark.parametrize("row", table("slips.toml")["slip"], ids=lambda row: row["id"])
    def test_a_slip_is_told_or_has_its_reason(self, row):
        """A slip of a program is one of a bank's, or a patient's; one in words is asked about."""
        told = {
            "program": ("patient", "misconceptions"),
            "words": ("questions", "predictions"),
        }[row["kind"]]

        known = {"id", "sources", "place", "kind", "says", "why", "patient", *KINDS}
        assert set(row) <= known
        assert any(row.get(kind) for kind in (*told, "why"))

    def test_no_name_stands_twice_in_a_row(self):
        for row in rows():
            twice = [
                name for kind in KINDS for name, n in Counter(row.get(kind, [])).items() if n > 1
            ]
            assert twice == [], row["id"]


class TestNames:
    """What is named exists."""

    @staticmethod
    def missing(kind, there):
        """Names of this kind whose second part is not ``there`` on the page of the first."""
        pairs = (name.split(".", 1) for name in named(kind))
        return [f"{page}.{name}" for page, name in pairs if name not in there(page)]

    def test_checks(self):
        @cache
        def checks(exercise):
            return {check.name.removeprefix("test_") for check in read_suite(COURSE, exercise)}

        assert self.missing("checks", checks) == []

    def test_misconceptions(self):
        @cache
        def bank(exercise):
            path = COURSE.suite(exercise).with_name("misconceptions.py")
            return {entry.name for entry in load_bank(path, COURSE.solution(exercise))}

        assert self.missing("misconceptions", bank) == []

    def test_variants(self):
        @cache
        def bank(exercise):
            path = COURSE.variants(exercise)
            return {entry.name for entry in load_bank(path, COURSE.solution(exercise))}

        assert self.missing("variants", bank) == []

    def test_predictions(self):
        assert self.missing("predictions", lambda page: functions(COURSE.predictions(page))) == []

    def test_questions(self):
        there = functions(COURSE.solution("questions"))

        assert [name for name in named("questions") if name not in there] == []

    def test_figures(self):
        def figures(page):
            return figures_of(COURSE.solution(page).read_text(encoding="utf-8"))

        assert self.missing("figures", figures) == []
        assert all(COURSE.figure(*name.split(".")).is_file() for name in named("figures"))

    def test_tests(self):
        files = {name: functions(HERE / name.split("::")[0]) for name in named("tests")}

        assert [name for name in files if name.split("::", 1)[1] not in files[name]] == []

    def test_passages(self):
        """The words stand on the page, as learners get it."""
        for passage in named("passages"):
            page, words = passage.split(": ", 1)

            assert len(words.split()) >= FEWEST_WORDS, passage
            assert plain(words) in plain(words_of_page(COURSE, page)), passage

    @pytest.mark.skipif("clinic" not in CATALOG, reason="there is no exercise `clinic` yet")
    def test_patients(self):
        there = functions(COURSE.solution("clinic"))
        patients = {row["patient"] for row in table("slips.toml")["slip"] if "patient" in row}

        assert sorted(patients - there) == []
