"""Cores are lent one by one, the last first, to jobs that clock something."""

from __future__ import annotations

import os

import pytest

from grader.backends.cores import core_for


@pytest.fixture
def machine(monkeypatch):
    """``machine(cores)`` is a machine on which this process may run on these."""

    def machine(cores):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(cores), raising=False)

    return machine


class TestCores:
    def test_are_different_for_different_jobs(self, machine):
        """As long as there are enough, the last one first; then from the beginning again."""
        machine(range(4))

        assert [core_for(job) for job in range(6)] == [3, 2, 1, 0, 3, 2]

    def test_are_those_that_this_process_may_use(self, machine):
        """A container's share, for instance, which need not begin at 0."""
        machine({2, 5, 11})

        assert {core_for(job) for job in range(9)} == {2, 5, 11}

    def test_are_one_where_there_is_one(self, machine):
        """All jobs share it."""
        machine({7})

        assert [core_for(job) for job in range(3)] == [7, 7, 7]

    def test_are_none_where_nothing_can_be_pinned(self, monkeypatch):
        """As on macOS and on Windows."""
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)

        assert core_for() is None

    @pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin")
    def test_of_this_machine_can_be_pinned_to(self):
        """The core that is lent is one of ours."""
        assert core_for() in os.sched_getaffinity(0)
