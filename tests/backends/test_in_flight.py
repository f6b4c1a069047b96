"""Jobs are handed out a few at a time and come back as they are done."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from grader.backends.in_flight import Place, as_done


@pytest.fixture
def place():
    """Two threads."""
    with ThreadPoolExecutor(2) as executor:
        yield Place(executor, lambda: 2, ())


class TestJobs:
    def test_come_back_as_they_are_done(self, place):
        """Nobody waits for one who takes long; every one comes with what it was for."""
        last = threading.Event()

        def job(item):
            if item == "slow":
                last.wait()
            return item.upper()

        found = []
        for item, future in as_done(place, job, ["slow", "a", "b", "c"]):
            found.append((item, future.result()))
            if len(found) == 3:
                last.set()

        assert found == [("a", "A"), ("b", "B"), ("c", "C"), ("slow", "SLOW")]

    def test_that_fail_come_back_too(self, place):
        """Whoever asked decides what that means."""
        found = dict(as_done(place, int, ["1", "x"]))

        assert found["1"].result() == 1
        assert isinstance(found["x"].exception(), ValueError)

    def test_are_taken_only_as_they_are_needed(self, place):
        """Two for each thread: a class is never held in memory."""
        taken = []

        def coming():
            for number in range(100):
                taken.append(number)
                yield number

        with closing(as_done(place, abs, coming())) as found:
            assert taken == []
            next(found)
            assert len(taken) == 4
            next(found)
            assert len(taken) <= 8

    def test_are_taken_where_nobody_is_yet(self, place):
        """Workers may come later: what is handed out waits for them."""
        nobody = Place(place.executor, lambda: 0, ())

        assert [future.result() for _, future in as_done(nobody, abs, [-1, -2, -3])] == [1, 2, 3]

    def test_that_nobody_waits_for_are_not_begun(self, place):
        """Closing the iterator cancels what still waits for a thread."""
        go, begun = threading.Event(), []

        def job(item):
            begun.append(item)
            go.wait(0.0 if item == 0 else 10)

        found = as_done(place, job, range(6))
        next(found)
        found.close()
        go.set()
        place.executor.shutdown()

        assert len(begun) < 6
