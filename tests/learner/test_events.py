"""Events come one by one, and an interrupt hits the check it is meant for."""

from __future__ import annotations

import threading
import time

import pytest

from grader.learner.events import END, SAVE, SUSPEND, TICK, Events, Files


def taken(events):
    return events.next().what


class TestOrder:
    def test_saves_that_nobody_answered_yet_are_one(self):
        """The answer is about what the page says then."""
        events = Events()
        for what in (SAVE, "n", SAVE):
            events.put(what)

        assert [taken(events), taken(events), taken(events)] == [SAVE, "n", TICK]


class TestInterrupts:
    @pytest.mark.parametrize(
        ("what", "hits"), [(SAVE, 1), (END, 1), (SUSPEND, 1), ("q", 1), ("n", 0)]
    )
    def test_what_is_urgent_ends_the_check_at_hand(self, what, hits):
        """A hint or a list can wait; after the check there is nothing to end."""
        events, hit = Events(), []
        with events.interrupting(lambda: hit.append(what)):
            events.put(what)
        events.put(what)

        assert len(hit) == hits
        assert events.urgent == bool(hits)

    def test_an_event_is_not_to_be_had_before_its_interrupt_is_over(self):
        """On a busy machine the check that answers a save would else be hit by that save."""
        events, order = Events(), []

        def slow():
            begun.set()
            time.sleep(0.2)
            order.append("interrupted")

        begun = threading.Event()
        with events.interrupting(slow):
            thread = threading.Thread(target=events.put, args=[SAVE])
            thread.start()
            begun.wait()
            order.append(taken(events))
        thread.join()

        assert order == ["interrupted", SAVE]


def test_what_we_write_is_no_save(tmp_path):
    """However long it takes, and whoever looks meanwhile; the learner's next save is one."""
    page = tmp_path / "softmax.py"
    page.write_text("old")
    events = Events()
    files = Files(tmp_path, events)
    files.watch(["softmax"])

    with files.written_by_us():
        page.unlink()
        looking = threading.Thread(target=files.look)
        looking.start()
        time.sleep(0.1)
        page.write_text("fresh")
    looking.join()
    assert not events.any

    page.write_text("a line of the learner")
    files.look()
    assert (taken(events), files.saved) == (SAVE, {"softmax"})
