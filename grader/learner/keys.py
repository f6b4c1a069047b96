"""What each key does while watching: one method a key, and what its page then understands."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.course.suite_text import suite_points
from grader.errors import LearnerError
from grader.learner import view
from grader.learner.pairs import pairs
from grader.learner.progress import passed
from grader.learner.sitting import Page, Sitting
from grader.learner.view import Line
from grader.model import ExerciseReport

_SCROLLS = {" ": 0, "j": 1, "down": 1, "k": -1, "up": -1}
_LIST_KEYS = "j k move   Enter go there   any other key: back"


@dataclass
class Choice(Page):
    """A page with a mark that moves; the exercise under it is ``chosen``."""

    chosen: str = ""
    keys: str = _LIST_KEYS


class Keys:
    """Answers keys in one sitting."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting = sitting
        self._desk = sitting.desk
        self._actions: Mapping[str, Callable[[], None]] = {
            "n": self._next, "h": self._hint, "l": self._list, "c": self._check_all,
            "x": self._ask, "s": self._solution, "m": self._more,
        }  # fmt: skip

    def press(self, key: str) -> None:
        """Do what the key means on what is shown now."""
        sitting = self._sitting
        if sitting.question:
            self._confirmed(key)
        elif isinstance(sitting.page, Choice):
            self._choose(sitting.page, key)
        elif sitting.page is not None:
            self._scroll(sitting.page, key)
        else:
            sitting.notice = ""
            self._actions.get(key, sitting.draw)()

    # On the main screen -----------------------------------------------------------------------

    def _next(self) -> None:
        sitting = self._sitting
        if not sitting.progress.of(sitting.name).done:
            sitting.say(f"n goes on once {sitting.name} passes. l lets you go elsewhere.")
            return
        name = self._desk.next_open(sitting.progress, after=sitting.name)
        if name:
            self._go(name)
        else:
            self._finish()

    def _go(self, name: str) -> None:
        self._sitting.back()
        self._sitting.put_at_hand(name)
        self._sitting.check(time.monotonic())

    def _finish(self) -> None:
        """Everything passed once; check all of it again before saying so."""
        sitting = self._sitting
        sitting.busy = "Everything is done. Checking all of it once more …"
        sitting.draw()
        reports = sitting.examined(sitting.exercises, self._finish)
        if reports is None:
            return
        failing = [report.name for report in reports if not passed(report)]
        if failing:
            self._open_summary(reports, failing)
            sitting.put_at_hand(failing[0])
        else:
            names = list(self._desk.catalog)
            sitting.open(Page(lambda width: view.finale_lines(sitting.progress, names, width)))

    def _check_all(self) -> None:
        sitting, touched = self._sitting, self._desk.touched
        if not touched:
            sitting.say("Nothing has been changed yet, so there is nothing to check.")
            return
        sitting.busy = f"Checking what you have changed ({len(touched)}) …"
        sitting.draw()
        before = sitting.progress
        reports = sitting.examined(touched, self._check_all)
        if reports is not None:
            worse = [r.name for r in reports if before.of(r.name).done and not passed(r)]
            self._open_summary(reports, worse)

    def _open_summary(self, reports: Sequence[ExerciseReport], worse: Sequence[str]) -> None:
        self._sitting.open(Page(lambda width: view.summary_lines(reports, width, worse)))

    def _hint(self) -> None:
        sitting = self._sitting
        hints = self._desk.catalog[sitting.name].hints
        standing = sitting.progress.of(sitting.name)
        if standing.done:
            sitting.notice = "It passes already: no more hints are needed."
        elif standing.hints >= len(hints):
            sitting.notice = "That was the last hint. m shows all of them once more."
        else:
            sitting.keep(lambda progress: progress.hinted(sitting.name, len(hints)))
        sitting.draw()

    def _solution(self) -> None:
        sitting = self._sitting
        page = self._desk.house.solution(sitting.name)
        if not sitting.progress.of(sitting.name).passed_at:
            sitting.say("The solution can be seen once yours has passed. h shows a hint.")
        elif not page.exists():
            sitting.say("This course came without solutions.")
        else:
            found = pairs(self._desk.text(sitting.name), page.read_text(encoding="utf-8"))
            sitting.open(Page(lambda width: view.pair_lines(found, width)))

    def _more(self) -> None:
        sitting = self._sitting
        report = sitting.result.report
        shown = sitting.progress.of(sitting.name).hints
        hints = self._desk.catalog[sitting.name].hints[:shown]
        if report is not None:
            sitting.open(Page(lambda width: view.full_lines(report, hints, width)))

    # Starting again ---------------------------------------------------------------------------

    def _ask(self) -> None:
        sitting = self._sitting
        page = f"{sitting.name}.py"
        sitting.question = f"Put a fresh {page} in place of yours? Yours is kept beside it. y/n"
        sitting.draw()

    def _confirmed(self, key: str) -> None:
        sitting = self._sitting
        sitting.question = ""
        if key not in ("y", "Y"):
            sitting.say("Nothing was changed.")
            return
        try:
            kept = self._desk.reset(sitting.name)
        except LearnerError as error:
            sitting.say(str(error))
            return
        sitting.files.watch(self._desk.catalog)
        sitting.keep(lambda progress: progress)
        sitting.notice = f"A fresh {sitting.name}.py lies there now."
        if kept is not None:
            sitting.notice += f" What you had is kept as {kept.name}."
        sitting.check(time.monotonic())

    # The list, and other pages ----------------------------------------------------------------

    def _list(self) -> None:
        sitting = self._sitting
        points = {name: suite_points(self._desk.house, name) for name in self._desk.catalog}

        def lines(width: int) -> list[Line]:
            return view.list_lines(
                sitting.exercises, sitting.progress, points, width, choice.chosen
            )

        choice = Choice(lines, chosen=sitting.name)
        sitting.open(choice)

    def _choose(self, choice: Choice, key: str) -> None:
        names = list(self._desk.catalog)
        if key in ("enter", "c"):
            self._go(choice.chosen)
        elif _SCROLLS.get(key):
            place = names.index(choice.chosen) + _SCROLLS[key]
            choice.chosen = names[max(0, min(place, len(names) - 1))]
            self._follow(choice, names.index(choice.chosen) + 1)
        else:
            self._back()

    def _follow(self, choice: Choice, line: int) -> None:
        rows = self._sitting.page_rows
        choice.top = max(min(choice.top, line - 1), line - rows + 1, 0)
        self._sitting.draw()

    def _scroll(self, page: Page, key: str) -> None:
        if key in _SCROLLS:
            page.top += _SCROLLS[key] or self._sitting.page_rows
            self._sitting.draw()
        else:
            self._back()

    def _back(self) -> None:
        self._sitting.back()
        self._sitting.draw()
