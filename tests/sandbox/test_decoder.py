"""A value from a worker may be of any form: it is read as agreed, or it is a violation."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest
import torch

from grader.errors import DeadlinePassed, ProtocolViolation, TooMuchReturned
from grader.sandbox.deadline import Deadline
from grader.sandbox.decoder import Decoder
from grader.sandbox.protocol import (
    MAX_DEPTH,
    MAX_HEADER_BYTES,
    MAX_KEY_PARTS,
    MAX_PAYLOAD_BYTES,
    MAX_PLAIN_KEYS,
    MAX_VALUES,
    Refused,
)


def tensor_form(**changes):
    return {"dtype": "float32", "shape": [2], "device": "cpu"} | changes


def array_form(**changes):
    return {"dtype": "float32", "shape": [2]} | changes


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
            ["dict", [[["tuple", [["tuple", []]]], 1]]],
            ["dict", [[["tuple", [["list", []]]], 1]]],
            ["dict", [[["tuple", [0] * (MAX_KEY_PARTS + 1)], 1]]],
            ["bytes", "616263"],
            ["bytes", -1],
            ["bytes", True],
            ["bytes", 1.0],
            ["bytes", None],
            ["bytes", 1],
            ["bytes", 2**70],
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
        ],
        ids=str,
    )
    def test_are_violations(self, line, kind, changes):
        """Dtype and sizes are checked before a byte is used."""
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
        actual = line.hear_value([kind, form], bytes([0, 1, 2, 255]) + bytes(12))

        assert actual.tolist() == [False, True, True, True]
        assert int(actual.sum()) == 3

    @pytest.mark.parametrize("named", [0, 2, 400])
    def test_have_bytes_of_their_own(self, line, named):
        """The payload holds one tensor: not so many, and not none, whatever a form says of it."""
        form = ["tensor", tensor_form(offset=0)]
        with pytest.raises(ProtocolViolation, match="bytes that"):
            line.hear_value(["list", [form] * named], bytes(16))

    def test_follow_one_another(self, line):
        """Each takes the bytes after those of the one before, wherever it stands in the tree."""
        one, other = tensor_form(dtype="uint8"), tensor_form(dtype="int8", shape=[1])
        tree = ["list", [["tensor", one], ["dict", [["a", ["array", other]]]]]]
        actual = line.hear_value(tree, bytes([1, 2]) + bytes(14) + bytes([3]) + bytes(15))

        assert actual[0].tolist() == [1, 2]
        assert actual[1]["a"].tolist() == [3]


class TestBudgets:
    def test_bound_the_number_of_values(self, line):
        """A frame of more values than allowed is refused, however small they are."""
        with pytest.raises(ProtocolViolation, match="so many values"):
            line.hear_value(["list", [0] * MAX_VALUES])

    def test_bound_dicts_of_numbers(self, line):
        """Numbers that all have the same hash would take hours to look up."""
        form = ["dict", [[k * (2**61 - 1), 0] for k in range(MAX_PLAIN_KEYS + 1)]]
        with pytest.raises(ProtocolViolation, match="a dict of so many numbers"):
            line.hear_value(form)

    def test_bound_dicts_of_tuples(self, line):
        """The same of tuples of such numbers."""
        keys = [["tuple", [k * (2**61 - 1)]] for k in range(MAX_PLAIN_KEYS + 1)]
        with pytest.raises(ProtocolViolation, match="a dict of so many numbers"):
            line.hear_value(["dict", [[key, 0] for key in keys]])

    def test_end_with_the_deadline(self):
        """Reading is part of the check's time: who sends much that is slow to read is late."""
        decoder = Decoder(memoryview(b""), deadline=Deadline(0.006))
        tree = ["list", [["list", [0] * 30]] * 2000]
        time.sleep(0.005)
        with pytest.raises(DeadlinePassed):
            decoder.decode(tree)

    def test_leave_no_room_for_another_frame(self, line):
        """What comes back in one check is bounded in all, and counted before it is read."""
        line.near.allow_bytes(1000)
        line.far.send({"value": "x" * 900})
        line.near.receive()
        line.far.send({"value": "x" * 900})
        with pytest.raises(TooMuchReturned):
            line.near.receive()

    def test_are_renewed(self, line):
        """The next check may receive as much as the one before; the count of all goes on."""
        for _ in range(3):
            line.near.allow_bytes(1000)
            line.far.send({"value": "x" * 900})
            line.near.receive()

        assert 2700 < line.near.received_bytes < 3000


class TestAnswersTooLarge:
    """A worker says that an answer is too large instead of sending it."""

    @pytest.mark.parametrize(
        "made",
        [
            lambda: torch.zeros(MAX_PAYLOAD_BYTES // 4 + 1),
            lambda: np.zeros(MAX_PAYLOAD_BYTES // 8 + 1),
            lambda: [torch.zeros(MAX_PAYLOAD_BYTES // 8)] * 3,
            lambda: [0] * MAX_VALUES,
            lambda: "x" * MAX_HEADER_BYTES,
            lambda: bytes(MAX_PAYLOAD_BYTES + 1),
        ],
        ids="tensor array tensors values text bytes".split(),
    )
    def test_are_told(self, line, made):
        """The grader hears a few bytes, whatever it is that was returned."""
        line.far.answer({"value": made()})
        actual = line.near.receive(Deadline(5))

        assert actual == {"too_large": True}
        assert line.near.received_bytes < 100

    def test_are_told_before_they_are_made(self, line):
        """A tensor without memory of its own is not written out first."""
        line.far.answer({"value": torch.zeros(1).expand(1 << 40)})

        assert line.near.receive(Deadline(5)) == {"too_large": True}

    def test_are_none_at_the_limit(self, line):
        """What just fits crosses."""
        value = torch.zeros(MAX_PAYLOAD_BYTES // 4)
        sending = threading.Thread(target=line.far.answer, args=({"value": value},))
        sending.start()
        actual = line.near.receive(Deadline(5))["value"]
        sending.join()

        assert actual.numel() == value.numel()
