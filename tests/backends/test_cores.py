"""Cores are lent to one at a time of those who clock something, the last one first."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress

import pytest

from grader.backends import cores as lending
from grader.backends.cores import Cores

HOLDS_ONE = """
import sys
from pathlib import Path
from grader.backends.cores import Cores
with Cores(Path(sys.argv[1])).leased() as core:
    print(core, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def machine(monkeypatch):
    """``machine(cores)`` is a machine on which this process may run on these."""

    def machine(cores):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(cores), raising=False)

    return machine


@pytest.fixture
def cores(tmp_path):
    return Cores(tmp_path)


class TestACore:
    def test_is_lent_to_nobody_else_meanwhile(self, machine, cores, tmp_path):
        """The last one first, then the others; whoever asks need not know of one another."""
        machine({2, 5, 11})
        with ExitStack() as stack:
            lent = [stack.enter_context(Cores(tmp_path).leased()) for _ in range(3)]

        assert lent == [11, 5, 2]

    def test_is_lent_again_afterwards(self, machine, cores):
        """Also if what was clocked went wrong."""
        machine({0, 1})
        lent = []
        for _ in range(3):
            with suppress(ZeroDivisionError), cores.leased() as core:
                lent.append(core)
                raise ZeroDivisionError

        assert lent == [1, 1, 1]

    def test_is_waited_for_where_all_are_lent(self, machine, cores, tmp_path):
        """Nobody who clocks something is disturbed by somebody else who does."""
        machine({7})
        events = []

        def second():
            with Cores(tmp_path).leased():
                events.append("second")

        waiting = threading.Thread(target=second)
        with cores.leased():
            waiting.start()
            waiting.join(timeout=0.2)
            events.append("first ends")
        waiting.join()

        assert events == ["first ends", "second"]

    @pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin")
    def test_is_lent_again_when_its_holder_was_killed(self, machine, cores, tmp_path):
        """Another process, of another run perhaps: the system takes back what it held."""
        command = [sys.executable, "-c", HOLDS_ONE, str(tmp_path)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as holder:
            held = int(holder.stdout.readline())
            machine({held, -1})
            with cores.leased() as core:
                meanwhile = core
            holder.kill()
            holder.wait()
        with cores.leased() as core:
            afterwards = core

        assert (meanwhile, afterwards) == (-1, held)

    def test_is_none_where_nothing_can_be_pinned(self, monkeypatch, cores):
        """As on macOS and on Windows."""
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        with cores.leased() as core:
            assert core is None


class TestTheLocks:
    @pytest.fixture
    def temporary(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
        return tmp_path

    def test_lie_in_a_folder_of_this_user_s_alone(self, temporary):
        """Whoever else could write there could hold a class up for ever."""
        folder = lending._runtime_folder()

        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o777 == 0o700

    def test_are_done_without_in_a_folder_that_others_may_change(self, temporary, machine):
        """The core is lent all the same: grading goes on."""
        lending._runtime_folder().chmod(0o777)
        machine({3})
        with Cores().leased() as first, Cores().leased() as second:
            assert (first, second) == (3, 3)

    def test_are_done_without_where_a_link_lies(self, temporary, tmp_path_factory):
        """It may lead anywhere."""
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        (temporary / f"grader-cores-{os.getuid()}").symlink_to(elsewhere)

        assert lending._runtime_folder() is None
