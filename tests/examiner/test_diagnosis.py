"""A failed answer is told the misconception that gives this very answer, and no other."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from grader.errors import DeadlinePassed, OwnLine, Raised, SubmissionRaised, SuiteError
from grader.examiner.diagnosis import Case, alike, evidence_of, recognise, same_evidence
from grader.programs.bank import Entry
from grader.programs.failure import CheckFailed, Evidence
from grader.report.words import said

ONES = torch.ones(2, 3)


def failed(actual, kind="value", step=0):
    return CheckFailed(said("It differs."), Evidence(kind, step, actual))


def raised(type_name, message=""):
    return SubmissionRaised(Raised(type_name, message, (OwnLine("m.py", 1, f"raise {type_name}"),)))


class TestLikeness:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (ONES, ONES * (1 + 1e-6)),
            (ONES.half(), ONES.half() * 1.01),
            (torch.tensor([math.nan, math.inf]), torch.tensor([math.nan, math.inf])),
            (torch.tensor([1, 2]), torch.tensor([1, 2])),
            (torch.empty(2, device="meta"), torch.empty(2, device="meta")),
            (torch.empty(0), torch.empty(0)),
            (np.ones(3), np.ones(3) + 1e-9),
            ([1, (2.0, "a")], [1, (2.0 + 1e-9, "a")]),
            ((1, 2), [1, 2]),
            ({"a": ONES}, {"a": ONES.clone()}),
            (0.1 + 0.2, 0.3),
            (math.nan, math.nan),
            (math.inf, math.inf),
            (None, None),
            (True, True),
            (torch.float32, torch.float32),
            (object(), object()),
        ],
    )
    def test_is_equality_up_to_rounding(self, one, other):
        """The same method gives the same numbers, but for their last digits."""
        assert alike(one, other)
        assert alike(other, one)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (ONES, ONES * 1.01),
            (ONES, ONES.T),
            (ONES, ONES.double()),
            (ONES, torch.ones(2, 3, device="meta")),
            (torch.tensor([math.nan]), torch.tensor([1.0])),
            (torch.tensor([math.inf]), torch.tensor([-math.inf])),
            (torch.tensor([1, 2]), torch.tensor([1, 3])),
            (np.ones(3), np.ones(3, dtype=np.float32)),
            (np.ones(3), torch.ones(3)),
            ([1, 2], [1, 2, 3]),
            ({"a": 1}, {"b": 1}),
            ({"a": 1}, {"a": 2}),
            (0.1, 0.2),
            (math.inf, 1.0),
            (math.inf, -math.inf),
            (math.nan, 1.0),
            (1, 1.0),
            (1, True),
            (1, 2),
            ("a", "b"),
            (None, 0),
            (None, ONES),
            (torch.float32, torch.float64),
            (torch.device("cpu"), torch.device("meta")),
        ],
    )
    def test_ends_where_rounding_does(self, one, other):
        """Another number, form or kind is another answer."""
        assert not alike(one, other)
        assert not alike(other, one)


class TestEvidence:
    def test_of_a_comparison_is_its_answer(self):
        """What was returned tells one method from another."""
        assert evidence_of(failed(3)) == Evidence("value", 0, 3)

    def test_of_an_exception_is_what_it_says(self):
        """An exception tells of the method too."""
        evidence = evidence_of(raised("IndexError", "out of range"))

        assert evidence == Evidence("raised", 0, "IndexError: out of range")

    def test_of_an_assertion_is_what_it_says(self):
        """A property that does not hold says so in the check's words."""
        assert evidence_of(AssertionError("rows sum to 2")) == Evidence("said", 0, "rows sum to 2")

    @pytest.mark.parametrize(
        "error",
        [
            raised("NotImplementedError", "softmax: replace this line"),
            raised("NameError", "name 'x' is not defined"),
            raised("SyntaxError", "invalid syntax"),
            DeadlinePassed("late"),
            SuiteError("ours"),
            KeyError("ours"),
        ],
        ids=repr,
    )
    def test_is_not_had_from_accidents(self, error):
        """What says nothing about the method is no evidence."""
        assert evidence_of(error) is None

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            (Evidence("value", 0, 1.0), Evidence("value", 0, 1.0), True),
            (Evidence("value", 0, 1.0), Evidence("value", 0, 2.0), False),
            (Evidence("value", 0, 1.0), Evidence("gradient", 0, 1.0), False),
            (Evidence("value", 0, 1.0), Evidence("value", 1, 1.0), False),
        ],
    )
    def test_is_the_same_in_kind_place_and_answer(self, one, other, expected):
        """All three must agree before somebody is told what they think."""
        assert same_evidence(one, other) is expected


