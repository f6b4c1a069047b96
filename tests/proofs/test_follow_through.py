"""What known mistakes cost: a slip costs one idea, and nothing is given that was not earned."""

from __future__ import annotations

import pytest

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.proof_costs import costs, costs_of_pairs

COURSE = find_course()
CATALOG = load_catalog(COURSE)


@pytest.mark.parametrize("name", ["softmax", "dropout"])
def test_a_known_mistake_costs_one_idea(name, request):
    """Between a twentieth and a quarter; less only where it loses less strictly."""
    if name != "softmax" and not request.config.getoption("--all-misconceptions"):
        pytest.skip("left out of a normal run: --all-misconceptions")
    found = costs(COURSE, CATALOG[name])

    assert [cost for cost in found if not cost.is_fair] == []
    assert all(0 < cost.followed <= cost.strict for cost in found)
    assert any(cost.followed < cost.strict / 2 for cost in found)


def test_an_unknown_mistake_has_nothing_given():
    """Without its own entry no mistake is taken for another, whose points would be carried."""
    found = costs(COURSE, CATALOG["softmax"], known=False)

    assert [cost for cost in found if cost.followed < cost.strict] == []
    assert len(found) > 40


def test_two_mistakes_cost_two_ideas():
    """At least as much as the dearer one, if both are found; and no more than both and a tenth."""
    softmax = CATALOG["softmax"]
    found = list(costs_of_pairs(COURSE, softmax, 10, costs(COURSE, softmax)))
    named = [pair for pair in found if pair.found == 2]

    assert len(named) > 4
    assert all(pair.is_enough and pair.is_fair for pair in named)
