"""What a class is graded with: by an assignment's file, by what was typed, and never by both where
these contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import FILE_NAME, Assignment, read_assignment, read_for
from grader.course.catalog import select
from grader.course.course import Course
from grader.errors import GraderError
from grader.model import Exercise
from grader.programs.budget import LIMITS, Limits, limits_of
from grader.runs.settings import Settings, seed_of

_DEVICES: Mapping[str | None, tuple[str, ...]] = {
    "cpu": ("cpu",),
    "cuda": ("cuda",),
    "all": ("cpu", "cuda"),
}


@dataclass(frozen=True)
class Plan:
    """What is graded, and how; ``assignment`` says what it is worth."""

    exercises: Sequence[Exercise]
    seed: int
    devices: tuple[str, ...]
    limits: Limits = LIMITS
    assignment: Assignment | None = None


def kept_in(run: Path | None) -> Path | None:
    """The assignment of a run that was begun, if it has one."""
    path = None if run is None else run / FILE_NAME
    return path if path is not None and path.exists() else None


def read_kept(run: Path) -> Assignment | None:
    """What the reports of a run are weighted by; raises ``AssignmentError``."""
    path = kept_in(run)
    return None if path is None else read_assignment(path)


def planned(
    course: Course,
    catalog: Mapping[str, Exercise],
    path: Path | None,
    names: Sequence[str],
    seed: int | None,
    device: str | None,
    begun: Settings | None = None,
) -> Plan:
    """What is said nowhere is as in the run that was ``begun``. Raises ``GraderError`` where the
    file and an option say different things, and for another seed than the run's.
    """
    if device is not None and device not in _DEVICES:
        raise GraderError(f"--device must be cpu, cuda or all, not {device!r}.")
    devices = _DEVICES.get(device, ())
    before = begun.conditions.devices if begun else ("cpu",)
    if path is None:
        exercises = select(catalog, names or (begun.exercises if begun else ()))
        return Plan(exercises, seed_of(begun, seed), devices or before)
    assignment = read_for(course, catalog, path)
    exercises = select(catalog, assignment.exercises)
    if names and select(catalog, names) != exercises:
        _contradict("exercises", json.dumps(assignment.exercises), ",".join(names))
    if None not in (seed, assignment.seed) and seed != assignment.seed:
        _contradict("seed", assignment.seed, seed)
    if devices and assignment.devices and devices != assignment.devices:
        _contradict("devices", json.dumps(assignment.devices), device, option="device")
    return Plan(
        exercises,
        seed_of(begun, assignment.seed if seed is None else seed),
        assignment.devices or devices or before,
        limits_of(assignment),
        assignment,
    )


def _contradict(key: str, there: object, typed: object, option: str = "") -> None:
    option = f"--{option or key}"
    raise GraderError(
        f"The assignment says {key} = {there}, and {option} says {typed}. Leave {option} out, or "
        "change the file."
    )
