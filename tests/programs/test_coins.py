"""Whether elements were dropped independently."""

from __future__ import annotations

import pytest
import torch

from grader.programs.coins import dependence

SHAPES = [(4000,), (60, 70), (14, 15, 16), (8, 9, 7, 10), (5, 6, 7, 4, 5)]


@pytest.fixture
def dropped():
    """``dropped(*shape, p=0.5)``: a mask of independent coins."""
    generator = torch.Generator().manual_seed(5)

    def dropped(*shape, p=0.5):
        return torch.rand(shape, generator=generator) < p

    return dropped


class TestIndependentCoins:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
    def test_nothing_speaks_against_them(self, dropped, shape, p):
        found = [dependence(dropped(*shape, p=p), p) for _ in range(20)]

        assert found == [None] * 20

    def test_rare_ones_in_a_single_row_are_none(self, dropped):
        """No place of it has more than one coin."""
        assert dependence(dropped(4000, p=0.02), 0.02) is None


class TestDependentOnes:
    @pytest.mark.parametrize("axis", [0, 1, 2, 3])
    def test_a_mask_shared_along_an_axis_is_found(self, dropped, axis):
        shape = (8, 9, 7, 10)
        mask = dropped(*(1 if at == axis else n for at, n in enumerate(shape))).expand(shape)

        assert dependence(mask, 0.5) == ("together", axis)

    def test_two_halves_that_are_alike_are_found(self, dropped):
        half = dropped(7, 15, 16)

        assert dependence(torch.cat([half, half]), 0.5) == ("alike", -1)

    def test_two_halves_that_are_opposite_are_found(self, dropped):
        half = dropped(7, 15, 16)

        assert dependence(torch.cat([half, ~half]), 0.5) == ("alike", -1)

    def test_one_row_used_twice_is_found(self, dropped):
        mask = dropped(5, 30, 40)
        mask[1] = mask[4]

        assert dependence(mask, 0.5) == ("alike", -1)

    def test_a_spared_place_is_found(self, dropped):
        mask = dropped(14, 15, 16)
        mask[:, 0] = False

        assert dependence(mask, 0.5) == ("favoured", 1)

    def test_another_probability_is_found(self, dropped):
        assert dependence(dropped(60, 70, p=0.5), 0.25) == ("chance", -1)
