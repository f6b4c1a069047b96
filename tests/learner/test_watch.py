"""The loop over threads and file events as they are."""

from __future__ import annotations

import threading
import time

import pytest

from grader.learner.events import SUSPEND, Events, Files
from grader.learner.watch import Watch

RIGHT = "def double(x):\n    return 2 * x\n"
FOREVER = "def double(x):\n    while True:\n        pass\n"


class TestRealEvents:
    """Threads and file events as they are."""

    @pytest.mark.parametrize("poll", [False, True])
    def test_a_save_during_an_endless_check_restarts_it(self, workspace, sandbox, screen, poll):
        """The verdict on the second save comes long before the first one's time is up."""
        events = Events()
        files = Files(workspace.folder, events, poll=poll)
        took = []

        def person():
            try:
                _until(screen, "Not written yet")
                before = len(screen.pictures)
                workspace.page("toy").write_text(FOREVER)
                _until(screen, "Checking toy.py", since=before)
                time.sleep(0.3)
                started = time.monotonic()
                workspace.page("toy").write_text(RIGHT)
                _until(screen, "All 2 checks pass")
                took.append(time.monotonic() - started)
            finally:
                events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, files, screen).run()
        thread.join()

        assert took and took[0] < 4

    def test_a_check_that_suspending_left_off_is_begun_again(self, workspace, sandbox, screen):
        """Nothing runs while the learner is away, and no time passes for the page."""
        events = Events()
        workspace.page("toy").write_text(FOREVER)
        screen.while_away = lambda: took.append(time.monotonic() - started)
        took = []

        def person():
            nonlocal started
            _until(screen, "Checking toy.py")
            time.sleep(0.3)
            started = time.monotonic()
            events.put(SUSPEND)
            _until(screen, "away")
            _until(screen, "Checking toy.py", since=screen.pictures.index("away"))
            events.put("q")

        started = 0.0
        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, Files(workspace.folder, events), screen).run()
        thread.join()

        assert took[0] < 4
        assert not any("never ends" in picture for picture in screen.pictures)

    def test_what_was_saved_while_away_is_checked(self, workspace, sandbox, screen, still):
        """And the page that was shown before is not needed any more."""
        events = Events()
        screen.while_away = lambda: workspace.page("toy").write_text(RIGHT)

        def person():
            _until(screen, "Not written yet")
            events.put("l")
            _until(screen, "> ")
            events.put(SUSPEND)
            _until(screen, "All 2 checks pass")
            events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        Watch(workspace, sandbox, 5, events, still(events), screen).run()
        thread.join()

        assert "All 2 checks pass" in screen.pictures[-1]

    def test_quitting_does_not_wait_for_an_endless_check(self, workspace, sandbox, screen):
        """q ends it."""
        events = Events()
        workspace.page("toy").write_text(FOREVER)

        def person():
            _until(screen, "Checking toy.py")
            time.sleep(0.3)
            events.put("q")

        thread = threading.Thread(target=person)
        thread.start()
        started = time.monotonic()
        Watch(workspace, sandbox, 5, events, Files(workspace.folder, events), screen).run()
        thread.join()

        assert time.monotonic() - started < 4


def _until(screen, text, since=0):
    deadline = time.monotonic() + 20
    while not any(text in picture for picture in screen.pictures[since:]):
        assert time.monotonic() < deadline, screen.pictures[-1]
        time.sleep(0.01)
