"""What people type who grade a class."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands.options import (
    TEACH,
    Appeal,
    Isolation,
    Jobs,
    OneName,
    Roster,
    Scheduler,
    split,
)

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
def release(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or a released one.")],
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    assignment: Annotated[Path | None, typer.Option(help="Only those of assignment.toml.")] = None,
    core: Annotated[bool, typer.Option("--core", help="Only the core, and public checks.")] = False,
    examples: Annotated[bool, typer.Option("--examples", help="Only public checks.")] = False,
    jobs: Jobs = None,
) -> None:
    """Make the folder that students get: pages, and practice that holds no solution and no suite.
    The same command brings it up to date.
    """
    from grader.cli import releasing

    releasing.release(folder, split(exercises), assignment, core=core, examples=examples, jobs=jobs)


@commands.command(rich_help_panel=TEACH)
def verify(
    place: Annotated[Path, typer.Argument(help="A pack, or a download of a class.")],
    release: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder that you gave away.")
    ] = None,
    assignment: Annotated[Path | None, typer.Option(help="Your assignment.toml.")] = None,
    roster: Roster = None,
) -> None:
    """Show with what students' packs say they were made, and what of it is not as you have it;
    exit status 1 if anything is not. No mark depends on it.
    """
    from grader.cli import verifying

    raise typer.Exit(verifying.verify(place, release, assignment, roster))


@commands.command(rich_help_panel=TEACH)
def grade(
    folder: Annotated[Path, typer.Argument(help="Submissions: folders, archives or files.")],
    out: Annotated[Path | None, typer.Option(help="Write grades.csv and reports here.")] = None,
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run with its seed.")] = None,
    isolation: Isolation = None,
    device: Annotated[str | None, typer.Option(help="cpu (default), cuda, or all: both.")] = None,
    feedback: Annotated[bool, typer.Option("--feedback", help="A page for each student.")] = False,
    pictures: Annotated[bool, typer.Option("--pictures", help="Draw what lost points.")] = False,
    appeal: Appeal = "",
    roster: Roster = None,
    assignment: Annotated[Path | None, typer.Option(help="An assignment.toml to grade by.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what has not changed.")] = False,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
) -> None:
    """Grade every submission in FOLDER and print the class table; exit status 3 if marks are
    missing. The same command goes on where it was ended.
    """
    from grader.cli.many import Many

    many = Many(jobs, scheduler)
    many.begin(folder)
    from grader.cli import instructor
    from grader.cli.files import Extras

    extras = Extras(feedback, pictures, appeal)
    names = split(exercises)
    status = instructor.grade(
        folder, out, names, seed, isolation, device, extras, roster, assignment,
        many=many, again=again,
    )  # fmt: skip
    raise typer.Exit(status)


@commands.command(rich_help_panel=TEACH)
def patients(
    exercise: OneName,
    download: Annotated[Path, typer.Argument(help="Submissions: folders, archives or files.")],
    level: Annotated[int, typer.Option(min=0, max=3, help="As they were told to draw it.")] = 0,
    roster: Roster = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table here.")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run with its seed.")] = None,
    isolation: Isolation = None,
    jobs: Jobs = None,
) -> None:
    """Show who of a class mended what `grader clinic EXERCISE --student ID` drew for them."""
    from grader.cli import patients as ward

    ward.show(exercise, download, level, roster, csv, seed, isolation, jobs)


@commands.command(rich_help_panel=TEACH)
def regrade(
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    write: Annotated[bool, typer.Option("--write", help="Write without asking.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also what has not changed.")] = False,
    isolation: Isolation = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
) -> None:
    """Grade the kept text of a RUN again where suites are others today, and show whose marks move
    and why.
    """
    from grader.cli import regrading
    from grader.cli.many import Many

    many = Many(jobs, scheduler)
    raise typer.Exit(regrading.regrade(run, write, isolation, many, everything=again))


@commands.command(rich_help_panel=TEACH)
def export(
    format_name: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="csv, csv-long, junit, canvas, moodle, nbgrader, gradescope, classroom50, "
            "markdown, html or moodle-pages.",
        ),
    ],
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    out: Annotated[
        Path | None, typer.Option(help="A file; for pages a .zip or a new folder.")
    ] = None,
    roster: Annotated[Path | None, typer.Option(help="The table that the platform gave.")] = None,
    assignment: Annotated[
        str | None, typer.Option(help="The column, or assignment, that gets the marks.")
    ] = None,
    scale: Annotated[bool, typer.Option("--scale", help="To what the column is worth.")] = False,
    appeal: Appeal = "",
) -> None:
    """Write the marks of a RUN for another program, from its reports alone; exit status 3 if one
    is missing.
    """
    from grader.cli import exporting

    column = exporting.Column(roster, assignment, scale, appeal)
    raise typer.Exit(exporting.export(format_name, run, out, column))


@commands.command(rich_help_panel=TEACH)
def report(
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, not as a page.")] = False,
    earlier: Annotated[Path | None, typer.Option(help="Another run: whose marks moved.")] = None,
) -> None:
    """One page on the class: totals, hard checks, misconceptions, near-identical submissions, and
    what a person should look at.
    """
    from grader.cli import exporting

    raise typer.Exit(exporting.report(run, out, as_json, earlier))


@commands.command(rich_help_panel=TEACH)
def explain(
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    student: Annotated[str, typer.Argument(help="A submission or student, by name or id.")],
    check: Annotated[
        str | None,
        typer.Argument(
            help="Its number on the student's page (2.1), or its name; without: a list."
        ),
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="Write the calls as a script into this file, no more.")
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run the check on their code again.")
    ] = False,
    isolation: Isolation = None,
) -> None:
    """Why a check failed: what was asked, as a script to run, what was expected and what came. For
    instructors: it shows what is right.
    """
    from grader.cli import explaining

    wishes = explaining.Wishes(script, rerun, isolation)
    raise typer.Exit(explaining.explain(run, student, check, wishes))


@commands.command(rich_help_panel=TEACH)
def doctor() -> None:
    """What protects this machine from submissions, what is missing, and what to do about it."""
    from grader.cli import doctor as examining

    raise typer.Exit(examining.doctor())
