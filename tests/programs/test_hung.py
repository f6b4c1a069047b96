"""What hung twice is not called a third time; who is merely slow goes on being asked."""

from __future__ import annotations

import time

import pytest

from grader.errors import DeadlinePassed, NotAskedAgain, WorkerLost
from grader.programs.client import client_of
from grader.programs.hung import Hangs, WatchedClient
from grader.programs.proxy import Implementation
from grader.sandbox.protocol import Object

SECONDS = 0.1


class Worker:
    """Hands out layers; calls of ``hanging`` hang, after as long as it is told, or are lost."""

    def __init__(self, hanging):
        self.hanging, self.error, self.takes, self.asked = hanging, DeadlinePassed, SECONDS, []

    def perform(self, request):
        name = request.get("name", request["op"])
        self.asked.append(name)
        if name == self.hanging:
            time.sleep(self.takes)
            raise self.error("late")
        made = Object(0, "Layer") if name == "Layer" else 1.0
        return {"number": 0, "value": made, "changed": []}


@pytest.fixture
def hangs():
    return Hangs()


@pytest.fixture
def check(hangs):
    """``check(worker)``: the implementation, as a new check of the same submission gets it."""

    def check(worker, module="toy"):
        names = ("double", "half", "Layer")
        client = WatchedClient(worker.perform, module, names, "cpu", hangs, SECONDS)
        return Implementation(client)

    return check


def hung(check, worker, times=2, of=lambda impl: impl.double(1)):
    for _ in range(times):
        with pytest.raises((DeadlinePassed, WorkerLost)):
            of(check(worker))
    worker.asked.clear()


class TestWhatHungTwice:
    def test_is_not_called_again(self, check):
        """The worker is not even asked; what was called is told."""
        worker = Worker("double")
        hung(check, worker)
        with pytest.raises(NotAskedAgain) as told:
            check(worker).double(1)

        assert worker.asked == []
        assert told.value.calls[-1]["name"] == "double"

    def test_is_called_the_second_time(self, check):
        """Once is too little evidence: a machine may have stood still."""
        worker = Worker("double")
        hung(check, worker, times=1)
        with pytest.raises(DeadlinePassed) as told:
            check(worker).double(1)

        assert not isinstance(told.value, NotAskedAgain)

    def test_is_this_function_alone(self, check):
        """Others are asked, and so is one of the same name in another exercise."""
        worker = Worker("double")
        hung(check, worker)

        assert check(worker).half(1) == 1.0
        with pytest.raises(DeadlinePassed):
            check(worker, "other").double(1)
        assert worker.asked == ["half", "double"]

    def test_may_be_a_method(self, check):
        """Then its class is still made, and what is asked of that alone earns its points."""
        worker = Worker("__call__")
        hung(check, worker, of=lambda impl: impl.Layer()(1))
        layer = check(worker).Layer()
        with pytest.raises(NotAskedAgain):
            layer(1)

        assert worker.asked == ["Layer"]


class TestWhatIsNoHang:
    def test_is_a_lost_worker(self, check):
        """That was nobody's fault."""
        worker = Worker("double")
        worker.error = WorkerLost
        hung(check, worker, times=4)
        with pytest.raises(WorkerLost):
            check(worker).double(1)

    def test_is_the_last_of_many_calls(self, check):
        """The check's seconds went by in the calls before it: one alone may be in time."""
        worker = Worker("double")
        worker.takes = 0.2 * SECONDS
        hung(check, worker, times=4)
        worker.hanging = ""

        assert check(worker).double(1) == 1.0

    def test_is_a_trial_on_another_device(self, check):
        """It is for advice, and costs nothing."""
        worker = Worker("double")

        def elsewhere(impl):
            client_of(impl).elsewhere = True
            impl.double(1)

        hung(check, worker, times=3, of=elsewhere)
        worker.hanging = ""

        assert check(worker).double(1) == 1.0
