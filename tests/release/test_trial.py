"""A check is let out only if its data say of every known program what the check says."""

from __future__ import annotations

from functools import partial

import torch

from grader.errors import GraderError
from grader.examiner.finding import find
from grader.examiner.sealed.practice import opened, sealed
from grader.examiner.sealed.replay import Sealed
from grader.examiner.telling import diagnose
from grader.model import Outcome
from grader.programs.bank import Replacement
from grader.programs.program import LocalProgram
from grader.release.trial import Which
from grader.report.words import told

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
VALUES = '''
def test_doubles(submission, draw):
    """Every number is doubled."""
    x = draw.normal(2, 3)
    assert (submission.double(x) - 2 * x).abs().max() < 1e-5, "not doubled"
'''
EXACTLY = '''

def test_doubles_exactly(compare, draw):
    """In the dtype of x."""
    compare.double(draw.normal(2, 3))
'''
WIDE = """
wrong("double", "wide", "doubles_exactly", "You widen.", "x + x", "(x + x).double()")
"""
NO_BANK = "from grader.check import Bank\n\nwrong = Bank()\n"
PROPERTY = "not submission.noise(3).equal(submission.noise(3))"
NOISES = (torch.rand, torch.ones)
APART = '''

def test_tells_them_apart(submission):
    """Two and two are four."""
    assert submission.double(torch.tensor([2.0])).numpy() == 4, "not 4"
'''
OTHER = """
wrong("double", "squares_of_many", "doubles tells_them_apart", "You square what is long.",
    "x + x", "x * x if x.numel() > 1 else 3 * x")
"""
BY_CHANCE = (
    "import pytest\nimport torch\n"
    + "".join(
        f'''

@pytest.mark.asked_once("no other numbers")
def test_doubles_{number}(compare, draw):
    """Number {number} of a kind."""
    compare.double(draw.normal(3))
'''
        for number in range(8)
    )
    + '''

def test_doubles_both(compare):
    """A number above 0 and one below it."""
    compare.double(torch.ones(1))
    compare.double(-torch.ones(1))
'''
)
HALVES = """
wrong("double", "above", "doubles_both", "You double half of them.", "x + x", "x + x * (x[0] > 0)")
"""
LAYER = """
import torch


class Layer(torch.nn.Module):
    '''It has a table.'''

    def __init__(self):
        # BEGIN SOLUTION
        super().__init__()
        self.register_buffer("table", torch.zeros(3))
        # END SOLUTION
"""
PARAMETERS = '''
def test_parameters(submission):
    """There is a table of three numbers, and nothing that is trained."""
    layer = submission.Layer()
    names = list(layer.parameters())
    assert not names, f"{', '.join(names)} would be trained"
    count = sum(table.numel() for table in layer.buffers().values())
    if not count:
        assert not layer.loose_tensors(), "the table is a plain attribute"
        raise AssertionError("there is no table")
    assert count == 3, f"the table has {count} numbers"
'''
BUFFER = 'self.register_buffer("table", torch.zeros(3))'
BUFFERS = """
from grader.check import Bank

wrong = Bank()
""" + "".join(
    f"wrong('Layer', 'w{n}', 'parameters', 'Wrong.', {BUFFER!r}, {slip!r})\n"
    for n, slip in enumerate(
        (
            "self.a, self.b = map(torch.nn.Parameter, torch.zeros(2, 3))",
            "self.table = torch.zeros(3)",
            "pass",
            BUFFER.replace("3", "4"),
        )
    )
)
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

        assert list(trial.recordings) == ["test_doubles", "test_leaves_its_input_alone"]
        assert trial.at_home == {}

    def test_lets_out_what_is_left_to_chance(self, suite_of, trial_of, toy):
        """A property of random numbers is a decision, which other numbers meet as well."""
        suite_of(CHANCE, NOISE, BANK)
        suite = opened_from(toy, trial_of())
        right, wrong = (LocalProgram({"double": lambda x: 2 * x, "noise": f}) for f in NOISES)
        found = [find(suite, program, SEED + 1)[1].verdict for program in (right, wrong)]

        assert [verdict.outcome for verdict in found] == [Outcome.PASSED, Outcome.FAILED]
        assert told(found[1].cause).rationale == "the same"

    def test_lets_out_what_is_asked_of_parameters(self, suite_of, trial_of):
        """Whatever another right program calls them; and the same is said of wrong ones."""
        suite_of(PARAMETERS, LAYER, BUFFERS)
        layer = type("Layer", (torch.nn.Module,), {"__init__": _with_another_name})
        trial = trial_of([Replacement(name="other", of="Layer", program=layer)])
        there, here = (
            [told(one.verdict.cause).rationale for found in by_name.values() for one in found]
            for by_name in (trial.sealed, trial.full)
        )

        assert trial.at_home == {}
        assert there == here
        assert there[0] == "a, b would be trained"

    def test_lets_out_what_is_wrong_by_chance_only(self, suite_of, trial_of):
        """On some inputs a mistake shows that a check is not about, and on others not."""
        suite_of(BY_CHANCE, None, NO_BANK + HALVES)

        assert trial_of().at_home == {}

    def test_keeps_home_what_does_not_catch_by_chance(self, suite_of, trial_of):
        """Though it is to catch a mistake on any inputs: one of the two that halve them."""
        halves = HALVES.replace("both", "both doubles_0", 1)
        below = halves.replace("above", "below").replace("> 0", "<= 0")
        suite_of(BY_CHANCE, None, NO_BANK + halves + below)

        assert list(trial_of().at_home) == ["test_doubles_0"]

    def test_keeps_home_what_finds_no_verdict(self, trial_of, monkeypatch):
        """Neither yes nor no is said there of a program that the check rejects."""

        def broken(sealed, recording):
            try:
                put(sealed, recording)
            except (AssertionError, GraderError):
                raise LookupError("not recorded") from None

        put = Sealed.put
        monkeypatch.setattr(Sealed, "put", broken)

        assert set(trial_of().at_home.values()) == {"its recording finds no verdict on squares"}

    def test_keeps_home_what_accepts_more(self, suite_of, trial_of):
        """What a check computes in plain Python is not seen, and then it rejects nothing."""
        suite_of(CHANCE.replace(PROPERTY, "submission.noise(3).numpy().sum() != 3"), NOISE, BANK)
        trial = trial_of()

        assert list(trial.recordings) == ["test_doubles"]
        assert "accepts always_ones" in trial.at_home["test_two_answers_differ"]
        assert [entry.name for entry in trial.suite.entries] == ["squares"]

    def test_keeps_home_the_name_that_would_be_false(self, suite_of, trial_of):
        """Two mistakes give the same numbers, and what tells them apart is not let out."""
        suite_of("import torch\n" + CHANCE + APART, NOISE, BANK + OTHER)
        trial = trial_of()

        assert list(trial.at_home) == ["test_tells_them_apart"]
        assert [entry.name for entry in trial.suite.entries] == ["always_ones"]

    def test_demands_no_form_that_a_right_program_lacks(self, suite_of, trial_of):
        """A wider dtype, say, where the check asks for the values alone."""
        suite_of(VALUES, None, NO_BANK)
        wide = Replacement(name="wide", of="double", program=lambda x: (x + x).double())
        (alone,), (beside,) = (trial_of(others).recordings.values() for others in ([], [wide]))

        assert "like" in kinds_of(alone)
        assert "like" not in kinds_of(beside)

    def test_keeps_home_what_rejects_a_right_program(self, trial_of):
        """A property that has more than one right answer."""
        other = Replacement(name="other", of="double", program=lambda x: (2 * x).clone() * 1.1)

        assert list(trial_of([other]).recordings) == []

    def test_demands_no_form_that_the_check_does_not_ask_for(self, suite_of, trial_of):
        """Nor if only a wrong program shows that: another check is there to reject it."""
        suite_of(VALUES + EXACTLY, None, NO_BANK + WIDE)
        trial = trial_of()

        assert trial.at_home == {}
        assert "like" not in kinds_of(trial.recordings["test_doubles"])

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

        assert list(trial.recordings) == ["test_doubles"]
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
        assert [v.cause.kind for v in found] == [v.cause.kind for v in full]

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


def _with_another_name(layer):
    torch.nn.Module.__init__(layer)
    layer.register_buffer("numbers", torch.zeros(3))


def opened_from(toy, trial):
    """The suite as it comes out of its file."""
    path = toy.practice / "toy.sealed"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(sealed(trial.suite, trial.recordings))
    return opened(toy, trial.whole.exercise, trial.whole.known)


def kinds_of(recording):
    return [getattr(item, "does", "") for item in recording.path.items]
