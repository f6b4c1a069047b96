"""What a GPU has given away, as its driver tells; the driver is played here."""

from __future__ import annotations

import time

import pytest

from grader.examiner import gpu_memory
from grader.examiner.gpu_memory import settled, taken_meanwhile

MIB = 1 << 20


class Driver:
    """A GPU with 1 GiB, of which some is taken."""

    def __init__(self):
        self.taken = 100 * MIB

    def free_bytes(self):
        return 1024 * MIB - self.taken


def test_what_is_kept_counts():
    """torch's allocator keeps what it took."""
    driver = Driver()

    def work():
        driver.taken += 64 * MIB

    assert taken_meanwhile(driver.free_bytes, work) == 64 * MIB


def test_what_is_given_back_counts_too():
    """A submission that empties the allocator's cache at the end hides nothing."""
    driver = Driver()

    def work():
        driver.taken += 64 * MIB
        time.sleep(0.05)
        driver.taken -= 64 * MIB

    assert taken_meanwhile(driver.free_bytes, work) == 64 * MIB


def test_memory_given_back_from_before_is_no_gain():
    """Nobody takes less than nothing."""
    driver = Driver()

    def work():
        driver.taken -= 50 * MIB

    assert taken_meanwhile(driver.free_bytes, work) == 0


def test_an_error_in_the_work_is_the_caller_s():
    """The watching ends, and the error goes on."""
    driver = Driver()

    def work():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        taken_meanwhile(driver.free_bytes, work)


class TestOnceItHasSettled:
    def test_what_comes_back_late_is_waited_for(self):
        """A worker that was killed gives its memory back a moment later, in two parts."""
        left = [600 * MIB] * 5 + [800 * MIB] * 5

        assert settled(lambda: left.pop(0) if left else 924 * MIB) == 924 * MIB

    def test_what_never_rests_is_not_waited_for_forever(self, monkeypatch):
        """Whoever else uses the GPU may do so all the time."""
        monkeypatch.setattr(gpu_memory, "_WAIT_SECONDS", 0.2)
        left = iter(range(10**6))

        assert settled(lambda: next(left)) > 0
