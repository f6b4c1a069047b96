"""What each key does while watching: one method a key, and what its page then understands."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grader.course.suite_text import suite_points
from grader.errors import LearnerError
from grader.learner import reading, seeing, words
from grader.learner.asking import Asking, open_asking
from grader.learner.lines import Line, hints_shown, next_hint
from grader.learner.pairs import pairs
from grader.learner.progress import passed
from grader.learner.watch_state import Page, WatchState
from grader.model import ExerciseReport
from grader.pictures import scene_of

_SCROLLS = {" ": 0, "j": 1, "down": 1, "k": -1, "up": -1}


@dataclass
class Choice(Page):
    """A page with a mark that moves; the exercise under it is ``chosen``."""

    chosen: str = ""
    keys: str = words.CHOICE_KEYS


class Keys:
    """Answers keys in one sitting."""

    def __init__(self, state: WatchState) -> None:
        self._state = state
        self._workspace = state.workspace
        self._actions: Mapping[str, Callable[[], None]] = {
            "n": self._next, "h": self._hint, "l": self._list, "c": self._check_all,
            "x": self._ask, "s": self._solution, "m": self._more, "p": self._picture,
            "?": lambda: open_asking(state),
        }  # fmt: skip

    def press(self, key: str) -> None:
        """Do what the key means on what is shown now."""
        state = self._state
        if state.question:
            self._confirmed(key)
        elif isinstance(state.page, Choice):
            self._choose(state.page, key)
        elif isinstance(state.page, Asking):
            self._answer(state.page, key)
        elif state.page is not None:
            self._scroll(state.page, key)
        else:
            state.notice = ""
            self._actions.get(key, state.draw)()

    # On the main screen -----------------------------------------------------------------------

    def _next(self) -> None:
        state = self._state
        if not state.progress.of(state.name).core:
            checks = state.suites.of(self._workspace.catalog[state.name]).checks
            has_core = any(collected.check.core for collected in checks)
            said = words.NO_CORE_YET if has_core else words.NOT_YET
            state.say(said.format(name=state.name))
            return
        name = self._workspace.next_open(state.progress, after=state.name)
        if name:
            self._go(name)
        else:
            self._finish()

    def _go(self, name: str) -> None:
        self._state.back()
        self._state.put_at_hand(name)
        self._state.check(time.monotonic())

    def _finish(self) -> None:
        """Everything passed once; check all of it again before saying so."""
        state = self._state
        state.busy = words.CHECKING_EVERYTHING
        state.draw()
        reports = state.examined(state.exercises, self._finish)
        if reports is None:
            return
        failing = [report.name for report in reports if not passed(report)]
        if failing:
            self._open_summary(reports, failing)
            state.put_at_hand(failing[0])
        else:
            names, ending = list(self._workspace.catalog), self._workspace.course.about.ending
            finale = partial(reading.finale_lines, state.progress, names, ending)
            state.open(Page(finale))

    def _check_all(self) -> None:
        state, touched = self._state, self._workspace.touched
        if not touched:
            state.say(words.NOTHING_TO_CHECK)
            return
        state.busy = words.CHECKING_CHANGED.format(count=len(touched))
        state.draw()
        before = state.progress
        reports = state.examined(touched, self._check_all)
        if reports is not None:
            worse = [r.name for r in reports if before.of(r.name).done and not passed(r)]
            self._open_summary(reports, worse)

    def _open_summary(self, reports: Sequence[ExerciseReport], worse: Sequence[str]) -> None:
        self._state.open(Page(lambda width: reading.summary_lines(reports, width, worse)))

    def _hint(self) -> None:
        state = self._state
        exercise = self._workspace.catalog[state.name]
        standing = state.progress.of(state.name)
        number = next_hint(exercise, standing.hints, state.function)
        if standing.done:
            state.notice = words.NO_HINT_NEEDED
        elif number is None:
            state.notice = words.LAST_HINT
        else:
            state.keep(lambda progress: progress.hinted(state.name, number))
        state.draw()

    def _solution(self) -> None:
        state = self._state
        page = self._workspace.course.solution(state.name)
        if not state.progress.of(state.name).passed_at:
            state.say(words.SOLUTION_LATER)
        elif not page.exists():
            state.say(words.NO_SOLUTIONS)
        else:
            found = pairs(self._workspace.text(state.name), page.read_text(encoding="utf-8"))
            state.open(Page(lambda width: reading.pair_lines(found, width)))

    def _more(self) -> None:
        state = self._state
        report = state.result.report
        exercise = self._workspace.catalog[state.name]
        shown = hints_shown(exercise, state.progress.of(state.name).hints)
        if report is not None:
            state.open(Page(lambda width: reading.full_lines(report, exercise, shown, width)))

    def _picture(self) -> None:
        state = self._state
        if not state.result.panels:
            state.say(words.NOTHING_TO_SEE.format(name=state.name))
            return
        state.busy = words.DRAWING
        state.draw()
        seen = state.looked()
        if seen is not None:
            width = state.screen.size.width
            path = self._workspace.folder / f"{state.name}.png"
            exercise = self._workspace.catalog[state.name]
            note = seeing.filed(
                exercise, scene_of(self._workspace.course, state.name), seen, path, width
            )
            state.open(Page(partial(seeing.seen_lines, seen, note)))

    # Starting again ---------------------------------------------------------------------------

    def _ask(self) -> None:
        state = self._state
        state.question = words.ASK_FOR_FRESH.format(name=state.name)
        state.draw()

    def _confirmed(self, key: str) -> None:
        state = self._state
        state.question = ""
        if key not in ("y", "Y"):
            state.say(words.NOTHING_CHANGED)
            return
        try:
            with state.files.written_by_us():
                kept = self._workspace.reset(state.name)
        except LearnerError as error:
            state.say(str(error))
            return
        state.keep(lambda progress: progress)
        state.notice = words.FRESH_NOW.format(name=state.name)
        if kept is not None:
            state.notice += " " + words.KEPT_AS.format(kept=kept.name)
        state.check(time.monotonic())

    # The list, and other pages ----------------------------------------------------------------

    def _list(self) -> None:
        state = self._state
        points = {
            name: suite_points(self._workspace.course, name) for name in self._workspace.catalog
        }

        def lines(width: int) -> list[Line]:
            return reading.list_lines(state.exercises, state.progress, points, width, choice.chosen)

        choice = Choice(lines, chosen=state.name)
        state.open(choice)

    def _choose(self, choice: Choice, key: str) -> None:
        names = list(self._workspace.catalog)
        if key in ("enter", "c"):
            self._go(choice.chosen)
        elif _SCROLLS.get(key):
            place = names.index(choice.chosen) + _SCROLLS[key]
            choice.chosen = names[max(0, min(place, len(names) - 1))]
            self._follow(choice, names.index(choice.chosen) + 1)
        else:
            self._back()

    def _follow(self, choice: Choice, line: int) -> None:
        rows = self._state.page_rows
        choice.top = max(min(choice.top, line - 1), line - rows + 1, 0)
        self._state.draw()

    def _scroll(self, page: Page, key: str) -> None:
        if key in _SCROLLS:
            page.top += _SCROLLS[key] or self._state.page_rows
            self._state.draw()
        else:
            self._back()

    def _answer(self, asking: Asking, key: str) -> None:
        if asking.press(key):
            self._state.draw()
        else:
            self._back()

    def _back(self) -> None:
        self._state.back()
        self._state.draw()
