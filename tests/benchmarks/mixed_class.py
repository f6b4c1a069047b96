"""A mixed class in the shape of every platform, one command each: is every name and mark right? By
hand.

    python tests/benchmarks/mixed_class.py [--students 200] [--shapes Canvas Moodle]

The class is drawn: right and wrong answers, stubs, what is broken and what hangs, nothing, earlier
attempts, late ones. What each is worth is found out in this process, whose everything is stands in
the maker's own table. Prints for each shape how many names and marks `grader grade` gets right, what
is wrong, and whether `grader collect` and the platform's own table say the same.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Report
from grader.runs.reading import read_raw, read_run
from grader.runs.texts import read_text

COURSE = find_course()
sys.path.insert(0, str(COURSE.root))

from tests.benchmarks.works import Marks, marks_of, works_for  # noqa: E402
from tests.collect.downloads import download  # noqa: E402
from tests.collect.platforms import (  # noqa: E402
    COLUMN,
    DUE,
    NOBODY,
    PLATFORMS,
    Expected,
    Platform,
    table,
)
from tests.collect.students import BROKEN, HANGS, STUB, Student, Work, a_class  # noqa: E402

SEED = 20261122
PERCENT_PER_DAY = 10
Judged = Mapping[Work, Marks]


@dataclass(frozen=True)
class Said:
    """How many names and marks are right of how many, in how many seconds; and what is wrong."""

    students: int
    names: int
    marks: int
    seconds: float
    faults: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--shapes", nargs="*", default=list(PLATFORMS))
    parser.add_argument("--exercises", nargs="*", default=["softmax", "masks", "questions"])
    parser.add_argument("--each", type=int, default=12, help="variants and slips of an exercise")
    parser.add_argument("--seed", type=int, default=1, help="draws the class")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    exercises = [load_catalog(COURSE)[name] for name in chosen.exercises]
    works = [w for one in exercises for w in works_for(COURSE, one, chance, chosen.each)]
    students = a_class(chosen.students, works, chosen.seed)
    judged = judge(students, chosen.exercises)
    wrong = 0
    print(f"{'shape':22} {'students':>8} {'names':>6} {'marks':>6} {'seconds':>8}", flush=True)
    for name in chosen.shapes:
        with tempfile.TemporaryDirectory() as place:
            said = tried(PLATFORMS[name], students, judged, chosen.exercises, Path(place))
        print(f"{name:22} {said.students:8} {said.names:6} {said.marks:6} {said.seconds:8.1f}")
        print("".join(f"  {fault}\n" for fault in said.faults), end="", flush=True)
        wrong += len(said.faults)
    print(f"{wrong} faults")
    raise SystemExit(1 if wrong else 0)


def judge(students: Sequence[Student], names: Sequence[str]) -> Judged:
    """What everything that anybody wrote is worth."""
    suites = collected(COURSE, [load_catalog(COURSE)[name] for name in names])
    wrote = {w for s in students for works in (s.works, s.earlier) for w in works.values()}
    started = time.monotonic()
    found = {w: marks_of(suites.of(suites.catalog[w.exercise]), w, SEED) for w in wrote}
    kinds = Counter(work.kind for student in students for work in student.works.values())
    print(f"{len(found)} texts judged in {time.monotonic() - started:.0f} s; handed in: {kinds}")
    return found


def tried(
    platform: Platform,
    students: Sequence[Student],
    judged: Judged,
    names: Sequence[str],
    place: Path,
) -> Said:
    """One download, collected, graded and exported."""
    there = download(place, platform.packing, platform.files(students))
    roster, assignment, out = place / "roster.csv", place / "assignment.toml", place / "run"
    roster.write_text(table(platform.roster(students)), encoding="utf-8")
    assignment.write_text(
        f'title = "PS 1"\nexercises = {json.dumps(list(names))}\nseed = {SEED}\n'
        f"due = {DUE.isoformat()}\n[late]\npercent_per_day = {PERCENT_PER_DAY}\n"
    )
    shown = grader("collect", there, "--exercises", ",".join(names), "--roster", roster)
    started = time.monotonic()
    printed = grader(
        "grade", there, "--roster", roster, "--assignment", assignment, "--out", out, "--jobs", 1
    )
    seconds = time.monotonic() - started
    expected = platform.expected(students)
    raw = {one.submission: one for one in read_raw(out).reports}
    reports = {one.student_id: one for one in read_run(out).reports}
    faults = list(strangers(expected, list(read_run(out).reports)))
    faults += absent(platform, students, shown) + absent(platform, students, printed)
    faults += early(expected, shown)
    right, marked = 0, 0
    for number, one in expected.items():
        if number in reports:
            wrong = list(name_faults(one, reports[number], out))
            report = reports[number]
            lost = list(mark_faults(one, report, raw[report.submission], judged, names))
            right, marked = right + (not wrong), marked + (not lost)
            faults += [f"{one.name} ({number}): {fault}" for fault in wrong + lost]
    if platform.export:
        faults += exported(platform, expected, reports, roster, out)
    faults += in_csv(reports, names, out)
    return Said(len(expected), right, marked, seconds, faults)


def grader(*arguments: object) -> str:
    """What the command prints; it must succeed."""
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    settings = {"COLUMNS": "300", "NO_COLOR": "1", "PYTHONPATH": str(COURSE.root)}
    done = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


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
        row = cells if cells[3].strip() or not row else list(map("".join, zip(row, cells)))
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


# What platforms get -------------------------------------------------------------------------------


def exported(
    platform: Platform,
    expected: Mapping[str, Expected],
    reports: Mapping[str, Report],
    roster: Path,
    out: Path,
) -> list[str]:
    """The platform's own table: a mark in the row of each id, and in no other."""
    column = COLUMN if platform.export == "canvas" else "Grade"
    given = ["--roster", roster, "--assignment", column]
    rows = list(csv.DictReader(io.StringIO(grader("export", platform.export, out, *given))))
    key = "ID" if platform.export == "canvas" else "Identifier"
    found = {row[key].removeprefix("Participant "): row[column] for row in rows if row[key]}
    marks = {number: score(reports.get(number)) for number in found if number in expected}
    wrong = [n for n, cell in found.items() if cell != (marks[n] if n in marks else "")]
    return [f"the table of {platform.export} has {found[n]!r} for {n}" for n in wrong]


def in_csv(reports: Mapping[str, Report], names: Sequence[str], out: Path) -> list[str]:
    """`grades.csv`, and the export of it."""
    kept = list(csv.DictReader((out / "grades.csv").open(encoding="utf-8", newline="")))
    rows = list(csv.DictReader(io.StringIO(grader("export", "csv", out))))
    found = {row["student_id"]: [row[name] for name in (*names, "score")] for row in kept}
    totals = {row["submission"]: row["total"] for row in rows}
    faults = []
    for number, report in reports.items():
        wanted = [f"{one.score:g}" for one in report.exercises] + [score(report)]
        if found.get(number) != wanted or totals.get(report.submission) != score(report):
            faults.append(f"grades.csv has {found.get(number)} for {number}, not {wanted}")
    return faults


def score(report: Report | None) -> str:
    return "" if report is None else f"{report.score:g}"


if __name__ == "__main__":
    main()
