"""What instructors do: grade a folder of submissions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.cli import screen
from grader.cli.collecting import found_in
from grader.collect import Ignored
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.errors import GraderError
from grader.model import Report, Submission
from grader.pictures import picture_of, require_matplotlib
from grader.pipeline import grade_all, require_full
from grader.report.export import write_feedback, write_grades, write_not_graded
from grader.report.picture import Picture
from grader.report.record import write_report
from grader.runs.folder import held
from grader.sandbox.launch import Sandbox, describe_layers, open_sandbox

WORTH_A_PROCESS = 4  # submissions: to start takes 4 s, and each of them up to 2
UNFINISHED = 3  # the exit status where something is missing: a verdict, or a file


def grade(
    folder: Path,
    out: Path | None,
    names: Sequence[str],
    seed: int | None,
    isolation: str | None,
    device: str,
    extras: Extras,
    roster: Path | None = None,
    many: Many | None = None,
) -> int:
    """Grade ``folder``; files are written one by one, so an interrupted run loses nothing.

    Returns the exit status: 0 whatever the marks, 3 while a check has no verdict or a file could
    not be written.
    """
    devices = _devices(device)
    extras.require(out)
    course = find_course()
    catalog = load_catalog(course)
    exercises, found = select(catalog, names), found_in(folder, catalog, out, roster)
    with _held(out), contextlib.closing(open_sandbox(isolation, gpu="cuda" in devices)) as sandbox:
        if isolation != "process":
            require_full(sandbox)
        files = Files(course, out, found.submissions, sandbox, extras)
        many = many or Many(1)
        jobs = many.jobs_for(len(found), devices)
        graded = grade_all(
            course, exercises, found, sandbox,
            seed=seed, devices=devices, jobs=jobs, scheduler=many.scheduler,
        )  # fmt: skip
        screen.say(f"Grading under {describe_layers(sandbox)}.")
        reports = []
        with contextlib.closing(graded):
            for report in screen.progress(graded, found, jobs):
                files.keep(report)
                reports.append(report)
        place = {submission.name: number for number, submission in enumerate(found)}
        reports.sort(key=lambda report: place[report.submission])
        files.finish(reports, found.ignored)
    screen.class_table(reports)
    screen.notes(found.notes, screen.MOST_IGNORED)
    screen.not_graded(found.ignored)
    screen.absent(found.absent)
    files.tell()
    unjudged = any(report.without_verdict for report in reports)
    return UNFINISHED if unjudged or files.missing else 0


@contextlib.contextmanager
def _held(out: Path | None) -> Iterator[None]:
    """Nobody else writes to ``out`` meanwhile, and nothing of an earlier run lies in it."""
    if out is None:
        yield
        return
    with held(out) as earlier:
        if earlier is not None:
            screen.say(f"The files of an earlier run are in {earlier} now.")
        yield


@dataclass(frozen=True)
class Many:
    """How submissions are graded side by side: in ``jobs`` processes, or by a ``scheduler``'s.

    Without a number there are as many as there are cores, but none for so few submissions that
    starting it takes longer than they do. On a GPU it is one at a time: there is no second one to
    lend to what is clocked.
    """

    jobs: int | None = None
    scheduler: str | None = None

    def jobs_for(self, submissions: int, devices: Sequence[str] = ("cpu",)) -> int:
        if self.jobs is not None or "cuda" in devices:
            return self.jobs or 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return max(1, min(cores or 1, submissions // WORTH_A_PROCESS))


@dataclass(frozen=True)
class Extras:
    """What is written beside the reports: pages for students, and pictures in them."""

    feedback: bool = False
    pictures: bool = False

    def require(self, out: Path | None) -> None:
        """Raises ``GraderError`` before anything runs for nothing."""
        if self.pictures and not self.feedback:
            raise GraderError("--pictures go into the pages that --feedback writes: add it.")
        if self.feedback and out is None:
            raise GraderError("--feedback writes pages: say where, with --out DIR.")
        if self.pictures:
            require_matplotlib()


class Files:
    """Writes what belongs to a report as soon as there is one.

    A file that cannot be written costs that file: it is named at the end, and the class goes on.
    """

    def __init__(
        self,
        course: Course,
        out: Path | None,
        submissions: Sequence[Submission],
        sandbox: Sandbox,
        extras: Extras,
    ) -> None:
        self._course, self._out, self._sandbox, self._extras = course, out, sandbox, extras
        self._submissions = {submission.name: submission for submission in submissions}
        self.problems: list[str] = []
        self.missing: list[str] = []

    def keep(self, report: Report) -> None:
        out = self._out
        if out is None:
            return
        self._write(f"the report on {report.submission}", lambda: write_report(report, out))
        if self._extras.feedback:
            pictures = self._pictures(report) if self._extras.pictures else {}
            page = f"the page for {report.submission}"
            self._write(page, lambda: write_feedback(report, pictures, out))

    def finish(self, reports: Sequence[Report], ignored: Sequence[Ignored]) -> None:
        """The tables of the whole class."""
        out = self._out
        if out is None:
            return
        self._write("grades.csv", lambda: write_grades(reports, out))
        if ignored:
            rows = [(one.path, one.reason) for one in ignored]
            self._write("not_graded.csv", lambda: write_not_graded(rows, out))

    def tell(self) -> None:
        """What became of the files."""
        for problem in [*self.problems, *self.missing]:
            screen.note(problem)
        if self._out is not None:
            feedback = f" and {self._out / 'feedback'}" if self._extras.feedback else ""
            grades = self._out / "grades.csv"
            but = ", but for what is named above" if self.missing else ""
            screen.say(f"Written{but}: {grades} and {self._out / 'reports'}{feedback}")

    def _write(self, what: str, write: Callable[[], Path]) -> None:
        try:
            write()
        except Exception as error:  # the disk, or words of a submission that nobody foresaw
            why = error.strerror if isinstance(error, OSError) else None
            self.missing.append(f"not written  {what}: {why or f'{type(error).__name__}: {error}'}")

    def _pictures(self, report: Report) -> dict[str, Picture]:
        def note(exercise: str, why: str) -> None:
            self.problems.append(f"no picture  {report.submission}: {exercise}: {why}")

        submission = self._submissions[report.submission]
        found = {
            exercise.name: picture_of(self._course, exercise, submission, self._sandbox, note)
            for exercise in report.exercises
        }
        return {name: picture for name, picture in found.items() if picture is not None}


def _devices(name: str) -> tuple[str, ...]:
    known = {"cpu": ("cpu",), "cuda": ("cuda",), "all": ("cpu", "cuda")}
    if name not in known:
        raise GraderError(f"--device must be cpu, cuda or all, not {name!r}.")
    return known[name]
