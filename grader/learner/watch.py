"""The loop that answers every save. One pytest run and one sandbox stay open throughout: the run's
``work`` waits for the next event and yields the turns it asks for, so that nothing starts anew.

What a key does is in ``keys``; how a page is checked and shown, in ``sitting``.
"""

from __future__ import annotations

import time

from grader.examiner.run import examine
from grader.learner.desk import Desk
from grader.learner.events import END, Events, Files
from grader.learner.keys import Keys
from grader.learner.sitting import Screen, Sitting, Turns
from grader.sandbox.launch import Sandbox


class Watch:
    """Stays with the learner and gives every event to whom it concerns."""

    def __init__(
        self, desk: Desk, sandbox: Sandbox, events: Events, files: Files, screen: Screen
    ) -> None:
        self._sitting = Sitting(desk, sandbox, events, files, screen)
        self._keys = Keys(self._sitting)

    def run(self, seed: int) -> None:
        """Stay until ``q``; raises whatever breaks."""
        sitting = self._sitting
        sitting.begin()
        sitting.files.watch(sitting.desk.catalog)
        sitting.files.start()
        try:
            examine(sitting.desk.house, sitting.exercises, seed, self._work)
        finally:
            sitting.files.close()

    def _work(self) -> Turns:
        """Answer events until ``q``."""
        yield from self._sitting.check(time.monotonic())
        while (event := self._sitting.events.next()).what != END:
            match event.what:
                case "tick":
                    self._sitting.redraw_if_resized()
                case "save":
                    yield from self._saved(event.at)
                case "suspend":
                    yield from self._suspended()
                case "q" if not self._sitting.question and self._sitting.page is None:
                    return
                case key:
                    yield from self._keys.press(key)

    def _saved(self, at: float) -> Turns:
        sitting = self._sitting
        others = sitting.files.saved - {sitting.name}
        sitting.files.saved = set()
        sitting.back()
        sitting.notice = ""
        yield from sitting.check(at)
        if others and len(others) < len(sitting.desk.catalog):
            names = ", ".join(f"{name}.py" for name in sorted(others))
            sitting.say(f"{names} changed; this is about {sitting.name}. l lets you go elsewhere.")

    def _suspended(self) -> Turns:
        """Nothing is being checked while the learner is away: no clock runs against the page."""
        sitting = self._sitting
        sitting.screen.suspend()
        sitting.files.look()
        sitting.draw()
        if sitting.left_off is not None:
            yield from sitting.left_off()
