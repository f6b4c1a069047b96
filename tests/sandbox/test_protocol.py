"""The protocol carries every value it has a form for, and survives all bytes it does not expect."""

from __future__ import annotations

import enum
import json
import math
import random
import socket
import threading
import time

import numpy as np
import pytest
import torch

from grader.errors import DeadlinePassed, ProtocolViolation, WorkerDied, WorkerFailure
from grader.sandbox.channel import MAGIC, MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES, PREFIX, Channel
from grader.sandbox.protocol import (
    MAX_DEPTH,
    NUMPY_DTYPES,
    TORCH_DTYPES,
    Built,
    Generator,
    Leaf,
    Object,
    Refused,
    Result,
    printable,
)


class Line:
    """Two ends of one socket pair: ``near`` is the grader's, ``far`` the worker's."""

    def __init__(self):
        near, far = socket.socketpair()
        self.near, self.far = Channel(near), Channel(far)

    def cross(self, value):
        """What arrives at the grader when a worker sends ``value``."""
        self.far.send({"value": value})
        return self.near.receive(soon())["value"]

    def hand_in(self, value):
        """What arrives at the worker when the grader sends ``value``."""
        sending = threading.Thread(target=self.near.send, args=({"value": value}, soon()))
        sending.start()
        try:
            return self.far.receive(soon(), inputs=True)["value"]
        finally:
            self.far.close()
            sending.join()

    def hear(self, raw: bytes):
        """What the grader makes of bytes after which the worker has gone."""
        self.far.socket.sendall(raw)
        self.far.close()
        return self.near.receive(soon())

    def close(self):
        self.near.close()
        self.far.close()


@pytest.fixture
def line():
    line = Line()
    yield line
    line.close()


def soon():
    return time.monotonic() + 5.0


def frame(tree, payload=b"", magic=MAGIC):
    """The bytes of a frame whose header says ``tree``, which may be text already."""
    header = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return PREFIX.pack(magic, len(header), len(payload)) + header + payload


def tensor_form(**changes):
    return {"dtype": "float32", "shape": [2], "device": "cpu", "offset": 0} | changes


def array_form(**changes):
    return {"dtype": "float32", "shape": [2], "offset": 0} | changes


