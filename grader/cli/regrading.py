"""After a suite was mended: the kept text is graded again, and shown before anything is written."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

import typer

from grader.cli import screen
from grader.cli.assigning import read_kept
from grader.cli.files import Extras, Files
from grader.cli.instructor import INTERRUPTED, UNFINISHED, begin, walls
from grader.cli.many import Many
from grader.cli.signals import not_interrupted
from grader.cli.terminal import is_terminal
from grader.course.assignment import Assignment
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.course.marks import weighted
from grader.errors import ReportError
from grader.model import Report, Submission
from grader.pipeline import conditions, grade_all
from grader.programs.budget import limits_of
from grader.runs.folder import held
from grader.runs.moved import moved
from grader.runs.reading import read_reports
from grader.runs.settings import FILE, Settings
from grader.runs.store import Store
from grader.runs.texts import submission_of
from grader.sandbox.launch import Sandbox


@dataclass
class Again:
    """The reports of a run, what they are about, and what is said of it now."""

    before: dict[str, Report] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    after: list[Report] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def regrade(run: Path, write: bool, isolation: str | None = None, many: Many | None = None) -> int:
    """Grade ``run`` again, and write that only when told to; the earlier reports are kept.

    Without ``isolation`` it is the run's.

    Returns the exit status: 0 whatever the marks, 3 where something could not be graded again, 130
    where it was ended by hand.
    """
    if not (run / FILE).is_file():
        raise ReportError(
            f"{run} holds no {FILE}. Name the folder that `grader grade CLASS --out {run}` writes."
        )
    course = find_course()
    with held(run):
        store = Store(run)
        begun, assignment = store.begun, read_kept(run)
        assert begun is not None
        if begun.conditions.isolation == "process":
            isolation = "process"
        with walls(course, isolation, begun.conditions.devices) as sandbox:
            try:
                again = _graded_again(course, store, begun, sandbox, assignment, many or Many())
            except KeyboardInterrupt:
                screen.say("Interrupted: nothing was written.")
                return INTERRUPTED
            _show(again, assignment)
            if again.after and (write or _is_wanted()):
                agreed = conditions(
                    course, sandbox, begun.conditions.seed, begun.conditions.devices
                )
                pages = Extras((run / "feedback").is_dir())
                files = Files(course, store, sandbox, pages, assignment)
                with not_interrupted():
                    _write(again, files, Settings(agreed, begun.exercises))
                again.missing += files.missing
    return UNFINISHED if again.missing else 0


def _graded_again(
    course: Course,
    store: Store,
    begun: Settings,
    sandbox: Sandbox,
    assignment: Assignment | None,
    many: Many,
) -> Again:
    exercises = select(load_catalog(course), begun.exercises)
    again = _what_is_there(store)
    submissions = list(again.submissions.values())
    if submissions:
        seed, devices = begun.conditions.seed, begun.conditions.devices
        jobs = many.jobs_for(len(submissions), devices)
        graded = grade_all(
            course, exercises, submissions, sandbox,
            seed=seed, devices=devices, limits=limits_of(assignment),
            jobs=jobs, scheduler=many.scheduler,
        )  # fmt: skip
        shown = screen.progress(graded, submissions, jobs)
        with contextlib.closing(graded), contextlib.closing(shown) as reports:
            for report in reports:
                _take(again, report)
    again.after.sort(key=lambda report: report.submission)
    return again


def _what_is_there(store: Store) -> Again:
    found = read_reports(store.run)
    again = Again(missing=list(found.problems))
    for report in found.reports:
        try:
            submission = submission_of(report, store.problems_of(report), store.run)
        except ReportError as error:
            again.missing.append(f"not graded again  {report.submission}: {error}")
        else:
            again.before[report.submission] = report
            again.submissions[report.submission] = submission
    return again


def _take(again: Again, report: Report) -> None:
    """A mark is not replaced by none."""
    if report.without_verdict and not again.before[report.submission].without_verdict:
        again.missing.append(f"no verdict  {report.submission}: the earlier report stays")
    else:
        again.after.append(report)


def _show(again: Again, assignment: Assignment | None) -> None:
    pairs = [(again.before[after.submission], after) for after in again.after]
    if assignment is not None:
        pairs = [(weighted(one, assignment), weighted(other, assignment)) for one, other in pairs]
    moves = [moved(before, after) for before, after in pairs]
    screen.moved([move for move in moves if move is not None], len(again.before))
    for problem in again.missing:
        screen.note(problem)


def _is_wanted() -> bool:
    """Asks, where there is somebody to ask."""
    if not is_terminal():
        screen.say("Nothing was written: add --write for that.")
        return False
    return typer.confirm("Write these? The earlier reports are kept.")


def _write(again: Again, files: Files, settings: Settings) -> None:
    assert files.store is not None
    begin(files.store, settings, "regrading", submissions=len(again.after))
    for report in again.after:
        files.keep(again.submissions[report.submission], report)
    files.finish()
    files.note("ended", graded=len(again.after), left=0, interrupted=False)
    files.tell()
