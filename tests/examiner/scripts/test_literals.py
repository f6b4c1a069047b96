"""Values are written so that Python reads the very same values."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
import torch

from grader.examiner.scripts.literals import literal
from grader.examiner.scripts.parts import packed
from grader.programs.draw import Draw

DRAW = Draw(5)
TENSORS = {
    "small": DRAW.normal(2, 3),
    "large": DRAW.normal(9, 17),
    "one number": DRAW.normal(),
    "nothing": torch.zeros(0),
    "nothing in rows": torch.zeros(3, 0),
    "exact": DRAW.normal(4, dtype=torch.float64),
    "half": DRAW.normal(5, dtype=torch.float16),
    "bfloat16": DRAW.normal(3, 40, dtype=torch.bfloat16),
    "whole": DRAW.integers(-5, 5, (2, 2)),
    "mask": DRAW.booleans(12, 12),
    "neither": torch.tensor([inf, -inf, nan, -0.0, 1e-45, 3.4e38]),
    "turned": DRAW.normal(3, 4).T,
    "expanded": DRAW.normal(1, 4).expand(3, 4),
    "a part": DRAW.normal(40, 6)[::3, 1:4],
}


def read(text):
    """What a script would make of it."""
    return eval(text, {"torch": torch, "inf": inf, "nan": nan, "packed": packed, "np": np})


@pytest.mark.parametrize("value", TENSORS.values(), ids=TENSORS)
def test_tensors_are_exact(value):
    """To the last bit, with dtype, shape and strides; NaN is NaN."""
    again = read(literal(value))
    bits = [tensor.contiguous().flatten().view(torch.uint8).tolist() for tensor in (value, again)]

    assert (again.dtype, again.shape) == (value.dtype, value.shape)
    assert again.stride() == value.stride() or not value.numel()
    assert bits[0] == bits[1] or value.isnan().any()
    assert torch.equal(again.nan_to_num(7.0), value.nan_to_num(7.0))


@pytest.mark.parametrize(
    "value",
    [3, -2.5, inf, None, True, "mean", torch.float16, torch.device("cpu"), [1, (2,)], {"a": [0.1]}],
    ids=repr,
)
def test_plain_values(value):
    """Also in one another."""
    assert read(literal(value)) == value


def test_arrays():
    """numpy's stay numpy's."""
    again = read(literal(np.array([[1.5, 2.0]])))

    assert (type(again), again.dtype, again.tolist()) == (np.ndarray, np.float64, [[1.5, 2.0]])


def test_shapes_without_values():
    """On the meta device."""
    again = read(literal(torch.empty(2, 3, dtype=torch.float16, device="meta")))

    assert (again.is_meta, again.shape, again.dtype) == (True, (2, 3), torch.float16)


def test_few_digits():
    """Of a float32 no more than it takes to tell it from every other."""
    assert literal(torch.tensor([0.1, 2.0])) == "torch.tensor([0.1, 2.0], dtype=torch.float32)"
