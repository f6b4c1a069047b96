"""Was every element dropped by a coin of its own? Found out from one draw.

Of independent coins no shift resembles the row itself, along no axis: its autocorrelation is noise
of size 1 / sqrt(n) at all n - 1 steps. A mask that is shared along an axis, used for two halves, or
mirrored by a step has a large one somewhere. And no place may be favoured: every slice of the mask
has its share.
"""

from __future__ import annotations

import math

import torch

_SHIFTS = 7.0  # standard deviations; one in 10**12 draws has more at some step
_SHARES = 6.0  # one in 10**9 has more in a slice


def dependence(dropped: torch.Tensor, p: float) -> tuple[str, int] | None:
    """What speaks against independent coins with probability ``p``; None if nothing does.

    ``dropped`` is boolean, with any number of axes, and 1,000 elements or more. The answer is a
    word and an axis: all are dropped ``together`` along it, or some places along it are
    ``favoured``; the others speak of no axis (-1): ``alike`` is a mask that resembles itself,
    shifted, and ``chance`` one of coins with another probability.
    """
    coins = (dropped.double() - p) / math.sqrt(p * (1 - p))
    shared = [axis for axis in range(coins.ndim) if _is_constant(dropped, axis)]
    if shared:
        return "together", shared[0]
    if _resemblance(coins) > _SHIFTS / math.sqrt(coins.numel()):
        return "alike", -1
    if abs(coins.mean()) > _SHARES / math.sqrt(coins.numel()):
        return "chance", -1
    favoured = [axis for axis in range(coins.ndim) if _favours(coins, axis)]
    return ("favoured", favoured[0]) if favoured else None


def _is_constant(mask: torch.Tensor, axis: int) -> bool:
    return mask.shape[axis] > 1 and bool((mask == mask.narrow(axis, 0, 1)).all())


def _resemblance(coins: torch.Tensor) -> float:
    """The largest autocorrelation but that of no shift (Wiener and Khinchin)."""
    spectrum = torch.fft.fftn(coins - coins.mean()).abs() ** 2
    found = torch.fft.ifftn(spectrum).real / coins.numel()
    largest: float = found.flatten()[1:].abs().max().item()
    return largest


def _favours(coins: torch.Tensor, axis: int) -> bool:
    """Whether a place along an axis has more or fewer than its share; a single coin has none."""
    slices = coins.movedim(axis, 0).reshape(coins.shape[axis], -1)
    several = slices.shape[1] > 1
    return several and bool(slices.mean(1).abs().max() > _SHARES / math.sqrt(slices.shape[1]))
