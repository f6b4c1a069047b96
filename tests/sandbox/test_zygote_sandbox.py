"""Zygotes that are lost are replaced, and whoever waits for a worker gets one."""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from grader.errors import SandboxError, WorkerLost
from grader.sandbox import temporary, zygote, zygote_process
from grader.sandbox.launch import open_sandbox
from grader.sandbox.paths import LARGE_PAGES_FOLDER, python_command
from grader.sandbox.zygote_start import Walls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no zygote")

SOURCE = """import os, resource, sys, time, torch
def me(): return os.getpid()
def wait(): time.sleep(9)
def is_there(): return "sympy" in sys.modules
def letters(): return "".join({*"ABCDEFGHIJ"})
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def faults_of_16_mib():
    before = faults()
    torch.ones(1 << 22)
    return faults() - before
"""

INDEXES = """import sys, torch
torch.ones(2, device="meta")[torch.tensor([0], device="meta")]
sys.exit("sympy" not in sys.modules)
"""


@pytest.fixture
def own(monkeypatch):
    """A sandbox that may be hurt."""
    monkeypatch.setattr(zygote_process, "FORK_SECONDS", 1.0)
    with closing(open_sandbox()) as sandbox:
        yield sandbox


@pytest.fixture
def ask(own):
    """``ask()`` has a worker load the source; what it returns has it call one of its functions."""
    sessions = []

    def ask(name="me"):
        session = own.open()
        sessions.append(session)
        session.allow_seconds(20.0)
        session.load({"m": SOURCE}, "m")
        request = {"op": "call", "name": name, "args": [], "kwargs": {}}
        return lambda: session.perform(request).get("value")

    yield ask
    for session in sessions:
        session.close()


@pytest.fixture
def strike(own, descendants):
    """``strike(number)``: everything in the zygote's tree gets the signal; returns its root."""

    def strike(number):
        root = own._zygote._process.pid
        for pid in [*descendants(root), root]:
            with suppress(ProcessLookupError):  # it went with another one
                os.kill(pid, number)
        return root

    return strike


def has_large_pages():
    """Of a library and a kernel that have them."""
    name, version = platform.libc_ver()
    offered = Path(LARGE_PAGES_FOLDER, "enabled")
    is_new = name == "glibc" and [int(part) for part in version.split(".")] >= [2, 35]
    return is_new and offered.exists() and "[never]" not in offered.read_text()


class TestAZygote:
    @pytest.mark.skipif(not has_large_pages(), reason="pages are small here")
    def test_has_large_pages(self, ask):
        """Each of 4,096 small ones would be a fault, in every worker anew."""
        assert ask("faults_of_16_mib")() < 4096 / 4

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
    def test_that_is_lost_is_replaced(self, own, ask, strike, number):
        """Behind the same walls."""
        walls = own._zygote.layers
        own.wait()
        first = strike(number)

        assert ask()()
        assert own._zygote._process.pid != first
        assert own._zygote.layers == walls

    def test_that_is_lost_at_once_is_replaced(self, own, ask, strike):
        """Before it was ready."""
        strike(signal.SIGKILL)

        assert own.isolation in ("full", "process")
        assert ask()()


def test_workers_that_are_lost_with_their_zygote_blame_nobody(ask, strike):
    """How they ended cannot be known."""
    asked = ask("wait")
    strike(signal.SIGKILL)
    with pytest.raises(WorkerLost):
        asked()


@pytest.mark.parametrize("isolation", [None, "process"])
def test_sets_have_the_same_order_in_every_run(isolation):
    """An answer that hangs on it would be right in one and wrong in the next."""
    found = []
    for _ in range(2):
        with closing(open_sandbox(isolation)) as sandbox, closing(sandbox.open()) as session:
            session.allow_seconds(20.0)
            session.load({"m": SOURCE}, "m")
            found.append(
                session.perform({"op": "call", "name": "letters", "args": [], "kwargs": {}})
            )

    assert found[0]["value"] == found[1]["value"]


def test_a_worker_that_died_before_it_was_used_blames_nobody(own, ask):
    """It was forked ahead; another one takes its place, of the same zygote."""
    ask()
    zygote = own._zygote._process.pid
    ((number, connection),) = own._next.values()
    connection.close()

    assert ask()()
    assert own._zygote._process.pid == zygote
    assert own._next[own._zygote][0] > number


