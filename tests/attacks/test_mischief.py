"""A submission that ends, blocks or floods its own process harms nobody else."""

from __future__ import annotations

import pytest

from grader.errors import DeadlinePassed, WorkerDied


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


MISCHIEF = """
import ctypes, os, signal, sys, threading, time, torch
libc = ctypes.CDLL(None, use_errno=True)
def fd_is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
def f():
"""


class TestMischief:
    """What a submission does to its own process stays there."""

    @pytest.mark.parametrize(
        "body",
        [
            "os._exit(0)",
            "os.abort()",
            "ctypes.string_at(0)",
            "[os.close(fd) for fd in range(64) if fd_is_open(fd)]",
            "libc.abort()",
            "signal.raise_signal(signal.SIGABRT)",
        ],
    )
    def test_ending_oneself_is_a_death(self, load, body):
        """Exit status 0 is no verdict."""
        session = load(MISCHIEF + f" {body}")
        with pytest.raises(WorkerDied):
            ask(session, "f")

    @pytest.mark.parametrize(
        "body",
        [
            "while True: pass",
            "time.sleep(1000)",
            "while True: torch.ones(10**6).sort()",
            "[signal.signal(n, signal.SIG_IGN) for n in (2, 15)]\n while True: pass",
            "libc.prctl(1, 0)\n while True: pass",
            "while True: os.write(1, b'x' * 4096)",
        ],
        ids="spin sleep torch ignore orphan write".split(),
    )
    def test_not_answering_is_a_timeout(self, load, body):
        """Whoever does not answer is killed, also one that ignores signals or is stopped."""
        session = load(MISCHIEF + f" {body}")
        session.allow_seconds(0.2)
        with pytest.raises(DeadlinePassed):
            ask(session, "f")

    def test_threads_cannot_be_had(self, load):
        """A worker has one thread: no bomb of them, and none beside the one that is clocked."""
        session = load(MISCHIEF + " threading.Thread(target=time.sleep, args=(60,)).start()")
        reply = ask(session, "f")

        assert "can't start new thread" in reply["raised"]["message"]

    def test_asking_torch_for_threads_costs_nothing(self, load):
        """Honest pages set the number of torch's threads: one is what there is."""
        session = load(
            MISCHIEF + " torch.set_num_threads(4)\n return float(torch.ones(400, 400).mm("
            "torch.ones(400, 400)).exp().sum()) > 0, torch.get_num_threads()"
        )

        assert ask(session, "f")["value"] == (True, 1)

    @pytest.mark.parametrize("code", ["sys.exit(0)", "raise SystemExit", "raise GeneratorExit"])
    def test_leaving_is_an_exception(self, load, code):
        """sys.exit is an exception like any other."""
        session = load(f"import sys\ndef f(): {code}")
        reply = ask(session, "f")

        assert "raised" in reply
