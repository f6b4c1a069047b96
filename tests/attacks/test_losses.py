"""Zygotes and workers that are killed, stopped and starved while a class is graded."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.course import find_course
from grader.pipeline import grade_all
from grader.sandbox import zygote_process
from grader.sandbox.launch import open_sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")

COURSE = find_course()
CATALOG = load_catalog(COURSE)
SAMPLES = ("perfect", "wrong_axis", "wrong_types")
EXERCISES = ("softmax", "attention_by_hand")
HOG = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass"


class Saboteur(threading.Thread):
    """Strikes so many times at random moments, and spares some; ``done`` counts."""

    def __init__(self, strikes, seed, processes):
        super().__init__(daemon=True)
        self.strikes, self.chance, self.processes = strikes, random.Random(seed), processes
        self.done = 0

    def run(self):
        while self.done < self.strikes:
            time.sleep(self.chance.uniform(0.0, 1.2))
            if victims := self.processes():
                self.chance.choice([self.kill, self.kill, self.stop, self.pause, self.starve])(
                    self.chance.choice(victims)
                )
                self.done += 1

    def kill(self, pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def stop(self, pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)

    def pause(self, pid):
        self.stop(pid)
        time.sleep(0.2)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    def starve(self, pid):
        """For a second it shares one core with three that never rest."""
        core = self.chance.choice(sorted(os.sched_getaffinity(0)))
        with suppress(OSError):
            os.sched_setaffinity(pid, {core})
        hogs = [subprocess.Popen([sys.executable, "-c", HOG]) for _ in range(3)]
        for hog in hogs:
            os.sched_setaffinity(hog.pid, {core})
        for hog in hogs:
            hog.wait()


@pytest.fixture(scope="module")
def graded():
    """``graded(sandbox)``: what a class is told, check by check."""
    submissions = [collect(COURSE.root / "tests/submissions" / n, CATALOG)[0] for n in SAMPLES]
    exercises = select(CATALOG, EXERCISES)

    def graded(sandbox):
        reports = grade_all(COURSE, exercises, submissions, sandbox, seed=5)
        return [
            replace(verdict, seconds=0.0, measured=None)
            for report in reports
            for verdict in report.verdicts
        ]

    return graded


def test_a_class_gets_the_same_marks(graded, descendants, monkeypatch, request):
    """Whatever happens to processes, and whenever: every verdict is as in an undisturbed run, and
    nothing is left over.
    """
    monkeypatch.setattr(zygote_process, "FORK_SECONDS", 3.0)
    others = descendants(os.getpid())  # sandboxes of other tests, whose zygotes still fork

    def ours():
        theirs = {pid for other in others for pid in (other, *descendants(other))}
        return sorted(set(descendants(os.getpid())) - theirs)

    with closing(open_sandbox()) as sandbox:
        expected = graded(sandbox)
        saboteur = Saboteur(request.config.getoption("--losses"), 17, ours)
        saboteur.start()
        while saboteur.is_alive():
            assert graded(sandbox) == expected

    assert saboteur.done == saboteur.strikes
    assert [Path(f"/proc/{pid}/status").read_text() for pid in ours()] == []
