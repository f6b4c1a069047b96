"""A channel carries frames whole, within their time, and survives all bytes that are none."""

from __future__ import annotations

import json
import math
import random
import threading

import numpy as np
import pytest
import torch

from grader.errors import DeadlinePassed, ProtocolViolation, WorkerDied, WorkerFailure
from grader.sandbox.channel import MAGIC, PREFIX
from grader.sandbox.deadline import Deadline
from grader.sandbox.protocol import (
    MAX_HEADER_BYTES,
    MAX_PAYLOAD_BYTES,
    Generator,
    Object,
    Refused,
    Result,
)


def frame(tree, payload=b"", magic=MAGIC):
    """The bytes of a frame whose header says ``tree``, which may be text already."""
    header = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return PREFIX.pack(magic, len(header), len(payload)) + header + payload


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
        form = {"dtype": "float32", "shape": [2], "device": "cpu"}
        whole = frame({"value": ["tensor", form]}, bytes(16))
        with pytest.raises(WorkerDied):
            line.hear(whole[:keep])


class Moving:
    """A deadline that is always near."""

    def left(self):
        return 0.05


class TestDeadlines:
    def test_pass_while_waiting_for_an_answer(self, line):
        """Who says nothing has let the deadline pass."""
        with pytest.raises(DeadlinePassed):
            line.near.receive(Deadline(0.02))

    def test_pass_in_the_middle_of_a_frame(self, line):
        """Half a frame is no answer."""
        line.far.socket.sendall(frame({"value": 1})[:-1])
        with pytest.raises(DeadlinePassed):
            line.near.receive(Deadline(0.02))

    def test_that_have_passed_leave_nothing_to_wait_for(self, line):
        """An answer that lies ready is too late all the same."""
        line.far.send({"value": 1})
        with pytest.raises(DeadlinePassed):
            line.near.receive(Deadline(-1.0))

    def test_pass_while_nobody_reads(self, line):
        """A request that is not taken does not hold up the grader."""
        with pytest.raises(DeadlinePassed):
            line.near.send({"value": torch.zeros(1 << 22)}, Deadline(0.05))

    def test_that_move_meanwhile_are_waited_for(self, line):
        """What had to be waited for a core is given back, however late that is known."""
        speaker = threading.Timer(0.2, line.far.send, [{"value": 1}])
        reader = threading.Timer(0.2, line.far.receive)
        speaker.start()
        heard = line.near.receive(Moving())
        reader.start()
        line.near.send({"value": torch.zeros(1 << 20)}, Moving())
        reader.join()

        assert heard == {"value": 1}

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
        "leaf", "built", "\ud800", [], [0], [0, 2**31 - 1, 2**31 - 1, 2**31 - 1], {}, {"a": 0},
    ]  # fmt: skip

    @pytest.fixture
    def heard(self, new_line):
        """``heard(raw)`` is the agreed failure that these bytes are, if any."""

        def heard(raw):
            line = new_line()
            try:
                line.hear(raw)
            except (ProtocolViolation, WorkerDied, DeadlinePassed) as failure:
                return failure
            finally:
                line.close()

        return heard

    def valid_frame(self, line):
        line.far.send(self.VALUE)
        return line.near.socket.recv(1 << 16)

    def test_in_the_bytes_is_survived(self, line, heard):
        """Bytes changed, cut, doubled or inserted anywhere."""
        whole, dice = self.valid_frame(line), random.Random(1)
        for _ in range(3000):
            raw = bytearray(whole)
            for _ in range(dice.randint(1, 4)):
                at = dice.randrange(len(raw))
                piece = dice.randbytes(dice.randint(0, 3))
                raw[at : at + dice.randint(0, 3)] = piece
            heard(bytes(raw))

    def test_in_the_header_is_survived(self, line, heard):
        """A well-formed header whose parts are exchanged for something else."""
        whole, dice = self.valid_frame(line), random.Random(2)
        _, header_bytes, _ = PREFIX.unpack(whole[: PREFIX.size])
        header = whole[PREFIX.size : PREFIX.size + header_bytes]
        payload = whole[PREFIX.size + header_bytes :]
        failures = 0
        for _ in range(3000):
            tree = json.loads(header)
            self.exchange(tree, dice)
            failures += isinstance(heard(frame(tree, payload)), WorkerFailure)

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
