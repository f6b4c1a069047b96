"""Every kind of call is asked again once in an exercise, by the first check that makes it."""

from __future__ import annotations

import pytest

from grader.examiner.check_run import repeated_in
from grader.examiner.examination import examine
from grader.model import Outcome
from grader.programs.program import LocalProgram

CHECKS = '''
import pytest

def test_zero(compare, draw):
    """It doubles very many."""
    compare.double(draw.normal(90_000))

@pytest.mark.asked_once("it has no views", "layout")
def test_half(compare, draw):
    """It doubles."""
    compare.double(draw.normal(7))

def test_one(compare, draw):
    """It doubles."""
    compare.double(draw.normal(3))

def test_two(compare, draw):
    """It doubles two of them."""
    compare.double(draw.normal(4))
    compare(lambda impl: impl.double(impl.double(draw.normal(2))))

@pytest.mark.asked_once("it has been asked enough")
def test_three(compare, draw):
    """It doubles whole numbers."""
    compare.double(draw.integers(0, 9, (3,)))

def test_four(submission):
    """It compares nothing."""
    assert submission.double(1) == 2, "another"
'''


def calls(suite):
    return {
        check: len({of for of, *_ in own.kinds}) for check, own in repeated_in(suite, "cpu").items()
    }


class TestRepeats:
    def test_are_for_the_first_that_makes_the_call(self, suite_of):
        """A second check of the same calls repeats nothing, nor does one that is asked once; nor
        one with too many numbers. What is repeated in fewer ways the next repeats as well."""
        assert calls(suite_of(CHECKS)) == {
            "test_zero": 0, "test_half": 1, "test_one": 1, "test_two": 0,
            "test_three": 0, "test_four": 0,
        }  # fmt: skip

    @pytest.mark.parametrize("only", [None, ["test_one"], ["test_two"]])
    def test_are_the_same_for_a_check_alone(self, suite_of, only):
        """A verdict does not depend on which other checks are made."""

        def doubles_once(x, kept={}):  # noqa: B006
            return kept.setdefault(getattr(x, "shape", x), x + x)

        program = LocalProgram({"double": doubles_once})
        verdicts = examine(suite_of(CHECKS), program, 3, only=only, diagnosed=False)
        found = {v.check.name: v.outcome for v in verdicts}

        assert found.get("test_one", Outcome.FAILED) is Outcome.FAILED
        assert found.get("test_two", Outcome.PASSED) is Outcome.PASSED
