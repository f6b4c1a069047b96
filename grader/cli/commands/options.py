"""Options and arguments that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

LEARN, TEACH = "Learn", "Teach"  # the headings in `grader --help`


def known_isolation(name: str | None) -> str | None:
    """Raises ``typer.BadParameter`` for a word that is none."""
    if name not in (None, "full", "process"):
        raise typer.BadParameter("there are 'full' and 'process'.")
    return name


Names = Annotated[list[str] | None, typer.Argument(metavar="EXERCISE", help="Which ones.")]
Isolation = Annotated[
    str | None,
    typer.Option(
        callback=known_isolation, help="`process` also works where full isolation does not."
    ),
]
Roster = Annotated[
    Path | None, typer.Option(help="Who is in the class: a CSV of Canvas, of Moodle, or id, name.")
]
Appeal = Annotated[str, typer.Option(help="On each page: what to do if a mark is wrong.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="So many at a time; else, as many as there are cores.")
]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="On the workers of this Dask scheduler.")
]
Poll = Annotated[
    bool, typer.Option("--poll", help="Look for saves ten times a second (or set GRADER_POLL=1).")
]
OneName = Annotated[str, typer.Argument(metavar="EXERCISE", help="Which one.")]


def split(names: list[str] | None) -> list[str]:
    """``--exercises a,b --exercises c`` names three."""
    return [part for name in names or [] for part in name.replace(",", " ").split()]
