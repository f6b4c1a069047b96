"""What students do: check their own work."""

from __future__ import annotations

import contextlib
import gc
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from grader import __version__
from grader.collect.near import PATIENT
from grader.course.catalog import load_catalog, select
from grader.course.course import Course, find_course
from grader.course.imports import own_modules
from grader.course.released import read_facts
from grader.errors import LearnerError
from grader.learner import words
from grader.learner.progress import passed
from grader.learner.workspace import Workspace, find_workspace
from grader.model import Exercise, Outcome, Report
from grader.report.parts import (
    DONE,
    in_the_way,
    is_core,
    is_to_be_written,
    next_step,
    wrong_besides,
)

if TYPE_CHECKING:  # it imports torch, which hints and lists need not wait for
    from grader.sandbox.launch import Sandbox


def check(names: Sequence[str], folder: Path | None, isolation: str | None, as_json: bool) -> int:
    """Check one's own pages, without names all that were touched; returns the exit status. A page
    may be named with the folder it lies in, as shells complete it; parts that do not lie there are
    then those of one's own folder.
    """
    elsewhere = any(os.path.dirname(name) for name in names)
    names, folder = _located(names, folder)
    patients = [name for name in names if name.startswith(PATIENT)]
    if patients:
        from grader.cli import clinic

        return max(clinic.check(name, folder, isolation) for name in patients)
    course = find_course()
    catalog = load_catalog(course)
    chosen = select(catalog, [name.removesuffix(".py") for name in names])
    workspace = find_workspace(course, catalog, folder)
    chosen = chosen if names else _touched(workspace)
    parts = _parts_from_home(workspace, chosen) if elsewhere else {}
    with contextlib.closing(warm_sandbox(isolation)) as sandbox:
        report = _report(workspace, chosen, sandbox, parts)
    _show(report, as_json, workspace.catalog)
    if not as_json:
        _say_next_steps(catalog, report)
    if course.is_released and not as_json:
        _say_what_is_practice(course, report)
    if workspace.keeps_progress:
        _record(workspace, report)
        _say_what_is_gone(workspace, report)
    return 0 if all(passed(exercise) for exercise in report.exercises) else 1


def _located(names: Sequence[str], folder: Path | None) -> tuple[list[str], Path | None]:
    """The pages' own names, and their folder; raises ``LearnerError`` where they have several."""
    paths = [Path(name) for name in names]
    told = {Path(os.path.abspath(path.parent)) for path in paths if path.name != str(path)}
    told |= {Path(os.path.abspath(folder))} if folder and told else set()
    if len(told) > 1:
        raise LearnerError(words.SEVERAL_FOLDERS)
    return [path.name for path in paths], told.pop() if told else folder


def _parts_from_home(workspace: Workspace, chosen: Sequence[Exercise]) -> dict[str, str]:
    """The texts of what these pages import and what does not lie beside them, from the folder where
    one works; which these are is said.
    """
    try:
        home = find_workspace(workspace.course, workspace.catalog)
    except LearnerError:  # nobody works here
        return {}
    there = {name for name in workspace.catalog if workspace.page(name).exists()}
    of = workspace.texts(there) | home.texts(workspace.catalog.keys() - there)
    needed = set().union(*(own_modules(of, exercise.name) for exercise in chosen)) - there
    if needed:
        listed = ", ".join(name for name in workspace.catalog if name in needed)
        typer.echo(words.PARTS_FROM_HOME.format(parts=listed, folder=home.folder), err=True)
    return {name: of[name] for name in needed}


def warm_sandbox(isolation: str | None) -> Sandbox:
    """A sandbox whose zygote is forked from this process, so that torch is imported once.

    This process knows no suite or solution yet.
    """
    import_warmly()
    from grader.sandbox.launch import open_sandbox

    return open_sandbox(isolation, fork=True)


def import_warmly() -> None:
    """Import what takes long. Garbage collection would copy the pages that a fork shares, for
    nothing.
    """
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import grader.pipeline  # noqa: F401


