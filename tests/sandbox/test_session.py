"""A session keeps the clock, ends its worker, and says how it ended."""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace

import pytest

from grader.errors import DeadlinePassed, OutputFlood, WorkerDied, WorkerLost
from grader.sandbox.process_stats import ProcessStats
from grader.sandbox.session import Keeper


def call(session, name, *args, **kwargs):
    """The worker's whole reply to a call."""
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": kwargs})


def gone(pid):
    """Whether a process has ended; one that nobody has asked about yet counts as ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True


class TestPrinting:
    def test_is_kept(self, load):
        """Printed text is kept apart from answers, made safe to show."""
        session = load("import sys\ndef f():\n print('hé\\x1b[2J')\n print('err', file=sys.stderr)")
        call(session, "f")

        assert session.printed == "hé�[2J\nerr\n"

    def test_is_bounded(self, load):
        """Printing without end ends the worker; its first words are kept."""
        session = load("def f():\n while True: print('again and again')")
        with pytest.raises(OutputFlood):
            call(session, "f")

        assert session.printed.startswith("again and again\n")
        assert len(session.printed) <= 4000


class TestEnding:
    def test_the_deadline_ends_a_call(self, load):
        """A call that does not return ends the worker when its time is up."""
        session = load("def f():\n while True: pass")
        session.allow_seconds(0.1)
        with pytest.raises(DeadlinePassed):
            call(session, "f")

        assert session.how_it_ended() == ("signal", "SIGKILL")

    def test_the_deadline_ends_an_import(self, load):
        """A module that never finishes importing is not waited for."""
        with pytest.raises(DeadlinePassed):
            load("while True: pass", seconds=0.1)

    def test_a_failed_worker_is_not_asked_again(self, load):
        """After one failure every request fails in the same way."""
        session = load("import os\ndef f(): os._exit(0)\ndef g(): return 1")
        for name in ("f", "g"):
            with pytest.raises(WorkerDied):
                call(session, name)

    @pytest.mark.parametrize(
        ("body", "how"),
        [
            ("os._exit(0)", ("exit", "0")),
            ("os._exit(3)", ("exit", "3")),
            ("os.abort()", ("signal", "SIGABRT")),
            ("ctypes.string_at(0)", ("signal", "SIGSEGV")),
        ],
    )
    def test_a_crash_is_told_apart(self, load, body, how):
        """How a worker ended is known and said."""
        session = load(
            f"import ctypes, os, time\nlibc = ctypes.CDLL(None)\ndef f():\n {body}\n time.sleep(9)"
        )
        with pytest.raises(WorkerDied):
            call(session, "f")

        assert how == session.how_it_ended()

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, 40, 64])
    def test_from_outside_blames_nobody(self, sandbox, monkeypatch, number):
        """Whoever kills or stops a worker is not the submission."""
        pids, ask = [], os.pidfd_open
        monkeypatch.setattr(os, "pidfd_open", lambda pid: pids.append(pid) or ask(pid))
        session = sandbox.open()
        session.allow_seconds(0.3)
        session.load({"m": "def f():\n while True: pass"}, "m")
        os.kill(pids[0], number)
        with pytest.raises(WorkerLost):
            call(session, "f")

    def test_closing_ends_the_process(self, sandbox, monkeypatch):
        """When a session is closed its process is gone, also in the middle of nowhere."""
        pids, ask = [], os.pidfd_open
        monkeypatch.setattr(os, "pidfd_open", lambda pid: pids.append(pid) or ask(pid))
        session = sandbox.open()
        session.load({"m": "def f(): return 1"}, "m")
        alive = not gone(pids[0])
        session.close()
        for _ in range(500):
            if gone(pids[0]):
                break
            time.sleep(0.01)

        assert alive
        assert gone(pids[0])

    def test_closing_twice_does_no_harm(self, load):
        """A session may be closed by whoever holds it."""
        session = load("x = 1")
        session.close()
        session.close()


class Idle:
    """A worker of which it is only known whether it lives."""

    channel = SimpleNamespace(received_bytes=0)

    def __init__(self):
        self.alive = True
        self.stats = ProcessStats(0, lambda number: None)

    def kill(self):
        self.alive = False


class TestKeeping:
    @pytest.fixture
    def hired(self):
        """The workers that were ever made, in their order."""
        return []

    @pytest.fixture
    def keeper(self, hired):
        def fresh(forbids):
            hired.append(Idle())
            return hired[-1]

        return Keeper(fresh)

    def test_is_for_the_same_owner(self, keeper, hired):
        """Whoever comes next ends the worker of the one before."""
        keeper.open("ann").close()
        keeper.open("ann").close()
        keeper.open("ben")

        assert [worker.alive for worker in hired] == [False, True]

    def test_lets_a_worker_go_on(self, keeper, hired):
        """Who measures holds it still outside its windows, at the end of the check too."""
        keeper.open("ann").close()
        hired[0].stats.hold()
        keeper.open("ann")

        assert (hired[0].alive, hired[0].stats.is_held) == (True, False)

    def test_is_not_for_those_who_did_not_say_who_they_are(self, keeper, hired):
        """A worker without an owner is used once, and is nobody's before."""
        keeper.open("ann").close()
        keeper.open("").close()

        assert [worker.alive for worker in hired] == [False, False]

    def test_is_not_of_one_that_failed(self, keeper, hired):
        """A worker that misbehaved is handed to nobody, its owner included."""
        session = keeper.open("ann")
        session.failed = WorkerDied("gone")
        session.close()
        keeper.open("ann")

        assert [worker.alive for worker in hired] == [False, True]

    def test_ends_with_the_sandbox(self, keeper, hired):
        """Dropping ends the worker that is kept, and may be asked for twice."""
        keeper.open("ann").close()
        keeper.drop()
        keeper.drop()

        assert [worker.alive for worker in hired] == [False]

    def test_of_one_ends_another(self, keeper, hired):
        """Where two owners are served at once, the one that is given back last is kept."""
        ann, ben = keeper.open("ann"), keeper.open("ben")
        ann.close()
        ben.close()
        keeper.drop()

        assert [worker.alive for worker in hired] == [False, False]
