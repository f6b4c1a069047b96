"""Streams of torch's random numbers: programs in one process that do not disturb one another."""

from __future__ import annotations

import torch

from grader.sandbox.devices import seed_all

_LAST: list[RandomNumbers] = []  # whose numbers torch's generator gives, if anybody's


class RandomNumbers:
    """What torch's generator on the CPU gives from a seed on, whoever draws in between.

    On a GPU they begin with the seed too, and are not kept apart.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._state: torch.Tensor | None = None

    def go_on(self) -> None:
        """From here on torch draws the next of these numbers: first those of the seed, later those
        behind the last one drawn.
        """
        if _LAST and _LAST[0] is self:
            return
        for last in _LAST:
            last._state = torch.default_generator.get_state()
        _LAST[:] = [self]
        if self._state is None:
            seed_all(self._seed)
        else:
            torch.default_generator.set_state(self._state)
