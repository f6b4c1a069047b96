"""What people type who keep the marks of a class: `grader gradebook ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

gradebook = typer.Typer(
    help="Keep every attempt, and what you say of it: marks, comments, totals.",
    no_args_is_help=True,
)

Database = Annotated[
    str | None,
    typer.Option(help="A file, or postgresql://USER@HOST/NAME (or set GRADER_DATABASE)."),
]
By = Annotated[str | None, typer.Option(help="Who says it; otherwise your login name.")]
Student = Annotated[str, typer.Argument(help="A name, an id, or a drawn id.")]
Assignment = Annotated[str, typer.Argument(help="Which one.")]
Exercise = Annotated[str, typer.Option(help="Only this exercise, not the whole.")]
Reason = Annotated[str, typer.Option(help="Why: whoever asks later is told.")]
Csv = Annotated[bool, typer.Option("--csv", help="As CSV, with everything.")]
Json = Annotated[bool, typer.Option("--json", help="As JSON, with everything.")]
Anonymous = Annotated[bool, typer.Option("--anonymous", help="Drawn ids instead of names.")]
Pairing = Annotated[bool, typer.Option("--pairing", help="Drawn ids beside names.")]


@gradebook.command()
def add(
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    assignment: Annotated[
        str | None, typer.Option(help="Its name; otherwise the title in assignment.toml, or RUN.")
    ] = None,
    counts: Annotated[
        str | None, typer.Option(help="Which attempt does: latest or best, from now on.")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="Who is in the class: nothing handed in is 0 points.")
    ] = None,
    by: By = None,
    database: Database = None,
) -> None:
    """Take in the reports of a RUN. Twice changes nothing; exit status 3 if one is missing."""
    from grader.cli import gradebook as keeping

    raise typer.Exit(keeping.add(run, assignment, counts, by, database, roster))


@gradebook.command()
def group(
    name: Annotated[str, typer.Argument(help='As "homework"; "" takes out of a group.')],
    assignments: Annotated[
        list[str] | None, typer.Argument(metavar="ASSIGNMENT", help="Those that belong to it.")
    ] = None,
    drop_worst: Annotated[
        int | None, typer.Option(min=0, help="So many of each student's do not count.")
    ] = None,
    database: Database = None,
) -> None:
    """Assignments of a kind, of which each student's worst are left out of the totals."""
    from grader.cli import gradebook as keeping

    keeping.group(name, assignments or [], drop_worst, database)


@gradebook.command()
def show(
    assignment: Annotated[str | None, typer.Argument(help="Only this one.")] = None,
    csv: Csv = False,
    as_json: Json = False,
    anonymous: Anonymous = False,
    pairing: Pairing = False,
    database: Database = None,
) -> None:
    """Who has which mark, and what it rests on."""
    from grader.cli import gradebook as keeping

    keeping.show(assignment, keeping.look(csv, as_json, anonymous, pairing), database)


@gradebook.command(name="set")
def set_mark(
    student: Student,
    assignment: Assignment,
    mark: Annotated[float, typer.Argument(help="The points it is to have.")],
    reason: Reason,
    exercise: Exercise = "",
    by: By = None,
    database: Database = None,
) -> None:
    """Give a mark by hand; it counts from now on, and the automatic one stays beside it."""
    from grader.cli import gradebook as keeping
    from grader.gradebook.book import About

    about = About(student, assignment, exercise)
    keeping.set_mark(about, mark, reason, by, database)


@gradebook.command()
def comment(
    student: Student,
    assignment: Assignment,
    text: Annotated[str, typer.Argument(help="What you have to say.")],
    exercise: Exercise = "",
    by: By = None,
    database: Database = None,
) -> None:
    """Say something of a student's work; no mark moves."""
    from grader.cli import gradebook as keeping
    from grader.gradebook.book import About

    keeping.comment(About(student, assignment, exercise), text, by, database)


@gradebook.command()
def withdraw(
    numbers: Annotated[
        list[str], typer.Argument(metavar="NUMBER", help="e12 or a12, as `history` shows them.")
    ],
    reason: Reason,
    by: By = None,
    database: Database = None,
) -> None:
    """A mark, a comment or an attempt no longer counts; the history keeps it."""
    from grader.cli import gradebook as keeping

    keeping.withdraw(numbers, reason, by, database)


@gradebook.command()
def history(
    student: Student,
    as_json: Json = False,
    anonymous: Anonymous = False,
    database: Database = None,
) -> None:
    """All that ever happened to a student's marks: when, by whom, why."""
    from grader.cli import gradebook as keeping

    keeping.history(student, keeping.look(False, as_json, anonymous, False), database)


@gradebook.command()
def totals(
    csv: Csv = False,
    as_json: Json = False,
    anonymous: Anonymous = False,
    pairing: Pairing = False,
    database: Database = None,
) -> None:
    """What all assignments make together; exit status 3 while one of them has no verdict."""
    from grader.cli import gradebook as keeping

    raise typer.Exit(keeping.totals(keeping.look(csv, as_json, anonymous, pairing), database))
