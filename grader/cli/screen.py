"""What instructors see on a terminal: progress and tables, readable at 80 columns."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.cli.progress import shown
from grader.collect import Collected, Ignored, Note
from grader.model import Report, Submission
from grader.report.feedback import summary, words_of
from grader.report.lateness import deduction_words, undecided
from grader.report.plain import one_line
from grader.report.words import on_device, score_words, suspicion, unjudged
from grader.runs.moved import Moved, MovedCheck

_console = Console(highlight=False)
_HANG = "    "
MOST_IGNORED = 20  # lines
MOST_ALIKE = 10  # lines with the same reason
_DEVICE_OPTION: dict[tuple[str, ...], str] = {("cpu",): "", ("cuda",): " --device cuda"}


def say(text: str) -> None:
    """One line, as it is: no markup, and nothing in it ends the line or moves the cursor."""
    _console.print(Text(one_line(text)))


def code(text: str) -> None:
    """A line of a program, however long: a terminal breaks it where it likes."""
    _console.print(Text(one_line(text)), soft_wrap=True)


def note(text: str) -> None:
    """As ``say``, for words of a submission: a line that must be broken goes on further in, so that
    none of them begins a line of ours.
    """
    lines = Text(one_line(text)).wrap(_console, max(_console.width - len(_HANG), 20))
    for number, line in enumerate(lines):
        _console.print(Text(_HANG if number else "") + line)


def fields(named: Mapping[str, str]) -> None:
    """Names and what belongs to them, beside one another, where there is anything."""
    shown = Table(box=None, pad_edge=False, show_header=False)
    shown.add_column(no_wrap=True)
    shown.add_column(ratio=1, overflow="fold")
    for name, value in named.items():
        if value:
            shown.add_row(name, Text(one_line(value)))
    _console.print(shown)


def progress(
    graded: Iterable[Report], submissions: Sequence[Submission], jobs: int = 1
) -> Generator[Report, None, None]:
    """The reports as they come, and meanwhile how far it is."""
    return shown(graded, submissions, jobs, _console)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], names: Sequence[str] = ()) -> None:
    """Rows as they are; the last column takes what is left of the line. The columns of ``names``
    are what people wrote: long ones are broken.
    """
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(head, start=1):
        last = place == len(head)
        if name in names:
            shown.add_column(name, max_width=24, overflow="fold")
        else:
            shown.add_column(name, ratio=1 if last else None, no_wrap=not last)
    for row in rows:
        shown.add_row(*map(Text, row))
    _console.print(shown)


def class_table(reports: Sequence[Report], goes_on: bool = False) -> None:
    """A row per submission: score and what to mend first; below, what a person should look at. A
    run that ``goes_on`` grades again itself what has no verdict.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("submission", max_width=24, overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("mend first", ratio=1)
    for report in reports:
        score = f"{score_words(report.score)}/{report.max_score:g}"
        first = Text(_shortened(one_line(summary(report)), 120) or "—")
        name = Text(_shortened(one_line(report.submission), 72))
        table.add_row(name, score, first)
    _console.print(table)
    for report in reports:
        for attempt in report.refused:
            note(f"refused  {report.submission}: {attempt}")
        for finding in report.suspicious:
            note(f"suspiciously fast  {report.submission}: {suspicion(finding)}")
        for late in filter(None, [deduction_words(report), *undecided(report)]):
            note(f"late  {report.submission}: {late}")
    if reports:
        say(f"Seed {reports[0].conditions.seed}.")
    _without_verdict([report for report in reports if report.without_verdict], goes_on)


def _without_verdict(reports: Sequence[Report], goes_on: bool) -> None:
    """Who has no mark yet, why, and how to come to one."""
    for report in reports:
        for verdict, what in zip(report.without_verdict, unjudged(report), strict=True):
            why = words_of(verdict).actual
            note(f"! no verdict  {report.submission}: {what}{f': {why}' if why else ''}")
    if reports and goes_on:
        say("These have no mark. The same command grades them again, and nothing else.")
        return
    if reports:
        say("These have no mark. To repeat them:")
    for report in reports:
        _console.print(Text(f"  {one_line(_repeat(report))}"), soft_wrap=True)  # to be copied


def _repeat(report: Report) -> str:
    """The command that grades this submission again: those exercises, with the same inputs."""
    names = ",".join(exercise.name for exercise in report.exercises if exercise.without_verdict)
    conditions = report.conditions
    device = _DEVICE_OPTION.get(conditions.devices, " --device all")
    isolation = " --isolation process" if conditions.isolation == "process" else ""
    options = f"--exercises {names} --seed {conditions.seed}{device}{isolation}"
    return f"grader grade {shlex.quote(report.path)} {options}"


def collected(found: Collected, exercises: Sequence[str]) -> None:
    """Who handed in which of the exercises, when, and late or not; then all that a person should
    know.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("submission", "student"):
        table.add_column(name, max_width=24, overflow="fold")
    table.add_column("id", max_width=10, overflow="fold")
    table.add_column("handed in" if any(one.handed_in for one in found) else "", no_wrap=True)
    table.add_column("modules", ratio=1)
    for one in found:
        student = "" if one.student == one.name else _shortened(one_line(one.student), 72)
        cells = [_shortened(one_line(one.name), 72), student, one_line(one.student_id)]
        table.add_row(*map(Text, [*cells, _when(one), _modules(one, exercises)]))
    _console.print(table)
    notes(found.notes)
    _by_reason(found.ignored)
    absent(found.absent)
    late = sum(one.late for one in found)
    empty = sum(not set(one.files) & set(exercises) for one in found)
    say(
        f"Submissions: {len(found)}; late: {late}; without any module that can be graded: {empty}; "
        f"on the roster and nothing handed in: {len(found.absent)}."
    )


def _when(submission: Submission) -> str:
    """``01-31 23:59Z late``: the year is everybody's, and a line has 80 columns."""
    time = f"{submission.handed_in[5:16].replace('T', ' ')}Z" if submission.handed_in else ""
    return f"{time} late".strip() if submission.late else time


def _by_reason(ignored: Sequence[Ignored]) -> None:
    """Of many with one reason, as the pictures in everybody's clone, the first and their number."""
    reasons: dict[str, list[Ignored]] = {}
    for one in ignored:
        reasons.setdefault(one.reason, []).append(one)
    for reason, ones in reasons.items():
        for one in ones[:MOST_ALIKE]:
            note(f"not graded  {one.path}: {reason}")
        if len(ones) > MOST_ALIKE:
            note(f"not graded  and {len(ones) - MOST_ALIKE} more: {reason}")


def _modules(submission: Submission, exercises: Sequence[str]) -> str:
    """``softmax, masks; not read: attention``"""
    there = [name for name in exercises if name in submission.files]
    unread = [name for name in exercises if name in submission.problems]
    if not there and len(unread) == len(exercises):
        return "none can be read"
    parts = [", ".join(there)] if there else []
    return "; ".join([*parts, *([f"not read: {', '.join(unread)}"] if unread else [])]) or "—"


def notes(said: Sequence[Note], most: int | None = None) -> None:
    """What is graded although it was found under another name or place: all of it, or so much."""
    for one in said[:most]:
        note(f"note  {one.path}: {one.says}")
    if most is not None and len(said) > most:
        note(f"note  and {len(said) - most} more: `grader collect` shows them all")


def absent(names: Sequence[str]) -> None:
    """Who of the roster handed in nothing."""
    for name in names:
        note(f"handed in nothing  {name}")


def not_graded(ignored: Sequence[Ignored]) -> None:
    """What lay there and is not graded: the first of it."""
    for one in ignored[:MOST_IGNORED]:
        note(f"not graded  {one.path}: {one.reason}")
    if len(ignored) > MOST_IGNORED:
        note(f"not graded  and {len(ignored) - MOST_IGNORED} more")


def kept(count: int, others: Sequence[str] = (), unlike: int = 0) -> None:
    """What stands in the folder of a run without having been graded now."""
    if count:
        say(f"Not graded again, for nothing has changed: {count}. (--again grades all.)")
    if others:
        more = f" and {len(others) - MOST_ALIKE} more" if len(others) > MOST_ALIKE else ""
        names = ", ".join(others[:MOST_ALIKE])
        note(f"note  not in this download, and their reports stay: {names}{more}")
    if unlike:
        note(
            f"note  of these, graded under other settings or suites: {unlike}. `grader regrade` "
            "shows whose marks would move."
        )


def interrupted(done: int, count: int, goes_on: bool) -> None:
    """How far it came, and how to go on."""
    how = "The same command goes on from here." if goes_on else "With --out DIR a run can go on."
    say(f"Interrupted: {done} of {count} are graded. {how}")


def moved(moves: Sequence[Moved], count: int) -> None:
    """Whose marks move, from what to what, and because of which checks."""
    for move in moves:
        before, after = move.before, move.after
        marks = " -> ".join(
            f"{score_words(one.score)}/{one.max_score:g}" for one in (before, after)
        )
        note(f"{after.submission}  {marks}: {'; '.join(map(_moved_check, move.checks))}")
    say(f"Marks that move: {len(moves)} of {count}.")
    counts = Counter(_moved_check(check) for move in moves for check in move.checks)
    for what, number in counts.most_common() if len(moves) > 1 else ():
        note(f"{number:4}  {what}")


def _moved_check(check: MovedCheck) -> str:
    """``softmax: test_sums_to_one failed -> passed``, and what it is worth if that has changed."""
    before, after = check.before, check.after
    there = [one for one in (before, after) if one is not None]
    device = on_device(there[0])
    words = ["not there" if one is None else one.outcome.value for one in (before, after)]
    worth = [f"{one.check.max_points:g}" for one in there]
    points = f" ({' -> '.join(worth)} points)" if len(set(worth)) > 1 or len(worth) == 1 else ""
    return f"{check.exercise}: {check.name}{device} {' -> '.join(words)}{points}"


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
