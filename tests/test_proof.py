"""Every fault of a suite and of its misconceptions is found by the proofs, and said."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.release import write_stubs
from grader.examiner.race import Race
from grader.examiner.timing import over
from grader.model import Measured
from grader.programs.proxy import Implementation
from grader.proof import prove_exercise

CHECKS = '''\
import pytest


@pytest.mark.core
def test_above(compare, draw):
    """Positive numbers are doubled."""
    x = draw.uniform(2, 3, low=3, high=4)
    compare(lambda impl: impl.double(x))


def test_below(compare, draw):
    """Negative numbers are doubled."""
    x = draw.uniform(3, 2, low=-4, high=-3)
    compare(lambda impl: impl.double(x))
'''
BANK = """\
from grader.check import Bank, variant

wrong = Bank()
wrong("double", "keeps_above", "above", "You keep what is above 0.", "x + x", "x + x.clamp(max=0)")
wrong("double", "keeps_below", "below", "You keep what is below 0.", "x + x", "x + x.clamp(min=0)")
wrong("double", "squares", "above below", "You square.", "x + x", "x * x")
"""
ALWAYS = '''

{mark}
def test_{name}(draw):
    """Numbers are drawn."""
    assert draw.normal(2).shape == (2,), "not drawn"
'''
FAST = '''

{mark}
def test_fast(faster_than, draw):
    """It is fast."""
    faster_than(1.5, lambda impl, x: impl.double(x), lambda: [draw.uniform(4, low=3, high=4)])
'''
SKIPPED = '''

@pytest.mark.kept("it needs another machine")
def test_elsewhere():
    """Only elsewhere can this be told."""
    pytest.skip("not here")
'''
KEPT = '@pytest.mark.kept("it is not about answers")'


def wrong(name, caught_by, old="x + x", new="x", sentence="You are wrong."):
    """A line of a bank."""
    return f'wrong("double", "{name}", "{caught_by}", "{sentence}", "{old}", "{new}")\n'


def a_variant(body):
    """One more in a bank."""
    return f'\n\n@variant(of="double")\ndef another(x):\n    return {body}\n'


@pytest.fixture
def proved(toy):
    """``proved(checks, bank)`` are the findings of ``prove_exercise``; without any, all is well."""

    def proved(checks=CHECKS, bank=BANK):
        toy.suite("toy").write_text(checks)
        toy.misconceptions("toy").write_text(bank)
        write_stubs(toy)
        return prove_exercise(toy, load_catalog(toy)["toy"])

    return proved


@pytest.fixture
def clock(monkeypatch):
    """A clock to which everything but the right answer is slow; ``clock`` are the answers."""
    clocked = []

    def faster_than(race, limit, probe, inputs):
        handed_in = inputs()
        answer = probe(Implementation(race._program.open(race._opening)), *handed_in)
        clocked.append(bool(answer.equal(2 * handed_in[0])))
        if not clocked[-1]:
            raise over(Measured("time", 9.0, 9.0, 9.0, limit), "slow")

    monkeypatch.setattr(Race, "faster_than", faster_than)
    return clocked


class TestAnExercise:
    def test_without_a_fault_has_no_findings(self, proved):
        """Otherwise every other finding here would say nothing."""
        assert proved() == []

    def test_whose_reference_fails_is_found(self, proved):
        """The reference must earn every point."""
        checks = CHECKS + ALWAYS.format(mark=KEPT, name="more").replace("(2,)", "(3,)")
        (finding, *_) = proved(checks)

        assert finding.startswith("toy: the reference fails test_more: ")
        assert "not drawn" in finding

    def test_whose_stub_earns_a_point_is_found(self, proved):
        """A check that asks nothing of the submission gives its points to everybody."""
        assert proved(CHECKS + ALWAYS.format(mark=KEPT, name="more")) == [
            "toy: the stub earns test_more"
        ]


class TestTheCore:
    def test_must_be_there(self, proved):
        """A learner is led to it first."""
        assert proved(CHECKS.replace("@pytest.mark.core\n", "")) == [
            "toy: no check is marked as core"
        ]

    def test_must_be_lacking_in_some_misconception(self, proved):
        """Otherwise it asks for no idea."""
        core = ALWAYS.format(mark=f"@pytest.mark.core\n{KEPT}", name="more")

        assert "toy: test_more is core, and no misconception fails it when it is asked first" in (
            proved(CHECKS + core)
        )

    def test_is_of_the_catalogs_steps(self, proved):
        """Neither speaks of one that the other does not know."""
        assert proved(CHECKS.replace("mark.core", 'mark.core("double")')) == [
            "toy: core checks name steps, and there are none in the catalog",
            "toy: a core check is of the step 'double', which the catalog does not name",
        ]

    def test_is_led_through_by_the_stub(self, proved, toy):
        """A step that is no body of the page stands in no TODO."""
        steps = 'steps = ["double", "double.forward: more"]'
        toy.catalog.write_text(f"{toy.catalog.read_text()}{steps}\n")

        assert proved(CHECKS.replace("mark.core", 'mark.core("double")')) == [
            "toy: the step 'double.forward: more' has no core check",
            "toy: no TODO of the stub is of the step 'double.forward: more'",
        ]


class TestAMisconception:
    def test_that_a_check_lets_pass_is_found(self, proved):
        """Each of the checks it claims must fail."""
        bank = (
            BANK
            + wrong("tiny", "above below", new="x + x.clamp(max=5)")
            + wrong("keeps", "above below", new="x + x.clamp(max=0) * 1")
        )
        found = proved(bank=bank)

        assert "toy: keeps is not caught by test_below" in found
        assert not [f for f in found if f.startswith("toy: keeps is not caught by test_above")]

    def test_that_nothing_catches_is_found(self, proved):
        """A misconception that is right is none."""
        assert "toy: alike is not caught by test_above" in proved(
            bank=BANK + wrong("alike", "above", new="2 * x")
        )

    def test_that_nothing_catches_is_not_said_to_be_caught(self, proved):
        """One sentence would deny the other."""
        assert proved(bank=BANK + wrong("alike", "above", new="2 * x")) == [
            "toy: alike is not caught by test_above"
        ]

    def test_that_cannot_be_named_is_found(self, proved):
        """Its author would be told the sentence of another that gives the same answers."""
        assert proved(bank=BANK + wrong("multiplies", "above below", new="x ** 2")) == [
            "toy: multiplies is caught but not named"
        ]

    def test_that_claims_no_check_is_found(self, proved):
        """Nobody would know what it is there for, and nobody be told its sentence."""
        assert proved(bank=BANK + wrong("halves", "", new="x / 2")) == [
            "toy: halves names no check that catches it",
            "toy: halves is caught but not named",
        ]

    def test_that_claims_a_check_that_there_is_not_is_found(self, proved):
        """A slip of the pen."""
        assert "toy: halves is not caught by test_abvoe" in proved(
            bank=BANK + wrong("halves", "abvoe", new="x / 2")
        )

    def test_that_only_a_skipped_check_would_catch_is_found(self, proved):
        """What a check did not look at it has not caught."""
        found = proved(CHECKS + SKIPPED, BANK + wrong("halves", "above elsewhere", new="x / 2"))

        assert "toy: halves is not caught by test_elsewhere" in found

    def test_that_is_right_in_the_bank_must_be_right(self, proved):
        """A variant that wrong answers are made from is proved like any other."""
        assert proved(bank=BANK + a_variant("2 * x")) == []
        (finding,) = proved(bank=BANK + a_variant("x / 3"))[:1]
        assert finding.startswith("toy: the variant another in the bank fails test_above: ")


class TestACheck:
    def test_that_catches_nothing_alone_is_found(self, proved):
        """Every check is there for a wrong answer that only it catches."""
        bank = BANK.replace('"keeps_below", "below"', '"both", "above below"')
        bank = bank.replace("x + x.clamp(min=0)", "x - x")

        assert proved(bank=bank) == [
            "toy: test_below catches nothing alone, and does not say why it is kept"
        ]

    def test_that_the_reference_cannot_answer_is_found(self, proved):
        """In words for its author: no student has anything to do with it."""
        found = proved(CHECKS.replace("impl.double(x)", "impl.double(x, 2)"))

        assert any("the reference gets no verdict in test_above: " in finding for finding in found)
        assert not any("not your fault" in finding for finding in found)

    def test_may_say_why_it_is_kept(self, proved):
        """Then it need not."""
        checks = CHECKS.replace("def test_below", f"{KEPT}\ndef test_below")
        bank = BANK.replace('"keeps_below", "below"', '"both", "above below"')

        assert proved(checks, bank.replace("x + x.clamp(min=0)", "x - x")) == []

    def test_that_is_skipped_takes_nothing_from_others(self, proved):
        """They still catch alone what no check that was made catches as well."""
        assert proved(CHECKS + SKIPPED) == []


def unneeded(findings):
    return [finding for finding in findings if "catches nothing alone" in finding]


class TestAClockedCheck:
    def test_is_no_evidence_that_another_is_not_needed(self, proved, clock):
        """Others' work may have disturbed it, so ``test_above`` still catches alone."""
        bank = BANK.replace('"keeps_above", "above"', '"keeps_above", "above fast"')

        assert unneeded(proved(CHECKS + FAST.format(mark=KEPT), bank)) == []

    def test_is_not_needed_for_what_others_catch(self, proved, clock):
        """It must say why it is kept."""
        bank = BANK.replace('"keeps_above", "above"', '"keeps_above", "above fast"')

        assert unneeded(proved(CHECKS + FAST.format(mark=""), bank)) == [
            "toy: test_fast catches nothing alone, and does not say why it is kept"
        ]

    def test_is_needed_for_what_only_it_catches(self, proved, clock):
        """A misconception may be nothing but slow."""
        checks = FAST.format(mark="").replace("low=3, high=4", "low=13, high=14")
        slow = wrong("keeps_far_above", "fast", new="x + x.clamp(max=5)")

        assert unneeded(proved(CHECKS + checks, BANK + slow)) == []

    def test_is_made_only_where_it_is_claimed(self, proved, clock):
        """It takes long: beside the reference only those are clocked that claim it."""
        found = proved(CHECKS + FAST.format(mark=KEPT))

        assert (found, clock) == ([], [True])

    def test_is_made_where_it_is_claimed(self, proved, clock):
        """The reference is right, and ``squares`` is slow."""
        bank = BANK.replace('"squares", "above', '"squares", "fast above')
        found = proved(CHECKS + FAST.format(mark=KEPT), bank)

        assert (found, set(clock)) == ([], {True, False})

    def test_that_lets_pass_who_claims_it_is_found(self, proved, clock):
        """A claim is proved by the clock too."""
        bank = BANK.replace('"keeps_below", "below"', '"keeps_below", "below fast"')
        found = proved(CHECKS + FAST.format(mark=KEPT), bank)

        assert "toy: keeps_below is not caught by test_fast" in found
