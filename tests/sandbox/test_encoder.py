"""Every value that has a form crosses the wall, and what has none is refused by name."""

from __future__ import annotations

import enum
import math

import numpy as np
import pytest
import torch

from grader.errors import ProtocolViolation
from grader.sandbox.protocol import (
    MAX_DEPTH,
    MAX_HEADER_BYTES,
    NUMPY_DTYPES,
    TORCH_DTYPES,
    Built,
    Generator,
    Leaf,
    Object,
    Refused,
    Result,
)


class TestPlainValues:
    @pytest.mark.parametrize(
        "value",
        [
            None,
            True,
            False,
            0,
            -7,
            2**70,
            0.1,
            -0.0,
            math.inf,
            -math.inf,
            "",
            "naïve\n🙂\0",
            b"",
            bytes(range(256)),
        ],
    )
    def test_cross_unchanged(self, line, value):
        """Plain values arrive as what they were, in kind and value."""
        actual = line.cross(value)

        assert repr(value) == repr(actual)

    def test_nan_stays_nan(self, line):
        """A plain NaN survives; it is the comparison's business, not the protocol's."""
        actual = line.cross(math.nan)

        assert math.isnan(actual)

    @pytest.mark.parametrize(
        "value",
        [
            [],
            (),
            {},
            [1, [2, (3,)]],
            (None, "a"),
            {"a": [1], "b": {"c": ()}},
            {1: 2, None: 0.5},
            {(b"a", b"bc"): 3, ("d", 1): {(): 2}},
            (b"a", [b"bc" * 9]),
        ],
    )
    def test_nested_values_keep_their_kind(self, line, value):
        """Lists, tuples and dicts arrive as lists, tuples and dicts, in their order."""
        actual = line.cross(value)

        assert repr(value) == repr(actual)

    def test_nest_no_deeper_than_allowed(self, line):
        """What is nested too deeply is cut off with a word about it."""
        value = "bottom"
        for _ in range(MAX_DEPTH + 2):
            value = [value]
        actual = line.cross(value)
        for _ in range(MAX_DEPTH):
            actual = actual[0]

        assert Refused("a value nested too deeply") == actual

    @pytest.mark.parametrize(
        "value", [torch.float16, torch.bool, torch.device("cpu"), torch.device("cuda:1")]
    )
    def test_dtypes_and_devices_cross(self, line, value):
        """A dtype and a device have forms of their own."""
        actual = line.cross(value)

        assert value == actual

    @pytest.mark.parametrize(
        "value",
        [Object(3, "Linear"), Refused("set"), Result(2, (0, "a")), Result(1), Generator(0, 77)],
    )
    def test_references_cross(self, line, value):
        """Names for what stays on the other side arrive as they were."""
        actual = line.cross(value)

        assert value == actual


class Mode(enum.IntEnum):
    ON = 1


class Odd(torch.Tensor):
    pass


class TestValuesWithoutAForm:
    @pytest.mark.parametrize(
        ("value", "name"),
        [
            (object(), "object"),
            ({1, 2}, "set"),
            (1j, "complex"),
            (bytearray(b"raw"), "bytearray"),
            (len, "builtin_function_or_method"),
            (Mode.ON, "Mode"),
            (torch.ones(2).as_subclass(Odd), "Odd"),
            (np.ma.masked_array([1.0]), "MaskedArray"),
            (np.array(["a"]), "an array of <U1"),
            (torch.ones(2, dtype=torch.complex64), "a tensor of torch.complex64 and torch.strided"),
            (torch.eye(2).to_sparse(), "a tensor of torch.float32 and torch.sparse_coo"),
        ],
    )
    def test_are_refused_by_name(self, line, value, name):
        """Nothing is pickled: what has no form arrives as the name of its type."""
        actual = line.cross([value])

        assert [Refused(name)] == actual


