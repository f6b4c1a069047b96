"""`grader train`, `talk` and `look`: what a learner built learns, is talked to and looked into."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer

from grader.cli.signals import not_interrupted
from grader.collect import collect_one
from grader.course.catalog import load_catalog
from grader.course.course import Course, find_course
from grader.errors import LearnerError
from grader.finale import words
from grader.finale.here import told
from grader.finale.order import Order
from grader.finale.pages import load_finale
from grader.finale.plan import Finale, Map, Task
from grader.finale.ready import Cast, cast, pages_of, reached, whose
from grader.finale.remembered import digests, remember, remembered
from grader.learner.progress import Progress
from grader.learner.workspace import Workspace, find_workspace
from grader.model import Exercise, Submission

LEAST = 200  # characters of a text
INTERRUPTED = 130  # as a shell counts Ctrl-C
FOLDER = "trained"  # in the learner's


@dataclass(frozen=True)
class Wish:
    """What was typed."""

    task: str = ""
    broken: str = ""
    seed: int = 0
    steps: int = 0
    device: str = ""
    goes_on: bool = False
    folder: Path | None = None


@dataclass(frozen=True)
class Desk:
    """A learner, and what the course has to train."""

    course: Course
    catalog: Mapping[str, Exercise]
    workspace: Workspace
    finale: Finale

    @staticmethod
    def found(folder: Path | None) -> Desk:
        course = find_course()
        catalog = load_catalog(course)
        workspace = find_workspace(course, catalog, folder and folder.resolve())
        if not (course.finale / "__init__.py").is_file():
            raise LearnerError(words.NO_FINALE)
        return Desk(course, catalog, workspace, load_finale(course.finale))

    @property
    def out(self) -> Path:
        return self.workspace.folder / FOLDER


def list_tasks(folder: Path | None) -> None:
    """What can be trained, and what can be broken."""
    finale = Desk.found(folder).finale
    typer.echo(words.WHAT_THERE_IS)
    for task in finale.tasks:
        form = words.OR_A_FILE if task.takes_text else words.TASK
        typer.echo(form.format(name=task.name, says=task.says))
    typer.echo(words.WHAT_CAN_BREAK)
    for one in finale.breaks:
        typer.echo(words.BREAK.format(name=one.name, says=one.says))


def train(wish: Wish) -> int:
    """Train, show, draw and keep; returns the exit status."""
    from grader.cli.finale_screen import Screen

    desk = Desk.found(wish.folder)
    broken = desk.finale.broken(wish.broken) if wish.broken else None
    if broken and wish.goes_on:
        raise LearnerError(words.ONE_OF_BOTH)
    task, path = _task(desk.finale, wish.task or (broken.seen_in if broken else ""))
    text = _text(path) if path else ""
    found = _told_whose(desk, task)
    order = Order(
        str(desk.course.finale),
        found.mine,
        found.ours,
        task.name,
        text,
        path.name if path else "",
        wish.broken,
        wish.seed,
        wish.steps,
        wish.device,
        str(desk.out),
        wish.goes_on,
    )
    screen = Screen(desk.finale, task, order)
    with not_interrupted(), screen.live():
        for what in told(order, desk.workspace.folder, screen.printed):
            screen.take(what)
    if not screen.finished:
        return INTERRUPTED
    screen.end()
    return 0


def talk(wish: Wish, prompt: str, count: int, temperature: float) -> int:
    """Continue ``prompt``, or what is typed, with the model that was trained last under a name."""
    desk = Desk.found(wish.folder)
    task, path = _task(desk.finale, wish.task)
    found = _cast(desk, task)
    order = Order(
        str(desk.course.finale),
        found.mine,
        found.ours,
        task.name,
        text_name=path.name if path else "",
        seed=wish.seed,
        device=wish.device,
        out=str(desk.out),
        count=count,
        temperature=temperature,
    )
    if prompt or not sys.stdin.isatty():
        _say(desk, order, prompt or sys.stdin.readline().rstrip("\n"))
        return 0
    typer.echo(words.TALK)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while line := input(words.PROMPT):
            _say(desk, order, line)
    return 0


def look(wish: Wish, prompt: str) -> int:
    """Into the model that was trained last under a name, with the learner's tools if they are
    ready: in words here, and as a picture beside the checkpoint.
    """
    from grader.finale.drawn import picture
    from grader.learner.workspace import write_whole

    desk = Desk.found(wish.folder)
    task, path = _task(desk.finale, wish.task)
    found = _cast(desk, task)
    order = Order(
        str(desk.course.finale),
        found.mine,
        found.ours,
        task.name,
        text_name=path.name if path else "",
        seed=wish.seed,
        out=str(desk.out),
        prompt=prompt,
        looks=True,
    )
    if task.looks_with in found.paths:
        said = words.YOURS if task.looks_with in found.mine else words.OURS
        part = desk.finale.part(task.looks_with)
        typer.secho(said.format(says=part.says, page=part.page), dim=True)
    (seen,) = told(order, desk.workspace.folder, _to_stderr)
    for line in seen["lines"]:
        typer.echo(line)
    place = desk.out / f"{order.stem}_look.svg"
    write_whole(place, picture({"": seen["costs"]}, [Map(**one) for one in seen["maps"]]))
    typer.echo(words.KEPT.format(paths=place.relative_to(desk.workspace.folder)))
    return 0


def _say(desk: Desk, order: Order, prompt: str) -> None:
    """The prompt and what follows it, as it comes."""
    from dataclasses import replace

    begun = False
    for what in told(replace(order, prompt=prompt), desk.workspace.folder, _to_stderr):
        if what["kind"] == "piece":
            typer.echo(("" if begun else prompt) + what["text"], nl=False)
            begun = True
        elif what["kind"] == "said":
            typer.echo()
            if what["cached"] is not None:
                typer.secho(words.CACHED if what["cached"] else words.UNCACHED, dim=True, err=True)


def _to_stderr(line: str) -> None:
    typer.echo(line, err=True)


def _task(finale: Finale, name: str) -> tuple[Task, Path | None]:
    """The task of this name; or, for a file, the one that takes texts."""
    path = Path(name)
    if name and name not in [t.name for t in finale.tasks if not t.takes_text] and path.is_file():
        takes = [task for task in finale.tasks if task.takes_text]
        if takes:
            return takes[0], path
    return finale.task(name), None


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LearnerError(words.NO_TEXT.format(path=path, said=error)) from error
    if len(text) < LEAST:
        raise LearnerError(words.TOO_SHORT.format(path=path, count=len(text), least=LEAST))
    return text


def _told_whose(desk: Desk, task: Task) -> Cast:
    found = _cast(desk, task)
    for line in whose(desk.finale, task, found, desk.catalog):
        typer.echo(line)
    if found.mine:
        typer.secho(words.OUTSIDE, dim=True)
    return found


def _cast(desk: Desk, task: Task) -> Cast:
    submission = collect_one(desk.workspace.folder, desk.catalog)
    names = reached(desk.course, task, pages_of(task, desk.catalog), submission.files)
    ready = _ready(desk, names, submission)
    mine = {name: desk.workspace.page(name).resolve() for name in names if name in ready}
    return cast(desk.course, names, mine)


def _ready(desk: Desk, names: list[str], submission: Submission) -> set[str]:
    """Those whose core is right: as the progress says of this very text, or what was found of it
    and of all that it imports when something was trained, or a look now.
    """
    touched = [name for name in names if desk.workspace.is_touched(name)]
    progress = desk.workspace.progress.load()
    found = {name: progress.of(name).core for name in touched if _is_known(desk, progress, name)}
    left = [name for name in touched if name not in found]
    if left:
        now = digests(desk.course, submission.files, left)
        found |= remembered(desk.out, now)
        unknown = [name for name in left if name not in found]
        if unknown:
            looked = _looked(desk, unknown, submission)
            remember(desk.out, now, looked)
            found |= looked
    return {name for name, core in found.items() if core}


def _is_known(desk: Desk, progress: Progress, name: str) -> bool:
    digest = hashlib.sha256(desk.workspace.text(name).encode()).hexdigest()[:16]
    return progress.of(name).digest == digest


def _looked(desk: Desk, names: list[str], submission: Submission) -> dict[str, bool]:
    """Whether the core of each is right. Nothing in this process needs torch's compiler, which an
    optimizer would take a second to import.
    """
    from grader.cli.student import warm_sandbox

    typer.echo(words.CHECKING.format(names=", ".join(names)), err=True)
    exercises = [desk.catalog[name] for name in names]
    with contextlib.closing(warm_sandbox(None)) as sandbox:
        from grader.finale.core import right_ones
        from grader.sandbox.uncompiled import run_uncompiled

        run_uncompiled()
        return dict(right_ones(desk.course, exercises, submission, sandbox))
