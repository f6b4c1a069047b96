"""A check is let out only if its data say of every known program what the check says."""

from __future__ import annotations

from functools import partial

from grader.examiner.examination import diagnose, find
from grader.examiner.sealed.practice import opened, sealed
from grader.model import Outcome
from grader.programs.bank import Replacement
from grader.programs.program import LocalProgram
from grader.release.trial import Which

SEED = 5
CHECKS = '''
import pytest


@pytest.mark.core
def test_doubles(compare, draw):
    """Every number is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x))


def test_leaves_its_input_alone(submission, draw):
    """The input is as it was."""
    x = draw.normal(4)
    assert submission.double(x).equal(2 * x), "not doubled"
'''
CHANCE = '''
def test_doubles(compare, draw):
    """Every number is doubled."""
    x = draw.normal(2, 3)
    compare(lambda impl: impl.double(x))


def test_two_answers_differ(submission):
    """Every call draws afresh."""
    assert not submission.noise(3).equal(submission.noise(3)), "the same"
'''
NOISE = '''
import torch


def double(x):
    """Twice ``x``."""
    # BEGIN SOLUTION
    return x + x
    # END SOLUTION


def noise(n):
    """Random numbers."""
    # BEGIN SOLUTION
    return torch.rand(n)
    # END SOLUTION
'''
BANK = """
from grader.check import Bank

wrong = Bank()
wrong("double", "squares", "doubles", "You square.", "x + x", "x * x")
wrong("noise", "always_ones", "two_answers_differ", "You draw nothing.", "torch.rand", "torch.ones")
"""


class TestATrial:
    def test_lets_out_what_agrees(self, trial_of):
        """Comparisons and properties of the toy, both."""
        trial = trial_of()

        assert list(trial.events) == ["test_doubles", "test_leaves_its_input_alone"]
        assert trial.at_home == {}

    def test_keeps_home_what_accepts_more(self, suite_of, trial_of):
        """Of what is left to chance only the form can be compared, and that is not enough."""
        suite_of(CHANCE, NOISE, BANK)
        trial = trial_of()

        assert list(trial.events) == ["test_doubles"]
        assert "accepts always_ones" in trial.at_home["test_two_answers_differ"]
        assert [entry.name for entry in trial.suite.entries] == ["squares"]

    def test_keeps_home_what_rejects_a_right_program(self, trial_of):
        """A property that has more than one right answer."""
        other = Replacement(name="other", of="double", program=lambda x: (2 * x).clone() * 1.1)

        assert list(trial_of([other]).events) == []

    def test_keeps_home_what_is_too_large(self, trial_of, monkeypatch):
        """One check with large answers would be larger than all the others."""
        monkeypatch.setattr("grader.release.trial.LARGEST_BYTES", 100)

        assert set(trial_of().at_home.values()) == {"its numbers take 0 KiB"}

    def test_of_examples_tries_public_checks_alone(self, trial_of):
        """The toy has none."""
        assert set(trial_of(which=Which.EXAMPLES).at_home.values()) == {"it is no example"}

    def test_of_the_core_tries_that_and_examples(self, suite_of, trial_of):
        """The others stay at home, and it is said why."""
        suite_of(CHECKS)
        trial = trial_of(which=Which.CORE)

        assert list(trial.events) == ["test_doubles"]
        assert trial.at_home["test_leaves_its_input_alone"].startswith("it is neither of the core")


class TestSealedPractice:
    def test_says_what_the_suite_says(self, toy, trial_of):
        """The same outcomes and causes, and the misconception by name, without its program."""
        trial = trial_of()
        suite = opened_from(toy, trial)
        (entry,) = trial.whole.misconceptions
        program = LocalProgram(partial(entry.applied_to, trial.whole.reference))
        found = diagnose(suite, find(suite, program, SEED))
        full = diagnose(trial.whole, find(trial.whole, program, SEED))

        assert [v.outcome for v in found] == [v.outcome for v in full]
        assert [(v.misconception, v.lesson) for v in found] == [("squares", "You square.")] * 2
        assert found[0].cause.facts["got"] == full[0].cause.facts["got"]

    def test_accepts_the_reference(self, toy, trial_of):
        """Asked in all ways, with gradients."""
        trial = trial_of()
        suite = opened_from(toy, trial)
        found = find(suite, LocalProgram(trial.whole.reference), SEED)

        assert [f.verdict.outcome for f in found] == [Outcome.PASSED] * 2

    def test_notices_what_is_wrong_only_when_asked_again(self, toy, trial_of):
        """Somebody who keeps the first answer is right once."""
        trial = trial_of()
        suite = opened_from(toy, trial)
        kept = {}

        def first_answer(x):
            return kept.setdefault(x.shape, x + x)

        (first, *_) = find(suite, LocalProgram({"double": first_answer}), SEED)

        assert first.verdict.outcome is Outcome.FAILED
        assert first.verdict.cause.facts["asked_again"]


def opened_from(toy, trial):
    """The suite as it comes out of its file."""
    path = toy.practice / "toy.sealed"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(sealed(trial.suite, trial.events))
    return opened(toy, trial.whole.exercise, trial.whole.known)
