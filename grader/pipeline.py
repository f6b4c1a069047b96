"""The path, on one page: submissions in, Reports out.

collect -> Submission -> examine (in workers) -> Verdict per check -> Report -> export
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import torch

from grader import __version__
from grader.course.catalog import load_catalog
from grader.course.house import House
from grader.errors import IsolationRefused
from grader.examiner.assembly import Examination, own_modules
from grader.examiner.plugin import Turn
from grader.examiner.run import examine
from grader.examiner.subject import SubmissionSubject
from grader.model import Conditions, Exercise, ExerciseReport, Report, Submission, Verdict
from grader.sandbox.launch import Sandbox, start

OnReport = Callable[[Report], None]
OnProgress = Callable[[Submission, Verdict], None]


def grade_all(
    house: House,
    exercises: Sequence[Exercise],
    submissions: Sequence[Submission],
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    devices: Sequence[str] = ("cpu",),
    on_report: OnReport = lambda report: None,
    on_progress: OnProgress = lambda submission, verdict: None,
) -> list[Report]:
    """Examine every submission in every exercise, one after another.

    ``on_report`` gets each Report as soon as it is complete, ``on_progress`` each Verdict.
    Without ``seed`` a secret one is drawn; it is kept in the reports.
    """
    seed = secrets.randbits(32) if seed is None else seed
    shared = conditions(house, sandbox, seed, devices)
    catalog = load_catalog(house)
    reports: list[Report] = []

    def work() -> Iterator[Turn]:
        for submission in submissions:
            subject = SubmissionSubject(submission, sandbox)
            examination = Examination(subject, catalog, partial(on_progress, submission))
            for exercise in exercises:
                yield from examination.turns(exercise)
            found = {e.name: examination.found[e.name] for e in exercises}
            reports.append(_report(submission, shared, found))
            on_report(reports[-1])

    examine(house, _with_own_modules(catalog, exercises, submissions), seed, work, devices=devices)
    return reports


def grade_one(
    house: House, exercises: Sequence[Exercise], submission: Submission, *, seed: int | None = None
) -> Report:
    """One submission, in a sandbox of its own."""
    with contextlib.closing(start()) as sandbox:
        return grade_all(house, exercises, [submission], sandbox, seed=seed)[0]


def _with_own_modules(
    catalog: Mapping[str, Exercise],
    exercises: Sequence[Exercise],
    submissions: Sequence[Submission],
) -> list[Exercise]:
    """The exercises and whatever else their submissions assemble, in teaching order."""
    wanted = {exercise.name for exercise in exercises}
    for submission in submissions:
        for exercise in exercises:
            wanted |= own_modules(submission.files, exercise.name)
    return [exercise for name, exercise in catalog.items() if name in wanted]


def require_full(sandbox: Sandbox) -> None:
    """Raises ``IsolationRefused`` unless marks may be given under this sandbox."""
    if sandbox.isolation != "full":
        raise IsolationRefused(
            "This machine offers no full isolation (Landlock and seccomp are needed), so "
            "submissions could read the suites. To grade all the same, on your own "
            "responsibility, add --isolation process."
        )


def conditions(house: House, sandbox: Sandbox, seed: int, devices: Sequence[str]) -> Conditions:
    """What the reports of one run have in common."""
    versions = {"grader": __version__, "torch": torch.__version__}
    versions["suites"] = suites_digest(house)
    return Conditions(seed, sandbox.isolation, sandbox.layers, tuple(devices), versions)


def suites_digest(house: House) -> str:
    """Which suites and references gave these marks: a hash over their text."""
    digest = hashlib.sha256()
    for path in sorted([*house.suites.rglob("*.py"), *house.solutions.glob("*.py")]):
        digest.update(str(path.relative_to(house.root)).encode() + b"\0" + path.read_bytes())
    return f"sha256:{digest.hexdigest()}"


def _report(submission: Submission, shared: Conditions, found: dict[str, list[Verdict]]) -> Report:
    now = datetime.datetime.now(datetime.UTC)
    return Report(
        submission=submission.name,
        student=submission.student,
        graded_at=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        conditions=shared,
        exercises=tuple(ExerciseReport(name, tuple(v)) for name, v in found.items()),
    )
