"""What those do who learn alone: start, watch, list, hint, reset, solution."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import typer

from grader.cli.student import import_warmly, warm_sandbox
from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.course.suite_text import suite_points
from grader.errors import LearnerError
from grader.learner import reading, words
from grader.learner import workspace as workspaces
from grader.learner.lines import Line, Size, hint_lines, hints_shown, next_hint
from grader.learner.pairs import pairs
from grader.learner.progress import FILE_NAME, Progress, total
from grader.learner.workspace import Workspace
from grader.report.words import score_words
from grader.spelling import did_you_mean

_COLOURS = {"good": "green", "bad": "red", "warn": "magenta", "hint": "cyan"}


def start(folder: Path) -> None:
    """Make a folder of one's own and say what to open first."""
    course = find_course()
    workspace = workspaces.start(course, load_catalog(course), folder)
    count, first = len(workspace.catalog), next(iter(workspace.catalog))
    quoted = workspaces.quoted(folder)
    tell(words.STARTED.format(count=count, folder=folder, quoted=quoted, first=first))


def watch(isolation: str | None, poll: bool) -> None:
    """Stay with the learner until ``q``; what is slow to import comes after the first picture."""
    from grader.cli import terminal

    course = find_course()
    workspace = workspaces.find_workspace(course, load_catalog(course))
    if not terminal.is_terminal():
        raise LearnerError(words.NO_TERMINAL)
    poll = poll or os.environ.get("GRADER_POLL", "") not in ("", "0")
    status = _watch(workspace, isolation, poll)
    tell(words.GOES_ON.format(folder=workspace.folder))
    raise typer.Exit(status)


def _watch(workspace: Workspace, isolation: str | None, poll: bool) -> int:
    """Returns the exit status: it says which signal ended it, 0 if the learner did."""
    from grader.cli.keyboard import reading_keys
    from grader.cli.signals import Signals
    from grader.cli.terminal import Terminal
    from grader.learner.events import Events, Files

    terminal, events = Terminal(), Events()
    signals = Signals(terminal.give_back)
    with signals.heeded(), terminal.own_screen():
        terminal.show([Line(words.GETTING_READY, "hint")])
        import_warmly()
        signals.go_to(events.put)
        with closing(warm_sandbox(isolation)) as sandbox, closing(warm_sandbox(isolation)) as other:
            from grader.learner.watch import Watch
            from grader.programs.draw import new_seed

            files = Files(workspace.folder, events, poll=poll)
            watching = Watch(workspace, sandbox, new_seed(), events, files, terminal, other)
            gc.freeze()  # torch and the suites stay: walking over them takes 150 ms a check
            with reading_keys(events.put):
                watching.run()
    return signals.status


def list_exercises() -> None:
    """The table of contents, with the progress kept in the current folder, if there is any."""
    course = find_course()
    catalog = load_catalog(course)
    points = {name: suite_points(course, name) for name in catalog}
    try:
        workspace = workspaces.find_workspace(course, catalog)
        progress = workspace.progress.load() if workspace.keeps_progress else Progress()
    except LearnerError:
        workspace, progress = None, Progress()
    exercises = list(catalog.values())
    show(reading.list_lines(exercises, progress, points, width()))
    show(reading.prospect_lines(exercises, progress, width()))
    done = sum(progress.of(name).done for name in catalog)
    core = sum(progress.of(name).core for name in catalog)
    earned = score_words(total(progress.of(name) for name in catalog))
    most = sum(points.values())
    tell("")
    tell(words.DONE.format(core=core, done=done, total=len(catalog), points=earned, most=most))
    if workspace is None:
        tell(words.NO_PROGRESS_HERE)
    else:
        _notices(workspace)


def hint(name: str | None, function: str | None = None) -> None:
    """One more hint on ``function``, or else on the first one that is not written yet, or else on
    the whole page; those shown before are shown again.
    """
    workspace = _own_desk()
    exercise = workspace.exercise(name or workspace.current(workspace.progress.load()))
    if function and function not in exercise.names:
        near = did_you_mean(function, exercise.names)
        said = words.NO_SUCH_FUNCTION.format(name=exercise.name, function=function, near=near)
        raise LearnerError(said)
    of = function or workspace.unwritten(exercise.name)
    shown = workspace.progress.load().of(exercise.name).hints
    number = next_hint(exercise, shown, of)
    if number is not None:
        shown = (*shown, number)
        workspace.progress.change(lambda progress: progress.hinted(exercise.name, number))
    for one in hints_shown(exercise, shown, of):
        show(hint_lines(exercise, one, width(), of or ""))
    if number is None:
        tell(words.NO_MORE_HINTS)
    elif next_hint(exercise, shown, of):
        tell(words.TRY_FIRST.format(name=" ".join(filter(None, (exercise.name, function)))))
    _notices(workspace)


def reset(name: str, yes: bool) -> None:
    """A fresh stub; the old page is kept beside it."""
    workspace = _own_desk()
    exercise = workspace.exercise(name)
    if workspace.is_touched(exercise.name) and not yes:
        typer.confirm(words.CONFIRM_FRESH.format(name=exercise.name), abort=True)
    kept = workspace.reset(exercise.name)
    tell(words.FRESH_IN.format(name=exercise.name, folder=workspace.folder))
    if kept is not None:
        tell(words.KEPT_AS.format(kept=kept.name))
    _notices(workspace)


def solution(name: str) -> None:
    """The solution beside one's own, once that has passed."""
    workspace = _own_desk()
    exercise = workspace.exercise(name)
    page = workspace.course.solution(exercise.name)
    if not page.exists():
        raise LearnerError(words.NO_SOLUTIONS_HERE)
    if not workspace.progress.load().of(exercise.name).passed_at:
        raise LearnerError(words.SOLUTION_OF_LATER.format(name=exercise.name))
    found = pairs(workspace.text(exercise.name), page.read_text(encoding="utf-8"))
    show(reading.pair_lines(found, width()))
    _notices(workspace)


def is_in_a_workspace() -> bool:
    """Whether plain ``grader`` should watch: exercises were started here, or lie here."""
    here = Path.cwd()
    return (here / FILE_NAME).exists() or (here / "catalog.toml").exists()


def show(lines: Sequence[Line]) -> None:
    """Print lines once, in colour where there is a terminal that wants it."""
    plain = bool(os.environ.get("NO_COLOR"))
    for line in lines:
        colour = None if plain else _COLOURS.get(line.style)
        typer.secho(line.text, fg=colour, bold=(line.style == "bold" and not plain) or None)


def tell(text: str) -> None:
    """One line, as it is."""
    typer.echo(text)


def _own_desk() -> Workspace:
    course = find_course()
    return workspaces.find_workspace(course, load_catalog(course))


def _notices(workspace: Workspace) -> None:
    for notice in workspace.progress.notices:
        typer.echo(f"! {notice}", err=True)


def width() -> int:
    """Of lines, in characters."""
    from shutil import get_terminal_size

    return Size(get_terminal_size().columns).width
