"""What people type who grade a class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands.options import TEACH, Isolation, Roster, split

commands = typer.Typer()


@commands.command(rich_help_panel=TEACH)
def collect(
    download: Annotated[Path, typer.Argument(help="A download of a class: folder or archive.")],
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    roster: Roster = None,
) -> None:
    """Show who handed in what, what is late and what is not graded; nothing is run."""
    from grader.cli import collecting

    collecting.show(download, split(exercises), roster)


@commands.command(rich_help_panel=TEACH)
def grade(
    folder: Annotated[Path, typer.Argument(help="Submissions: folders, archives or files.")],
    out: Annotated[Path | None, typer.Option(help="Write grades.csv and reports here.")] = None,
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run with its seed.")] = None,
    isolation: Isolation = None,
    device: Annotated[str | None, typer.Option(help="cpu, cuda, or all: both.")] = None,
    feedback: Annotated[bool, typer.Option("--feedback", help="A page for each student.")] = False,
    pictures: Annotated[bool, typer.Option("--pictures", help="Draw what lost points.")] = False,
    roster: Roster = None,
    assignment: Annotated[Path | None, typer.Option(help="An assignment.toml to grade by.")] = None,
) -> None:
    """Grade every submission in FOLDER and print the class table; exit status 3 if marks are
    missing.
    """
    from grader.cli import instructor

    extras = instructor.Extras(feedback, pictures)
    names = split(exercises)
    raise typer.Exit(
        instructor.grade(folder, out, names, seed, isolation, device, extras, roster, assignment)
    )


@commands.command(rich_help_panel=TEACH)
def export(
    format_name: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="csv, csv-long, junit, canvas, moodle, nbgrader, gradescope, classroom50, "
            "markdown or html.",
        ),
    ],
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    out: Annotated[Path | None, typer.Option(help="A file, or a new folder for pages.")] = None,
    roster: Annotated[Path | None, typer.Option(help="The table that the platform gave.")] = None,
    assignment: Annotated[
        str | None, typer.Option(help="The column, or assignment, that gets the marks.")
    ] = None,
    scale: Annotated[bool, typer.Option("--scale", help="To what the column is worth.")] = False,
) -> None:
    """Write the marks of a RUN for another program, from its reports alone; exit status 3 if one
    is missing.
    """
    from grader.cli import exporting

    column = exporting.Column(roster, assignment, scale)
    raise typer.Exit(exporting.export(format_name, run, out, column))


@commands.command(rich_help_panel=TEACH)
def report(
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, not as a page.")] = False,
) -> None:
    """One page on the class: totals, hard checks, misconceptions, and what a person should look
    at.
    """
    from grader.cli import exporting

    raise typer.Exit(exporting.report(run, out, as_json))


@commands.command(rich_help_panel=TEACH)
def doctor() -> None:
    """What protects this machine from submissions, what is missing, and what to do about it."""
    from grader.cli import doctor as examining

    raise typer.Exit(examining.doctor())
