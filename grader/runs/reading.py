"""The folder of a run -> its reports, read strictly: what is not whole is named, never guessed."""

from __future__ import annotations

import csv
import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.course.assignment import FILE_NAME, Assignment, read_assignment, require_known
from grader.course.marks import bare_name, weighted
from grader.errors import AssignmentError, ReportError
from grader.model import Report, Verdict
from grader.report.feedback import advice_on, words_of
from grader.report.files import file_name
from grader.report.plain import cell
from grader.report.record import from_json
from grader.runs.remarks import OUTDATED, remarks_on
from grader.runs.terms import are_older


@dataclass(frozen=True)
class Run:
    """What a run left: its reports, by the name of the submission, and what could not be read.

    With an ``assignment`` they are weighted by it; ``remarks`` are what a person should know of
    that, and no mark is missing for them.
    """

    reports: tuple[Report, ...]
    problems: tuple[str, ...] = ()
    assignment: Assignment | None = None
    remarks: tuple[str, ...] = ()


def read_run(folder: Path) -> Run:
    """What marks are read from: all reports, weighted where there is an ``assignment.toml``.

    Raises ``ReportError`` where there is no report at all, and ``AssignmentError``.
    """
    run, path = read_raw(folder), folder / FILE_NAME
    found = weighted_run(run, read_assignment(path)) if path.exists() else run
    return replace(found, remarks=(*found.remarks, OUTDATED)) if are_older(folder) else found


def weighted_run(run: Run, assignment: Assignment) -> Run:
    """A report that lacks what the assignment asks for is a problem, and has no mark; raises
    ``AssignmentError`` where none of them has it.
    """
    require_known(assignment, _checks_in(run.reports), "is in no report of this run")
    return weighed(run, assignment)


def weighed(run: Run, assignment: Assignment) -> Run:
    """The same, of an assignment that is known to fit."""
    reports, problems = [], []
    for report in run.reports:
        try:
            reports.append(weighted(report, assignment))
        except AssignmentError as error:
            problems.append(f"{report.submission}: {error}")
    remarks = tuple(remarks_on(reports, assignment))
    return Run(tuple(reports), (*run.problems, *problems), assignment, remarks)


def _checks_in(reports: Sequence[Report]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for exercise in (exercise for report in reports for exercise in report.exercises):
        points = {bare_name(v.check): v.check.max_points for v in exercise.verdicts}
        found.setdefault(exercise.name, {}).update(points)
    return found


def read_raw(folder: Path) -> Run:
    """What the checks found: all reports in ``folder/reports`` as they are kept; who stands in
    ``grades.csv`` and has none is a problem.

    Raises ``ReportError`` where there is no report at all.
    """
    found = read_reports(folder)
    if not found.reports and not found.problems:
        raise ReportError(
            f"{folder} holds no reports. Name the folder that `grader grade CLASS --out {folder}` "
            "writes."
        )
    return Run(found.reports, (*found.problems, *_missing(folder, found.reports)))


def read_reports(folder: Path) -> Run:
    """All reports in ``folder/reports`` as they were written, whatever else lies in the folder."""
    reports, problems = [], []
    for path in sorted((folder / "reports").glob("*.json")):
        try:
            reports.append(read_strictly(path))
        except ReportError as error:
            problems.append(f"reports/{path.name}: {error}")
    return Run(tuple(reports), tuple(problems))


def read_strictly(path: Path) -> Report:
    """The report in a file, if it is whole, agrees with itself, and lies under its own name.

    Raises ``ReportError`` otherwise, also for what was changed by hand: a score that its checks do
    not add up to would be lost without a word.
    """
    form = _form(path)
    report = from_json(form)
    complaint = next(_complaints(report, form), None)
    if complaint:
        raise ReportError(complaint)
    name = file_name(report.submission, ".json")
    if unicodedata.normalize("NFC", path.name) != unicodedata.normalize("NFC", name):
        raise ReportError(f"it holds the report on {report.submission}, which belongs in {name}")
    _require_words(report)
    return report


def _form(path: Path) -> Any:
    try:
        if not path.is_file():  # a named pipe would be waited for
            raise ReportError("it is not a file")
        text = path.read_text(encoding="utf-8")
        form = json.loads(text, parse_constant=_refuse)
        if "\\u" in text:  # perhaps one half of a character, which no file can hold
            json.dumps(form, ensure_ascii=False).encode()
    except (OSError, ValueError, RecursionError) as error:
        raise ReportError(f"it holds no report: {error}") from error
    return form


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _complaints(report: Report, form: Mapping[str, Any]) -> Iterator[str]:
    """What is no text or no number where one belongs, and sums that are not those of the checks."""
    texts: list[object] = [report.submission, report.student, report.graded_at, report.path]
    texts += [report.student_id, report.handed_in, *report.digests.values()]
    texts += [exercise.name for exercise in report.exercises]
    texts += [text for verdict in report.verdicts for text in _texts(verdict)]
    numbers = [n for v in report.verdicts for n in (v.seconds, v.check.max_points)]
    if not all(isinstance(text, str) for text in texts) or not report.submission:
        yield "this report is damaged: a name or a sentence is no text"
    if not all(_is_number(number) for number in numbers):
        yield "this report is damaged: points or seconds are no number"
    names = [exercise.name for exercise in report.exercises]
    if len(set(names)) < len(names):
        yield "this report is damaged: an exercise stands in it twice"
    yield from _sums(report, form)


def _texts(verdict: Verdict) -> list[object]:
    check = verdict.check
    maybe = [] if verdict.misconception is None else [verdict.misconception]
    return [check.name, check.sentence, check.device, verdict.lesson, verdict.output, *maybe,
            *verdict.refused]  # fmt: skip


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0


def _sums(report: Report, form: Mapping[str, Any]) -> Iterator[str]:
    pairs: list[tuple[Any, float | None]] = [
        (form.get("score"), report.score),
        (form.get("max_score"), report.max_score),
    ]
    for kept, exercise in zip(form["exercises"], report.exercises, strict=True):
        pairs += [(kept.get("score"), exercise.score), (kept.get("max_score"), exercise.max_score)]
    for said, found in pairs:
        if not _agree(said, found):
            yield f"it says {said} where its checks make {found}"


def _agree(said: Any, found: float | None) -> bool:
    if said is None or found is None:
        return said is found
    return _is_number(said) and math.isclose(said, found, abs_tol=1e-9)


def _require_words(report: Report) -> None:
    try:
        for exercise in report.exercises:
            advice_on(exercise)
        for verdict in report.verdicts:
            words_of(verdict)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ReportError(
            f"this report is damaged: a cause cannot be told ({type(error).__name__}: {error})"
        ) from error


def _missing(folder: Path, reports: Sequence[Report]) -> Iterator[str]:
    """Who has a row in ``grades.csv`` and no report: not graded yet, or a file was deleted."""
    there = {path.stem for path in (folder / "reports").glob("*.json")}
    there |= {cell(report.submission) for report in reports}
    for name in _graded(folder / "grades.csv"):
        if name not in there:
            yield f"grades.csv: {name} has no report"


def read_not_graded(folder: Path) -> list[tuple[str, str]]:
    """Path and reason of what was not graded; empty where nothing is kept of it."""
    return [
        (row.get("path") or "", row["reason"]) for row in _rows(folder / "not_graded.csv", "reason")
    ]


def _graded(path: Path) -> list[str]:
    return [row["submission"] for row in _rows(path, "submission")]


def _rows(path: Path, column: str) -> list[dict[str, str]]:
    """The rows that have something in ``column``."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if row.get(column)]
    except (OSError, ValueError, csv.Error):
        return []
