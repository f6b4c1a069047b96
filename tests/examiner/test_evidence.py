"""What a failure shows can be compared, and weighs more or less."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from grader.errors import DeadlinePassed, OwnLine, Raised, SubmissionRaised, SuiteError
from grader.examiner.evidence import (
    UNTOLD,
    alike,
    evidence_of,
    is_anybodys,
    is_like_none,
    is_strong,
    same_evidence,
    shown_by,
)
from grader.model import Cause
from grader.programs.failure import CheckFailed, Evidence
from grader.report.words import said

ONES = torch.ones(2, 3)


def failed(actual, kind="value", step=0):
    return CheckFailed(said("It differs."), Evidence(kind, step, actual))


def raised(type_name, message="", *, by_hand=False):
    lines = (OwnLine("m.py", 1, f"raise {type_name}"),)
    return SubmissionRaised(Raised(type_name, message, lines, by_hand=by_hand))


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

    def test_of_an_exception_tells_sizes_and_no_addresses(self):
        """All programs meet the same inputs: sizes are the mistake's own, addresses are chance."""
        one, other, again = (
            evidence_of(raised("ValueError", f"{size} in <f at {address}>"))
            for size, address in ((3, "0x7f1a"), (5, "0x7f1a"), (3, "0x7f2b"))
        )

        assert not same_evidence(one, other)
        assert same_evidence(one, again)

    @pytest.mark.parametrize(
        ("type_name", "one", "other"),
        [
            ("ZeroDivisionError", "division by zero", "float division by zero"),
            ("RuntimeError", "subscript q has size 6", "subscript i has size 6"),
        ],
    )
    def test_of_an_exception_is_the_same_in_other_words(self, type_name, one, other):
        """Python has several for one thing, and which letter einsum is given is anybody's."""
        found = [evidence_of(raised(type_name, said)) for said in (one, other)]

        assert found[0] == found[1]

    def test_of_a_refusal_in_own_words_is_its_kind(self):
        """Two people say the same in other words; what torch says differs from both."""
        one, other, by_torch, another_kind = (
            evidence_of(raised("ValueError", "no room", by_hand=True)),
            evidence_of(raised("ValueError", "5 tokens are too many", by_hand=True)),
            evidence_of(raised("ValueError", "no room")),
            evidence_of(raised("IndexError", "no room", by_hand=True)),
        )

        assert same_evidence(one, other)
        assert not same_evidence(one, by_torch)
        assert not same_evidence(one, another_kind)

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

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (None, None),
            (failed(3), Evidence("value", 0, 3)),
            (raised("NameError", "name 'x' is not defined"), UNTOLD),
            (raised("NotAllowedHere", "softmax does this exercise for you"), UNTOLD),
            (CheckFailed(said("It is slow.")), UNTOLD),
            (SuiteError("ours"), None),
        ],
        ids=["passes", "fails", "has_a_typo", "is_forbidden", "is_slow", "is_ours"],
    )
    def test_of_a_misconception_says_also_that_it_fails(self, error, expected):
        """Of an accident of ours nothing is known, and a failure without evidence is one still."""
        assert (shown_by(error) is UNTOLD) if expected is UNTOLD else shown_by(error) == expected

    def test_that_tells_nothing_is_like_no_other(self):
        """Two failures of which nothing is known need not be the same."""
        assert is_like_none(UNTOLD)
        assert not same_evidence(UNTOLD, UNTOLD)


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        ("IndexError: list index out of range", True),
        ("IndexError: pop from empty list", True),
        ("ZeroDivisionError: division by zero", False),
        ("IndexError: index 5 is out of bounds for dimension 0 with size 4", False),
        ("ValueError: math domain error", False),
        ("KeyError: 'b'", False),
    ],
)
def test_an_exception_that_says_nothing_is_anybodys(said, is_so):
    """Neither what it is about nor how large that is."""
    assert is_anybodys(Evidence("raised", 0, said)) == is_so
    assert not is_anybodys(Evidence("said", 0, said))


def compared(kind, actual, total, distinct):
    """The evidence and the cause of a comparison in which so many numbers were wrong."""
    difference = {"total": total, "distinct": distinct}
    return Evidence(kind, 0, actual), Cause(kind, {"difference": difference})


class TestStrength:
    @pytest.mark.parametrize(
        ("evidence", "cause"),
        [
            compared("numbers", torch.rand(2, 3), 6, 6),
            compared("gradient", torch.rand(2, 3), 6, 3),
            compared("nan", torch.rand(2, 3), 6, 3),
            compared("numbers", torch.tensor(0.31), 1, 1),
            (Evidence("value", 0, 2_360_064), Cause("value")),
            (Evidence("finding", 0, [0.1, 0.2]), Cause("said")),
        ],
    )
    def test_is_in_numbers_that_hardly_another_mistake_gives(self, evidence, cause):
        """Several wrong ones that differ, or one that is not met everywhere."""
        assert is_strong(evidence, cause)

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ([[bytes([65 + n, 97]), b"x"] for n in range(8)], True),
            ([f"word{n}" for n in range(8)], True),
            ([f"word{n}" for n in range(7)], False),
            ([bytes([n]) for n in range(256)], False),
            (["word"] * 20, False),
        ],
    )
    def test_is_in_many_different_texts(self, value, expected):
        """Those of one letter or byte are in every vocabulary."""
        evidence = Evidence("value", 0, value)

        assert is_strong(evidence, Cause("value", {})) is expected

    @pytest.mark.parametrize(
        ("evidence", "cause"),
        [
            compared("nan", torch.full((2, 3), math.nan), 6, 0),
            compared("numbers", torch.zeros(2, 3), 6, 0),
            compared("numbers", ONES / 3, 6, 1),
            compared("numbers", torch.tensor(1.0), 1, 1),
            (Evidence("value", 0, 3), Cause("value")),
            (Evidence("value", 0, "ACE"), Cause("value")),
            (Evidence("shape", 0, torch.rand(2, 3)), Cause("shape")),
            (Evidence("raised", 0, "ValueError: sizes"), Cause("raised")),
            (Evidence("said", 0, "Rows do not sum to 1."), Cause("said")),
            (None, None),
        ],
    )
    def test_is_not_in_what_many_mistakes_give(self, evidence, cause):
        """NaN, zeros, one number throughout, a shape, an exception, a sentence."""
        assert not is_strong(evidence, cause)
