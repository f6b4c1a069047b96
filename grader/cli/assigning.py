"""What a class is graded with: by an assignment's file, by what was typed, and never by both where
these contradict each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import FILE_NAME, Assignment, read_for
from grader.course.catalog import select
from grader.course.course import Course
from grader.course.marks import weighted
from grader.errors import GraderError
from grader.model import Exercise, Report
from grader.programs.budget import LIMITS, Limits, limits_of
from grader.report.files import write_whole
from grader.runs.remarks import remarks_on

_DEVICES: Mapping[str | None, tuple[str, ...]] = {
    "cpu": ("cpu",),
    "cuda": ("cuda",),
    "all": ("cpu", "cuda"),
}


@dataclass(frozen=True)
class Plan:
    """What is graded, and how; ``assignment`` says what it is worth."""

    exercises: Sequence[Exercise]
    seed: int | None
    devices: tuple[str, ...]
    limits: Limits = LIMITS
    assignment: Assignment | None = None

    def weighted(self, report: Report) -> Report:
        """The report that marks are read from."""
        return report if self.assignment is None else weighted(report, self.assignment)

    def remarks(self, reports: Sequence[Report]) -> list[str]:
        """What a person should know beside the marks."""
        return [] if self.assignment is None else list(remarks_on(reports, self.assignment))

    def keep(self, out: Path | None) -> None:
        """Copies the file into the run: without it, its reports would be read by other weights."""
        if out is None or self.assignment is None:
            return
        try:
            write_whole(out / FILE_NAME, self.assignment.text)
        except OSError as error:
            raise GraderError(f"{out / FILE_NAME} cannot be written ({error.strerror}).") from error


def planned(
    course: Course,
    catalog: Mapping[str, Exercise],
    path: Path | None,
    names: Sequence[str],
    seed: int | None,
    device: str | None,
) -> Plan:
    """Raises ``GraderError`` where the file and an option say different things."""
    if device is not None and device not in _DEVICES:
        raise GraderError(f"--device must be cpu, cuda or all, not {device!r}.")
    devices = _DEVICES.get(device, ())
    if path is None:
        return Plan(select(catalog, names), seed, devices or ("cpu",))
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
        assignment.seed if seed is None else seed,
        assignment.devices or devices or ("cpu",),
        limits_of(assignment),
        assignment,
    )


def _contradict(key: str, there: object, typed: object, option: str = "") -> None:
    option = f"--{option or key}"
    raise GraderError(
        f"The assignment says {key} = {there}, and {option} says {typed}. Leave {option} out, or "
        "change the file."
    )
