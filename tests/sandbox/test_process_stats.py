"""A worker's accounts are read from outside it, and it is held still from outside it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest

from grader.sandbox.process_stats import ProcessStats

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps these accounts")

SOURCE = """
import os, time, torch


def cores():
    return sorted(os.sched_getaffinity(0))


def spin(seconds):
    # of the processor's time, which others' work does not shorten
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def take(mib):
    return torch.ones(mib << 18).sum()


def keep(mib):
    global kept
    kept = torch.ones(mib << 18)
"""

THREADS = """
import sys, threading, time


def idle():
    while True:
        time.sleep(0.01)


def busy():
    while True:
        thread = threading.Thread(target=time.sleep, args=(0.001,))
        thread.start()
        thread.join()


for target in (idle, idle, busy):
    threading.Thread(target=target, daemon=True).start()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def session(load):
    return load(SOURCE)


@pytest.fixture
def threads():
    """A process with several threads, one of which goes on starting others."""
    command = [sys.executable, "-c", THREADS]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def loose_threads(pid, core):
    """The threads that may run elsewhere."""
    found = []
    for thread in map(int, os.listdir(f"/proc/{pid}/task")):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            found += [thread] if os.sched_getaffinity(thread) != {core} else []
    return found


def call(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


def give_back(session):
    session.perform({"op": "give_back"})


class TestTime:
    def test_is_what_the_worker_has_used(self, session):
        """Work counts, waiting does not."""
        before = session.stats.cpu_seconds()
        call(session, "spin", 0.1)
        worked = session.stats.cpu_seconds()
        time.sleep(0.1)
        waited = session.stats.cpu_seconds()

        assert worked - before > 0.09
        assert waited - worked < 0.05


class TestHolding:
    def test_stops_the_worker_until_it_may_go_on(self, session):
        """Meanwhile not a moment's work is done."""
        thread = threading.Thread(target=call, args=(session, "spin", 0.3))
        thread.start()
        time.sleep(0.1)
        session.stats.hold()
        time.sleep(0.05)
        before = session.stats.cpu_seconds()
        time.sleep(0.2)
        after = session.stats.cpu_seconds()
        session.stats.go()
        thread.join()

        assert after == before


class TestPinning:
    def test_leaves_the_worker_one_core(self, session):
        """That one, and no other."""
        core = max(os.sched_getaffinity(0))
        session.stats.pin(core)

        assert call(session, "cores")["value"] == [core]

    def test_is_of_all_its_threads(self, threads):
        """Those it has, and those it starts later."""
        core = max(os.sched_getaffinity(0))
        ProcessStats(threads.pid, threads.send_signal).pin(core)
        for _ in range(20):
            assert loose_threads(threads.pid, core) == []
            time.sleep(0.005)

    def test_to_a_core_that_is_not_there_changes_nothing(self, session):
        """A machine may have fewer than it had."""
        before = call(session, "cores")["value"]
        session.stats.pin(1000)

        assert call(session, "cores")["value"] == before


class TestMemory:
    def test_is_the_peak_since_it_was_forgotten(self, session):
        """Also of what was given back in the meantime."""
        call(session, "take", 1)
        session.stats.forget_peak()
        before = session.stats.resident_bytes()
        call(session, "take", 64)
        peak = session.stats.peak_bytes()

        assert 60 << 20 < peak - before < 200 << 20

    def test_says_whether_the_peak_is_forgotten(self, session):
        """An ordinary user may not forget it: then it is the one of old."""
        call(session, "take", 64)
        give_back(session)
        forgotten = session.stats.forget_peak()
        above = session.stats.peak_bytes() - session.stats.resident_bytes()

        assert forgotten is (above < 32 << 20)

    def test_is_held_as_long_as_it_is_kept(self, session):
        """What was only taken for a while is not, once the allocator has given it back."""
        give_back(session)
        before = session.stats.held_bytes()
        call(session, "take", 64)
        give_back(session)
        taken = session.stats.held_bytes()
        call(session, "keep", 64)
        give_back(session)
        kept = session.stats.held_bytes()

        assert taken - before < 32 << 20
        assert 60 << 20 < kept - before < 100 << 20

    def test_of_a_process_that_has_ended_is_nothing(self, threads):
        """Whoever asks too late is told so, and gets no error."""
        threads.kill()
        stats = ProcessStats(threads.pid, threads.send_signal)
        while stats.resident_bytes():
            time.sleep(0.01)
        stats.pin(max(os.sched_getaffinity(0)))

        assert (stats.peak_bytes(), stats.held_bytes()) == (0, 0)
