"""What is wrong in a run of a mixed class: in whose everything is, and in what it is worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.cells import cell_len

from grader.model import Report
from grader.runs.texts import read_text
from tests.benchmarks.works import Marks
from tests.collect.packed import NOBODY
from tests.collect.platforms import Expected, Platform
from tests.collect.students import BROKEN, HANGS, STUB, Student, Work

PERCENT_PER_DAY = 10
Judged = Mapping[Work, Marks]


# Whose it is --------------------------------------------------------------------------------------


def strangers(expected: Mapping[str, Expected], reports: Sequence[Report]) -> Iterator[str]:
    """Who is missing, and who is there and should not be, or twice."""
    found = Counter(report.student_id for report in reports)
    yield from (f"{one.name} ({n}) is missing" for n, one in expected.items() if n not in found)
    yield from (
        f"{report.student} ({report.student_id!r}) should not be there, or not twice"
        for report in reports
        if report.student_id not in expected or found[report.student_id] > 1
    )


def name_faults(expected: Expected, report: Report, out: Path) -> Iterator[str]:
    """What is wrong in the name, in what is said of the time, and in which attempt was taken."""
    said = (report.student, report.late, report.handed_in)
    if said != (expected.name, expected.late, expected.handed_in):
        yield f"{said} is not {expected.name, expected.late, expected.handed_in}"
    student = expected.student
    for name in student.works.keys() - report.digests.keys():
        yield f"{name} was not found"
    for name in report.digests:
        mark = f"# {student.marked(name)}" if name in student.works else ""
        if mark and mark not in read_text(report, name, out):
            yield f"another {name} was graded"
    if expected.is_unread and not (out / "not_graded.csv").read_text().count(report.path):
        yield "nobody says why nothing was graded"


def absent(platform: Platform, students: Sequence[Student], printed: str) -> list[str]:
    mark = "handed in nothing  "
    lines = [line for line in printed.splitlines() if mark in line]
    found = {line.partition(mark)[2].strip() for line in lines if NOBODY not in line}
    wanted = platform.absent(students)
    return [] if found == wanted else [f"absent: {found ^ wanted}"]


def early(expected: Mapping[str, Expected], shown: str) -> list[str]:
    """What `grader collect` shows before anything runs."""
    rows = {row[2]: row for row in shown_rows(shown)}
    wanted = {
        number: (_letters(one.name), one.late, one.handed_in[5:16].replace("T", ""))
        for number, one in expected.items()
    }
    found = {
        number: (row[1] or row[0], "late" in row[3], row[3].removesuffix("late").removesuffix("Z"))
        for number, row in rows.items()
    }
    return [
        f"`grader collect` shows {found.get(number)} and not {wanted.get(number)} for {number}"
        for number in sorted(found.keys() | wanted.keys())
        if found.get(number) != wanted.get(number)
    ]


def shown_rows(shown: str) -> Iterator[list[str]]:
    """Submission, student, id, time and modules of each row, without spaces; a row may have several
    lines, of which the first one has modules.
    """
    head, *lines = shown.splitlines()
    begins = [0, *(head.index(title) for title in ("student", "id", "modules"))]
    row: list[str] = []
    for line in lines:
        if line.startswith(("note", "not graded", "handed in", "Submissions:")):
            break
        cells = [""] * len(begins)
        at = 0
        for character in line:
            cells[max(n for n, begin in enumerate(begins) if at >= begin)] += character
            at += cell_len(character)
        if cells[3].strip() and row:
            yield _row(row)
        begun = bool(cells[3].strip()) or not row
        row = cells if begun else [a + b for a, b in zip(row, cells, strict=True)]
    if row:
        yield _row(row)


def _row(cells: Sequence[str]) -> list[str]:
    name, student, number, modules = cells
    words = number.split()
    return [_letters(name), _letters(student), *(words[:1] or [""]), "".join(words[1:]), modules]


def _letters(text: str) -> str:
    return "".join(text.split())


# What it is worth ---------------------------------------------------------------------------------


def mark_faults(
    expected: Expected, report: Report, raw: Report, judged: Judged, names: Sequence[str]
) -> Iterator[str]:
    """Every check of every exercise, the sum, and what being late costs."""
    student = expected.student
    if [exercise.name for exercise in report.exercises] != list(names):
        yield "other exercises were graded"
    for exercise in raw.exercises:
        work = student.works.get(exercise.name)
        marks = judged[work] if work is not None else {}
        for verdict in exercise.verdicts:
            outcome, points = marks.get(verdict.check.name, ("error", 0.0))
            if verdict.points != points or not alike(outcome, str(verdict.outcome), work):
                note = f"{work.kind}, {work.note}" if work else "nothing"
                yield f"{note}: {verdict.check.name} {verdict.outcome}, not {outcome}"
    wanted = due_marks(expected, raw, judged)
    if report.score is None or not math.isclose(report.score, wanted, abs_tol=1e-6):
        yield f"{report.score} points and not {wanted}"


def alike(wanted: str, found: str, work: Work | None) -> bool:
    """What was not handed in, is untouched, broken or hangs may be told in several ways."""
    if work is None or work.kind in (STUB, HANGS, BROKEN):
        return found != "internal" and (found == "passed") == (wanted == "passed")
    return wanted == found


def due_marks(expected: Expected, raw: Report, judged: Judged) -> float:
    works = expected.student.works.values()
    earned = sum(points for work in works for _, points in judged[work].values())
    days = math.ceil(expected.student.hours_late / 24) if expected.handed_in else 0
    off = max(days, 0) * raw.max_score * PERCENT_PER_DAY / 100
    return max(earned - off, 0.0)
