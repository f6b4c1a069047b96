"""However much a submission returns, it costs the grader little: bytes, memory and time."""

from __future__ import annotations

import gc
import time

import pytest
import torch

from grader.course.catalog import load_catalog
from grader.errors import DeadlinePassed, ProtocolViolation, TooMuchReturned, WorkerLost
from grader.model import Outcome, Submission
from grader.pipeline import grade_all
from grader.report.feedback import words_of

FRAMES = """
import json, struct, sys, torch
def send(tree, payload=b'', spaces=0):
    raw = json.dumps(tree).encode() + b' ' * spaces
    head = struct.pack('!4sIQ', b'GRD1', len(raw), len(payload))
    sys.stdout.channel.socket.sendall(head + raw + payload)
"""
TENSOR = "['tensor', {'dtype': 'uint8', 'shape': [SIZE], 'device': 'cpu', 'offset': 0}]"


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


def held_bytes():
    """In tensors of this process that are larger than any of a check's own."""
    tensors = [t for t in gc.get_objects() if type(t) is torch.Tensor]
    sizes = [t.nbytes for t in tensors if t.layout is torch.strided]
    return sum(size for size in sizes if size > 1 << 20)


class TestFrames:
    @pytest.mark.parametrize("times", [2, 400])
    def test_that_name_a_payload_again_are_violations(self, load, times):
        """Bytes are handed out once: a frame becomes no more than it is."""
        tensor = TENSOR.replace("SIZE", "8 << 20")
        forged = f"{{'number': 0, 'value': ['list', [{tensor}] * {times}]}}"
        session = load(f"{FRAMES}def f(): send({forged}, bytes(8 << 20))")
        with pytest.raises(ProtocolViolation, match="bytes that were not sent"):
            ask(session, "f")

    def test_without_end_are_too_much(self, load):
        """Frames that say nothing are counted as well."""
        session = load(
            f"{FRAMES}def f():\n while True: send({{'printed': ''}}, spaces=1 << 19)", seconds=20
        )
        with pytest.raises(TooMuchReturned):
            ask(session, "f")

    def test_that_are_slow_to_read_are_late(self, load):
        """Reading is under the check's deadline, frame by frame and value by value."""
        session = load(
            f"{FRAMES}tree = {{'printed': '', 'more': ['list', [0] * 65000]}}\n"
            "raw = json.dumps(tree).encode()\n"
            "raw = struct.pack('!4sIQ', b'GRD1', len(raw), 0) + raw\n"
            "def f():\n while True: sys.stdout.channel.socket.sendall(raw)"
        )
        session.allow_seconds(0.5)
        started = time.monotonic()
        with pytest.raises((DeadlinePassed, WorkerLost)):  # lost: on a machine that is busy
            ask(session, "f")

        # It would go on for ever; on a machine that is busy half a second takes longer.
        assert time.monotonic() - started < 20


class TestAnswers:
    @pytest.fixture
    def graded(self, toy, sandbox):
        def graded(source):
            submission = Submission("large", "large", {"toy": "import torch\n" + source})
            exercises = list(load_catalog(toy).values())
            (report,) = grade_all(toy, exercises, [submission], sandbox, seed=5)
            return report.verdicts

        return graded

    def test_too_large_are_told(self, graded):
        """Which call it was and how much is allowed; the numbers never leave the worker."""
        verdict, *_ = graded("def double(x): return torch.zeros(50 << 20)")

        assert verdict.outcome is Outcome.FAILED
        assert words_of(verdict).rationale.startswith(
            "double(tensor (2, 3)) returned more than there may be in an answer: 32 MiB of numbers"
        )

    def test_that_are_large_are_not_kept(self, graded):
        """When a check has ended nothing of its answer is held, not even until garbage is looked
        for.
        """
        gc.collect()
        gc.disable()
        try:
            before = held_bytes()
            verdicts = graded("def double(x): return torch.zeros(4 << 20)")
            assert held_bytes() == before
        finally:
            gc.enable()

        assert {verdict.cause.kind for verdict in verdicts} == {"shape", "said"}

    def test_of_wrong_numbers_are_not_kept_either(self, graded, toy):
        """A right shape and wrong numbers are kept as a sketch."""
        toy.suite("toy").write_text(
            "import torch\ndef test_large(compare):\n 'Large.'\n"
            " compare.double(torch.arange(2.0**19))\n"
        )
        (verdict,) = graded("def double(x): return x * 3")

        assert verdict.cause.kind == "numbers"


class TestExceptions:
    FORGED = (
        "encoded = sys.modules['grader.sandbox.encoder'].Encoder().encode\n"
        "def f():\n send({'raised': encoded({'type_name': 'NotImplementedError', 'message': 'no',"
        " 'lines': [['masks.py', 1]], 'memory': False})})"
    )

    def test_of_modules_not_used_have_no_place(self, load):
        """A forged exception does not put the blame on a module that had no part in it."""
        session = load(f"{FRAMES}{self.FORGED}")
        raised = ask(session, "f")["raised"]

        assert raised["type_name"] == "NotImplementedError"
        assert raised["lines"] == []

    def test_do_not_block_their_check(self, course, sandbox):
        """What was forged is an error of the exercise's own."""
        catalog = load_catalog(course)
        source = FRAMES + self.FORGED.replace("def f()", "def attention_weights(*a, **k)")
        files = {"attention": source + "\nscaled_dot_product_attention = attention_weights\n"}
        submission = Submission("forger", "forger", files)
        (report,) = grade_all(course, [catalog["attention"]], [submission], sandbox, seed=1)
        outcomes = {verdict.outcome for verdict in report.verdicts}

        assert Outcome.BLOCKED not in outcomes
        assert report.score == 0

    def test_are_one_line(self, load):
        """No line of a table can be forged."""
        session = load(f"{FRAMES}def f():\n send({{'refused': 'x\\nrefused  zoe: open(1)'}})")
        ask(session, "f")

        assert session.refused == ["x⏎refused  zoe: open(1)"]


class TestSources:
    def test_that_cannot_be_imported_are_not_sent(self, sandbox):
        """A worker knows of the submission what its module may import, and nothing else."""
        session = sandbox.open()
        session.load(
            {
                "m": "def f(name): return __import__(name).x\nother = 1",
                "other": "x = 5",
                "b": "x=6",
            },
            "m",
        )
        found, missing = ask(session, "f", "other"), ask(session, "f", "b")
        session.close()

        assert found["value"] == 5
        assert missing["raised"]["message"] == "No module named 'b'"

    def test_of_many_bytes_cost_as_many(self, sandbox):
        """Text that JSON would write in six letters each crosses as it is."""
        session = sandbox.open()
        text = "x = '''" + "\x01" * (1 << 20) + "'''\ndef f(): return len(x)"
        session.load({"m": text}, "m")
        actual = ask(session, "f")["value"]
        session.close()

        assert actual == 1 << 20
