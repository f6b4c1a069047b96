"""What people type whose course runs on a platform, or in a container."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands.options import Isolation, split

gradescope = typer.Typer(help="Grade on Gradescope.", no_args_is_help=True)
classroom50 = typer.Typer(help="Grade in GitHub Actions, with Classroom 50.", no_args_is_help=True)
container = typer.Typer(help="Grade in a container.", no_args_is_help=True)

Exercises = Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")]
Assignment = Annotated[Path | None, typer.Option(help="An assignment.toml to grade by.")]
NewFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")]


def _known_way(way: str) -> str:
    from grader.exports.gradescope import HIDDEN

    if way not in HIDDEN:
        raise typer.BadParameter(f"there are {', '.join(HIDDEN)}.")
    return way


Hidden = Annotated[
    str,
    typer.Option(
        callback=_known_way,
        help="What students see of hidden checks: visible (as `grader check` says it), points "
        "alone, or nothing until after_due_date, after_published or ever: hidden.",
    ),
]


@gradescope.command(name="build")
def build_for_gradescope(
    archive: Annotated[Path, typer.Argument(metavar="FILE.zip", help="The archive to write.")],
    exercises: Exercises = None,
    assignment: Assignment = None,
    hidden: Hidden = "visible",
    isolation: Isolation = None,
) -> None:
    """Make the autograder that is uploaded there: setup.sh, run_autograder, grader and course."""
    from grader.cli import elsewhere

    elsewhere.gradescope(archive, split(exercises), assignment, hidden, isolation)


@gradescope.command(name="run", hidden=True)
def run_on_gradescope(
    hidden: Hidden = "visible",
    isolation: Isolation = None,
    root: Annotated[Path, typer.Option(help="Where everything lies.")] = Path("/autograder"),
) -> None:
    """In the container: grade what was handed in, and write results.json."""
    from grader.cli import unattended

    raise typer.Exit(unattended.gradescope(root, hidden, isolation))


@classroom50.command(name="build")
def build_for_classroom50(
    folder: NewFolder,
    exercises: Exercises = None,
    assignment: Assignment = None,
    isolation: Isolation = None,
    with_solutions: Annotated[
        bool,
        typer.Option("--with-solutions", help="Also of a whole course: students can read it all."),
    ] = False,
) -> None:
    """Make the folder for CLASSROOM/autograders/ASSIGNMENT, of a course that was released."""
    from grader.cli import elsewhere

    names = split(exercises)
    elsewhere.classroom50(folder, names, assignment, isolation, with_solutions=with_solutions)


@classroom50.command(name="run", hidden=True)
def run_for_classroom50(
    checkout: Annotated[Path, typer.Argument(help="The student's.")], isolation: Isolation = None
) -> None:
    """In a job: grade what was pushed, and write result.json and release-body.md into it."""
    from grader.cli import unattended

    raise typer.Exit(unattended.classroom50(checkout, isolation))


@container.command(name="build")
def build_container(folder: NewFolder) -> None:
    """Write a Dockerfile, and beside it what goes into the image: grader and course."""
    from grader.cli import elsewhere

    elsewhere.container(folder)
