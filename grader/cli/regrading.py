"""After a suite was mended: the kept text is graded again, and shown before anything is written."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
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
from grader.programs.budget import limits_from, limits_of
from grader.runs.folder import held
from grader.runs.kept import completed
from grader.runs.moved import moved
from grader.runs.reading import read_reports
from grader.runs.remarks import OUTDATED
from grader.runs.settings import FILE, Settings
from grader.runs.store import Store
from grader.runs.terms import are_older
from grader.runs.texts import submission_of
from grader.sandbox.launch import Sandbox


@dataclass
class Again:
    """The reports of a run, what they are about, and what is said of it now. Of a submission
    ``only`` these exercises are graded again; a report that ``stands`` is not.
    """

    settings: Settings
    before: dict[str, Report] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    only: dict[str, Sequence[str]] = field(default_factory=dict)
    stands: int = 0
    after: list[Report] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def regrade(
    run: Path,
    write: bool,
    isolation: str | None = None,
    many: Many | None = None,
    *,
    everything: bool = False,
) -> int:
    """Grade in ``run`` again what would be graded otherwise today, or ``everything``, and write
    that only when told to; the earlier reports are kept.

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
        limits, then = limits_of(assignment), begun.conditions
        with walls(course, isolation, then.devices, limits) as sandbox:
            agreed = conditions(course, sandbox, then.seed, then.devices, limits)
            again = _what_is_there(store, Settings(agreed, begun.exercises), everything)
            try:
                _grade_again(again, course, sandbox, many or Many())
            except KeyboardInterrupt:
                screen.say("Interrupted: nothing was written.")
                return INTERRUPTED
            _show(again, assignment)
            if are_older(run):
                screen.note(f"note  {OUTDATED}")
            if write or (again.after and _is_wanted()):
                files = Files(course, store, sandbox, Extras(), assignment)
                with not_interrupted():
                    _write(again, files)
                again.missing += files.missing
    return UNFINISHED if again.missing else 0


def _grade_again(again: Again, course: Course, sandbox: Sandbox, many: Many) -> None:
    agreed = again.settings.conditions
    exercises = select(load_catalog(course), again.settings.exercises)
    submissions = list(again.submissions.values())
    if submissions:
        jobs = many.jobs_for(len(submissions), agreed.devices)
        graded = grade_all(
            course, exercises, submissions, sandbox,
            seed=agreed.seed, devices=agreed.devices, limits=limits_from(agreed.limits),
            jobs=jobs, scheduler=many.scheduler, only=again.only,
        )  # fmt: skip
        shown = screen.progress(graded, submissions, jobs)
        with contextlib.closing(graded), contextlib.closing(shown) as reports:
            for report in reports:
                _take(again, report)
    again.after.sort(key=lambda report: report.submission)


def _what_is_there(store: Store, settings: Settings, everything: bool) -> Again:
    found = read_reports(store.run)
    again = Again(settings, missing=list(found.problems))
    for report in found.reports:
        try:
            submission = submission_of(report, store.problems_of(report), store.run)
        except ReportError as error:
            again.missing.append(f"not graded again  {report.submission}: {error}")
            continue
        left = store.left_of(submission, report, settings)
        if left is None and not everything:
            again.stands += 1
            continue
        again.before[report.submission] = report
        again.submissions[report.submission] = submission
        again.only[report.submission] = settings.exercises if everything else left or ()
    return again


def _take(again: Again, report: Report) -> None:
    """A mark is not replaced by none."""
    before = again.before[report.submission]
    if report.without_verdict and not before.without_verdict:
        again.missing.append(f"no verdict  {report.submission}: the earlier report stays")
    else:
        again.after.append(completed(report, before, again.settings))


def _show(again: Again, assignment: Assignment | None) -> None:
    pairs = [(again.before[after.submission], after) for after in again.after]
    if assignment is not None:
        pairs = [(weighted(one, assignment), weighted(other, assignment)) for one, other in pairs]
    moves = [moved(before, after) for before, after in pairs]
    screen.moved([move for move in moves if move is not None], len(again.before) + again.stands)
    screen.kept(again.stands)
    for problem in again.missing:
        screen.note(problem)


def _is_wanted() -> bool:
    """Asks, where there is somebody to ask."""
    if not is_terminal():
        screen.say("Nothing was written: add --write for that.")
        return False
    return typer.confirm("Write these? The earlier reports are kept.")


def _write(again: Again, files: Files) -> None:
    assert files.store is not None
    begin(files.store, again.settings, "regrading", submissions=len(again.after))
    for report in again.after:
        files.keep(again.submissions[report.submission], report)
    files.finish()
    files.note("ended", graded=len(again.after), left=0, interrupted=False)
    files.tell()