def _report(
    workspace: Workspace,
    exercises: Sequence[Exercise],
    sandbox: Sandbox,
    parts: Mapping[str, str],
) -> Report:
    from grader.collect import collect_one
    from grader.pipeline import grade_all

    submission = collect_one(workspace.folder, workspace.catalog)
    submission = replace(submission, files={**parts, **submission.files})
    right = workspace.right(workspace.progress.load(), submission.files)
    graded = grade_all(workspace.course, exercises, [submission], sandbox, mends=True, right=right)
    return next(graded)


def _touched(workspace: Workspace) -> list[Exercise]:
    """What differs from its stub; raises ``LearnerError`` when nothing does."""
    touched = workspace.touched
    if not touched:
        first = next(iter(workspace.catalog))
        said = words.NOTHING_TOUCHED.format(folder=workspace.folder, first=first)
        raise LearnerError(said)
    return touched


def _show(report: Report, as_json: bool, catalog: Mapping[str, Exercise]) -> None:
    if as_json:
        from grader.report.record import to_json

        typer.echo(json.dumps(to_json(report), indent=1, ensure_ascii=False))
        return
    from grader.cli import own_report

    own_report.own_report(report, catalog)


def _say_next_steps(catalog: Mapping[str, Exercise], report: Report) -> None:
    """With which step of a core to go on, or what is left once it is right."""
    for exercise in report.exercises:
        steps = catalog[exercise.name].steps
        step = next_step(exercise.verdicts, steps)
        open_ones = sum(one.outcome not in DONE for one in exercise.verdicts)
        if any(is_core(one) and one.outcome is Outcome.CARRIED for one in exercise.verdicts):
            typer.echo(words.CARRIED_LEFT.format(name=exercise.name, count=open_ones))
        elif step:
            number, total, name = steps.index(step) + 1, len(steps), exercise.name
            other = in_the_way(exercise.verdicts, step)
            to_do = is_to_be_written(exercise.verdicts, step)
            at_hand = words.GO_ON_WITH if to_do else words.NOT_RIGHT_YET
            said = words.GO_ON_BELOW if other else at_hand
            typer.echo(said.format(name=name, number=number, total=total, step=step, other=other))
            if count := len(wrong_besides(exercise.verdicts, step)):
                more = words.WRONG_ROBUST_ONE if count == 1 else words.WRONG_ROBUST
                typer.echo(more.format(count=count))
        elif steps and open_ones:
            left = words.LEFT_ONE if open_ones == 1 else words.LEFT
            typer.echo(left.format(name=exercise.name, count=open_ones))


def _say_what_is_practice(course: Course, report: Report) -> None:
    """What is asked elsewhere, and whether the folder is of another version."""
    facts = read_facts(course.root)
    more = sum(facts.at_home.get(exercise.name, 0) for exercise in report.exercises)
    if more:
        typer.echo(words.PRACTICE.format(count=more))
    if facts.grader != __version__:
        said = words.OTHER_VERSION.format(wanted=facts.grader, found=__version__)
        typer.echo(said, err=True)


def _record(workspace: Workspace, report: Report) -> None:
    """Keep the progress; that it could not be kept is no reason to hide a verdict."""
    texts = {exercise.name: workspace.text(exercise.name) for exercise in report.exercises}
    try:
        workspace.progress.change(
            lambda progress: workspace.after(progress, report.exercises, texts)
        )
    except LearnerError as error:
        workspace.progress.notices.append(str(error))
    for notice in workspace.progress.notices:
        typer.echo(f"! {notice}", err=True)


def _say_what_is_gone(workspace: Workspace, report: Report) -> None:
    """In a learner's own folder a missing page is an accident, and can be undone."""
    for name in (exercise.name for exercise in report.exercises):
        if not workspace.page(name).is_file():
            typer.echo(words.BRING_BACK.format(name=name), err=True)
