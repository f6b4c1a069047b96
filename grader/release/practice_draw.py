"""Inputs that a released folder need not hold: its reader draws them again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from grader.examiner.sealed.drawn import INPUTS, Law, numbers_of
from grader.programs.draw import Draw


class PracticeDraw(Draw):
    """Draws the same for everybody: floating numbers from the beginning of a ``stream``, whatever
    the seed. In ``drawn`` stands, by law, how far.
    """

    def __init__(self, seed: int, device: str = "cpu", stream: int = INPUTS) -> None:
        super().__init__(seed, device)
        self.drawn: dict[Law, int] = {}
        self._stream, self._at = stream, 0

    def normal(
        self,
        *shape: int,
        scale: float = 1.0,
        offset: float = 0.0,
        dtype: torch.dtype = torch.float32,
        grad: bool = False,
    ) -> torch.Tensor:
        values = self._next(Law("normal", float(scale), float(offset), self._stream), shape)
        return values.to(self._device, dtype).requires_grad_(grad)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        law = Law("uniform", float(high - low), float(low), self._stream)
        return self._next(law, shape).to(self._device)

    def array(self, *shape: int, scale: float = 1.0) -> np.ndarray[Any, np.dtype[np.float64]]:
        return self.normal(*shape, scale=scale, dtype=torch.float64).numpy()

    def _next(self, law: Law, shape: tuple[int, ...]) -> torch.Tensor:
        sizes = torch.Size(shape)
        start, self._at = self._at, self._at + math.prod(sizes)
        self.drawn[law] = self._at
        return torch.from_numpy(numbers_of(law, self._at, start)).view(sizes)
