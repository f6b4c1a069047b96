"""Every fault that a course can have is found by the proofs, and said in a sentence."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.release import write_stubs
from grader.errors import GraderError
from grader.examiner.race import Race
from grader.examiner.timing import over
from grader.model import Measured
from grader.programs.proxy import Implementation
from grader.proof import prove_exercise, prove_house, prove_seed, prove_variants

CHECKS = '''\
import pytest


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
VARIANTS = """\
from grader.check import variant


@variant(of="double")
def twice(x):
    return 2 * x


@variant(of="double")
def thrice_less_once(x):
    return 3 * x - x
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
    """One more in a bank or a file of variants."""
    return f'\n\n@variant(of="double")\ndef another(x):\n    return {body}\n'


@pytest.fixture
def written(toy):
    """``written(checks, bank)`` is the toy course with these; without any, nothing is wrong."""

    def written(checks=CHECKS, bank=BANK):
        toy.suite("toy").write_text(checks)
        toy.misconceptions("toy").write_text(bank)
        write_stubs(toy)
        return toy

    return written


@pytest.fixture
def proved(written):
    """``proved(checks, bank)`` are the findings of ``prove_exercise``."""

    def proved(*texts, **named):
        course = written(*texts, **named)
        return prove_exercise(course, load_catalog(course)["toy"])

    return proved


