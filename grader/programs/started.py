"""How the matrices of a new layer start: at random, every number on its own, around 0.

The messages are content: learners read them in the checks of several suites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

Parameters = Mapping[str, torch.Tensor]


def demand_random_start(made: str, layers: Sequence[Parameters], inputs: Mapping[str, int]) -> None:
    """Three layers, each a ``made``, one after the other, by their parameters; ``inputs`` of each
    matrix. Raises ``AssertionError`` for the first fault.
    """
    for name, n in inputs.items():
        assert all(name in layer for layer in layers), f"there is no parameter {name}"
        _demand_numbers(name, layers[0][name], n)
        first, second, third = (layer[name] for layer in layers)
        again = torch.equal(first, second) or torch.equal(second, third)
        assert not again, f"{name} starts the same in every new layer: is a seed set in your code?"
    together = torch.cat([layers[0][name].flatten() for name in inputs])
    assert _distinct(together), f"two matrices of a {made} start with the same numbers"
    for name in layers[0].keys() - inputs.keys():
        assert layers[0][name].abs().max() < 1, f"{name} does not start at 0 or near it"


def _demand_numbers(name: str, matrix: torch.Tensor, n: int) -> None:
    assert (matrix != 0).any(), f"{name} starts at zeros: what comes before it gets no gradient"
    own = _distinct(matrix) and matrix.isfinite().all()
    assert own, f"{name} does not start with a random number at every place"
    size = matrix.square().mean().sqrt().item() * n**0.5
    assert abs(matrix.mean()) < 0.25 * matrix.std(), f"the numbers of {name} are not around 0"
    assert 0.05 < size < 2, f"{name} starts with {size:.3g} / sqrt({n}), see the page's top"


def _distinct(numbers: torch.Tensor) -> bool:
    different = numbers.unique().numel()  # type: ignore[no-untyped-call]
    return bool(different > 0.9 * numbers.numel())
