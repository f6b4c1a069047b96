"""A GPU is shared by those who compute on it, and had alone by who measures on it."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from grader.backends import devices
from grader.backends.cores import Cores

HOLDS_IT = """
import sys
from pathlib import Path
from grader.backends.cores import Cores
with Cores(Path(sys.argv[1])).device("fake", alone=True):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def asking(tmp_path):
    """``asking(events, "one", alone=True)``: somebody who asks for the device, in a thread of its
    own, says when it is lent, and keeps it until ``leave`` is set.
    """
    threads = []

    def asking(events, name, leave=None, *, alone, device="fake"):
        def ask():
            with Cores(tmp_path).device(device, alone=alone):
                events.append(name)
                if leave is not None:
                    leave.wait()

        threads.append(threading.Thread(target=ask))
        threads[-1].start()
        return threads[-1]

    yield asking
    for thread in threads:
        thread.join()


class TestADevice:
    def test_is_shared(self, tmp_path):
        """By those who do not measure."""
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(Cores(tmp_path).device("fake", alone=False))

    @pytest.mark.parametrize("holder", [True, False])
    @pytest.mark.parametrize("other", [True, False])
    def test_is_had_alone_by_who_measures(self, asking, tmp_path, holder, other):
        """Whoever came first."""
        events = []
        with Cores(tmp_path).device("fake", alone=holder):
            asked = asking(events, "other", alone=other)
            asked.join(timeout=0.2 if holder or other else None)
            events.append("first ends")
        asked.join()

        shared = ["other", "first ends"]
        assert events == (shared[::-1] if holder or other else shared)

    def test_is_not_taken_for_ever_by_those_who_share_it(self, asking, tmp_path):
        """Who comes later than one who will measure waits behind."""
        events, leave = [], threading.Event()
        with Cores(tmp_path).device("fake", alone=False):
            first = asking(events, "measures", leave, alone=True)
            first.join(timeout=0.2)
            second = asking(events, "shares", alone=False)
            second.join(timeout=0.2)
        while not events:
            first.join(timeout=0.01)
        leave.set()
        second.join()

        assert events == ["measures", "shares"]

    def test_is_another_one_under_another_name(self, asking, tmp_path):
        """And of the CPU, cores are lent."""
        events = []
        for device in ("other", "cpu"):
            with Cores(tmp_path).device("cpu" if device == "cpu" else "fake", alone=True):
                asking(events, device, alone=True, device=device).join()

        assert events == ["other", "cpu"]

    def test_is_given_back_when_its_holder_was_killed(self, tmp_path):
        """Another process, of another run perhaps."""
        command = [sys.executable, "-c", HOLDS_IT, str(tmp_path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as holder:
            held = holder.stdout.readline()
            holder.kill()
            holder.wait()
        with Cores(tmp_path).device("fake", alone=True):
            assert held == "held\n"

    def test_is_lent_without_a_lock_where_there_are_none(self, tmp_path, monkeypatch):
        """As on Windows: grading goes on."""
        monkeypatch.setattr(devices, "fcntl", None)
        with Cores(tmp_path).device("fake", alone=True), Cores(tmp_path).device("fake", alone=True):
            assert list(tmp_path.iterdir()) == []
