"""The loop that answers every save. One pytest run and one sandbox stay open throughout: the run's
``work`` waits for the next event and yields the turns it asks for, so that nothing starts anew.
"""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from grader.collect import collect
from grader.course.suite_text import read_suite, suite_points
from grader.errors import CollectError, LearnerError
from grader.examiner.assembly import Examination
from grader.examiner.bank import load_by_path
from grader.examiner.plugin import Turn
from grader.examiner.run import examine
from grader.examiner.subject import LocalSubject, SubmissionSubject
from grader.learner import view
from grader.learner.desk import Desk
from grader.learner.events import END, Events, Files
from grader.learner.pairs import pairs
from grader.learner.progress import Progress, passed
from grader.learner.view import Line, Sight, Size
from grader.model import Exercise, ExerciseReport, Outcome, Submission, Verdict
from grader.sandbox.launch import Sandbox

_SCROLLS = {" ": 0, "j": 1, "down": 1, "k": -1, "up": -1}
_PAGE_KEYS = "space j k scroll   any other key: back"
_LIST_KEYS = "j k move   Enter go there   any other key: back"
_PLACE = re.compile(r"(\w+\.py), line (\d+)")
Examined = Generator[Turn, None, list[ExerciseReport] | None]


class Screen(Protocol):
    """Where lines are shown."""

    @property
    def size(self) -> Size: ...

    def show(self, lines: Sequence[Line]) -> None: ...


@dataclass
class Page:
    """Something to read, however long, in place of the main screen."""

    lines: Callable[[int], list[Line]]
    keys: str = _PAGE_KEYS
    top: int = 0


@dataclass
class Result:
    """What the last check of the exercise at hand has found, ``seconds`` after the save."""

    report: ExerciseReport | None = None
    not_run: str = ""
    seconds: float = 0.0


