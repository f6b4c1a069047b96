"""What an instructor takes from a run that is over: files for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from grader.collect.roster import read_roster_table
from grader.course.course import Course, find_course
from grader.errors import CourseNotFound, GraderError
from grader.exports import formats
from grader.exports.canvas import canvas
from grader.exports.class_page import class_page
from grader.exports.class_report import class_report, to_json
from grader.exports.filling import Filled
from grader.exports.formats import (
    GRADEBOOKS,
    MOODLE_PAGES,
    NAMES,
    PAGES,
    ROSTERS,
    TABLES,
    page_path,
)
from grader.exports.kept import Kept
from grader.exports.moodle import GRADE, moodle
from grader.exports.nbgrader_gradebook import fill_gradebook
from grader.exports.page_zip import MOODLE_PAGE, moodle_folder, zipped
from grader.model import Report
from grader.report.feedback_page import feedback_page
from grader.report.files import write_whole
from grader.report.lateness import undecided
from grader.report.plain import one_line
from grader.report.words import unjudged
from grader.runs.reading import Run, read_run

UNFINISHED = 3  # the exit status where something is missing, as for `grader grade`


@dataclass(frozen=True)
class Column:
    """The roster to be filled: its file, its column, and whether marks are scaled to its worth.
    ``assignment`` is also what the run is called in a gradebook. For pages: what a student can do
    who thinks that a mark is wrong.
    """

    roster: Path | None = None
    assignment: str | None = None
    scale: bool = False
    appeal: str = ""


def export(format_name: str, run: Path, out: Path | None, column: Column) -> int:
    """Write the reports of ``run`` in a format, to ``out`` or to standard output.

    Returns the exit status: 0, or 3 while a report or a mark is missing; what, goes to standard
    error. Raises ``GraderError`` where nothing can be written.
    """
    _require_format(format_name, out, column)
    found = read_run(run)
    notes = list(found.problems)
    if format_name in TABLES:
        _deliver(TABLES[format_name](found.reports), out)
        notes += _without_verdict(found.reports)
    elif format_name in ROSTERS:
        table = _roster(format_name, found.reports, column)
        _deliver(table.text, out)
        for remark in table.remarks:
            _note(remark)
        notes += table.problems
    elif format_name in GRADEBOOKS:
        assert out is not None
        notes += fill_gradebook(out, column.assignment or run.resolve().name, found)
        notes += _without_verdict(found.reports)
    else:
        assert out is not None
        notes += _pages(format_name, found.reports, out, column.appeal)
        notes += _without_verdict(found.reports)
    for note in [*_remarks(found), *notes]:
        _note(note)
    return UNFINISHED if notes else 0


def _require_format(name: str, out: Path | None, column: Column) -> None:
    """Before anything is read for nothing."""
    if name not in NAMES:
        raise GraderError(f"There is no format {name!r}. There are {', '.join(NAMES)}.")
    if name in PAGES and out is None:
        raise GraderError(f"{name} is a file for each submission: say in which folder, with --out.")
    if name == MOODLE_PAGES and (out is None or out.suffix != ".zip"):
        raise GraderError(f"{name} is one archive: say where, with --out FILE.zip.")
    if name in PAGES and out is not None and out.is_dir() and any(out.iterdir()):
        raise GraderError(f"{out} is not empty: choose a new folder for --out.")
    if name in GRADEBOOKS and out is None:
        raise GraderError(f"{name} is a database: say which file, with --out gradebook.db.")
    if name in ROSTERS and column.roster is None:
        raise GraderError(f"{name} needs --roster: the table as the platform exports it.")
    if name == "canvas" and column.assignment is None:
        raise GraderError("canvas needs --assignment: the column's title, as in the gradebook.")


def _roster(name: str, reports: Sequence[Report], column: Column) -> Filled:
    assert column.roster is not None
    roster = read_roster_table(column.roster)
    if name == "canvas":
        return canvas(roster, reports, column.assignment or "", scale=column.scale)
    return moodle(roster, reports, column.assignment or GRADE, scale=column.scale)


def _pages(name: str, reports: Sequence[Report], out: Path, appeal: str) -> list[str]:
    """Writes them, into a folder or an archive; gives who has none."""
    pages, without = {}, []
    for report in reports:
        text = _page(name, report, appeal)
        path = _path_of(name, report)
        if path is None:
            without.append(f"{report.submission}: not in the archive: no participant's number")
        elif text is None:
            without.append(f"{report.submission}: nothing was written, for it has no mark")
        else:
            pages[path] = text
    if out.suffix == ".zip":
        _write(out, zipped(pages))
    else:
        for path, text in pages.items():
            _write(out / path, text)
    return without


def _page(name: str, report: Report, appeal: str) -> str | None:
    if name in ("html", MOODLE_PAGES):
        return feedback_page(report, appeal=appeal)
    return PAGES[name](report, os.environ)


def _path_of(name: str, report: Report) -> PurePath | None:
    if name != MOODLE_PAGES:
        return page_path(name, report)
    folder = moodle_folder(report)
    return PurePath(folder, MOODLE_PAGE) if folder else None


def _remarks(run: Run) -> list[str]:
    """What moves no mark, and a person should know."""
    late = [f"{one.submission}: {what}" for one in run.reports for what in undecided(one)]
    return [*late, *run.remarks]


def _without_verdict(reports: Sequence[Report]) -> list[str]:
    return [f"{one.submission}: no verdict: {what}" for one in reports for what in unjudged(one)]


def _deliver(text: str, out: Path | None) -> None:
    """UTF-8 wherever it goes, and the line ends of the format."""
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    else:
        _write(out, text)


def _write(path: Path, text: str | bytes) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise GraderError(f"{path} cannot be written ({error.strerror}).") from error


def _note(text: str) -> None:
    print(one_line(f"! {text}"), file=sys.stderr)


def report(run: Path, out: Path | None, as_json: bool, earlier: Path | None = None) -> int:
    """Write the report on a class, as a page or as JSON; exit status 3 while a report is missing.

    Raises ``GraderError`` where there is nothing to read or to write to.
    """
    if out is None and not as_json:
        raise GraderError("The report is a page of HTML: say where, with --out FILE.html.")
    found = read_run(run)
    before = None if earlier is None else read_run(earlier)
    whole = class_report(found, Kept(run, _course()), before)
    _deliver(formats.as_json(to_json(whole)) or "" if as_json else class_page(whole), out)
    for problem in found.problems:
        _note(problem)
    return UNFINISHED if found.problems else 0


def _course() -> Course | None:
    """Reports are read without it as well; then nobody can be compared with its solutions."""
    try:
        return find_course()
    except CourseNotFound:
        return None
