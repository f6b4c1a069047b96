"""What instructors do: grade a folder of submissions, and go on where that was ended."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.cli import screen
from grader.cli.assigning import Plan, kept_in, planned
from grader.cli.collecting import found_in
from grader.cli.files import Extras, Files
from grader.cli.many import Many
from grader.cli.signals import not_interrupted
from grader.collect import Collected
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course, is_own
from grader.errors import GraderError
from grader.model import Report, Submission
from grader.pipeline import conditions, grade_all, require_full, require_out_of_reach
from grader.programs.budget import LIMITS, Limits
from grader.runs.folder import held
from grader.runs.kept import completed
from grader.runs.known import known_as
from grader.runs.settings import Settings
from grader.runs.store import Store
from grader.sandbox.launch import Sandbox, describe_layers, open_sandbox

UNFINISHED = 3  # the exit status where something is missing: a verdict, or a file
INTERRUPTED = 130  # as shells have it: 128 and the number of the signal


def grade(
    folder: Path,
    out: Path | None,
    names: Sequence[str],
    seed: int | None,
    isolation: str | None,
    device: str | None,
    extras: Extras,
    roster: Path | None = None,
    assignment: Path | None = None,
    *,
    many: Many | None = None,
    again: bool = False,
) -> int:
    """Grade ``folder``; what stands in ``out`` already is kept, but for who is graded ``again``.

    What is not named is as in the ``assignment``, or in the run that ``out`` holds. Returns the
    exit status: 0 whatever the marks, 3 while a check has no verdict or a file could not be
    written, 130 where the run was ended by hand.
    """
    extras.require(out)
    course = find_course()
    _require_not_handed_in(course, folder)
    catalog = load_catalog(course)
    found = found_in(folder, catalog, out, roster)
    with _opened(out) as store:
        begun = store.begun if store is not None else None
        plan = planned(course, catalog, assignment or kept_in(out), names, seed, device, begun)
        with walls(course, isolation, plan.devices, plan.limits) as sandbox:
            agreed = conditions(course, sandbox, plan.seed, plan.devices, plan.limits)
            settings = Settings(agreed, tuple(exercise.name for exercise in plan.exercises))
            files = Files(course, store, sandbox, extras, plan.assignment)
            work = _work(found, settings, files, again)
            done, interrupted = _graded(course, plan, work, settings, files, many or Many())
            with not_interrupted():
                status = _ended(folder, found, work, done, files, interrupted)
    return status


@contextlib.contextmanager
def _opened(out: Path | None) -> Iterator[Store | None]:
    """The folder of the run, held; None where nothing is to be written."""
    if out is None:
        yield None
        return
    with held(out):
        yield Store(out)


def _require_not_handed_in(course: Course, folder: Path) -> None:
    """Raises ``GraderError`` for a course found within what is graded: its suites may be anybody's,
    and suites run here.
    """
    if not is_own(course) and course.root.resolve().is_relative_to(folder.resolve()):
        raise GraderError(
            f"The course here, {course.root}, lies in what you grade: it was handed in, and its "
            "suites would be run. Go elsewhere, or name your course: --course DIR."
        )


@contextlib.contextmanager
def walls(
    course: Course, isolation: str | None, devices: Sequence[str], limits: Limits = LIMITS
) -> Iterator[Sandbox]:
    """A sandbox good enough for marks; raises ``IsolationRefused`` where there is none, and
    ``GraderError`` where the course is one that was given away.
    """
    if course.is_released:
        raise GraderError(
            f"{course.root} is what students get: most checks are at home. Grade with the course "
            "that it was made from: --course DIR."
        )
    if not is_own(course):
        screen.say(f"Course: {course.about.shown} in {course.root}")
    gpu, memory_mib = "cuda" in devices, limits.memory_mib
    with contextlib.closing(open_sandbox(isolation, gpu=gpu, memory_mib=memory_mib)) as sandbox:
        if isolation != "process":
            require_full(sandbox)
            require_out_of_reach(course)
        screen.say(f"Grading under {describe_layers(sandbox)}.")
        if memory_mib != LIMITS.memory_mib and (gpu or isolation == "process"):
            where = "in checks on a GPU" if gpu else "under isolation `process`"
            screen.note(f"note  nothing limits memory {where}: memory_mib has no effect there")
        yield sandbox


@dataclass(frozen=True)
class Work:
    """What there is to do: of ``submissions`` those that are ``left`` to be graded, and of whom
    ``only`` some exercises are, whose report ``before`` has the others. ``others`` are the reports
    in the folder on nobody of these, ``unlike`` how many of them were made under other settings.
    """

    submissions: Sequence[Submission]
    left: Sequence[Submission]
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    before: Mapping[str, Report] = field(default_factory=dict)
    others: Sequence[str] = ()
    unlike: int = 0


def _work(found: Collected, settings: Settings, files: Files, again: bool) -> Work:
    """The settings are kept before anything else; reports that stand are brought up to date."""
    store = files.store
    if store is None:
        return Work(found, found)
    begin(store, settings, "grading", submissions=len(found), again=again)
    files.keep_assignment()
    others = {report.submission: report for report in store.reports()}
    submissions, left = list(known_as(found, list(others.values()))), []
    only: dict[str, Sequence[str]] = {}
    before: dict[str, Report] = {}
    for submission in submissions:
        report = others.pop(submission.name, None)
        if again or report is None:
            left.append(submission)
        elif (names := store.left_of(submission, report, settings)) is not None:
            left.append(submission)
            only[submission.name], before[submission.name] = names, report
        else:
            files.bring_up(submission, report)
    unlike = sum(not settings.made(report) for report in others.values())
    return Work(submissions, left, only, before, tuple(others), unlike)


def begin(store: Store, settings: Settings, event: str, **facts: object) -> None:
    """Raises ``GraderError`` where nothing can be kept, before anything runs for nothing."""
    try:
        changed = store.begin(settings, event, **facts)
    except OSError as error:
        raise GraderError(f"{store.run} cannot be written to ({error.strerror}).") from error
    if changed:
        screen.say(f"Other than before in this folder: {', '.join(changed)}.")


def _graded(
    course: Course,
    plan: Plan,
    work: Work,
    settings: Settings,
    files: Files,
    many: Many,
) -> tuple[set[str], bool]:
    """Who was graded, and whether somebody ended that."""
    done: set[str] = set()
    agreed, left = settings.conditions, {one.name: one for one in work.left}
    if not left:
        return done, False
    jobs = many.jobs_for(len(left), plan.devices)
    try:
        graded = grade_all(
            course, plan.exercises, work.left, files.sandbox,
            seed=agreed.seed, devices=agreed.devices, limits=plan.limits,
            jobs=jobs, scheduler=many.scheduler, only=work.only,
        )  # fmt: skip
        shown = screen.progress(graded, work.left, jobs)
        with contextlib.closing(graded), contextlib.closing(shown) as reports:
            for report in reports:
                name = report.submission
                files.keep(left[name], completed(report, work.before.get(name), settings))
                done.add(name)
    except KeyboardInterrupt:
        return done, True
    return done, False


def _ended(
    folder: Path, found: Collected, work: Work, done: set[str], files: Files, interrupted: bool
) -> int:
    """Write and show what there is; gives the exit status."""
    not_yet = [submission for submission in work.left if submission.name not in done]
    reports = _of(work.submissions, files.finish(not_yet))
    files.list_ignored(found.ignored, folder)
    screen.class_table(reports, goes_on=files.store is not None)
    screen.notes(found.notes, screen.MOST_IGNORED)
    screen.not_graded(found.ignored)
    screen.absent(found.absent)
    if files.store is not None:
        screen.kept(len(work.submissions) - len(work.left), work.others, work.unlike)
        files.note("ended", graded=len(done), left=len(not_yet), interrupted=interrupted)
    files.tell()
    if interrupted:
        screen.interrupted(
            len(work.submissions) - len(not_yet), len(work.submissions), files.store is not None
        )
        return INTERRUPTED
    unjudged = any(report.without_verdict for report in reports)
    return UNFINISHED if unjudged or files.missing else 0


def _of(submissions: Sequence[Submission], reports: Sequence[Report]) -> list[Report]:
    names = {submission.name for submission in submissions}
    return [report for report in reports if report.submission in names]
