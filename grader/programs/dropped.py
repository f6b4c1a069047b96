"""What is to be seen of dropout within a layer: what a branch adds, and how all comes out together.

The messages are content: learners read them in the checks of several suites.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

# Of 16 numbers as many are kept as of 16 others with a chance of 0.14; of 128 times, never half.
_MOST_ALIKE = 0.5

# Of 768 sequences in one head: right ones differed by 1.020 at most in 900 draws.
_SPREAD = 1.04


def levels(added: torch.Tensor, which: str, inside: str) -> torch.Tensor:
    """What is left of what is dropped inside a branch of ones, for each half of the features.

    ``added`` (B, T, 16) is what the branch ``which`` adds where half is dropped, inside and out.
    Returns (B, T, 2). Raises ``AssertionError`` where it was dropped in another way.
    """
    _demand_dropped(added, which)
    halves = (*added.shape[:-1], 2, 8)  # one head each; dropped inside, they shrink together
    groups = added.reshape(halves)
    kept = groups.amax(-1, keepdim=True).expand_as(groups)
    dropped = groups.abs() < 1e-3
    alike = dropped | ((groups - kept).abs() < 1e-3)
    assert alike.all(), f"what the {which} branch keeps is not all grown alike"
    left: torch.Tensor = kept[..., 0]
    among = left[~dropped.all(-1)]
    assert among.max() - among.min() > 0.1, f"in training none of the {inside} are dropped"
    assert abs(among.mean() - 2) < 0.8, f"what survives among the {inside} does not grow"
    axes = ("sentences", "tokens", "heads") if "weights" in inside else ("sentences", "tokens")
    for axis, name in enumerate(axes):
        same = (left == left.roll(1, axis)).float().mean()
        assert same < _MOST_ALIKE, f"the same {inside} are dropped for all {name}"
    return left


def demand_others_dropped(first: torch.Tensor, second: torch.Tensor, inside: str) -> None:
    """The ``levels`` of two calls; raises ``AssertionError`` where both dropped the same."""
    same = (first == second).float().mean()
    assert same < _MOST_ALIKE, f"a second call drops the very same {inside}"


def _demand_dropped(added: torch.Tensor, which: str) -> None:
    """Half of it is, each number on its own, and no more than what the branch gives."""
    steps = added * 8  # one of sixteen more or less inside is 1/16, grown once by 2 or twice
    whole = (steps - steps.round()).abs() < 1e-3
    assert whole.all(), (
        f"what the {which} branch is given is not what its norm returns, or dropout falls on it"
    )
    dropped = added.abs() < 1e-3
    share = dropped.float().mean()
    assert share > 0, f"nothing of what the {which} branch adds is dropped"
    mixed = dropped.any(-1) & ~dropped.all(-1)
    assert mixed.any(), f"the {which} branch is dropped by whole tokens"
    assert share > 0.37, f"the {which} branch loses far less than it should, or x is changed"
    assert share < 0.63, f"the {which} branch loses far more than it should, or x is changed"


def spread_faults(y: torch.Tensor, wanted: torch.Tensor) -> Iterator[str]:
    """How (N, T, d) numbers in training are distributed otherwise than N T d right ones."""
    spread = y.std(0).mean() / wanted.std(0).mean()
    if spread > _SPREAD:
        yield "spread too far"
    if spread < 1 / _SPREAD:
        yield "spread too little"
    error = (y.std(0) + wanted.std(0)) / len(y) ** 0.5
    if ((y.mean(0) - wanted.mean(0)).abs() > 6 * error + 1e-4).any():
        yield "have another mean"


def alike_along(mask: torch.Tensor, *axes: str) -> list[str]:
    """Those axes of a mask with three along which two neighbours are the same throughout."""
    found = []
    for axis, name in enumerate(axes):
        n = mask.shape[axis] - 1
        near = mask.narrow(axis, 0, n) == mask.narrow(axis, 1, n)
        others = [other for other in range(mask.ndim) if other != axis]
        if near.all(dim=others[0], keepdim=True).all(dim=others[1]).any():
            found.append(name)
    return found
