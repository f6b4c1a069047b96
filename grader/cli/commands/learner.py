"""What people type who learn: commands of a few lines, over `cli/learn.py` and its like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands.options import LEARN, Isolation, Names, OneName, Poll

commands = typer.Typer()
TrainTask = Annotated[
    str, typer.Argument(metavar="[TASK|FILE]", help="What it learns: see `train --list`.")
]


@commands.command(rich_help_panel=LEARN)
def start(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
) -> None:
    """Learn alone: copy the exercises into a folder of your own."""
    from grader.cli import learn

    learn.start(folder)


@commands.command(rich_help_panel=LEARN)
def watch(isolation: Isolation = None, poll: Poll = False) -> None:
    """Show the exercise at hand and check it again every time you save it."""
    from grader.cli import learn

    learn.watch(isolation, poll)


@commands.command(rich_help_panel=LEARN)
def hint(
    exercise: Annotated[str | None, typer.Argument(metavar="EXERCISE", help="Which one.")] = None,
    function: Annotated[
        str | None, typer.Argument(metavar="FUNCTION", help="On which function or class of it.")
    ] = None,
) -> None:
    """One more hint each time you ask."""
    from grader.cli import learn

    learn.hint(exercise, function)


@commands.command(rich_help_panel=LEARN, context_settings={"ignore_unknown_options": True})
def ask(
    exercise: Annotated[str | None, typer.Argument(metavar="EXERCISE", help="Which one.")] = None,
    number: Annotated[int | None, typer.Argument(help="The question to answer.")] = None,
    answer: Annotated[list[str] | None, typer.Argument(help="What you expect.")] = None,
) -> None:
    """Questions to answer before you write: what do you expect? No marks depend on them."""
    from grader.cli import asking

    asking.ask(exercise, number, " ".join(answer or []))


@commands.command(rich_help_panel=LEARN)
def reset(
    exercise: OneName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Start an exercise again; what you had is kept beside it."""
    from grader.cli import learn

    learn.reset(exercise, yes)


@commands.command(rich_help_panel=LEARN)
def solution(exercise: OneName) -> None:
    """The solution beside yours, once yours has passed."""
    from grader.cli import learn

    learn.solution(exercise)


@commands.command(rich_help_panel=LEARN)
def check(
    exercises: Names = None,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    isolation: Isolation = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check what you have changed, or what you name; exit status 1 while something fails."""
    from grader.cli import student

    raise typer.Exit(student.check(exercises or [], folder, isolation, as_json))


@commands.command(rich_help_panel=LEARN)
def clinic(
    exercise: OneName,
    level: Annotated[
        int, typer.Option(min=0, max=3, help="1: seen at once, 3: hardly; 0: any.")
    ] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed, the same one.")] = None,
    student: Annotated[str, typer.Option(metavar="ID", help="Drawn for this student.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Where it is written.")] = None,
) -> None:
    """A right program but for one place: find it, and `check clinic_EXERCISE` judges the cure."""
    from grader.cli import clinic as ward

    ward.admit(exercise, level, seed, student, folder)


@commands.command(rich_help_panel=LEARN)
def run(
    exercise: OneName,
    expression: Annotated[
        str | None, typer.Argument(help="What to compute, such as 'softmax(torch.ones(3))'.")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
) -> None:
    """Run your own file as Python does, unchecked: with its prints, breakpoint() and input()."""
    from grader.cli import running

    raise typer.Exit(running.run(exercise, expression, folder))


@commands.command(name="list", rich_help_panel=LEARN)
def list_exercises() -> None:
    """List the exercises in teaching order: progress, points, level, minutes, needs."""
    from grader.cli import learn

    learn.list_exercises()


@commands.command(rich_help_panel=LEARN)
def pack(
    exercises: Names = None,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    out: Annotated[Path | None, typer.Option(help="The .zip, or a folder for it.")] = None,
) -> None:
    """Make the file to hand in, and say what is missed in it; exit status 1 if anything is."""
    from grader.cli import packing

    raise typer.Exit(packing.pack(exercises or [], folder, out))


@commands.command(rich_help_panel=LEARN)
def show(
    exercise: Annotated[str, typer.Argument(help="Which one.")],
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    out: Annotated[Path | None, typer.Option(help="The PNG; otherwise EXERCISE.png.")] = None,
    isolation: Isolation = None,
) -> None:
    """Draw what your code computed beside what was expected."""
    from grader.cli import show as showing

    showing.show(exercise, folder, out, isolation)


@commands.command(rich_help_panel=LEARN)
def page(
    exercise: OneName,
    out: Annotated[Path | None, typer.Option(help="The file; otherwise EXERCISE.html.")] = None,
) -> None:
    """Read a page in your browser: with its figures, and its formulas typeset."""
    from grader.cli import page as reading

    reading.page(exercise, out)


@commands.command(rich_help_panel=LEARN)
def train(
    task: TrainTask = "",
    broken: Annotated[
        str, typer.Option("--break", help="Beside it, the same with one part broken: see --list.")
    ] = "",
    seed: Annotated[int, typer.Option(help="The same seed, the same model.")] = 0,
    steps: Annotated[int, typer.Option(help="Else, as many as take about a minute.")] = 0,
    device: Annotated[str, typer.Option(help="Such as cpu or cuda; else the best there is.")] = "",
    go_on: Annotated[
        bool, typer.Option("--go-on", help="Go on from the checkpoint of last time.")
    ] = False,
    list_all: Annotated[
        bool, typer.Option("--list", help="What can be trained, and what can be broken.")
    ] = False,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
) -> None:
    """Make a model of your own files learn, for about a minute, and watch it."""
    from grader.cli import finale

    if list_all:
        finale.list_tasks(folder)
        return
    wish = finale.Wish(task, broken, seed, steps, device, go_on, folder)
    raise typer.Exit(finale.train(wish))


@commands.command(rich_help_panel=LEARN)
def talk(
    task: TrainTask = "",
    prompt: Annotated[str, typer.Option(help="What it is to continue; else, what you type.")] = "",
    letters: Annotated[int, typer.Option(min=1, help="How many it adds.")] = 200,
    temperature: Annotated[float, typer.Option(min=0.0, help="0: always the likeliest.")] = 0.8,
    seed: Annotated[int, typer.Option(help="The same seed, the same text.")] = 0,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
) -> None:
    """Let the model that you trained continue what you begin, letter by letter."""
    from grader.cli import finale

    wish = finale.Wish(task, seed=seed, folder=folder)
    raise typer.Exit(finale.talk(wish, prompt, letters, temperature))


@commands.command(rich_help_panel=LEARN)
def look(
    task: TrainTask = "",
    prompt: Annotated[str, typer.Option(help="What it reads: up to 16 letters of it.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
) -> None:
    """Look into the model that you trained, with your own tools of the page circuits."""
    from grader.cli import finale

    raise typer.Exit(finale.look(finale.Wish(task, folder=folder), prompt))
