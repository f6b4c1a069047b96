"""The loop that answers every save. The suites are collected once and one sandbox stays open
throughout, so that nothing starts anew.

What a key does is in ``keys``; how a page is checked and shown, in ``sitting``.
"""

from __future__ import annotations

import time

from grader.examiner.collection import collected
from grader.learner.desk import Desk
from grader.learner.events import END, Events, Files
from grader.learner.keys import Keys
from grader.learner.sitting import Screen, Sitting
from grader.sandbox.launch import Sandbox


class Watch:
    """Stays with the learner and gives every event to whom it concerns."""

    def __init__(
        self,
        desk: Desk,
        sandbox: Sandbox,
        seed: int,
        events: Events,
        files: Files,
        screen: Screen,
    ) -> None:
        suites = collected(desk.house, desk.catalog.values())
        self._sitting = Sitting(desk, suites, sandbox, seed, events, files, screen)
        self._keys = Keys(self._sitting)

    def run(self) -> None:
        """Stay until ``q``; raises whatever breaks."""
        sitting = self._sitting
        sitting.begin()
        sitting.files.watch(sitting.desk.catalog)
        sitting.files.start()
        try:
            self._answer_events()
        finally:
            sitting.files.close()

    def _answer_events(self) -> None:
        self._sitting.check(time.monotonic())
        while (event := self._sitting.events.next()).what != END:
            match event.what:
                case "tick":
                    self._sitting.redraw_if_resized()
                case "save":
                    self._saved(event.at)
                case "suspend":
                    self._suspended()
                case "q" if not self._sitting.question and self._sitting.page is None:
                    return
                case key:
                    self._keys.press(key)

    def _saved(self, at: float) -> None:
        sitting = self._sitting
        others = sitting.files.saved - {sitting.name}
        sitting.files.saved = set()
        sitting.back()
        sitting.notice = ""
        sitting.check(at)
        if others and len(others) < len(sitting.desk.catalog):
            names = ", ".join(f"{name}.py" for name in sorted(others))
            sitting.say(f"{names} changed; this is about {sitting.name}. l lets you go elsewhere.")

    def _suspended(self) -> None:
        """Nothing is being checked while the learner is away: no clock runs against the page."""
        sitting = self._sitting
        sitting.screen.suspend()
        sitting.files.look()
        sitting.draw()
        if sitting.left_off is not None:
            sitting.left_off()