@dataclass
class Watch:
    """One sitting: the exercise at hand, what is on the screen, and the next thing to do."""

    desk: Desk
    sandbox: Sandbox
    events: Events
    files: Files
    screen: Screen
    name: str = ""
    progress: Progress = field(default_factory=Progress)
    result: Result = field(default_factory=Result)
    notice: str = ""
    busy: str = ""
    page: Page | None = None
    asked: bool = False
    cursor: str = ""
    revision: int = 0
    rehearsed: set[str] = field(default_factory=set)

    def run(self, seed: int) -> None:
        """Stay until ``q``; raises whatever breaks."""
        self.progress = self.desk.progress.load()
        self.name = self.desk.current(self.progress)
        self._keep(lambda progress: progress.at(self.name))
        self.files.watch(self.desk.catalog)
        self.files.start()
        try:
            examine(self.desk.house, self._exercises, seed, self.work)
        finally:
            self.files.close()

    def work(self) -> Iterator[Turn]:
        """Answer events until ``q``."""
        yield from self._check(time.monotonic())
        while (event := self.events.next()).what != END:
            match event.what:
                case "tick":
                    self._redraw_if_resized()
                case "save":
                    yield from self._saved(event.at)
                case "q" if not self.asked and self.page is None:
                    return
                case key:
                    yield from self._press(key)

    @property
    def _exercises(self) -> list[Exercise]:
        return list(self.desk.catalog.values())

    # Checking ---------------------------------------------------------------------------------

    def _saved(self, at: float) -> Iterator[Turn]:
        others = self.files.saved - {self.name}
        self.files.saved = set()
        self._back()
        self.notice = ""
        yield from self._check(at)
        if others and len(others) < len(self.desk.catalog):
            names = ", ".join(f"{name}.py" for name in sorted(others))
            self._say(f"{names} changed; this is about {self.name}. l lets you go elsewhere.")

    def _check(self, since: float) -> Iterator[Turn]:
        """Check the exercise at hand; something urgent leaves it unfinished."""
        exercise = self.desk.catalog[self.name]
        self.busy = f"Checking {exercise.name}.py …"
        self.draw()
        reports = yield from self._examined([exercise])
        if reports is not None:
            left_out = _left_out(reports[0], len(read_suite(self.desk.house, exercise.name)))
            self.result = Result(reports[0], left_out, time.monotonic() - since)
            self.draw()
            yield from self._rehearse(exercise)
        gc.collect()

    def _rehearse(self, exercise: Exercise) -> Iterator[Turn]:
        """While nothing else is to be done: ask the reference, so that its answers are known when
        the next save comes.
        """
        if exercise.name not in self.rehearsed:
            reference = dict(vars(load_by_path(self.desk.house.solution(exercise.name))))
            yield Turn(LocalSubject(reference), exercise, _ignore, stop=lambda _: self.events.any)
            if not self.events.any:
                self.rehearsed.add(exercise.name)

    def _examined(self, exercises: Sequence[Exercise]) -> Examined:
        """Their reports, kept in the progress; None if something urgent came between."""
        submission = self._handed_in()
        subject = SubmissionSubject(submission, self.sandbox)
        examination = Examination(subject, self.desk.catalog, _ignore, self._is_enough)
        reports: list[ExerciseReport] = []
        with self.events.interrupting(subject.interrupt):
            for exercise in exercises:
                yield from examination.turns(exercise)
                if self.events.urgent:
                    self.busy = ""
                    return None
                found = examination.found[exercise.name]
                reports.append(ExerciseReport(exercise.name, tuple(found)))
        self.busy = ""
        self._keep(lambda progress: self.desk.after(progress, reports, submission.files))
        return reports

    def _handed_in(self) -> Submission:
        """The pages as they are now, under a name of their own: each save gets a fresh worker."""
        self.revision += 1
        name, folder = f"revision {self.revision}", self.desk.folder
        try:
            found = collect(folder, self.desk.catalog)[0]
        except CollectError:
            return Submission(name, folder.name, {})
        return Submission(name, found.student, found.files, found.problems)

    def _is_enough(self, found: Sequence[Verdict]) -> bool:
        """One check that never ends is enough: the others would take as long."""
        return self.events.urgent or any(v.outcome is Outcome.TIMEOUT for v in found)

    def _keep(self, how: Callable[[Progress], Progress]) -> None:
        """Change the progress; a folder that takes no files is said, and does not stop anybody."""
        file = self.desk.progress
        try:
            self.progress = file.change(how)
        except LearnerError as error:
            self.progress, self.notice = how(self.progress), str(error)
        if file.notices:
            self.notice = " ".join(file.notices)
            file.notices.clear()

    # Keys -------------------------------------------------------------------------------------

    def _press(self, key: str) -> Iterator[Turn]:
        if self.asked:
            yield from self._confirmed(key)
        elif self.cursor:
            yield from self._choose(key)
        elif self.page is not None:
            self._scroll(self.page, key)
        else:
            keys: Mapping[str, Callable[[], Iterator[Turn] | None]] = {
                "n": self._next, "h": self._hint, "l": self._list, "c": self._check_all,
                "x": self._ask, "s": self._solution, "m": self._more,
            }  # fmt: skip
            self.notice = ""
            yield from keys.get(key, self._unknown)() or ()

    def _next(self) -> Iterator[Turn]:
        if not self.progress.of(self.name).done:
            self._say(f"n goes on once {self.name} passes. l lets you go elsewhere.")
            return
        name = self.desk.next_open(self.progress, after=self.name)
        if name:
            yield from self._go(name)
        else:
            yield from self._finish()

    def _go(self, name: str) -> Iterator[Turn]:
        self.name, self.result = name, Result()
        self._back()
        self._keep(lambda progress: progress.at(name))
        yield from self._check(time.monotonic())

    def _finish(self) -> Iterator[Turn]:
        """Everything passed once; check all of it again before saying so."""
        self.busy = "Everything is done. Checking all of it once more …"
        self.draw()
        reports = yield from self._examined(self._exercises)
        if reports is None:
            return
        failing = [report.name for report in reports if not passed(report)]
        if failing:
            self._open(Page(lambda width: view.summary_lines(reports, width, failing)))
            self.name, self.result = failing[0], Result()
            self._keep(lambda progress: progress.at(failing[0]))
        else:
            names = list(self.desk.catalog)
            self._open(Page(lambda width: view.finale_lines(self.progress, names, width)))

    def _check_all(self) -> Iterator[Turn]:
        touched = self.desk.touched
        if not touched:
            self._say("Nothing has been changed yet, so there is nothing to check.")
            return
        self.busy = f"Checking {len(touched)} exercises …"
        self.draw()
        before = self.progress
        reports = yield from self._examined(touched)
        if reports is not None:
            worse = [r.name for r in reports if before.of(r.name).done and not passed(r)]
            self._open(Page(lambda width: view.summary_lines(reports, width, worse)))

    def _hint(self) -> None:
        hints = self.desk.catalog[self.name].hints
        standing = self.progress.of(self.name)
        if standing.done:
            self.notice = "It passes already: no more hints are needed."
        elif standing.hints >= len(hints):
            self.notice = "That was the last hint. m shows all of them once more."
        else:
            self._keep(lambda progress: progress.hinted(self.name, len(hints)))
        self.draw()

    def _list(self) -> None:
        self.cursor = self.name
        points = {name: suite_points(self.desk.house, name) for name in self.desk.catalog}
        self._open(
            Page(
                lambda width: view.list_lines(
                    self._exercises, self.progress, points, width, self.cursor
                ),
                _LIST_KEYS,
            )
        )

    def _choose(self, key: str) -> Iterator[Turn]:
        names = list(self.desk.catalog)
        if key in ("enter", "c"):
            yield from self._go(self.cursor)
        elif _SCROLLS.get(key):
            place = names.index(self.cursor) + _SCROLLS[key]
            self.cursor = names[max(0, min(place, len(names) - 1))]
            self._follow_cursor(names.index(self.cursor) + 1)
        else:
            self._back()
            self.draw()

    def _follow_cursor(self, line: int) -> None:
        assert self.page is not None
        rows = self._page_rows
        self.page.top = max(min(self.page.top, line - 1), line - rows + 1, 0)
        self.draw()

    def _ask(self) -> None:
        self.asked = True
        self.draw()

    def _confirmed(self, key: str) -> Iterator[Turn]:
        self.asked = False
        if key not in ("y", "Y"):
            self._say("Nothing was changed.")
            return
        try:
            kept = self.desk.reset(self.name)
        except LearnerError as error:
            self._say(str(error))
            return
        self.files.watch(self.desk.catalog)
        self._keep(lambda progress: progress)
        self.notice = f"A fresh {self.name}.py lies there now."
        if kept is not None:
            self.notice += f" What you had is kept as {kept.name}."
        yield from self._check(time.monotonic())

    def _solution(self) -> None:
        page = self.desk.house.solution(self.name)
        if not self.progress.of(self.name).passed_at:
            self._say("The solution can be seen once yours has passed. h shows a hint.")
        elif not page.exists():
            self._say("This course came without solutions.")
        else:
            found = pairs(self.desk.text(self.name), page.read_text(encoding="utf-8"))
            self._open(Page(lambda width: view.pair_lines(found, width)))

    def _more(self) -> None:
        report = self.result.report
        shown = self.progress.of(self.name).hints
        hints = self.desk.catalog[self.name].hints[:shown]
        if report is not None:
            self._open(Page(lambda width: view.full_lines(report, hints, width)))

    def _unknown(self) -> None:
        self.draw()

    # Drawing ----------------------------------------------------------------------------------

    def draw(self) -> None:
        """Show what there is now."""
        size = self._drawn = self.screen.size
        lines = self._main(size) if self.page is None else self._window(self.page, size)
        fitting = [Line(view.shortened(line.text, size.columns), line.style) for line in lines]
        self.screen.show(fitting[: size.rows])

    _drawn = Size()

    def _redraw_if_resized(self) -> None:
        if self.screen.size != self._drawn:
            self.draw()

    def _main(self, size: Size) -> list[Line]:
        question = f"Put a fresh {self.name}.py in place of yours? Yours is kept beside it. y/n"
        sight = Sight(
            exercise=self.desk.catalog[self.name],
            place=self.desk.where(self.name, _first_place(self.result.report)),
            is_there=self.desk.page(self.name).is_file(),
            next_name=self.desk.next_open(self.progress, after=self.name),
            progress=self.progress,
            names=list(self.desk.catalog),
            report=self.result.report,
            not_run=self.result.not_run,
            seconds=self.result.seconds,
            notice=self.notice,
            busy=self.busy,
            has_solution=self.desk.house.solution(self.name).exists(),
            question=question if self.asked else "",
        )
        return view.main_lines(sight, size)

    def _window(self, page: Page, size: Size) -> list[Line]:
        lines, rows = page.lines(size.width), self._page_rows
        page.top = max(0, min(page.top, len(lines) - rows))
        return [*lines[page.top : page.top + rows], Line(""), Line(page.keys, "bold")]

    @property
    def _page_rows(self) -> int:
        return max(3, self.screen.size.rows - 3)

    def _scroll(self, page: Page, key: str) -> None:
        if key in _SCROLLS:
            page.top += _SCROLLS[key] or self._page_rows
        else:
            self._back()
        self.draw()

    def _open(self, page: Page) -> None:
        self.page = page
        self.draw()

    def _back(self) -> None:
        self.page, self.cursor, self.asked = None, "", False

    def _say(self, notice: str) -> None:
        self.notice = notice
        self.draw()


def _left_out(report: ExerciseReport, checks: int) -> str:
    missing = checks - len(report.verdicts)
    if missing <= 0 or all(v.outcome is not Outcome.TIMEOUT for v in report.verdicts):
        return ""
    return f"The other {missing} checks were left out: mend the one that never ends first."


def _first_place(report: ExerciseReport | None) -> str:
    """The page and line that the first failed check speaks of, as ``softmax.py:41``."""
    for verdict in report.verdicts if report is not None else ():
        if verdict.cause is not None and not verdict.points:
            cause = verdict.cause
            found = _PLACE.search(f"{cause.rationale} {cause.actual}")
            return f"{found[1]}:{found[2]}" if found else ""
    return ""


def _ignore(verdict: Verdict) -> None:
    pass