class TestTensors:
    @pytest.mark.parametrize("name", TORCH_DTYPES)
    def test_of_every_dtype_cross(self, line, name):
        """A tensor arrives with its dtype and its very numbers."""
        value = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(TORCH_DTYPES[name])
        actual = line.cross(value)

        assert value.dtype == actual.dtype
        assert value.tolist() == actual.tolist()

    @pytest.mark.parametrize("name", NUMPY_DTYPES)
    def test_arrays_of_every_dtype_cross(self, line, name):
        """A numpy array arrives as a numpy array, with its dtype and its numbers."""
        value = np.array([[0, 1, 2], [3, 4, 5]]).astype(name)
        actual = line.cross(value)

        assert (np.ndarray, value.dtype) == (type(actual), actual.dtype)
        assert value.tolist() == actual.tolist()

    @pytest.mark.parametrize(
        "value",
        [
            torch.tensor(3.5),
            torch.tensor(True),
            torch.empty(0),
            torch.empty(2, 0, 3),
            torch.arange(6.0).reshape(2, 3).T,
            torch.arange(10)[1::3],
            torch.ones(1, 3).expand(4, 3),
            torch.arange(3.0).flip(0),
        ],
        ids="scalar bool_scalar empty empty_axis transposed strided expanded flipped".split(),
    )
    def test_of_every_layout_cross(self, line, value):
        """Shape and numbers arrive whatever the layout was."""
        actual = line.cross(value)

        assert value.shape == actual.shape
        assert value.tolist() == actual.tolist()

    @pytest.mark.parametrize(
        "value", [np.float32(2.5), np.array(2.5), np.empty((0, 3)), np.eye(3).T]
    )
    def test_arrays_of_every_layout_cross(self, line, value):
        """A numpy scalar arrives as an array without axes, other arrays as they were."""
        actual = line.cross(value)

        assert np.shape(value) == actual.shape
        assert value.tolist() == actual.tolist()

    def test_special_numbers_cross(self, line):
        """NaN, infinities and minus zero arrive bit for bit."""
        value = torch.tensor([math.nan, math.inf, -math.inf, -0.0])
        actual = line.cross(value)

        assert value.view(torch.int32).tolist() == actual.view(torch.int32).tolist()

    def test_parameters_cross_as_plain_tensors(self, line):
        """The graph stays behind: a parameter arrives as a tensor that wants no gradient."""
        actual = line.cross(torch.nn.Parameter(torch.ones(2)))

        assert (torch.Tensor, False) == (type(actual), actual.requires_grad)

    def test_meta_tensors_cross_without_bytes(self, line):
        """A tensor without numbers arrives as shape and dtype."""
        actual = line.cross(torch.empty(3, 10**6, dtype=torch.float16, device="meta"))

        assert ("meta", (3, 10**6), torch.float16) == (
            actual.device.type,
            tuple(actual.shape),
            actual.dtype,
        )

    def test_several_tensors_share_one_frame(self, line):
        """Each tensor finds its own bytes, whatever the sizes of those before it."""
        value = [torch.arange(n, dtype=torch.int8) + n for n in range(20)]
        actual = line.cross(value)

        assert [t.tolist() for t in value] == [t.tolist() for t in actual]

    def test_arrive_writable(self, line):
        """What arrived may be worked on, and shares no memory with its neighbours."""
        one, other = line.cross([torch.zeros(2), torch.zeros(2)])
        one += 1

        assert other.tolist() == [0.0, 0.0]


class TestInputs:
    @pytest.mark.parametrize(
        "value",
        [
            torch.arange(6.0).reshape(2, 3),
            torch.arange(6.0).reshape(2, 3).T,
            torch.arange(20.0).reshape(4, 5)[1:3, ::2],
            torch.ones(1, 3).expand(4, 3),
            torch.empty(0, 3),
        ],
        ids="contiguous transposed sliced expanded empty".split(),
    )
    def test_keep_their_strides(self, line, value):
        """A submission sees the layout that the check chose, also an unusual one."""
        actual = line.hand_in(Leaf(4, value, True))

        assert (actual.number, actual.requires_grad) == (4, True)
        assert value.stride() == actual.value.stride()
        assert value.tolist() == actual.value.tolist()

    def test_are_sent_once(self, line):
        """An input that was sent before is named by its number alone."""
        actual = line.hand_in([Leaf(4), Leaf(5, np.arange(3))])

        assert [leaf.number for leaf in actual] == [4, 5]
        assert actual[0].value is None
        assert actual[1].value.tolist() == [0, 1, 2]

    def test_may_be_modules_to_build(self, line):
        """A module of torch is sent as the recipe for it."""
        actual = line.hand_in(Built(1, "Linear", (2, 3), (("bias", torch.ones(3)),)))

        assert (actual.number, actual.type_name, actual.args) == (1, "Linear", (2, 3))
        assert dict(actual.weights)["bias"].tolist() == [1.0, 1.0, 1.0]

    @pytest.mark.parametrize("value", [Leaf(0, torch.ones(2)), Built(0, "Linear", (2, 3))])
    def test_are_not_taken_from_a_worker(self, line, value):
        """Only the grader sends inputs."""
        with pytest.raises(ProtocolViolation, match="unknown kind"):
            line.cross(value)

    def test_may_be_longer_than_answers(self, line):
        """A whole submission fits into one request, even where every letter needs an escape."""
        source = "é" * (MAX_HEADER_BYTES // 4)
        actual = line.hand_in(source)

        assert source == actual
