"""In the clinic a wrong cure is told by its name while all other programs are as they were."""

from __future__ import annotations

import ast

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.finding import find
from grader.examiner.telling import taught
from grader.programs.bank import load_bank
from grader.programs.page import TEXT, Page
from grader.programs.program import StandIn

COURSE = find_course()
EXERCISE = load_catalog(COURSE)["clinic"]
STUB = COURSE.stub("clinic").read_text(encoding="utf-8")
BANK = load_bank(COURSE.misconceptions("clinic"), COURSE.solution("clinic"))
AS_GIVEN = {e.of: e.name for e in BANK if e.is_as_given}
CURES = [e for e in BANK if e.of in AS_GIVEN and f"test_{e.of}" in e.caught_by]
ANEW = [e for e in BANK if e.name.endswith("_written_anew")]
FEW = "test_few_statements_differ"


@pytest.fixture(scope="module")
def told():
    """``told(entry)`` are the verdicts on the stub with the one function as the entry has it."""
    suite, page = collected(COURSE, [EXERCISE]).of(EXERCISE), Page(COURSE.solution("clinic"))

    def verdicts(entry):
        text = STUB.replace(function(STUB, entry.of), function(entry.text, entry.of))
        program = StandIn(lambda: page.program(page.compiled(text)) | {TEXT: text})
        found = taught(suite, find(suite, program, 3), suite.misconceptions)
        return {verdict.check.name: verdict for verdict in found}

    return verdicts


def function(text, name):
    """Its lines in the text of a page."""
    (node,) = (n for n in ast.parse(text).body if getattr(n, "name", "") == name)
    return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])


def test_a_wrong_cure_is_told_while_others_wait(told, request):
    """And so are these, as what they are; a normal run takes an eighth."""
    share = 1 if request.config.getoption("--all-misconceptions") else 8
    for entry in CURES[::share]:
        verdicts = told(entry)
        names = {verdict.misconception for verdict in verdicts.values()} - {None}

        assert verdicts[f"test_{entry.of}"].misconception == entry.name
        assert names - {*AS_GIVEN.values()} <= {entry.name}
        assert {name for of, name in AS_GIVEN.items() if of != entry.of} <= names
        assert " is not mended yet. So far " in verdicts[FEW].cause.facts["text"]


def test_what_is_written_anew_is_said_first(told):
    """Whatever waits."""
    for entry in ANEW:
        said = told(entry)[FEW].cause.facts["text"]

        assert said.startswith(f"{entry.of} is right, but ")
        assert "So far 0 of 10" in said
