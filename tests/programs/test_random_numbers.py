"""Programs in one process that draw at random, side by side."""

from __future__ import annotations

import torch

from grader.programs.random_numbers import RandomNumbers


def drawn(numbers, count=1):
    numbers.go_on()
    return torch.rand(count).tolist()


def test_the_seed_decides():
    """And nothing that was drawn before."""
    torch.rand(3)
    one = drawn(RandomNumbers(3), 4)
    same, other = drawn(RandomNumbers(3), 4), drawn(RandomNumbers(4), 4)

    assert one == same
    assert one != other


def test_others_that_draw_meanwhile_move_nothing():
    """Each goes on behind its own last number, whoever comes in between."""
    alone = drawn(RandomNumbers(3), 3)
    mine, theirs = RandomNumbers(3), RandomNumbers(5)
    found = []
    for _ in range(3):
        found += drawn(mine)
        drawn(theirs, 2)

    assert found == alone
