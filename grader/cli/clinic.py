"""`grader clinic`: a program with one mistake in it, and what its author saw."""

from __future__ import annotations

import contextlib
from pathlib import Path

import typer

from grader.cli.own_report import told
from grader.cli.student import warm_sandbox
from grader.collect.near import PATIENT
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.progress import passed
from grader.learner.workspace import Workspace, find_workspace, write_whole
from grader.model import ExerciseReport


def admit(name: str, level: int, seed: int | None, student: str, folder: Path | None) -> None:
    """Write a patient of the exercise into the learner's folder."""
    from grader.learner.patients import drawn, seed_for
    from grader.programs.draw import new_seed

    workspace = _workspace(folder)
    exercise = workspace.exercise(name)
    path = workspace.folder / f"{PATIENT}{exercise.name}.py"
    if path.exists():
        raise LearnerError(words.PATIENT_WAITS.format(path=path.name))
    _demand_done(workspace, exercise.name, student)
    if student:
        seed = seed_for(student)
    found = drawn(workspace.course, exercise.name, level, new_seed() if seed is None else seed)
    write_whole(path, found.file(_seen(workspace.course, exercise.name, found.entry)))
    typer.echo(words.PATIENT_WRITTEN.format(path=path, stem=path.stem))


def check(name: str, folder: Path | None, isolation: str | None) -> int:
    """Judge a patient as it was mended, without saying which mistake it is; the exit status."""
    course = find_course()
    workspace = _workspace(folder)
    path = workspace.folder / f"{name.removesuffix('.py')}.py"
    if not path.is_file():
        raise LearnerError(words.NO_SUCH_PATIENT.format(path=path.name))
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    with contextlib.closing(warm_sandbox(isolation)) as sandbox:
        from grader.examiner.collection import collected
        from grader.examiner.examination import examine
        from grader.learner.patients import mended, patient_in
        from grader.programs.draw import new_seed
        from grader.programs.program import SubmissionProgram

        patient = patient_in(course, text)
        exercise = workspace.catalog[patient.exercise]
        program = SubmissionProgram(mended(course, exercise.name, text), sandbox)
        suite = collected(course, [exercise]).of(exercise)
        verdicts = examine(suite, program, new_seed(), diagnosed=False)
        program.close()
    report = ExerciseReport(exercise.name, tuple(verdicts))
    told(report)
    changed = patient.changed_in(text)
    typer.echo(words.CHANGED.format(count=changed, smallest=patient.smallest))
    if passed(report):
        typer.echo(words.WHAT_IT_WAS.format(sentence=patient.entry.sentence))
    return 0 if passed(report) else 1


def _workspace(folder: Path | None) -> Workspace:
    """Where patients lie: never beside generated stubs, where a file too many is taken away."""
    course = find_course()
    catalog = load_catalog(course)
    found = find_workspace(course, catalog, folder)
    if found.folder == course.exercises and not course.is_released:
        here = Path.cwd()
        if here == course.exercises:
            raise LearnerError(words.NO_CLINIC_AMONG_STUBS)
        return Workspace(course, catalog, here)
    return found


def _demand_done(workspace: Workspace, name: str, student: str) -> None:
    """All of a patient but one place is the solution."""
    if workspace.course.is_released:
        raise LearnerError(words.NO_BANK_HERE)
    if student or not workspace.keeps_progress:
        return
    if not workspace.progress.load().of(name).passed_at:
        raise LearnerError(words.CLINIC_LATER.format(name=name))


def _seen(course: Course, name: str, entry: object) -> str:
    """What the first check that catches a slip says of it, in the words of any wrong answer."""
    from grader.examiner.collection import collected
    from grader.examiner.examination import examine
    from grader.programs.bank import Slip
    from grader.programs.program import LocalProgram
    from grader.report.feedback import words_of

    assert isinstance(entry, Slip)
    catalog = load_catalog(course)
    suite = collected(course, [catalog[name]]).of(catalog[name])
    program = LocalProgram(entry.applied_to(suite.reference))
    only = entry.caught_by[:1] or None
    found = examine(suite, program, 1, only=only, diagnosed=False, advised=False)
    said = [words_of(verdict) for verdict in found]
    return " ".join((said[0].rationale or said[0].sentence).split()).rstrip(".") + "."
