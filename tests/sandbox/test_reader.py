"""A worker reads what the grader sends as it was meant, and as the strict decoder would read it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.sandbox.decoder import Decoder
from grader.sandbox.encoder import Encoder
from grader.sandbox.protocol import Built, Generator, Leaf, Object, Result
from grader.sandbox.reader import Reader


def sent(*values):
    """What arrives: the trees of these values, and one payload."""
    encoder = Encoder()
    trees = [encoder.encode(value) for value in values]
    return trees, memoryview(b"".join(encoder.chunks))


def read(*values):
    trees, payload = sent(*values)
    reader = Reader(payload)
    return [reader.read(tree) for tree in trees]


BOTH = [
    None,
    True,
    -3,
    0.1,
    "é\n",
    [1, (2, "x")],
    {"a": 1, 2: None},
    torch.float64,
    torch.device("cpu"),
    Result(3, (0, "x")),
    Object(2, "Layer"),
    Generator(1, 7),
]


@pytest.mark.parametrize("value", BOTH, ids=repr)
def test_plain_values_come_as_they_were(value):
    """The strict decoder agrees."""
    (tree,), payload = sent(value)

    assert read(value) == [value]
    assert Decoder(payload).decode(tree) == value


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("shape", [(), (2, 3), (0, 4)], ids=str)
def test_tensors_come_as_they_were(dtype, shape):
    """Each with memory of its own, one after another in one payload."""
    one = torch.arange(6.0)[: torch.Size(shape).numel()].reshape(shape).to(dtype)
    first, second = read(one, one)
    first.zero_()

    assert (second.dtype, second.shape) == (dtype, one.shape)
    assert torch.equal(second, one)


def test_arrays_can_be_written_to():
    """As those that a caller would hand over; also where there are no numbers."""
    array, empty = read(np.arange(6.0).reshape(2, 3), np.empty((0, 3)))
    array[0, 0] = 9

    assert array[0].tolist() == [9.0, 1.0, 2.0]
    assert empty.shape == (0, 3)


def test_inputs_keep_their_layout():
    """A transposed tensor is transposed there; one that was sent before comes by number alone."""
    whole = torch.arange(6.0).reshape(2, 3)
    strided, known = read(Leaf(1, whole.t(), requires_grad=True), Leaf(1))

    assert (strided.number, strided.requires_grad, known.value) == (1, True, None)
    assert torch.equal(strided.value, whole.t())
    assert strided.value.stride() == (1, 3)


def test_modules_come_with_their_weights():
    """They are made on the far side."""
    (built,) = read(Built(4, "Linear", (2, 1), (("bias", torch.ones(1)),)))

    assert (built.number, built.type_name, built.args) == (4, "Linear", (2, 1))
    assert dict(built.weights)["bias"].item() == 1
