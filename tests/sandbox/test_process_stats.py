"""A worker's accounts are read from outside it, and it is held still from outside it."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps these accounts")

SOURCE = """
import os, time, torch


def cores():
    return sorted(os.sched_getaffinity(0))


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def take(mib):
    return torch.ones(mib << 18).sum()
"""


@pytest.fixture
def session(load):
    return load(SOURCE)


def call(session, name, *args):
    return session.perform({"op": "call", "name": name, "args": list(args), "kwargs": {}})


class TestTime:
    def test_is_what_the_worker_has_used(self, session):
        """Work counts, waiting does not."""
        before = session.stats.cpu_seconds()
        call(session, "spin", 0.1)
        worked = session.stats.cpu_seconds()
        time.sleep(0.1)
        waited = session.stats.cpu_seconds()

        assert worked - before > 0.05
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

    def test_to_a_core_that_is_not_there_changes_nothing(self, session):
        """A machine may have fewer than it had."""
        before = call(session, "cores")["value"]
        session.stats.pin(1000)

        assert call(session, "cores")["value"] == before


class TestMemory:
    def test_is_the_peak_since_it_was_forgotten(self, session):
        """Also of what was given back in the meantime."""
        call(session, "take", 1)
        before = session.stats.forget_peak()
        call(session, "take", 64)
        peak = session.stats.peak_bytes()

        assert 60 << 20 < peak - before < 200 << 20
