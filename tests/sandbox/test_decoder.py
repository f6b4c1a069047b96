"""A value from a worker may be of any form: it is read as agreed, or it is a violation."""

from __future__ import annotations

import json

import pytest

from grader.errors import ProtocolViolation
from grader.sandbox.protocol import MAX_DEPTH, Refused


def tensor_form(**changes):
    return {"dtype": "float32", "shape": [2], "device": "cpu", "offset": 0} | changes


def array_form(**changes):
    return {"dtype": "float32", "shape": [2], "offset": 0} | changes


class TestHostileValues:
    @pytest.mark.parametrize(
        "value",
        [
            [],
            ["tensor"],
            ["tensor", {}, 1],
            [1, 2],
            [None, None],
            {"tensor": 1},
            {},
            ["pickle", "gASVBQ=="],
            ["__reduce__", []],
            ["list", 3],
            ["tuple", {"0": 1}],
            ["list", [["tensor"]]],
            ["dict", {"a": 1}],
            ["dict", [1]],
            ["dict", [[1, 2, 3]]],
            ["dict", [[["list", []], 1]]],
            ["dict", [[["dict", []], 1]]],
            ["dict", [[["tensor", {}], 1]]],
            ["dtype", "complex64"],
            ["dtype", ["float32"]],
            ["device", "mars"],
            ["device", "cpu" * 50],
            ["device", 0],
            ["device", None],
            ["object", [1]],
            ["object", ["1", "Linear"]],
            ["object", [True, "Linear"]],
            ["object", [1, 2]],
            ["generator", [1, "seed"]],
            ["generator", 1],
            ["result", [1, "path"]],
            ["result", {}],
            ["refused", 5],
            ["refused", None],
            ["leaf", {"number": 0, "requires_grad": False}],
            ["built", ["tuple", [0, "Linear", 1, 2]]],
        ],
        ids=json.dumps,
    )
    def test_may_hold_no_value(self, line, value):
        """A value of no known form is refused."""
        with pytest.raises(ProtocolViolation):
            line.hear_value(value)

    def test_may_nest_values_too_deeply(self, line):
        """Nesting that JSON allows is still bounded."""
        value = 1
        for _ in range(MAX_DEPTH + 2):
            value = ["list", [value]]
        with pytest.raises(ProtocolViolation, match="too deeply"):
            line.hear_value(value)

    def test_may_hold_any_text(self, line):
        """Names are made safe to show: no control characters, no endless length."""
        actual = line.hear_value(["refused", "\x1b[2J" + "x" * 500])

        assert Refused("�[2J" + "x" * 95 + "…") == actual


class TestHostileTensors:
    @pytest.mark.parametrize("kind", ["tensor", "array"])
    @pytest.mark.parametrize(
        "changes",
        [
            {"dtype": "object"},
            {"dtype": "complex64"},
            {"dtype": None},
            {"dtype": ["float32"]},
            {"shape": None},
            {"shape": 2},
            {"shape": "2"},
            {"shape": [-1]},
            {"shape": [-2, -1]},
            {"shape": [2**31]},
            {"shape": [10**30]},
            {"shape": [True]},
            {"shape": [2.0]},
            {"shape": ["2"]},
            {"shape": [None]},
            {"shape": [[2]]},
            {"shape": [1] * 9},
            {"shape": [2**31 - 1] * 8},
            {"shape": [2**30, 2**30]},
            {"shape": [0, 2**31 - 1, 2**31 - 1, 2**31 - 1]},
            {"shape": [2**31 - 1, 2**31 - 1, 2**31 - 1, 0]},
            {"shape": [5]},
            {"offset": 9},
            {"offset": 16},
            {"offset": 10**30},
            {"offset": -8},
            {"offset": None},
            {"offset": True},
            {"offset": 0.0},
        ],
        ids=str,
    )
    def test_are_violations(self, line, kind, changes):
        """Dtype, sizes and offset are checked before a byte is used."""
        form = tensor_form(**changes) if kind == "tensor" else array_form(**changes)
        with pytest.raises(ProtocolViolation):
            line.hear_value([kind, form], bytes(16))

    @pytest.mark.parametrize("form", [None, [], "float32", 3])
    @pytest.mark.parametrize("kind", ["tensor", "array"])
    def test_need_a_description(self, line, kind, form):
        """A tensor is described by an object with known keys."""
        with pytest.raises(ProtocolViolation):
            line.hear_value([kind, form], bytes(16))

    @pytest.mark.parametrize("device", [None, 0, "", "mars", "vulkan", ["cpu"]])
    def test_live_on_known_devices(self, line, device):
        """A tensor of an unknown device is refused."""
        with pytest.raises(ProtocolViolation):
            line.hear_value(["tensor", tensor_form(device=device)], bytes(16))

    def test_without_numbers_are_bounded_too(self, line):
        """A meta tensor needs no bytes, but its sizes must still be possible ones."""
        form = tensor_form(device="meta", shape=[0, 2**31 - 1, 2**31 - 1, 2**31 - 1])
        with pytest.raises(ProtocolViolation):
            line.hear_value(["tensor", form])

    @pytest.mark.parametrize("kind", ["tensor", "array"])
    def test_of_bools_hold_true_and_false_only(self, line, kind):
        """Any byte but zero is True, so a bool is never a third thing."""
        form = tensor_form(dtype="bool", shape=[4])
        actual = line.hear_value([kind, form], bytes([0, 1, 2, 255]))

        assert actual.tolist() == [False, True, True, True]
        assert int(actual.sum()) == 3

    def test_may_share_their_bytes(self, line):
        """Two tensors that name the same bytes become two tensors, not one."""
        form = ["tensor", tensor_form()]
        one, other = line.hear_value(["list", [form, form]], bytes(16))
        one += 1

        assert other.tolist() == [0.0, 0.0]
