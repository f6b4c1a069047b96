"""Who gives the very same answers as another who passed is not judged again; all others are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from grader.examiner.check_run import CheckRun
from grader.examiner.finding import find
from grader.model import Outcome, Submission
from grader.programs.program import SubmissionProgram

CHECKS = '''
import pytest


def test_twice(compare, draw):
    """Rule one."""
    compare.double(draw.normal(2, 3))


def test_and_again(submission, draw):
    """Rule two."""
    x = draw.normal(4)
    one, two = submission.double(x), submission.double(x)
    assert bool((one == two).all()), "not alike"


def test_refuses_words(submission):
    """Rule three."""
    with pytest.raises(Exception, match="could not"):
        submission.double("")
'''
RIGHT = "def double(x): return x + x"
ALIKE = "def double(x):\n    'Twice.'\n    return 2 * x"
ROUNDED = "def double(x): return (x * 3 - x)"
LATER = "n = 0\ndef double(x):\n global n\n n += 1\n return x * (2 if n < 2 else 3)"
PRINTS = "def double(x):\n print('here')\n return x + x"


@pytest.fixture
def suite(suite_of):
    return suite_of(CHECKS.partition("def test_refuses")[0])


@pytest.fixture
def judged(monkeypatch):
    """How often the function of each check was called."""
    counted, original = Counter(), CheckRun.run

    def run(self):
        if isinstance(self._program, SubmissionProgram):
            counted[self._case.collected.check.name] += 1
        return original(self)

    monkeypatch.setattr(CheckRun, "run", run)
    return counted


@pytest.fixture
def found_of(sandbox, judged):
    """``found_of(suite, text)``: the verdicts on what somebody wrote."""

    def found_of(suite, text, **options):
        judged.clear()
        program = SubmissionProgram(Submission("ann", "ann", {"toy": text}), sandbox)
        found = find(suite, program, 5, **options)
        program.close()
        return [replace(finding.verdict, seconds=0.0) for finding in found]

    return found_of


def outcomes(verdicts):
    return [verdict.outcome is Outcome.PASSED for verdict in verdicts]


class TestTheSameAnswers:
    @pytest.mark.parametrize("text", [RIGHT, ALIKE])
    def test_are_not_judged_again(self, suite, found_of, judged, text):
        """However they came about."""
        first = found_of(suite, RIGHT)

        assert judged == {"test_twice": 1, "test_and_again": 1}
        assert found_of(suite, text) == first
        assert judged == {}

    def test_are_told_the_same_advice(self, suite_of, found_of):
        """It is tried with what was written here."""
        suite = suite_of(CHECKS.partition("def test_and")[0])
        elsewhere = "import torch\ndef double(x): return x + torch.ones(x.shape[-1]) * x"
        (first,), (again,) = (
            found_of(suite, elsewhere, advised=True),
            found_of(suite, elsewhere, advised=True),
        )

        assert first.outcome is Outcome.PASSED
        assert first.advice is not None
        assert again == first
        (right,) = found_of(suite, RIGHT, advised=True)
        assert right.advice is None

    def test_under_another_seed_are_others(self, suite, sandbox, judged):
        """Its inputs are others too."""
        for seed in (5, 6):
            judged.clear()
            program = SubmissionProgram(Submission("ann", "ann", {"toy": RIGHT}), sandbox)
            find(suite, program, seed)

            assert judged == {"test_twice": 1, "test_and_again": 1}


class TestOtherAnswers:
    def test_in_the_last_digit_are_judged_and_remembered(self, suite, found_of, judged):
        """As right as the first, in their own way."""
        found_of(suite, RIGHT)

        assert outcomes(found_of(suite, ROUNDED)) == [True, True]
        assert judged == {"test_twice": 1, "test_and_again": 1}
        assert outcomes(found_of(suite, ROUNDED)) == [True, True]
        assert judged == {}

    def test_that_become_wrong_later_are_found_wrong(self, suite, found_of, judged):
        """Also of one that began as the others did, and would not answer the same twice."""
        found_of(suite, RIGHT)
        found = found_of(suite, LATER)

        assert outcomes(found) == [False, False]
        assert judged == {"test_twice": 1, "test_and_again": 1}
        assert [verdict.cause for verdict in found_of(suite, LATER)] == [v.cause for v in found]

    def test_as_before_but_printed_beside_are_judged(self, suite, found_of):
        """What is printed belongs to who printed it."""
        plain = found_of(suite, RIGHT)
        printed = found_of(suite, PRINTS)

        assert outcomes(printed) == [True, True]
        assert all(verdict.output.startswith("here\n") for verdict in printed)
        assert found_of(suite, PRINTS) == printed
        assert found_of(suite, RIGHT) == plain

    @pytest.mark.parametrize(
        "text",
        [
            "def double(x): return x * 3",
            "def double(x): raise ValueError('no')",
            "def halve(x): return x + x",
            "double = 2",
            "import os\ndef double(x): os._exit(3)",
        ],
        ids=["wrong", "raises", "missing", "no function", "ends"],
    )
    def test_fail_as_if_nobody_had_passed(self, suite, suite_of, found_of, text):
        """With the same cause, to the word."""
        alone = found_of(suite_of(CHECKS.partition("def test_refuses")[0]), text)
        found_of(suite, RIGHT)

        assert found_of(suite, text) == alone
        assert not all(outcomes(alone))


class TestWhatHangs:
    def test_is_waited_for_once(self, suite_of, found_of):
        """And twice in all checks together, as if nobody had passed."""
        slow = CHECKS.replace("def test_", "@pytest.mark.timeout(0.5)\ndef test_")
        two = slow.partition("@pytest.mark.timeout(0.5)\ndef test_refuses")[0]
        third = two[two.index("@") :].partition("@pytest.mark.timeout(0.5)\ndef test_and")[0]
        suite = suite_of(two + third.replace("test_twice", "test_thrice"))
        found_of(suite, RIGHT)
        verdicts = found_of(suite, "def double(x):\n while True: pass")

        kinds = [verdict.cause.kind for verdict in verdicts]
        assert kinds == ["timeout", "timeout", "hung_before"]


class TestIsNotRemembered:
    @pytest.mark.parametrize(
        "check",
        [
            "@pytest.mark.per_student\ndef test_it(submission):",
            "def test_it(submission, leaner_than):",
        ],
        ids=["of one student", "measured"],
    )
    def test_what_is_of_one_program_only(self, suite_of, found_of, judged, check):
        """Inputs of one's own, and what is measured."""
        suite = suite_of(f"import pytest\n{check}\n '''Rule.'''\n submission.double(1)")
        for _ in range(2):
            assert outcomes(found_of(suite, RIGHT)) == [True]
            assert judged == {"test_it": 1}

    def test_what_goes_by_the_text(self, suite_of, found_of, judged):
        """The same answers may come of another text."""
        suite = suite_of("""
from grader.programs.client import client_of

def test_it(submission):
    '''Rule.'''
    submission.double(1)
    assert "+" in client_of(submission).text_of("double"), "no sum"
""")

        assert outcomes(found_of(suite, RIGHT)) == [True]
        assert outcomes(found_of(suite, ALIKE)) == [False]

    def test_what_is_asked_less(self, suite, found_of, judged):
        """Who was asked once is not known to be right when asked again."""
        found_of(suite, RIGHT, again=False)
        found_of(suite, RIGHT)

        assert judged == {"test_twice": 1, "test_and_again": 1}
