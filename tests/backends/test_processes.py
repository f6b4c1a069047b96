"""Processes do jobs; whichever of them dies, the others go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import wait
from contextlib import contextmanager

import pytest

from grader.backends import processes as module
from grader.backends.processes import Processes, processes
from grader.errors import CatalogError, JobLost, Raised, SubmissionRaised

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nobody can be killed here")

ONCE = """
import os, pathlib, sys
path = pathlib.Path(sys.argv[0])
if path.exists():
    path.unlink()
    os._exit(9)
"""


@pytest.fixture(scope="module")
def two():
    """Two processes."""
    with processes(2) as place:
        yield place.executor


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid, seconds=10):
    """Whether it ends within so many seconds."""
    until = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(pid)


class TestJobs:
    def test_are_done_by_other_processes(self, two):
        """Which are kept for the next job."""
        first = {two.submit(os.getpid).result() for _ in range(6)}

        assert os.getpid() not in first
        assert len(first) <= 2

    def test_are_done_side_by_side(self, two):
        """By as many processes as there are."""
        slow = [two.submit(time.sleep, 0.3) for _ in range(2)]
        wait(slow)
        pids = [two.submit(os.getpid) for _ in range(8)]

        assert {future.result() for future in pids} <= set(two.pids())
        assert len(set(two.pids())) == 2

    def test_take_arguments_of_both_kinds(self, two):
        """As every executor's do."""
        assert two.submit(int, "11", base=2).result() == 3
        assert list(two.map(abs, [-1, -2])) == [1, 2]

    def test_raise_what_they_raise(self, two):
        """And the process goes on."""
        with pytest.raises(ValueError, match="invalid literal"):
            two.submit(int, "x").result()

    def test_that_raise_what_cannot_be_sent_say_so(self, two):
        """In words, where the exception itself cannot be made again."""
        sent = module._sendable(SubmissionRaised(Raised("ValueError", "no")))
        kept = module._sendable(CatalogError("softmx"))

        assert (type(kept), str(kept)) == (CatalogError, "softmx")
        assert "ValueError" in str(sent)

    def test_may_be_cancelled_while_they_wait(self):
        """Nobody does them then."""
        with processes(1) as place:
            first = place.executor.submit(time.sleep, 0.5)
            second = place.executor.submit(os._exit, 1)

            assert second.cancel()
            assert first.result() is None


class TestADeath:
    def test_costs_nothing(self, two, tmp_path):
        """The job is done again, in another process."""
        path = tmp_path / "once"
        path.touch()
        code = ONCE.replace("sys.argv[0]", repr(str(path)))

        assert two.submit(exec, code).result() is None
        assert not path.exists()

    def test_from_outside_costs_nothing(self, two):
        """Such as the system's own, when memory is short."""
        sleeping = [two.submit(time.sleep, 0.5) for _ in range(2)]
        time.sleep(0.1)
        for pid in two.pids():
            os.kill(pid, signal.SIGKILL)

        assert [future.result() for future in sleeping] == [None, None]

    def test_twice_is_told(self, two):
        """Nobody knows whether the job is to blame."""
        with pytest.raises(JobLost):
            two.submit(os._exit, 1).result()

    def test_is_of_one_job_alone(self, two):
        """What is done beside it is not disturbed, and what comes after it is done."""
        beside = two.submit(time.sleep, 0.5)
        ended = two.submit(os._exit, 1)
        after = [two.submit(abs, -n) for n in range(4)]

        assert isinstance(ended.exception(), JobLost)
        assert beside.result() is None
        assert [future.result() for future in after] == [0, 1, 2, 3]


class TestTheEnd:
    def test_is_that_of_all_processes(self):
        """Whatever they do, and soon."""
        with processes(2) as place:
            for _ in range(2):
                place.executor.submit(abs, -1).result()
            busy = [place.executor.submit(time.sleep, 60) for _ in range(4)]
            time.sleep(0.3)
            pids, started = place.executor.pids(), time.monotonic()

        assert time.monotonic() - started < 10
        assert all(gone(pid) for pid in pids)
        assert all(future.done() for future in busy)

    @pytest.mark.skipif(sys.platform != "linux", reason="there is a fork server only on Linux")
    def test_of_the_fork_server_leaves_none_that_is_dying(self, monkeypatch):
        """Which would be taken for one that lives: whoever comes next would wait for its answer, in
        vain, and a job would have been tried.
        """
        monkeypatch.setattr(module, "TRIES", 1)
        for _ in range(5):
            with processes(2) as place:
                wait([place.executor.submit(os.getpid) for _ in range(2)])
            module._end_fork_server()
            with processes(2) as place:
                jobs = [place.executor.submit(os.getpid) for _ in range(2)]

                assert all(job.result() for job in jobs)

    def test_waits_for_what_runs_if_it_is_asked_to(self):
        """As every executor does."""
        with Processes(1) as executor:
            future = executor.submit(time.sleep, 0.2)

        assert future.result(timeout=0) is None

    def test_comes_with_that_of_whoever_started_them(self):
        """If that one is killed, nobody is left behind."""
        with a_caller() as (caller, pid):
            caller.kill()
            caller.wait()

            assert gone(pid)

    def test_comes_also_to_a_job_that_goes_on_whatever_is_raised(self):
        """As those do that ask programs of their own process: their ``SystemExit`` is an answer."""
        with a_caller(f"exec, {STUBBORN!r}") as (caller, pid):
            assert caller.stdout.readline() == "begun\n"
            caller.terminate()
            caller.wait()

            assert gone(pid)


STUBBORN = """
import time
while True:
    try:
        print("begun", flush=True)
        time.sleep(600)
    except BaseException:
        pass
"""

CALLER = """
import os, sys, time
from grader.backends.processes import Processes
if __name__ == "__main__":
    executor = Processes(1)
    print(executor.submit(os.getpid).result(), flush=True)
    executor.submit({job}).result()
"""


@contextmanager
def a_caller(job="time.sleep, 600"):
    """Another program that has one process, which is busy; and its number."""

    command = [sys.executable, "-c", CALLER.format(job=job)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        yield caller, int(caller.stdout.readline())
