"""The path, on one page: submissions in, Reports out.

collect -> Submission -> examine (in workers) -> Verdict per check -> Report -> export
"""

from __future__ import annotations

import datetime
import socket
import threading
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from multiprocessing.util import Finalize
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import torch

from grader import __version__
from grader.backends.in_flight import Place, as_done
from grader.backends.processes import processes
from grader.backends.scheduled import scheduled
from grader.course.course import Course, find_course
from grader.course.suite_digests import suite_digests
from grader.errors import IsolationRefused, OtherConditions
from grader.examiner.assembled import Examination
from grader.examiner.collection import Suites, collected
from grader.model import (
    Cause,
    Conditions,
    Exercise,
    ExerciseReport,
    Outcome,
    Report,
    Submission,
    Verdict,
)
from grader.programs.budget import LIMITS, Limits, limits_from
from grader.programs.draw import new_seed
from grader.programs.program import SubmissionProgram
from grader.runs.texts import digests_of
from grader.sandbox.launch import Sandbox, open_sandbox
from grader.sandbox.paths import readable_paths

_NOBODY: Mapping[str, Collection[str]] = MappingProxyType({})


def grade_all(
    course: Course,
    exercises: Sequence[Exercise],
    submissions: Iterable[Submission],
    sandbox: Sandbox,
    *,
    seed: int | None = None,
    devices: Sequence[str] = ("cpu",),
    limits: Limits = LIMITS,
    jobs: int = 1,
    scheduler: str | None = None,
    only: Mapping[str, Collection[str]] = _NOBODY,
    mends: bool = False,
    right: Collection[str] = (),
) -> Generator[Report, None, None]:
    """One Report after another: with one job in the order of ``submissions``, each when it is asked
    for, and with several, which are processes on this machine or those of a Dask ``scheduler``, in
    the order in which they are done. What is going on ends when the iterator is closed.

    Without ``seed`` a secret one is drawn; it is kept in the reports. ``only`` says, by the name of
    a submission, which exercises are graded of it, if not all: its Report has no others.
    """
    seed = new_seed() if seed is None else seed
    agreed = conditions(course, sandbox, seed, devices, limits)
    tasks = (Task(submission, only.get(submission.name)) for submission in submissions)
    if scheduler is not None or jobs > 1:
        sandbox.rest()  # others grade, in sandboxes of their own
    if scheduler is not None:
        orders = Orders("", tuple(exercises), agreed)
        return _side_by_side(scheduled(scheduler), orders, course, tasks)
    if jobs > 1:
        orders = Orders(str(course.root), tuple(exercises), agreed)
        place = processes(jobs, preload=(__name__,))
        return _side_by_side(place, orders, course, tasks)
    suites = collected(course, exercises)
    sandbox.wait()
    run = Run(exercises, sandbox, agreed, mends, right)
    return (grade_one(suites, run, *task) for task in tasks)


def grade_one(
    suites: Suites, run: Run, submission: Submission, only: Collection[str] | None = None
) -> Report:
    """One submission, every exercise, or ``only`` those of these names: its Report."""
    limits = limits_from(run.conditions.limits)
    program = SubmissionProgram(submission, run.sandbox, limits=limits)
    agreed = run.conditions
    examination = Examination(suites, program, agreed.seed, agreed.devices, right=run.right)
    chosen = _chosen(run.exercises, only)
    reports = tuple(examination.report_on(exercise) for exercise in chosen)
    if run.mends:
        reports = tuple(map(examination.with_mends, reports))
    return _report(submission, run.conditions, reports)


def _chosen(exercises: Sequence[Exercise], only: Collection[str] | None) -> list[Exercise]:
    return [exercise for exercise in exercises if only is None or exercise.name in only]


def _report(
    submission: Submission, conditions: Conditions, exercises: tuple[ExerciseReport, ...]
) -> Report:
    return Report(
        submission=submission.name,
        student=submission.student,
        graded_at=f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
        conditions=conditions,
        exercises=exercises,
        path=submission.path,
        digests=digests_of(submission),
        student_id=submission.student_id,
        late=submission.late,
        handed_in=submission.handed_in,
    )


@dataclass(frozen=True)
class Run:
    """What all submissions of a run have in common. With ``mends`` it is tried, for who learns,
    where one change is enough; which modules were found to be ``right`` before is known of who
    learns as well.
    """

    exercises: Sequence[Exercise]
    sandbox: Sandbox
    conditions: Conditions
    mends: bool = False
    right: Collection[str] = ()


@dataclass(frozen=True)
class Orders:
    """All that a process must be told to grade for a run: the folder of the course, or none for the
    one that it finds itself, the exercises as the caller knows them, the run's conditions.
    """

    root: str
    exercises: tuple[Exercise, ...]
    conditions: Conditions