def test_what_is_rare_is_imported_once_for_the_later_of_many_workers(ask):
    if subprocess.run([sys.executable, "-c", INDEXES], check=False).returncode:
        pytest.skip("this torch indexes without sympy")
    assert not ask("is_there")()
    deadline = time.monotonic() + 60  # the zygote imports it when it comes to that
    while not ask("is_there")():
        assert time.monotonic() < deadline


def test_gives_up_when_there_is_none_to_be_had(own, monkeypatch):
    """With a reason, and the next time sooner."""
    starts = []

    class Dead(zygote_process.ZygoteProcess):
        def _execute(self, far):
            starts.append(1)

    assert own.layers
    own._zygote.close()
    monkeypatch.setattr("grader.sandbox.zygote_sandbox.ZygoteProcess", Dead)
    tries = []
    for _ in range(5):
        starts.clear()
        with pytest.raises(SandboxError):
            own.open()
        tries.append(len(starts))

    assert tries[0] > tries[-1]


class TestABranch:
    """A zygote of a zygote, for what an exercise forbids."""

    SOURCE = "import torch\ndef f(): return torch.softmax(torch.zeros(2), 0)"
    FORBIDS = ("torch.softmax",)

    @pytest.fixture
    def call(self, own):
        """``call(forbids)`` opens a worker for what is forbidden, loads, and calls once."""
        sessions = []

        def once(forbids):
            session = own.open(forbids=forbids)
            sessions.append(session)
            session.allow_seconds(20.0)
            session.load({"m": self.SOURCE}, "m", forbids)
            return session.perform({"op": "call", "name": "f", "args": [], "kwargs": {}})

        def call(forbids):
            with suppress(WorkerLost):  # one that was forked ahead may be lost with its zygote
                return once(forbids)
            return once(forbids)

        yield call
        for session in sessions:
            session.close()

    def test_forbids_and_its_root_does_not(self, call):
        assert "raised" in call(self.FORBIDS)
        assert "value" in call(())
        assert "value" in call(("torch.log_softmax",))
        assert "raised" in call(self.FORBIDS)

    def test_serves_all_that_forbids_the_same(self, own, call):
        call(self.FORBIDS)
        call(self.FORBIDS)
        call(["torch.log_softmax"])

        assert list(own._branches) == [self.FORBIDS, ("torch.log_softmax",)]

    def test_has_the_walls_of_its_root(self, own, call):
        call(self.FORBIDS)

        assert own._branches[self.FORBIDS].layers == own._zygote.layers

    def test_that_is_lost_is_replaced(self, own, call, strike):
        call(self.FORBIDS)
        strike(signal.SIGKILL)

        assert "raised" in call(self.FORBIDS)
        assert "value" in call(())

    def test_that_alone_is_lost_is_replaced(self, own, call, descendants):
        """The root lives on, and is told from it."""
        call(self.FORBIDS)
        before = set(descendants(own._zygote._process.pid))
        call(("torch.log_softmax",))
        for pid in set(descendants(own._zygote._process.pid)) - before:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        assert "value" in call(("torch.log_softmax",))
        assert "raised" in call(self.FORBIDS)

    def test_ends_with_the_sandbox(self, descendants):
        with closing(open_sandbox()) as sandbox:
            sandbox.open(forbids=self.FORBIDS).close()
            tree = descendants(sandbox._zygote._process.pid)
        deadline = time.monotonic() + 10
        while any(map(_is_there, tree)) and time.monotonic() < deadline:
            time.sleep(0.01)

        assert tree
        assert not any(map(_is_there, tree))


def _is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with suppress(FileNotFoundError), open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"
    return False


def test_walls_are_told_by_a_zygote_that_cannot_go_on(own, monkeypatch):
    """Who waits until it can fork is told why it cannot."""
    monkeypatch.setattr(zygote_process, "python_command", _dying_after_its_first_words)
    own._start_another()
    assert own._zygote.layers

    with pytest.raises(SandboxError, match="import of torch halted"):
        own.wait()


def _dying_after_its_first_words(*of):
    *command, program = python_command(*of)
    return [*command, program.replace("import sys;", "import sys; sys.modules['torch'] = None;")]


def test_a_sandbox_that_rests_goes_on_when_it_is_asked(own, ask):
    """With a zygote of its own again."""
    own.rest()
    first = own._zygote

    assert ask()()
    assert own._zygote is not first


def test_a_zygote_starts_on_a_machine_that_is_not_known(monkeypatch):
    """Whose calls nobody has numbered: there is no program for it, and none is made."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setattr(temporary, "can_mount", lambda: True)
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with near, far:
        walls = Walls.found()
        zygote.Zygote(far, walls, [], 64, [])

    assert "seccomp" not in walls.layers
