"""Deadlines: what a worker had to wait for a core is given back."""

from __future__ import annotations

import time

import pytest

from grader.sandbox import deadline as module
from grader.sandbox.deadline import MOST_WAITING, Deadline


class Kernel:
    """What it tells of a worker: so many seconds have been waited for a core."""

    works = True

    def __init__(self, waited):
        self.waited = waited

    def waited_seconds(self):
        return self.waited


@pytest.fixture
def clock(monkeypatch):
    """``clock(seconds)`` lets so much time go by."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


@pytest.fixture(autouse=True)
def here(monkeypatch):
    """``here[0]`` are the seconds that this thread has waited for a core."""
    waited = [0.0]
    monkeypatch.setattr(module, "waited_here", lambda: waited[0])
    return waited


@pytest.mark.parametrize("kernel", [None, Kernel(3.0)])
def test_passes_after_its_seconds(clock, kernel):
    """Where nobody has waited, and where the kernel does not tell."""
    deadline = Deadline(5.0, kernel)
    clock(4.0)
    before = deadline.left()
    clock(2.0)

    assert (before, deadline.left()) == (1.0, -1.0)


def test_gives_back_what_was_waited(clock):
    """Since it began: what was waited before counts for nothing."""
    kernel = Kernel(3.0)
    deadline = Deadline(5.0, kernel)
    clock(7.0)
    kernel.waited = 6.0

    assert deadline.left() == 1.0
    assert deadline.spent() == 4.0


def test_passes_on_the_busiest_machine(clock):
    """Sooner or later, however little a worker was let work."""
    kernel = Kernel(0.0)
    deadline = Deadline(5.0, kernel)
    kernel.waited = 1000.0
    clock(1000.0)

    assert deadline.left() == 5.0 - 1000.0 + 5.0 * MOST_WAITING


def test_bears_a_worker_that_has_ended(clock):
    """Nobody tells of it any more."""

    class Gone(Kernel):
        def waited_seconds(self):
            raise ProcessLookupError

    deadline = Deadline(5.0, Gone(0.0))
    clock(6.0)

    assert deadline.left() == -1.0


def test_gives_back_what_the_grader_waited_too(clock, here):
    """The answer was there, and nobody could read it."""
    deadline = Deadline(5.0, Kernel(0.0))
    clock(7.0)
    here[0] = 3.0

    assert deadline.left() == 1.0
    assert deadline.spent() == 4.0


def test_stands_still_while_nothing_is_asked(clock):
    """What the grader works between two requests is on nobody's account."""
    deadline = Deadline(5.0)
    clock(1.0)
    deadline.pause()
    clock(100.0)
    paused = deadline.left()
    deadline.go_on()
    clock(1.5)

    assert (paused, deadline.left(), deadline.spent()) == (4.0, 2.5, 2.5)
