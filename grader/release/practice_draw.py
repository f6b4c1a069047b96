"""Inputs of which a file holds half: what is practised with need not be as fine as float32 is."""

from __future__ import annotations

from typing import Any

import torch

from grader.programs.draw import Draw

_KEPT_BITS = 11  # of 23: distinct still, and none becomes zero
_DROPPED = (1 << (23 - _KEPT_BITS)) - 1


class PracticeDraw(Draw):
    """Draws what ``Draw`` draws, cut to 12 significant bits."""

    def normal(self, *shape: int, grad: bool = False, **options: Any) -> torch.Tensor:
        return cut(super().normal(*shape, **options)).requires_grad_(grad)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        return cut(super().uniform(*shape, low=low, high=high))


def cut(numbers: torch.Tensor) -> torch.Tensor:
    """Float32 towards zero, so that none leaves its interval; others as they are."""
    if numbers.dtype is not torch.float32:
        return numbers
    return (numbers.view(torch.int32) & ~_DROPPED).view(torch.float32)
