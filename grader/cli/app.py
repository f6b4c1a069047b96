"""The program: all commands together; errors of ours are one sentence, never a traceback.

Heavy imports happen inside the commands, so that ``grader --help`` is immediate.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import author, instructor, learner, platforms
from grader.cli.commands.gradebook import gradebook
from grader.cli.commands.meant import Program
from grader.cli.commands.options import TEACH
from grader.cli.versions import versions
from grader.course.course import VARIABLE
from grader.errors import GraderError

HELP = "Exercises with hidden checks: check your own work, or grade a class."
app = typer.Typer(
    cls=Program,
    help=HELP,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(learner.commands)
app.add_typer(instructor.commands)
app.add_typer(gradebook, name="gradebook", rich_help_panel=TEACH)
app.add_typer(author.new, name="new", rich_help_panel=TEACH)
app.add_typer(author.dev, name="dev", rich_help_panel=TEACH)
app.add_typer(author.nbgrader, name="nbgrader", rich_help_panel=TEACH)
app.add_typer(platforms.gradescope, name="gradescope", rich_help_panel=TEACH)
app.add_typer(platforms.classroom50, name="classroom50", rich_help_panel=TEACH)
app.add_typer(platforms.container, name="container", rich_help_panel=TEACH)


@app.callback(help=HELP)
def default(
    context: typer.Context,
    course: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help=f"The course, with any command; or set {VARIABLE}. Without: the one whose folder "
            "you are in, or that came with this program.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Say which grader and which course this is.")
    ] = False,
) -> None:
    """What holds for all commands; without one, watch where exercises lie."""
    if course is not None:
        _choose(str(course))
    if version:
        for line in versions():
            typer.echo(line)
        raise typer.Exit
    if context.invoked_subcommand is None:
        from grader.cli import learn

        if not learn.is_in_a_workspace():
            typer.echo(context.get_help())
            raise typer.Exit
        learn.watch(None, poll=False)


def main() -> None:
    """Entry point of the ``grader`` command."""
    try:
        app(list(_without_course(sys.argv[1:])))
    except GraderError as error:
        print(_readable(f"grader: {error}"), file=sys.stderr)
        raise SystemExit(2) from None
    finally:
        gc.freeze()  # the last collection would look at all of torch, for nearly half a second


def _without_course(arguments: Iterable[str]) -> Iterator[str]:
    """``--course DIR`` may stand behind any command, and is the same there as before it."""
    words = iter(arguments)
    for word in words:
        option, is_given, value = word.partition("=")
        if option == "--course" and (value := value if is_given else next(words, "")):
            _choose(value)
        else:
            yield word


def _choose(course: str) -> None:
    """For this process and all that it starts."""
    os.environ[VARIABLE] = os.path.abspath(course)


def _readable(text: str) -> str:
    """Broken between words for a person; one line for a program."""
    if not sys.stderr.isatty():
        return text
    columns = shutil.get_terminal_size().columns
    return textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
