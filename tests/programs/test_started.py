"""Matrices that start otherwise than at random are told."""

from __future__ import annotations

import pytest
import torch

from grader.check import demand_random_start


def layers(change=lambda matrix, number: matrix):
    """Three new layers, their matrices changed."""
    generator = torch.Generator().manual_seed(7)
    return [
        {
            name: change(torch.randn(24, 24, generator=generator) / 24**0.5, number)
            for number, name in enumerate(("w_1", "w_2"))
        }
        | {"b": torch.zeros(24)}
        for _ in range(3)
    ]


INPUTS = {"w_1": 24, "w_2": 24}


def test_random_ones_pass():
    """Nothing is said."""
    demand_random_start("layer", layers(), INPUTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda matrix, number: torch.zeros(24, 24), "starts at zeros"),
        (lambda matrix, number: torch.full((24, 24), 0.2), "a random number at every place"),
        (lambda matrix, number: matrix + 1, "are not around 0"),
        (lambda matrix, number: matrix * 100, "starts with"),
        (lambda matrix, number: torch.linspace(-0.3, 0.3, 576).view(24, 24), "in every new layer"),
    ],
)
def test_others_are_told(change, message):
    """What is wrong with them."""
    with pytest.raises(AssertionError, match=message):
        demand_random_start("layer", layers(change), INPUTS)


def test_two_matrices_must_differ():
    """Also if every layer has new ones."""
    made = [{"w_1": layer["w_1"], "w_2": layer["w_1"]} for layer in layers()]

    with pytest.raises(AssertionError, match="two matrices of a layer"):
        demand_random_start("layer", made, INPUTS)


def test_a_bias_must_start_near_zero():
    """Which has no inputs of its own."""
    made = [layer | {"b": torch.full((24,), 3.0)} for layer in layers()]

    with pytest.raises(AssertionError, match="b does not start at 0"):
        demand_random_start("layer", made, INPUTS)
