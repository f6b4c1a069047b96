"""The program: all commands together; errors of ours are one sentence, never a traceback.

Heavy imports happen inside the commands, so that ``grader --help`` is immediate.
"""

from __future__ import annotations

import shutil
import sys
import textwrap

import typer

from grader.cli.commands import author, instructor, learner
from grader.cli.commands.gradebook import gradebook
from grader.cli.commands.options import TEACH
from grader.errors import GraderError

app = typer.Typer(
    help="Exercises on the Transformer: check your own work, or grade a class.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(learner.commands)
app.add_typer(instructor.commands)
app.add_typer(gradebook, name="gradebook", rich_help_panel=TEACH)
app.add_typer(author.dev, name="dev", rich_help_panel=TEACH)
app.add_typer(author.nbgrader, name="nbgrader", rich_help_panel=TEACH)


@app.callback()
def default(context: typer.Context) -> None:
    """Exercises on the Transformer: check your own work, or grade a class."""
    if context.invoked_subcommand is None:
        from grader.cli import learn

        if not learn.is_in_a_workspace():
            typer.echo(context.get_help())
            raise typer.Exit
        learn.watch(None, poll=False)


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
