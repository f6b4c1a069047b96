"""What a class made of the patients that `grader clinic` drew for it: `grader patients`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from grader.cli import screen
from grader.cli.collecting import found_in
from grader.cli.instructor import walls
from grader.cli.many import Many
from grader.collect.near import PATIENT
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.patients import Patient, mended, patient_in, seed_for
from grader.learner.progress import passed
from grader.model import ExerciseReport, Outcome, Submission
from grader.pipeline import grade_all
from grader.report.export import table_text
from grader.report.files import write_whole
from grader.report.plain import cell, one_line
from grader.report.words import told

_HEAD = ("submission", "student", "id", "mended", "right", "changed", "smallest", "note")


def show(
    name: str,
    download: Path,
    level: int,
    roster: Path | None,
    out: Path | None,
    seed: int | None,
    isolation: str | None,
    jobs: int | None,
) -> None:
    """Print who mended the patient of an exercise, and whose was not the one drawn for them at this
    level; write the same to ``out``, as CSV. What it is worth is left to whoever teaches.
    """
    course = find_course()
    (exercise,) = select(load_catalog(course), [name])
    module = PATIENT + exercise.name
    found = found_in(download, {module: exercise}, roster=roster)
    patients = dict(_admitted(course, module, found))
    taken = [
        replace(mended(course, exercise.name, one.files[module]), name=one.name)
        for one in found
        if one.name in patients
    ]
    count = Many(jobs).jobs_for(len(taken))
    with walls(course, isolation, ("cpu",)) as sandbox:
        graded = grade_all(course, [exercise], taken, sandbox, seed=seed, jobs=count)
        shown = screen.progress(graded, taken, count)
        reports = {report.submission: report.exercises[0] for report in shown}
    drawn_for = {seed_for(known): one.name for one in found for known in _names(one)}
    rows = []
    for one in found:
        if one.name in reports:
            patient = patients[one.name]
            cells = _judged(patient, reports[one.name], one.files[module])
            cells.append(_whose(one, patient, level, drawn_for))
        else:
            cells = ["", "", "", "", _why_not(one, module)]
        rows.append([one.name, one.student, one.student_id, *cells])
    screen.table(_HEAD, [list(map(one_line, row)) for row in rows], names=_HEAD[:3])
    screen.absent(found.absent)
    if out is not None:
        write_whole(out, table_text([_HEAD, *(list(map(cell, row)) for row in rows)]))


def _admitted(
    course: Course, module: str, found: Iterable[Submission]
) -> Iterator[tuple[str, Patient]]:
    """By submission: which patient it was; whose first lines do not say so is not judged."""
    for one in found:
        with suppress(LearnerError):
            patient = patient_in(course, one.files.get(module, ""))
            if PATIENT + patient.exercise == module:
                yield one.name, patient


def _judged(patient: Patient, report: ExerciseReport, text: str) -> list[str]:
    """Whether it is mended, how many checks are right, how many statements were changed, and how
    many had to be.
    """
    right = sum(verdict.outcome is Outcome.PASSED for verdict in report.verdicts)
    counts = [patient.changed_in(text), patient.smallest]
    right_of_all = f"{right} of {len(report.verdicts)}"
    return ["yes" if passed(report) else "no", right_of_all, *map(str, counts)]


def _why_not(one: Submission, module: str) -> str:
    """Why nothing was judged."""
    if problem := one.problems.get(module):
        return told(problem).rationale
    return words.NO_HEAD_THERE if module in one.files else words.NOT_IN_IT


def _whose(one: Submission, patient: Patient, level: int, drawn_for: Mapping[int, str]) -> str:
    """Nothing, where it is the patient that was drawn for this student at this level."""
    whose = drawn_for.get(patient.seed)
    if whose is None:
        return words.DRAWN_FOR_NOBODY.format(seed=patient.seed)
    if whose != one.name:
        return words.DRAWN_FOR.format(name=whose)
    return "" if patient.level == level else words.OF_LEVEL.format(level=patient.level)


def _names(one: Submission) -> set[str]:
    """What ``--student`` may have been told."""
    return {name for name in (one.student_id, one.student, one.name) if name}
