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
            "libc.kill(os.getpid(), 9)",
            "libc.kill(os.getpid(), 15)",
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
            "libc.kill(os.getpid(), 19)",
            "[signal.signal(n, signal.SIG_IGN) for n in (2, 15)]\n while True: pass",
            "threading.Thread(target=f).start()\n while True: pass",
            "libc.prctl(1, 0)\n while True: pass",
            "while True: os.write(1, b'x' * 4096)",
        ],
        ids="spin sleep torch stop ignore thread orphan write".split(),
    )
    def test_not_answering_is_a_timeout(self, load, body):
        """Whoever does not answer is killed, also one that ignores signals or is stopped."""
        session = load(MISCHIEF + f" {body}")
        session.allow_seconds(0.2)
        with pytest.raises(DeadlinePassed):
            ask(session, "f")

    def test_threads_are_bounded(self, load):
        """A bomb of threads runs out of room by itself."""
        session = load(
            MISCHIEF
            + " while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
        )
        reply = ask(session, "f")

        assert "can't start new thread" in reply["raised"]["message"]

    @pytest.mark.parametrize("code", ["sys.exit(0)", "raise SystemExit", "raise GeneratorExit"])
    def test_leaving_is_an_exception(self, load, code):
        """sys.exit is an exception like any other."""
        session = load(f"import sys\ndef f(): {code}")
        reply = ask(session, "f")

        assert "raised" in reply
