"""Inputs, drawn afresh from the run's secret seed.

Every check has a seed of its own, made from the run's and the check's name, so the same run seed
gives the same inputs in whatever order the checks run.

A worker sees inputs, and the seed of its own random numbers: 32 bits each, for torch's generator on
the CPU takes no more. Both come out of the run's seed by SHA-256. Who searches for the one that
gives what was seen has 2**128 to try, unless a person chose a small one with ``--seed``.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

_RUN_SEED_BITS = 128


def new_seed() -> int:
    """A secret seed for a run."""
    return secrets.randbits(_RUN_SEED_BITS)


def derive_seed(*parts: object) -> int:
    """A 63-bit seed that tells nothing about the parts it was made from."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True)
class SeededGenerator:
    """Stands for a ``torch.Generator`` with this seed, wherever the implementation runs."""

    seed: int


class Draw:
    """Random inputs for one check, on one device."""

    def __init__(self, seed: int, device: str = "cpu") -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)
        self._device = device

    def normal(
        self,
        *shape: int,
        scale: float = 1.0,
        offset: float = 0.0,
        dtype: torch.dtype = torch.float32,
        grad: bool = False,
    ) -> torch.Tensor:
        """Standard normal times ``scale`` plus ``offset``; ``grad`` asks for its gradient."""
        values = torch.randn(shape, generator=self._generator, device="cpu") * scale + offset
        return values.to(self._device, dtype).requires_grad_(grad)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        """Uniform in [low, high), float32."""
        values = torch.rand(shape, generator=self._generator, device="cpu") * (high - low) + low
        return values.to(self._device)

    def integers(self, low: int, high: int, shape: Sequence[int]) -> torch.Tensor:
        """Whole numbers low <= n < high, int64."""
        size, generator = tuple(shape), self._generator
        return torch.randint(low, high, size, generator=generator, device="cpu").to(self._device)

    def booleans(self, *shape: int, true: float = 0.5) -> torch.Tensor:
        """True with probability ``true``."""
        values = torch.rand(shape, generator=self._generator, device="cpu")
        return (values < true).to(self._device)

    def permutation(self, n: int) -> torch.Tensor:
        """A random order of 0 .. n-1 that is not the order itself (for n > 1)."""
        order = torch.randperm(n, generator=self._generator, device="cpu")
        same = n > 1 and order.equal(torch.arange(n, device="cpu"))
        return (order.roll(1) if same else order).to(self._device)

    def array(self, *shape: int, scale: float = 1.0) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Standard normal times ``scale``, as a float64 numpy array."""
        values: np.ndarray[Any, np.dtype[np.float64]] = torch.randn(
            shape, generator=self._generator, dtype=torch.float64, device="cpu"
        ).numpy()
        return values * scale

    def generator(self) -> SeededGenerator:
        """A random generator to hand to the submission."""
        return SeededGenerator(int(self.integers(0, 2**31 - 1, ())))
