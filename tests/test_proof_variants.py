"""A right answer that is not taken for one is found by the proofs, and inputs that decide."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.proof import prove_seed, prove_variants

VARIANTS = """\
from grader.check import variant


@variant(of="double")
def twice(x):
    return 2 * x


@variant(of="double")
def half_of_four(x):
    return 4 * x / 2
"""
UNFAIR = '''
def test_unfair(draw):
    """Nobody can pass."""
    assert draw.normal(2).shape == (3,), "not drawn"
'''


def a_variant(body):
    """One more in a file of variants."""
    return f'\n\n@variant(of="double")\ndef another(x):\n    return {body}\n'


@pytest.fixture
def tried(toy, tmp_path):
    """``tried(prove, variants, ...)`` are the findings with this file of variants."""

    def tried(prove, variants=VARIANTS, *arguments, checks="", bank=None):
        path = tmp_path / "variants.py"
        path.write_text(variants)
        if checks:
            toy.suite("toy").write_text(checks)
        if bank:
            toy.misconceptions("toy").write_text(bank)
        return prove(toy, load_catalog(toy)["toy"], path, *arguments)

    return tried


class TestVariants:
    def test_that_are_right_have_no_findings(self, tried):
        """However they are written."""
        assert tried(prove_variants) == []

    def test_that_are_wrong_are_found(self, tried, tmp_path):
        """Every check that they fail, and in which file they are."""
        found = tried(prove_variants, VARIANTS + a_variant("x * x"))

        who = f"variant another in {tmp_path.name}/variants.py"

        assert [finding.partition(": ")[0] for finding in found] == [
            f"{who} fails test_doubles",
            f"{who} fails test_leaves_its_input_alone",
        ]

    def test_that_would_fail_elsewhere_are_found(self, tried):
        """Nobody is advised against what is right."""
        variants = VARIANTS + a_variant("x + x.detach().numpy().sum() * 0 + x")
        (finding, *_) = tried(prove_variants, variants)

        assert finding.startswith("variant another is advised: ")
        assert "numpy" in finding

    def test_that_look_at_values_are_right(self, tried):
        """Somebody who looks for NaN or for an index out of range is advised of nothing."""
        looking = a_variant("x + float(x.sum()) * 0 + x").replace(
            "return", "assert x.isfinite().all()\n    return"
        )

        assert tried(prove_variants, VARIANTS + looking) == []

    def test_share_their_proof_with_the_reference(self, tried):
        """It too must earn every point without what is forbidden."""
        (finding, *_) = tried(prove_variants, "", checks=UNFAIR)

        assert finding.startswith("the reference, without what it forbids, fails test_unfair: ")


class TestASeed:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_with_which_all_is_well_has_no_findings(self, tried, seed):
        """Whatever was drawn."""
        assert tried(prove_seed, VARIANTS, seed) == []

    def test_takes_every_eighth_variant(self, tried):
        """And others take the others: they take every check, which is long."""
        variants = VARIANTS.replace("return 2 * x", "return 5 * x")

        assert tried(prove_seed, variants, 1) == []
        (finding, *_) = tried(prove_seed, variants, 8)
        assert finding.startswith("variant twice fails test_doubles: ")

    def test_with_which_the_reference_fails_is_found(self, tried):
        """A tolerance that is too narrow for some inputs."""
        (finding,) = tried(prove_seed, VARIANTS.partition("@")[0], 1, checks=UNFAIR)

        assert finding.startswith("the reference fails test_unfair: ")

    def test_with_which_a_misconception_passes_is_found(self, tried):
        """A check that catches it only now and then is no check of it."""
        slip = '"double", "keeps_much", "doubles", "You add 9.", "x + x", "x + x.clamp(max=9)"'
        bank = f"from grader.check import Bank\n\nwrong = Bank()\nwrong({slip})\n"

        assert tried(prove_seed, VARIANTS, 1, bank=bank) == [
            "keeps_much is not caught by test_doubles"
        ]
