"""What a worker asks too much of is refused, and the worker lives on."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest


def call(session, name, *args, **kwargs):
    """The worker's whole reply to a call."""
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": kwargs})


def value(session, name, *args, **kwargs):
    """What a call returned."""
    return call(session, name, *args, **kwargs)["value"]


class TestLimits:
    def test_endless_recursion_is_an_exception(self, load):
        """Recursion without end raises, and the worker lives on."""
        session = load("def f(): return f()\ndef g(): return 1")
        raised, actual = call(session, "f")["raised"], value(session, "g")

        assert raised["type_name"] == "RecursionError"
        assert actual == 1

    @pytest.mark.parametrize(
        "expression",
        [
            "torch.ones(25 * 10**9)",
            "bytearray(100 * 10**9)",
            "[torch.empty(1 << 26) for _ in range(9)]",
        ],
        ids=["tensor", "bytes", "many_tensors"],
    )
    def test_memory_is_bounded(self, load, expression):
        """Asking for too much memory raises, and the worker lives on."""
        session = load(f"import torch\ndef f(): return {expression}\ndef g(): return 1")
        raised, actual = call(session, "f")["raised"], value(session, "g")

        assert raised["memory"] is True
        assert actual == 1

    def test_processor_time_is_bounded(self):
        """Who has used it up ends by SIGXCPU, which tells it from one that somebody killed."""
        code = "from grader.sandbox import limits; limits.apply(None, 1, 64, 0)\nwhile True: pass"
        done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)

        assert -done.returncode == signal.SIGXCPU
