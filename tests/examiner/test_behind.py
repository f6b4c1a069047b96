"""A known mistake is named if it goes on as the submission does where a check goes on."""

from __future__ import annotations

import pytest

from grader.examiner.behind import outdone, refuted_behind
from grader.examiner.case import Behind, Case
from grader.examiner.check_run import case_of
from grader.examiner.examination import examine
from grader.model import Submission
from grader.programs.bank import Entry
from grader.programs.failure import Evidence
from grader.programs.program import LocalProgram, StandIn, SubmissionProgram
from grader.report.feedback import words_of

RIGHT = None
SIZES = '''
def test_sizes(compare, draw):
    """Whatever the size, it is doubled."""
    for size in 2, 3, 4:
        compare.double(draw.normal(size))
'''
PAGE = "def double(x):\n    # BEGIN SOLUTION\n    return x + x\n    # END SOLUTION\n"
BANK = """from grader.check import Bank

wrong = Bank()
wrong("double", "adds_two", "sizes", "You add two.", "x + x", "x + 2")
wrong("double", "adds_three_to_two", "sizes", "Two grow by three.", "x + x",
      "x + x + 3 * (len(x) == 2)")
"""


def shows(value):
    return Evidence("value", 1, value)


def refuted(submission, **bank):
    """Who of the ``bank`` is refuted, where all are named and the first failure is theirs; written
    as what is found in each later comparison.
    """
    entries = [Entry(name=name) for name in bank]
    seen = dict(enumerate(submission))
    behind = Behind(lambda: seen, lambda one: dict(enumerate(bank[one.name])))
    case = Case("check", shows(0), lambda entry: shows(0), behind=behind)
    return refuted_behind([case] * len(entries), entries)


@pytest.mark.parametrize(
    ("submission", "entry", "is_refuted"),
    [
        ([shows(1), RIGHT], [shows(1), RIGHT], False),
        ([RIGHT], [shows(1)], True),
        ([shows(1)], [RIGHT], True),
        ([shows(1)], [shows(2)], False),
        ([], [shows(1)], False),
        ([shows(1)], [], False),
    ],
)
def test_who_passes_what_fails_or_fails_what_passes(submission, entry, is_refuted):
    """Where both fail, each in its own way, one mistake may be written in two."""
    assert refuted(submission, one=entry) == ({"one"} if is_refuted else set())


def test_what_another_explains_speaks_against_nobody():
    assert refuted([shows(1), shows(2)], one=[shows(1), RIGHT], two=[RIGHT, shows(2)]) == set()
    assert refuted([shows(1), RIGHT], one=[shows(1), RIGHT], two=[RIGHT, RIGHT]) == set()


@pytest.mark.parametrize(
    ("double", "name"),
    [
        (lambda x: x + 2, "adds_two"),
        (lambda x: x + 2 if len(x) == 2 else x + x, None),
        (lambda x: x + x + 3 * (len(x) != 3), None),
        (lambda x: x + x + 3 * (len(x) == 2), "adds_three_to_two"),
    ],
)
def test_the_rest_of_the_check_decides(suite_of, double, name):
    """What was like it where it failed is told as that, and not as what is wrong."""
    (verdict,) = examine(suite_of(SIZES, PAGE, BANK), LocalProgram({"double": double}), 5)
    advice = words_of(verdict).help

    assert verdict.misconception == name
    assert ("yours may be that in another form" in advice) == (name is None)
    assert "You add two." in advice or "Two grow by three." in advice


RIVAL = """
wrong("double", "adds_two_to_two", "sizes", "Two get two.", "x + x",
      "x + 2 if len(x) == 2 else x + x")
"""


@pytest.mark.parametrize(
    ("double", "name"),
    [
        (lambda x: x + 2, "adds_two"),
        (lambda x: x + 2 if len(x) == 2 else x + x, "adds_two_to_two"),
    ],
)
def test_of_two_that_begin_alike_it_is_the_one_that_goes_on_so(suite_of, double, name):
    suite = suite_of(SIZES, PAGE, BANK + RIVAL)
    (verdict,) = examine(suite, LocalProgram({"double": double}), 5)

    assert verdict.misconception == name


def test_nobody_is_left_out_where_nobody_goes_on_so():
    entries = [Entry(name="one"), Entry(name="two")]
    seen = {"one": {1: shows(1)}, "two": {1: None}}

    def left_out(submission):
        behind = Behind(lambda: submission, lambda entry: seen[entry.name])
        return outdone([(Case("check", shows(0), shows, behind=behind), entries)])

    assert left_out({1: shows(2)}) == left_out({}) == set()
    assert left_out({1: shows(1)}) == {"two"}
    assert left_out({1: None}) == {"one"}


def test_only_what_is_behind_is_asked(suite_of):
    suite = suite_of(SIZES, PAGE, BANK)
    case = case_of(suite, suite.checks[0], 5, "cpu", "ann")
    asked = []

    def double(x):
        asked.append(len(x))
        return x + x + (len(x) == 4)

    seen = case.seen_behind(0, StandIn({"double": double}))

    assert asked == [3, 4]
    assert [None if shown is None else shown.kind for shown in seen.values()] == [RIGHT, "numbers"]
    assert case.seen_behind(2, StandIn({"double": double})) == {}


def test_what_never_ends_behind_is_neither_charged_nor_told(suite_of, sandbox):
    """The check has its verdict, and what it would have met next is no evidence."""
    text = "def double(x):\n    while len(x) == 3:\n        pass\n    return x + 2\n"
    program = SubmissionProgram(Submission("ann", "", {"toy": text}), sandbox)
    (verdict,) = examine(suite_of(SIZES, PAGE, BANK), program, 5)

    assert verdict.misconception == "adds_two"
    assert not program.has_hung
