"""Requests that were asked ahead are answered once, whoever asks them afterwards."""

from __future__ import annotations

import pytest

from grader.errors import DeadlinePassed, WorkerLost
from grader.sandbox.channel import Channel, Frame
from grader.sandbox.deadline import Deadline
from grader.sandbox.exchange import MAX_TAPE_BYTES, Exchange, Tape

SOON = Deadline(5.0)


class Worker(Channel):
    """Answers the ``asked`` in turn, with several messages where there are several; ``failure`` is
    what comes in the place of the last answer.
    """

    def __init__(self, *answers, failure=None):
        self.answers, self.failure, self.asked, self.unread = list(answers), failure, [], []

    def send_parts(self, parts, deadline=None):
        self.asked.append(b"".join(parts))
        answer = self.answers.pop(0) if self.answers else None
        self.unread += answer if isinstance(answer, list) else [answer]

    def receive_frame(self, deadline=None, *, inputs=False):
        message = self.unread.pop(0)
        if message is None:
            raise self.failure
        _, header, *payload = self.parts_of({"value": message})
        return Frame(memoryview(header), memoryview(b"".join(payload)))


def ask(exchange, *questions):
    """The answers, question by question."""
    found = []
    for question in questions:
        exchange.send({"op": question}, SOON)
        found.append(exchange.receive(SOON)["value"])
    return found


def tape_of(**answers):
    """What is noted of a check that asks so."""
    exchange = Exchange(Worker(*answers.values()))
    exchange.tape = Tape()
    ask(exchange, *answers)
    assert exchange.tape.whole
    return exchange.tape


@pytest.fixture
def tape():
    return tape_of(one=1, two=2, three=3)


class TestTheSameAnswers:
    def test_are_those_of_the_tape(self, tape):
        """Nobody need ask again."""
        worker = Worker(1, 2, 3)

        assert Exchange(worker).ask_ahead([tape], SOON) is tape
        assert worker.asked == tape.requests

    def test_are_those_of_one_of_several(self, tape):
        """They part where answers do; what is asked follows the one."""
        other = tape_of(one=1, two=5, six=6)
        worker = Worker(1, 5, 6)

        assert Exchange(worker).ask_ahead([tape, other], SOON) is other
        assert worker.asked == other.requests


class TestOtherAnswers:
    @pytest.mark.parametrize("answers", [(7, 2, 3), (1, 7, 3), (1, 2, 7), (1.0, 2, 3)])
    def test_are_had_without_asking_twice(self, tape, answers):
        """Those that came are served, the others asked for."""
        exchange = Exchange(worker := Worker(*answers))

        assert exchange.ask_ahead([tape], SOON) is None
        assert ask(exchange, "one", "two", "three") == list(answers)
        assert worker.asked == tape.requests

    def test_may_lead_to_other_questions(self, tape):
        """From there on it is asked what the check asks."""
        exchange = Exchange(Worker(1, 7, 8))
        exchange.ask_ahead([tape], SOON)

        assert ask(exchange, "one", "two", "eight") == [1, 7, 8]

    def test_are_a_tape_of_their_own(self, tape):
        """Also of what was asked ahead."""
        exchange = Exchange(Worker(1, 7, 3))
        exchange.ask_ahead([tape], SOON)
        exchange.tape = Tape()
        ask(exchange, "one", "two", "three")

        again = Exchange(Worker(1, 7, 3))
        assert again.ask_ahead([tape, exchange.tape], SOON) is exchange.tape

    def test_come_with_what_else_was_said(self, tape):
        """A message before the answer is another answer; both are heard, in their order."""
        exchange = Exchange(Worker(1, ["a note", 2], 3))

        assert exchange.ask_ahead([tape], SOON) is None
        assert ask(exchange, "one", "two") == [1, "a note"]
        assert exchange.receive(SOON)["value"] == 2
        assert ask(exchange, "three") == [3]

    def test_without_a_tape_nothing_is_asked(self):
        """Nobody has passed yet."""
        exchange = Exchange(worker := Worker(1))

        assert exchange.ask_ahead([], SOON) is None
        assert worker.asked == []

    def test_a_check_that_asks_otherwise_is_not_served(self, tape):
        """Answers to other requests would be answers to nothing: it is begun again elsewhere."""
        exchange = Exchange(Worker(7))
        exchange.ask_ahead([tape], SOON)

        with pytest.raises(WorkerLost):
            exchange.send({"op": "nine"}, SOON)


class TestAFailure:
    def test_comes_when_its_request_is_made(self, tape):
        """Not before: what was answered until then is judged first."""
        late = DeadlinePassed("late")
        exchange = Exchange(Worker(1, failure=late))

        assert exchange.ask_ahead([tape], SOON) is None
        assert ask(exchange, "one") == [1]
        exchange.send({"op": "two"}, SOON)
        with pytest.raises(DeadlinePassed) as caught:
            exchange.receive(SOON)
        assert caught.value is late

    def test_says_how_long_was_waited(self, tape):
        """Whoever makes the request later has not waited at all."""
        exchange = Exchange(Worker(failure=DeadlinePassed("late")))
        exchange.ask_ahead([tape], SOON)
        exchange.send({"op": "one"}, SOON)

        with pytest.raises(DeadlinePassed) as caught:
            exchange.receive(SOON)
        assert caught.value.waited_seconds > 0


class TestTheDeadline:
    def test_stands_still_between_the_answers(self, tape, monkeypatch):
        """As when the check asks: only the worker's time counts."""
        turns = []
        monkeypatch.setattr(Deadline, "go_on", lambda self: turns.append("go"))
        monkeypatch.setattr(Deadline, "pause", lambda self: turns.append("stop"))
        Exchange(Worker(1, 2, 3)).ask_ahead([tape], SOON)

        assert turns == ["go", "stop"] * 3


class TestATape:
    def test_is_not_whole_when_more_came(self):
        """Printed text is no part of an answer."""
        exchange = Exchange(Worker([1, 2]))
        exchange.tape = Tape()
        ask(exchange, "one")
        exchange.receive(SOON)

        assert not exchange.tape.whole

    def test_is_not_whole_when_it_was_spoiled(self, tape):
        """What a check finds depends on more."""
        tape.spoiled = True

        assert not tape.whole

    def test_of_nothing_is_not_whole(self):
        """Who was asked nothing has not answered as another did."""
        assert not Tape().whole

    def test_shares_what_another_was_asked_too(self):
        """The same bytes, once; what follows is its own."""
        one, other = tape_of(one=1, two=2, three=3), tape_of(one=5, two=6, four=4)
        wanted = list(other.requests)
        other.share(one)

        assert other.requests == wanted
        assert [a is b for a, b in zip(one.requests, other.requests, strict=True)] == [
            True,
            True,
            False,
        ]

    def test_shares_with_one_of_another_length(self):
        """Neither loses anything."""
        one, other = tape_of(one=1, two=2, three=3), tape_of(one=5)
        for short, long in ((one, other), (other, one)):
            before = list(short.requests)
            short.share(long)
            assert short.requests == before

    def test_is_bounded(self):
        """Of a large check nothing is kept."""
        exchange = Exchange(Worker(1, 2))
        exchange.tape = Tape()
        exchange.send({"op": "x" * MAX_TAPE_BYTES}, SOON)
        exchange.receive(SOON)

        assert not exchange.tape.whole
        assert exchange.tape.requests == exchange.tape.answers == []
