"""What instructors see on a terminal: progress and tables, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from grader.model import Outcome, Report, Submission
from grader.report.feedback import summary, words_of
from grader.report.words import suspicion

_console = Console(highlight=False)


def say(text: str) -> None:
    """One line, as it is."""
    _console.print(Text(text))


def progress(graded: Iterable[Report], submissions: Sequence[Submission]) -> Iterator[Report]:
    """The reports as they come, under a bar that names the submission at hand."""
    bar = Progress(
        TextColumn("{task.description:<32.32}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=_console,
        transient=True,
    )
    names = [submission.name for submission in submissions]
    with bar:
        task = bar.add_task(names[0], total=len(names))
        for done, report in enumerate(graded, start=1):
            bar.update(task, description=names[min(done, len(names) - 1)], completed=done)
            yield report


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows as they are; the last column takes what is left of the line."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(head, start=1):
        last = place == len(head)
        shown.add_column(name, ratio=1 if last else None, no_wrap=not last)
    for row in rows:
        shown.add_row(*map(Text, row))
    _console.print(shown)


def class_table(reports: Sequence[Report]) -> None:
    """A row per submission: score and what to mend first; below, what a person should look at."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", max_width=24, overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("mend first", ratio=1)
    for report in reports:
        score = f"{report.score:g}/{report.max_score:g}"
        first = Text(_shortened(summary(report), 120) or "—")
        table.add_row(Text(report.submission), score, first)
    _console.print(table)
    for report in reports:
        for attempt in report.refused:
            say(f"refused  {report.submission}: {attempt}")
        for finding in report.suspicious:
            say(f"suspiciously fast  {report.submission}: {suspicion(finding)}")
    _internal(reports)
    if reports:
        say(f"Seed {reports[0].conditions.seed}.")


def _internal(reports: Sequence[Report]) -> None:
    failed = [
        (report, verdict)
        for report in reports
        for verdict in report.verdicts
        if verdict.outcome is Outcome.INTERNAL
    ]
    for report, verdict in failed:
        why = words_of(verdict).actual
        say(f"! no verdict for {report.submission}, {verdict.check.name}: {why}")


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
