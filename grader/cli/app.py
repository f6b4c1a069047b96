"""The commands, ten lines each; errors of ours are one sentence, never a traceback.

Heavy imports happen inside the commands, so that ``grader --help`` is immediate.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from grader.errors import GraderError

app = typer.Typer(
    help="Exercises on the Transformer: check your own work, or grade a class.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
dev = typer.Typer(help="For those who write exercises.", no_args_is_help=True)
app.add_typer(dev, name="dev")
nbgrader = typer.Typer(help="For courses in Jupyter.", no_args_is_help=True)
app.add_typer(nbgrader, name="nbgrader")

Names = Annotated[list[str] | None, typer.Argument(metavar="[EXERCISE]...", help="Which ones.")]
Isolation = Annotated[
    str | None, typer.Option(help="`process` also works where full isolation does not.")
]


@app.command()
def grade(
    folder: Annotated[Path, typer.Argument(help="Submissions: folders, archives or files.")],
    out: Annotated[Path | None, typer.Option(help="Write grades.csv and reports here.")] = None,
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run with its seed.")] = None,
    isolation: Isolation = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, or all: both.")] = "cpu",
) -> None:
    """Grade every submission in FOLDER and print the class table."""
    from grader.cli import instructor

    instructor.grade(folder, out, _split(exercises), seed, isolation, device)


@app.command()
def check(
    exercises: Names = None,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    isolation: Isolation = None,
) -> None:
    """Check your own work; exit status 1 while something fails."""
    from grader.cli import student

    raise typer.Exit(student.check(exercises or [], folder, isolation))


@app.command(name="list")
def list_exercises() -> None:
    """List the exercises in teaching order."""
    from grader.cli import student

    student.list_exercises()


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


@nbgrader.command()
def build(
    course: Annotated[Path, typer.Argument(help="The course folder; made if it is not there.")],
    assignment: Annotated[str, typer.Option(help="Its name in nbgrader.")] = "transformer",
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
) -> None:
    """Write nbgrader's configuration and the source notebooks of an assignment."""
    from grader.cli import jupyter

    jupyter.build(course, assignment, _split(exercises))


def _split(names: list[str] | None) -> list[str]:
    """``--exercises a,b --exercises c`` names three."""
    return [part for name in names or [] for part in name.replace(",", " ").split()]


def main() -> None:
    """Entry point of the ``grader`` command."""
    try:
        app()
    except GraderError as error:
        print(f"grader: {error}", file=sys.stderr)
        raise SystemExit(2) from None
