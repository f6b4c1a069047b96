"""The loop that answers every save.

The suites are collected once and one sandbox stays open throughout, so that nothing starts anew.
What a key does is in ``keys``; how a page is checked and shown, in ``watch_state``.
"""

from __future__ import annotations

import time

from grader.examiner.collection import collected
from grader.learner import words
from grader.learner.events import END, Events, Files
from grader.learner.keys import Keys
from grader.learner.second_examiner import SecondExaminer, is_possible
from grader.learner.watch_state import Screen, WatchState
from grader.learner.workspace import Workspace
from grader.sandbox.launch import Sandbox


class Watch:
    """Stays with the learner and passes on every event to what answers it. With ``another``
    sandbox, opened before there were suites, a second examiner helps.
    """

    def __init__(
        self,
        workspace: Workspace,
        sandbox: Sandbox,
        seed: int,
        events: Events,
        files: Files,
        screen: Screen,
        another: Sandbox | None = None,
    ) -> None:
        suites = collected(workspace.course, workspace.catalog.values())
        self._state = WatchState(workspace, suites, sandbox, seed, events, files, screen)
        if another is not None and is_possible():
            self._state.second = SecondExaminer(suites, seed, another)
        self._keys = Keys(self._state)

    def run(self) -> None:
        """Stay until ``q``; raises whatever breaks."""
        state = self._state
        state.begin()
        state.files.watch(state.workspace.catalog)
        state.files.start()
        try:
            self._answer_events()
        finally:
            state.files.close()
            if state.second is not None:
                state.second.close()

    def _answer_events(self) -> None:
        self._state.check(time.monotonic())
        while (event := self._state.events.next()).what != END:
            match event.what:
                case "tick":
                    self._state.redraw_if_resized()
                case "save":
                    self._saved(event.at)
                case "suspend":
                    self._suspended()
                case "q" if not self._state.question and self._state.page is None:
                    return
                case key:
                    self._keys.press(key)

    def _saved(self, at: float) -> None:
        state = self._state
        others = state.files.saved - {state.name}
        state.files.saved = set()
        state.back()
        state.notice = ""
        state.check(at)
        if others and len(others) < len(state.workspace.catalog):
            pages = ", ".join(f"{name}.py" for name in sorted(others))
            state.say(words.OTHERS_CHANGED.format(pages=pages, name=state.name))

    def _suspended(self) -> None:
        """Nothing is being checked while the learner is away: no clock runs against the page."""
        state = self._state
        state.screen.suspend()
        state.files.look()
        state.draw()
        if state.left_off is not None:
            state.left_off()
