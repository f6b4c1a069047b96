"""A false name is worse than none: wrong programs that nobody has described."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.examiner.examination import examine
from grader.programs.page import Page
from grader.programs.program import StandIn
from grader.proof import SEED
from grader.proof_names import Tally, leave_one_out, two_at_once

COURSE = find_course()
CATALOG = load_catalog(COURSE)
FIRST_FOR_ALL = """if q.ndim > 2:
        q, k, v = (t[:1].expand_as(t) for t in (q, k, v))
    scores = q @ k.mT * scale"""

MORE = ("questions", "dropout", "parameter_counts")  # than a normal run tries

# exercise, function, and slips that were once told something false
UNKNOWN = {
    "uniform weights": ("softmax", "softmax", "x - x.amax(dim, keepdim=True)", "x * 0"),
    "shifted by the first": (
        "softmax",
        "softmax",
        "x.amax(dim, keepdim=True)",
        "x.narrow(dim, 0, 1)",
    ),
    "zeros that forbid nothing": (
        "masks",
        "to_additive",
        "zeros.masked_fill(~mask, -torch.inf)",
        "zeros",
    ),
    "the first item for all": (
        "attention",
        "scaled_dot_product_attention",
        "scores = q @ k.mT * scale",
        FIRST_FOR_ALL,
    ),
    "the sign of the shift lost": ("positional_encoding", "pe_shift_matrix", "k /", "abs(k) /"),
    "a norm that forgets its weight": (
        "residual",
        "SublayerConnection",
        "eps=1e-5)",
        "eps=1e-5).requires_grad_(False)",
    ),
    "the width for layers": (
        "gpt",
        "GPT",
        "2 * len(self.blocks)",
        "self.position_embedding.weight.shape[1]",
    ),
    "infinity without its sign": ("self_attention", "CausalAttention", "-torch.inf", "torch.inf"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_mistake_gets_no_name(name):
    """What equal NaN, equal zeros or an equal sentence suggest is not said."""
    exercise, of, old, new = UNKNOWN[name]
    suite = collected(COURSE, [CATALOG[exercise]]).of(CATALOG[exercise])
    page = Page(COURSE.solution(exercise))
    program = StandIn(page.program(page.with_slips(of, ((old, new),))))
    only = [c.check.name for c in suite.checks if not c.clocked]
    found = examine(suite, program, SEED, only=only, advised=False)

    assert not all(verdict.points for verdict in found)
    assert {verdict.misconception for verdict in found} == {None}


@pytest.mark.parametrize("name", ["softmax", "parameter_counts", "questions", "dropout"])
def test_no_misconception_is_taken_for_another(name, request):
    """Without its own entry in the bank each is told a pattern, a hint, or what was found."""
    if name in MORE and not request.config.getoption("--all-misconceptions"):
        pytest.skip("left out of a normal run: --all-misconceptions")
    told = Tally()
    leave_one_out(COURSE, CATALOG[name], told)

    assert told.named == {}
    assert told.rejected > 40


def test_two_mistakes_are_told_nothing_else():
    """One of the two or both, or none, whichever of them are known."""
    told = Tally()
    two_at_once(COURSE, CATALOG["softmax"], 8, told)

    assert told.named == {}
    assert told.own
    assert told.rejected == 8 * 4
