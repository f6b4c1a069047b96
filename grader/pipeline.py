"""The path, on one page: submissions in, Reports out.

collect -> Submission -> examine (in workers) -> Verdict per check -> Report -> export
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from grader import __version__
from grader.backends.cores import core_for
from grader.course.course import Course
from grader.errors import IsolationRefused
from grader.examiner.collection import Suites, collected
from grader.examiner.examination import Examination
from grader.model import Conditions, Exercise, Report, Submission
from grader.programs.budget import LIMITS, Limits
from grader.programs.draw import new_seed
from grader.programs.program import SubmissionProgram
from grader.runs.texts import digests_of
from grader.sandbox.launch import Sandbox


def grade_all(
    course: Course,
    exercises: Sequence[Exercise],
    submissions: Iterable[Submission],
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    devices: Sequence[str] = ("cpu",),
    limits: Limits = LIMITS,
) -> Iterator[Report]:
    """One Report after another, each as soon as it is asked for.

    Without ``seed`` a secret one is drawn; it is kept in the reports.
    """
    suites = collected(course, exercises)
    seed = new_seed() if seed is None else seed
    run = Run(exercises, sandbox, conditions(course, sandbox, seed, devices), core_for(), limits)
    return map(partial(grade_one, suites, run), submissions)


def grade_one(suites: Suites, run: Run, submission: Submission) -> Report:
    """One submission, every exercise: its Report."""
    program = SubmissionProgram(submission, run.sandbox, run.core, run.limits)
    examination = Examination(suites, program, run.conditions.seed, run.conditions.devices)
    return Report(
        submission=submission.name,
        student=submission.student,
        graded_at=f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
        conditions=run.conditions,
        exercises=tuple(examination.report_on(exercise) for exercise in run.exercises),
        path=submission.path,
        digests=digests_of(submission),
        student_id=submission.student_id,
        late=submission.late,
        handed_in=submission.handed_in,
    )


@dataclass(frozen=True)
class Run:
    """What all submissions of a run have in common; on ``core`` nobody else clocks anything."""

    exercises: Sequence[Exercise]
    sandbox: Sandbox
    conditions: Conditions
    core: int | None
    limits: Limits = LIMITS


def require_full(sandbox: Sandbox) -> None:
    """Raises ``IsolationRefused`` unless marks may be given under this sandbox."""
    if sandbox.isolation != "full":
        raise IsolationRefused(
            "This machine offers no full isolation (Landlock and seccomp are needed), so "
            "submissions could read the suites. To grade all the same, on your own "
            "responsibility, add --isolation process."
        )


def conditions(course: Course, sandbox: Sandbox, seed: int, devices: Sequence[str]) -> Conditions:
    """What the reports of one run have in common."""
    versions = {"grader": __version__, "torch": torch.__version__}
    versions["suites"] = suites_digest(course)
    return Conditions(seed, sandbox.isolation, sandbox.layers, tuple(devices), versions)


def suites_digest(course: Course) -> str:
    """Which suites and references gave these marks: a hash over their text."""
    digest = hashlib.sha256()
    for path in sorted([*course.suites.rglob("*.py"), *course.solutions.glob("*.py")]):
        digest.update(str(path.relative_to(course.root)).encode() + b"\0" + path.read_bytes())
    return f"sha256:{digest.hexdigest()}"