CHECKS = ("one", "two", "three")


def named(submission, *bank):
    """Who is named in each failed check. A subject is written as its error in each check; a bank's
    entry is its name, the checks that claim to catch it, and that.
    """
    entries = [
        Entry(name=name, sentence=f"You {name}.", caught_by=claimed) for name, claimed, _ in bank
    ]
    answers = {name: dict(zip(CHECKS, errors, strict=True)) for name, _, errors in bank}
    cases = [
        Case(
            check,
            evidence_of(error),
            lambda entry, check=check: evidence_of(answers[entry.name][check]),
        )
        for check, error in zip(CHECKS, submission, strict=True)
        if error is not None
    ]
    return [entry and entry.name for entry in recognise(cases, entries)]


def gives(*values):
    return [None if value is None else failed(ONES * value) for value in values]


class TestDiagnosis:
    def test_names_the_one_that_fails_alike(self):
        """The misconception with this very answer is named, wherever it gives it."""
        square, cube = ("square", ("one",), gives(2, 2, 2)), ("cube", ("one",), gives(3, 3, None))

        assert named(gives(3, 3, None), square, cube) == ["cube", "cube"]

    def test_names_the_one_that_explains_most(self):
        """Where two give the same answer, the one with more of the answers right."""
        square, cube = ("square", ("one",), gives(2, 9, 9)), ("cube", ("one",), gives(2, 3, 4))

        assert named(gives(2, 3, 4), square, cube) == ["cube", "cube", "cube"]

    def test_names_the_first_of_equals(self):
        """Where nothing tells two apart, the bank's order decides."""
        square, cube = ("square", ("one",), gives(2, 2, 2)), ("cube", ("one",), gives(2, 2, 2))

        assert named(gives(2, 2, 2), square, cube) == ["square", "square", "square"]

    def test_two_mistakes_are_two(self):
        """Each check is told its own."""
        square = ("square", ("one",), gives(2, None, None))
        cube = ("cube", ("two", "three"), gives(None, 3, 3))

        assert named(gives(2, 3, 3), square, cube) == ["square", "cube", "cube"]

    def test_nobody_is_named_who_would_fail_what_passed(self):
        """A submission that passes a check is not the program that this check catches."""
        square = ("square", ("one", "two"), gives(2, 2, None))

        assert named(gives(2, None, None), square) == [None]

    def test_one_equal_answer_among_many_is_chance(self):
        """Saturated weights look alike: most of the checks that catch it must agree."""
        square = ("square", ("one", "two", "three"), gives(2, 3, 4))

        assert named(gives(2, 5, 6), square) == [None, None, None]

    def test_names_none_where_none_fits(self):
        """A mistake nobody has described is told as it is."""
        square = ("square", ("one",), gives(2, 2, 2))
        ours = ("ours", ("one",), [SuiteError("ours")] * 3)

        assert named(gives(7, None, None), square, ours) == [None]

    def test_tries_none_without_evidence(self):
        """Where nothing can be compared, no misconception is even run."""

        def rerun(entry):
            raise AssertionError("was run")

        entry = Entry(name="square", sentence="You square.", caught_by=("one",))
        case = Case("one", None, rerun)

        assert recognise([case], [entry]) == [None]

    def test_goes_by_words_where_there_are_no_numbers(self):
        """An exception with the same message has the same reason."""
        square = ("square", ("one",), [raised("RuntimeError", "sizes"), None, None])
        cube = ("cube", ("one",), [raised("ValueError", "x"), None, None])

        assert named([raised("ValueError", "x"), None, None], square, cube) == ["cube"]
