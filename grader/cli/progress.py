"""How far a class has come: a bar on a terminal, and elsewhere a line from time to time."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from grader.model import Report, Submission
from grader.report.plain import one_line

LINE_SECONDS = 5.0  # at least, from one line to the next

Show = Callable[[int, str, str], None]


def shown(
    graded: Iterable[Report], submissions: Sequence[Submission], jobs: int, console: Console
) -> Generator[Report, None, None]:
    """The reports as they come. It is shown how many there are, at what rate they come, how long
    the rest will take, and what is being waited for: the first ``jobs`` that are not done.
    """
    waiting = dict.fromkeys(submission.name for submission in submissions)
    begun = time.monotonic()
    display = _bar if console.is_terminal else _lines
    with display(len(waiting), console) as show:
        show(0, "", _named(list(waiting)[:jobs]))
        for done, report in enumerate(graded, start=1):
            waiting.pop(report.submission, None)
            pace = _pace(done, len(waiting), time.monotonic() - begun)
            show(done, pace, _named(list(waiting)[:jobs]))
            yield report


def _named(names: Sequence[str]) -> str:
    return one_line(", ".join(names))


def _pace(done: int, left: int, seconds: float) -> str:
    """``1.4/s, 0:02:10 left``"""
    rate = done / max(seconds, 1e-3)
    rest = datetime.timedelta(seconds=round(left / rate))
    return f"{f'{rate:.1f}/s' if rate >= 1 else f'{60 * rate:.0f}/min'}, {rest} left"


@contextlib.contextmanager
def _bar(total: int, console: Console) -> Iterator[Show]:
    bar = Progress(
        TextColumn("{task.description:<26.26}", markup=False),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=total, pace="")
        yield lambda done, pace, waiting: bar.update(
            task, completed=done, pace=pace, description=waiting, refresh=True
        )


@contextlib.contextmanager
def _lines(total: int, console: Console) -> Iterator[Show]:
    last = time.monotonic()

    def show(done: int, pace: str, waiting: str) -> None:
        nonlocal last
        if 0 < done < total and time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            said = f"{done} of {total} graded, {pace}; waiting for {waiting}"
            console.print(Text(said), soft_wrap=True)

    yield show
