"""Options are tried in pairs."""

from __future__ import annotations

import itertools

import pytest

from grader.programs.covering import pairs

OPTIONS = {"scale": (None, 1.7), "causal": (False, True), "mask": ("none", "bool", "bias")}


class TestPairs:
    def test_every_two_values_meet(self):
        """Of any two options, every value of one meets every value of the other."""
        rows = pairs(**OPTIONS)
        for one, other in itertools.combinations(OPTIONS, 2):
            met = {(row[one], row[other]) for row in rows}

            assert met == set(itertools.product(OPTIONS[one], OPTIONS[other]))

    def test_are_fewer_than_all_choices(self):
        """The two longest options alone give as many as there must be."""
        assert len(pairs(**OPTIONS)) == 6
        assert len(pairs(a=(0, 1), b=(0, 1), c=(0, 1), d=(0, 1))) <= 6

    def test_begin_with_the_plain_case(self):
        """The first value of every option comes first."""
        assert pairs(**OPTIONS)[0] == {"scale": None, "causal": False, "mask": "none"}

    def test_are_the_same_each_time(self):
        """A check with a loop over them is the same check for everybody."""
        assert pairs(**OPTIONS) == pairs(**OPTIONS)

    @pytest.mark.parametrize("values", [(1,), (1, 2)])
    def test_of_one_option_are_its_values(self, values):
        """There is nothing to meet."""
        assert pairs(only=values) == [{"only": value} for value in values]
