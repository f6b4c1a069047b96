"""What people type who write exercises, and who build courses in Jupyter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands.options import Names, split

new = typer.Typer(help="Begin a course, or an exercise, of your own.", no_args_is_help=True)
dev = typer.Typer(help="For those who write exercises.", no_args_is_help=True)
nbgrader = typer.Typer(help="For courses in Jupyter.", no_args_is_help=True)


@new.command(name="course")
def new_course(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    extends: Annotated[
        str, typer.Option(metavar="COURSE", help="Whose exercises are to be in it, too.")
    ] = "",
) -> None:
    """Make a course of one exercise, to be filled with your own."""
    from grader.cli import author

    author.new_course(folder, extends)


@new.command(name="exercise")
def new_exercise(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, as in a module.")],
) -> None:
    """Add an exercise to the course: page, suite, wrong and right answers."""
    from grader.cli import author

    author.new_exercise(name)


@dev.command()
def stubs(
    check: Annotated[bool, typer.Option("--check", help="Only say what differs.")] = False,
) -> None:
    """Generate exercises/ from solutions/."""
    from grader.cli import author

    raise typer.Exit(author.stubs(check))


@dev.command(name="check")
def check_house(exercises: Names = None) -> None:
    """Prove the house: stubs fail, solutions pass, every misconception is caught and named."""
    from grader.cli import author

    raise typer.Exit(author.check(exercises or []))


@dev.command()
def slips(
    exercises: Names = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many at a time.")] = 2,
    share: Annotated[int, typer.Option(min=1, help="Of so many slips, try one.")] = 1,
) -> None:
    """Change solutions in one place at a time: does the suite reject every slip?"""
    from grader.cli import author

    raise typer.Exit(author.slips(exercises or [], jobs, share))


@dev.command()
def costs(exercises: Names = None) -> None:
    """What every known mistake costs: strictly, and with follow-through."""
    from grader.cli import author

    raise typer.Exit(author.costs(exercises or []))


@nbgrader.command()
def build(
    course: Annotated[Path, typer.Argument(help="The course folder; made if it is not there.")],
    assignment: Annotated[str, typer.Option(help="Its name in nbgrader.")] = "exercises",
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    assignment_file: Annotated[Path | None, typer.Option(help="An assignment.toml.")] = None,
) -> None:
    """Write nbgrader's configuration and the source notebooks of an assignment."""
    from grader.cli import jupyter

    jupyter.build(course, assignment, split(exercises), assignment_file)