class Task(NamedTuple):
    """A submission, and ``only`` which of the run's exercises are graded; without, all."""

    submission: Submission
    only: Collection[str] | None = None


def _side_by_side(
    place: AbstractContextManager[Place],
    orders: Orders,
    course: Course,
    tasks: Iterable[Task],
) -> Generator[Report, None, None]:
    with place as there:
        for task, graded in as_done(there, partial(grade_there, orders), tasks):
            try:
                yield graded.result()
            except there.lost:
                yield without_any_verdict(collected(course), orders, task)


def grade_there(orders: Orders, task: Task) -> Report:
    """One submission's Report, in a process that grades for another one. What it needs for that, a
    sandbox and the suites, is made once and kept for the next one.
    """
    with _one_at_a_time:
        if not _kept or _kept[0][0] != orders:
            _make_ready(orders)
        ((_, suites, run),) = _kept
        return grade_one(suites, run, *task)


_one_at_a_time = threading.Lock()  # of the threads that a worker of a scheduler may have
_kept: list[tuple[Orders, Suites, Run]] = []


def _make_ready(orders: Orders) -> None:
    while _kept:
        _kept.pop()[2].sandbox.close()
    agreed = orders.conditions
    course = Course(Path(orders.root)) if orders.root else find_course()
    chosen = "process" if agreed.isolation == "process" else None
    with ExitStack() as unless_kept:
        limits, gpu = limits_from(agreed.limits), "cuda" in agreed.devices
        sandbox = open_sandbox(chosen, gpu=gpu, memory_mib=limits.memory_mib)
        unless_kept.callback(sandbox.close)
        suites = collected(course, orders.exercises)
        sandbox.wait()
        found = conditions(course, sandbox, agreed.seed, agreed.devices, limits)
        _require_the_same(orders, found, suites)
        run = Run(orders.exercises, sandbox, found)
        _kept.append((orders, suites, run))
        unless_kept.pop_all()
    Finalize(None, sandbox.close, exitpriority=1)  # also of processes that know no atexit


def _require_the_same(orders: Orders, found: Conditions, suites: Suites) -> None:
    """Marks of one run must mean the same wherever they were given."""
    wanted = orders.conditions
    differing = [
        f"{name} {found.versions.get(name)} and not {version}"
        for name, version in wanted.versions.items()
        if found.versions.get(name) != version
    ]
    others = [name for name, digest in wanted.suites.items() if found.suites.get(name) != digest]
    if others:
        differing.append(f"another suite or solution of {' and '.join(others)}")
    if any(suites.catalog.get(exercise.name) != exercise for exercise in orders.exercises):
        differing.append("another catalog")
    if found.isolation != wanted.isolation:
        differing.append(f"{found.isolation} isolation and not {wanted.isolation}")
    if differing:
        raise OtherConditions(
            f"A worker on {socket.gethostname()} would grade under other conditions: it has "
            f"{', '.join(differing)}. Install there what is installed here, the course with it."
        )


def without_any_verdict(suites: Suites, orders: Orders, task: Task) -> Report:
    """For a submission that nobody could grade: what must be repeated."""
    agreed = orders.conditions
    lost = Cause("grading_ended")
    reports = tuple(
        ExerciseReport(
            exercise.name,
            tuple(
                Verdict(replace(one.check, device=device), Outcome.INTERNAL, cause=lost)
                for one in suites.of(exercise).checks
                for device in agreed.devices
            ),
        )
        for exercise in _chosen(orders.exercises, task.only)
    )
    return _report(task.submission, agreed, reports)


def require_full(sandbox: Sandbox) -> None:
    """Raises ``IsolationRefused`` unless marks may be given under this sandbox."""
    if sandbox.isolation != "full":
        raise IsolationRefused(
            "This machine offers no full isolation (Landlock and seccomp are needed), so "
            "submissions could read the suites. To grade all the same, on your own "
            "responsibility, add --isolation process."
        )


def require_out_of_reach(course: Course) -> None:
    """Raises ``IsolationRefused`` for a course in a folder that workers read for its libraries."""
    readable = [Path(path).resolve() for path in readable_paths()]
    for root, folder in product((one.root.resolve() for one in course.line), readable):
        if root.is_relative_to(folder):
            raise IsolationRefused(
                f"The course lies in {root}, and submissions can read all of {folder}, where "
                "Python's libraries are: they could read its suites. Move the course elsewhere."
            )


def conditions(
    course: Course,
    sandbox: Sandbox,
    seed: int,
    devices: Sequence[str],
    limits: Limits = LIMITS,
) -> Conditions:
    """What the reports of one run have in common."""
    return Conditions(
        seed,
        sandbox.isolation,
        sandbox.layers,
        tuple(devices),
        versions={
            "grader": __version__,
            "course": course.about.shown,
            "torch": torch.__version__,
        },
        suites=suite_digests(course),
        limits=asdict(limits),
    )
