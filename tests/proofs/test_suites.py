"""The proofs that every suite is a fair judge and a teacher."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.rests import unsaid
from grader.programs.bank import load_bank
from grader.proof import faults_in, judged, prove_house, prove_variants
from grader.proof_costs import cost_faults

COURSE = find_course()
CATALOG = load_catalog(COURSE)
VARIANTS = COURSE.root / "tests" / "variants"
# Of those that take longest, one entry in so many: `grader dev check NAME` tries all.
LONGEST = ("write_the_tests",)
LARGEST = ("transformer", "gpt", "decoder", "encoder", "multi_head_attention", "kv_cache",
           "circuits", "clinic")  # fmt: skip
LARGE = ("attention", "self_attention", "layer_norm", "optimizer", "beam_search", "tokenizer",
         "training", "sampling", "loss", "positional_encoding", "hand_weights", "feed_forward",
         "residual", "masks", "questions", "dropout", "heads", "before_attention",
         "projections_by_hand", "parameter_counts")  # fmt: skip
SHARES = dict.fromkeys(LONGEST, 96) | dict.fromkeys(LARGEST, 96) | dict.fromkeys(LARGE, 48)

OTHER_SEED = 1  # what is right is tried on other inputs than what is wrong

each_exercise = pytest.mark.parametrize("name", list(reversed(CATALOG)))  # the longest first


def test_the_house_is_in_order():
    """Every exercise has its files, generated files are fresh byte for byte, nothing strays."""
    findings = prove_house(COURSE)

    assert findings == []


@pytest.mark.parametrize("name", CATALOG)
def test_every_check_rests_on_words_of_its_page(name):
    """Nothing is demanded that neither the page nor exercises/README.md says."""
    findings = unsaid(COURSE, name)

    assert findings == []


@pytest.fixture
def share(request):
    """Of the banks that take long a normal run tries one entry in so many."""
    everything = request.config.getoption("--all-misconceptions")
    return lambda name: 1 if everything else SHARES.get(name, 1)


@each_exercise
def test_the_suite_judges_its_misconceptions(name, share):
    """The reference earns every point and the stub none; every misconception is caught by the
    checks that claim it, and named; every check is needed or says why it stands. None costs more
    than a quarter unless it fails everything."""
    seen = judged(COURSE, CATALOG[name], share=share(name))

    assert faults_in(seen) + cost_faults(seen) == []


@each_exercise
def test_every_right_variant_earns_every_point(name, share):
    """Another way of writing the right answer is right, and is not told to fail on a GPU."""
    variants = VARIANTS / f"{name}.py"
    findings = prove_variants(COURSE, CATALOG[name], variants, OTHER_SEED, share=share(name))

    assert findings == []


def test_every_exercise_is_contested():
    """At least seven misconceptions and four variants each, every misconception with a sentence
    of its own."""
    for name in CATALOG:
        wrong = load_bank(COURSE.misconceptions(name), COURSE.solution(name))
        sentences = [entry.sentence for entry in wrong]

        assert len(wrong) >= 7, name
        assert len(load_bank(VARIANTS / f"{name}.py", COURSE.solution(name))) >= 4, name
        assert len(set(sentences)) == len(sentences), name
        assert all(len(sentence) > 20 for sentence in sentences), name


@pytest.mark.parametrize("name", CATALOG)
def test_hints_are_staged(name):
    """Every exercise has at least three hints, none of which holds the solution's code."""
    hints = [hint.says for hint in CATALOG[name].hints]
    code = COURSE.solution(name).read_text(encoding="utf-8")

    assert len(hints) >= 3
    assert not [hint for hint in hints if hint in code]
