"""The commands, ten lines each; errors of ours are one sentence, never a traceback.

Heavy imports happen inside the commands, so that ``grader --help`` is immediate.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from grader.errors import GraderError

_LEARN, _TEACH = "Learn", "Teach"  # the headings in `grader --help`

app = typer.Typer(
    help="Exercises on the Transformer: check your own work, or grade a class.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
dev = typer.Typer(help="For those who write exercises.", no_args_is_help=True)
app.add_typer(dev, name="dev", rich_help_panel=_TEACH)
nbgrader = typer.Typer(help="For courses in Jupyter.", no_args_is_help=True)
app.add_typer(nbgrader, name="nbgrader", rich_help_panel=_TEACH)

Names = Annotated[list[str] | None, typer.Argument(metavar="EXERCISE", help="Which ones.")]


def _known_isolation(name: str | None) -> str | None:
    if name not in (None, "full", "process"):
        raise typer.BadParameter("there are 'full' and 'process'.")
    return name


Isolation = Annotated[
    str | None,
    typer.Option(
        callback=_known_isolation, help="`process` also works where full isolation does not."
    ),
]
Roster = Annotated[
    Path | None, typer.Option(help="Who is in the class: a CSV of Canvas, of Moodle, or id, name.")
]
Poll = Annotated[
    bool, typer.Option("--poll", help="Look for saves ten times a second (or set GRADER_POLL=1).")
]
OneName = Annotated[str, typer.Argument(metavar="EXERCISE", help="Which one.")]


@app.callback()
def default(context: typer.Context) -> None:
    """Exercises on the Transformer: check your own work, or grade a class."""
    if context.invoked_subcommand is None:
        from grader.cli import learn

        if not learn.is_in_a_workspace():
            typer.echo(context.get_help())
            raise typer.Exit
        learn.watch(None, poll=False)


@app.command(rich_help_panel=_LEARN)
def start(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
) -> None:
    """Learn alone: copy the exercises into a folder of your own."""
    from grader.cli import learn

    learn.start(folder)


@app.command(rich_help_panel=_LEARN)
def watch(isolation: Isolation = None, poll: Poll = False) -> None:
    """Show the exercise at hand and check it again every time you save it."""
    from grader.cli import learn

    learn.watch(isolation, poll)


@app.command(rich_help_panel=_LEARN)
def hint(
    exercise: Annotated[str | None, typer.Argument(metavar="EXERCISE", help="Which one.")] = None,
) -> None:
    """One more hint each time you ask."""
    from grader.cli import learn

    learn.hint(exercise)


@app.command(rich_help_panel=_LEARN)
def reset(
    exercise: OneName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Start an exercise again; what you had is kept beside it."""
    from grader.cli import learn

    learn.reset(exercise, yes)


@app.command(rich_help_panel=_LEARN)
def solution(exercise: OneName) -> None:
    """The solution beside yours, once yours has passed."""
    from grader.cli import learn

    learn.solution(exercise)


@app.command(rich_help_panel=_TEACH)
def collect(
    download: Annotated[Path, typer.Argument(help="A download of a class: folder or archive.")],
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    roster: Roster = None,
) -> None:
    """Show who handed in what, what is late and what is not graded; nothing is run."""
    from grader.cli import collecting

    collecting.show(download, _split(exercises), roster)


@app.command(rich_help_panel=_TEACH)
def grade(
    folder: Annotated[Path, typer.Argument(help="Submissions: folders, archives or files.")],
    out: Annotated[Path | None, typer.Option(help="Write grades.csv and reports here.")] = None,
    exercises: Annotated[list[str] | None, typer.Option(help="Only these (repeatable).")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat a run with its seed.")] = None,
    isolation: Isolation = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, or all: both.")] = "cpu",
    feedback: Annotated[bool, typer.Option("--feedback", help="A page for each student.")] = False,
    pictures: Annotated[bool, typer.Option("--pictures", help="Draw what lost points.")] = False,
    roster: Roster = None,
) -> None:
    """Grade every submission in FOLDER and print the class table; exit status 3 if marks are
    missing.
    """
    from grader.cli import instructor

    extras = instructor.Extras(feedback, pictures)
    names = _split(exercises)
    raise typer.Exit(instructor.grade(folder, out, names, seed, isolation, device, extras, roster))


@app.command(rich_help_panel=_TEACH)
def export(
    format_name: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="csv, csv-long, junit, canvas, moodle, gradescope, classroom50, markdown or html.",
        ),
    ],
    run: Annotated[Path, typer.Argument(help="What `grader grade --out RUN` wrote.")],
    out: Annotated[Path | None, typer.Option(help="A file, or a new folder for pages.")] = None,
    roster: Annotated[Path | None, typer.Option(help="The table that the platform gave.")] = None,
    assignment: Annotated[str | None, typer.Option(help="The column that gets the marks.")] = None,
    scale: Annotated[bool, typer.Option("--scale", help="To what the column is worth.")] = False,
) -> None:
    """Write the marks of a RUN for another program, from its reports alone; exit status 3 if one
    is missing.
    """
    from grader.cli import exporting

    column = exporting.Column(roster, assignment, scale)
    raise typer.Exit(exporting.export(format_name, run, out, column))


@app.command(rich_help_panel=_TEACH)
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


@app.command(rich_help_panel=_TEACH)
def doctor() -> None:
    """What protects this machine from submissions, what is missing, and what to do about it."""
    from grader.cli import doctor as examining

    raise typer.Exit(examining.doctor())


@app.command(rich_help_panel=_LEARN)
def check(
    exercises: Names = None,
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    isolation: Isolation = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check what you have changed, or what you name; exit status 1 while something fails."""
    from grader.cli import student

    raise typer.Exit(student.check(exercises or [], folder, isolation, as_json))


@app.command(name="list", rich_help_panel=_LEARN)
def list_exercises() -> None:
    """List the exercises in teaching order: progress, points, tries, what each needs."""
    from grader.cli import learn

    learn.list_exercises()


@app.command(rich_help_panel=_LEARN)
def show(
    exercise: Annotated[str, typer.Argument(help="Which one.")],
    folder: Annotated[Path | None, typer.Option(help="Where your files are.")] = None,
    out: Annotated[Path | None, typer.Option(help="The PNG; otherwise EXERCISE.png.")] = None,
    isolation: Isolation = None,
) -> None:
    """Draw what your code computed beside what was expected."""
    from grader.cli import show as showing

    showing.show(exercise, folder, out, isolation)


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
        print(_readable(f"grader: {error}"), file=sys.stderr)
        raise SystemExit(2) from None


def _readable(text: str) -> str:
    """Broken between words for a person; one line for a program."""
    if not sys.stderr.isatty():
        return text
    columns = shutil.get_terminal_size().columns
    return textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