@pytest.fixture
def tried(written, tmp_path):
    """``tried(prove, variants, ...)`` are the findings with this file of variants."""

    def tried(prove, variants=VARIANTS, *arguments, **texts):
        path = tmp_path / "variants.py"
        path.write_text(variants)
        course = written(**texts)
        return prove(course, load_catalog(course)["toy"], path, *arguments)

    return tried


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

    @pytest.mark.xfail(
        strict=True, reason="what no check catches is said to be 'caught but not named'"
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

    @pytest.mark.xfail(strict=True, reason="a check that is skipped counts as one that failed")
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

    def test_may_say_why_it_is_kept(self, proved):
        """Then it need not."""
        checks = CHECKS.replace("def test_below", f"{KEPT}\ndef test_below")
        bank = BANK.replace('"keeps_below", "below"', '"both", "above below"')

        assert proved(checks, bank.replace("x + x.clamp(min=0)", "x - x")) == []

    @pytest.mark.xfail(strict=True, reason="a check that is skipped counts as one that failed")
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


class TestVariants:
    def test_that_are_right_have_no_findings(self, tried):
        """However they are written."""
        assert tried(prove_variants) == []

    def test_that_are_wrong_are_found(self, tried):
        """Every check that they fail."""
        found = tried(prove_variants, VARIANTS + a_variant("x * x"))

        assert [finding.partition(": ")[0] for finding in found] == [
            "variant another fails test_above",
            "variant another fails test_below",
        ]

    def test_that_would_fail_elsewhere_are_found(self, tried):
        """Nobody is advised against what is right."""
        variants = VARIANTS + a_variant("x + x.detach().numpy().sum() * 0 + x")
        (finding, *_) = tried(prove_variants, variants)

        assert finding.startswith("variant another is advised: ")
        assert "gpu_numpy" in finding

    @pytest.mark.xfail(
        strict=True, reason="the line that reads is not known of programs in this process"
    )
    def test_that_read_values_are_found(self, tried):
        """A submission in the same words is advised against it."""
        found = tried(prove_variants, VARIANTS + a_variant("x + float(x[0, 0]) * 0 + x"))

        assert any("gpu_reads" in finding for finding in found)

    def test_share_their_proof_with_the_reference(self, tried):
        """It too must earn every point without what is forbidden."""
        checks = CHECKS + ALWAYS.format(mark=KEPT, name="more").replace("(2,)", "(3,)")
        (finding, *_) = tried(prove_variants, "", checks=checks)

        assert finding.startswith("variant reference fails test_more: ")


class TestASeed:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_with_which_all_is_well_has_no_findings(self, tried, seed):
        """Whatever was drawn."""
        assert tried(prove_seed, VARIANTS, seed) == []

    def test_takes_every_second_variant(self, tried):
        """And the next takes the others: they take every check, which is long."""
        variants = VARIANTS.replace("2 * x", "4 * x")

        assert tried(prove_seed, variants, 1) == []
        (finding, *_) = tried(prove_seed, variants, 2)
        assert finding.startswith("variant twice fails test_above: ")

    def test_with_which_the_reference_fails_is_found(self, tried):
        """A tolerance that is too narrow for some inputs."""
        checks = CHECKS + ALWAYS.format(mark=KEPT, name="more").replace("(2,)", "(3,)")
        (finding,) = tried(prove_seed, VARIANTS.partition("@")[0], 1, checks=checks)

        assert finding.startswith("the reference fails test_more: ")

    def test_with_which_a_misconception_passes_is_found(self, tried):
        """A check that catches it only now and then is no check of it."""
        bank = BANK.replace('"keeps_below", "below"', '"keeps_below", "above below"')

        assert tried(prove_seed, VARIANTS, 1, bank=bank) == [
            "keeps_below is not caught by test_above"
        ]


class TestAHouse:
    def test_in_order_has_no_findings(self, written):
        """Otherwise every other finding here would say nothing."""
        assert prove_house(written()) == []

    def test_without_misconceptions_is_found(self, written):
        """An exercise without wrong answers has a suite that nothing proves."""
        course = written()
        course.misconceptions("toy").unlink()

        assert prove_house(course) == ["grader/suites/toy/misconceptions.py is missing"]

    @pytest.mark.xfail(
        strict=True,
        raises=GraderError,
        reason="the catalog and the map raise before a missing solution or suite is a finding",
    )
    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_without_a_file_is_found(self, written, which):
        """Findings are returned, so that one does not hide the others."""
        course = written()
        path = getattr(course, which)("toy")
        path.unlink()

        assert f"{path.relative_to(course.root)} is missing" in prove_house(course)

    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_without_a_file_is_never_in_order(self, written, which):
        """Whether it is returned or raised, the file is named."""
        course = written()
        path = getattr(course, which)("toy")
        path.unlink()
        try:
            said = " ".join(prove_house(course))
        except GraderError as error:
            said = str(error)

        assert path.relative_to(course.root).as_posix() in said

    @pytest.mark.parametrize("which", ["suite", "solution"])
    def test_with_a_stray_file_is_found(self, written, which):
        """What the catalog does not know is shown to nobody."""
        course = written()
        path = getattr(course, which)("stray")
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

        assert prove_house(course) == ["stray is not in the catalog"]

    @pytest.mark.parametrize(
        "name",
        [
            "exercises/toy.py",
            "exercises/README.md",
            "tests/submissions/perfect/toy.py",
            "tests/submissions/untouched/toy.py",
        ],
    )
    @pytest.mark.parametrize("fault", ["edited", "gone"])
    def test_with_a_stale_file_is_found(self, written, name, fault):
        """What is generated is as it would be generated now, to the byte."""
        course = written()
        path = course.root / name
        path.write_bytes(path.read_bytes() + b"\n") if fault == "edited" else path.unlink()

        assert prove_house(course) == [f"{name} is not as generated"]

    def test_with_a_stub_without_a_solution_is_found(self, written):
        """It was left behind."""
        course = written()
        course.stub("stray").write_text("")

        assert prove_house(course) == ["exercises/stray.py is not as generated"]

    def test_whose_page_does_not_say_what_is_forbidden_is_found(self, written):
        """Learners read the page, workers the catalog."""
        course = written()
        course.catalog.write_text(course.catalog.read_text() + 'forbids = ["torch.add"]\n')
        (finding,) = prove_house(course)

        assert finding.startswith("solutions/toy.py says [] of torch at its top, the catalog [")
        assert "torch.add" in finding
