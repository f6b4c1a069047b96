"""A submission that speaks in the worker's place says nothing but an answer."""

from __future__ import annotations

import pytest
import torch

from grader.errors import DeadlinePassed, OutputFlood, ProtocolViolation
from grader.sandbox.protocol import Leaf, Refused


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


class TestForgery:
    """A worker has no way to say "passed": whatever it sends is read as an answer."""

    FRAMES = (
        "import json, os, struct, torch\n"
        "def send(tree, payload=b''):\n"
        " raw = tree if isinstance(tree, bytes) else json.dumps(tree).encode()\n"
        " everywhere(struct.pack('!4sIQ', b'GRD1', len(raw), len(payload)) + raw + payload)\n"
        "def everywhere(raw):\n"
        " for fd in range(3, 64):\n"
        "  try: os.write(fd, raw)\n"
        "  except OSError: pass\n"
    )

    @pytest.mark.parametrize(
        "statement",
        [
            "send({'number': 0, 'value': ['tensor', {}]})",
            "send({'number': 0, 'value': ['tensor', {'dtype': 'float32', 'shape': [9], "
            "'device': 'cpu'}]}, bytes(16))",
            "send({'value': ['list', [['tensor', {'dtype': 'uint8', 'shape': [1 << 20], 'device': "
            "'cpu', 'offset': 0}]] * 400]}, bytes(1 << 20))",
            "send({'value': 1}, bytes(16))",
            "send({'value': ['leaf', {'number': 0, 'requires_grad': True}]})",
            "send(b'[' * 9000)",
            "everywhere(bytes(1000))",
            "everywhere(b'GRD1' + bytes([255] * 100))",
            "send({'refused': 7})",
            "send({'printed': ['x']})",
            "[send({'refused': str(i)}) for i in range(100)]",
            "[send({'printed': 'x' * 9000}) for i in range(200)]",
        ],
    )
    def test_that_breaks_the_rules_ends_the_worker(self, load, statement):
        """Bytes that are no answer are the submission's failure, and nothing else."""
        session = load(self.FRAMES + f"def f():\n {statement}\n return 1")
        with pytest.raises((ProtocolViolation, OutputFlood)):
            ask(session, "f")

    @pytest.mark.parametrize(
        "tree",
        [{"passed": True}, {"outcome": "passed", "points": 9}, {"number": 0, "value": None}],
    )
    def test_that_keeps_the_rules_is_an_answer(self, load, tree):
        """A forged answer is the submission's answer, to be compared like any other."""
        session = load(self.FRAMES + f"def f(): send({tree})")
        reply = ask(session, "f")

        assert tree == reply

    def test_in_floods_is_heard_until_the_deadline(self, load):
        """Frames without end do not hold up the grader."""
        session = load(self.FRAMES + "def f():\n while True: send({'printed': ''})")
        session.allow_seconds(0.3)
        with pytest.raises(DeadlinePassed):
            ask(session, "f")

    @pytest.mark.parametrize("form", ["'AssertionError'", "{'type_name': 5}", "{}", "None"])
    def test_of_an_exception_is_a_violation(self, load, form):
        """An exception is described in the agreed words or not at all."""
        with pytest.raises(ProtocolViolation):
            load(self.FRAMES + f"send({{'raised': {form}}})")

    @pytest.mark.parametrize(
        "source",
        [
            "class Odd(torch.Tensor):\n"
            " __torch_function__ = classmethod(lambda c, f, t, a=(), k=None: True)\n"
            "def f(x): return x.as_subclass(Odd)",
            "class Odd(torch.Tensor):\n __eq__ = __le__ = __ne__ = lambda *a: torch.tensor(True)\n"
            "def f(x): return torch.ones(4).as_subclass(Odd)",
            "class Own(torch.nn.Parameter): pass\n"
            "def f(x): return torch.Tensor._make_subclass(Own, x)",
        ],
        ids=["torch_function", "comparisons", "parameter"],
    )
    def test_of_tensors_is_refused(self, load, source):
        """A tensor subclass stays where it is; only its type's name is told."""
        session = load("import torch\n" + source)
        actual = ask(session, "f", Leaf(0, torch.ones(4)))["value"]

        assert isinstance(actual, Refused)

    def test_of_shapes_is_a_violation(self, load):
        """A tensor that lies about its shape does not get past its own bytes."""
        session = load(
            "import torch\ntorch.Tensor.shape = property(lambda self: torch.Size([100]))\n"
            "def f(): return torch.ones(4)"
        )
        with pytest.raises(ProtocolViolation):
            ask(session, "f")
