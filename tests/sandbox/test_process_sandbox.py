"""Where the kernel offers no walls, a worker is an ordinary process with the same promises."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
import torch

from grader.errors import DeadlinePassed, SubmissionRaised, WorkerDied
from grader.sandbox.launch import open_sandbox
from grader.sandbox.protocol import Leaf, Result

SOURCE = """
import ctypes, os, sys, torch
def double(x): return x * 2
def environment(): return dict(os.environ)
def path(): return sys.path
def read(): return open('/etc/passwd').read()
def end(): os._exit(0)
def spin():
    while True: pass
def softmax(): return torch.softmax(torch.zeros(2), 0)
def child():
    pid = ctypes.CDLL(None).fork()
    while pid == 0: pass
    return pid
"""


@pytest.fixture(scope="module")
def portable():
    sandbox = open_sandbox("process")
    yield sandbox
    sandbox.close()


@pytest.fixture
def load(portable):
    sessions = []

    def load(source=SOURCE, owner="these tests", **options):
        session = portable.open(owner)
        sessions.append(session)
        session.allow_seconds(20)
        session.load({"m": source}, "m", **options)
        return session

    yield load
    for session in sessions:
        session.close()


def ask(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


def has_ended(pid):
    """Whether a process is gone, or will be as soon as its parent asks for it."""
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rpartition(")")[2].split()[0] in "ZX":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


def test_it_says_what_it_is(portable):
    """Reports made this way say that nothing but a process stood in between."""
    assert portable.isolation == "process"
    assert portable.layers == ("process",)


def test_calls_and_gradients_are_answered(load):
    """Values and gradients come back as from any other worker."""
    session = load()
    value = ask(session, "double", Leaf(0, torch.ones(2), True))["value"]
    request = {"op": "differentiate", "outputs": [Result(0)], "wrt": [Leaf(0)]}
    gradient = session.perform(request | {"cotangents": [torch.ones(2)]})["leaves"][0]

    assert value.tolist() == [2.0, 2.0]
    assert gradient.tolist() == [2.0, 2.0]


def test_little_is_known_and_attempts_are_named(load, course):
    """The environment holds no secrets, the path no suites, and the witness is there."""
    session = load()
    environment = ask(session, "environment")["value"]
    path = ask(session, "path")["value"]
    raised = ask(session, "read")["raised"]

    assert set(environment) & {"USER", "SHELL", "PYTEST_CURRENT_TEST"} == set()
    assert [p for p in path if course.suites.is_relative_to(p or ".")] == []
    assert raised["type_name"] == "PermissionError"
    assert session.refused == ["open('/etc/passwd')"]


def test_a_failed_import_is_described(load):
    """An exception while importing names the submission's own line."""
    with pytest.raises(SubmissionRaised, match=r"ValueError: no \(m.py, line 2: raise"):
        load("\nraise ValueError('no')")


def test_a_call_without_end_is_ended(load):
    """The deadline holds, and how the process ended is known."""
    session = load()
    session.allow_seconds(0.2)
    with pytest.raises(DeadlinePassed):
        ask(session, "spin")

    assert session.how_it_ended() == ("signal", "SIGKILL")


def test_a_process_that_ends_itself_has_died(load):
    """Exit status 0 is no verdict."""
    session = load()
    with pytest.raises(WorkerDied):
        ask(session, "end")

    assert session.how_it_ended() == ("exit", "0")


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
class TestClosing:
    def test_ends_what_the_worker_started(self, load):
        """Children of a worker end with it."""
        session = load(owner="")
        child = ask(session, "child")["value"]
        session.close()

        assert has_ended(child)

    def test_ends_what_a_dead_worker_left_behind(self, load):
        """Children end also when the worker itself is dead already."""
        session = load()
        child = ask(session, "child")["value"]
        session.allow_seconds(0.5)
        with pytest.raises((WorkerDied, DeadlinePassed)):
            ask(session, "end")

        assert has_ended(child)

    def test_ends_the_worker_kept_in_reserve(self):
        """A closed sandbox leaves no process behind."""
        sandbox = open_sandbox("process")
        reserve = sandbox._next[0].pid
        sandbox.close()

        assert has_ended(reserve)


class TestUsingAWorkerAgain:
    SOURCE = "import os\ndef pid(): return os.getpid()\ndef end(): os._exit(0)\n"

    def used(self, load, owner):
        session = load(self.SOURCE, owner)
        pid = ask(session, "pid")["value"]
        session.close()
        return pid

    def test_is_for_its_owner_alone(self, load):
        """A start takes long, so an owner's next check may use the same process; nobody else's."""
        first, again, other = (self.used(load, owner) for owner in ("ann", "ann", "ben"))

        assert first == again
        assert first != other
        assert os.getpid() not in (first, other)

    def test_does_not_bring_back_what_was_forbidden(self, load):
        """A worker serves one exercise: what that forbids is gone for its life, and nothing in it
        leads back. The next owner's worker has it.
        """
        session = load(SOURCE, "ann", forbids=["torch.softmax"])
        refused = ask(session, "softmax")
        session.close()
        again = ask(load(SOURCE, "ann"), "softmax")
        other = ask(load(SOURCE, "ben"), "softmax")

        assert refused["raised"]["type_name"] == again["raised"]["type_name"] == "NotAllowedHere"
        assert other["value"].tolist() == [0.5, 0.5]


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_nothing_is_left_of_a_grader_that_was_killed():
    """A worker in an endless loop ends with the grader that nobody asked."""
    script = f"""
from grader.sandbox.launch import open_sandbox
session = open_sandbox("process").open()
session.allow_seconds(60)
session.load({{"m": {SOURCE + "def me(): return os.getpid()"!r}}}, "m")
answer = session.perform({{"op": "call", "name": "me", "args": [], "kwargs": {{}}}})
print(answer["value"], flush=True)
session.perform({{"op": "call", "name": "spin", "args": [], "kwargs": {{}}}})
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as grader:
        pid = int(grader.stdout.readline())
        time.sleep(0.2)
        grader.kill()

    assert has_ended(pid)