class TestPlainValues:
    @pytest.mark.parametrize(
        "value",
        [None, True, False, 0, -7, 2**70, 0.1, -0.0, math.inf, -math.inf, "", "naïve\n🙂\0"],
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
        [[], (), {}, [1, [2, (3,)]], (None, "a"), {"a": [1], "b": {"c": ()}}, {1: 2, None: 0.5}],
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
            (b"raw", "bytes"),
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


class TestHostileFrames:
    @pytest.mark.parametrize(
        ("raw", "complaint"),
        [
            (frame({}, magic=b"GRD2"), "opening bytes"),
            (b"\x80\x04\x95" + bytes(13), "opening bytes"),
            (PREFIX.pack(MAGIC, MAX_HEADER_BYTES + 1, 0), "a header that long"),
            (PREFIX.pack(MAGIC, 2**32 - 1, 0), "a header that long"),
            (PREFIX.pack(MAGIC, 2, MAX_PAYLOAD_BYTES + 1), "a payload that long"),
            (PREFIX.pack(MAGIC, 2, 2**64 - 1), "a payload that long"),
            (frame(b"not json"), "not JSON"),
            (frame(b""), "not JSON"),
            (frame(b"\xff\xfe\xfa"), "not JSON"),
            (frame(b'{"value": '), "not JSON"),
            (frame(b"[" * 100_000), "not JSON"),
            (frame(b'{"a":' * 20_000), "not JSON"),
            (frame(b'{"value": ' + b"9" * 5000 + b"}"), "not JSON"),
            (frame([]), "no object"),
            (frame(None), "no object"),
            (frame(7), "no object"),
            (frame("text"), "no object"),
        ],
    )
    def test_are_violations(self, line, raw, complaint):
        """A frame that is none is refused in words, whatever is wrong with it."""
        with pytest.raises(ProtocolViolation, match=complaint):
            line.hear(raw)

    @pytest.mark.parametrize("keep", [0, 1, PREFIX.size - 1, PREFIX.size, PREFIX.size + 5, -1])
    def test_may_end_too_early(self, line, keep):
        """A worker that goes away in the middle of a frame has died."""
        whole = frame({"value": ["tensor", tensor_form()]}, bytes(16))
        with pytest.raises(WorkerDied):
            line.hear(whole[:keep])

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
            line.hear(frame({"value": value}))

    def test_may_nest_values_too_deeply(self, line):
        """Nesting that JSON allows is still bounded."""
        value = 1
        for _ in range(MAX_DEPTH + 2):
            value = ["list", [value]]
        with pytest.raises(ProtocolViolation, match="too deeply"):
            line.hear(frame({"value": value}))

    def test_may_hold_any_text(self, line):
        """Names are made safe to show: no control characters, no endless length."""
        actual = line.hear(frame({"value": ["refused", "\x1b[2J" + "x" * 500]}))["value"]

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
            line.hear(frame({"value": [kind, form]}, bytes(16)))

    @pytest.mark.parametrize("form", [None, [], "float32", 3])
    @pytest.mark.parametrize("kind", ["tensor", "array"])
    def test_need_a_description(self, line, kind, form):
        """A tensor is described by an object with known keys."""
        with pytest.raises(ProtocolViolation):
            line.hear(frame({"value": [kind, form]}, bytes(16)))

    @pytest.mark.parametrize("device", [None, 0, "", "mars", "vulkan", ["cpu"]])
    def test_live_on_known_devices(self, line, device):
        """A tensor of an unknown device is refused."""
        with pytest.raises(ProtocolViolation):
            line.hear(frame({"value": ["tensor", tensor_form(device=device)]}, bytes(16)))

    def test_without_numbers_are_bounded_too(self, line):
        """A meta tensor needs no bytes, but its sizes must still be possible ones."""
        form = tensor_form(device="meta", shape=[0, 2**31 - 1, 2**31 - 1, 2**31 - 1])
        with pytest.raises(ProtocolViolation):
            line.hear(frame({"value": ["tensor", form]}))

    @pytest.mark.parametrize("kind", ["tensor", "array"])
    def test_of_bools_hold_true_and_false_only(self, line, kind):
        """Any byte but zero is True, so a bool is never a third thing."""
        form = tensor_form(dtype="bool", shape=[4])
        actual = line.hear(frame({"value": [kind, form]}, bytes([0, 1, 2, 255])))["value"]

        assert actual.tolist() == [False, True, True, True]
        assert int(actual.sum()) == 3

    def test_may_share_their_bytes(self, line):
        """Two tensors that name the same bytes become two tensors, not one."""
        form = ["tensor", tensor_form()]
        one, other = line.hear(frame({"value": ["list", [form, form]]}, bytes(16)))["value"]
        one += 1

        assert other.tolist() == [0.0, 0.0]


class TestDeadlines:
    def test_pass_while_waiting_for_an_answer(self, line):
        """Who says nothing has let the deadline pass."""
        with pytest.raises(DeadlinePassed):
            line.near.receive(time.monotonic() + 0.02)

    def test_pass_in_the_middle_of_a_frame(self, line):
        """Half a frame is no answer."""
        line.far.socket.sendall(frame({"value": 1})[:-1])
        with pytest.raises(DeadlinePassed):
            line.near.receive(time.monotonic() + 0.02)

    def test_that_have_passed_leave_nothing_to_wait_for(self, line):
        """An answer that lies ready is too late all the same."""
        line.far.send({"value": 1})
        with pytest.raises(DeadlinePassed):
            line.near.receive(time.monotonic() - 1.0)

    def test_pass_while_nobody_reads(self, line):
        """A request that is not taken does not hold up the grader."""
        with pytest.raises(DeadlinePassed):
            line.near.send({"value": torch.zeros(1 << 22)}, time.monotonic() + 0.05)

    def test_are_not_needed_where_nobody_listens(self, line):
        """A request to a worker that has gone fails at once."""
        line.far.close()
        with pytest.raises(WorkerDied):
            line.near.send({"value": torch.zeros(1 << 22)})


class TestNoise:
    """Thousands of damaged frames: only the three agreed failures are ever raised."""

    VALUE = {
        "value": [
            torch.arange(6.0).reshape(2, 3),
            np.eye(2),
            torch.empty(0, 2),
            torch.ones(3, dtype=torch.bool),
            torch.empty(2, device="meta"),
            {"a": (1, 2.5, None), 2: "text"},
            torch.float16,
            torch.device("cpu"),
            Object(1, "Linear"),
            Refused("set"),
            Result(3, (0, "a")),
            Generator(0, 5),
        ],
        "number": 0,
    }
    ATOMS = [
        None, True, -1, 0, 1, 7, 2**31 - 1, 2**31, 2**63, 10**40, 0.5, math.nan, math.inf, "",
        "cpu", "meta", "cuda:0", "cpu:-1", "float32", "bool", "tensor", "array", "dict", "list",
        "leaf", "built", "\ud800", [], [0], [0, 2**31 - 1, 2**31 - 1, 2**31 - 1], {}, {"offset": 0},
    ]  # fmt: skip

    def heard(self, raw):
        line = Line()
        try:
            line.hear(raw)
        except (ProtocolViolation, WorkerDied, DeadlinePassed) as failure:
            return failure
        finally:
            line.close()

    def valid_frame(self, line):
        line.far.send(self.VALUE)
        return line.near.socket.recv(1 << 16)

    def test_in_the_bytes_is_survived(self, line):
        """Bytes changed, cut, doubled or inserted anywhere."""
        whole, dice = self.valid_frame(line), random.Random(1)
        for _ in range(3000):
            raw = bytearray(whole)
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(len(raw))
                piece = dice.randbytes(dice.randint(0, 3))
                raw[at : at + dice.randint(0, 3)] = piece
            self.heard(bytes(raw))

    def test_in_the_header_is_survived(self, line):
        """A well-formed header whose parts are exchanged for something else."""
        whole, dice = self.valid_frame(line), random.Random(2)
        _, header_bytes, _ = PREFIX.unpack(whole[: PREFIX.size])
        header = whole[PREFIX.size : PREFIX.size + header_bytes]
        payload = whole[PREFIX.size + header_bytes :]
        failures = 0
        for _ in range(3000):
            tree = json.loads(header)
            self.exchange(tree, dice)
            failures += isinstance(self.heard(frame(tree, payload)), WorkerFailure)

        assert failures > 1000

    def exchange(self, tree, dice):
        """Put an atom in the place of one part of ``tree``."""
        while True:
            keys = list(tree) if isinstance(tree, dict) else range(len(tree))
            key = dice.choice(list(keys))
            if not isinstance(tree[key], (dict, list)) or not tree[key] or dice.random() < 0.1:
                tree[key] = dice.choice(self.ATOMS)
                return
            tree = tree[key]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ntext", "plain\ntext"),
        ("\x1b[31mred\x07", "�[31mred�"),
        ("\ud800", "�"),
        ("\u202eright to left", "�right to left"),
        ("x" * 30, "x" * 19 + "…"),
    ],
)
def test_untrusted_text_is_safe_to_show(text, expected):
    """No control characters reach a terminal or a report, and no endless lines."""
    actual = printable(text, 20)

    assert expected == actual
