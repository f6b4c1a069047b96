"""What instructors do: grade a folder of submissions."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.cli import screen
from grader.collect import collect
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.errors import GraderError
from grader.model import Report, Submission
from grader.pictures import picture_of, require_matplotlib
from grader.pipeline import grade_all, require_full
from grader.report.export import write_feedback, write_grades
from grader.report.picture import Picture
from grader.report.record import write_report
from grader.sandbox.launch import Sandbox, describe_layers, open_sandbox


def grade(
    folder: Path,
    out: Path | None,
    names: Sequence[str],
    seed: int | None,
    isolation: str | None,
    device: str,
    extras: Extras,
) -> int:
    """Grade ``folder``; files are written one by one, so an interrupted run loses nothing.

    Returns the exit status: 0 whatever the marks, 3 while a check has no verdict.
    """
    devices = _devices(device)
    extras.require(out)
    course = find_course()
    catalog = load_catalog(course)
    exercises, submissions = select(catalog, names), collect(folder, catalog)
    with contextlib.closing(open_sandbox(isolation, gpu="cuda" in devices)) as sandbox:
        if isolation != "process":
            require_full(sandbox)
        files = Files(course, out, submissions, sandbox, extras)
        graded = grade_all(course, exercises, submissions, sandbox, seed=seed, devices=devices)
        screen.say(f"Grading under {describe_layers(sandbox)}.")
        reports = []
        for report in screen.progress(graded, submissions):
            files.keep(report)
            reports.append(report)
    screen.class_table(reports)
    for problem in files.problems:
        screen.say(problem)
    if out is not None:
        feedback = f" and {out / 'feedback'}" if extras.feedback else ""
        screen.say(f"Written: {write_grades(reports, out)} and {out / 'reports'}{feedback}")
    return 3 if any(report.without_verdict for report in reports) else 0


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
    """Writes what belongs to a report as soon as there is one."""

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

    def keep(self, report: Report) -> None:
        if self._out is None:
            return
        write_report(report, self._out)
        if self._extras.feedback:
            pictures = self._pictures(report) if self._extras.pictures else {}
            write_feedback(report, pictures, self._out)

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
