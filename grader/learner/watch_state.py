"""One sitting: the exercise at hand, how it is checked, and what is on the screen."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from grader.collect import collect_one
from grader.course.steps import step_of
from grader.errors import CollectError, GraderError, LearnerError
from grader.examiner.assembled import Examination
from grader.examiner.collection import Suites
from grader.learner import view, words
from grader.learner.events import Events, Files
from grader.learner.lines import Line, Size, shortened
from grader.learner.progress import Progress
from grader.learner.rehearsal import rehearse
from grader.learner.second_examiner import SecondExaminer
from grader.learner.seeing import panels_on
from grader.learner.view import Sight
from grader.learner.workspace import Workspace
from grader.model import Check, Exercise, ExerciseReport, Outcome, Submission, Verdict
from grader.pictures import Seen, look, scene_of, wrong_first
from grader.pictures.panels import Panel
from grader.programs.program import SubmissionProgram
from grader.report.parts import DONE, led
from grader.sandbox.launch import Sandbox


class Screen(Protocol):
    """Where lines are shown."""

    @property
    def size(self) -> Size: ...

    def show(self, lines: Sequence[Line]) -> None: ...

    def suspend(self) -> None:
        """Give the terminal back until the learner returns."""
        ...


@dataclass
class Page:
    """Something to read, however long, in place of the main screen."""

    lines: Callable[[int], list[Line]]
    keys: str = words.PAGE_KEYS
    top: int = 0


@dataclass
class Result:
    """What the last check of the exercise at hand has found, ``seconds`` after the save, and the
    ``panels`` in which the first failure can be seen.
    """

    report: ExerciseReport | None = None
    left_out: Sequence[Check] = ()
    seconds: float = 0.0
    panels: tuple[Panel, ...] = ()


@dataclass
class WatchState:
    """What is at hand and on the screen; ``left_off`` begins again what was not finished, and
    ``mend`` tries where one change of what was just examined is enough.
    """

    workspace: Workspace
    suites: Suites
    sandbox: Sandbox
    seed: int
    events: Events
    files: Files
    screen: Screen
    name: str = ""
    progress: Progress = field(default_factory=Progress)
    result: Result = field(default_factory=Result)
    notice: str = ""
    busy: str = ""
    question: str = ""
    page: Page | None = None
    left_off: Callable[[], None] | None = None
    mend: Callable[[ExerciseReport], ExerciseReport] | None = None
    revision: int = 0
    rehearsed: set[str] = field(default_factory=set)
    second: SecondExaminer | None = None

    def begin(self) -> None:
        """Take up the exercise at hand."""
        self.progress = self.workspace.progress.load()
        self.name = self.workspace.current(self.progress)
        self.keep(lambda progress: progress.at(self.name))

    def put_at_hand(self, name: str) -> None:
        """Turn to the exercise ``name``, of which nothing is known yet."""
        self.name, self.result = name, Result()
        self.keep(lambda progress: progress.at(name))

    @property
    def exercises(self) -> list[Exercise]:
        return list(self.workspace.catalog.values())

    def keep(self, how: Callable[[Progress], Progress]) -> None:
        """Change the progress; if the folder takes no files, that is said and stops nobody."""
        file = self.workspace.progress
        try:
            self.progress = file.change(how)
        except LearnerError as error:
            self.progress, self.notice = how(self.progress), str(error)
        if file.notices:
            self.notice = " ".join(file.notices)
            file.notices.clear()

    # Checking ---------------------------------------------------------------------------------

    def check(self, since: float) -> None:
        """Check the exercise at hand; something urgent leaves it unfinished."""
        exercise = self.workspace.catalog[self.name]
        self.busy = words.CHECKING.format(name=exercise.name)
        self.draw()
        reports = self.examined([exercise], lambda: self.check(time.monotonic()))
        if reports is not None:
            checks = [collected.check for collected in self.suites.of(exercise).checks]
            left_out = checks[len(reports[0].verdicts) :]
            panels = self._panels(reports[0])
            self.result = Result(reports[0], left_out, time.monotonic() - since, panels)
            self.draw()
            self._mend()
            self._rehearse(exercise)
        if not self.events.any:  # it takes a quarter of a second
            gc.collect()

    def _mend(self) -> None:
        """Tell as well where one change is enough, as soon as that is found."""
        report = self.result.report
        if self.mend is None or report is None:
            return
        mended = self.mend(report)
        if mended != report and not self.events.any:
            self.result = replace(self.result, report=mended)
            self.draw()

    def examined(
        self, exercises: Sequence[Exercise], again: Callable[[], None]
    ) -> list[ExerciseReport] | None:
        """Their reports, kept in the progress.

        None if something urgent came between; then ``again`` is what was left off.
        """
        self.left_off = again
        self.mend = None
        submission = self._handed_in()
        program = SubmissionProgram(submission, self.sandbox)
        right = self.workspace.right(self.progress, submission.files)
        examination = Examination(
            self.suites,
            program,
            self.seed,
            stop=self._is_enough,
            right=right,
            second=self.second,
        )
        reports: list[ExerciseReport] = []
        with self.events.interrupting(program.interrupt):
            for exercise in exercises:
                report = examination.report_on(exercise)
                if self.events.urgent:
                    self.busy = ""
                    return None
                reports.append(report)
        self.busy, self.left_off = "", None
        self.mend = partial(examination.with_mends, stop=lambda: self.events.any)
        self.keep(lambda progress: self.workspace.after(progress, reports, submission.files))
        return reports

    def _panels(self, report: ExerciseReport) -> tuple[Panel, ...]:
        wrong = [verdict for verdict in report.verdicts if verdict.outcome not in DONE]
        for first in led(wrong, self.workspace.catalog[report.name].steps)[:1]:
            return panels_on(self.workspace.course, report.name, first, _function(first))
        return ()

    def looked(self) -> list[Seen] | None:
        """What there is to see in the panels, the wrong ones first; None if something urgent came
        between.
        """
        course, exercise = self.workspace.course, self.workspace.catalog[self.name]
        program = SubmissionProgram(self._handed_in(), self.sandbox)
        try:
            with self.events.interrupting(program.interrupt):
                scene = scene_of(course, exercise.name)
                seen = look(course, exercise, scene, program, only=self.result.panels)
        except GraderError:
            if not self.events.urgent:
                raise
        finally:
            self.busy = ""
        return None if self.events.urgent else wrong_first(seen)

    def _rehearse(self, exercise: Exercise) -> None:
        """Where there is a reference, and until it was asked everything."""
        due = exercise.name not in self.rehearsed and not self.workspace.course.is_released
        if due and self.second is not None:
            self.second.rehearse(exercise.name)
        if due and rehearse(self.suites.of(exercise), self.seed, self.events):
            self.rehearsed.add(exercise.name)

    def _handed_in(self) -> Submission:
        """The pages as they are now, under a name of their own: each save gets a fresh worker."""
        self.revision += 1
        name, folder = f"revision {self.revision}", self.workspace.folder
        try:
            found = collect_one(folder, self.workspace.catalog)
        except CollectError:
            return Submission(name, folder.name, {})
        return Submission(name, found.student, found.files, found.problems)

    def _is_enough(self, found: Sequence[Verdict]) -> bool:
        """One check that never ends is enough: the others would take as long."""
        self._tell_core(found)
        return self.events.urgent or any(v.outcome is Outcome.TIMEOUT for v in found)

    def _tell_core(self, found: Sequence[Verdict]) -> None:
        """Say how the core is as soon as all of it was asked; the rest goes on."""
        checking = words.CHECKING.format(name=self.name)
        if self.busy != checking or not found or found[-1].check.exercise != self.name:
            return
        cores = [verdict for verdict in found if verdict.check.core]
        of_page = self.suites.of(self.workspace.catalog[self.name]).checks
        if found[-1].check.core and len(cores) == sum(one.check.core for one in of_page):
            right = sum(verdict.outcome is Outcome.PASSED for verdict in cores)
            self.busy = words.CHECKING_THE_REST.format(name=self.name, core=right, cores=len(cores))
            self.draw()

    # Drawing ----------------------------------------------------------------------------------

    def draw(self) -> None:
        """Show what there is now."""
        size = self._drawn = self.screen.size
        lines = self._main(size) if self.page is None else self._window(self.page, size)
        fitting = [Line(shortened(line.text, size.columns), line.style) for line in lines]
        self.screen.show(fitting[: size.rows])

    _drawn = Size()

    def redraw_if_resized(self) -> None:
        """A terminal may change its size at any time."""
        if self.screen.size != self._drawn:
            self.draw()

    def open(self, page: Page) -> None:
        self.page = page
        self.draw()

    def back(self) -> None:
        """To the main screen, which is not drawn yet."""
        self.page, self.question = None, ""

    def say(self, notice: str) -> None:
        self.notice = notice
        self.draw()

    @property
    def page_rows(self) -> int:
        """How many lines of a page there is room for."""
        return max(3, self.screen.size.rows - 3)

    def _main(self, size: Size) -> list[Line]:
        sight = Sight(
            exercise=self.workspace.catalog[self.name],
            place=self.workspace.where(self.name, self._first_place()),
            is_there=self.workspace.page(self.name).is_file(),
            next_name=self.workspace.next_open(self.progress, after=self.name),
            progress=self.progress,
            names=list(self.workspace.catalog),
            report=self.result.report,
            left_out=self.result.left_out,
            seconds=self.result.seconds,
            notice=self.notice,
            busy=self.busy,
            has_solution=self.workspace.course.solution(self.name).exists(),
            has_predictions=self.workspace.course.predictions(self.name).exists(),
            question=self.question,
            can_be_seen=bool(self.result.panels),
            function=self.function,
        )
        return view.main_lines(sight, size)

    @property
    def function(self) -> str:
        """The function or class that the first failed check is about, if that is known."""
        verdict = self._first_failed
        return _function(verdict) if verdict is not None else ""

    def _first_place(self) -> str:
        """The page and line that the first failed check speaks of, as ``softmax.py:41``, or else
        where the function begins that it is about.
        """
        verdict = self._first_failed
        if verdict is None or verdict.cause is None:
            return ""
        reason = verdict.cause.because or verdict.cause
        if reason.place is not None:
            return f"{reason.place.file}:{reason.place.line}"
        return self.workspace.beginning(self.name, _function(verdict))

    @property
    def _first_failed(self) -> Verdict | None:
        """Of the core first, step by step."""
        report, steps = self.result.report, self.workspace.catalog[self.name].steps
        found = led(report.verdicts, steps) if report is not None else []
        wrong = (v for v in found if v.cause is not None and v.outcome is not Outcome.PASSED)
        return next(wrong, None)

    def _window(self, page: Page, size: Size) -> list[Line]:
        lines, rows = page.lines(size.width), self.page_rows
        page.top = max(0, min(page.top, len(lines) - rows))
        return [*lines[page.top : page.top + rows], Line(""), Line(page.keys, "bold")]


def _function(verdict: Verdict) -> str:
    """The function or class whose answer is wrong; empty where nobody knows."""
    call = verdict.cause.facts.get("call") if verdict.cause else None
    called = str(call.get("of", "")) if isinstance(call, Mapping) else ""
    return called or step_of(verdict.check.step).partition(".")[0]
